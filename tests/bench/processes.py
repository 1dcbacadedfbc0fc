"""Processes of their own, started for a measurement and ended with it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Final

from tests.bench.worlds import ROOT

OURS: Final = ("-m", "app", "serve", "--port", "0")
ECHO: Final = ("-m", "tests.bench.echo")
_READY: Final = re.compile(r"ready on http://([\w.]+):(\d+)")
_STOP_S: Final = 20


@dataclass(frozen=True, slots=True)
class Serving:
    """A server that said it is ready, and how many seconds after it was started."""

    host: str
    port: int
    ready_s: float


@contextmanager
def serving(arguments: Sequence[str], data: Path) -> Iterator[Serving]:
    """A Python process that serves, with a data folder of its own. RuntimeError with its log where it does not."""
    data.mkdir(parents=True, exist_ok=True)
    log = data / "log"
    with log.open("w") as stderr:
        begun = perf_counter()
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=environment(data),
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )
        try:
            assert process.stdout is not None
            found = next((found for line in process.stdout if (found := _READY.search(line))), None)
            if found is None:
                raise RuntimeError(f"{' '.join(arguments)} did not become ready: {log.read_text()[-2000:]}")
            yield Serving(found[1], int(found[2]), perf_counter() - begun)
        finally:
            process.terminate()
            process.communicate(timeout=_STOP_S)


def run_s(*arguments: str) -> float:
    """Seconds that a Python process takes from start to end."""
    begun = perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True, env=environment(None))
    return perf_counter() - begun


def environment(data: Path | None) -> dict[str, str]:
    """This process's environment with the default settings, but for the data folder."""
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith("DOMAIN_ACCESS_")}
    return kept if data is None else {**kept, "DOMAIN_ACCESS_DATA": str(data)}
