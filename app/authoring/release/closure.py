"""What follows from a pack by OWL 2 RL, beyond what it says and what follows from the packs that it requires."""

from __future__ import annotations

from collections.abc import Iterable

import pyoxigraph as ox

from app.edition import Edition
from app.knowledge import load, read_pack
from app.model import Triple
from app.world import to_rdf, to_subject


def inferred(edition: Edition, pack: str) -> list[Triple]:
    """The inferred facts between named terms, sorted. Those about blank nodes are left out: their names do not last.

    Raises PackError.
    """
    whole = load(edition, [pack])
    required = read_pack(edition.folder(pack), pack).requires
    known = load(edition, required).closure.facts if pack != "core" else frozenset[Triple]()
    fresh = (fact for fact in whole.closure.facts if fact not in known and fact not in whole.origin)
    named = (fact for fact in fresh if not any(isinstance(term, str) and term.startswith("_:") for term in fact))
    return sorted(named, key=str)


def as_ntriples(facts: Iterable[Triple]) -> bytes:
    """The facts as N-Triples, a line each, in the order of the lines."""
    quads = (ox.Triple(to_subject(s), ox.NamedNode(p), to_rdf(o)) for s, p, o in facts)
    written = ox.serialize(quads, format=ox.RdfFormat.N_TRIPLES) or b""
    return b"".join(sorted(written.splitlines(keepends=True)))
