"""Terms of a store <-> terms of facts.py.

A store holds no blank node: each has a Skolem IRI below the M-Instance's base (RDF 1.1 Concepts, 3.5), so that any
client can name it again in an update. Rules and readers see it as the blank node it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, TypeAlias

import pyoxigraph as ox

from app.knowledge import from_rdf
from app.model import Term, Text, Triple
from app.vocab import XSD

GENID: Final = ".well-known/genid/"
"""What follows the base in a Skolem IRI; no identifier has it, for `/` is percent-encoded in them."""

_ANY: Final = ox.NamedNode("urn:domain-access:any")

_LABEL: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
"""What names a blank node in every form of RDF."""

Node: TypeAlias = ox.NamedNode | ox.BlankNode


class Terms:
    """The terms of one store, by the base of its M-Instance."""

    __slots__ = ("_start",)

    def __init__(self, base: str) -> None:
        self._start = base + GENID

    def ours(self, term: ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple) -> Term:
        """A term of the store as rules read it."""
        if self.is_blank(term):
            return "_:" + term.value[len(self._start) :]  # type: ignore[union-attr]
        return from_rdf(term)

    def node(self, term: str) -> ox.NamedNode:
        """A subject as the store has it. Raises ValueError where it is no IRI."""
        return ox.NamedNode(self._start + term[2:] if term.startswith("_:") else term)

    def triple(self, triple: ox.Triple) -> Triple:
        """A fact of the store as rules read it."""
        return (str(self.ours(triple.subject)), str(from_rdf(triple.predicate)), self.ours(triple.object))

    def is_blank(self, term: object) -> bool:
        """Whether a term of the store stands for a blank node: a client may write others where these are."""
        is_there = isinstance(term, ox.NamedNode) and term.value.startswith(self._start)
        return is_there and _LABEL.fullmatch(term.value, len(self._start)) is not None  # type: ignore[attr-defined]

    def blank(self, triple: ox.Triple) -> ox.Triple:
        """A fact of the store with its blank nodes as such again, for whoever reads RDF."""
        return ox.Triple(self._shown(triple.subject), triple.predicate, self._shown(triple.object))

    def _shown(self, term: ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple) -> ox.NamedNode:
        if isinstance(term, ox.NamedNode) and self.is_blank(term):
            return ox.BlankNode(term.value[len(self._start) :])  # type: ignore[return-value]
        return term  # type: ignore[return-value]  # which of the three it is, the place of the triple says


def as_stored(triples: Iterable[ox.Triple]) -> list[ox.Triple]:
    """The triples as a store gives them back. Oxigraph keeps what a number, a time or a truth value is, not how it
    was written: 4.50 and 4.5 are one fact, so they must be equal before they are compared, too.
    """
    store = ox.Store()
    store.extend(in_graph(triple, _ANY) for triple in triples)
    return [quad.triple for quad in store]


def in_graph(triple: ox.Triple, graph: ox.NamedNode) -> ox.Quad:
    """A triple as a fact of a graph."""
    return ox.Quad(triple.subject, triple.predicate, triple.object, graph)


def to_subject(term: str) -> Node:
    """A subject in RDF's form."""
    return ox.BlankNode(term[2:]) if term.startswith("_:") else ox.NamedNode(term)


def to_rdf(term: Term) -> Node | ox.Literal:
    """A term in RDF's form; the inverse of knowledge.from_rdf up to the lexical form of numbers."""
    if isinstance(term, str):
        return to_subject(term)
    if isinstance(term, Text):
        return ox.Literal(term.value, language=term.lang) if term.lang else ox.Literal(term.value)
    if isinstance(term, tuple):
        return ox.Literal(term.lexical, datatype=ox.NamedNode(term.datatype))
    if hasattr(term, "isoformat"):
        return ox.Literal(term.isoformat(), datatype=ox.NamedNode(XSD + "dateTime"))
    integral = term == term.to_integral_value()
    kind = "integer" if integral else "decimal"
    lexical = str(int(term)) if integral else f"{term:f}"
    return ox.Literal(lexical, datatype=ox.NamedNode(XSD + kind))
