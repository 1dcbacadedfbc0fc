"""`domain-access release`: a pack checked, tested, compared with the release before, and written for good."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.packs import folder_option, packs_only
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
    edition, names = packs_only(packs, folder)
    found: list[Released] = []
    try:
        with progress() as told:
            for name in names:
                found.append(make(edition, name, root, dry_run=dry_run, progress=told))
    except KeyboardInterrupt:
        done = [each.release.source for each in found if each.release and each.is_new and not dry_run]
        click.echo(f"interrupted: {', '.join(done) or 'nothing'} was released", err=True)
        raise
    report = Report("release", tuple(step for each in found for step in each.report.steps))
    code = show_report(report, form, fail_on)
    for pack, each in zip(names, found, strict=True):
        click.echo(last_line(pack, each, root, dry_run=dry_run), err=form != "text")
    ctx.exit(code)


def last_line(pack: str, released: Released, root: Path, *, dry_run: bool) -> str:
    """What came of one pack, in a line."""
    from app.authoring.problems import Severity
    from app.authoring.release import UNFIT, VERSION_TOO_LOW

    after = f"after {released.before}" if released.before else "the first"
    if released.release is None:
        errors = [problem for problem in released.report.problems if problem.check.severity is Severity.ERROR]
        if any(problem.check is VERSION_TOO_LOW for problem in errors):
            return f"{pack}: not released; {after}, the version must be {released.least} at least"
        unfit = [problem.message for problem in errors if problem.check is UNFIT]
        return f"{pack}: not released: {unfit[0] if unfit else 'see what is wrong above'}"
    source = released.release.source
    place = root / pack / released.release.version
    if not released.is_new:
        return f"{source}: was released before, and is the same ({after}): {place}"
    if dry_run:
        return f"{source}: would be released; {after}, {released.least} at least"
    return f"{source}: released ({after}): {place}"
