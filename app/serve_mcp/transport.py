"""MCP at /mcp of the HTTP server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import version
from typing import Final

from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.routing import BaseRoute

from app.model import Principal
from app.serve_mcp.server import NAME, Context, create_server
from app.service import Service
from app.settings import Settings

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
