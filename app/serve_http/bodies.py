"""The bytes of a request: of a known type, within the limit while they come in, parsed by nobody here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from starlette.requests import Request

from app.errors import Code, Fault, MessageError
from app.exchange.reader import MAX_BYTES

_CLAUSE: Final = "HTTP Semantics (RFC 9110), section 8.3"
_LIMITS: Final = "Domain Access, limits (ours)"


async def read_body(request: Request) -> bytes:
    """The body of a JSON request. Raises MessageError `unsupported_media_type` or `too_large`."""
    _check_type(request, ("application/json",))
    return await _read(request)


async def read_text(request: Request, served: Sequence[str]) -> tuple[str, str]:
    """The type and the text of a body of one of some types. Raises MessageError as above, and `not_sparql`."""
    media_type = _check_type(request, served)
    raw = await _read(request)
    try:
        return media_type, raw.decode()
    except UnicodeDecodeError as error:
        message = f"the body is no UTF-8: byte {error.start}"
        raise MessageError(Fault(Code.NOT_SPARQL, message, hint="send it as UTF-8")) from error


async def _read(request: Request) -> bytes:
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:20]) > MAX_BYTES:
        raise _too_large()
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BYTES:
            raise _too_large()
    return bytes(body)


def _check_type(request: Request, served: Sequence[str]) -> str:
    given = request.headers.get("content-type", "")
    media_type, _, rest = given.partition(";")
    charset = rest.replace('"', "").replace(" ", "").lower()
    media_type = media_type.strip().lower()
    if media_type not in served or charset not in {"", "charset=utf-8"}:
        message = f"the body is `{given}`" if given else "the body has no Content-Type"
        hint = f"expected: the header `Content-Type: {served[0]}`" + (
            f", or {' or '.join(served[1:])}" if served[1:] else ""
        )
        raise MessageError(Fault(Code.UNSUPPORTED_MEDIA_TYPE, message, clause=_CLAUSE, hint=hint))
    encoding = request.headers.get("content-encoding", "identity")
    if encoding.lower() != "identity":
        message = f"the body is encoded as `{encoding}`"
        raise MessageError(Fault(Code.UNSUPPORTED_MEDIA_TYPE, message, clause=_CLAUSE, hint="send it uncompressed"))
    return media_type


def _too_large() -> MessageError:
    message, hint = f"the body has more than {MAX_BYTES:,} bytes", "send a long plan in several turns"
    return MessageError(Fault(Code.TOO_LARGE, message, clause=_LIMITS, hint=hint))
