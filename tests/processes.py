"""The command: run in this process, or as one of its own that serves and is waited for."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.cli import main
from app.settings import PREFIX


def environment(data: Path, **settings: object) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DOMAIN_ACCESS_")}
    return kept | {f"DOMAIN_ACCESS_{name.upper()}": str(value) for name, value in {"data": data, **settings}.items()}


@contextmanager
def serving(data: Path, *arguments: str, **settings: str) -> Iterator[tuple[subprocess.Popen[str], str, list[str]]]:
    """A process that serves: it, its address, and the lines it printed until it was ready."""
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "serve", "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(data, **settings),
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


def stand_alone(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """No settings of whoever runs the tests, data in a folder of its own, no server at the configured port."""
    for name in list(os.environ):
        if name.upper().startswith(PREFIX):
            monkeypatch.delenv(name)
    with socket.create_server(("127.0.0.1", 0)) as free:
        monkeypatch.setenv("DOMAIN_ACCESS_PORT", str(free.getsockname()[1]))
    monkeypatch.setenv("DOMAIN_ACCESS_DATA", str(folder / "data"))


def run(*arguments: str, input: bytes | None = None) -> Result:
    """The command in this process; anything but a result or an exit code is a failure."""
    result = CliRunner().invoke(main, arguments, input=input)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result
