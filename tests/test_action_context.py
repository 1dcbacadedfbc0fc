"""What a session keeps to (SEMANTICS 7), through HTTP and through the service: bodies and plans as data."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from app.authoring.plans import NOON, judge_texts, read_context
from app.dialogue import Dialogues
from app.errors import Code, DomainAccessError, MessageError
from app.exchange import read_session_context
from app.model import LOCAL
from app.settings import Settings
from tests.rig import JSON, Rig, bearer, client_of, request, with_tokens
from tests.test_statuses import at, domain, serving_town, town

ROOT = Path(__file__).resolve().parent
PRC = json.loads((ROOT.parent / "schemas/examples/bkn-prc/valid/action_context_response.json").read_bytes())
PLACE = {"MInstance": "Town", "UEnvironment": "Street"}


def data(name: str, heading: str) -> list[dict[str, Any]]:
    text = (ROOT / "sessions" / f"{name}.toml").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = tomllib.loads(text)[heading]
    assert len(found) == text.count(f"[[{heading}]]") == len({each["name"] for each in found})
    return found


BODIES, PLANS = data("bodies", "body"), data("plans", "plan")


def raw(body: dict[str, Any]) -> bytes:
    if "json" in body:
        return str(body["json"]).encode()
    return json.dumps({**PRC, **PLACE, **body["prc"]}).encode()


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    settings = Settings(data=tmp_path_factory.mktemp("town"))
    with Dialogues.open(settings.database_url) as dialogues:
        service = serving_town(dialogues, settings)
        yield Rig(settings, service, client_of(service, settings))
        service.close()


def asked(session: str, *statements: str) -> dict[str, Any]:
    return request(*statements, **PLACE, SessionID=session, QueryTime=at(NOON))


def session_of(rig: Rig, context: dict[str, Any] | None) -> str:
    """A session of Ada's."""
    session = str(uuid4())
    assert rig.client.put(f"/v1/sessions/{session}", json={**PLACE, "User": "Ada"}).status_code == 200
    if context is not None:
        put(rig, session, context)
    return session


def put(rig: Rig, session: str, context: dict[str, Any]) -> None:
    body = {**PLACE, "SessionID": session, "ActionContext": context}
    assert rig.client.put(f"/v1/sessions/{session}/action-context", json=body).status_code == 200


@pytest.mark.parametrize("body", BODIES, ids=[body["name"] for body in BODIES])
def test_a_body_over_http(rig: Rig, body: dict[str, Any]) -> None:
    """Its status; of a refusal code and place; of an answer what it could not read."""
    answered = rig.client.put("/v1/sessions/S/action-context", content=raw(body), headers=JSON)
    assert answered.status_code == body["status"], answered.text
    told = answered.json()
    if body["status"] == 200:
        assert [word for word in body.get("remarks", ()) if word not in " ".join(told["Remarks"])] == []
        assert bool(told["Remarks"]) == bool(body.get("remarks"))
        assert {name: told[name] for name in (*PLACE, "SessionID")} == {**PLACE, "SessionID": "S"}
    else:
        errors = told.get("errors", [told])
        assert (body["code"], body["where"]) in {(each["code"], each.get("pointer", "")) for each in errors}


@pytest.mark.parametrize("body", BODIES, ids=[body["name"] for body in BODIES])
def test_a_body_to_the_service(rig: Rig, body: dict[str, Any]) -> None:
    """The same from the function: one reader, one error shape."""
    if body["status"] == 200:
        told = json.loads(rig.service.set_action_context("S", raw(body), LOCAL))
        assert read_session_context(raw(body), "S").ActionContext.model_dump(exclude_none=True) == {
            name: tuple(value) if isinstance(value, list) else value for name, value in told["ActionContext"].items()
        }
    else:
        with pytest.raises(DomainAccessError) as error:
            rig.service.set_action_context("S", raw(body), LOCAL)
        assert (body["code"], body["where"]) in {(fault.code.code, fault.where) for fault in error.value.faults}


