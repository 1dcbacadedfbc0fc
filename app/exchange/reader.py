"""JSON text to a document: our own reader, the same for every way in, so that errors look the same everywhere.

Beyond RFC 8259 it refuses what two readers could understand differently or what is unsafe to serve: duplicate
members, NaN and Infinity, numbers beyond a double, lone surrogates, and texts larger, deeper or with longer strings
than `MAX_BYTES`, `MAX_DEPTH` and `MAX_STRING`. Pointers are made only when something is wrong.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from app.errors import Code, Fault, MessageError

MAX_BYTES: Final = 2**20
MAX_DEPTH: Final = 32
"""Objects and arrays within each other."""
MAX_STRING: Final = 2**16
"""Characters of one string."""
MAX_FAULTS: Final = 100
"""Faults that are told; a message can hold more than anyone reads."""

_CLAUSE: Final = "JSON (RFC 8259)"
_LIMITS: Final = "Domain Access, limits (ours)"
_MAX_DIGITS: Final = 309  # a longer whole number is no double


class _Repeated(dict[str, Any]):
    """An object that names members twice."""

    names: tuple[str, ...] = ()


class _NoNumber:
    """What stands where a number should, but is none or too large."""

    def __init__(self, code: Code, message: str) -> None:
        self.code = code
        self.message = message


def parse(raw: bytes) -> Any:
    """The document; raises `MessageError` with every fault of the text."""
    if len(raw) > MAX_BYTES:
        raise MessageError(
            Fault(
                Code.TOO_LARGE,
                f"the message has {len(raw):,} bytes",
                "",
                _LIMITS,
                f"at most {MAX_BYTES:,} are served",
            )
        )
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise MessageError(
            Fault(Code.NOT_JSON, f"byte {error.start} is no UTF-8", "", _CLAUSE, "expected: JSON text in UTF-8")
        ) from None
    suspects: list[object] = []
    try:
        document = _decoder(suspects).decode(text)
    except json.JSONDecodeError as error:
        raise MessageError(
            Fault(
                Code.NOT_JSON,
                f"no JSON text at line {error.lineno}, column {error.colno}: {error.msg.lower()}",
                "",
                _CLAUSE,
                "expected: one JSON object",
            )
        ) from None
    except RecursionError:
        raise MessageError(_too_deep("")) from None
    if suspects or "\\u" in text or len(text) > MAX_STRING or _is_deep(document):
        faults = first_faults(_faults(document, "", 1))
        if faults:
            raise MessageError(*faults)
    return document


def first_faults(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """At most `MAX_FAULTS`; the last one says when there are more."""
    told = tuple(islice(faults, MAX_FAULTS + 1))
    if len(told) <= MAX_FAULTS:
        return told
    return (*told[: MAX_FAULTS - 1], replace(told[MAX_FAULTS - 1], hint="there are further faults"))


def pointer(*steps: str | int) -> str:
    """A JSON pointer (RFC 6901)."""
    return "".join(f"/{_escaped(str(step))}" for step in steps)


def quoted(text: str) -> str:
    """User text for a message: in backticks, shortened, and printable in any encoding of Unicode."""
    shown = text if len(text) <= 60 else text[:59] + "…"
    return f"`{_printable(shown)}`"


def _escaped(step: str) -> str:
    return _printable(step.replace("~", "~0").replace("/", "~1"))


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _decoder(suspects: list[object]) -> json.JSONDecoder:
    """A decoder that notes what `_faults` has to look for."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        repeated = _Repeated(found)
        repeated.names = tuple(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        suspects.append(repeated)
        return repeated

    def suspect(code: Code, message: str) -> _NoNumber:
        found = _NoNumber(code, message)
        suspects.append(found)
        return found

    def constant(text: str) -> _NoNumber:
        return suspect(Code.NOT_JSON, f"`{text}` is no JSON number")

    def whole(text: str) -> Any:
        if len(text) < _MAX_DIGITS:
            return int(text)
        return suspect(Code.OUT_OF_RANGE, f"{quoted(text)} is too large a number")

    def fraction(text: str) -> Any:
        number = float(text)
        if math.isfinite(number):
            return number
        return suspect(Code.OUT_OF_RANGE, f"{quoted(text)} is too large a number")

    return json.JSONDecoder(object_pairs_hook=members, parse_constant=constant, parse_int=whole, parse_float=fraction)


def _is_deep(document: object) -> bool:
    level: list[Any] = [document] if isinstance(document, dict | list) else []
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for value in level
            for inner in (value.values() if isinstance(value, dict) else value)
            if type(inner) is dict or type(inner) is list
        ]
        if not level:
            return False
    return True


def _faults(value: object, where: str, depth: int) -> Iterator[Fault]:
    match value:
        case str():
            yield from _string_faults(value, where)
        case _NoNumber():
            hint = (
                "expected: a number that a double can hold"
                if value.code is Code.OUT_OF_RANGE
                else "expected: a number"
            )
            yield Fault(value.code, value.message, where, _CLAUSE, hint)
        case dict() | list() if depth > MAX_DEPTH:
            yield _too_deep(where)
        case dict():
            for name in value.names if isinstance(value, _Repeated) else ():
                yield Fault(
                    Code.DUPLICATE_MEMBER,
                    f"{quoted(name)} is named more than once",
                    f"{where}/{_escaped(name)}",
                    "JSON (RFC 8259), objects",
                    "name each member once",
                )
            for name, inner in value.items():
                yield from _string_faults(name, f"{where}/{_escaped(name)}")
                yield from _faults(inner, f"{where}/{_escaped(name)}", depth + 1)
        case list():
            for index, inner in enumerate(value):
                yield from _faults(inner, f"{where}/{index}", depth + 1)


def _string_faults(text: str, where: str) -> Iterator[Fault]:
    if len(text) > MAX_STRING:
        yield Fault(
            Code.TOO_LARGE,
            f"a string has {len(text):,} characters",
            where,
            _LIMITS,
            f"at most {MAX_STRING:,} are served",
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        yield Fault(
            Code.NOT_JSON,
            f"{quoted(text)} holds half a surrogate pair",
            where,
            "JSON (RFC 8259), string and character issues",
            "expected: Unicode characters; escape one above U+FFFF as two \\u",
        )


def _too_deep(where: str) -> Fault:
    return Fault(
        Code.TOO_LARGE,
        "objects and arrays are nested too deeply",
        where,
        _LIMITS,
        f"at most {MAX_DEPTH} levels are served",
    )
