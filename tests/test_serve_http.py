"""Domain Access over HTTP: every path, every error that HTTP can give, and the process that serves."""

from __future__ import annotations

import io
import json
import logging
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
import sqlalchemy
import structlog
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from app.dialogue import DialogueKey, Dialogues
from app.errors import Code
from app.exchange import faults_of
from app.exchange.reader import MAX_BYTES
from app.model import LOCAL, PAStatus
from app.serve_http import create_app
from app.serve_http.logs import configure_logs
from app.serve_http.problems import PROBLEM_SCHEMA
from app.service import Service
from app.settings import Settings
from tests.processes import environment, serving

EXAMPLES = Path(__file__).parents[1] / "schemas" / "examples" / "bkn-dac"
JSON = {"Content-Type": "application/json"}
SECRETS = {"asker": "token-of-the-asker-1", "reader": "token-of-the-reader-2", "elsewhere": "token-of-elsewhere-3"}
TOKENS = """
[[token]]
name = "asker"
sha256 = "{asker}"
scopes = ["ask"]
m_instances = ["MI1"]

[[token]]
name = "reader"
sha256 = "{reader}"
scopes = ["read"]

[[token]]
name = "elsewhere"
sha256 = "{elsewhere}"
scopes = ["ask"]
m_instances = ["MI9"]
"""


@dataclass
class Rig:
    """A service in a data folder of its own, served to a caller on the loopback interface."""

    settings: Settings
    service: Service
    client: TestClient

    def ask(self, message: Any, **headers: str) -> Any:
        content = message if isinstance(message, bytes) else json.dumps(message).encode()
        return self.client.post("/v1/bkn-dac", content=content, headers=JSON | headers)


def client_of(service: Service | None, settings: Settings, host: str = "127.0.0.1") -> TestClient:
    return TestClient(create_app(service, settings), base_url="http://127.0.0.1:8000", client=(host, 50_000))


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    settings = Settings(data=tmp_path_factory.mktemp("data"))
    with Service.open(settings) as service:
        yield Rig(settings, service, client_of(service, settings))


def with_tokens(rig: Rig) -> TestClient:
    """A client far away of the same service, but with tokens."""
    file = rig.settings.data / "tokens.toml"
    file.write_text(TOKENS.format(**{name: sha256(token.encode()).hexdigest() for name, token in SECRETS.items()}))
    return client_of(rig.service, rig.settings.model_copy(update={"tokens": file}), "203.0.113.7")


@pytest.fixture(scope="module")
def guarded(rig: Rig) -> TestClient:
    return with_tokens(rig)


def request(*statements: str, **members: Any) -> dict[str, Any]:
    """A Request of Kind feasibility in a dialogue of its own."""
    found: dict[str, Any] = json.loads((EXAMPLES / "valid" / "feasibility_request.json").read_bytes())
    fresh = {"QueryID": str(uuid4()), "DialogID": str(uuid4()), "TurnIndex": 0, "SessionID": str(uuid4())}
    if statements:
        found["ProcessActions"] = [{"Step": n, "Statement": said} for n, said in enumerate(statements)]
    return {**found, **fresh, **members}


