"""What was measured, for readers and as JSON."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from importlib.metadata import version

from rich.console import Console
from rich.table import Table

from tests.bench.measure import Figure, Row, Scale

Document = dict[str, object]


def show(row: Row, console: Console) -> None:
    """A table of the figures, one of the ratios, and the notes."""
    console.print()
    table = Table(title=row.title, title_justify="left", title_style="bold")
    table.add_column("measured", min_width=40)
    for name in ("p50", "p99", "a second", "timed"):
        table.add_column(name, justify="right", no_wrap=True)
    for figure in row.figures:
        table.add_row(
            figure.name, _time(figure.p50), _time(figure.p99), f"{figure.per_second:,.0f}", f"{figure.operations:,}"
        )
    console.print(table)
    if row.ratios:
        ratios = Table(box=None, show_header=False, padding=(0, 1))
        for ratio in row.ratios:
            said = f"[dim]target: {ratio.target}[/]" if ratio.target else ""
            ratios.add_row("", f"[bold]{ratio.value:.3g}[/]", ratio.name, said)
        console.print(ratios)
    for note in row.notes:
        console.print(f"  - {note}", style="dim", highlight=False)


def document(rows: Mapping[str, Iterable[Row]], scale: Scale) -> Document:
    """Everything, in microseconds."""
    return {
        "environment": environment(),
        "scale": asdict(scale),
        "rows": [{"row": name, **_row(row)} for name, found in rows.items() for row in found],
    }


def environment() -> Document:
    """What figures depend on."""
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "packages": {name: version(name) for name in ("pyoxigraph", "pydantic", "sqlalchemy", "uvicorn", "fastapi")},
    }


def _row(row: Row) -> Document:
    return {
        "title": row.title,
        "figures": [_figure(figure) for figure in row.figures],
        "ratios": [asdict(ratio) for ratio in row.ratios],
        "notes": list(row.notes),
    }


def _figure(figure: Figure) -> Document:
    return {
        "name": figure.name,
        "p50_us": round(figure.p50 * 1e6, 2),
        "p99_us": round(figure.p99 * 1e6, 2),
        "per_second": round(figure.per_second, 1),
        "timed": figure.operations,
    }


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:,.2f} {unit}"
    return f"{seconds * 1e6:,.1f} µs"
