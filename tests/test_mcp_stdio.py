"""MCP over stdin and stdout, as a host that starts the command has it: in order, and to the end (DESIGN 7)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import types

from tests.processes import environment, serving

ROOT = Path(__file__).parents[1]
MOVE = "Friend2 MM-Moves Persona2ID From MLocFriend2 To MVS With SA6"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "host", "version": "1"},
}
CLIENT = {"capabilities": {}, "clientInfo": {"name": "host", "version": "1"}}

Message = Mapping[str, Any]


def request(number: int | str, method: str, **params: Any) -> Message:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(number: int | str, tool: str, /, _meta: Message | None = None, **arguments: Any) -> Message:
    meta = {"_meta": _meta} if _meta else {}
    return request(number, "tools/call", name=tool, arguments=arguments, **meta)


def shake(revision: str) -> list[Message]:
    """The handshake of an older revision, without waiting for its answer."""
    first = request(0, "initialize", protocolVersion=revision, **CLIENT)
    return [first, {"jsonrpc": "2.0", "method": "notifications/initialized"}]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("served")) as (_, url, _):
        yield url


@pytest.fixture(params=["here", "passed on"])
def variables(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """The environment of a host's command: the data is opened by it, or a server runs."""
    port = "1"
    if request.param == "passed on":
        port = request.getfixturevalue("served").rsplit(":", 1)[1]
    return environment(tmp_path / "own", port=port)


@contextmanager
def started(variables: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(variables),
        cwd=ROOT,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def answers(variables: Mapping[str, str], *lines: Message | bytes) -> dict[Any, Any]:
    """All the answers to lines that are sent at once, the end of the pipe after them: each by the id it is to."""
    sent = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    with started(variables) as process:
        out, said = process.communicate(b"\n".join(sent), timeout=120)
        assert process.returncode == 0, said.decode()
    assert b"Traceback" not in said, said.decode()
    told = [json.loads(line) for line in out.splitlines()]
    found = {each["id"]: each for each in told if each["id"] is not None}
    assert len(found) == sum(each["id"] is not None for each in told)  # each is answered once
    nobody = [each["error"]["code"] for each in told if each["id"] is None]
    return {**found, **({None: nobody} if nobody else {})}


def overall(answer: Message) -> str:
    return str(answer["result"]["structuredContent"]["overall"])


def test_a_host_that_does_not_wait_is_answered(variables: dict[str, str]) -> None:
    """Requests before the answer to `initialize`, and the end of the pipe before any: all in one session."""
    calls = [call(number, "feasibility", plan=[MOVE]) for number in (1, "2")]
    found = answers(variables, *shake("2024-11-05"), *calls)
    assert next(iter(found)) == 0
    assert found[0]["result"]["protocolVersion"] == "2024-11-05"
    assert [overall(found[number]) for number in (1, "2")] == ["feasible"] * 2
    assert len({found[number]["result"]["structuredContent"]["dialogue"] for number in (1, "2")}) == 1


def test_the_newest_revision_needs_no_handshake(variables: dict[str, str]) -> None:
    uri = "domain-access://worlds/MI1/entities/Persona2ID"
    found = answers(
        variables,
        call(1, "feasibility", META, plan=[MOVE]),
        request(2, "resources/read", uri=uri, _meta=META),
        request(3, "tools/list", _meta=META),
        call(4, "faesibility", META, plan=[MOVE]),
    )
    assert overall(found[1]) == "feasible"
    assert found[2]["result"]["contents"][0]["uri"] == uri
    assert len(found[3]["result"]["tools"]) == 9
    assert found[4]["error"]["code"] == types.INVALID_PARAMS


def test_what_is_no_message_is_answered_as_json_rpc_says(variables: dict[str, str]) -> None:
    """A line that is no JSON, no object or no request has its error; an empty one none; the others their answers."""
    found = answers(
        variables,
        b"nonsense",
        *shake("2025-06-18"),
        b"",
        b"[]",
        b'{"jsonrpc": "2.0", "id": 7, "metod": "ping"}',
        b'"\xff\xfe"',
        b"{" * 5_000,
        request(8, "nothing/known"),
        request(9, "tools/call", arguments={}),
        call(10, "feasibility", plan=[MOVE]),
        {"jsonrpc": "2.0", "method": "notifications/of-nobody"},
    )
    assert found[None] == [types.PARSE_ERROR, types.INVALID_REQUEST, types.INVALID_REQUEST, types.PARSE_ERROR]
    codes = {number: found[number]["error"]["code"] for number in (7, 8, 9)}
    assert codes == {7: types.INVALID_REQUEST, 8: types.METHOD_NOT_FOUND, 9: types.INVALID_PARAMS}
    assert overall(found[10]) == "feasible"


def test_a_request_that_is_cancelled_keeps_nobody(variables: dict[str, str]) -> None:
    """It may still have its answer; the others have theirs, and the command ends."""
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    calls = [call(1, "feasibility", plan=[MOVE] * 100), cancel, call(2, "feasibility", plan=[MOVE])]
    found = answers(variables, *shake("2025-11-25"), *calls)
    assert overall(found[2]) == "feasible"
    assert set(found) <= {0, 1, 2}


def test_an_id_that_is_used_twice_keeps_nobody(variables: dict[str, str]) -> None:
    """The protocol forbids it: one is answered at least, and the command ends."""
    with started(variables) as process:
        twice = [*shake("2025-06-18"), *[call(1, "feasibility", plan=[MOVE])] * 2]
        out, said = process.communicate(b"\n".join(json.dumps(each).encode() for each in twice), timeout=120)
    assert b"Traceback" not in said
    assert 1 in [json.loads(line)["id"] for line in out.splitlines()]


def test_a_host_that_leaves_ends_the_command(variables: dict[str, str]) -> None:
    """Nobody reads the answers: no command is left behind."""
    with started(variables) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(b"\n".join(json.dumps(each).encode() for each in shake("2025-06-18")) + b"\n")
        process.stdin.close()
        process.wait(timeout=120)
        assert b"Traceback" not in process.stderr.read()


def test_a_server_that_ends_is_told_to_the_host(tmp_path: Path) -> None:
    """Each request has its error while nobody answers, and its answer when a server is there again."""
    with serving(tmp_path / "served") as (server, url, _):
        port = url.rsplit(":", 1)[1]
        with started(environment(tmp_path / "own", port=port)) as process:

            def ask(message: Message) -> Any:
                assert process.stdin is not None
                assert process.stdout is not None
                process.stdin.write(json.dumps(message).encode() + b"\n")
                process.stdin.flush()
                return json.loads(process.stdout.readline())

            assert overall(ask(call(1, "feasibility", META, plan=[MOVE]))) == "feasible"
            server.terminate()
            server.wait(timeout=30)
            told = ask(call(2, "feasibility", META, plan=[MOVE]))
            assert told["error"]["code"] == types.INTERNAL_ERROR
            assert "cannot be asked" in told["error"]["message"]
            with serving(tmp_path / "served", "--port", port):
                assert overall(ask(call(3, "feasibility", META, plan=[MOVE]))) == "feasible"


def test_what_was_asked_is_known_to_the_server(served: str, tmp_path: Path) -> None:
    """The command passes on, and opens no data of its own."""
    own = environment(tmp_path / "own", port=served.rsplit(":", 1)[1])
    answer = answers(own, call(1, "feasibility", META, plan=[MOVE]))[1]["result"]["structuredContent"]
    found = httpx2.get(f"{served}/v1/answers/{answer['query_id']}/explanation", trust_env=False)
    assert found.status_code == 200
    assert not (tmp_path / "own").exists()
