"""`domain-access release`: a pack checked, tested, compared with the release before, and written for good."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.packs import folder_option, packs_meant
from app.cli.reporting import EXIT_CODES, output_options, progress, show_report

if TYPE_CHECKING:
    from app.authoring.release import Released


@click.command(epilog=EXIT_CODES)
@click.argument("packs", nargs=-1, metavar="[PACK]...")
@click.option("--to", "root", type=click.Path(path_type=Path), help="Folder of releases; that of the settings.")
@click.option("--dry-run", is_flag=True, help="Do all but write the release.")
@folder_option
@output_options
@click.pass_context
def release(
    ctx: click.Context,
    packs: tuple[str, ...],
    folder: Path | None,
    root: Path | None,
    dry_run: bool,
    form: str,
    fail_on: str,
) -> None:
    """Release packs, all of them where none is named, each with the version in its pack.toml.

    \b
    Examples:
      domain-access release museum_tour
      domain-access release museum_tour --to releases --dry-run

    A pack is released if `check` and `test` pass, its version tells what has changed since the release before, and
    the `## VERSION` section of its CHANGELOG.md names every answer that flips. A release is never changed: with the
    same content the command does nothing, with another it is refused. `domain-access releases activate` serves it.
    """
    from app.authoring.problems import Report
    from app.authoring.release import release as make
    from app.settings import read_settings

    root = root or read_settings().settings.releases_folder
    edition, names, files = packs_meant(packs, folder)
    if files:
        raise click.UsageError(f"`{files[0]}` is no pack: a pack is a folder with a pack.toml")
    with progress() as told:
        found = [make(edition, name, root, dry_run=dry_run, progress=told) for name in names]
    report = Report("release", tuple(step for each in found for step in each.report.steps))
    code = show_report(report, form, fail_on)
    for pack, each in zip(names, found, strict=True):
        click.echo(_said(pack, each, root, dry_run=dry_run), err=form != "text")
    ctx.exit(code)


def _said(pack: str, released: Released, root: Path, *, dry_run: bool) -> str:
    after = f"after {released.before}" if released.before else "the first"
    if released.release is None:
        return f"{pack}: not released; {after}, the version must be {released.least} at least"
    source = released.release.source
    if dry_run:
        return f"{source}: would be released; {after}, {released.least} at least"
    place = root / pack / released.release.version
    return f"{source}: {'released' if released.is_new else 'was released before, and is the same'} ({after}): {place}"
