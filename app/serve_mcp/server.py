"""The MCP server: its handlers, each thin; every error with the code, pointer and clause that HTTP gives."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final
from uuid import uuid4

from anyio.to_thread import run_sync
from mcp import types
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from app.errors import DomainAccessError, StateError, problem
from app.model import LOCAL, Principal
from app.serve_mcp import prompts, resources
from app.serve_mcp.bridge import Bridge, Caller
from app.serve_mcp.tools import TOOLS, content_of
from app.service import Service

NAME: Final = "domain-access"
SESSION_HEADER: Final = "mcp-session-id"
_INSTRUCTIONS: Final = """\
Domain Access tells what words mean in a metaverse instance, what can be done with its things, what limits hold, how
one behaves, and whether Process Actions would be accepted, each with a reason and verified repairs. Nothing is
executed. Read domain-access://grammar and domain-access://actions before you write a plan. Give `dialogue` of an
answer with the next call to go on with what was said and agreed."""

Context = ServerRequestContext[dict[str, Any], Any]
WhoAsks = Callable[[Context], Principal]


def local(_: Context) -> Principal:
    """The principal of a server that only its own user reaches: stdio."""
    return LOCAL


def create_server(
    service_of: Callable[[], Service], version: str, who_asks: WhoAsks = local, m_instance: str = ""
) -> Server[dict[str, Any]]:
    """An MCP server over the service. `service_of` raises StateError `busy` while packs are still loaded."""

    def caller(context: Context) -> Caller:
        return Caller(who_asks(context), _dialogue(context))

    def bridge() -> Bridge:
        return Bridge(service_of(), m_instance)

    def reader(context: Context) -> resources.Reader:
        asking, served = caller(context), bridge()
        return resources.Reader(service_of().catalogue, served, asking, served.default_m_instance(asking))

    async def list_tools(context: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        asking = caller(context)
        served = await run_sync(_told, lambda: _served(bridge, asking))
        return types.ListToolsResult(tools=[tool.listed(served) for tool in TOOLS.values()])

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            message = f"there is no tool `{params.name}`; served: {', '.join(TOOLS)}"
            raise MCPError(types.INVALID_PARAMS, message)
        try:
            result = await run_sync(lambda: tool.call(bridge(), params.arguments, caller(context)))
        except DomainAccessError as error:
            told = problem(error)
            return types.CallToolResult(content=content_of(told), structured_content=told, is_error=True)
        return types.CallToolResult(content=content_of(result), structured_content=result)

    async def list_resources(context: Context, _: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        places = await run_sync(_told, lambda: service_of().places(who_asks(context)))
        return types.ListResourcesResult(resources=resources.listed(places))

    async def list_templates(
        _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=resources.templates())

    async def read_resource(context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        text, media_type = await run_sync(_told, lambda: resources.read(uri, reader(context)))
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type=media_type, text=text)]
        )

    async def list_prompts(_: Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[described for described, _ in prompts.PROMPTS.values()])

    async def get_prompt(_: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        return await run_sync(_told, partial(prompts.prompt, params.name, params.arguments))

    async def complete(context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        found = await run_sync(_told, lambda: _completed(params, reader(context)))
        return types.CompleteResult(completion=types.Completion(values=found, total=len(found), has_more=False))

    return Server(
        NAME,
        version=version,
        title="Domain Access",
        instructions=_INSTRUCTIONS,
        lifespan=_connection,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
    )


@asynccontextmanager
async def _connection(_: Server[Any]) -> AsyncIterator[dict[str, Any]]:
    """What a connection of its own has: a dialogue that goes without saying."""
    yield {"dialogue": str(uuid4())}


def _dialogue(context: Context) -> str | None:
    """The dialogue of a session, where the revision of the protocol has sessions: the newest has none."""
    if context.protocol_version not in HANDSHAKE_PROTOCOL_VERSIONS:
        return None
    if context.request is not None:  # over HTTP one server has many sessions, each named in a header
        found: str | None = context.request.headers.get(SESSION_HEADER)
        return found
    dialogue: str = context.lifespan_context["dialogue"]
    return dialogue


def _served(bridge: Callable[[], Bridge], asking: Caller) -> tuple[str, ...]:
    """The M-Instances that the caller may see, the default first; none while packs are loaded."""
    try:
        first = bridge().default_m_instance(asking)
        return (first, *(name for name in bridge().m_instances(asking) if name != first))
    except StateError:
        return ()


def _told(operation: Callable[[], Any]) -> Any:
    """What an operation gives; its errors as the protocol has them, with ours as their data."""
    try:
        return operation()
    except DomainAccessError as error:
        told = problem(error)
        code = types.INVALID_PARAMS if error.http_status < 500 else types.INTERNAL_ERROR
        raise MCPError(code, str(told["detail"]), told) from error


def _completed(params: types.CompleteRequestParams, reader: resources.Reader) -> list[str]:
    """Names for the argument of a template or a prompt."""
    name, begun = params.argument.name, params.argument.value
    given = dict(params.context.arguments or {}) if params.context else {}
    m_instance = given.get("m_instance", reader.m_instance)
    match name:
        case "m_instance":
            return [each for each in reader.bridge.m_instances(reader.caller) if each.startswith(begun)]
        case "level":
            return [level for level in resources.LEVELS if level.startswith(begun)]
        case "name" | "class":
            return reader.catalogue.complete(m_instance, "class", begun, reader.principal)
        case "identifier":
            return reader.catalogue.complete(m_instance, "entity", begun, reader.principal)
        case "plan":  # the word that is being written
            word = begun.rsplit(None, 1)[-1] if begun and not begun[-1].isspace() else ""
            before = begun[: len(begun) - len(word)]
            actions = reader.catalogue.complete(m_instance, "action", word, reader.principal)
            entities = reader.catalogue.complete(m_instance, "entity", word, reader.principal)
            return [before + each for each in (*actions, *entities)][:100]
    return []
