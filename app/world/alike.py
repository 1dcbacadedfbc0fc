"""Nodes that validation cannot tell apart: what is wrong with one of them is wrong with each (DESIGN 4).

The rules of OWL 2 RL and most constraints of SHACL Core find the same when nodes are renamed, as long as neither the
vocabulary nor a shape names them. So a node counts by its pattern: the classes of what it points at, the kinds of its
values, and to the letter only what a rule or a shape could compare. A world has few patterns, however large it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final, TypeAlias

import pyoxigraph as ox
from rdflib import SH, Graph, Literal, URIRef
from rdflib.term import Node

from app.knowledge import from_rdf
from app.model import Term, Text
from app.reasoner.values import INTEGERS, STRINGS, belongs, value_of
from app.rules import Domain
from app.shapes import OF_LISTED_SHAPES, OF_SHAPES
from app.vocab import OWL, RDF, RDFS, XSD
from app.world.view import Facts

Pattern: TypeAlias = tuple[tuple[str, ...], ...]

FACTS: Final = 100
"""A node of which more is said is like no other, so that a pattern stays small."""

LONG: Final = 200
"""Characters of a value that is kept to the letter; a node with a longer one is like no other."""

_STANDARD: Final = (RDF, RDFS, OWL, XSD)
"""What begins so may mean something to a rule that no vocabulary says: owl:Nothing has no member."""

_SCHEMA: Final = (RDFS, OWL)
"""What is said by properties that begin so may be a rule of its own, but for words."""

_WORDS: Final = frozenset(RDFS + name for name in ("label", "comment", "seeAlso", "isDefinedBy"))

_SHAPES: Final = {SH.property, *(SH[name] for name in OF_SHAPES | OF_LISTED_SHAPES)}
"""What leads from a shape to another."""

_COMPARED: Final = {SH.lessThan, SH.lessThanOrEquals}

_LETTERS: Final = (
    *("minExclusive", "minInclusive", "maxExclusive", "maxInclusive", "minLength", "maxLength"),
    *("pattern", "flags", "languageIn", "uniqueLang"),
)
_TO_THE_LETTER: Final = _COMPARED | {SH[name] for name in _LETTERS}
"""Constraints that read a value, not only its kind and whether it is another one's."""

_KINDS: Final = (
    *("path", "targetClass", "targetNode", "targetSubjectsOf", "class", "datatype", "nodeKind", "in", "hasValue"),
    *("minCount", "maxCount", "qualifiedMinCount", "qualifiedMaxCount", "equals", "disjoint", "deactivated"),
    *("severity", "message", "name", "description", "order", "group", "defaultValue"),
)
_RENAMED: Final = {SH[name] for name in _KINDS}
"""Constraints that find the same when what no shape names is renamed, and what constrains nothing."""


