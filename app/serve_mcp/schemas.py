"""JSON Schemas of tools, as short as they may be: a host puts them before its model with every conversation."""

from __future__ import annotations

from typing import Any


def untitled(schema: dict[str, Any]) -> None:
    """A schema without titles: names are titles enough; nor the docstring of its model, which is for us."""
    schema.pop("title", None)
    schema.pop("description", None)
    for member in schema.get("properties", {}).values():
        member.pop("title", None)


def optional(schema: dict[str, Any]) -> None:
    """The same, for what is given: what need not be there need not be null either."""
    untitled(schema)
    for member in schema.get("properties", {}).values():
        if member.get("default", ...) is None:
            del member["default"]
        if len(forms := [form for form in member.get("anyOf", ()) if form.get("type") != "null"]) == 1:
            del member["anyOf"]
            member.update(forms[0])
