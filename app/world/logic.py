"""Do facts contradict what the vocabulary says? OWL 2 RL on the nodes that a change touches (DESIGN 4).

A node is closed with its own facts and the classes of what it points at. What that gives depends on the classes,
properties, kinds of values and terms of the vocabulary alone, so each such pattern is closed once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

import pyoxigraph as ox

from app.knowledge import from_rdf
from app.model import Triple
from app.reasoner import extend
from app.rules import Domain
from app.vocab import XSD
from app.world.report import Result
from app.world.view import View

PATTERNS: Final = 100_000
"""Patterns remembered as free of contradiction; beyond it all are forgotten."""

Facts = Mapping[ox.NamedNode, Sequence[ox.Triple]]
Pattern = tuple[tuple[str, ...], ...]


class Logic:
    """The contradictions with one Domain's Knowledge. Thread-safe: what is remembered is only ever added."""

    def __init__(self, domain: Domain) -> None:
        self._closure = domain.knowledge.closure
        self._vocabulary = domain.vocabulary
        self._consistent: set[Pattern] = set()

    def check(self, facts: Facts, classes: Facts, view: View) -> Iterator[Result]:
        """The contradictions of some nodes, each with the asserted facts that it rests on."""
        if len(self._consistent) > PATTERNS:
            self._consistent = set()
        new = {
            pattern: node
            for node, triples in facts.items()
            if (pattern := self._pattern(node, triples, facts, classes)) not in self._consistent
        }
        if not new:
            return
        again = {node for node, triples in facts.items() if self._pattern(node, triples, facts, classes) in new}
        found = list(self._clashes({node: facts[node] for node in new.values()}, facts, classes, view))
        if not found:
            self._consistent.update(new)
        else:  # tell it of each node, not of the first of its pattern
            yield from self._clashes({node: facts[node] for node in again}, facts, classes, view)

    def _clashes(self, asked: Facts, facts: Facts, classes: Facts, view: View) -> Iterator[Result]:
        neighbours = {t.object for triples in asked.values() for t in triples}
        said = [t for triples in asked.values() for t in triples]
        said += [t for node in neighbours for t in _classes_of(node, facts, classes)]
        triples: list[Triple] = [view.terms.triple(each) for each in said]
        extended = extend(self._closure, triples)
        own = set(triples)
        for clash in extended.clashes:
            because = extended.why_all(clash.premises)
            at = next((s for s, p, o in because if (s, p, o) in own), because[0][0] if because else "")
            told = "; ".join(f"{s} {p} {_said(o)}" for s, p, o in because)
            yield Result(
                at, "", "", "contradiction", f"it contradicts the vocabulary (OWL 2 RL, {clash.rule}): {told}"
            )

    def _pattern(self, node: ox.NamedNode, triples: Sequence[ox.Triple], facts: Facts, classes: Facts) -> Pattern:
        return tuple(sorted(self._part(node, triple, facts, classes) for triple in triples))

    def _part(self, node: ox.NamedNode, triple: ox.Triple, facts: Facts, classes: Facts) -> tuple[str, ...]:
        p, o = triple.predicate.value, triple.object
        if isinstance(o, ox.Literal):
            return (p, *_kind(o))
        if o == node or (isinstance(o, ox.NamedNode) and o.value in self._vocabulary):
            return (p, "itself" if o == node else str(o))
        return (p, *sorted(str(t.object) for t in _classes_of(o, facts, classes)))


def _classes_of(node: object, facts: Facts, classes: Facts) -> list[ox.Triple]:
    if not isinstance(node, ox.NamedNode):
        return []
    known = classes.get(node)
    if known is not None:
        return list(known)
    return [triple for triple in facts.get(node, ()) if triple.predicate.value.endswith("#type")]


def _kind(literal: ox.Literal) -> tuple[str, ...]:
    """What of a literal the rules of datatypes can tell apart."""
    value = from_rdf(literal)
    datatype = literal.datatype.value
    if isinstance(value, Decimal):
        whole = "whole" if value == value.to_integral_value() else "part"
        return (datatype, whole, "negative" if value < 0 else "positive" if value else "zero")
    if isinstance(value, tuple) and hasattr(value, "datatype") and datatype.startswith(XSD):
        return (datatype, literal.value)
    return (datatype, type(value).__name__)


def _said(term: object) -> str:
    return str(term) if isinstance(term, str) else str(getattr(term, "value", getattr(term, "lexical", term)))