@pytest.mark.parametrize("plan", PLANS, ids=[plan["name"] for plan in PLANS])
def test_a_plan_within_bounds(rig: Rig, plan: dict[str, Any]) -> None:
    """Over HTTP and from the function."""
    answered = rig.ask(asked(session_of(rig, plan["context"]), plan["statement"])).json()
    direct = judge_texts(
        [(0, plan["statement"])],
        town(),
        domain(),
        town().names.iri("Ada"),
        context=read_context(plan["context"]),
    )
    statuses = [str(v.status) for v in direct.verdicts if v.status is not None]
    assert [step["PAStatus"] for step in answered["Feasibility"]["Steps"]] == statuses
    assert statuses == [plan["status"]] * bool(plan["status"])
    assert ("Failure" in answered) == ("failure" in plan)
    assert [word for word in plan.get("failure", ()) if word not in answered["Failure"]["Request"]] == []
    assert [word for word in plan.get("text", ()) if word not in answered["Answer"]["Text"]] == []
    assert answered["Outcome"] == ("answered" if plan["status"] else "not_answered")


def test_the_last_put_wins_and_a_refused_one_changes_nothing(rig: Rig) -> None:
    move = "MM-Moves Lamp From Plaza To Garden"

    def status(session: str) -> str:
        return str(rig.ask(asked(session, move)).json()["Feasibility"]["Steps"][0]["PAStatus"])

    session = session_of(rig, {"MaxSteps": 0})
    assert status(session) == "FaultyReq"
    put(rig, session, {"MLocations": ["Plaza"]})
    assert status(session) == "LocOOR"
    refused = {**PLACE, "SessionID": "another", "ActionContext": {}}
    assert rig.client.put(f"/v1/sessions/{session}/action-context", json=refused).status_code == 422
    assert status(session) == "LocOOR"
    put(rig, session, {})
    assert status(session) == "Ack"
    assert status(session_of(rig, None)) == "Ack"


def test_a_session_id_may_be_a_uri_and_ends_where_the_path_says(rig: Rig) -> None:
    session = "urn:sessions/a/b"
    body = {**PLACE, "SessionID": session, "ActionContext": {"MaxSteps": 0}}
    assert rig.client.put(f"/v1/sessions/{session}/action-context", json=body).status_code == 200
    assert rig.client.put(f"/v1/sessions/{session}", json={**PLACE, "User": "Ada"}).status_code == 200
    (step,) = rig.ask(asked(session, "MM-Moves Lamp From Plaza To Garden")).json()["Feasibility"]["Steps"]
    assert step["PAStatus"] == "FaultyReq"


def test_who_may_not_ask_sets_nothing(rig: Rig) -> None:
    guarded = with_tokens(rig)
    body = {**PLACE, "SessionID": "S", "ActionContext": {}}
    path = "/v1/sessions/S/action-context"
    assert guarded.put(path, json=body).status_code == 401
    assert guarded.put(path, json=body, headers=bearer("reader")).status_code == 403
    assert guarded.put(path, json=body, headers=bearer("asker")).status_code == 404  # it sees another M-Instance


def test_every_fault_of_a_body_is_told_at_once() -> None:
    with pytest.raises(MessageError) as error:
        read_session_context(b'{"MInstance": 1, "ActionContext": {"MaxSteps": "x", "Rule": []}}', "S")
    assert {(fault.code, fault.where) for fault in error.value.faults} == {
        (Code.WRONG_TYPE, "/MInstance"),
        (Code.MISSING_MEMBER, "/UEnvironment"),
        (Code.MISSING_MEMBER, "/SessionID"),
        (Code.WRONG_TYPE, "/ActionContext/MaxSteps"),
        (Code.UNKNOWN_MEMBER, "/ActionContext/Rule"),
    }
