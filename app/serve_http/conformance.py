"""`POST /v1/conformance/{exchange}`: whether a message, or a Request with its Response, conforms.

What does not conform is an answer here, not an error; an error is a body that is no JSON text.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from anyio.to_thread import run_sync
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from app.errors import Code, Fault, StateError
from app.exchange import EXCHANGES, Exchange, check
from app.exchange.published import id_of
from app.exchange.reader import parse
from app.nearest import did_you_mean
from app.serve_http.bodies import read_body
from app.serve_http.openapi import body_of, component, problems

_JSON: Final = "application/json"
_FAULTS: Final = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["code", "message", "pointer", "clause", "hint"],
        "properties": {name: {"type": "string"} for name in ("code", "message", "pointer", "clause", "hint")},
    },
}
_FOUND: Final = {
    "type": "object",
    "required": ["exchange", "conforms", "faults", "warnings"],
    "properties": {
        "exchange": {"type": "string"},
        "conforms": {"type": "boolean"},
        "faults": _FAULTS,
        "warnings": _FAULTS,
    },
}


def add_conformance(app: FastAPI, known: Callable[[Request], object]) -> None:
    """Add the path; `known` raises AccessError for a caller that is not known."""

    @app.post(
        "/v1/conformance/{exchange}",
        summary="Check a message of an exchange, or a Request with its Response",
        openapi_extra={
            "parameters": [
                {"name": "exchange", "in": "path", "required": True, "schema": {"enum": [*EXCHANGES]}},
            ],
            "requestBody": {"required": True, **body_of(_asked())},
        },
        responses={
            200: {"description": "whether it conforms, every fault, and warnings", **body_of(_FOUND)},
            **problems(400, 401, 404, 413, 415, s400="no JSON text", s404="no such exchange"),
        },
    )
    async def conformance(request: Request) -> Response:
        known(request)
        exchange = _exchange(request.path_params["exchange"])
        raw = await read_body(request)
        return Response(await run_sync(partial(_judged, raw, exchange)), media_type=_JSON)


def _judged(raw: bytes, exchange: Exchange) -> bytes:
    found = {"exchange": exchange.name, **check(parse(raw), exchange).as_json()}
    return json.dumps(found, ensure_ascii=False).encode()


def _exchange(name: str) -> Exchange:
    if name in EXCHANGES:
        return EXCHANGES[name]
    hint = did_you_mean(name, EXCHANGES, f"known: {', '.join(f'`{each}`' for each in EXCHANGES)}")
    raise StateError(Fault(Code.NOT_FOUND, f"there is no exchange `{name}`", hint=hint))


def _asked() -> dict[str, Any]:
    """A message of one of the exchanges, or two in a pair."""
    messages = [component(_component(exchange)) for exchange in EXCHANGES.values()]
    either = {"anyOf": messages}
    pair = {
        "type": "object",
        "required": ["request", "response"],
        "additionalProperties": False,
        "properties": {"request": either, "response": either},
    }
    return {"anyOf": [*messages, pair]}


def _component(exchange: Exchange) -> str:
    return id_of(exchange.model).rpartition("/")[2].removesuffix(".json")
