"""The JSON Schemas (draft 2020-12) of the data types, generated from the models in the shape MPAI publishes.

A data type with an `$id` of its own is referred to by it, everything else stands inline; a member is absent rather
than `null`; titles of members and defaults are left out.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from app.exchange.parts import Part

Schema: TypeAlias = dict[str, Any]

_ORDER = ("$schema", "$id", "title", "description", "type", "additionalProperties", "required", "properties")
_LEFT_OUT = ("title", "default")


class _Generator(GenerateJsonSchema):
    """As published: no `null`, keywords in the order in which they are written."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:  # noqa: ARG002
        return value


@cache
def schemas_of(model: type[Part]) -> dict[str, Schema]:
    """The schema of a data type and of all that it refers to, by `$id`; not to be changed."""
    generated = model.model_json_schema(schema_generator=_Generator, ref_template="{model}")
    named: dict[str, Schema] = generated.pop("$defs", {})
    types = [schema for schema in (generated, *named.values()) if "$id" in schema]
    return {schema["$id"]: _file(schema, named) for schema in sorted(types, key=lambda schema: str(schema["$id"]))}


def id_of(model: type[Part]) -> str:
    """The `$id` of a data type."""
    extra = model.model_config.get("json_schema_extra")
    if not isinstance(extra, dict):
        raise TypeError(f"{model.__name__} has no schema of its own")
    return str(extra["$id"])


def _file(schema: Schema, named: dict[str, Schema]) -> Schema:
    whole: Schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_inline(schema, named),
        "title": schema["title"],
    }
    return _ordered(whole)


def _inline(schema: Any, named: dict[str, Schema]) -> Any:
    if isinstance(schema, list):
        return [_inline(entry, named) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        beside = {key: value for key, value in schema.items() if key not in ("$ref", *_LEFT_OUT)}
        target = named[schema["$ref"]]
        return {"$ref": target["$id"], **beside} if "$id" in target else _inline({**target, **beside}, named)
    result: Schema = {}
    for key, value in schema.items():
        if key == "properties":
            result[key] = {name: _inline(member, named) for name, member in value.items()}
        elif key not in _LEFT_OUT and (key, value) != ("additionalProperties", True):
            result[key] = _inline(value, named)
    return _ordered(result)


def _ordered(schema: Schema) -> Schema:
    first = {key: schema[key] for key in _ORDER if key in schema}
    return {**first, **schema}
