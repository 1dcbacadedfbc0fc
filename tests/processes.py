"""The command as a process of its own: its environment, and a server that is waited for."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def environment(data: Path, **settings: object) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DOMAIN_ACCESS_")}
    return kept | {f"DOMAIN_ACCESS_{name.upper()}": str(value) for name, value in {"data": data, **settings}.items()}


@contextmanager
def serving(data: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str, list[str]]]:
    """A process that serves: it, its address, and the lines it printed until it was ready."""
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "serve", "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(data),
        cwd=Path(__file__).parents[1],
    )
    try:
        assert process.stdout is not None
        printed: list[str] = []
        for line in process.stdout:
            printed.append(line)
            if line.startswith("ready on "):
                break
        else:
            pytest.fail(process.communicate(timeout=10)[1])
        yield process, printed[-1].split()[2], printed
    finally:
        process.kill()
        process.communicate()
