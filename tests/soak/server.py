"""A real server in a process of its own, forked from one that has imported all: it starts in a moment."""

from __future__ import annotations

import logging
import multiprocessing
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import app.serve_http.server as serving
from app.service import Service
from app.settings import Settings
from tests.soak.points import POINTS, strike_at

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["tests.soak.server", "psycopg"])
_START_S = 60.0


@contextmanager
def server(settings: Mapping[str, Any], point: str = "", number: int = 0) -> Iterator[tuple[ForkServerProcess, str]]:
    """A server and its address, killed at the given pass of a point (of none: never), and in any case at the end."""
    here, there = _FORKS.Pipe(duplex=False)
    process = _FORKS.Process(target=_serve, args=(dict(settings), point, number, there), daemon=True)
    process.start()
    there.close()
    try:
        if not here.poll(_START_S):
            raise TimeoutError("the server does not start")
        yield process, here.recv()
    finally:
        here.close()
        process.kill()
        process.join()


def _serve(settings: dict[str, Any], point: str, number: int, ready: Connection) -> None:
    for name in [name for name in os.environ if name.startswith("DOMAIN_ACCESS_")]:
        del os.environ[name]
    os.environ.pop("COVERAGE_PROCESS_START", None)
    log = Path(settings["data"]) / "server.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as stream:
        os.dup2(stream.fileno(), 1)
        os.dup2(stream.fileno(), 2)
    logging.captureWarnings(True)

    def opened(_: Service, address: str) -> None:
        if point:
            POINTS[point](strike_at(number))
        ready.send(address)
        ready.close()

    serving.serve(Settings(**{"port": 0, "log_level": "error", **settings}), opening=opened)
