"""A world as a document: its facts, in the form asked for, blank nodes as such."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph as ox

from app.vocab import PREFIXES
from app.world.formats import Format
from app.world.terms import Terms, in_graph


def dump(checkpoint: Path, base: str, form: Format, output: Path) -> None:
    """Write the facts of a checkpoint to a file, a few at a time."""
    store, graph, terms = ox.Store.read_only(str(checkpoint)), ox.NamedNode(base), Terms(base)
    triples = (terms.blank(quad.triple) for quad in store.quads_for_pattern(None, None, None, graph))
    facts = (in_graph(triple, graph) for triple in triples) if form.has_graphs else triples
    ox.serialize(
        facts, str(output), form.rdf, prefixes={**PREFIXES, "": base} if base.endswith(("/", "#")) else PREFIXES
    )
