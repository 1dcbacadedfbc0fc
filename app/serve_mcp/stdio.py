"""MCP over stdin and stdout, for a host that starts this process: answered here, or by a server that runs.

Messages are passed in order. What follows `initialize` waits for its answer, for until then nothing else can be
answered; what was asked before the host closed its end is answered before this one ends; and what is no message is
answered as JSON-RPC 2.0 says.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from typing import Any, Final

import httpx2
from anyio import (
    BrokenResourceError,
    CancelScope,
    ClosedResourceError,
    Condition,
    create_memory_object_stream,
    create_task_group,
)
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)
from mcp.shared.message import SessionMessage
from mcp_types import PROTOCOL_VERSION_META_KEY
from pydantic import ValidationError

from app.serve_mcp.server import NAME, SESSION_HEADER, create_server, local
from app.service import Service
from app.settings import CLIENT_TOKEN, Settings

CONNECT_S: Final = 10  # seconds a server may take to accept a connection; an answer may take any time
_ACCEPT: Final = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}

Asked = MemoryObjectReceiveStream[SessionMessage]
Answers = MemoryObjectSendStream[SessionMessage]


async def serve_stdio(service: Service, settings: Settings) -> None:
    """Speak MCP with the process that started this one, until its end of the pipe closes and all is answered."""
    server: Server[dict[str, Any]] = create_server(lambda: service, version(NAME), local, settings.mcp_m_instance)
    service.releases.start_following()
    async with _host() as (asked, answers):
        await server.run(asked, answers, server.create_initialization_options())


async def pass_on(url: str) -> None:
    """Speak MCP over stdio for a server that runs: every message goes to its /mcp, every answer comes back.

    The server owns the data, so its answers are the only ones; the token is the one in DOMAIN_ACCESS_TOKEN.
    """
    token = os.environ.get(CLIENT_TOKEN)
    headers = {**_ACCEPT, "Authorization": f"Bearer {token}"} if token else _ACCEPT
    timeout = httpx2.Timeout(None, connect=CONNECT_S)
    async with (
        httpx2.AsyncClient(headers=headers, timeout=timeout, trust_env=False) as client,
        _host() as (asked, answers),
        answers,
    ):
        remote = _Remote(url, client)
        async with create_task_group() as tasks:
            async for session_message in asked:
                message = session_message.message
                if isinstance(message, types.JSONRPCRequest):
                    tasks.start_soon(remote.ask, message, answers, remote.begin(message.id))
                else:  # in its place: what follows may depend on it
                    await remote.tell(message)
            tasks.cancel_scope.cancel()  # all is answered that will be
        await remote.end()


class _Remote:
    """A running server: a POST for each message (MCP, Streamable HTTP), in the newest revision or an older one."""

    def __init__(self, url: str, client: httpx2.AsyncClient) -> None:
        self._url = url
        self._client = client
        self._session: dict[str, str] = {}
        """Headers of the session, where the host's revision has one."""
        self._posts: dict[types.RequestId, CancelScope] = {}

    def begin(self, request_id: types.RequestId) -> CancelScope:
        """By which a request can be ended from now on."""
        scope = self._posts[request_id] = CancelScope()
        return scope

    async def ask(self, request: types.JSONRPCRequest, answers: Answers, scope: CancelScope) -> None:
        """Pass a request on and its answer back; one that is cancelled meanwhile is not answered."""
        with scope:
            try:
                answer = await self._answer(request)
            finally:
                if self._posts.get(request.id) is scope:  # a host may use an id again
                    del self._posts[request.id]
            await answers.send(SessionMessage(answer))

    async def tell(self, message: types.JSONRPCMessage) -> None:
        """Pass on what has no answer. The newest revision has no such message over HTTP: it ends the request."""
        if (cancelled := _cancelled(message)) is not None and (scope := self._posts.get(cancelled)) is not None:
            scope.cancel()
        if self._session:
            with suppress(httpx2.HTTPError):  # the requests that follow will say so
                await self._post(message)

    async def end(self) -> None:
        """End the session, where there is one."""
        if self._session:
            with suppress(httpx2.HTTPError):
                await self._client.delete(self._url, headers=self._session)

    async def _answer(self, request: types.JSONRPCRequest) -> types.JSONRPCResponse | types.JSONRPCError:
        try:
            response = await self._post(request)
        except httpx2.HTTPError as error:
            return _error(request.id, types.INTERNAL_ERROR, f"`{self._url}` cannot be asked: {error or 'no answer'}")
        try:
            answer = types.jsonrpc_message_adapter.validate_json(response.content, by_name=False)
        except ValidationError:
            answer = None
        if isinstance(answer, types.JSONRPCError):
            return answer.model_copy(update={"id": request.id})
        if not isinstance(answer, types.JSONRPCResponse):
            message = f"`{self._url}` does not answer as Domain Access does: status {response.status_code}"
            return _error(request.id, types.INTERNAL_ERROR, message)
        if request.method == "initialize" and SESSION_HEADER in response.headers:
            self._session = {
                SESSION_HEADER: response.headers[SESSION_HEADER],
                MCP_PROTOCOL_VERSION_HEADER: str(answer.result.get("protocolVersion", "")),
            }
        return answer

    async def _post(self, message: types.JSONRPCMessage) -> httpx2.Response:
        content = message.model_dump_json(by_alias=True, exclude_unset=True)
        return await self._client.post(self._url, content=content, headers={**self._session, **_routing(message)})


