"""`domain-access explain`: why a fact holds in an M-Instance, down to the axioms and facts it rests on."""

from __future__ import annotations

import json

import click

from app.cli import ANSWERED, AS_JSON, NOT_FEASIBLE


@click.command()
@click.argument("fact", metavar="'S P O'")
@click.option("--m-instance", default="MI1", show_default=True, help="The M-Instance the fact is about.")
@click.option("--json", "form", flag_value="json", help="Print the tree as JSON.")
@click.option("--turtle", "form", flag_value="turtle", help="Print the tree as Turtle.")
@click.pass_context
def explain(ctx: click.Context, fact: str, m_instance: str, form: str | None) -> None:
    """Say why a fact holds: by which rules of OWL 2 RL, from which axioms of the packs and facts of the M-Instance.

    \b
    Examples:
      domain-access explain 'Friend2 a Process'
      domain-access explain 'Persona2ID "at" MLocFriend2' --json
      domain-access explain 'mmm:User rdfs:subClassOf mmm:Process' --turtle

    A term is named by identifier, label, prefixed name or IRI, in quotes where it has several words. The exit code is
    0 where the fact holds and 1 where it does not; then the facts that come nearest are told.
    """
    from app.authoring.explain import Scene, as_json, as_turtle, lines, nearest, prove, read_fact, terms_of
    from app.cli.served import packs_and_world
    from app.knowledge import load
    from app.settings import read_settings

    ctx.meta[AS_JSON] = form == "json"
    settings = read_settings().settings
    packs, world = packs_and_world(m_instance, settings)
    scene = Scene.of(load(settings.edition, packs), world, m_instance)
    asked = read_fact(fact, scene)
    proof = prove(asked, scene)
    near = () if proof else nearest(asked, scene)
    if form == "json":
        shown = {"fact": terms_of(asked), "text": scene.said(asked), "holds": proof is not None}
        told = {"proof": as_json(proof, scene)} if proof else {"nearest": [terms_of(each) for each in near]}
        click.echo(json.dumps({**shown, **told}, indent=2))
    elif form == "turtle" and proof:
        click.echo(as_turtle(proof), nl=False)
    else:
        from app.cli.show import plain

        # what does not hold has no tree: in Turtle it is a comment
        mark = "# " if form == "turtle" else ""
        said = list(lines(proof, scene)) if proof else [f"`{scene.said(asked)}` does not hold"]
        said += [f"nearest: {scene.said(each)}" for each in near]
        for line in said:
            click.echo(mark + plain(line).replace("\n", " "))
    ctx.exit(ANSWERED if proof else NOT_FEASIBLE)
