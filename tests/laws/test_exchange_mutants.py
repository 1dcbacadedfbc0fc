"""Thousands of messages, each a valid example with one thing changed: structural layer, schemas and seeds agree.

Every place of every example is removed, replaced by a value of each sort, and doubled or added to; of these mutants
some hundreds an example are drawn, always the same ones.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from app.exchange import EXCHANGES, check
from app.exchange.published import id_of, schemas_of
from app.exchange.structure import Structure
from tests.exchange_documents import ALL_EXAMPLES, published

EXAMPLES = sorted(ALL_EXAMPLES.glob("*/valid/*.json"))
DRAWN: Final = 120
"""Mutants of one example."""
VALUES: Final[list[Any]] = [
    None, True, False, 0, 1, 1.0, -1, 0.5, 256, 2**60, "", "a", "RQ", "RS", "high", "PGM-KDA-V1.0", "a:b",
    "2026-01-01T00:00:00Z", [], [0], ["a"], [[0, 0, 0]] * 3, {}, {"a": 1}, {"AIMID": "a"}, "x" * 2049,
]  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to everything below."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in entries:
        yield (*path, step)
        yield from places(inner, (*path, step))


def changes(document: Any) -> list[tuple[tuple[Any, ...], str, Any]]:
    """Every change of one thing: where, how, and with what."""
    found: list[tuple[tuple[Any, ...], str, Any]] = []
    for path in places(document):
        found.append((path, "remove", None))
        found += [(path, "replace", value) for value in VALUES]
        found.append((path, "beside", "Unknown"))
        found.append((path, "double", None))
    return found


def changed(document: Any, change: tuple[tuple[Any, ...], str, Any]) -> Any:
    (*above, last), how, value = change
    found = copy.deepcopy(document)
    holder = found
    for step in above:
        holder = holder[step]
    match how:
        case "remove":
            del holder[last]
        case "replace":
            holder[last] = value
        case "beside" if isinstance(holder, dict):
            holder[value] = holder[last]
        case _ if isinstance(holder, list):
            holder.insert(last, copy.deepcopy(holder[last]))
        case _:
            holder[last] = [holder[last], holder[last]]
    return found


def mutants(path: Path) -> list[Any]:
    """The mutants drawn of an example, the same in every run."""
    document = json.loads(path.read_bytes())
    every = changes(document)
    drawn = Random(f"{path.parts[-3]}/{path.name}").sample(every, min(DRAWN, len(every)))
    return [changed(document, change) for change in drawn]


@cache
def oracle(exchange: str, seed: bool) -> Draft202012Validator:
    """A JSON Schema validator with the generated schemas, or with the published one for the exchange itself."""
    schemas = schemas_of(EXCHANGES[exchange].model)
    root = id_of(EXCHANGES[exchange].model)
    if seed:
        schemas = {**schemas, root: published(exchange)}
    resources = ((id, Resource.from_contents(schema)) for id, schema in schemas.items())
    registry: Registry[Any] = Registry().with_resources(resources)
    check_formats = Draft202012Validator.FORMAT_CHECKER
    return Draft202012Validator(schemas[root], registry=registry, format_checker=check_formats)


def structurally_fine(exchange: str, document: Any) -> bool:
    model = EXCHANGES[exchange].model
    return not any(Structure(schemas_of(model), id_of(model)).faults(document))


def test_there_are_thousands_of_mutants() -> None:
    counts = [len(mutants(path)) for path in EXAMPLES]
    assert len(counts) == 32
    assert sum(counts) == 32 * DRAWN == 3_840


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_mutants_are_accepted_exactly_where_json_schema_accepts_them(path: Path) -> None:
    """Both verdicts occur, and the library call tells no less than the structure."""
    exchange = path.parts[-3]
    validator = oracle(exchange, seed=False)
    accepted = []
    for document in mutants(path):
        fine = structurally_fine(exchange, document)
        assert fine == validator.is_valid(document), document
        assert fine or check(document, EXCHANGES[exchange]).faults
        accepted.append(fine)
    assert set(accepted) == {True, False}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_mutants_are_accepted_exactly_where_the_published_schema_accepts_them(path: Path) -> None:
    """The schema of the exchange itself is the published one; skipped where that is not at hand."""
    exchange = path.parts[-3]
    validator = oracle(exchange, seed=True)
    for document in mutants(path):
        assert structurally_fine(exchange, document) == validator.is_valid(document), document
