"""Domain Access over HTTP: every path, and what describes them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from app.exchange import faults_of
from app.model import LOCAL, PAStatus
from app.serve_http import create_app
from app.service import Service
from app.settings import Settings
from tests.rig import Rig, bearer, open_rig, request, with_tokens


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with open_rig(tmp_path_factory.mktemp("data")) as opened:
        yield opened


@pytest.fixture(scope="module")
def guarded(rig: Rig) -> TestClient:
    return with_tokens(rig)


# The paths


def test_a_request_gets_its_response(rig: Rig) -> None:
    asked = request("Friend2 MM-Moves Persona2ID From MLocFriend2 To RoomID With SA6")
    response = rig.ask(asked)
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    answered = response.json()
    assert faults_of(answered).faults == ()
    assert answered["RequestID"] == asked["QueryID"]
    assert answered["Feasibility"]["Steps"][0]["PAStatus"] == PAStatus.INS_RIGHTS


def test_http_answers_as_the_service_does(rig: Rig) -> None:
    asked = request(), request()  # two dialogues: the second is no replay of the first
    served = rig.ask(asked[0]).json()
    direct = json.loads(rig.service.answer(json.dumps(asked[1]).encode(), LOCAL))
    assert served["Feasibility"] == direct["Feasibility"]
    assert served.keys() == direct.keys()


def test_the_same_request_gets_the_same_response(rig: Rig) -> None:
    asked = request()
    assert rig.ask(asked).content == rig.ask(dict(reversed(asked.items()))).content


def test_a_response_has_its_explanation(rig: Rig) -> None:
    answered = rig.ask(request("Friend2 MM-Moves Persona2ID From MLocFriend2 To RoomID With SA6")).json()
    explanation = rig.client.get(f"/v1/answers/{answered['QueryID']}/explanation")
    assert explanation.status_code == 200
    assert explanation.json()["QueryID"] == answered["QueryID"]
    assert explanation.json()["steps"][0]["pa_status"] == "InsRights"


@pytest.mark.parametrize("name", ["s-{}", "a session {}", "https://sessions.example/{}?a=b#c", "näher/{}"])
def test_the_user_of_a_session_acts_where_no_process_is_named(rig: Rig, name: str) -> None:
    statement = "MM-Moves Persona2ID From MLocFriend2 To MVS With SA6"
    session = name.format(uuid4())
    before = rig.ask(request(statement, SessionID=session)).json()
    body = {"MInstance": "MI1", "UEnvironment": "UE1", "User": "Friend2"}
    put = rig.client.put(f"/v1/sessions/{quote(session, safe='')}", json=body)
    assert put.status_code == 200
    assert put.json() == {"SessionID": session, **body}
    after = rig.ask(request(statement, SessionID=session)).json()
    assert before["Feasibility"]["Steps"][0]["PAStatus"] == "IncID"
    assert after["Feasibility"]["Steps"][0]["PAStatus"] == "Ack"


def test_the_schemas_are_listed_and_served(rig: Rig) -> None:
    listed = rig.client.get("/schemas").json()["schemas"]
    on_disk = sorted(rig.settings.schemas.glob("*.json"))
    assert listed == [f"/schemas/{path.name}" for path in on_disk]
    for path in on_disk:
        response = rig.client.get(f"/schemas/{path.name}")
        assert response.content == path.read_bytes()
        assert response.headers["content-type"] == "application/schema+json"


@pytest.mark.parametrize("name", ["..%2Fpyproject", "..%2F..%2Fetc%2Fpasswd", "examples%2Fbkn-dac", "%00", "."])
def test_nothing_but_schemas_is_read(rig: Rig, name: str) -> None:
    assert rig.client.get(f"/schemas/{name}.json").status_code == 404


def test_alive_is_not_ready(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    app = create_app(None, settings)
    client = TestClient(app, base_url="http://127.0.0.1", client=("127.0.0.1", 1))
    assert client.get("/health").status_code == 200
    assert client.get("/ready").status_code == 503
    with Service.open(settings) as service:
        app.state.service = service
        ready = client.get("/ready")
        assert ready.status_code == 200
        assert ready.json()["service"] == "domain-access"
        assert list(ready.json()["m_instances"]) == list(service.status())


def test_ready_tells_worlds_only_to_those_who_see_them(guarded: TestClient) -> None:
    assert set(guarded.get("/ready").json()) == {"service", "version"}
    assert list(guarded.get("/ready", headers=bearer("asker")).json()["m_instances"]) == ["MI1"]
    assert guarded.get("/ready", headers=bearer("elsewhere")).json()["m_instances"] == {}


@pytest.mark.parametrize("path", ["/health", "/ready", "/schemas", "/schemas/BKNDAC.json", "/docs", "/openapi.json"])
def test_head_is_get_without_a_body(rig: Rig, path: str) -> None:
    got, head = rig.client.get(path), rig.client.head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"] == got.headers["content-type"]
    assert head.headers["content-length"] == str(len(got.content))


@pytest.mark.parametrize(
    "path, allowed",
    [
        ("/v1/bkn-dac", "OPTIONS, POST"),
        ("/v1/conformance/bkn-prc", "OPTIONS, POST"),
        ("/v1/sessions/s", "OPTIONS, PUT"),
        ("/v1/answers/a/explanation", "GET, HEAD, OPTIONS"),
        ("/health", "GET, HEAD, OPTIONS"),
    ],
)
def test_a_path_says_what_it_allows(rig: Rig, path: str, allowed: str) -> None:
    options = rig.client.options(path)
    assert (options.status_code, options.headers["allow"], options.content) == (204, allowed, b"")
    refused = rig.client.delete(path)
    assert (refused.status_code, refused.headers["allow"]) == (405, allowed)


def test_no_foreign_page_is_let_in(rig: Rig) -> None:
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    answered = rig.client.options("/v1/bkn-dac", headers=headers)
    assert not [name for name in answered.headers if name.startswith("access-control")]


# OpenAPI


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for each in value.values():
            yield from references(each)
    elif isinstance(value, list):
        for each in value:
            yield from references(each)


def test_the_description_is_complete_in_itself(rig: Rig) -> None:
    described = rig.client.get("/openapi.json").json()
    found = set(references(described))
    assert len(found) > 5
    for reference in found:
        place = described
        for name in reference.removeprefix("#/").split("/"):
            place = place[name]
    for schema in described["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_the_examples_of_the_description_conform(rig: Rig) -> None:
    described = rig.client.get("/openapi.json").json()
    post = described["paths"]["/v1/bkn-dac"]["post"]
    bodies = post["requestBody"]["content"], post["responses"]["200"]["content"]
    modes = []
    for body in bodies:
        example = body["application/json"]["examples"]["feasibility"]["value"]
        assert faults_of(example).faults == ()
        schema = {**described, "$ref": "#/components/schemas/BKNDAC"}
        assert list(Draft202012Validator(schema).iter_errors(example)) == []
        assert list(Draft202012Validator(schema).iter_errors({**example, "TurnIndex": "x"}))
        modes.append(example["Mode"])
    assert modes == ["RQ", "RS"]


def test_every_operation_describes_its_errors(rig: Rig) -> None:
    described = rig.client.get("/openapi.json").json()
    operations = [each for path in described["paths"].values() for each in path.values()]
    assert len(operations) == 24
    for operation in operations:
        assert operation["summary"]
        content = operation["responses"]["default"]["content"]
        assert content == {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