class Alike:
    """The patterns of nodes for one Domain and some shapes."""

    def __init__(self, domain: Domain, shapes: Graph) -> None:
        said = {term for fact in domain.knowledge.closure.facts for term in fact}
        named = {term for triple in shapes for term in triple}
        self._named = domain.vocabulary.keys() | {term for term in said if isinstance(term, str)}
        self._named |= {str(term) for term in named if isinstance(term, URIRef)}
        self._constants: set[Term] = {term for term in said if not isinstance(term, str)}
        self._constants |= {_value(term) for term in named if isinstance(term, Literal)}
        self._integers = tuple(sorted(INTEGERS.keys() & said))
        self._strings = tuple(sorted(STRINGS.keys() & said))
        read = _read_by(shapes)
        narrower = (p for p, wider in domain.knowledge.schema.superproperties.items() if not read.isdisjoint(wider))
        self._read = read.union(narrower)
        self.holds_for_shapes = _looks_no_further(shapes)
        """Whether the shapes, too, find the same of each node of a pattern."""

    def pattern(self, node: ox.NamedNode, triples: Sequence[ox.Triple], types: Facts) -> Pattern | None:
        """The pattern of a node, None where it is like no other. `types` has what is said of the classes of each node
        that it points at.
        """
        if len(triples) > FACTS or node.value in self._named or node.value.startswith(_STANDARD):
            return None
        objects = [triple.object for triple in triples]
        values = [None if isinstance(o, ox.NamedNode) else from_rdf(o) for o in objects]
        times = Counter(o if value is None else value for o, value in zip(objects, values, strict=True))
        places = {term: f"#{place}" for place, (term, count) in enumerate(times.items()) if count > 1}
        parts: list[tuple[str, ...]] = []
        part: tuple[str, ...] | None
        for triple, o, value in zip(triples, objects, values, strict=True):
            p = triple.predicate.value
            if p.startswith(_SCHEMA) and p not in _WORDS:
                return None
            if isinstance(o, ox.NamedNode) or value is None:
                part = self._part(node, p, o, types, places)  # type: ignore[arg-type]  # a store has no blank node
            else:
                part = self._literal(p, o, value, value in places)  # type: ignore[arg-type]  # nor a triple term
            if part is None:
                return None
            parts.append(part)
        return tuple(sorted(parts))

    def _part(
        self, node: ox.NamedNode, p: str, o: ox.NamedNode, types: Facts, places: Mapping[object, str]
    ) -> tuple[str, ...]:
        known = p in self._read or o.value in self._named or o.value.startswith(_STANDARD)
        name = o.value if known else "itself" if o == node else places.get(o, "")
        classes = sorted(
            triple.object.value for triple in types.get(o, ()) if isinstance(triple.object, ox.NamedNode)
        )
        return (p, name, *classes)

    def _literal(self, p: str, o: ox.Literal, value: Term, is_there_twice: bool) -> tuple[str, ...] | None:
        """The part of a fact with a value; None where that is too long to be kept."""
        datatype, language = o.datatype.value, o.language or ""
        to_the_letter = is_there_twice or p in self._read or value in self._constants
        if isinstance(value, Decimal):
            if len(o.value) > LONG:
                return None
            whole = "whole" if value == value.to_integral_value() else "part"
            kind: tuple[str, ...] = (whole, *(each for each in self._integers if belongs(value, each)))
        elif isinstance(value, Text):
            kind = tuple(each for each in self._strings if belongs(value, each))
        else:
            kind = (type(value).__name__,)
            # what is none of its datatype's values, or is written in a way that one reader takes and another not
            to_the_letter |= isinstance(value, tuple) and datatype.startswith((XSD, RDF))
            to_the_letter |= o.value != o.value.strip()
        if not to_the_letter:
            return (p, datatype, language, "", *kind)
        return (p, datatype, language, o.value) if len(o.value) <= LONG else None


def _value(literal: Literal) -> Term:
    """A literal of a shape as rules read it."""
    if literal.language:
        return Text(str(literal), literal.language.lower())
    datatype = str(literal.datatype or XSD + "string")
    return Text(str(literal)) if datatype == XSD + "string" else value_of(str(literal), datatype)


def _read_by(shapes: Graph) -> frozenset[str]:
    """The properties whose values shapes read to the letter, where it is said of them."""
    paths = (shapes.value(s, SH.path) for p in _TO_THE_LETTER for s in shapes.subjects(p))
    compared = (o for p in _COMPARED for o in shapes.objects(None, p))
    return frozenset(str(term) for term in (*paths, *compared) if isinstance(term, URIRef))


def _looks_no_further(shapes: Graph) -> bool:
    """Whether shapes read of a node nothing but its own facts and the classes of what it points at, and nothing to
    the letter but the values of properties. A constraint that is not known to is taken to look further.
    """
    used = {p for p in shapes.predicates() if isinstance(p, URIRef) and p.startswith(str(SH))}
    paths = list(shapes.subject_objects(SH.path))
    return (
        used <= _RENAMED | _TO_THE_LETTER | _SHAPES
        and all(isinstance(path, URIRef) for _, path in paths)
        and all((s, SH.path, None) in shapes for p in _TO_THE_LETTER for s in shapes.subjects(p))
        and not any((node, SH.path, None) in shapes for shape, _ in paths for node in _below(shape, shapes))
    )


def _below(shape: Node, shapes: Graph) -> set[Node]:
    """The shapes and lists that one uses."""
    found: set[Node] = set()
    waiting = [o for p in _SHAPES for o in shapes.objects(shape, p)]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += shapes.objects(node)
    return found
