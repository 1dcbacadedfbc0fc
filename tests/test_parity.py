"""Every golden case gets the same answer through function, HTTP, command line and MCP (DESIGN 7).

One service answers all; whoever asks does it in a dialogue, and where the case has none in a session, of its own.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import httpx2
import pytest
from click.testing import CliRunner
from mcp import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from app.cli import main
from app.exchange.asking import fresh_id, request_message, sent, session_members
from app.kinds import KINDS
from app.model import LOCAL
from app.serve_mcp import create_server
from app.service import Service
from app.settings import Settings
from tests.mcp_rig import Session, connected, live
from tests.parity import Asked, Turn, cases, packs_of_the_cases
from tests.processes import environment
from tests.rig import JSON, log_to

CASES = list(cases())
TOLD = ("Outcome", "Answer", "Feasibility", "Failure", "SourcesUsed", "CommitmentStatus", "TurnIndex")
"""The members of a Response that say the same whoever asks."""


@dataclass
class Served:
    """One service, and those through whom it is asked."""

    service: Service
    url: str
    http: httpx2.Client
    newest: Session
    older: Session


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("parity")
    worlds = packs_of_the_cases(folder / "ontologies")
    settings = Settings(data=folder / "data", ontologies=folder / "ontologies", worlds=worlds)
    with Service.open(settings) as service, log_to(StringIO(), settings), live(service, settings) as url:
        server = create_server(lambda: service, "1")
        with (
            httpx2.Client(base_url=url, headers=JSON, trust_env=False, timeout=60) as http,
            connected(server, "auto") as newest,
            connected(server, "legacy") as older,
        ):
            yield Served(service, url, http, newest, older)


def requests_of(asked: Asked, session: str) -> Iterator[dict[str, Any]]:
    """The Requests of its dialogue."""
    dialogue = fresh_id()
    for index, turn in enumerate(asked.turns):
        yield request_message(
            turn.kind,
            asked.m_instance,
            asked.u_environment,
            session,
            turn.members,
            dialogue=dialogue,
            turn_index=index,
            query_id=fresh_id(),
            at=asked.at,
        )


def bodies_of(asked: Asked, session: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """What is said of a session before: for whom it asks, and what it keeps to. Each with where it is put."""
    place = {"MInstance": asked.m_instance, "UEnvironment": asked.u_environment}
    if asked.user:
        yield "", session_members(asked.m_instance, asked.u_environment, asked.user)
    if asked.context:
        yield "/action-context", {**place, "SessionID": session, "ActionContext": asked.context}


def told(responses: list[Any]) -> dict[str, Any]:
    """What the last Response says."""
    return {name: responses[-1][name] for name in TOLD if name in responses[-1]}


def by_function(served: Served, asked: Asked) -> dict[str, Any]:
    service, session = served.service, asked.session or fresh_id()
    for path, body in bodies_of(asked, session):
        (service.set_action_context if path else service.set_session)(session, sent(body), LOCAL)
    return told([json.loads(service.answer(sent(each), LOCAL)) for each in requests_of(asked, session)])


def put(served: Served, asked: Asked) -> str:
    """Its session, once it is known to the server."""
    session = asked.session or fresh_id()
    for path, body in bodies_of(asked, session):
        assert served.http.put(f"/v1/sessions/{session}{path}", content=sent(body)).status_code == 200
    return session


def by_http(served: Served, asked: Asked) -> dict[str, Any]:
    requests = requests_of(asked, put(served, asked))
    return told([served.http.post("/v1/bkn-dac", content=sent(each)).json() for each in requests])


def by_command(served: Served, asked: Asked) -> dict[str, Any]:
    """`ask -` to the server that runs; what its session keeps to was put over HTTP."""
    command = ["ask", "-", "--json", "--url", served.url]
    requests = requests_of(asked, put(served, asked))
    results = [CliRunner().invoke(main, command, input=sent(each)) for each in requests]
    return told([json.loads(result.stdout) for result in results])


def by_mcp(mcp: Session, asked: Asked) -> dict[str, Any]:
    """The raw exchange."""
    session = asked.session or fresh_id()
    if asked.user or asked.context:
        who = {"m_instance": asked.m_instance, "u_environment": asked.u_environment, "user": asked.user}
        mcp.ask("set_action_context", session=session, action_context=asked.context, **who)
    return told([mcp.ask("bkn_dac", message=each) for each in requests_of(asked, session)])


def plain(turn: Turn) -> dict[str, Any] | None:
    """The arguments of a tool that say the same; None where plain words cannot."""
    members = turn.members
    terms, space = members.get("Terms", ()), members.get("Space", {})
    steps = [each["Step"] for each in members.get("ProcessActions", ())]
    if any(set(term) != {"Text"} for term in terms) or set(space) - {"SpaceID"}:
        return None
    if steps != list(range(len(steps))):
        return None
    given = {
        "question": members.get("Question"),
        "terms": [term["Text"] for term in terms],
        "entities": members.get("EntityIDs"),
        "space": space.get("SpaceID"),
        "plan": [each["Statement"] for each in members.get("ProcessActions", ())],
        "commitments": {each["CommitmentID"]: each["Statement"] for each in members.get("Commitments", ())},
        "release": members.get("ReleasedCommitmentIDs"),
    }
    return {name: value for name, value in given.items() if value}


PLAIN = [asked for asked in CASES if all(plain(turn) is not None for turn in asked.turns)]


def by_tools(mcp: Session, asked: Asked) -> dict[str, Any]:
    """The plain tools, page after page; the answer of the last turn, its pages put together."""
    place: dict[str, Any] = {"m_instance": asked.m_instance, "u_environment": asked.u_environment}
    session = asked.session or fresh_id()
    if asked.context:
        who = {"user": asked.user} if asked.user else {}
        mcp.ask("set_action_context", session=session, action_context=asked.context, **place, **who)
    elif asked.user:
        place["user"] = asked.user
    whole: dict[str, Any] = {}
    for turn in asked.turns:
        arguments = {"dialogue": fresh_id()} if not whole else {"dialogue": whole["dialogue"]}
        ask = partial(mcp.ask, turn.kind, session=session, time=asked.at.isoformat(), **arguments, **place)
        whole = page = ask(**(plain(turn) or {}))
        while page["next_offset"] is not None:
            page = ask(**(plain(turn) or {}), offset=page["next_offset"])
            entries = {name: [*whole[name], *each] for name, each in page.items() if isinstance(each, list)}
            kept = {**whole["commitments"], **page["commitments"]}
            whole = {**whole, **entries, "sources": page["sources"], "commitments": kept}
    return whole


def short(text: str) -> str:
    return text if len(text) <= 600 else f"{text[:599]}…"


def plainly(response: Mapping[str, Any]) -> dict[str, Any]:
    """A Response as the plain tools have it."""
    answer, judged = response.get("Answer", {}), response.get("Feasibility", {})
    failure = response.get("Failure")
    return {
        "outcome": response["Outcome"],
        "overall": judged.get("Overall", ""),
        "steps": [(each["Step"], each["PAStatus"], short(each["Reason"])) for each in judged.get("Steps", ())],
        "classes": [(each["Class"], each.get("Confidence")) for each in answer.get("ObjectClasses", ())],
        "affordances": [
            (each["Action"], each.get("EntityID", ""), each.get("Class", ""))
            for each in answer.get("Affordances", ())
        ],
        "constraints": list(map(short, answer.get("Constraints", ()))),
        "behavioural_expectations": list(map(short, answer.get("BehaviouralExpectations", ()))),
        "relations": [(each["Subject"], each["Predicate"], each["Object"]) for each in answer.get("Relations", ())],
        "commitments": {each["CommitmentID"]: each["Status"] for each in response.get("CommitmentStatus", ())},
        "sources": list(response.get("SourcesUsed", ())),
        "failure": short(f"{failure['Service']}: {failure.get('Request', '')}") if failure else "",
        "text": short(answer["Text"]) if answer.get("Text") else None,
    }


def as_told(found: Mapping[str, Any]) -> dict[str, Any]:
    """An answer of the plain tools, in the same form."""
    lists = {
        "steps": ("step", "pa_status", "reason"),
        "classes": ("class_iri", "confidence"),
        "affordances": ("action", "entity", "class_iri"),
        "relations": ("subject", "predicate", "object"),
    }
    entries = {name: [tuple(each[part] for part in parts) for each in found[name]] for name, parts in lists.items()}
    return {**{name: found[name] for name in plainly({"Outcome": ""})}, **entries}


@pytest.fixture(scope="module")
def over_http(served: Served) -> Iterator[Session]:
    with connected(streamable_http_client(f"{served.url}/mcp"), "legacy") as session:
        yield session


@pytest.fixture(scope="module")
def over_stdio(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """The command in a process of its own, which passes on to the server."""
    variables = environment(tmp_path_factory.mktemp("own"))
    arguments = ["-m", "app", "mcp", "--url", served.url]
    command = StdioServerParameters(
        command=sys.executable, args=arguments, env=variables, cwd=Path(__file__).parents[1]
    )
    with connected(command, "auto") as session:
        yield session


@pytest.mark.parametrize("asked", CASES, ids=[asked.id for asked in CASES])
def test_the_same_answer_whoever_asks(served: Served, over_http: Session, over_stdio: Session, asked: Asked) -> None:
    """What the case expects, from the function; and from HTTP, command and MCP what the function says."""
    expected = by_function(served, asked)
    assert asked.wrong(expected) == []
    assert by_http(served, asked) == expected
    assert by_command(served, asked) == expected
    for mcp in (served.newest, over_http, over_stdio):
        assert by_mcp(mcp, asked) == expected
    if asked in PLAIN:
        found, said = as_told(by_tools(served.older, asked)), plainly(expected)
        assert found.pop("text"), "no answer is silent"
        said.pop("text")
        assert found == said


def test_no_golden_case_is_passed_over() -> None:
    """Of each group all, each once; most in plain words, and of every Kind and group some."""
    counted = Counter(asked.group for asked in CASES)
    least = {"packs": 108, "actions": 102, "statuses": 28, "kinds": 417, "sessions": 21, "commitments": 161}
    assert {group: n for group, n in least.items() if counted[group] < n} == {}
    assert set(counted) == set(least)
    assert len({asked.id for asked in CASES}) == len(CASES)
    assert len(PLAIN) >= 770
    assert {asked.kind for asked in PLAIN} == set(KINDS)
    assert {asked.group for asked in PLAIN} == set(least)