def bearer(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {SECRETS[name]}"}


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
    assert len(operations) == 7
    for operation in operations:
        assert operation["summary"]
        content = operation["responses"]["default"]["content"]
        assert content == {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}


# Errors: each Code that has an HTTP status is provoked, or it is said why HTTP cannot give it

NOT_OVER_HTTP = {
    Code.WRONG_CORRELATION: "no path compares a Response with its Request yet",
    Code.MISSING_METADATA: "a Request without DataXMData is served; only strict conformance counts it",
}


def unknown_session(rig: Rig, **members: str) -> Any:
    body = {"MInstance": "MI1", "UEnvironment": "UE1", "User": "Friend2"} | members
    return rig.client.put("/v1/sessions/s", json=body)


def after(rig: Rig, first: dict[str, Any], second: dict[str, Any]) -> Any:
    assert rig.ask(first).status_code == 200
    return rig.ask(second)


def ended(rig: Rig) -> Any:
    asked = request()
    assert rig.ask(asked).status_code == 200
    key = DialogueKey(*(asked[name] for name in ("MInstance", "UEnvironment", "SessionID", "DialogID")))
    with Dialogues.open(rig.settings.database_url) as dialogues:
        assert dialogues.end(key, datetime.now(UTC))
    return rig.ask({**asked, "QueryID": "next", "TurnIndex": 1})


def damaged(rig: Rig) -> Any:
    settings = rig.settings.model_copy(update={"data": rig.settings.data / str(uuid4())})
    with Service.open(settings) as service:
        engine = sqlalchemy.create_engine(settings.database_url)
        with engine.begin() as connection:
            connection.execute(sqlalchemy.text("DROP TABLE turn"))
        engine.dispose()
        return client_of(service, settings).post("/v1/bkn-dac", json=request())


def crashed(rig: Rig) -> Any:
    client_app = create_app(None, rig.settings)
    client_app.state.service = object()  # what can answer nothing makes the endpoint raise
    client = TestClient(client_app, base_url="http://127.0.0.1", client=("127.0.0.1", 1))
    return client.post("/v1/bkn-dac", json=request())


def repeated(rig: Rig) -> Any:
    asked = request()
    return after(rig, asked, {**asked, "Question": "another"})


def old_turn(rig: Rig) -> Any:
    asked = request(TurnIndex=3)
    return after(rig, asked, {**asked, "QueryID": "another", "TurnIndex": 3})


def a_commitment(**members: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((EXAMPLES / "valid" / "commitment_request.json").read_bytes())
    return {**found, **members}


def relative_and_absolute() -> dict[str, Any]:
    name = "time_conflict.relative_by_time_type.json"
    found: dict[str, Any] = json.loads((EXAMPLES / "invalid" / name).read_bytes())
    return found


PROVOKED: dict[Code, Callable[[Rig], Any]] = {
    Code.NOT_JSON: lambda rig: rig.ask(b'{"Header": '),
    Code.DUPLICATE_MEMBER: lambda rig: rig.ask(b'{"Mode": "RQ", "Mode": "RQ"}'),
    Code.TOO_LARGE: lambda rig: rig.ask(b" " * (MAX_BYTES + 1)),
    Code.UNSUPPORTED_MEDIA_TYPE: lambda rig: rig.client.post("/v1/bkn-dac", content=b"{}"),
    Code.METHOD_NOT_ALLOWED: lambda rig: rig.client.get("/v1/bkn-dac"),
    Code.MISSING_MEMBER: lambda rig: (
        unknown_session(rig, User="Friend2") and rig.client.put("/v1/sessions/s", json={})
    ),
    Code.UNKNOWN_MEMBER: lambda rig: rig.ask(request(Kindd="feasibility")),
    Code.WRONG_TYPE: lambda rig: rig.ask(request(TurnIndex="1")),
    Code.WRONG_VALUE: lambda rig: rig.ask(request(Kind="feasability")),
    Code.WRONG_FORMAT: lambda rig: rig.ask(request(Kind="semantic_grounding", Terms=[{"Text": "x", "Class": "x"}])),
    Code.OUT_OF_RANGE: lambda rig: rig.ask(request(TurnIndex=-1)),
    Code.WRONG_MODE: lambda rig: rig.ask(request(Outcome="answered")),
    Code.TIME_CONFLICT: lambda rig: rig.ask(relative_and_absolute()),
    Code.REPEATED_STEP: lambda rig: rig.ask(request(ProcessActions=[{"Step": 0, "Statement": "x"}] * 2)),
    Code.MISSING_PROCESS_ACTIONS: lambda rig: rig.ask(a_commitment(Kind="feasibility")),
    Code.UNKNOWN_M_INSTANCE: lambda rig: rig.ask(request(MInstance="MI2")),
    Code.UNKNOWN_U_ENVIRONMENT: lambda rig: rig.ask(request(UEnvironment="UE2")),
    Code.UNKNOWN_ANSWER: lambda rig: rig.client.get(f"/v1/answers/{uuid4()}/explanation"),
    Code.UNKNOWN_USER: lambda rig: unknown_session(rig, User="Nobody"),
    Code.NOT_FOUND: lambda rig: rig.client.get("/v1/bkn-dax"),
    Code.QUERY_ID_REUSED: repeated,
    Code.TURN_NOT_NEW: old_turn,
    Code.DIALOGUE_CLOSED: ended,
    Code.BUSY: lambda rig: client_of(None, rig.settings).post("/v1/bkn-dac", json=request()),
    Code.UNAUTHENTICATED: lambda rig: with_tokens(rig).post("/v1/bkn-dac", json=request()),
    Code.FORBIDDEN: lambda rig: client_of(rig.service, rig.settings, "203.0.113.7").get("/v1/answers/x/explanation"),
    Code.STORE_UNUSABLE: damaged,
    Code.INTERNAL: crashed,
}


def test_every_error_of_http_is_provoked_or_excused() -> None:
    assert {code for code in Code if code.http_status} == set(PROVOKED) | set(NOT_OVER_HTTP)
    assert not set(PROVOKED) & set(NOT_OVER_HTTP)


@pytest.mark.parametrize("code", PROVOKED, ids=lambda code: code.code)
def test_every_error_has_the_one_shape(rig: Rig, code: Code) -> None:
    response = PROVOKED[code](rig)
    assert response.status_code == code.http_status
    assert response.headers["content-type"] == "application/problem+json"
    told = response.json()
    Draft202012Validator(PROBLEM_SCHEMA).validate(told)
    assert told["status"] == code.http_status
    assert told["type"] == f"urn:domain-access:error:{code.code}"
    assert code.code in {fault["code"] for fault in told["errors"]}


@pytest.mark.parametrize("path", sorted((EXAMPLES / "invalid").glob("*.json")), ids=lambda path: path.stem)
def test_a_message_that_does_not_conform_is_refused_with_its_fault(rig: Rig, path: Path) -> None:
    response = rig.ask(path.read_bytes())
    assert response.status_code == 422
    assert path.name.split(".")[0] in {fault["code"] for fault in response.json()["errors"]}


def test_the_invalid_examples_are_found() -> None:
    assert len(list((EXAMPLES / "invalid").glob("*.json"))) >= 10


def test_all_faults_are_told_at_once(rig: Rig) -> None:
    told = rig.ask(request(TurnIndex=-1, Kindd="x", Outcome="answered", QueryID=7)).json()
    assert {fault["pointer"] for fault in told["errors"]} == {"/TurnIndex", "/Kindd", "/Outcome", "/QueryID"}


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "application/json; charset=latin-1", ""],
)
def test_only_json_is_read(rig: Rig, content_type: str) -> None:
    assert rig.ask(request(), **{"Content-Type": content_type}).status_code == 415


