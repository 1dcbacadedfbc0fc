"""`domain-access serve`."""

from __future__ import annotations

import click

from app.cli import BEGUN


@click.command()
@click.option("--host", metavar="ADDRESS", help="Address to serve on; beyond loopback only with tokens.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to serve on; 0 takes any that is free.")
@click.option("--demo", is_flag=True, help="First judge the example plan, and print a question to paste.")
def serve(host: str | None, port: int | None, demo: bool) -> None:
    """Serve over HTTP until SIGTERM or Ctrl+C.

    \b
    Examples:
      domain-access serve
      domain-access serve --port 8001 --demo
      DOMAIN_ACCESS_TOKENS=tokens.toml domain-access serve --host 0.0.0.0

    The paths are described at /docs; MCP is at /mcp. Logs go to stderr. SIGHUP activates the newest releases of
    packs (`domain-access releases --help`).
    """
    from app.serve_http import serve as serve_http
    from app.serve_mcp import add_mcp
    from app.settings import read_settings

    settings = read_settings(host=host, port=port).settings
    if demo:
        from app.cli.demo import demo_of

        serve_http(settings, opening=demo_of(settings), mount=add_mcp, begun=BEGUN)
    else:
        serve_http(settings, mount=add_mcp, begun=BEGUN)


@click.command()
@click.option("--url", metavar="URL", help="The server to pass on to; without it the configured one, if it runs.")
def mcp(url: str | None) -> None:
    """Speak the Model Context Protocol over stdin and stdout, for an agent's host that starts this command.

    \b
    Examples:
      domain-access mcp
      DOMAIN_ACCESS_MCP_M_INSTANCE=MI1 domain-access mcp

    A running server is asked, through its /mcp; without one the data folder is opened here.
    """
    import anyio

    from app.cli.place import Here, Server, open_place
    from app.serve_mcp import pass_on, serve_stdio
    from app.settings import read_settings

    with open_place(url) as place:
        if isinstance(place, Server):
            anyio.run(pass_on, f"{place.url}/mcp")
        else:
            assert isinstance(place, Here)
            anyio.run(serve_stdio, place.service, read_settings().settings)