def _routing(message: types.JSONRPCMessage) -> dict[str, str]:
    """The headers that the newest revision wants, from what the message says itself; older ones want none."""
    if not isinstance(message, types.JSONRPCRequest):
        return {}
    given = message.params or {}
    stated = given.get("_meta")
    revision = stated.get(PROTOCOL_VERSION_META_KEY) if isinstance(stated, dict) else None
    if not isinstance(revision, str):
        return {}
    headers = {MCP_PROTOCOL_VERSION_HEADER: encode_header_value(revision), MCP_METHOD_HEADER: message.method}
    name = given.get(NAME_BEARING_METHODS.get(message.method, ""))
    return {**headers, MCP_NAME_HEADER: encode_header_value(name)} if isinstance(name, str) else headers


class _Open:
    """The requests of a host that have no answer yet."""

    def __init__(self) -> None:
        self._ids: set[types.RequestId] = set()
        self._fewer = Condition()

    async def begin(self, message: types.JSONRPCMessage) -> None:
        """A message came: a request is open from now on, one that is cancelled need not be answered."""
        if isinstance(message, types.JSONRPCRequest):
            self._ids.add(message.id)
        elif (cancelled := _cancelled(message)) is not None:
            await self._close(cancelled)

    async def end(self, message: types.JSONRPCMessage) -> None:
        """An answer was given."""
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) and message.id is not None:
            await self._close(message.id)

    async def none(self, one: types.RequestId | None = None) -> None:
        """Wait until no request is open; or not that one."""
        async with self._fewer:
            while self._ids if one is None else one in self._ids:
                await self._fewer.wait()

    async def _close(self, request_id: types.RequestId) -> None:
        async with self._fewer:
            self._ids.discard(request_id)
            self._fewer.notify_all()


@asynccontextmanager
async def _host() -> AsyncIterator[tuple[Asked, Answers]]:
    """What the host asks, and where its answers go. A host that leaves before it has them ends it without a word."""
    to_server, asked = create_memory_object_stream[SessionMessage]()
    answers, from_server = create_memory_object_stream[SessionMessage]()
    still_open = _Open()
    try:
        async with stdio_server() as (from_host, to_host), create_task_group() as tasks:

            async def take() -> None:
                async with to_server:
                    async for item in from_host:
                        if isinstance(item, Exception):
                            if (refusal := _refusal(item)) is not None:
                                await to_host.send(SessionMessage(refusal))
                            continue
                        await still_open.begin(item.message)
                        await to_server.send(item)
                        if isinstance(item.message, types.JSONRPCRequest) and item.message.method == "initialize":
                            await still_open.none(item.message.id)
                    await still_open.none()

            async def give() -> None:
                async with to_host:
                    async for item in from_server:
                        await to_host.send(item)
                        await still_open.end(item.message)
                tasks.cancel_scope.cancel()

            tasks.start_soon(take)
            tasks.start_soon(give)
            yield asked, answers
    except* (BrokenPipeError, BrokenResourceError, ClosedResourceError):
        pass


def _refusal(error: Exception) -> types.JSONRPCError | None:
    """The answer to a line that is no message; to an empty one there is none."""
    if not isinstance(error, ValidationError):
        return _error(None, types.PARSE_ERROR, "the line cannot be read")
    first = error.errors(include_url=False)[0]
    if first["type"] == "json_invalid":
        blank = isinstance(first["input"], str) and not first["input"].strip()
        return None if blank else _error(None, types.PARSE_ERROR, f"the line is no JSON text: {first['msg']}")
    said = next((each["input"] for each in error.errors(include_url=False) if isinstance(each["input"], dict)), {})
    given = said.get("id")
    request_id = given if isinstance(given, str | int) and not isinstance(given, bool) else None
    return _error(request_id, types.INVALID_REQUEST, "the line is no JSON-RPC 2.0 message, which is one object")


def _error(request_id: types.RequestId | None, code: int, message: str) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=request_id, error=types.ErrorData(code=code, message=message))


def _cancelled(message: types.JSONRPCMessage) -> types.RequestId | None:
    """The request that a notification cancels."""
    if not isinstance(message, types.JSONRPCNotification) or message.method != "notifications/cancelled":
        return None
    named = (message.params or {}).get("requestId")
    return named if isinstance(named, str | int) else None