@pytest.mark.parametrize(
    "content_type", ["application/json", "Application/JSON", 'application/json; charset="UTF-8"', "application/json;"]
)
def test_json_is_json_however_it_is_written(rig: Rig, content_type: str) -> None:
    assert rig.ask(request(), **{"Content-Type": content_type}).status_code == 200


def test_a_compressed_body_is_refused(rig: Rig) -> None:
    assert rig.ask(request(), **{"Content-Encoding": "gzip"}).status_code == 415


def test_a_message_of_just_the_limit_is_read(rig: Rig) -> None:
    asked = json.dumps(request()).encode()
    assert rig.ask(asked + b" " * (MAX_BYTES - len(asked))).status_code == 200


def test_a_stream_without_a_length_is_cut_at_the_limit(rig: Rig) -> None:
    taken = 0

    def chunks() -> Iterator[bytes]:
        nonlocal taken
        for _ in range(64):
            taken += 1
            yield b" " * (MAX_BYTES // 8)

    response = rig.client.post("/v1/bkn-dac", content=chunks(), headers=JSON)
    assert response.status_code == 413
    assert response.headers["connection"] == "close"


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", "[", ""],
)
def test_a_foreign_host_is_misdirected_while_there_are_no_tokens(rig: Rig, host: str) -> None:
    response = rig.ask(request(), Host=host)
    assert response.status_code == response.json()["status"] == 421
    assert response.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:9999", "[::1]:8000", "LOCALHOST"])
def test_a_host_of_this_machine_is_served(rig: Rig, host: str) -> None:
    assert rig.client.get("/ready", headers={"Host": host}).status_code == 200


def test_with_tokens_any_host_is_served(guarded: TestClient) -> None:
    assert guarded.post("/v1/bkn-dac", json=request(), headers=bearer("asker") | {"Host": "dac.example"}).is_success


def test_without_tokens_only_loopback_is_served(rig: Rig) -> None:
    client = client_of(rig.service, rig.settings, "203.0.113.7")
    assert client.post("/v1/bkn-dac", json=request()).status_code == 403


def test_a_401_says_how_to_authenticate(guarded: TestClient) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}):
        response = guarded.post("/v1/bkn-dac", json=request(), headers=headers)
        assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer")


