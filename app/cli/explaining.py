"""`domain-access explain`: why a fact holds in an M-Instance or a pack, and why a pack contradicts itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli import ANSWERED, AS_JSON, NOT_FEASIBLE
from app.cli.packs import folder_option

if TYPE_CHECKING:
    from app.authoring.blame import Blame, Blamed
    from app.authoring.explain import Scene
    from app.edition import Edition
    from app.model import Triple


@click.command()
@click.argument("fact", metavar="['S P O']", required=False)
@click.option("--m-instance", default="MI1", show_default=True, help="The M-Instance the fact is about.")
@click.option(
    "--pack",
    metavar="PACK",
    help="Ask of this pack, a name or its folder, without a world; without a fact: what is wrong with its logic.",
)
@folder_option
@click.option("--url", metavar="URL", help="The server to ask; without it the configured one, if it runs.")
@click.option(
    "--max",
    "most",
    type=click.IntRange(1, 100),
    help="Tell so many minimal sets of axioms by which it is so, instead of one derivation.",
)
@click.option("--json", "form", flag_value="json", help="Print it as JSON.")
@click.option("--turtle", "form", flag_value="turtle", help="Print it as Turtle.")
@click.pass_context
def explain(
    ctx: click.Context,
    fact: str | None,
    m_instance: str,
    pack: str | None,
    folder: Path | None,
    url: str | None,
    most: int | None,
    form: str | None,
) -> None:
    """Say why a fact holds: by which rules of OWL 2 RL, from which axioms of the packs and facts of the M-Instance.

    \b
    Examples:
      domain-access explain 'Friend2 a Process'
      domain-access explain 'Persona2ID "at" MLocFriend2' --json
      domain-access explain --pack household 'Beer rdfs:subClassOf household:Food' --max 3
      domain-access explain --pack household 'Beer dac:affords drink'
      domain-access explain --pack household
      domain-access explain --pack my/pack 'Beer rdfs:subClassOf Food'

    The world is as it is served now, by the server that runs or else from the data folder, and so are the packs: by
    the active releases, where no folder is given. A term is named by identifier, label, prefixed name or IRI, in
    quotes where it has several words. Where no rule finds a fact, and with --max, minimal sets of axioms from which
    it follows by OWL 2 DL are told: none of a set can be left out. With --pack and no fact: why the pack contradicts
    itself, or which classes can have no members. The exit code is 0 where the fact holds, or the pack is sound, and 1
    where not; then the nearest facts are told.
    """
    if fact is None and pack is None:
        raise click.UsageError("say which fact, 'S P O', or a pack: --pack NAME")
    if pack is None and folder is not None:
        raise click.UsageError("--folder is for --pack: a world stands on what is served")
    ctx.meta[AS_JSON] = form == "json"
    if pack is None:
        holds = _fact_of_world(str(fact), m_instance, url, most, form)
    else:
        edition, name = _one(pack, folder, url)
        holds = (
            _faults(name, most or 1, form, edition)
            if fact is None
            else _fact_of_pack(fact, name, most, form, edition)
        )
    ctx.exit(ANSWERED if holds else NOT_FEASIBLE)


def _one(pack: str, folder: Path | None, url: str | None) -> tuple[Edition, str]:
    from app.cli.packs import packs_served

    edition, names = packs_served((pack,), folder, url)
    if len(names) > 1:
        raise click.UsageError(f"`{pack}` holds several packs, say which with --folder: {', '.join(names)}")
    return edition, names[0]


def _fact_of_world(fact: str, m_instance: str, url: str | None, most: int | None, form: str | None) -> bool:
    from app.authoring.blame import Blame
    from app.authoring.explain import Scene
    from app.cli.served import served
    from app.knowledge import load

    found = served(m_instance, url)
    scene = Scene.of(load(found.edition, found.packs), found.facts, m_instance)
    return _fact(fact, scene, lambda: Blame.of_world(found.edition, found.file, found.text), most, form)


def _fact_of_pack(fact: str, pack: str, most: int | None, form: str | None, edition: Edition) -> bool:
    from app.authoring.blame import Blame
    from app.authoring.explain import Scene
    from app.knowledge import load

    scene = Scene.of(load(edition, (pack,)), (), pack)
    return _fact(fact, scene, lambda: Blame.of_pack(edition, pack), most, form)


def _fact(fact: str, scene: Scene, blame_of: Callable[[], Blame], most: int | None, form: str | None) -> bool:
    """Tell why a fact holds, or what is nearest; whether it holds."""
    from app.authoring.blame import AFFORDS
    from app.authoring.explain import as_json, as_turtle, lines, nearest, prove, read_fact, terms_of

    asked = read_fact(fact, scene)
    proof = prove(asked, scene)
    if proof is None or most is not None or asked[1] == AFFORDS:
        blame = blame_of()
        blamed = blame.fact(asked, most or 1)
        if blamed.justifications:
            _tell_sets(asked, blame, blamed, scene, form)
            return True
    near = () if proof else nearest(asked, scene)
    if form == "json":
        told = {"proof": as_json(proof, scene)} if proof else {"nearest": [terms_of(each) for each in near]}
        _print_json({**_asked(asked, scene), "holds": proof is not None, **told})
    elif form == "turtle" and proof:
        click.echo(as_turtle(proof), nl=False)
    else:
        # what does not hold has no tree: in Turtle it is a comment
        said = list(lines(proof, scene)) if proof else [f"`{scene.said(asked)}` does not hold"]
        _print([*said, *(f"nearest: {scene.said(each)}" for each in near)], "# " if form == "turtle" else "")
    return proof is not None


def _tell_sets(asked: Triple, blame: Blame, blamed: Blamed, scene: Scene, form: str | None) -> None:
    if form == "json":
        _print_json({**_asked(asked, scene), "holds": True, **blame.as_json(blamed)})
    elif form == "turtle":
        click.echo(blame.as_turtle([blamed]), nl=False)
    else:
        _print(blame.lines(blamed))


def _faults(pack: str, most: int, form: str | None, edition: Edition) -> bool:
    """Tell what is wrong with the logic of a pack; whether nothing is."""
    from app.authoring.blame import Blame

    blame = Blame.of_pack(edition, pack)
    found = list(blame.faults(most))
    sound = f"`{pack}` does not contradict itself, and each of its classes can have members"
    if form == "json":
        _print_json({"pack": pack, "sound": not found, "faults": [blame.as_json(each) for each in found]})
    elif form == "turtle":
        click.echo(blame.as_turtle(found) if found else f"# {sound}", nl=not found)
    else:
        _print(line for each in found for line in blame.lines(each)) if found else _print([sound])
    return not found


def _asked(asked: Triple, scene: Scene) -> dict[str, Any]:
    from app.authoring.explain import terms_of

    return {"fact": terms_of(asked), "text": scene.said(asked)}


def _print_json(members: dict[str, Any]) -> None:
    click.echo(json.dumps(members, indent=2))


def _print(lines: Iterable[str], mark: str = "") -> None:
    from app.cli.show import plain

    for line in lines:
        click.echo(mark + plain(line).replace("\n", " "))
