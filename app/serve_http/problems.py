"""Every error as application/problem+json (RFC 9457), with all faults and nothing of the inside."""

from __future__ import annotations

import json
from typing import Any, Final

from starlette.responses import Response

from app.errors import Code, DomainAccessError, Fault, problem

MEDIA_TYPE: Final = "application/problem+json"

PROBLEM_SCHEMA: Final[dict[str, Any]] = {
    "title": "Problem",
    "description": "What is wrong, as problem details (RFC 9457); `errors` holds every fault found.",
    "type": "object",
    "required": ["type", "title", "status", "detail", "errors"],
    "properties": {
        "type": {"type": "string", "description": "urn:domain-access:error: and the code of the first fault"},
        "title": {"type": "string", "description": "what the code means"},
        "status": {"type": "integer", "description": "the HTTP status"},
        "detail": {"type": "string", "description": "the first fault"},
        "errors": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["code", "pointer"],
                "properties": {
                    "code": {"enum": [code.code for code in Code if code.http_status]},
                    "message": {"type": "string"},
                    "pointer": {"type": "string", "description": "JSON pointer into the body (RFC 6901)"},
                    "clause": {"type": "string", "description": "the rule that is broken"},
                    "hint": {"type": "string", "description": "what would be right"},
                },
            },
        },
    },
}

_FOR_THE_OPERATOR: Final = "the operator finds the cause in the log"

INTERNAL: Final = DomainAccessError(
    Fault(Code.INTERNAL, "the service failed; nothing was stored", hint=_FOR_THE_OPERATOR)
)
"""What is told of a fault of the service itself."""


def without_inside(error: DomainAccessError) -> DomainAccessError:
    """A fault of the service itself as it is told outside: its code, but no path, no address and no cause."""
    code = error.faults[0].code
    if code is Code.INTERNAL or not code.http_status:
        return INTERNAL
    return DomainAccessError(Fault(code, code.meaning, hint=_FOR_THE_OPERATOR))


def response_of(error: DomainAccessError, *, status: int | None = None, **headers: str) -> Response:
    """The error as a response; `status` replaces the status of its code."""
    body = problem(error)
    if status is not None:
        body["status"] = status
    if error.retry_after_s is not None:
        headers["Retry-After"] = str(error.retry_after_s)
    if error.http_status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if error.http_status == 413:
        headers["Connection"] = "close"  # the rest of the body is not read
    content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    return Response(content, status or error.http_status, headers, MEDIA_TYPE)