def test_a_token_allows_its_scopes_and_m_instances_only(guarded: TestClient) -> None:
    def ask(name: str) -> Any:
        return guarded.post("/v1/bkn-dac", json=request(), headers=bearer(name))

    answered = ask("asker")
    assert answered.status_code == 200
    assert ask("reader").status_code == 403
    hidden = ask("elsewhere")
    assert hidden.status_code == 404
    assert "visible: `MI1`" not in hidden.text
    path = f"/v1/answers/{answered.json()['QueryID']}/explanation"
    assert guarded.get(path, headers=bearer("asker")).status_code == 200
    assert guarded.get(path, headers=bearer("elsewhere")).status_code == 404


def test_busy_says_when_to_try_again(rig: Rig) -> None:
    assert PROVOKED[Code.BUSY](rig).headers["retry-after"] == "1"


# Logs


@pytest.fixture(autouse=True)
def logged(rig: Rig) -> Iterator[io.StringIO]:
    """The log of this process while the test runs."""
    before, stream = (logging.root.handlers[:], logging.root.level), io.StringIO()
    configure_logs(rig.settings, stream)
    yield stream
    structlog.reset_defaults()
    logging.root.handlers[:], logging.root.level = before


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_each_request_is_one_line_without_body_or_token(rig: Rig, logged: io.StringIO) -> None:
    asked = request("Friend2 MM-Moves Persona2ID From MLocFriend2 To RoomID With SA6", QueryID="q-77")
    rig.ask(asked, Authorization="Bearer token-that-nobody-logs")
    (line,) = lines(logged)
    expected = {"event": "request", "method": "POST", "path": "/v1/bkn-dac", "status": 200, "query_id": "q-77"}
    assert expected.items() <= line.items()
    assert line["principal"] == "local"
    assert line["ms"] > 0
    assert "Persona2ID" not in logged.getvalue()
    assert "token-that-nobody-logs" not in logged.getvalue()


def test_a_refused_request_is_one_line_too(rig: Rig, logged: io.StringIO) -> None:
    rig.client.get("/v1/none")
    rig.ask(request(), Host="evil.example")
    assert [(line["method"], line["status"]) for line in lines(logged)] == [("GET", 404), ("POST", 421)]


def test_nobody_writes_lines_of_their_own_into_the_log(rig: Rig, logged: io.StringIO) -> None:
    rig.client.get("/v1/x%0a%1b[31mforged")
    (line,) = lines(logged)
    assert line["path"] == "/v1/x%0a%1b[31mforged"


@pytest.mark.parametrize("code", [Code.INTERNAL, Code.STORE_UNUSABLE], ids=lambda code: code.code)
def test_a_fault_of_the_service_is_logged_and_not_told(rig: Rig, logged: io.StringIO, code: Code) -> None:
    response = PROVOKED[code](rig)
    assert response.status_code == 500
    for inside in ("object", "Traceback", "turn", "sqlite", str(rig.settings.data)):
        assert inside not in response.json()["errors"][0]["message"]
        assert inside not in response.json()["detail"]
    failed, line = lines(logged)
    assert failed["exception"][0]["exc_type"]
    assert failed["level"] == line["level"] == "error"
    assert "locals" not in failed["exception"][0]["frames"][0]
    assert "Persona2ID" not in logged.getvalue()


def test_a_terminal_gets_readable_lines(rig: Rig) -> None:
    stream = io.StringIO()
    configure_logs(rig.settings.model_copy(update={"log_format": "console"}), stream)
    rig.client.get("/health")
    PROVOKED[Code.INTERNAL](rig)
    assert "path=/health" in stream.getvalue()
    assert "AttributeError" in stream.getvalue()
    assert "Persona2ID" not in stream.getvalue()


