"""Stores of worlds as the tests need them: small, on disk, below one base."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyoxigraph as ox

from app.world import Limits, Queries
from app.world.log import Entry
from app.world.store import Change, Store
from app.world.terms import Terms, in_graph

DATA = Path(__file__).parent / "world"
BASE = "https://w.example/"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
LIMITS = Limits(seconds=20, rows=10_000, memory=512 * 2**20)


def cases(file: str, kind: str) -> list[dict[str, Any]]:
    """The cases of a file of tests/world."""
    found: list[dict[str, Any]] = tomllib.loads((DATA / file).read_text(encoding="utf-8"))[kind]
    return found


def turtle(text: str, base: str = BASE) -> set[ox.Triple]:
    """The facts of a text, with `:` for the names of its own vocabulary."""
    said = f"@base <{base}> . @prefix : <{base}v#> .\n{text}"
    return {quad.triple for quad in ox.parse(said.encode(), ox.RdfFormat.TURTLE)}


def on_disk(folder: Path, triples: Iterable[ox.Triple] = (), base: str = BASE) -> Store:
    """A store with some facts."""
    path = folder / uuid4().hex
    store = Store(base, ox.Store(str(path)), path)
    store.opened.extend(in_graph(triple, store.graph) for triple in triples)
    return store


def commit(store: Store, change: Change) -> Entry:
    """Make a change."""
    entry = store.newest.after(NOW, "tests", "test", len(change.added), len(change.removed), change.digest)
    store.commit(change, [], [], entry)
    return entry


def canonical(triples: Iterable[ox.Triple], base: str = BASE) -> set[str]:
    """Equal for graphs that differ by the names of their blank nodes alone; Skolem IRIs are blank nodes."""
    terms = Terms(base)
    normal = ox.Store()
    normal.extend(in_graph(terms.blank(triple), ox.NamedNode(base)) for triple in triples)
    dataset = ox.Dataset(normal)
    dataset.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
    return {str(quad) for quad in dataset}


@contextmanager
def queries_in(folder: Path, limits: Limits = LIMITS) -> Iterator[Queries]:
    """Queries with children of their own."""
    queries = Queries(folder / "queries", limits)
    try:
        yield queries
    finally:
        queries.close()
