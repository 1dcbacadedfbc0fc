"""`domain-access settings` and `domain-access rules`: what is set, and what decides."""

from __future__ import annotations

import json

import click


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
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def rules(as_json: bool) -> None:
    """List the rules that decide in the served worlds: id, PA Status, Actions or need, title.

    \b
    Examples:
      domain-access rules
      domain-access rules --json
    """
    from app.rules import load
    from app.settings import read_settings

    configured = read_settings().settings
    domain = load(configured.edition, configured.worlds)
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
