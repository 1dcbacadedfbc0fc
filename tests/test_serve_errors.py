"""Every error that HTTP can give, and what the log tells of it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import sqlalchemy
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from app.dialogue import DialogueKey, Dialogues
from app.errors import Code
from app.exchange.reader import MAX_BYTES
from app.serve_http import create_app
from app.serve_http.problems import PROBLEM_SCHEMA
from app.service import Service
from tests.exchange_documents import REFUSED
from tests.rig import EXAMPLES, JSON, Rig, bearer, client_of, log_to, open_rig, request, with_tokens


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with open_rig(tmp_path_factory.mktemp("data")) as opened:
        yield opened


@pytest.fixture(scope="module")
def guarded(rig: Rig) -> TestClient:
    return with_tokens(rig)


# Errors: each Code that has an HTTP status is provoked, or it is said why HTTP cannot give it

NOT_OVER_HTTP = {
    Code.REQUIREMENT_NOT_MET: "it takes two loads of all packs: tests/test_serve_releases.py",
    Code.RELEASE_REFUSED: "the same",
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


def to_world(rig: Rig, content: bytes, content_type: str = "text/turtle", **headers: str) -> Any:
    return rig.client.post("/v1/worlds/MI1", content=content, headers={"Content-Type": content_type, **headers})


def update(rig: Rig, text: str, **headers: str) -> Any:
    headers = {"Content-Type": "application/sparql-update", **headers}
    return rig.client.post("/v1/worlds/MI1/update", content=text.encode(), headers=headers)


def activate(rig: Rig, version: str) -> Any:
    return rig.client.put("/v1/releases/active", json={"packs": {"friends_meet": version}})


def damaged_release(rig: Rig) -> Any:
    (rig.settings.releases_folder / "friends_meet" / "0.2.0").mkdir(parents=True, exist_ok=True)
    return activate(rig, "0.2.0")


def query(rig: Rig, text: str, **parameters: str) -> Any:
    return rig.client.get("/sparql", params={"query": text, **parameters})


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
    Code.UNKNOWN_DIALOGUE: lambda rig: rig.client.get("/v1/dialogues/MI1/UE1/s/never-there"),
    Code.UNKNOWN_USER: lambda rig: unknown_session(rig, User="Nobody"),
    Code.NOT_FOUND: lambda rig: rig.client.get("/v1/bkn-dax"),
    Code.QUERY_ID_REUSED: repeated,
    Code.TURN_NOT_NEW: old_turn,
    Code.DIALOGUE_CLOSED: ended,
    Code.BUSY: lambda rig: client_of(None, rig.settings).post("/v1/bkn-dac", json=request()),
    Code.MISDIRECTED: lambda rig: rig.ask(request(), Host="evil.example"),
    Code.UNAUTHENTICATED: lambda rig: with_tokens(rig).post("/v1/bkn-dac", json=request()),
    Code.FORBIDDEN: lambda rig: client_of(rig.service, rig.settings, "203.0.113.7").get("/v1/answers/x/explanation"),
    Code.NOT_RDF: lambda rig: to_world(rig, b"<urn:a> <urn:b> ."),
    Code.NOT_SPARQL: lambda rig: update(rig, "INSERT DATA { <urn:a> <urn:b> }"),
    Code.HALF_SENT: lambda rig: to_world(rig, b"<urn:a> <urn:b> <urn", **{"Content-Length": "1000"}),
    Code.NOT_ACCEPTABLE: lambda rig: rig.client.get("/v1/worlds/MI1", headers={"Accept": "image/png"}),
    Code.WRONG_GRAPH: lambda rig: to_world(rig, b"<urn:a> <urn:b> <urn:c> <urn:d> .", "application/n-quads"),
    Code.WORLD_REFUSED: lambda rig: update(rig, "INSERT DATA { <Nobody> a <urn:no-class> }"),
    Code.UNKNOWN_GRAPH: lambda rig: query(rig, "ASK {}", **{"default-graph-uri": "urn:domain-access:log"}),
    Code.REFUSED_OPERATION: lambda rig: query(rig, "SELECT * { SERVICE <http://127.0.0.1/> { ?s ?p ?o } }"),
    Code.VERSION_CHANGED: lambda rig: update(rig, "CLEAR DEFAULT", **{"If-Match": '"0-none"'}),
    Code.QUERY_LIMIT: lambda rig: query(rig, "SELECT * { ?a ?b ?c . ?d ?e ?f }"),
    Code.UNKNOWN_RELEASE: lambda rig: activate(rig, "0.9.0"),
    Code.RELEASE_DAMAGED: damaged_release,
    Code.NOTHING_BEFORE: lambda rig: rig.client.post("/v1/releases/rollback"),
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


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.stem)
def test_a_message_that_does_not_conform_is_refused_with_its_fault(rig: Rig, path: Path) -> None:
    response = rig.ask(path.read_bytes())
    assert response.status_code == 422
    assert path.name.split(".")[0] in {fault["code"] for fault in response.json()["errors"]}


def test_the_invalid_examples_are_found() -> None:
    assert len(REFUSED) == 18


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


@pytest.fixture
def logged(rig: Rig) -> Iterator[io.StringIO]:
    with log_to(io.StringIO(), rig.settings) as stream:
        yield stream


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
    with log_to(io.StringIO(), rig.settings.model_copy(update={"log_format": "console"})) as stream:
        rig.client.get("/health")
        PROVOKED[Code.INTERNAL](rig)
    assert "path=/health" in stream.getvalue()
    assert "AttributeError" in stream.getvalue()
    assert "Persona2ID" not in stream.getvalue()


def test_the_log_level_holds(rig: Rig) -> None:
    with log_to(io.StringIO(), rig.settings.model_copy(update={"log_level": "error"})) as stream:
        rig.client.get("/health")
        assert stream.getvalue() == ""
        PROVOKED[Code.INTERNAL](rig)
    assert len(lines(stream)) == 2
