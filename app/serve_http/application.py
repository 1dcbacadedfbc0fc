"""The paths. An endpoint reads bytes, says who asks, and hands both to the service in a thread."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from importlib.metadata import version
from typing import Any, Final

from anyio.to_thread import run_sync
from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from app.auth import principal_of, tokens_of
from app.errors import AccessError, Code, DomainAccessError, Fault, StateError
from app.exchange import SessionUser
from app.exchange.published import id_of, schemas_of
from app.kinds import KINDS
from app.model import Principal
from app.nearest import did_you_mean
from app.serve_http.accepted import prefers
from app.serve_http.bodies import read_body
from app.serve_http.conformance import add_conformance
from app.serve_http.dialogues import add_dialogues
from app.serve_http.edge import NOTES, Edge, log
from app.serve_http.openapi import (
    body_of,
    component,
    describe,
    example,
    json_response,
    parameter,
    problems,
    schemas_in,
)
from app.serve_http.problems import INTERNAL, response_of, without_inside
from app.serve_http.releases import add_releases
from app.serve_http.worlds import add_sparql, add_worlds
from app.service import Service
from app.settings import Settings

NAME: Final = "domain-access"

Mounted = tuple[Sequence[BaseRoute], Callable[[], AbstractAsyncContextManager[None]]]
Mount = Callable[[Callable[[], Service], Callable[[Request], Principal], Settings], Mounted]
"""Another interface in the same server: is given where the service is, who asks, and the settings."""
_JSON: Final = "application/json"
_TURTLE: Final = "text/turtle"
_BY_ACCEPT: Final = {"Vary": "Accept"}
_REQUEST_ID: Final = re.compile(rb'"RequestID":"((?:[^"\\]|\\.)*)"')
_DESCRIPTION: Final = (
    "Domain Access of an Autonomous User (MPAI PGM-AUA): would these Process Actions be accepted, and why. "
    "Messages are BKN-DAC V1.0; errors are problem details (RFC 9457) with every fault found."
)
_DOCS: Final = "see /docs"
_SESSION_SCHEMA: Final = schemas_of(SessionUser)[id_of(SessionUser)]
_SESSION: Final = {"MInstance": "MI1", "UEnvironment": "UE1", "User": "Friend2"}
_ACTION_CONTEXT: Final = {
    "MInstance": "MI1",
    "UEnvironment": "UE1",
    "SessionID": "S1",
    "ActionContext": {"Repertoire": ["MM-Move"], "MaxSteps": 3, "MLocations": ["MVS"]},
}


def create_app(service: Service | None, settings: Settings, mount: Mount | None = None) -> FastAPI:
    """The application. Without a service it answers 503 until `app.state.service` is set. `mount` gives further
    routes, and what must run while they are served.

    Raises SettingsError for tokens that cannot be used, and for a host beyond loopback without tokens.
    """
    tokens = tokens_of(settings)
    schemas = schemas_in(settings.schemas)
    app = FastAPI(
        title="Domain Access",
        version=version(NAME),
        description=_DESCRIPTION,
        middleware=[Middleware(Edge, loopback_only=not tokens)],
        redirect_slashes=False,
        redoc_url=None,
    )
    app.state.service = service
    app.state.tokens = tokens
    app.openapi = lambda: describe(app, schemas)  # type: ignore[method-assign]
    app.add_exception_handler(DomainAccessError, _refused)
    app.add_exception_handler(HTTPException, _not_served)
    _add_exchange(app, settings)
    add_conformance(app, _principal)
    add_worlds(app, settings, _principal, _service)
    add_sparql(app, _principal, _service)
    add_dialogues(app, _service, _principal)
    add_releases(app, _service, _principal)
    _add_schemas(app, schemas)
    _add_state(app)
    if mount is not None:
        routes, app.state.running = mount(lambda: _loaded(app), _principal, settings)
        app.router.routes.extend(routes)
    return app


def _examples(settings: Settings, mode: str) -> dict[str, Any]:
    """A Request, or a Response, of each Kind that the examples of the schemas have."""
    there = {path.stem for path in (settings.schemas / "examples" / "bkn-dac" / "valid").glob(f"*_{mode}.json")}
    return {name: example(settings.schemas, f"{name}_{mode}") for name in KINDS if f"{name}_{mode}" in there}


def _add_exchange(app: FastAPI, settings: Settings) -> None:
    request_body = body_of(component("BKNDAC"), **_examples(settings, "request"))
    answered = body_of(component("BKNDAC"), **_examples(settings, "response"))

    @app.post(
        "/v1/bkn-dac",
        summary="Ask: a BKN-DAC Request, answered by its Response",
        description="The Kinds served:\n\n" + "\n".join(f"- `{name}`: {kind.title}" for name, kind in KINDS.items()),
        openapi_extra={"requestBody": {"required": True, **request_body}},
        responses={
            200: {"description": "the Response; a refused Process Action is an answer too", **answered},
            **problems(
                400, 401, 403, 404, 409, 410, 413, 415, 422, 503,
                s400="no JSON text", s401="no known token", s403="the token lacks the scope `ask`",
                s404="no such M-Instance or U-Environment", s409="the QueryID or TurnIndex was used before",
                s410="the dialogue has ended", s413="more than is served", s415="not application/json",
                s422="no BKN-DAC Request", s503="try again after Retry-After",
            ),
        },
    )  # fmt: skip
    async def ask(request: Request) -> Response:
        principal = _principal(request)
        raw = await read_body(request)
        response = await run_sync(_service(request).answer, raw, principal)
        if found := _REQUEST_ID.search(response):
            _note(request, query_id=found[1].decode("utf-8", "replace"))
        return Response(response, media_type=_JSON)

    @app.get(
        "/v1/answers/{QueryID}/explanation",
        summary="Why: what decided each step of a Response, by the QueryID of that Response",
        openapi_extra={"parameters": [parameter("QueryID", "the QueryID of a Response")]},
        responses={
            200: {
                "description": "findings, facts used and missing, effects, repairs; as Turtle in PROV-O by Accept",
                "content": {_JSON: {"schema": {"type": "object"}}, _TURTLE: {"schema": {"type": "string"}}},
            },
            **problems(401, 403, 404, s404="no Response that the caller may see has this QueryID"),
        },
    )
    async def explain(request: Request) -> Response:
        principal, query_id = _principal(request), request.path_params["QueryID"]
        _note(request, query_id=query_id)
        turtle = prefers(request.headers.get("accept", ""), _TURTLE, _JSON)
        explain_it = partial(_service(request).explanation, query_id, principal, turtle=turtle)
        return Response(await run_sync(explain_it), media_type=_TURTLE if turtle else _JSON, headers=_BY_ACCEPT)

    @app.put(
        "/v1/sessions/{SessionID:path}/action-context",
        summary="Say what a session keeps to: the ActionContext of BKN-PRC, which only narrows",
        openapi_extra={
            "parameters": [parameter("SessionID", "the SessionID of Requests to come; that of the body")],
            "requestBody": {"required": True, **body_of({"type": "object"}, action_context=_ACTION_CONTEXT)},
        },
        responses={
            200: {"description": "what is kept to, and what could not be read", **body_of({"type": "object"})},
            **problems(400, 401, 403, 404, 413, 415, 422, s404="no such M-Instance or U-Environment"),
        },
    )
    async def set_action_context(request: Request) -> Response:
        principal, session_id = _principal(request), request.path_params["SessionID"]
        raw = await read_body(request)
        kept = await run_sync(_service(request).set_action_context, session_id, raw, principal)
        return Response(kept, media_type=_JSON)

    @app.put(
        "/v1/sessions/{SessionID:path}",  # an identifier may be a URI
        summary="Say for which User a session asks",
        openapi_extra={
            "parameters": [parameter("SessionID", "the SessionID of Requests to come")],
            "requestBody": {
                "required": True,
                **body_of(_SESSION_SCHEMA, session=_SESSION),
            },
        },
        responses={
            200: {"description": "the session as it is now", **body_of({"type": "object"})},
            **problems(400, 401, 403, 404, 415, 422, s404="no such M-Instance, U-Environment or User"),
        },
    )
    async def set_session(request: Request) -> Response:
        principal, session_id = _principal(request), request.path_params["SessionID"]
        raw = await read_body(request)
        session = await run_sync(_service(request).set_session, session_id, raw, principal)
        return Response(session, media_type=_JSON)


def _add_schemas(app: FastAPI, schemas: dict[str, bytes]) -> None:
    @app.get("/schemas", summary="The JSON Schemas of the exchanges", responses=problems())
    async def list_schemas() -> Response:
        return json_response({"schemas": [f"/schemas/{name}" for name in schemas]})

    @app.get(
        "/schemas/{name}.json",
        summary="One JSON Schema",
        openapi_extra={"parameters": [parameter("name", "a name of the list, e.g. BKNDAC")]},
        responses=problems(404),
    )
    async def schema(request: Request) -> Response:
        name = f"{request.path_params['name']}.json"
        if name not in schemas:
            hint = did_you_mean(name, schemas, _DOCS)
            raise StateError(Fault(Code.NOT_FOUND, f"there is no schema `{name}`", hint=hint))
        return Response(schemas[name], media_type="application/schema+json")


def _add_state(app: FastAPI) -> None:
    @app.get("/health", summary="Whether the process lives", responses=problems())
    async def health() -> Response:
        return json_response({"status": "ok"})

    @app.get("/ready", summary="Whether Requests are answered, and from what", responses=problems(503))
    async def ready(request: Request) -> Response:
        service = _service(request)
        loaded: dict[str, Any] = {"service": NAME, "version": app.version}
        try:
            principal = _principal(request)
        except AccessError:  # a probe without a token learns that it is ready, and no more
            return json_response(loaded)
        visible = set(service.m_instances(principal))
        worlds = {name: world for name, world in service.status().items() if name in visible}
        return json_response({**loaded, "m_instances": worlds, "releases": service.releases.state(principal)})


def _service(request: Request) -> Service:
    return _loaded(request.app)


def _loaded(app: FastAPI) -> Service:
    service: Service | None = app.state.service
    if service is None:
        raise StateError(Fault(Code.BUSY, "packs and worlds are still being loaded"), retry_after_s=1)
    return service


def _principal(request: Request) -> Principal:
    client = request.client.host if request.client else None
    principal = principal_of(request.headers.get("authorization"), client, request.app.state.tokens)
    _note(request, principal=principal.name)
    return principal


def _note(request: Request, **notes: object) -> None:
    request.scope[NOTES].update(notes)


async def _refused(_: Request, error: Exception) -> Response:
    """A fault of the service itself is told without its inside; the log has it."""
    assert isinstance(error, DomainAccessError)
    if error.http_status == Code.INTERNAL.http_status:
        log.error("request failed", exc_info=error)
        return response_of(without_inside(error))
    return response_of(error)


async def _not_served(request: Request, error: Exception) -> Response:
    """No such path, or not this method; OPTIONS says which methods a path has."""
    assert isinstance(error, HTTPException)
    path = request.url.path
    if error.status_code == Code.METHOD_NOT_ALLOWED.http_status:
        methods = {method.strip() for method in (error.headers or {}).get("Allow", "").split(",")}
        allowed = ", ".join(sorted(methods | {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())))
        if request.method == "OPTIONS":
            return Response(status_code=204, headers={"Allow": allowed})
        fault = Fault(Code.METHOD_NOT_ALLOWED, f"`{path}` does not serve {request.method}", hint=f"served: {allowed}")
        return response_of(StateError(fault), Allow=allowed)
    if error.status_code == Code.NOT_FOUND.http_status:
        hint = did_you_mean(path, (getattr(route, "path", "") for route in request.app.routes), _DOCS)
        return response_of(StateError(Fault(Code.NOT_FOUND, f"nothing is served at `{path}`", hint=hint)))
    log.error("request failed", exc_info=error)
    return response_of(INTERNAL)
