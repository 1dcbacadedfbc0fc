"""Which property depends on which by chains: a regular hierarchy has no circle (Structural Specification, 11.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyoxigraph as ox

from app.authoring.logic.axioms import Axiom, iri, members, outgoing
from app.vocab import OWL, RDFS


def dependencies(axioms: Sequence[Axiom]) -> tuple[list[tuple[Axiom, str]], dict[str, set[str]]]:
    """The chains, each with the property that it implies, and what each such property depends on."""
    below: dict[str, set[str]] = {}
    chains = [(axiom, *_chain(axiom)) for axiom in axioms if _is_chain(axiom)]
    for _, chain, whole in chains:
        inner = chain[1:] if chain[:1] == [whole] else chain[:-1] if chain[-1:] == [whole] else chain
        below.setdefault(whole, set()).update(inner if chain != [whole, whole] else ())
    for axiom in axioms:
        if axiom.root.predicate.value == RDFS + "subPropertyOf":
            narrow, wide = axiom.root.subject, axiom.root.object
            if (
                isinstance(narrow, ox.NamedNode)
                and isinstance(wide, ox.NamedNode)
                and below.get(wide.value) is not None
            ):
                below[wide.value].add(narrow.value)
    return [(axiom, whole) for axiom, _, whole in chains], below


def _is_chain(axiom: Axiom) -> bool:
    return axiom.root.predicate.value == OWL + "propertyChainAxiom"


def _chain(axiom: Axiom) -> tuple[list[str], str]:
    found = [iri(each) for each in members(axiom.root.object, outgoing(axiom.triples))]
    return found, iri(axiom.root.subject)


def reached(start: str, below: Mapping[str, set[str]]) -> set[str]:
    """All that one depends on, however far."""
    found: set[str] = set()
    waiting = list(below.get(start, ()))
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting += below.get(each, ())
    return found
