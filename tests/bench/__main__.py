"""`python -m tests.bench`: all rows, or those named."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import click
from rich.console import Console
from rich.table import Table

from tests.bench import (
    commitments,
    conformance,
    exchanges,
    grounding,
    http,
    lexicon,
    loading,
    mcp,
    reasoning,
    rights,
    situations,
    stages,
    stores,
    turns,
    verdicts,
)
from tests.bench.measure import FULL, LARGE, QUICK, Row, Scale
from tests.bench.plots import plot
from tests.bench.report import document, environment, show

ROWS: Final[Mapping[str, Callable[[Scale], list[Row]]]] = {
    "verdicts": verdicts.rows,
    "rights": rights.rows,
    "situations": situations.rows,
    "stores": stores.rows,
    "http": http.rows,
    "mcp": mcp.rows,
    "turns": turns.rows,
    "commitments": commitments.rows,
    "loading": loading.rows,
    "exchanges": exchanges.rows,
    "conformance": conformance.rows,
    "lexicon": lexicon.rows,
    "reasoning": reasoning.rows,
    "grounding": grounding.rows,
}
"""One line a module."""


@click.command(help="Measure Domain Access beside its peers. Ratios are what to read: times are this machine's.")
@click.argument("rows", nargs=-1, type=click.Choice(list(ROWS)))
@click.option("--json", "file", type=click.Path(dir_okay=False, path_type=Path), help="Write everything here, too.")
@click.option("--quick", is_flag=True, help="Measure little: to see that it runs.")
@click.option("--large", is_flag=True, help="Worlds on disk of up to 1,000,000 entities.")
@click.option("--plots", type=click.Path(file_okay=False, path_type=Path), help="Write pictures into this folder.")
@click.option("--stages", "by_stage", is_flag=True, help="Show where the time of a verdict goes.")
def main(
    rows: tuple[str, ...], file: Path | None, quick: bool, large: bool, plots: Path | None, by_stage: bool
) -> None:
    """See the help."""
    scale = QUICK if quick else LARGE if large else FULL
    console = Console(width=None if Console().is_terminal else 140)
    console.print(environment())
    found: dict[str, list[Row]] = {}
    for name in rows or (() if by_stage else ROWS):
        found[name] = ROWS[name](scale)
        for row in found[name]:
            show(row, console)
    if by_stage:
        _show_stages(console, scale)
    if plots is not None:
        for path in plot((row for each in found.values() for row in each), plots):
            console.print(f"wrote {path}")
    if file is not None:
        file.write_text(json.dumps(document(found, scale), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _show_stages(console: Console, scale: Scale) -> None:
    shares = stages.shares(scale.operations)
    table = Table(
        title="where the time of a verdict goes, under a profiler", title_justify="left", title_style="bold"
    )
    table.add_column("stage")
    for sort in shares:
        table.add_column(sort, justify="right")
    for stage in next(iter(shares.values())):
        table.add_row(stage, *(f"{each[stage]:.0%}" for each in shares.values()))
    console.print(table)


if __name__ == "__main__":
    main()
