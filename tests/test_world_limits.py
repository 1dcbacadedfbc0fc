"""What is too much, too slow or half there: a clear error, bounded memory, and the world as before (DESIGN 4)."""

from __future__ import annotations

import json
import socket
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from random import Random
from urllib.parse import urlencode

import pytest

from app.errors import Code
from app.vocab import MMM
from tests.processes import serving

SECONDS, ROWS, MIB, WORLD_MIB = 2, 1_000, 256, 60
MEMORY_KIB = 600 * 1024
"""What the server may need at its highest, Python, packs and a world included; a document of 60 MiB is read."""

MI1 = "/v1/worlds/MI1"


@dataclass
class Served:
    """A process that serves, with small limits."""

    pid: int
    address: str
    data: Path

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, bytes]:
        host, _, port = self.address.removeprefix("http://").rpartition(":")
        connection = HTTPConnection(host, int(port), timeout=60)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            with suppress(BrokenPipeError, ConnectionResetError):  # it answers before all has come
                connection.request(method, path, body, named)  # type: ignore[arg-type]
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def query(self, text: str) -> tuple[int, bytes]:
        return self.ask("GET", "/sparql?" + urlencode({"query": text}), Accept="text/csv")

    def put(self, body: object, media_type: str = "application/n-triples") -> tuple[int, dict[str, object]]:
        status, said = self.ask("PUT", MI1, body, Content_Type=media_type)
        return status, json.loads(said)["errors"][0] if said else {}

    def world(self) -> tuple[object, ...]:
        """What must not change."""
        found = json.loads(self.ask("GET", "/v1/worlds")[1])["worlds"]
        return tuple((each["m_instance"], each["version"]) for each in found)

    def highest_kib(self) -> int:
        """The most memory that the process ever had."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

    def left(self) -> list[Path]:
        return [p for name in ("incoming", "queries") for p in (self.data / name).glob("*")]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data = tmp_path_factory.mktemp("data")
    limits = {"query_seconds": SECONDS, "query_rows": ROWS, "query_mib": MIB, "world_mib": WORLD_MIB}
    with serving(data, **limits) as (process, address, _):
        yield Served(process.pid, address, data)


@pytest.fixture(autouse=True)
def as_before(served: Served) -> Iterator[None]:
    """Whatever was tried: the world is as before, it answers, and nothing is left over."""
    before = served.world()
    yield
    assert served.world() == before
    assert served.query(f"ASK {{ ?user a <{MMM}User> }}") == (200, b"true")
    until = time.monotonic() + 5
    while served.left() and time.monotonic() < until:
        time.sleep(0.05)
    assert served.left() == []


MUCH = "?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l"
NONE = "FILTER(CONTAINS(CONCAT(STR(?a), STR(?d), STR(?g), STR(?j)), 'nowhere to be found'))"
TENFOLD = " ".join(f"BIND(CONCAT({', '.join([f'?x{i}'] * 10)}) AS ?x{i + 1})" for i in range(10))
QUERIES = {
    "time": f"SELECT (COUNT(*) AS ?n) {{ {MUCH} }}",
    "time without an end in sight": f"SELECT ?a {{ {MUCH} {NONE} }}",
    "rows": "SELECT * { ?a ?b ?c . ?d ?e ?f }",
    "facts": "CONSTRUCT { ?a ?b ?f } { ?a ?b ?c . ?d ?e ?f }",
    "memory in a text": f'SELECT ?x10 {{ BIND("aaaaaaaaaa" AS ?x0) {TENFOLD} }}',
    "memory in rows": f"SELECT DISTINCT ?a ?d ?g ?j {{ {MUCH} }} ORDER BY ?a ?d ?g ?j",
    "memory in a group": f"SELECT (GROUP_CONCAT(CONCAT(STR(?a), STR(?d), STR(?g))) AS ?n) {{ {MUCH} }}",
}


@pytest.mark.parametrize("text", QUERIES.values(), ids=QUERIES)
def test_a_query_beyond_its_limits_is_stopped_and_told(served: Served, text: str) -> None:
    before = served.highest_kib()
    begun = time.monotonic()
    status, said = served.query(text)
    assert time.monotonic() - begun < SECONDS + 10
    assert status == 422, said
    (error,) = json.loads(said)["errors"]
    assert error["code"] == Code.QUERY_LIMIT.code
    assert any(f in error["message"] for f in (f"{SECONDS} s", f"{ROWS:,} rows", f"{MIB} MiB"))
    assert error["hint"]
    assert served.highest_kib() < before + 64 * 1024


def test_an_update_beyond_its_limits_is_stopped_and_told(served: Served) -> None:
    for text in (
        f"INSERT {{ ?a <{MMM}owner> ?f }} WHERE {{ {MUCH} }}",
        f"DELETE {{ ?a ?b ?c }} WHERE {{ {MUCH} {NONE} }}",
    ):
        status, said = served.ask("POST", f"{MI1}/update", text.encode(), Content_Type="application/sparql-update")
        assert (status, json.loads(said)["errors"][0]["code"]) == (422, "query_limit"), said


def test_queries_beyond_what_runs_at_once_wait_or_are_told(served: Served) -> None:
    """Long ones hold up no reader of worlds; what waits too long is told to come again."""
    with ThreadPoolExecutor(6) as pool:
        long = [pool.submit(served.query, QUERIES["time"]) for _ in range(4)]
        time.sleep(0.5)
        begun = time.monotonic()
        assert served.ask("GET", "/v1/worlds")[0] == 200
        assert time.monotonic() - begun < SECONDS
        answers = [each.result() for each in long]
    assert {status for status, _ in answers} <= {422, 503}
    assert 422 in {status for status, _ in answers}


@pytest.mark.parametrize(
    "text, media_type, code",
    [
        (b"{}", "application/json", "unsupported_media_type"),
        (b"a", "text/plain", "unsupported_media_type"),
        (b"<a> <b> .", "text/turtle", "not_rdf"),
        (b"\xff\xfe", "text/turtle", "not_rdf"),
        (b'{"@context": "http://127.0.0.1:1/"}', "application/ld+json", "not_rdf"),
        (b"<a> <b> " + b"<<( <a> <b> " * 200_000, "text/turtle", "not_rdf"),
        (b"<a> <b> " + b"[ <b> " * 200_000, "text/turtle", "not_rdf"),
        (b"[" * 200_000, "application/ld+json", "not_rdf"),
        (b"<a>" * 200_000, "application/rdf+xml", "too_large"),
        (b'<a> <b> "' + b"x" * (20 * 2**20) + b'" .', "text/turtle", "too_large"),
    ],
    ids=lambda value: str(value)[:12],
)
def test_a_body_that_is_no_document_is_told(served: Served, text: bytes, media_type: str, code: str) -> None:
    status, error = served.put(text, media_type)
    assert error["code"] == code
    assert status in {400, 413, 415}


@pytest.mark.parametrize(
    "text, code",
    [
        ("INSERT DATA { <a> <b> " + "[ <b> " * 100_000, "too_large"),
        ("INSERT DATA { <a> <b> " + "<<( <a> <b> " * 50_000, "too_large"),
        ("ASK { FILTER" + "(" * 500_000, "too_large"),
        ("a." * 100_000, "not_sparql"),
        ("INSERT DATA { <a> <b> 1 }" + " " * 2**20, "too_large"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_an_update_that_would_end_the_process_is_told(served: Served, text: str, code: str) -> None:
    status, said = served.ask("POST", f"{MI1}/update", text.encode(), Content_Type="application/sparql-update")
    assert json.loads(said)["errors"][0]["code"] == code
    assert status in {400, 413}


def test_a_query_that_nests_without_end_is_told(served: Served) -> None:
    """What no bracket shows: the child ends, and the next one answers."""
    for text in ("ASK { FILTER(" + "!" * 100_000 + "true) }", "ASK { FILTER(" + "-" * 100_000 + "1) }"):
        body = urlencode({"query": text})
        status, said = served.ask("POST", "/sparql", body, Content_Type="application/x-www-form-urlencoded")
        assert (status, json.loads(said)["errors"][0]["code"]) in {(400, "not_sparql"), (422, "query_limit")}


def numbered(lines: int) -> Iterator[bytes]:
    """Facts in N-Triples, a line each, of which no two are the same."""
    item = (
        b"<https://mi1.example/i%d> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <" + MMM.encode() + b"Item> .\n"
    )
    for start in range(0, lines, 10_000):
        yield b"".join(item % i for i in range(start, min(lines, start + 10_000)))


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A document with a syntax error in its line 400,000, of some 45 MB."""
    path = tmp_path_factory.mktemp("documents") / "faulty.nt"
    with path.open("wb") as file:
        file.writelines(numbered(399_999))
        file.write(b"<https://mi1.example/x> <no end\n")
        file.writelines(numbered(1_000))
    return path