def test_the_log_level_holds(rig: Rig) -> None:
    stream = io.StringIO()
    configure_logs(rig.settings.model_copy(update={"log_level": "error"}), stream)
    rig.client.get("/health")
    assert stream.getvalue() == ""
    PROVOKED[Code.INTERNAL](rig)
    assert len(lines(stream)) == 2


# The process


def connect(address: str) -> HTTPConnection:
    host, _, port = address.removeprefix("http://").rpartition(":")
    return HTTPConnection(host, int(port), timeout=20)


def post(address: str, body: bytes) -> tuple[int, bytes]:
    connection = connect(address)
    connection.request("POST", "/v1/bkn-dac", body, JSON)
    response = connection.getresponse()
    try:
        return response.status, response.read()
    finally:
        connection.close()


def test_what_was_answered_outlives_the_process(tmp_path: Path) -> None:
    asked = json.dumps(request()).encode()
    with serving(tmp_path) as (process, address, _):
        status, first = post(address, asked)
        process.kill()
        process.wait()
    assert status == 200
    with serving(tmp_path) as (_, address, _):
        assert post(address, asked) == (200, first)


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT], ids=lambda sent: sent.name)
def test_a_request_under_way_is_answered_before_the_end(tmp_path: Path, sent: signal.Signals) -> None:
    asked = json.dumps(request()).encode()
    with serving(tmp_path) as (process, address, _):
        host, _, port = address.removeprefix("http://").rpartition(":")
        with socket.create_connection((host, int(port)), timeout=20) as raw:
            head = f"POST /v1/bkn-dac HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
            raw.sendall(f"{head}Content-Length: {len(asked)}\r\nConnection: close\r\n\r\n".encode() + asked[:100])
            time.sleep(0.3)  # the server has the first part; the rest comes when it is told to stop
            process.send_signal(sent)
            time.sleep(0.3)
            raw.sendall(asked[100:])
            answered = b"".join(iter(lambda: raw.recv(65536), b""))
        assert answered.startswith(b"HTTP/1.1 200 ")
        assert process.wait(timeout=20) == 0
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((host, int(port)), timeout=5)


def test_a_large_stream_is_refused_while_it_comes(tmp_path: Path) -> None:
    with serving(tmp_path) as (_, address, _):
        connection = connect(address)
        connection.putrequest("POST", "/v1/bkn-dac")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Transfer-Encoding", "chunked")
        connection.endheaders()
        chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        for _ in range(17):
            connection.send(chunk)
        response = connection.getresponse()  # before the end of the body was sent
        assert response.status == 413
        assert json.loads(response.read())["errors"][0]["code"] == "too_large"
        connection.close()
        assert post(address, json.dumps(request()).encode())[0] == 200


def test_logs_of_a_process_are_json_lines_on_stderr(tmp_path: Path) -> None:
    with serving(tmp_path) as (process, address, printed):
        assert len(printed) == 1
        post(address, json.dumps(request(QueryID="q-78")).encode())
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=20)
    assert out == ""
    assert [json.loads(line)["query_id"] for line in err.splitlines()] == ["q-78"]


def refused(data: Path, *arguments: str, **settings: object) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "app", "serve", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(data, **settings),
        cwd=Path(__file__).parents[1],
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


def test_a_port_in_use_is_said_and_ends_with_3(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, said = refused(tmp_path, "--port", str(port))
    assert code == 3
    assert f"port {port} of `127.0.0.1` cannot be had: address already in use" in said


def test_a_host_beyond_loopback_without_tokens_ends_with_2(tmp_path: Path) -> None:
    code, said = refused(tmp_path, "--host", "0.0.0.0", "--port", "0")
    assert code == 2
    assert "only loopback is served" in said


def test_data_that_cannot_be_loaded_ends_with_3(tmp_path: Path) -> None:
    code, said = refused(tmp_path / "data", "--port", "0", worlds="friends_met", log_level="error")
    assert code == 3
    assert "friends_met" in said
