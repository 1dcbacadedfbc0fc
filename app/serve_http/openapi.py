"""What /openapi.json says: the paths, the published schemas bundled in, a true example of each message."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.responses import Response

from app.serve_http.problems import MEDIA_TYPE, PROBLEM_SCHEMA

_JSON: Final = "application/json"
_LEFT_OUT: Final = {"$schema", "$id"}


def schemas_in(folder: Path) -> dict[str, bytes]:
    """The published schemas by file name."""
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.json"))}


def example(folder: Path, name: str) -> dict[str, Any]:
    """A valid BKN-DAC message of those that come with the schemas."""
    read: dict[str, Any] = json.loads((folder / "examples" / "bkn-dac" / "valid" / f"{name}.json").read_bytes())
    return read


def body_of(schema: Mapping[str, Any], **examples: object) -> dict[str, Any]:
    """A JSON body: its schema, and an example under each name."""
    named = {name: {"value": value} for name, value in examples.items()}
    return {"content": {_JSON: {"schema": schema, **({"examples": named} if named else {})}}}


def parameter(name: str, meaning: str, place: str = "path") -> dict[str, Any]:
    """A text in the path, which is required, in the query or in a header."""
    required = place == "path"
    return {"name": name, "in": place, "required": required, "description": meaning, "schema": {"type": "string"}}


def json_response(value: object, headers: Mapping[str, str] | None = None) -> Response:
    """A value as JSON, every character as it is."""
    return Response(json.dumps(value, ensure_ascii=False).encode(), media_type=_JSON, headers=headers)


def component(name: str) -> dict[str, str]:
    """A schema of the description, by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def problems(*statuses: int, **meanings: str) -> dict[int | str, dict[str, Any]]:
    """The errors a path may give; anything else of a request that is wrong is 4XX."""
    said = {status: meanings.get(f"s{status}", "see `errors`") for status in statuses}
    content = {"content": {MEDIA_TYPE: {"schema": component("Problem")}}}
    return {status: {"description": meaning, **content} for status, meaning in said.items()} | {
        "default": {"description": "any other error", **content}
    }


def describe(app: FastAPI, schemas: Mapping[str, bytes]) -> dict[str, Any]:
    """The OpenAPI description of the application, complete in itself."""
    if app.openapi_schema is None:
        described = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        bundled = {name.removesuffix(".json"): json.loads(raw) for name, raw in schemas.items()}
        names = {schema["$id"]: name for name, schema in bundled.items() if "$id" in schema}
        components = described.setdefault("components", {}).setdefault("schemas", {})
        components |= {name: _inside(schema, names) for name, schema in bundled.items()}
        components["Problem"] = PROBLEM_SCHEMA
        app.openapi_schema = described
    return app.openapi_schema


def _inside(schema: Any, names: Mapping[str, str]) -> Any:
    """A schema whose references lead to the other components instead of their published addresses."""
    if isinstance(schema, list):
        return [_inside(each, names) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _inside(value, names) for key, value in schema.items() if key not in _LEFT_OUT}
    reference = kept.get("$ref")
    return {**kept, **component(names[reference])} if isinstance(reference, str) and reference in names else kept
