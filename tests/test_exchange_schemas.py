"""The schemas of the exchanges: generated, equal to the published ones, every keyword of them checked."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.exchange import EXCHANGES
from app.exchange.published import id_of, schemas_of
from app.exchange.schemas import FOLDER, texts, write
from app.exchange.structure import ANNOTATIONS, KEYWORDS
from tests.exchange_documents import PUBLISHED, ROOT, published


def test_the_schema_files_are_what_the_models_generate() -> None:
    on_disk = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json")}
    assert on_disk == texts()
    assert len(on_disk) == 26


def test_the_writer_is_deterministic_and_runs_as_a_program(tmp_path: Path) -> None:
    write(tmp_path / "a")
    command = [sys.executable, "-W", "error", "-m", "app.exchange.schemas", str(tmp_path / "b")]
    subprocess.run(command, cwd=ROOT, check=True)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def structure(schema: Any, names: bool = False) -> Any:
    """A schema without its prose, the order of sets left aside; `names`: the keys are member names."""
    if isinstance(schema, list):
        return [structure(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: sorted(value) if key in ("required", "enum") and not names else structure(value, key == "properties")
        for key, value in schema.items()
        if names or key not in ("title", "description")
    }


@pytest.mark.parametrize("exchange", PUBLISHED)
def test_an_exchange_is_structurally_the_published_schema(exchange: str) -> None:
    seed = published(exchange)
    ours = schemas_of(EXCHANGES[exchange].model)[id_of(EXCHANGES[exchange].model)]
    assert structure(ours) == structure(seed)
    assert list(ours["properties"]) == list(seed["properties"])


def described(schema: Any) -> set[str]:
    """Every description."""
    if isinstance(schema, dict):
        text = schema.get("description")
        below = {inner for value in schema.values() for inner in described(value)}
        return below | ({text} if isinstance(text, str) else set())
    return {text for entry in schema for text in described(entry)} if isinstance(schema, list) else set()


@pytest.mark.parametrize("exchange", PUBLISHED)
def test_descriptions_are_in_our_own_words(exchange: str) -> None:
    ours = described(schemas_of(EXCHANGES[exchange].model))
    assert len(ours) > 10
    assert ours & described(published(exchange)) == set()


def test_every_exchange_has_a_published_schema() -> None:
    assert list(PUBLISHED) == list(EXCHANGES)


def keywords(schema: Any) -> set[str]:
    """Every keyword of a schema."""
    if isinstance(schema, list):
        return set().union(*map(keywords, schema))
    if not isinstance(schema, dict):
        return set()
    inner = [*schema.pop("properties").values()] if "properties" in (schema := dict(schema)) else []
    values = [value for key, value in schema.items() if key not in ("const", "enum", "required", "dependentRequired")]
    return set(schema) | ({"properties"} if inner else set()) | keywords(inner + values)


def test_every_keyword_of_the_schemas_is_checked() -> None:
    models = [exchange.model for exchange in EXCHANGES.values()]
    used = set().union(*(keywords(schema) for model in models for schema in schemas_of(model).values()))
    assert used == KEYWORDS | ANNOTATIONS


def test_every_reference_of_the_schemas_is_a_schema() -> None:
    for exchange in EXCHANGES.values():
        schemas = schemas_of(exchange.model)
        assert id_of(exchange.model) in schemas
        text = json.dumps(schemas)
        assert all(f'"$ref": "{id}"' in text for id in schemas if id != id_of(exchange.model))
