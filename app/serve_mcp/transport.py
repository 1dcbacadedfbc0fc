"""Where MCP is spoken: at /mcp of the HTTP server, or over stdin and stdout."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import version
from typing import Any, Final

import httpx2
from anyio import create_task_group
from mcp.client.streamable_http import streamable_http_client
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.routing import BaseRoute

from app.model import Principal
from app.serve_mcp.server import NAME, Context, create_server, local
from app.service import Service
from app.settings import CLIENT_TOKEN, Settings

PATH: Final = "/mcp"
_LOOPBACK: Final = ("127.0.0.1:*", "localhost:*", "[::1]:*", "127.0.0.1", "localhost", "[::1]")

Mounted = tuple[Sequence[BaseRoute], Callable[[], AbstractAsyncContextManager[None]]]


def add_mcp(
    service_of: Callable[[], Service], who_asks: Callable[[Request], Principal], settings: Settings
) -> Mounted:
    """The routes of MCP, and what must run while they are served: one server for every revision of the protocol."""

    def principal(context: Context) -> Principal:
        assert isinstance(context.request, Request)
        return who_asks(context.request)

    server = create_server(service_of, version(NAME), principal, settings.mcp_m_instance)
    hosts = [*_LOOPBACK, *settings.mcp_hosts]
    application = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection="*" not in settings.mcp_hosts,
            allowed_hosts=hosts,
            allowed_origins=[*(f"http://{host}" for host in _LOOPBACK), *settings.mcp_origins],
        ),
    )

    @asynccontextmanager
    async def running() -> AsyncIterator[None]:
        async with server.session_manager.run():
            yield

    return application.routes, running


async def serve_stdio(service: Service, settings: Settings) -> None:
    """Speak MCP with the process that started this one, until its end of the pipe closes."""
    server: Server[dict[str, Any]] = create_server(lambda: service, version(NAME), local, settings.mcp_m_instance)
    service.releases.start_following()
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


async def pass_on(url: str) -> None:
    """Speak MCP over stdio for a server that runs: every message goes to its /mcp, every answer comes back.

    The server owns the data, so its answers are the only ones; the token is the one in DOMAIN_ACCESS_TOKEN.
    """
    token = os.environ.get(CLIENT_TOKEN)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=None, trust_env=False) as client,
        streamable_http_client(url, http_client=client) as (from_server, to_server, *_),
        stdio_server() as (from_host, to_host),
        create_task_group() as tasks,
    ):

        async def carry(reading: Any, writing: Any) -> None:
            async for message in reading:
                await writing.send(message)
            tasks.cancel_scope.cancel()

        tasks.start_soon(carry, from_host, to_server)
        tasks.start_soon(carry, from_server, to_host)
