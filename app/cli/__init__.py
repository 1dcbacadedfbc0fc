"""The command `domain-access`. What a command needs is imported when it runs, so that help comes at once.

asking.py    ask, feasible       place.py   a running server, or the service in this process
serving.py   serve, mcp          demo.py    what `serve --demo` shows first
listing.py   settings, rules     show.py    answers, faults and tables for readers
question.py  Requests made here             grounding.py  ground          validating.py   validate
worlds.py    world       world_place.py     a server's worlds, or the data folder's; world_progress.py
releases.py  releases    explaining.py      explain

For authors:
checking.py  check, new-pack     testing.py  test     comparing.py  diff     releasing.py  release
documenting.py  doc              reporting.py   what they found
"""

from __future__ import annotations

from importlib import import_module
from time import perf_counter
from typing import Any, Final

import click

from app.errors import Code, DomainAccessError

BEGUN: Final = perf_counter()

ANSWERED, NOT_FEASIBLE, WRONG_USAGE, TROUBLE, REFUSED = range(5)
"""The exit codes."""

_HELP: Final = """Domain Access: would these Process Actions be accepted, and why.

\b
Examples:
  domain-access serve --demo
  domain-access feasible 'Friend2 MM-Moves Persona2ID From MLocFriend2 To RoomID With SA6'
  domain-access ask request.json --json

\b
Exit codes:
  0  answered; where a plan was judged, it is feasible; terms are grounded; messages conform
  1  answered, but the plan is not wholly feasible, there is no whole answer, or a message does not conform
  2  wrong usage: an option or a setting
  3  trouble with the server or the data
  4  the message was refused; the faults are listed

Every setting is an environment variable DOMAIN_ACCESS_...; `domain-access settings` lists them.
A server with tokens is sent the one in DOMAIN_ACCESS_TOKEN.
"""

_MODULES: Final = {
    "serve": "app.cli.serving",
    "mcp": "app.cli.serving",
    "ask": "app.cli.asking",
    "feasible": "app.cli.asking",
    "ground": "app.cli.grounding",
    "explain": "app.cli.explaining",
    "validate": "app.cli.validating",
    "rules": "app.cli.listing",
    "settings": "app.cli.listing",
    "world": "app.cli.worlds",
    "releases": "app.cli.releases",
    "new-pack": "app.cli.checking",
    "check": "app.cli.checking",
    "test": "app.cli.testing",
    "diff": "app.cli.comparing",
    "release": "app.cli.releasing",
    "doc": "app.cli.documenting",
}
"""Every command and where it is."""

AS_JSON: Final = "domain_access.as_json"
"""Whether faults, too, are wanted as JSON: said by a command, kept in the context."""


class _Commands(click.Group):
    """Imports a command when it is named, and says every DomainAccessError in one way."""

    def list_commands(self, _: click.Context) -> list[str]:
        return list(_MODULES)

    def get_command(self, _: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _MODULES:
            return None
        module = import_module(_MODULES[cmd_name])
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except DomainAccessError as error:
            from app.cli.show import show_faults

            show_faults(error, as_json=bool(ctx.meta.get(AS_JSON)))
            ctx.exit(exit_code(error))


def exit_code(error: DomainAccessError) -> int:
    """What the command ends with for an error."""
    from app.settings import SettingsError

    if isinstance(error, SettingsError):
        return WRONG_USAGE
    return TROUBLE if error.http_status >= Code.INTERNAL.http_status else REFUSED


@click.group("domain-access", cls=_Commands, help=_HELP, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="domain-access", prog_name="domain-access")
def main() -> None:
    """See _HELP, which a reader of the terminal sees."""
