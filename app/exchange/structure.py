"""The structural layer: a document against the generated schemas, every fault with its place.

The models decide as well, and faster, but stop early, report the branches of a union and cannot tell `null` from an
absent member. Only the keywords that the schemas use are known here; `KEYWORDS` lists them, and a test compares.
`format` is asserted: BKN-DAC means a URI where it says so, although draft 2020-12 leaves that open.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from uuid import UUID

from app.errors import Code, Fault
from app.exchange.parts import is_date_time, is_uri
from app.exchange.published import Schema
from app.exchange.reader import pointer, quoted
from app.nearest import did_you_mean

KEYWORDS: Final = (
    frozenset({"$ref", "type", "const", "enum", "minimum", "maximum", "maxLength", "pattern", "format"})
    | frozenset({"items", "minItems", "maxItems", "allOf", "oneOf", "if", "then", "else"})
    | frozenset({"properties", "required", "additionalProperties", "minProperties", "maxProperties"})
    | frozenset({"dependentRequired"})
)
ANNOTATIONS: Final = frozenset({"$schema", "$id", "title", "description", "contentEncoding"})


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_uuid(text: str) -> bool:
    return re.fullmatch(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", text) is not None and bool(UUID(text))


_TYPES: Final[dict[str, tuple[str, Callable[[Any], bool]]]] = {
    "object": ("an object", lambda value: isinstance(value, dict)),
    "array": ("an array", lambda value: isinstance(value, list)),
    "string": ("a string", lambda value: isinstance(value, str)),
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
    "number": ("a number", _is_number),
    "integer": ("an integer", lambda value: _is_number(value) and value == value // 1),
}
_FORMATS: Final[dict[str, tuple[str, Callable[[str], bool]]]] = {
    "uri": ("an absolute URI with its scheme (RFC 3986), e.g. `https://example.org/Door`", is_uri),
    "date-time": ("a date and time with its offset (RFC 3339), e.g. `2026-01-01T08:00:00Z`", is_date_time),
    "uuid": ("a UUID (RFC 4122)", _is_uuid),
}


class Structure:
    """The schemas of one data type and of all it refers to."""

    def __init__(self, schemas: Mapping[str, Schema], root: str) -> None:
        self._schemas = schemas
        self._root = root

    def faults(self, document: object) -> Iterator[Fault]:
        """Every fault, in the order of the document's schema."""
        return self._check({"$ref": self._root}, document, "", "")

    def _check(
        self, schema: Schema | bool, value: Any, where: str, clause: str, around: Schema | None = None
    ) -> Iterator[Fault]:
        """`around` is the schema whose condition this one belongs to: it knows more of the members."""
        if isinstance(schema, bool):
            if not schema:
                name = where.rpartition("/")[2]
                yield Fault(
                    Code.UNKNOWN_MEMBER,
                    f"{name} does not go with the other members",
                    where,
                    clause,
                    f"leave {name} out",
                )
            return
        if "$ref" in schema:
            schema = self._schemas[schema["$ref"]]
            clause = schema["title"]
        if "oneOf" in schema:
            yield from self._one_of(schema["oneOf"], value, where, clause)
            return
        if "type" in schema:
            expected, fits = _TYPES[schema["type"]]
            if not fits(value):
                yield Fault(
                    Code.WRONG_TYPE,
                    f"{_kind(value)} stands here",
                    where,
                    clause,
                    f"expected: {_expected(schema, expected)}",
                )
                return
        yield from _value(schema, value, where, clause)
        if isinstance(value, str):
            yield from _string(schema, value, where, clause)
        elif _is_number(value):
            yield from _number(schema, value, where, clause)
        elif isinstance(value, list):
            yield from _length(schema, value, where, clause)
            if "items" in schema:
                for index, entry in enumerate(value):
                    yield from self._check(schema["items"], entry, f"{where}/{index}", clause)
        elif isinstance(value, dict):
            yield from self._members(schema, value, where, clause, around or schema)
        yield from self._conditions(schema, value, where, clause, around or schema)

    def _members(
        self, schema: Schema, value: dict[str, Any], where: str, clause: str, around: Schema
    ) -> Iterator[Fault]:
        known = schema.get("properties", {})
        needed = [*schema.get("required", ())]
        for present, others in schema.get("dependentRequired", {}).items():
            needed += others if present in value else ()
        for name in needed:
            if name not in value:
                yield Fault(
                    Code.MISSING_MEMBER,
                    f"{name} is missing",
                    where + pointer(name),
                    clause,
                    f"expected: {self._described(around.get('properties', {}).get(name, {}))}",
                )
        if schema.get("additionalProperties") is False:
            for name in value:
                if name not in known:
                    absent = [other for other in known if other not in value]
                    yield Fault(
                        Code.UNKNOWN_MEMBER,
                        f"{quoted(name)} is no member here",
                        where + pointer(name),
                        clause,
                        nearest(name, absent or known),
                    )
        if not schema.get("minProperties", 0) <= len(value) <= schema.get("maxProperties", len(value)):
            choices = " or ".join(name for name in known if name not in needed)
            yield Fault(
                Code.MISSING_MEMBER if len(value) < schema["minProperties"] else Code.UNKNOWN_MEMBER,
                f"{len(value)} members stand here",
                where,
                clause,
                f"expected: exactly one of {choices}",
            )
        for name, member in known.items():
            if name in value:
                yield from self._check(member, value[name], where + pointer(name), clause)

    def _conditions(self, schema: Schema, value: Any, where: str, clause: str, around: Schema) -> Iterator[Fault]:
        for part in schema.get("allOf", ()):
            yield from self._check(part, value, where, clause, around)
        if "if" in schema:
            met = not any(self._check(schema["if"], value, where, clause))
            yield from self._check(schema.get("then" if met else "else", {}), value, where, clause, around)

    def _one_of(self, choices: list[Schema], value: Any, where: str, clause: str) -> Iterator[Fault]:
        if sum(not any(self._check(choice, value, where, clause)) for choice in choices) != 1:
            expected = " or ".join(self._described(choice) for choice in choices)
            yield Fault(Code.WRONG_TYPE, f"{_kind(value)} stands here", where, clause, f"expected: {expected}")

    def _described(self, schema: Schema) -> str:
        if "$ref" in schema:
            return f"a {self._schemas[schema['$ref']]['title']}"
        return _expected(schema, _TYPES[schema["type"]][0] if "type" in schema else "a value")


