"""Which of two media types a caller would rather have (RFC 9110, section 12.5.1)."""

from __future__ import annotations


def prefers(accept: str, one: str, other: str) -> bool:
    """Whether an Accept header puts `one` before `other`, which is what those get who do not say."""
    return _quality(accept, one) > _quality(accept, other) if accept.strip() else False


def _quality(accept: str, media_type: str) -> float:
    """The weight of a media type: that of the most specific range that includes it, 0 where none does."""
    major = media_type.partition("/")[0]
    best, found = -1, 0.0
    for entry in accept.split(","):
        written, *parameters = (part.strip().lower() for part in entry.split(";"))
        specific = {media_type: 2, f"{major}/*": 1, "*/*": 0}.get(written, -1)
        if specific > best:
            best, found = specific, _weight(parameters)
    return found


def _weight(parameters: list[str]) -> float:
    for name, _, value in (parameter.partition("=") for parameter in parameters):
        if name.strip() == "q":
            try:
                return min(max(float(value), 0.0), 1.0)
            except ValueError:
                return 0.0
    return 1.0
