"""Free SPARQL, run in a child process that is killed at its limits: Oxigraph cannot cancel a query (DESIGN 4)."""

from __future__ import annotations

import json
import os
import selectors
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Condition
from time import monotonic
from typing import Any, Final
from uuid import uuid4

from app.errors import Code, DomainAccessError, Fault, MessageError, StateError
from app.world.child import OUT_OF_MEMORY, TOO_MANY_ROWS

CHILDREN: Final = 2
"""Processes that run queries at one time; further queries wait for one to be free."""

_CODES: Final = {code.code: code for code in Code}


@dataclass(frozen=True, slots=True)
class Limits:
    """What one query may use: seconds, rows (or facts), bytes of memory."""

    seconds: float
    rows: int
    memory: int


class Queries:
    """Runs jobs in children, each on checkpoints that no one else changes. Thread-safe."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self._folder = folder
        self.limits = limits
        self._idle: list[_Child] = []
        self._running = 0
        self._free = Condition()
        self._closed = False
        shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """Stop every child; nothing of theirs has to last."""
        with self._free:
            self._closed = True
            while self._idle:
                self._idle.pop().kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def path(self, name: str) -> Path:
        """A path below the folder of queries, for a checkpoint or a result; the folder is made."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self._folder / f"{name}-{uuid4().hex}"

    def forget(self, *paths: Path) -> None:
        """Remove checkpoints and results."""
        for path in paths:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    def run(self, job: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a job. Raises DomainAccessError as the child tells, MessageError `query_limit` at a limit."""
        with self._child() as child:
            answer = child.answer({**job, "rows": self.limits.rows}, self.limits.seconds)
        if answer is None:
            raise _limit(f"it took more than {self.limits.seconds:g} s")
        if "problem" in answer:
            raise _told(answer["problem"])
        match answer.get("limit"):
            case str(kind) if kind == TOO_MANY_ROWS:
                raise _limit(f"it has more than {self.limits.rows:,} rows", "add LIMIT, or ask for less")
            case str(kind) if kind == OUT_OF_MEMORY:
                raise _limit(f"it needed more than {self.limits.memory // 2**20:,} MiB")
        if "failed" in answer:
            raise MessageError(Fault(Code.NOT_SPARQL, f"the query cannot be evaluated: {answer['failed']}"))
        return answer

    @contextmanager
    def _child(self) -> Iterator[_Child]:
        until = monotonic() + self.limits.seconds
        with self._free:
            while self._running >= CHILDREN:
                if not self._free.wait(until - monotonic()):
                    fault = Fault(Code.BUSY, "all that run queries are at work")
                    raise StateError(fault, retry_after_s=1)
            self._running += 1
            child = self._idle.pop() if self._idle else None
            if child is not None and not child.lives():  # the system may have ended it meanwhile
                child.kill()
                child = None
        try:
            child = child or _Child(self.limits.memory)
            yield child
        finally:
            with self._free:
                self._running -= 1
                if child is not None and child.lives() and not self._closed:
                    self._idle.append(child)
                elif child is not None:
                    child.kill()
                self._free.notify()


class _Child:
    """One process; it answers one job at a time."""

    def __init__(self, memory: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "app.world.child", str(memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=Path(__file__).resolve().parents[2],
            env={"PATH": os.environ.get("PATH", ""), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )

    def lives(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def answer(self, job: Mapping[str, Any], seconds: float) -> dict[str, Any] | None:
        """The answer, or None where the time ran out: the process is dead then. One that dies needed more memory."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        said = b""
        until = monotonic() + seconds
        try:
            self._process.stdin.write(json.dumps(job).encode() + b"\n")
            self._process.stdin.flush()
            with selectors.DefaultSelector() as selector:
                selector.register(descriptor, selectors.EVENT_READ)
                while not said.endswith(b"\n"):
                    if not selector.select(max(0.0, until - monotonic())):
                        self.kill()
                        return None
                    read = os.read(descriptor, 1 << 16)
                    if not read:
                        raise BrokenPipeError
                    said += read
        except BrokenPipeError:
            self.kill()
            return {"limit": OUT_OF_MEMORY}
        answered: dict[str, Any] = json.loads(said)
        return answered


def _limit(message: str, hint: str = "ask for less, or for a part") -> MessageError:
    return MessageError(Fault(Code.QUERY_LIMIT, f"the query was stopped: {message}", hint=hint))


def _told(document: Mapping[str, Any]) -> DomainAccessError:
    """An error that the child told."""
    errors: Sequence[Mapping[str, str]] = document["errors"]
    return MessageError(
        *(
            Fault(
                _CODES[each["code"]], each["message"], each["pointer"], each.get("clause", ""), each.get("hint", "")
            )
            for each in errors
        )
    )
