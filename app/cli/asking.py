"""`domain-access ask` and `domain-access feasible`: a question to the server that runs, or to this process."""

from __future__ import annotations

from typing import Any, BinaryIO

import click

from app.cli import ANSWERED, AS_JSON, NOT_FEASIBLE


def _remember(ctx: click.Context, _: click.Parameter, value: bool) -> bool:
    ctx.meta[AS_JSON] = value
    return value


_url = click.option("--url", metavar="URL", help="The server to ask; without it the configured one, if it runs.")
_json = click.option("--json", "as_json", is_flag=True, callback=_remember, help="Print the Response as it is.")


_m_instance = click.option("--m-instance", default="MI1", show_default=True, help="The M-Instance asked about.")
_u_environment = click.option("--u-environment", default="UE1", show_default=True, help="That of the User.")


@click.command()
@click.argument("file", type=click.File("rb"), required=False)
@click.option("--kind", metavar="KIND", help="Make the Request here: its Kind, as affordances.")
@click.option("--question", metavar="TEXT", help="The question in words.")
@click.option("--term", "terms", metavar="WORD", multiple=True, help="A word; may be given again.")
@click.option("--entity", "entities", metavar="ID", multiple=True, help="A thing asked about; may be given again.")
@click.option("--space", metavar="ID", help="The place asked about.")
@_m_instance
@_u_environment
@click.option("--user", metavar="PROCESS", help="The User for whom it is asked.")
@_url
@_json
@click.pass_context
def ask(
    ctx: click.Context,
    file: BinaryIO | None,
    kind: str | None,
    question: str | None,
    terms: tuple[str, ...],
    entities: tuple[str, ...],
    space: str | None,
    m_instance: str,
    u_environment: str,
    user: str | None,
    url: str | None,
    as_json: bool,
) -> None:
    """Ask a BKN-DAC Request: FILE holds it as JSON, - reads stdin; or --kind and what it is about make one.

    \b
    Examples:
      domain-access ask schemas/examples/bkn-dac/valid/feasibility_request.json
      domain-access ask - --json < request.json
      domain-access ask --kind affordances --user Friend2 --entity Persona2ID
      domain-access ask --kind semantic_grounding --term stream --term place
    """
    from app.cli.place import open_place
    from app.cli.question import fresh_id, request, session_body

    if (file is None) == (kind is None):
        raise click.UsageError("either FILE or --kind: where does the Request come from?")
    session = fresh_id()
    if file is not None:
        raw = file.read()
    else:
        _known(str(kind))
        members: dict[str, object] = {
            "Question": question,
            "Terms": [{"Text": term} for term in terms],
            "EntityIDs": list(entities),
            "Space": {"SpaceID": space} if space is not None else None,
        }
        given = {name: value for name, value in members.items() if value}
        raw = request(str(kind), m_instance, u_environment, session, **given)
    with open_place(url) as place:
        if user is not None and file is None:
            place.set_session(session, session_body(m_instance, u_environment, user))
        response = place.answer(raw)
        _tell(ctx, raw, response, place.explanation_at, as_json)


def _known(kind: str) -> None:
    """Refuse a Kind that the exchange does not have, with those that are served."""
    from app.kinds import KINDS

    if kind not in KINDS:
        raise click.BadParameter(f"`{kind}` is none of {', '.join(KINDS)}", param_hint="--kind")


@click.command()
@click.argument("statements", metavar="'STATEMENT' ...", nargs=-1, required=True)
@_m_instance
@_u_environment
@click.option("--user", metavar="PROCESS", help="Who acts in a statement that names no Process.")
@_url
@_json
@click.pass_context
def feasible(
    ctx: click.Context,
    statements: tuple[str, ...],
    m_instance: str,
    u_environment: str,
    user: str | None,
    url: str | None,
    as_json: bool,
) -> None:
    """Judge a plan: one Process Action statement a step, in order, each in quotes.

    \b
    Examples:
      domain-access feasible 'Friend2 MM-Moves Persona2ID From MLocFriend2 To RoomID With SA6'
      domain-access feasible --user Friend2 'MM-Moves Persona2ID From MLocFriend2 To MVS With SA6'
      domain-access feasible 'human1 Registers With Profile-human1' 'Friend1 Identifies DataID With Qualifier'
    """
    from app.cli.place import open_place
    from app.cli.question import fresh_id, plan_request, session_body

    session = fresh_id()
    raw = plan_request(enumerate(statements), m_instance, u_environment, session)
    with open_place(url) as place:
        if user is not None:
            place.set_session(session, session_body(m_instance, u_environment, user))
        response = place.answer(raw)
        _tell(ctx, raw, response, place.explanation_at, as_json)


def _tell(ctx: click.Context, raw: bytes, response: bytes, explanation_at: str, as_json: bool) -> None:
    import json

    answered: dict[str, Any] = json.loads(response)
    if as_json:
        click.echo(response)
    else:
        from app.cli.show import show_response

        show_response(json.loads(raw), answered, explanation_at)
    ctx.exit(ANSWERED if _wholly(answered) else NOT_FEASIBLE)


def _wholly(response: dict[str, Any]) -> bool:
    overall = response.get("Feasibility", {}).get("Overall", "feasible")
    return bool(response["Outcome"] == "answered" and overall == "feasible")
