"""The process that serves: what it keeps, how it stops, why it does not start."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.processes import environment, serving
from tests.rig import JSON, request


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
            head += f"Content-Length: {len(asked)}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
            raw.sendall(head.encode())
            assert raw.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"  # now it is under way
            raw.sendall(asked[:100])
            process.send_signal(sent)
            wait_until_closed(host, int(port))
            raw.sendall(asked[100:])
            answered = b"".join(iter(lambda: raw.recv(65536), b""))
        assert answered.startswith(b"HTTP/1.1 200 ")
        assert process.wait(timeout=20) == 0


def wait_until_closed(host: str, port: int) -> None:
    """Until the server takes no new connections."""
    for _ in range(200):
        try:
            socket.create_connection((host, port), timeout=5).close()
        except ConnectionRefusedError:
            return
        time.sleep(0.05)
    pytest.fail("the server goes on")


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
