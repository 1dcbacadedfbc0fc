"""What the data types of every exchange are made of: closed and open objects, and the scalar types of JSON.

Attribute names equal the JSON member names. A member that is absent is `None`; `null` is never a value on the wire.
JSON Schema counts 1.0 as an integer and `true` as no number, and so do the types here (draft 2020-12, section 6.1.1).
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping
from ipaddress import AddressValueError, IPv6Address
from typing import Annotated, Any, Final, Literal, Self, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetPydanticSchema,
    Strict,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import core_schema

T = TypeVar("T")

SCHEMAS: Final = "https://schemas.mpai.community/"
"""The root of every `$id`."""


class Part(BaseModel):
    """A closed object: it refuses members it does not know."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", use_attribute_docstrings=True)


class OpenPart(Part):
    """An object that keeps the members it does not know, because its published schema is open."""

    model_config = ConfigDict(extra="allow")


class OneMember(Part):
    """A closed object with exactly one of its members; published as `oneOf` over one-member objects."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if sum(getattr(self, name) is not None for name in type(self).model_fields) != 1:
            raise ValueError(f"exactly one of {', '.join(type(self).model_fields)} is expected")
        return self


def data_type(title: str, path: str, **rules: Any) -> ConfigDict:
    """The `model_config` of a data type with a schema of its own; `rules` are its keywords beyond the members."""
    return ConfigDict(title=title, json_schema_extra={"$id": SCHEMAS + path, **rules})


def depending(on: str, member: str, choices: Mapping[str, tuple[str, ...]]) -> list[Any]:
    """The keyword `allOf` that lets one member have only the values that go with the value of another."""
    return [
        {
            "if": {"required": [on], "properties": {on: {"const": value}}},
            "then": {"properties": {member: {"enum": [*allowed]}}},
        }
        for value, allowed in choices.items()
    ]


def _whole(value: object) -> object:
    return int(value) if type(value) is float and value.is_integer() else value


def _number(**bounds: float) -> GetPydanticSchema:
    """A JSON number, kept as written: an `int` stays exact, which nanoseconds since 1970 need."""
    wire: dict[str, Any] = {"type": "number"}
    wire |= {{"ge": "minimum", "le": "maximum"}[name]: bound for name, bound in bounds.items()}
    return GetPydanticSchema(
        lambda _source, _handler: core_schema.union_schema(
            [
                core_schema.int_schema(strict=True, **bounds),  # type: ignore[arg-type]
                core_schema.float_schema(strict=True, allow_inf_nan=False, **bounds),  # type: ignore[arg-type]
            ],
            mode="left_to_right",
        ),
        lambda _schema, _handler: dict(wire),
    )


_PCHAR = r"(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})"
_REG = r"(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})"
_FUTURE = r"[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+"
_URI = re.compile(
    rf"[A-Za-z][A-Za-z0-9+.-]*:"
    rf"(?://(?:(?:{_REG}|:)*@)?(?:\[(?:(?P<six>[0-9A-Fa-f:.]+)|{_FUTURE})\]|{_REG}*)(?::[0-9]*)?(?:/{_PCHAR}*)*"
    rf"|/(?:{_PCHAR}+(?:/{_PCHAR}*)*)?|{_PCHAR}+(?:/{_PCHAR}*)*|)"
    rf"(?:\?(?:{_PCHAR}|[/?])*)?(?:\#(?:{_PCHAR}|[/?])*)?"
)


def is_uri(text: str) -> bool:
    """Whether the text is an absolute URI with its scheme (RFC 3986, appendix A, rule `URI`)."""
    found = _URI.fullmatch(text)
    if found is None:
        return False
    if found["six"] is not None:
        try:
            IPv6Address(found["six"])
        except AddressValueError:
            return False
    return True


_DATE_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]+)?"
    r"(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)


def is_date_time(text: str) -> bool:
    """Whether the text is a date and a time with its offset (RFC 3339, section 5.6, rule `date-time`)."""
    found = _DATE_TIME.fullmatch(text)
    if found is None:
        return False
    year, month, day = map(int, found.groups())
    return year > 0 and 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]


def _date_time(text: str) -> str:
    if not is_date_time(text):
        raise ValueError("a date and time with its offset (RFC 3339) is expected")
    return text


def _uri(text: str) -> str:
    if not is_uri(text):
        raise ValueError("an absolute URI (RFC 3986) is expected")
    return text


Items: TypeAlias = Annotated[tuple[T, ...], Strict(False)]
"""An array; any sequence of T makes one."""

Index: TypeAlias = Annotated[int, Field(ge=0), BeforeValidator(_whole)]
"""An integer from 0."""

Byte: TypeAlias = Annotated[int, Field(ge=0, le=255), BeforeValidator(_whole)]
FiveBits: TypeAlias = Annotated[int, Field(ge=0, le=31), BeforeValidator(_whole)]
TenSteps: TypeAlias = Annotated[int, Field(ge=1, le=10), BeforeValidator(_whole)]
Integer: TypeAlias = Annotated[int, BeforeValidator(_whole)]
Number: TypeAlias = Annotated[int | float, _number()]
Amount: TypeAlias = Annotated[int | float, _number(ge=0)]
"""A number not below 0."""

Share: TypeAlias = Annotated[int | float, _number(ge=0, le=1)]
"""A number from 0 to 1."""

Triplet: TypeAlias = Annotated[tuple[Number, ...], Strict(False), Field(min_length=3, max_length=3)]
Uri: TypeAlias = Annotated[str, AfterValidator(_uri), WithJsonSchema({"type": "string", "format": "uri"})]
DateTime: TypeAlias = Annotated[
    str, AfterValidator(_date_time), WithJsonSchema({"type": "string", "format": "date-time"})
]
ShortText: TypeAlias = Annotated[str, Field(max_length=2048)]
"""Plain text of at most 2,048 characters."""

Level: TypeAlias = Literal["low", "medium", "high"]

Whatever: TypeAlias = Any
"""A value of which the published schema says nothing but that it is there."""

Foreign: TypeAlias = dict[str, Any]
"""An object of a data type outside what Domain Access reads; taken and kept as it is."""
