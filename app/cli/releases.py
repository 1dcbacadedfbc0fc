"""`domain-access releases`: which releases of packs are active, at the server that runs or where none does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol

import click

from app.cli import AS_JSON

if TYPE_CHECKING:
    from app.cli.place import Server

SHIPPED: Final = "shipped"
"""What stands for the version of a pack as shipped."""


class ReleasePlace(Protocol):
    """Who activates releases. Every method raises DomainAccessError."""

    def described(self) -> dict[str, Any]:
        """What there is, what is valid of it, and what is active."""

    def activate(self, wanted: Mapping[str, str | None]) -> dict[str, Any]:
        """Make releases active; what is active then."""

    def roll_back(self) -> dict[str, Any]:
        """Make the set before active; what is active then."""


class Remote:
    """A server."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def described(self) -> dict[str, Any]:
        """See ReleasePlace."""
        found: dict[str, Any] = json.loads(self._server.get("/v1/releases"))
        return found

    def activate(self, wanted: Mapping[str, str | None]) -> dict[str, Any]:
        """See ReleasePlace."""
        body = json.dumps({"packs": dict(wanted)}).encode()
        found: dict[str, Any] = json.loads(self._server.change("PUT", "/v1/releases/active", body))
        return found

    def roll_back(self) -> dict[str, Any]:
        """See ReleasePlace."""
        found: dict[str, Any] = json.loads(self._server.change("POST", "/v1/releases/rollback", b""))
        return found


def _remember(ctx: click.Context, _: click.Parameter, value: bool) -> bool:
    ctx.meta[AS_JSON] = value
    return value


_url = click.option("--url", metavar="URL", help="The server to ask; without it the configured one, if it runs.")
_json = click.option("--json", "as_json", is_flag=True, callback=_remember, help="Print it as JSON.")


@click.group("releases")
@_url
@click.pass_context
def releases(ctx: click.Context, url: str | None) -> None:
    """List the releases of packs, activate some, go back to those before.

    \b
    Examples:
      domain-access releases list
      domain-access releases activate museum_tour@0.2.0
      domain-access releases activate core@0.2.0 museum_tour@0.3.0 household@shipped
      domain-access releases rollback
      domain-access releases --url http://127.0.0.1:8001 list

    They lie in DOMAIN_ACCESS_RELEASES, as NAME/VERSION. A server goes on answering meanwhile, and all that share its
    database follow. Where anything is wrong nothing changes: the exit code is 4, and every fault is told.
    """
    ctx.default_map = {command: {"url": url} for command in ("list", "activate", "rollback")}


@releases.command("list")
@_url
@_json
def list_releases(url: str | None, as_json: bool) -> None:
    """List the releases there are, and what is active, since when, by whom."""
    with _place(url) as place:
        found = place.described()
    if as_json:
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    from app.cli.show import show_rows

    show_rows(("Pack", "Version", "State", "Made with"), _rows(found))
    click.echo(_said(found))
    behind = found.get("this_process", {}).get("not_loaded")
    if behind is not None:
        click.echo(f"this server could not load generation {behind['generation']} and answers as before:", err=True)
        for error in behind.get("errors", ()):
            click.echo(f"  {error['pointer']}: {error['message']}", err=True)


@releases.command()
@click.argument("named", metavar="NAME@VERSION...", nargs=-1, required=True)
@_url
@_json
def activate(named: Sequence[str], url: str | None, as_json: bool) -> None:
    """Make releases active; NAME@shipped is the pack as shipped. What is not named stays as it is.

    \b
    Examples:
      domain-access releases activate museum_tour@0.2.0
      domain-access releases activate museum_tour@shipped --url http://127.0.0.1:8001
    """
    wanted = _wanted(named)
    with _place(url) as place:
        _show(place.activate(wanted), as_json)


@releases.command()
@_url
@_json
def rollback(url: str | None, as_json: bool) -> None:
    """Make the set before the active one active again, as a new generation."""
    with _place(url) as place:
        _show(place.roll_back(), as_json)


def _wanted(named: Sequence[str]) -> dict[str, str | None]:
    """Raises SettingsError with every text that names no release, or a pack that another names, too."""
    from app.errors import Code, Fault
    from app.settings import SettingsError

    parts = [each.partition("@") for each in named]
    hint = "expected: NAME@VERSION, as museum_tour@0.2.0"
    faults = [
        Fault(Code.WRONG_VALUE, f"`{name}{at}{version}` names no release", "NAME@VERSION", hint=hint)
        for name, at, version in parts
        if not (name and version)
    ]
    names = [name for name, _, _ in parts]
    faults += [
        Fault(Code.WRONG_VALUE, f"`{name}` is named more than once", "NAME@VERSION")
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    ]
    if faults:
        raise SettingsError(*faults)
    return {name: None if version == SHIPPED else version for name, _, version in parts}


def _rows(found: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """A row for each release, and for each pack as shipped."""
    rows = [
        (name, version, "shipped" if name in found["active"] else "shipped, active", "")
        for name, version in found["shipped"].items()
    ]
    for each in found["releases"]:
        state = "active" if each["active"] else "valid"
        if not each["valid"]:
            first, *more = each["errors"]
            state = f"damaged: {first['pointer']}: {first['message']}" + (f", and {len(more)} more" if more else "")
        made_with = ", ".join(f"{name}@{version}" for name, version in each.get("requires", {}).items())
        rows.append((each["name"], each["version"], state, made_with))
    return sorted(rows, key=lambda row: row[0])


def _show(active: Mapping[str, Any], as_json: bool) -> None:
    click.echo(json.dumps(active, indent=2, ensure_ascii=False) if as_json else _said(active))
    for world in active.get("worlds_kept", ()):
        how = f"to take that of the release: domain-access world load {world['file']}"
        click.echo(f"the world {world['m_instance']} stays as it is; {how}", err=True)


def _said(active: Mapping[str, Any]) -> str:
    packs = ", ".join(f"{name}@{version}" for name, version in sorted(active["active"].items()))
    since = f", since {active['since'][:19].replace('T', ' ')} by {active['by']}" if active["since"] else ""
    return f"generation {active['generation']}: {packs or 'packs as shipped'}{since}"


@contextmanager
def _place(url: str | None) -> Iterator[ReleasePlace]:
    from app.cli.place import Server, server_or_settings

    found = server_or_settings(url)
    if isinstance(found, Server):
        yield Remote(found)
        return
    from app.service.at_rest import at_rest

    with at_rest(found) as place:
        yield place
