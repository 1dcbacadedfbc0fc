"""Worlds over HTTP: SPARQL 1.1 Graph Store Protocol, Update and Query, and what an operator asks besides.

The graph of an M-Instance is the resource /v1/worlds/{MInstance} (direct identification). Every change is validated
first; a refused one is told as a problem with every fault, or as a SHACL report to whoever accepts RDF alone.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final
from urllib.parse import parse_qs, quote

from anyio.to_thread import run_sync
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from app.errors import Code, Fault, MessageError, StateError
from app.model import Principal
from app.serve_http.accepted import accepted, preferred
from app.serve_http.bodies import read_text
from app.serve_http.edge import METHOD
from app.serve_http.openapi import json_response, parameter, problems
from app.serve_http.problems import MEDIA_TYPE
from app.serve_http.spool import file_response, spooled
from app.service import Service
from app.settings import Settings
from app.world import FORMATS, Changed, Condition, WorldRefusedError, format_of
from app.world.results import ROWS

_RDF: Final = tuple(form.media_type for form in FORMATS)
_REPORT: Final = "text/turtle"
_LOG_SHOWN: Final = 100

WhoAsks = Callable[[Request], Principal]
ServiceOf = Callable[[Request], Service]


def add_worlds(app: FastAPI, settings: Settings, who_asks: WhoAsks, service_of: ServiceOf) -> None:
    """The paths of worlds."""
    _add_listing(app, who_asks, service_of)
    _add_update(app, who_asks, service_of)
    _add_graph(app, settings, who_asks, service_of)  # the last: an identifier may have slashes


def _add_listing(app: FastAPI, who_asks: WhoAsks, service_of: ServiceOf) -> None:
    @app.get("/v1/worlds", summary="The worlds that the caller may see", responses=problems(401, 403))
    async def listed(request: Request) -> Response:
        principal, operator = who_asks(request), service_of(request).operator
        return json_response({"worlds": await run_sync(operator.listed, principal)})

    @app.get(
        "/v1/worlds/{MInstance:path}/log",
        summary="The versions of a world: who changed it, when, how; the newest first",
        openapi_extra={"parameters": [_name(), _limit()]},
        responses=problems(401, 403, 404, 422),
    )
    async def log(request: Request) -> Response:
        principal, operator = who_asks(request), service_of(request).operator
        limit = request.query_params.get("limit", str(_LOG_SHOWN))
        if not limit.isdecimal() or not 0 < int(limit[:9]) <= 10_000:
            hint = "expected: a number from 1 to 10000"
            raise MessageError(Fault(Code.OUT_OF_RANGE, f"`limit` is `{limit}`", where="?limit", hint=hint))
        entries = await run_sync(operator.log, request.path_params["MInstance"], int(limit), principal)
        return json_response({"versions": [entry.as_json() for entry in entries]})

    @app.get(
        "/v1/worlds/{MInstance:path}/check",
        summary="Validate a world as it is: a SHACL report",
        openapi_extra={"parameters": [_name()]},
        responses={200: {"description": "sh:ValidationReport", "content": {_REPORT: {}}}, **problems(401, 403, 404)},
    )
    async def check(request: Request) -> Response:
        principal, operator = who_asks(request), service_of(request).operator
        name = request.path_params["MInstance"]
        report = await run_sync(operator.check, name, principal)
        if accepted(request.headers.get("accept"), ("text/turtle", "text/plain")) == "text/plain":
            said = report.text(lambda iri: operator.name_of(name, iri)) or "conforms"
            return Response(said + "\n", media_type="text/plain; charset=utf-8")
        return Response(report.turtle(), media_type=_REPORT)


def _add_graph(app: FastAPI, settings: Settings, who_asks: WhoAsks, service_of: ServiceOf) -> None:
    path = "/v1/worlds/{MInstance:path}"
    content: dict[str, Any] = {media_type: {} for media_type in _RDF}
    body = {"requestBody": {"required": True, "content": content}}
    headers = [_header("If-Match"), _header("If-None-Match")]

    @app.get(
        path,
        summary="A world as a document (SPARQL 1.1 Graph Store Protocol)",
        openapi_extra={"parameters": [_name(), _header("If-None-Match")]},
        responses={200: {"description": "the facts", "content": content}, **problems(304, 401, 403, 404, 406)},
    )
    async def read(request: Request) -> Response:
        principal, operator = who_asks(request), service_of(request).operator
        name = request.path_params["MInstance"]
        form = format_of(accepted(request.headers.get("accept"), _RDF))
        version = await run_sync(operator.version, name, principal)
        suffix = form.suffixes[0]
        if matches(request.headers.get("if-none-match", ""), version, suffix):
            return Response(status_code=304, headers=_tag(version, suffix))
        if request.scope[METHOD] == "HEAD":
            head = Response(media_type=form.media_type, headers={**_tag(version, suffix), "Vary": "Accept"})
            del head.headers["content-length"]  # how long the document would be is not known before it is written
            return head
        document = await run_sync(operator.read, name, form, principal)
        return file_response(document, {**_tag(document.version, suffix), "Vary": "Accept"})

    async def changing(request: Request, change: Callable[..., Changed]) -> Response:
        principal = who_asks(request)
        name, condition = request.path_params["MInstance"], _condition(request)
        service_of(request).operator.admit(name, request.method, principal)
        form = format_of(request.headers.get("content-type", ""))
        async with spooled(request, settings.incoming, settings.world_mib * 2**20) as document:
            return await _changed(request, run_sync(change, name, document, form, condition, principal))

    @app.put(
        path,
        summary="Make a document the whole world; a new M-Instance, where there is none (scope admin)",
        openapi_extra={"parameters": [_name(), *headers], **body},
        responses=_of_a_change(201, 204),
    )
    async def put(request: Request) -> Response:
        return await changing(request, service_of(request).operator.put)

    @app.post(
        path,
        summary="Add the facts of a document to a world",
        openapi_extra={"parameters": [_name(), *headers], **body},
        responses=_of_a_change(200, 204),
    )
    async def post(request: Request) -> Response:
        return await changing(request, service_of(request).operator.post)

    @app.delete(
        path,
        summary="Serve a world no longer (scope admin)",
        openapi_extra={"parameters": [_name(), *headers]},
        responses=_of_a_change(204),
    )
    async def delete(request: Request) -> Response:
        principal, operator = who_asks(request), service_of(request).operator
        name, condition = request.path_params["MInstance"], _condition(request)
        return await _changed(request, run_sync(operator.delete, name, condition, principal))


def _add_update(app: FastAPI, who_asks: WhoAsks, service_of: ServiceOf) -> None:
    @app.post(
        "/v1/worlds/{MInstance:path}/update",
        summary="Change a world by a SPARQL 1.1 Update of its graph",
        openapi_extra={
            "parameters": [_name(), _header("If-Match")],
            "requestBody": {"required": True, "content": {"application/sparql-update": {}, _FORM: {}}},
        },
        responses=_of_a_change(200, 204),
    )
    async def update(request: Request) -> Response:
        principal, operator = who_asks(request), service_of(request).operator
        kind, text = await read_text(request, ("application/sparql-update", _FORM))
        if kind == _FORM:
            text = _only(parse_qs(text, keep_blank_values=True), "update")
        name, condition = request.path_params["MInstance"], _condition(request)
        return await _changed(request, run_sync(operator.update, name, text, condition, principal))


def add_sparql(app: FastAPI, who_asks: WhoAsks, service_of: ServiceOf) -> None:
    """SPARQL 1.1 Protocol, queries only."""

    async def answer(request: Request, asked: dict[str, list[str]]) -> FileResponse:
        principal, operator = who_asks(request), service_of(request).operator
        if "update" in asked:
            hint = "POST /v1/worlds/{MInstance}/update"
            raise MessageError(Fault(Code.REFUSED_OPERATION, "queries alone are served here", hint=hint))
        accept = request.headers.get("accept")
        rows, graph = preferred(accept, ROWS), preferred(accept, _RDF)
        if rows is None and graph is None:
            accepted(accept, (*ROWS, *_RDF))
        text = _only(asked, "query")
        default, named = asked.get("default-graph-uri", []), asked.get("named-graph-uri", [])
        document = await run_sync(operator.query, text, default, named, rows or ROWS[0], graph or _RDF[0], principal)
        return file_response(document, {"Vary": "Accept"})

    responses = {200: {"description": "the result"}, **problems(400, 401, 403, 404, 406, 422)}

    @app.get("/sparql", summary="Query Knowledge and worlds (SPARQL 1.1 Protocol)", responses=responses)
    async def get(request: Request) -> Response:
        return await answer(request, parse_qs(request.url.query, keep_blank_values=True))

    @app.post("/sparql", summary="The same, the query in the body", responses=responses)
    async def post(request: Request) -> Response:
        kind, text = await read_text(request, ("application/sparql-query", _FORM, "application/sparql-update"))
        asked = parse_qs(request.url.query, keep_blank_values=True)
        if kind == _FORM:
            for name, values in parse_qs(text, keep_blank_values=True).items():
                asked.setdefault(name, []).extend(values)
        else:
            asked[kind.removeprefix("application/sparql-")] = [text]
        return await answer(request, asked)


_FORM: Final = "application/x-www-form-urlencoded"


async def _changed(request: Request, change: Awaitable[Changed]) -> Response:
    """What a change did, or why it was refused, as RDF where that is all that the caller accepts."""
    try:
        changed = await change
    except WorldRefusedError as error:
        accept = request.headers.get("accept")
        if preferred(accept, (MEDIA_TYPE, "application/json", _REPORT)) == _REPORT:
            return Response(error.report.turtle(), status_code=error.http_status, media_type=_REPORT)
        raise
    headers = {**_tag(changed.entry.version), "Domain-Access-Version": changed.entry.version}
    if changed.created:
        location = "/v1/worlds/" + quote(request.path_params["MInstance"], safe="")
        return Response(status_code=201, headers={**headers, "Location": location})
    if changed.report.results:
        noticed = [{"focus": r.focus, "path": r.path, "message": r.message} for r in changed.report.results]
        return json_response({"version": changed.entry.version, "warnings": noticed}, headers)
    return Response(status_code=204, headers=headers)


def _condition(request: Request) -> Condition:
    """If-Match and If-None-Match of a change."""
    match, none_match = request.headers.get("if-match"), request.headers.get("if-none-match")

    def condition(version: str | None) -> None:
        unwanted = none_match is not None and version is not None and matches(none_match, version)
        if unwanted or (match is not None and (version is None or not matches(match, version))):
            message = f"the world is at version {version}" if version else "there is no such world"
            hint = "GET it anew, and make the change on what is there now"
            raise StateError(Fault(Code.VERSION_CHANGED, message, where="If-Match", hint=hint))

    return condition


def matches(header: str, version: str, suffix: str | None = None) -> bool:
    """Whether a list of entity tags names a version: in one form, or in whichever it was read. A change tells the tag
    of no form.
    """
    tags = [tag.strip().removeprefix("W/").strip('"') for tag in header.split(",")]
    if "*" in tags or version in tags or (suffix is not None and version + suffix in tags):
        return True
    return suffix is None and version in {tag.partition(".")[0] for tag in tags}


def _tag(version: str, suffix: str = "") -> dict[str, str]:
    return {"ETag": f'"{version}{suffix}"'}


def _only(asked: dict[str, list[str]], name: str) -> str:
    values = asked.get(name, [])
    if len(values) != 1:
        message = f"`{name}` is given {len(values)} times" if values else f"`{name}` is absent"
        raise MessageError(Fault(Code.NOT_SPARQL, message, hint="expected: exactly one"))
    return values[0]


def _of_a_change(*statuses: int) -> dict[int | str, dict[str, Any]]:
    meanings = {200: "changed, with warnings", 201: "a new M-Instance", 204: "changed"}
    refused = problems(400, 401, 403, 404, 412, 413, 415, 422, 503)
    return {**{status: {"description": meanings[status]} for status in statuses}, **refused}


def _name() -> dict[str, Any]:
    return parameter("MInstance", "the identifier of an M-Instance")


def _limit() -> dict[str, Any]:
    return parameter("limit", "versions to tell, 100 where it is absent", "query")


def _header(name: str) -> dict[str, Any]:
    return parameter(name, "entity tags of versions", "header")
