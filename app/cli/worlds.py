"""`domain-access world`: the worlds of the server that runs, or of the data folder where none does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from app.cli import ANSWERED, AS_JSON, NOT_FEASIBLE

if TYPE_CHECKING:
    from app.cli.world_place import WorldPlace


def _remember(ctx: click.Context, _: click.Parameter, value: bool) -> bool:
    ctx.meta[AS_JSON] = value
    return value


_url = click.option("--url", metavar="URL", help="The server to ask; without it the configured one, if it runs.")
_json = click.option("--json", "as_json", is_flag=True, callback=_remember, help="Print it as JSON.")
_one = click.argument("m_instance", metavar="M_INSTANCE")
_form = click.option("--format", "suffix", metavar="SUFFIX", help="ttl, nt, trig, nq, jsonld or rdf.")


@click.group("world")
def world() -> None:
    """Look at the worlds of M-Instances, and change them.

    \b
    Examples:
      domain-access world list
      domain-access world dump MI1 -o MI1.ttl
      domain-access world load MI1.ttl
      domain-access world show Persona2ID --m-instance MI1
    """


@world.command("list")
@_url
@_json
def list_worlds(url: str | None, as_json: bool) -> None:
    """List the worlds served: M-Instance, version, when it was changed, packs, graph."""
    with _place(url) as place:
        found = place.listed()
    if as_json:
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    from app.cli.show import show_rows

    show_rows(
        ("M-Instance", "Version", "Changed", "Packs", "Graph"),
        [
            (
                each["m_instance"],
                _state(each),
                str(each.get("changed", ""))[:19].replace("T", " "),
                ", ".join(each.get("packs", ())),
                each.get("graph", ""),
            )
            for each in found
        ],
    )


@world.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--m-instance", metavar="NAME", help="The M-Instance; without it the one the file describes.")
@click.option("--add", is_flag=True, help="Add the facts; without it they replace the world.")
@click.option("--if-version", metavar="VERSION", help="Only if the world is at this version still.")
@_form
@_url
@_json
def load(
    file: Path,
    m_instance: str | None,
    add: bool,
    if_version: str | None,
    suffix: str | None,
    url: str | None,
    as_json: bool,
) -> None:
    """Load a world from FILE: validated first, then there as a whole, or not at all.

    \b
    Examples:
      domain-access world load MI1.ttl
      domain-access world load more.nt --add --m-instance MI1 --if-version 17-3f2a9c1b
    """
    from app.cli.world_place import form_of, named_in
    from app.cli.world_progress import loading

    form = form_of(file, suffix)
    name = m_instance or named_in(file, form)
    with _place(url) as place, loading(place, name, file.stat().st_size) as sent:
        told = place.load(name, file, form, add=add, if_version=if_version, sent=sent)
    if as_json:
        click.echo(json.dumps({"m_instance": name, **told}, indent=2, ensure_ascii=False))
        return
    for warning in told["warnings"]:
        click.echo(f"warning: {warning}", err=True)
    click.echo(f"{name} is at version {told['version']}" + (", a new M-Instance" if told["created"] else ""))


@world.command()
@_one
@click.option("-o", "--output", type=click.File("wb"), default="-", help="Where to; stdout without it.")
@_form
@_url
def dump(m_instance: str, output: BinaryIO, suffix: str | None, url: str | None) -> None:
    """Write a world as a document: Turtle, or the format of --format.

    \b
    Examples:
      domain-access world dump MI1 > MI1.ttl
      domain-access world dump MI1 --format nt -o MI1.nt
    """
    from app.cli.world_place import form_of

    with _place(url) as place:
        version = place.dump(m_instance, form_of(Path("x.ttl"), suffix), output)
    click.echo(f"{m_instance} at version {version}", err=True)


@world.command()
@click.argument("entity")
@click.option("--m-instance", default="MI1", show_default=True, help="The M-Instance it is in.")
@_url
@_json
def show(entity: str, m_instance: str, url: str | None, as_json: bool) -> None:
    """Show what is said of an ENTITY, and what points at it: its identifier, or its IRI in < >.

    \b
    Examples:
      domain-access world show Persona2ID
      domain-access world show '<https://mi1.example/Room%20A>' --m-instance MI1
    """
    with _place(url) as place:
        rows = place.facts_of(m_instance, entity)
    if as_json:
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    from app.cli.show import show_rows

    show_rows(("Subject", "Property", "Value"), rows)


@world.command()
@_one
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True, help="Versions to show.")
@_url
@_json
def log(m_instance: str, limit: int, url: str | None, as_json: bool) -> None:
    """Show the versions of a world, the newest first: when, by whom, how."""
    with _place(url) as place:
        versions = place.versions(m_instance, limit)
    if as_json:
        click.echo(json.dumps(versions, indent=2, ensure_ascii=False))
        return
    from app.cli.show import show_rows

    show_rows(
        ("Version", "When", "Who", "How", "Added", "Removed"),
        [
            (
                v["version"],
                v["time"][:19].replace("T", " "),
                v["who"],
                v["how"],
                f"{v['added']:,}",
                f"{v['removed']:,}",
            )
            for v in versions
        ],
    )


@world.command()
@_one
@_url
@click.pass_context
def check(ctx: click.Context, m_instance: str, url: str | None) -> None:
    """Validate a world as it is: vocabulary, identifiers, references, shapes, logic."""
    with _place(url) as place:
        report = place.checked(m_instance)
    click.echo(report, nl=False)
    ctx.exit(NOT_FEASIBLE if "violation:" in report else ANSWERED)


def _state(said: dict[str, Any]) -> str:
    """The version that a world is at, if it is there, and what is being made of it, if anything is."""
    under_way = f"{said['doing']} {said['done']:,}" if "doing" in said else ""
    return ", ".join(filter(None, (said.get("version"), under_way)))


@contextmanager
def _place(url: str | None) -> Iterator[WorldPlace]:
    from app.cli.world_place import open_world_place

    with open_world_place(url) as place:
        yield place