def test_a_syntax_error_far_down_is_told_with_its_line(served: Served, faulty: Path) -> None:
    with faulty.open("rb") as body:
        status, error = served.put(body)
    assert (status, error["code"]) == (400, "not_rdf")
    assert str(error["pointer"]).startswith("400000:")
    assert "line 400000" in str(error["message"])
    assert served.highest_kib() < MEMORY_KIB


def test_a_maze_of_blank_nodes_is_told(served: Served) -> None:
    random = Random(3)
    maze = b"".join(
        b"_:n%d <urn:p> _:n%d .\n" % (random.randrange(50_000), random.randrange(50_000)) for _ in range(250_000)
    )
    status, error = served.put(maze)
    assert (status, error["code"]) == (413, "too_large")
    assert served.highest_kib() < MEMORY_KIB


@contextmanager
def sending(served: Served, length: str) -> Iterator[socket.socket]:
    """A connection on which the head of a PUT was sent."""
    host, _, port = served.address.removeprefix("http://").rpartition(":")
    with socket.create_connection((host, int(port)), timeout=20) as raw:
        raw.sendall(f"PUT {MI1} HTTP/1.1\r\nHost: {host}\r\nContent-Type: text/turtle\r\n{length}\r\n\r\n".encode())
        yield raw


def test_a_document_beyond_the_limit_is_refused_before_it_is_read(served: Served) -> None:
    """By what its length says, or once it was more."""
    with sending(served, f"Content-Length: {2 * 2**30}") as raw:
        assert raw.recv(65536).startswith(b"HTTP/1.1 413 ")
    with sending(served, "Transfer-Encoding: chunked") as raw:
        with suppress(OSError):
            for _ in range(WORLD_MIB + 2):
                raw.sendall(b"100000\r\n" + b" " * 2**20 + b"\r\n")
        assert raw.recv(65536).startswith(b"HTTP/1.1 413 ")
    assert served.highest_kib() < MEMORY_KIB


