"""Worlds on disk in several sizes: loading, restarting, and what an update or a plan costs in each."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.bench.measure import Figure, Ratio, Round, Row, Scale
from tests.bench.processes import environment
from tests.bench.worlds import ROOT

_OPERATIONS = {
    "situation_s": ("Situation of a plan of ten steps, warm", ""),
    "verdict_s": ("the same with its ten verdicts", "below 1.2 to 1,000,000 entities"),
    "update_s": ("from sending an update to a verdict that sees it", ""),
    "restart_s": ("opening the world again", ""),
    "put_s": ("PUT: loaded, validated, switched to", ""),
    "load_s": ("of which loading alone", ""),
}


def rows(scale: Scale) -> list[Row]:
    """One row for each thing that is done, with a figure for each size."""
    measured = {entities: _measured(entities, max(2, scale.operations // 10)) for entities in scale.stores}
    return [_row(member, title, target, measured) for member, (title, target) in _OPERATIONS.items()]


def _row(member: str, title: str, target: str, measured: dict[int, dict[str, Any]]) -> Row:
    figures = {entities: _figure(entities, found[member]) for entities, found in measured.items()}
    least, *others = figures
    of_load = member in {"put_s", "load_s"}
    ratios = [
        Ratio(f"{size:,} / {least:,} entities", figures[size].p50 / figures[least].p50, target)
        for size in others
        if not of_load
    ]
    notes = [_note(entities, found, member) for entities, found in measured.items()] if of_load else []
    if member == "load_s":
        notes.append("target: 120,000 facts/s on disk")
    return Row(f"a world on disk: {title}", tuple(figures.values()), tuple(ratios), tuple(notes))


def _note(entities: int, found: dict[str, Any], member: str) -> str:
    rate = found["facts"] / found[member]
    said = f"{entities:,} entities, {found['facts']:,} facts: {rate:,.0f} facts/s"
    if member == "put_s":
        mib = {name: found[name] / 2**20 for name in ("disk_bytes", "load_memory_bytes", "memory_bytes")}
        said += f"; {mib['disk_bytes']:,.0f} MiB on disk, at most {mib['memory_bytes']:,.0f} MiB of memory"
    return said


def _figure(entities: int, seconds: float | list[float]) -> Figure:
    each = tuple(seconds) if isinstance(seconds, list) else (seconds,)
    return Figure(f"{entities:,} entities", (Round(each, sum(each)),))


def _measured(entities: int, operations: int) -> dict[str, Any]:
    with TemporaryDirectory(prefix="bench-") as folder:
        run = subprocess.run(
            [sys.executable, "-m", "tests.bench.store_process", folder, str(entities), str(operations)],
            cwd=ROOT,
            env=environment(Path(folder)),
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode:
            raise RuntimeError(f"a world of {entities:,} entities could not be measured: {run.stderr[-2000:]}")
        found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
        return found