def nearest(name: str, known: Any) -> str:
    """What may have been meant, else everything there is."""
    choices = sorted(known)
    listed = f"known: {', '.join(f'`{choice}`' for choice in choices)}"
    return did_you_mean(name, choices, listed if choices else "nothing else is known here")


def _value(schema: Schema, value: Any, where: str, clause: str) -> Iterator[Fault]:
    allowed = [schema["const"]] if "const" in schema else schema.get("enum")
    if allowed is None or any(value == choice and type(value) is type(choice) for choice in allowed):
        return
    hint = f"expected: {_expected(schema, 'a value')}"
    near = nearest(_shown(value), map(_shown, allowed))
    yield Fault(
        Code.WRONG_VALUE,
        f"{quoted(_shown(value))} is not allowed here",
        where,
        clause,
        f"{hint}; {near}" if near.startswith("did") and len(allowed) > 1 else hint,
    )


def _string(schema: Schema, value: str, where: str, clause: str) -> Iterator[Fault]:
    if len(value) > schema.get("maxLength", len(value)):
        yield Fault(
            Code.OUT_OF_RANGE,
            f"a string of {len(value):,} characters stands here",
            where,
            clause,
            f"expected: at most {schema['maxLength']:,} characters",
        )
    if "pattern" in schema and not re.search(schema["pattern"].replace("$", r"\Z"), value):
        yield Fault(
            Code.WRONG_FORMAT,
            f"{quoted(value)} has another form",
            where,
            clause,
            f"expected: the pattern `{schema['pattern']}`",
        )
    if "format" in schema:
        expected, fits = _FORMATS[schema["format"]]
        if not fits(value):
            yield Fault(
                Code.WRONG_FORMAT, f"{quoted(value)} has another form", where, clause, f"expected: {expected}"
            )


def _number(schema: Schema, value: float, where: str, clause: str) -> Iterator[Fault]:
    if not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield Fault(
            Code.OUT_OF_RANGE,
            f"`{value}` is out of range",
            where,
            clause,
            f"expected: {_expected(schema, _TYPES[schema['type']][0])}",
        )


def _length(schema: Schema, value: list[Any], where: str, clause: str) -> Iterator[Fault]:
    least, most = schema.get("minItems", 0), schema.get("maxItems")
    if len(value) < least or (most is not None and len(value) > most):
        bounds = f"at least {least}" if len(value) < least else f"at most {most}"
        yield Fault(
            Code.OUT_OF_RANGE, f"{len(value)} entries stand here", where, clause, f"expected: {bounds} entries"
        )


def _expected(schema: Schema, kind: str) -> str:
    if "const" in schema:
        return f"`{_shown(schema['const'])}`"
    if "enum" in schema:
        return f"one of {', '.join(f'`{choice}`' for choice in schema['enum'])}"
    if "format" in schema:
        return _FORMATS[schema["format"]][0]
    if "minimum" in schema:
        return f"{kind} from {schema['minimum']}" + (f" to {schema['maximum']}" if "maximum" in schema else "")
    return kind


def _shown(value: object) -> str:
    """A value as JSON writes it, a string without its quotes."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _kind(value: object) -> str:
    if value is None:
        return "`null`"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if _is_number(value):
        return f"the number `{value}`"
    if isinstance(value, str):
        return f"the string {quoted(value)}"
    return "an array" if isinstance(value, list) else "an object"