def test_bodies_that_come_slowly_hold_up_nobody(served: Served) -> None:
    """Fifty that have begun and never go on; more threads than the server has for answers."""
    with sending(served, "Content-Length: 1000") as first:
        first.sendall(b"<a> <b>")
        sockets = [socket.create_connection(first.getpeername(), timeout=20) for _ in range(50)]
        for each in sockets:
            each.sendall(f"PUT {MI1} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n".encode())
            each.sendall(b"Content-Type: text/turtle\r\n\r\n<a> <b>")
        begun = time.monotonic()
        assert served.query("ASK {}") == (200, b"true")
        assert served.ask("GET", MI1, Accept="text/turtle")[0] == 200
        assert time.monotonic() - begun < 10
        for each in sockets:
            each.close()


def test_a_body_that_is_half_sent_changes_nothing(served: Served) -> None:
    """What came was a whole document by itself."""
    with sending(served, "Content-Length: 10000") as raw:
        raw.sendall(b"# nothing\n")
        raw.shutdown(socket.SHUT_WR)
        answered = b"".join(iter(lambda: raw.recv(65536), b""))
    assert not answered.startswith(b"HTTP/1.1 2")


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_the_memory_of_the_server_stays_bounded(served: Served) -> None:
    """After all of the above, whichever came first."""
    assert served.highest_kib() < MEMORY_KIB
