"""The bytes of a request: of a known type, within the limit while they come in, parsed by nobody here."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request

from app.errors import Code, Fault, MessageError
from app.exchange.reader import MAX_BYTES

_CLAUSE: Final = "HTTP Semantics (RFC 9110), section 8.3"
_LIMITS: Final = "Domain Access, limits (ours)"


async def read_body(request: Request) -> bytes:
    """The body of a JSON request. Raises MessageError `unsupported_media_type` or `too_large`."""
    _check_type(request)
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:20]) > MAX_BYTES:
        raise _too_large()
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BYTES:
            raise _too_large()
    return bytes(body)


def _check_type(request: Request) -> None:
    given = request.headers.get("content-type", "")
    media_type, _, rest = given.partition(";")
    charset = rest.replace('"', "").replace(" ", "").lower()
    if media_type.strip().lower() != "application/json" or charset not in {"", "charset=utf-8"}:
        message = f"the body is `{given}`" if given else "the body has no Content-Type"
        hint = "expected: the header `Content-Type: application/json`"
        raise MessageError(Fault(Code.UNSUPPORTED_MEDIA_TYPE, message, clause=_CLAUSE, hint=hint))
    encoding = request.headers.get("content-encoding", "identity")
    if encoding.lower() != "identity":
        message = f"the body is encoded as `{encoding}`"
        raise MessageError(Fault(Code.UNSUPPORTED_MEDIA_TYPE, message, clause=_CLAUSE, hint="send it uncompressed"))


def _too_large() -> MessageError:
    message, hint = f"the body has more than {MAX_BYTES:,} bytes", "send a long plan in several turns"
    return MessageError(Fault(Code.TOO_LARGE, message, clause=_LIMITS, hint=hint))
