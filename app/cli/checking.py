"""`domain-access check` and `domain-access new-pack`: is a pack sound, and one to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli import NOT_FEASIBLE, WRONG_USAGE
from app.cli.packs import folder_option, packs_meant
from app.cli.reporting import EXIT_CODES, output_options, progress, show_report

if TYPE_CHECKING:
    from app.authoring.problems import Step
    from app.edition import Edition

_CHECK_HELP = f"""Check packs, all of them or those named: files, terms, pitfalls, logic, rules, shapes and worlds.

    PACK is the name of a pack, its folder wherever that lies, or an ontology that is no pack (.ttl, .rdf, .owl,
    .ofn): then what holds of any ontology is checked, and this project's conventions only warn.

    \b
    Examples:
      domain-access check
      domain-access check museum_tour household
      domain-access check --folder my-packs bakery
      domain-access check ontologies/museum_tour --fail-on warning --format sarif
      domain-access check Brick.ttl --skip words
      domain-access check --list
{EXIT_CODES}"""


@click.command(help=_CHECK_HELP)
@click.argument("packs", metavar="[PACK]...", nargs=-1)
@folder_option
@click.option(
    "--skip", metavar="STEP", multiple=True, help="A step to leave out; may be repeated. --list names them."
)
@click.option("--list", "listed", is_flag=True, help="List the steps and every check instead.")
@click.option("--turtle", is_flag=True, help="Print the ontology of the one PACK as Turtle instead.")
@output_options
@click.pass_context
def check(
    ctx: click.Context,
    packs: tuple[str, ...],
    folder: Path | None,
    skip: tuple[str, ...],
    listed: bool,
    turtle: bool,
    form: str,
    fail_on: str,
) -> None:
    """See _CHECK_HELP."""
    from app.authoring.check import STEPS, check, check_file
    from app.authoring.problems import Report
    from app.nearest import did_you_mean

    if listed:
        _list(form)
        return
    known = [stage.name for stage in STEPS]
    for name in (name for name in skip if name not in known):
        raise click.UsageError(f"there is no step `{name}`: {did_you_mean(name, known, ', '.join(known))}")
    edition, names, files = packs_meant(packs, folder)
    if turtle:
        _print_turtle(ctx, edition, files, names)
        return
    done: list[Step] = []
    with progress() as told:
        for path in files:
            done += check_file(edition, path, skip=skip, progress=told).steps
        done += check(edition, names, skip=skip, progress=told).steps
    ctx.exit(show_report(Report("check", tuple(done)), form, fail_on))


@click.command("new-pack")
@click.argument("name")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where to make its folder; otherwise among the packs of the settings.",
)
@click.option("--title", help="What it is about, for readers; otherwise made of the name.")
@click.pass_context
def new_pack(ctx: click.Context, name: str, folder: Path | None, title: str | None) -> None:
    """Make a pack to begin with: small, complete, and passing check and test.

    \b
    Examples:
      domain-access new-pack bakery --title "A bakery in the metaverse"
      domain-access new-pack bakery --folder my-packs
    """
    from app.authoring.new_pack import new_pack
    from app.cli.show import show_faults
    from app.errors import PackError
    from app.settings import read_settings

    edition = read_settings().settings.edition
    try:
        made = new_pack(edition, name, folder or edition.ontologies, title or "")
    except PackError as error:
        show_faults(error, as_json=False)
        ctx.exit(WRONG_USAGE)
    for path in made:
        click.echo(path)
    where = f" --folder {folder}" if folder else ""
    click.echo(f"next: domain-access check{where} {name}", err=True)


def _list(form: str) -> None:
    import json

    from app.authoring.check import CHECKS, STEPS
    from app.cli.show import show_rows

    if form == "json":
        steps = [{"step": stage.name, "does": stage.does, "of_files": stage.of_files} for stage in STEPS]
        checks = [
            {"code": each.code, "severity": each.severity.value, "title": each.title, "why": each.why}
            for each in CHECKS.values()
        ]
        click.echo(json.dumps({"steps": steps, "checks": checks}, indent=2, ensure_ascii=False))
        return
    show_rows(("Step", "What it does"), [(stage.name, stage.does) for stage in STEPS])
    shown = [(each.code, each.severity.value, f"{each.title}: {each.why}") for each in CHECKS.values()]
    show_rows(("Check", "Severity", "What is wrong, and why it matters"), shown)


def _print_turtle(ctx: click.Context, edition: Edition, files: list[Path], names: list[str]) -> None:
    """The ontology of the one thing named, as Turtle."""
    from rdflib import Graph

    from app.authoring.check.subject import Subject

    subjects = [Subject(edition, path.name, path) for path in files] + [Subject(edition, name) for name in names]
    if len(subjects) != 1:
        raise click.UsageError("--turtle takes one PACK")
    source = subjects[0].ontology
    if not source.usable:
        said = f"{source.fault.where}: {source.fault.message}" if source.fault else source.unread
        click.echo(f"error: {said}", err=True)
        ctx.exit(NOT_FEASIBLE)
    graph = Graph().parse(data=source.rdf, format="xml" if source.syntax in ("rdfxml", "functional") else "turtle")
    click.echo(graph.serialize(format="turtle"), nl=False)
