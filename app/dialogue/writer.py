"""One writer for all threads of the process: group commit.

Who comes while nobody writes, writes at once in its own thread. Who comes during a write waits; when the write is
done, the one who has waited longest writes for all who wait, in one transaction with one sync of the disk. (Sixteen
threads with a transaction each spend their time waiting for SQLite's lock, not for the disk.)
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeAlias, TypeVar

from sqlalchemy import Connection, Engine

from app.dialogue.database import RETRY_AFTER_S, is_locked, is_undone, writing
from app.errors import Code, DomainAccessError, Fault, StateError

_TRIES: Final = 3
"""Of one transaction, where the database undoes it because of another process's (PostgreSQL: a deadlock)."""

Item = TypeVar("Item")
Outcome: TypeAlias = int | DomainAccessError
"""What became of an item: a value, or the error with which it was refused before anything of it was written."""


class _Job(Generic[Item]):
    """One caller's item. `woken` is set when it has an outcome, or when it is its turn to write for all."""

    def __init__(self, item: Item) -> None:
        self.item = item
        self.woken = threading.Event()
        self.outcome: int | Exception | None = None


class Writer(Generic[Item]):
    """Writes items, one transaction at a time. `write` gives one outcome per item, in order, and may not wait."""

    def __init__(self, engine: Engine, write: Callable[[Connection, Sequence[Item]], Sequence[Outcome]]) -> None:
        self._engine = engine
        self._write_all = write
        self._lock = threading.Lock()
        self._waiting: list[_Job[Item]] = []
        self._busy = False

    def submit(self, item: Item) -> int:
        """Write the item, perhaps in one transaction with others; return its value once that is durable.

        An error raised while a group is written undoes it, and each of the group is written alone: nobody fails for
        another's item. An error from a lone item is raised here.
        """
        job = _Job(item)
        with self._lock:
            self._waiting.append(job)
            leads, self._busy = not self._busy, True
        if not leads:
            self._wait(job)
        if job.outcome is None:
            self._lead()
        if isinstance(job.outcome, int):
            return job.outcome
        raise job.outcome or _interrupted()

    def _wait(self, job: _Job[Item]) -> None:
        try:
            job.woken.wait()
        except BaseException:  # an interrupted waiter must not take the turn to write with it
            with self._lock:
                if job in self._waiting:
                    self._waiting.remove(job)
                    if job.woken.is_set():
                        self._pass_on()
            raise

    def _lead(self) -> None:
        """Write for all who wait now, then pass on."""
        with self._lock:
            group, self._waiting = self._waiting, []
        try:
            self._write(group)
        finally:
            with self._lock:
                self._pass_on()
            for job in group:
                job.outcome = _interrupted() if job.outcome is None else job.outcome
                job.woken.set()

    def _pass_on(self) -> None:
        """Wake the next who writes; the lock is held."""
        if self._waiting:
            self._waiting[0].woken.set()
        else:
            self._busy = False

    def _write(self, group: Sequence[_Job[Item]]) -> None:
        """Give each job of the group its outcome."""
        for tries_left in reversed(range(_TRIES)):
            try:
                with writing(self._engine) as connection:
                    outcomes = self._write_all(connection, [job.item for job in group])
                break
            except Exception as error:
                if tries_left and is_undone(error):
                    continue
                if len(group) > 1 and not is_locked(error):
                    for job in group:
                        self._write([job])
                else:
                    for job in group:
                        job.outcome = error
                return
        for job, outcome in zip(group, outcomes, strict=True):
            job.outcome = outcome


def _interrupted() -> StateError:
    return StateError(Fault(Code.BUSY, "the write was interrupted"), retry_after_s=RETRY_AFTER_S)
