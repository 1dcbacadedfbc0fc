"""The places in a server at which it is killed: each puts a strike where the server passes by.

A strike counts down and kills the process with SIGKILL when its time has come: no handler runs, no buffer is written.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy.engine import default

from app.serve_http.edge import Edge
from app.service import Service

Strike = Callable[[], None]
Point = Callable[[Strike], None]


def strike_at(number: int) -> Strike:
    """Kills this process at the given pass, counted from 1."""
    left = number

    def strike() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    return strike


def before_a_statement(strike: Strike) -> None:
    """Inside a transaction, with nothing, some or all of it written."""
    for name in ("do_execute", "do_executemany"):
        _before(default.DefaultDialect, name, strike)


def before_commit(strike: Strike) -> None:
    """All is written, and nothing is promised."""
    _before(default.DefaultDialect, "do_commit", strike)


def after_commit(strike: Strike) -> None:
    """All is promised, and nobody knows."""
    _after(default.DefaultDialect, "do_commit", strike)


def after_answering(strike: Strike) -> None:
    """The service has its Response, the server not yet."""
    _after(Service, "answer", strike)


def before_the_bytes_leave(strike: Strike) -> None:
    """The server is about to send the head of a response."""
    _sending("http.response.start", strike)


def between_head_and_body(strike: Strike) -> None:
    """The caller has a status, and no body yet."""
    _sending("http.response.body", strike)


POINTS: Mapping[str, Point] = {
    "before a statement": before_a_statement,
    "before commit": before_commit,
    "after commit": after_commit,
    "after answering": after_answering,
    "before the bytes leave": before_the_bytes_leave,
    "between head and body": between_head_and_body,
}
"""By name; another kill, from outside at a random moment, needs none (kills.py)."""


def _before(holder: Any, name: str, strike: Strike) -> None:
    original = getattr(holder, name)

    def struck(*arguments: Any, **named: Any) -> Any:
        strike()
        return original(*arguments, **named)

    setattr(holder, name, struck)


def _after(holder: Any, name: str, strike: Strike) -> None:
    original = getattr(holder, name)

    def struck(*arguments: Any, **named: Any) -> Any:
        result = original(*arguments, **named)
        strike()
        return result

    setattr(holder, name, struck)


def _sending(kind: str, strike: Strike) -> None:
    original = Edge.__call__

    async def serve(self: Edge, scope: Any, receive: Any, send: Any) -> None:
        async def struck(message: Any) -> None:
            if message["type"] == kind:
                strike()
            await send(message)

        await original(self, scope, receive, struck)

    Edge.__call__ = serve  # type: ignore[method-assign]
