"""`domain-access settings` and `domain-access rules`: what is set, and what decides."""

from __future__ import annotations

import json
from pathlib import Path

import click

from app.cli.packs import folder_option


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def settings(as_json: bool) -> None:
    """List the settings: each with its value, where it comes from, and what it means.

    \b
    Examples:
      domain-access settings
      DOMAIN_ACCESS_PORT=8001 domain-access settings --json

    A TOML file is read where DOMAIN_ACCESS_SETTINGS names one; the environment goes before it.
    """
    from app.settings import read_settings

    origins = read_settings().origins
    if as_json:
        found = {each.name: {"value": each.value, "from": each.origin, "meaning": each.meaning} for each in origins}
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    from app.cli.show import show_rows

    rows = [(each.name, _said(each.value), each.origin, each.meaning) for each in origins]
    show_rows(("Setting", "Value", "From", "Meaning"), rows)


@click.command()
@click.argument("packs", metavar="[PACK...]", nargs=-1)
@folder_option
@click.option("--url", metavar="URL", help="The server to ask; without it the configured one, if it runs.")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def rules(packs: tuple[str, ...], folder: Path | None, url: str | None, as_json: bool) -> None:
    """List the rules that decide in the served worlds, or in packs: id, PA Status, Actions or need, title.

    Packs are named or given by their folders; they are as the active releases have them, where no folder is given.

    \b
    Examples:
      domain-access rules
      domain-access rules --json
      domain-access rules my/pack
      domain-access rules bakery --folder my/packs
    """
    from app.cli.packs import packs_served
    from app.cli.served import served_edition
    from app.rules import load
    from app.settings import read_settings

    if packs or folder is not None:
        domain = load(*packs_served(packs, folder, url))
    else:
        domain = load(served_edition(url), read_settings().settings.worlds)
    found = sorted(domain.rules.values(), key=lambda rule: (rule.status.rank, rule.id))
    if as_json:
        shown = [
            {
                "id": rule.id,
                "status": rule.status.value,
                "actions": sorted(rule.actions),
                "need": rule.need,
                "title": rule.title.english,
                "clause": rule.clause,
                "source": rule.source,
            }
            for rule in found
        ]
        click.echo(json.dumps(shown, indent=2, ensure_ascii=False))
        return
    from app.cli.show import show_rows

    show_rows(
        ("Rule", "PA Status", "Actions", "Title"),
        [
            (
                rule.id,
                rule.status.value,
                f"need `{rule.need}`" if rule.need else ", ".join(sorted(rule.actions)) or "all",
                rule.title.english,
            )
            for rule in found
        ],
    )


def _said(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
