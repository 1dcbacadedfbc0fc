"""`domain-access test`: whether packs answer as their cases say, and whether the cases would notice if not."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from app.cli.reporting import EXIT_CODES, output_options, show_report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from app.authoring.problems import Report, Step
    from app.edition import Edition

_HELP: Final = f"""Run every case of packs: of rules, competency questions, golden plans, golden answers of the Kinds.

    PACK is the name of a pack; without one all are tested.

    Each rule that a pack brings is also taken away once, and some case must notice: a step of a rule case or of a
    golden plan must get another PA Status. A rule that nothing would miss is an error.

    Coverage says how much of a pack its cases touch. A term is touched by a rule case or a plan where a rule that
    fires asks for it or rests on a fact that holds it, where an accepted step would change such a fact, or where a
    statement names it or what the case adds or removes; by a competency question where its query or an expected row
    names it; by a question of a Kind where what is asked, the answer or its explanation names it. An entity touches
    its classes and those above. A rule is touched where it fires, an Action where a statement uses it, a PA Status
    (of those that the rules of the pack give) where a step gets it.

    \b
    Examples:
      domain-access test
      domain-access test museum_tour --uncovered
      domain-access test --filter museum_closed
      domain-access test my_pack --folder ~/packs --least 80 --format junit > result.xml
{EXIT_CODES}"""


@click.command("test", help=_HELP)
@click.argument("packs", metavar="[PACK]...", nargs=-1)
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where the packs lie: a folder of packs, a pack, or a checkout with ontologies/ and rules/.",
)
@click.option("--filter", "part", metavar="TEXT", default="", help="Only what has this in its id; no coverage then.")
@click.option("--no-mutate", is_flag=True, help="Do not take rules away.")
@click.option("--uncovered", is_flag=True, help="List what no case touches.")
@click.option(
    "--least",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    default=0.0,
    help="Fail where cases touch less of a pack than this.",
)
@click.option("--jobs", type=click.IntRange(1), help="Packs tested side by side; by default one a processor.")
@output_options
@click.pass_context
def test(
    ctx: click.Context,
    packs: tuple[str, ...],
    folder: Path | None,
    part: str,
    no_mutate: bool,
    uncovered: bool,
    least: float,
    jobs: int | None,
    form: str,
    fail_on: str,
) -> None:
    """See _HELP, which a reader of the terminal sees."""
    import os

    from app.authoring.test import Wanted
    from app.authoring.test import test as run
    from app.settings import read_settings

    if part and least:
        raise click.UsageError("--least is of all cases: it does not go with --filter")
    edition, there = _edition(folder, read_settings().settings.edition)
    named = packs or there
    _known(named, edition)
    wanted = Wanted(filter=part, uncovered=uncovered or form == "json", least=least)
    with _progress() as progress:
        report = run(
            edition,
            named,
            mutate=not no_mutate,
            progress=progress,
            wanted=wanted,
            jobs=jobs or os.cpu_count() or 1,
        )
    if not report.steps:
        raise click.UsageError(f"no case of {', '.join(named)} has `{part}` in its id")
    if form == "text":
        _table([step for step in report.steps if step.name == "coverage"])
        report = _told_otherwise(report)
    ctx.exit(show_report(report, form, fail_on))


def _edition(folder: Path | None, configured: Edition) -> tuple[Edition, tuple[str, ...]]:
    """Where packs are taken from, and which are tested where none is named."""
    from app.authoring.placing import placed

    if folder is None:
        return configured, configured.names()
    edition, names = placed(configured, folder)
    if not names:
        raise click.UsageError(f"`{folder}` holds no pack: there is no pack.toml")
    return edition, names


def _known(packs: tuple[str, ...], edition: Edition) -> None:
    from app.nearest import did_you_mean

    names = edition.names()
    every = f"there are: {', '.join(names)}"
    said = [f"there is no pack `{name}`; {did_you_mean(name, names, every)}" for name in packs if name not in names]
    if said:
        raise click.UsageError("\n".join(said))


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """What was done last, on one line of stderr where that is a terminal."""
    from app.cli.show import console

    shown = console(error=True)
    if not shown.is_terminal:
        yield lambda _: None
        return
    with shown.status("reading") as status:
        yield status.update


def _table(steps: list[Step]) -> None:
    """How much of each pack is covered, sort by sort; and what is not, where that was asked for."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from app.authoring.test.covered import SORTS, UNCOVERED
    from app.cli.show import console, plain

    if not steps:
        return
    table = Table("covered", *SORTS, "all", box=box.SIMPLE_HEAD)
    for column in table.columns[1:]:
        column.justify = "right"
    for step in steps:
        pairs = [(step.counts.get(f"{sort} covered", 0), step.counts.get(sort, 0)) for sort in SORTS]
        covered, every = (sum(numbers) for numbers in zip(*pairs, strict=True))
        cells = [f"{some}/{number}" if number else "" for some, number in pairs]
        table.add_row(step.pack, *cells, f"{100 * covered / every:.0f} %" if every else "")
    out = console()
    out.print(table)
    for step in steps:
        for problem in step.problems:
            if problem.check is UNCOVERED:
                out.print(Text(plain(f"{problem.where}: {problem.message}")), soft_wrap=True)


def _told_otherwise(report: Report) -> Report:
    """Less what the table says already."""
    from app.authoring.test.covered import UNCOVERED

    return replace(
        report,
        steps=tuple(
            replace(step, counts={}, problems=tuple(each for each in step.problems if each.check is not UNCOVERED))
            for step in report.steps
        ),
    )
