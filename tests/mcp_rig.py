"""An MCP client for tests that are not asynchronous: one session in a thread of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, types

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
