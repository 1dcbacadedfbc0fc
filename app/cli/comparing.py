"""`domain-access diff`: what changed between two states of the packs, and which answers flip."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from app.cli import ANSWERED, AS_JSON, NOT_FEASIBLE
from app.cli.reporting import progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.authoring.diff.difference import Change, Difference
    from app.authoring.diff.written import Group

_STYLES: Final = {
    "REFUSED": "bold red",
    "ACCEPTED": "bold green",
    "UNJUDGED": "bold yellow",
    "STATUS": "bold magenta",
    "WORDING": "dim",
}
_MOST: Final = 20
"""Flips of one kind that a terminal shows; `--all` shows every one."""


@click.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.argument("packs", metavar="[PACK]...", nargs=-1)
@click.option(
    "--only", type=click.Choice(("axioms", "answers")), help="Only what is stated, asking nothing; or only the flips."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "json", "markdown")),
    default="text",
    show_default=True,
    help="For a reader, a program or a pull request.",
)
@click.option(
    "--fail-on",
    type=click.Choice(("answers", "any")),
    default="answers",
    show_default=True,
    help="What makes the exit code 1: answers that flip, or any change.",
)
@click.option(
    "--probes",
    default=2_000,
    show_default=True,
    type=click.IntRange(0, 100_000),
    help="Statements nobody wrote down that are asked of both, at most.",
)
@click.option("--all", "every", is_flag=True, help="Show every flip, not the first of each kind.")
@click.pass_context
def diff(
    ctx: click.Context,
    old: str,
    new: str,
    packs: tuple[str, ...],
    only: str | None,
    form: str,
    fail_on: str,
    probes: int,
    every: bool,
) -> None:
    """Say what changed between two states of the packs, and which answers flip, with the change responsible.

    OLD and NEW are each a checkout (a folder with ontologies/ and rules/), a folder of packs, a pack's folder, a
    release's folder, or a git revision of the repository here. What is a folder is no revision.

    \b
    Examples:
      domain-access diff HEAD~1 .
      domain-access diff main . museum_tour --format markdown
      domain-access diff releases/museum_tour/0.1.0 ontologies/museum_tour
      domain-access diff v1.0 v1.1 --only axioms

    Every golden plan, case and question of both states is asked of both, and statements that nobody wrote down. A
    change is called responsible where undoing it restores the old answer, or where it alone brings the new one;
    others that the findings point at are called involved.

    \b
    Exit codes:
      0  no answer differs; with --fail-on any, nothing does
      1  an answer differs; with --fail-on any, anything does
      2  wrong usage
      3  a state cannot be found, read or loaded
    """
    from app.authoring.diff import compare, side
    from app.authoring.diff.written import FORMATS
    from app.settings import read_settings

    ctx.meta[AS_JSON] = form == "json"
    in_use = read_settings().settings.edition
    with side(old, in_use) as before, side(new, in_use) as after, progress() as told:
        about = packs or tuple(dict.fromkeys((*before.packs, *after.packs)))
        found = compare(
            before.edition,
            after.edition,
            about,
            progress=told,
            names=(old, new),
            answers=only != "axioms",
            probes=probes,
        )
    if form == "text":
        _show(found, axioms=only != "answers", answers=only != "axioms", most=None if every else _MOST)
    else:
        click.echo(FORMATS[form](found, axioms=only != "answers", answers=only != "axioms"))
    differs = bool(found.flips) if fail_on == "answers" else bool(found)
    ctx.exit(NOT_FEASIBLE if differs else ANSWERED)


def _show(found: Difference, *, axioms: bool, answers: bool, most: int | None) -> None:
    from app.authoring.diff.written import asked_lines, changes_counted, consequence_text, counted, grouped

    if answers:
        groups = grouped(found.flips)
        for kind, number, _ in counted(found):
            _print((f"{kind.value}: {number}", _STYLES.get(kind.name, "bold")))
            some = [group for group in groups if group.first.kind is kind]
            for group in some[:most]:
                _show_flip(group, found.changes)
            if most is not None and len(some) > most:
                _print((f"  and {len(some) - most} more: --all shows them", "dim"))
        if not found.flips:
            _print(("no answer differs", "bold green"))
        for line in asked_lines(found):
            _print((line, "dim"))
    if axioms:
        for pack in found.packs_changed:
            changes = list(found.changes_of(pack))
            _print((f"{pack}: {changes_counted(len(changes))}", "bold"))
            for _, change in changes:
                _show_change(change)
        if found.consequences:
            _print((f"what follows otherwise: {len(found.consequences)}", "bold"))
            for each in found.consequences:
                _print((f"  {consequence_text(each, found.changes)}", ""))
        if not found.changes:
            _print(("nothing that is stated differs", "bold green"))


def _show_flip(group: Group, changes: Sequence[Change]) -> None:
    from app.authoring.diff.difference import FlipKind
    from app.authoring.diff.written import because

    flip = group.first
    _print((f"  {flip.question}", ""), (f"   [{flip.place}]", "dim"))
    _print((f"      {flip.old} → ", ""), (flip.new, "bold"), (f"   {', '.join(flip.rules)}", "dim"))
    if told := because(flip, changes):
        _print((f"      {told}", "cyan"))
    for fact in flip.facts[:4]:
        _print((f"      {fact}", "dim"))
    if flip.kind in (FlipKind.WORDING, FlipKind.REPAIR):
        _print((f"      before: {flip.old_text}", "dim"))
        _print((f"      after:  {flip.new_text}", "dim"))
    _print((f"      in {group.source}", "dim"))


def _show_change(change: Change) -> None:
    evidence = f"   ({change.evidence})" if change.evidence else ""
    _print((f"  {change.title}", ""), (evidence, "dim"))
    for mark, said in change.lines:
        _print((f"      {mark} {said}", "red" if mark == "-" else "green"))


def _print(*parts: tuple[str, str]) -> None:
    from rich.text import Text

    from app.cli.show import console, plain

    said: list[Any] = [(plain(text).replace("\n", " "), style) for text, style in parts]
    console().print(Text.assemble(*said), soft_wrap=True)
