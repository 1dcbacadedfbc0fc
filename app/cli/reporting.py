"""What the commands of authors found, for a reader or, by `--format`, for a program; and what they end with."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import click

from app.cli import ANSWERED, NOT_FEASIBLE, TROUBLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from app.authoring.problems import Problem, Report, Step

FORMATS: Final = ("text", "json", "sarif", "junit")

SHOWN: Final = 20
"""Problems of one kind that a reader is shown of a step."""

EXIT_CODES: Final = """
    \b
    Exit codes:
      0  nothing is wrong
      1  something is wrong: an error, or a warning with --fail-on warning
      2  wrong usage
      3  a step could not be done, though nothing else is wrong
"""


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--format` and `--fail-on`, which every command that makes a Report takes."""
    command = click.option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        default="text",
        show_default=True,
        help="For whom it is written.",
    )(command)
    return click.option(
        "--fail-on",
        type=click.Choice(("error", "warning")),
        default="error",
        show_default=True,
        help="What makes the exit code 1.",
    )(command)


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """What is being done, on one line of stderr where that is a terminal."""
    from app.cli.show import console

    shown = console(error=True)
    if not shown.is_terminal:
        yield lambda _: None
        return
    with shown.status("reading") as status:
        yield status.update


def show_report(report: Report, form: str, fail_on: str) -> int:
    """Print a Report; the exit code."""
    from app.authoring.problems import Severity
    from app.authoring.reports import FORMATS as WRITTEN

    if form == "text":
        _show(report)
    else:
        click.echo(WRITTEN[form](report))
    failing = [Severity.ERROR] if fail_on == "error" else [Severity.ERROR, Severity.WARNING]
    if any(report.number(severity) for severity in failing):
        return NOT_FEASIBLE
    return TROUBLE if report.not_done else ANSWERED


def _show(report: Report) -> None:
    from rich.text import Text

    from app.authoring.problems import Severity
    from app.cli.show import console, plain

    out = console()
    quiet = report.command == "test"
    for step in report.steps:
        if not quiet or step.problems or step.not_done or step.counts:
            out.print(_step(step), soft_wrap=True)
        told: Counter[str] = Counter()
        for problem in step.problems:
            told[problem.check.code] += 1
            for line in _lines(problem) if told[problem.check.code] <= SHOWN else ():
                out.print(line, soft_wrap=True)
        for code, number in told.items():
            if number > SHOWN:
                out.print(Text(f"  and {number - SHOWN:,} more [{code}]: --format json has them all"))
    found = [_counted(report.number(severity), severity.value) for severity in Severity]
    found += [f"{_counted(len(report.not_done), 'step')} not done"] if report.not_done else []
    packs = _counted(len({step.pack for step in report.steps}), "pack")
    steps = _counted(len(report.steps), "step")
    out.print(Text(plain(f"{report.command}: {packs}, {steps}: {', '.join(found)}")))


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _step(step: Step) -> Any:
    from rich.text import Text

    from app.authoring.problems import Severity
    from app.cli.show import plain

    if step.not_done:
        verdict = ("NOT DONE", "bold yellow")
    elif step.passed:
        verdict = ("ok", "bold green") if not step.problems_of(Severity.WARNING) else ("ok", "bold yellow")
    else:
        verdict = ("failed", "bold red")
    counts = "".join(f", {number:,} {what}" for what, number in step.counts.items())
    after = f": {step.not_done}" if step.not_done else f" ({step.seconds:.2f} s{counts})"
    return Text.assemble(plain(f"{step.pack}: {step.name}: "), verdict, plain(after))


def _lines(problem: Problem) -> Iterable[Any]:
    from rich.text import Text

    from app.cli.show import plain

    style = {"error": "bold red", "warning": "bold yellow"}.get(problem.check.severity.value, "dim")
    where = f"{problem.where}: " if problem.where else ""
    said = plain(f"{problem.message} [{problem.check.code}]")
    yield Text.assemble("  ", plain(where), (f"{problem.check.severity}: ", style), said)
    if problem.excerpt.strip():
        indent = len(problem.excerpt) - len(problem.excerpt.lstrip())
        yield Text(plain(f"      {problem.excerpt.strip()}"), style="dim")
        if problem.column > indent:
            yield Text(" " * (6 + problem.column - 1 - indent) + "^", style=style)
    if problem.hint:
        yield Text(plain(f"      {problem.hint}"))
