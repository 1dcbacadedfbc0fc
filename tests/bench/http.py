"""A turn over HTTP: ten steps judged and the turn durable, against an endpoint that validates and echoes."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Barrier
from time import perf_counter
from typing import Any, Final
from uuid import uuid4

from app.cli.question import plan_request
from app.model import LOCAL
from app.service import Service
from app.settings import Settings
from tests.bench.echo import LOOP, THREAD
from tests.bench.measure import Contender, Figure, Ratio, Round, Row, Scale, race, ratio, ratio_of_rates, timed
from tests.bench.processes import ECHO, OURS, Serving, serving
from tests.bench.worlds import plan

ACCEPTED: Final = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
ONE_REFUSED: Final = (0, 1, 2, 3, 8, 9, 11, 13, 14, 15)
"""Steps of the plan of friends_meet; 15 is InsRights, with Repairs to seek."""
_PATH: Final = "/v1/bkn-dac"
_TARGET: Final = "below 4"
_CALLERS: Final = (1, 8)
_ANSWERED: Final = b'"Outcome":"answered"'
_REQUEST: Final = b'"Mode":"RQ"'

Answer = Callable[[bytes], bytes]


def rows(scale: Scale) -> list[Row]:
    """One row for each number of callers."""
    with TemporaryDirectory(prefix="bench-") as folder, _servers(Path(folder)) as (ours, echo, service):
        return [_row(scale, callers, ours, echo, service) for callers in _CALLERS]


@contextmanager
def _servers(folder: Path) -> Iterator[tuple[Serving, Serving, Service]]:
    settings = Settings(data=folder / "in-process")
    with (
        serving(OURS, folder / "ours") as ours,
        serving(ECHO, folder / "echo") as echo,
        Service.open(settings) as service,
    ):
        yield ours, echo, service


def _row(scale: Scale, callers: int, ours: Serving, echo: Serving, service: Service) -> Row:
    def calling(server: Serving, path: str, steps: Sequence[int], wanted: bytes) -> Callable[[int], Round]:
        return lambda _: call(server, path, [turns_of(steps, requests) for _ in range(callers)], wanted)

    requests = max(2, scale.requests // callers)

    contenders = [
        Contender("echo, in a thread", calling(echo, THREAD, ACCEPTED, _REQUEST)),
        Contender("echo, on the event loop", calling(echo, LOOP, ACCEPTED, _REQUEST)),
        Contender("ours, all ten accepted", calling(ours, _PATH, ACCEPTED, _ANSWERED)),
        Contender("ours, one refused", calling(ours, _PATH, ONE_REFUSED, _ANSWERED)),
    ]
    if callers == 1:
        contenders.append(Contender("ours without HTTP, all ten accepted", lambda _: _in_process(service, requests)))
    figures = race(contenders, scale.rounds)
    size = len(next(iter(turns_of(ACCEPTED, 1))))
    return Row(
        f"POST {_PATH}, a plan of ten steps, {callers} keep-alive caller{'s' if callers > 1 else ''}",
        figures,
        tuple(_ratios(figures, ratio if callers == 1 else ratio_of_rates)),
        (f"a Request has {size:,} bytes; every Request has fresh ids and makes a durable turn; the World is warm",),
    )


def _ratios(figures: Sequence[Figure], compare: Callable[..., Ratio]) -> Iterator[Ratio]:
    """The target is against the echo that is served as the service is."""
    in_thread, on_loop, *ours = figures
    for figure in ours[:2]:
        yield compare(f"{figure.name} / {in_thread.name}", figure, in_thread, _TARGET)
        yield compare(f"{figure.name} / {on_loop.name}", figure, on_loop)


def call(server: Serving, path: str, bodies: Sequence[Sequence[bytes]], wanted: bytes) -> Round:
    """Post each caller's bodies over its own connection, one after the other, all callers at once.

    ValueError for an answer that is no 200 or does not have the wanted bytes.
    """
    head = f"POST {path} HTTP/1.1\r\nHost: {server.host}\r\nContent-Type: application/json\r\nContent-Length: "
    prepared = [[f"{head}{len(body)}\r\n\r\n".encode() + body for body in each] for each in bodies]
    together = Barrier(len(bodies) + 1)
    with ThreadPoolExecutor(len(bodies)) as pool:
        running = [pool.submit(_caller, server, requests, wanted, together) for requests in prepared]
        together.wait()
        begun = perf_counter()
        seconds = tuple(chain.from_iterable(each.result() for each in running))
        return Round(seconds, perf_counter() - begun)


def _caller(server: Serving, requests: Iterable[bytes], wanted: bytes, together: Barrier) -> list[float]:
    seconds: list[float] = []
    with socket.create_connection((server.host, server.port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        together.wait()
        for request in requests:
            begun = perf_counter()
            connection.sendall(request)
            head, body = _response(connection)
            seconds.append(perf_counter() - begun)
            if not head.startswith(b"HTTP/1.1 200 ") or wanted not in body:
                raise ValueError(f"{head.decode()}: {body[:500].decode()}")
    return seconds


def _response(connection: socket.socket) -> tuple[bytes, bytes]:
    """A response whose length is told."""
    read = b""
    while b"\r\n\r\n" not in read:
        read += _some(connection)
    head, _, body = read.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].split(None, 1)[0])
    while len(body) < length:
        body += _some(connection)
    return head, body


def _some(connection: socket.socket) -> bytes:
    if not (found := connection.recv(65_536)):
        raise ConnectionError("the server closed the connection")
    return found


def _in_process(service: Service, requests: int) -> Round:
    return timed(partial(service.answer, body, LOCAL) for body in turns_of(ACCEPTED, requests))


def turns_of(steps: Sequence[int], number: int) -> list[bytes]:
    """The Requests of one dialogue: each with a QueryID of its own and the next TurnIndex."""
    wanted = [(step, text) for step, text in plan() if step in steps]
    document: dict[str, Any] = json.loads(plan_request(wanted, "MI1", "UE1", "measured"))
    found: list[bytes] = []
    for turn in range(number):
        query_id = str(uuid4())
        document |= {"QueryID": query_id, "TurnIndex": turn}
        document["DataXMData"] |= {"DataID": query_id}
        found.append(json.dumps(document, separators=(",", ":")).encode())
    return found
