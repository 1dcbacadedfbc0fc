"""Large bodies go to a file while they come in, within a limit, and the file goes away whatever happens."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from starlette.background import BackgroundTask
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse

from app.errors import Code, Fault, MessageError
from app.service.operator import Document

_LIMITS: Final = "Domain Access, limits (ours)"


@asynccontextmanager
async def spooled(request: Request, folder: Path, limit: int) -> AsyncIterator[Path]:
    """The body of a request in a file. Raises MessageError `too_large` or `half_sent`."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:20]) > limit:
        raise _too_large(limit)
    encoding = request.headers.get("content-encoding", "identity")
    if encoding.lower() != "identity":
        message = f"the body is encoded as `{encoding}`"
        raise MessageError(Fault(Code.UNSUPPORTED_MEDIA_TYPE, message, hint="send it uncompressed"))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, prefix="body-") as file:
        size = 0
        try:
            async for chunk in request.stream():
                size += len(chunk)
                if size > limit:
                    raise _too_large(limit)
                file.write(chunk)
        except ClientDisconnect:
            raise
        if declared.isdecimal() and size < int(declared[:20]):
            message = f"{size:,} of {int(declared[:20]):,} bytes came"
            raise MessageError(Fault(Code.HALF_SENT, message))
        file.flush()
        yield Path(file.name)


def file_response(document: Document, headers: dict[str, str]) -> FileResponse:
    """A file as the body of a response; it is removed once it is sent."""
    return FileResponse(
        document.path,
        media_type=document.media_type,
        headers=headers,
        background=BackgroundTask(document.path.unlink, missing_ok=True),
    )


def _too_large(limit: int) -> MessageError:
    message = f"the body has more than {limit / 2**20:,.0f} MiB"
    hint = "send it in parts, or ask the operator for a larger DOMAIN_ACCESS_WORLD_MIB"
    return MessageError(Fault(Code.TOO_LARGE, message, clause=_LIMITS, hint=hint))
