"""Many pass a gate together, or one alone: changes of single worlds, and what concerns all worlds at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition

from app.errors import Code, Fault, StateError


class Gate:
    """Who waits to pass alone goes before those who come later. Raises StateError `busy` where it takes too long."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._moved = Condition()
        self._inside = 0
        self._closed = False

    @contextmanager
    def passing(self) -> Iterator[None]:
        """Pass beside others."""
        with self._moved:
            self._wait(lambda: not self._closed, "other releases of packs are being activated")
            self._inside += 1
        try:
            yield
        finally:
            with self._moved:
                self._inside -= 1
                self._moved.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Pass when nobody else is inside."""
        with self._moved:
            self._wait(lambda: not self._closed, "other releases of packs are being activated")
            self._closed = True
        try:
            with self._moved:
                self._wait(lambda: not self._inside, "a change of a world is being made")
            yield
        finally:
            with self._moved:
                self._closed = False
                self._moved.notify_all()

    def _wait(self, until: Callable[[], bool], why_not: str) -> None:
        if not self._moved.wait_for(until, self._patience_s):
            raise StateError(Fault(Code.BUSY, why_not), retry_after_s=max(1, int(self._patience_s)))
