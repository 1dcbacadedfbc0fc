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

    The paths are described at /docs. Logs go to stderr.
    """
    from app.serve_http import serve as serve_http
    from app.settings import read_settings

    settings = read_settings(host=host, port=port).settings
    if demo:
        from app.cli.demo import demo_of

        serve_http(settings, opening=demo_of(settings), begun=BEGUN)
    else:
        serve_http(settings, begun=BEGUN)
