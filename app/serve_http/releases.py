"""`/v1/releases`: which releases of packs there are, which are active, another set, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from anyio.to_thread import run_sync
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from app.errors import Code, Fault, StateError
from app.exchange import read_activation
from app.model import Principal
from app.serve_http.bodies import read_body
from app.serve_http.openapi import body_of, json_response, parameter, problems
from app.serve_http.worlds import matches
from app.service import Service
from app.service.releases import Condition
from app.service.sets import Activated

_OBJECT: Final = {"type": "object"}
_PACKS: Final = {
    "type": "object",
    "required": ["packs"],
    "additionalProperties": False,
    "properties": {"packs": {"type": "object", "additionalProperties": {"type": ["string", "null"]}}},
}


def add_releases(
    app: FastAPI, service_of: Callable[[Request], Service], known: Callable[[Request], Principal]
) -> None:
    """Add the paths; `known` raises AccessError for a caller that is not known."""
    condition = parameter("If-Match", "the generation that is to be followed, as an entity tag", "header")
    refusals = problems(
        400, 401, 403, 409, 412, 413, 415, 422, 503,
        s403="the token lacks the scope `admin`, or is for some M-Instances only", s409="nothing was active before",
        s412="another generation is active", s422="no such release, one that is damaged, made with other versions or "
        "cannot be loaded, or a served world that would be invalid; nothing has changed",
    )  # fmt: skip

    @app.get(
        "/v1/releases",
        summary="The releases of packs: what there is, what is valid, what is active, since when, by whom",
        responses={200: {"description": "the releases", **body_of(_OBJECT)}, **problems(401, 403)},
    )
    async def tell(request: Request) -> Response:
        principal, releases = known(request), service_of(request).releases
        told = await run_sync(releases.described, principal)
        return json_response(told, {"ETag": f'"{told["generation"]}"'})

    @app.put(
        "/v1/releases/active",
        summary="Activate releases of packs, null for a pack as shipped; what is not named stays (scope admin)",
        openapi_extra={
            "parameters": [condition],
            "requestBody": {"required": True, **body_of(_PACKS, one={"packs": {"museum_tour": "0.2.0"}})},
        },
        responses={200: {"description": "what is active now", **body_of(_OBJECT)}, **refusals},
    )
    async def activate(request: Request) -> Response:
        principal, releases = known(request), service_of(request).releases
        wanted = read_activation(await read_body(request))
        return _told(await run_sync(releases.activate, wanted, principal, _condition(request)))

    @app.post(
        "/v1/releases/rollback",
        summary="Activate the set before the active one again, as a new generation (scope admin)",
        openapi_extra={"parameters": [condition]},
        responses={200: {"description": "what is active now", **body_of(_OBJECT)}, **refusals},
    )
    async def roll_back(request: Request) -> Response:
        principal, releases = known(request), service_of(request).releases
        return _told(await run_sync(releases.roll_back, principal, _condition(request)))


def _told(activated: Activated) -> Response:
    told: dict[str, Any] = activated.as_json()
    return json_response(told, {"ETag": f'"{activated.active.generation}"'})


def _condition(request: Request) -> Condition:
    given = request.headers.get("if-match")

    def condition(generation: int) -> None:
        if given is not None and not matches(given, str(generation)):
            message = f"generation {generation} is active"
            raise StateError(Fault(Code.VERSION_CHANGED, message, "If-Match", hint="GET /v1/releases anew"))

    return condition
