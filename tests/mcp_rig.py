"""An MCP client for tests that are not asynchronous: one session in a thread of its own."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import uvicorn
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, types

from app.serve_http import create_app
from app.serve_http.server import address_of, listen
from app.serve_mcp import add_mcp
from app.service import Service
from app.settings import Settings

MODES = ("auto", "legacy")
"""The newest revision of the protocol, and the one with a handshake."""


@dataclass
class Session:
    """A client that is connected."""

    client: Client
    portal: BlockingPortal

    def call(self, name: str, **arguments: Any) -> types.CallToolResult:
        result: types.CallToolResult = self.portal.call(self.client.call_tool, name, arguments)
        return result

    def ask(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a call that is none of an error."""
        result = self.call(name, **arguments)
        assert not result.is_error, result.structured_content
        found: dict[str, Any] = result.structured_content
        return found

    def read(self, uri: str) -> str:
        (content,) = self.portal.call(self.client.read_resource, uri).contents
        assert isinstance(content, types.TextResourceContents)
        return content.text


@contextmanager
def connected(target: Any, mode: str = "auto", over: httpx2.AsyncClient | None = None) -> Iterator[Session]:
    """A session with a server in this process, at a URL, or started as a command; `over` is closed with it."""
    with start_blocking_portal() as portal:
        try:
            with portal.wrap_async_context_manager(Client(target, mode=mode)) as client:
                yield Session(client, portal)
        finally:
            if over is not None:
                portal.call(over.aclose)


@contextmanager
def live(service: Service, settings: Settings) -> Iterator[str]:
    """A server of this service in a thread of this process, MCP at its /mcp: its address."""
    app = create_app(service, settings, add_mcp)
    server = uvicorn.Server(uvicorn.Config(app, ws="none", lifespan="off", log_config=None, access_log=False))

    async def serve(listener: socket.socket) -> None:
        async with app.state.running():
            await server.serve(sockets=[listener])

    with listen("127.0.0.1", 0) as listener, ThreadPoolExecutor(1) as pool:
        serving = pool.submit(asyncio.run, serve(listener))
        try:
            yield address_of(listener)
        finally:
            server.should_exit = True
            serving.result(timeout=30)
