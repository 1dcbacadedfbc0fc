"""Which releases are to be active: `{"packs": {"museum_tour": "0.2.0"}}`; null stands for the pack as shipped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from app.errors import Code, Fault, MessageError
from app.exchange.reader import first_faults, parse, pointer, quoted
from app.nearest import did_you_mean

_CLAUSE: Final = "Domain Access, releases (ours)"
_EXAMPLE: Final = 'expected: {"packs": {"museum_tour": "0.2.0"}}'


def read_activation(raw: bytes) -> dict[str, str | None]:
    """Packs by name, each with the version wanted, None for the one shipped. Raises MessageError with every fault."""
    document = parse(raw)
    if faults := first_faults(_faults(document)):
        raise MessageError(*faults)
    return dict(document["packs"])


def _faults(document: Any) -> Iterator[Fault]:
    if not isinstance(document, dict):
        yield Fault(Code.WRONG_TYPE, "the body is no object", "", _CLAUSE, _EXAMPLE)
        return
    for name in document:
        if name != "packs":
            hint = did_you_mean(name, ("packs",), _EXAMPLE)
            yield Fault(Code.UNKNOWN_MEMBER, f"there is no member {quoted(name)}", pointer(name), _CLAUSE, hint)
    if "packs" not in document:
        yield Fault(Code.MISSING_MEMBER, "`packs` is absent", "/packs", _CLAUSE, _EXAMPLE)
    elif not isinstance(document["packs"], dict):
        yield Fault(Code.WRONG_TYPE, "`packs` is no object", "/packs", _CLAUSE, _EXAMPLE)
    else:
        for name, version in document["packs"].items():
            if version is not None and not isinstance(version, str):
                hint = "expected: a version as text, or null for the pack as shipped"
                yield Fault(Code.WRONG_TYPE, "a version is a text", pointer("packs", name), _CLAUSE, hint)
