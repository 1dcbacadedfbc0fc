"""Which of the types served a caller wants (HTTP Semantics, RFC 9110, 12.5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from app.errors import Code, Fault, MessageError

_CLAUSE: Final = "HTTP Semantics (RFC 9110), section 12.5.1"


def accepted(header: str | None, served: Sequence[str]) -> str:
    """The type that an Accept header prefers; of equals, the one served first. Raises MessageError."""
    found = preferred(header, served)
    if found is None:
        hint = f"served: {', '.join(served)}"
        raise MessageError(Fault(Code.NOT_ACCEPTABLE, f"none of `{header}` is served", clause=_CLAUSE, hint=hint))
    return found


def preferred(header: str | None, served: Sequence[str]) -> str | None:
    """The same, None where none is served."""
    if header is None or not header.strip():
        return served[0]
    asked = [_range(part) for part in header.split(",") if part.strip()]
    best, chosen = 0.0, None
    for media_type in served:
        quality = _quality(media_type, asked)
        if quality > best:
            best, chosen = quality, media_type
    return chosen


def _quality(media_type: str, asked: Sequence[tuple[str, float]]) -> float:
    """By the most specific range that covers a type."""
    kind = media_type.partition("/")[0]
    for wanted in (media_type, f"{kind}/*", "*/*"):
        for pattern, quality in asked:
            if pattern == wanted:
                return quality
    return 0.0


def _range(part: str) -> tuple[str, float]:
    media_type, *parameters = part.split(";")
    quality = 1.0
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "q":
            try:
                quality = float(value)
            except ValueError:
                quality = 0.0
    return media_type.strip().lower(), quality
