"""`domain-access doc`: a static site of packs, to be read without server and network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli import ANSWERED
from app.cli.packs import folder_option

if TYPE_CHECKING:
    from app.edition import Edition


@click.command()
@click.argument("packs", metavar="[PACK...]", nargs=-1)
@click.option("--all", "every", is_flag=True, help="Every pack there is, or that --folder holds.")
@folder_option
@click.option("--output", required=True, type=click.Path(path_type=Path), help="The folder to write the site into.")
@click.pass_context
def doc(ctx: click.Context, packs: tuple[str, ...], every: bool, folder: Path | None, output: Path) -> None:
    """Write a site of packs: classes, properties, uses, norms, rules with their cases, worlds, questions, plans.

    It needs no server, no network and no script. Links lead from pack to pack where several are made.

    \b
    Examples:
      domain-access doc household --output site
      domain-access doc --all --output site
      domain-access doc my/pack --output site

    The folder must be new, empty, or one that this command wrote: there, files that are no more are removed. A folder
    that holds anything else is refused.
    """
    from app.authoring.doc import refuse_foreign, write
    from app.cli.show import plain

    edition, names = _named(packs, every, folder)
    refuse_foreign(output)
    written = write(_pages(names, edition), output)
    went = f", {written.removed:,} of an earlier run removed" if written.removed else ""
    click.echo(f"{written.files:,} files, {written.changed:,} of them new or changed{went}", err=True)
    click.echo(plain(f"Open {(output / 'index.html').resolve()}"))
    ctx.exit(ANSWERED)


def _named(packs: tuple[str, ...], every: bool, folder: Path | None) -> tuple[Edition, list[str]]:
    """The packs asked for, core first. Raises UsageError where none is, and with each that is unknown."""
    from app.cli.packs import packs_only
    from app.edition import CORE
    from app.settings import read_settings

    if bool(packs) == every and (every or folder is None):
        known = read_settings().settings.edition.names()
        raise click.UsageError(f"name packs, or say --all; there are: {', '.join(known)}")
    edition, names = packs_only(packs, folder)
    return edition, sorted(set(names), key=lambda name: (name != CORE, name))


def _pages(names: list[str], edition: Edition) -> dict[str, str]:
    """Every page of the site; all packs are read before, so that each tells its faults."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from app.authoring.doc import count, pages, read_subject
    from app.cli.show import console
    from app.errors import Fault, PackError

    subjects, faults = [], dict[Fault, None]()
    for name in names:
        click.echo(f"reading {name}", err=True)
        try:
            subjects.append(read_subject(edition, name))
        except PackError as error:
            faults |= dict.fromkeys(error.faults)
    if faults:
        raise PackError(*faults)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    shown = console(error=True)
    with Progress(*columns, console=shown, transient=True, disable=not shown.is_terminal) as progress:
        return dict(progress.track(pages(subjects), total=count(subjects), description="writing pages"))
