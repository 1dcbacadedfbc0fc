"""`/v1/dialogues/{MInstance}/{UEnvironment}/{SessionID}/{DialogID}`: what a dialogue holds, and its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from urllib.parse import unquote_to_bytes

from anyio.to_thread import run_sync
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from app.dialogue import DialogueKey
from app.errors import Code, Fault, StateError
from app.model import Principal
from app.serve_http.openapi import body_of, parameter, problems
from app.service import Service

_JSON: Final = "application/json"
_PREFIX: Final = b"/v1/dialogues/"
# Any part may hold an encoded `/`, which a router sees decoded: it takes all, the parts are read from the raw path
_PATH: Final = "/v1/dialogues/{MInstance:path}/{UEnvironment:path}/{SessionID:path}/{DialogID:path}"
_GONE: Final = {"s404": "no such dialogue that the caller may see", "s410": "it was closed or has expired"}


def add_dialogues(
    app: FastAPI, service_of: Callable[[Request], Service], known: Callable[[Request], Principal]
) -> None:
    """Add the path; `known` raises AccessError for a caller that is not known."""
    parameters = [
        parameter(name, f"the {name} of the dialogue's Requests, percent-encoded")
        for name in ("MInstance", "UEnvironment", "SessionID", "DialogID")
    ]

    @app.get(
        _PATH,
        summary="What a dialogue holds: its last turns and the commitments retained",
        openapi_extra={"parameters": parameters},
        responses={
            200: {"description": "the dialogue", **body_of({"type": "object"})},
            **problems(401, 403, 404, 410, **_GONE),
        },
    )
    async def tell(request: Request) -> Response:
        principal, key = known(request), _key(request)
        return Response(await run_sync(service_of(request).dialogue, key, principal), media_type=_JSON)

    @app.delete(
        _PATH,
        summary="End a dialogue: its turns, commitments and explanations go, and it answers 410 from then on",
        status_code=204,
        openapi_extra={"parameters": parameters},
        responses={204: {"description": "it has ended"}, **problems(401, 403, 404, 410, **_GONE)},
    )
    async def end(request: Request) -> Response:
        principal, key = known(request), _key(request)
        await run_sync(service_of(request).end_dialogue, key, principal)
        return Response(status_code=204)


def _key(request: Request) -> DialogueKey:
    raw: bytes = request.scope["raw_path"].partition(b"?")[0]
    parts = [unquote_to_bytes(part).decode("utf-8", "replace") for part in raw.removeprefix(_PREFIX).split(b"/")]
    if len(parts) != len(DialogueKey._fields):
        message = f"a dialogue has four names, and the path has {len(parts)}"
        hint = "percent-encode each name, its `/` as %2F"
        raise StateError(Fault(Code.NOT_FOUND, message, hint=hint))
    return DialogueKey(*parts)
