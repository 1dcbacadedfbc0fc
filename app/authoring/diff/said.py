"""Statements in readable form: labels for terms, identifiers for entities, axioms as in the Manchester syntax."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import pyoxigraph as ox

from app.authoring.diff.statements import Node, Statement
from app.knowledge import local_name
from app.vocab import HOME, IDENTIFIER, LABEL, OWL, PREFIXES, RDF, RDFS, SUB_CLASS, SUB_PROPERTY, TYPE, XSD

_FRAMES: Final = {
    SUB_CLASS: "SubClassOf",
    SUB_PROPERTY: "SubPropertyOf",
    OWL + "equivalentClass": "EquivalentTo",
    OWL + "equivalentProperty": "EquivalentTo",
    OWL + "disjointWith": "DisjointWith",
    OWL + "propertyDisjointWith": "DisjointWith",
    OWL + "disjointUnionOf": "DisjointUnionOf",
    OWL + "inverseOf": "InverseOf",
    OWL + "propertyChainAxiom": "SubPropertyChain",
    OWL + "hasKey": "HasKey",
    OWL + "sameAs": "SameAs",
    OWL + "differentFrom": "DifferentFrom",
    RDFS + "domain": "Domain",
    RDFS + "range": "Range",
    TYPE: "Types",
}
_QUANTIFIERS: Final = {
    "someValuesFrom": "some",
    "allValuesFrom": "only",
    "hasValue": "value",
    "hasSelf": "Self",
    "minCardinality": "min",
    "maxCardinality": "max",
    "cardinality": "exactly",
    "minQualifiedCardinality": "min",
    "maxQualifiedCardinality": "max",
    "qualifiedCardinality": "exactly",
}
_FACETS: Final = {"minInclusive": ">=", "maxInclusive": "<=", "minExclusive": ">", "maxExclusive": "<"}
_GROUPS: Final = {
    "AllDisjointClasses": ("DisjointClasses", "members"),
    "AllDisjointProperties": ("DisjointProperties", "members"),
    "AllDifferent": ("DifferentIndividuals", "distinctMembers"),
}
_DEEPEST: Final = 40
_LONGEST: Final = 400


@dataclass(frozen=True, slots=True)
class Sayer:
    """Says terms by their English labels, entities by their identifiers."""

    names: Mapping[str, str]

    @classmethod
    def of(cls, statements: Iterable[Statement]) -> Sayer:
        """With the names that statements give; the first file that names a term counts."""
        names: dict[str, str] = {}
        for statement in statements:
            triple = statement.plain
            if triple is None or not isinstance(triple.object, ox.Literal):
                continue
            english = triple.object.language in {None, "en"}
            if triple.predicate.value == IDENTIFIER or (triple.predicate.value == LABEL and english):
                names.setdefault(statement.subject, triple.object.value)
        return cls(names)

    def iri(self, iri: str) -> str:
        """A term: its label, in quotes where that is no word, else its name with prefix."""
        if iri.startswith((OWL, RDFS, RDF, XSD)):
            return prefixed(iri)
        name = self.names.get(iri)
        if name is None:
            return prefixed(iri)
        return name if name.replace("-", "").replace("_", "").isalnum() else f"'{name}'"

    def statement(self, statement: Statement) -> str:
        """A statement in a line."""
        writing = _writing(self, statement)
        held = writing.held
        named = sorted((s for s in held if isinstance(s, ox.NamedNode)), key=str)
        told = [writing.triple(s, p, o) for s in named for p, o in held[s]]
        if not told:
            pointed = {t.object for t in statement.triples}
            tops = sorted((s for s in held if s not in pointed), key=str) or sorted(held, key=str)[:1]
            told = [writing.group(node) for node in tops]
        said = "; ".join(dict.fromkeys(told))
        return said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"

    def value(self, statement: Statement) -> str:
        """What a statement says of its subject by its one property; all of it where it is more."""
        if not statement.predicate:
            return self.statement(statement)
        if (triple := statement.plain) is not None and isinstance(triple.object, ox.Literal):
            return triple.object.value
        writing = _writing(self, statement)
        roots = (about for node, about in writing.held.items() if isinstance(node, ox.NamedNode))
        return _cut("; ".join(dict.fromkeys(writing.node(o) for about in roots for _, o in about)))


def _writing(sayer: Sayer, statement: Statement) -> _Writing:
    held: dict[Node, list[tuple[str, Node]]] = {}
    for t in statement.triples:
        held.setdefault(t.subject, []).append((t.predicate.value, t.object))
    return _Writing(sayer, {node: sorted(about, key=str) for node, about in held.items()})


def _cut(said: str) -> str:
    return said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"


@dataclass(frozen=True, slots=True)
class _Writing:
    """One statement being written."""

    sayer: Sayer
    held: Mapping[Node, list[tuple[str, Node]]]

    def triple(self, s: Node, p: str, o: Node) -> str:
        subject = self.node(s)
        if p == TYPE and isinstance(o, ox.NamedNode) and o.value.startswith((OWL, RDFS)):
            return f"{subject}: {local_name(o.value)}"
        if p == OWL + "propertyChainAxiom":
            return f"{subject} SubPropertyChain: {' o '.join(self.members(o))}"
        if p in (OWL + "hasKey", OWL + "disjointUnionOf"):
            return f"{subject} {_FRAMES[p]}: {', '.join(self.members(o))}"
        if p in _FRAMES:
            return f"{subject} {_FRAMES[p]}: {self.node(o)}"
        return f"{subject} {self.sayer.iri(p)} {self.node(o)}"

    def group(self, node: Node) -> str:
        """A statement that has no named subject."""
        said = dict(self.held[node])
        kind = said.get(TYPE)
        name = local_name(kind.value) if isinstance(kind, ox.NamedNode) else ""
        if name in _GROUPS:
            frame, members = _GROUPS[name]
            listed = said.get(OWL + members) or said.get(OWL + "members")
            return f"{frame}: {', '.join(self.members(listed))}" if listed is not None else frame
        if name == "NegativePropertyAssertion":
            target = said.get(OWL + "targetIndividual") or said.get(OWL + "targetValue")
            parts = (said.get(OWL + "sourceIndividual"), said.get(OWL + "assertionProperty"), target)
            return "not: " + " ".join(self.node(part) for part in parts if part is not None)
        return self.node(node)

    def node(self, node: Node, depth: int = 0) -> str:
        if isinstance(node, ox.NamedNode):
            return self.sayer.iri(node.value)
        if isinstance(node, ox.Literal):
            return _literal(node)
        if node not in self.held or depth > _DEEPEST:
            return "[]" if depth <= _DEEPEST else "…"
        said = self.held[node]
        of = {p.removeprefix(OWL): o for p, o in said if p.startswith(OWL)}
        if (written := self.expression(of, depth + 1)) is not None:
            return written
        if any(p == RDF + "first" for p, _ in said):
            return f"({', '.join(self.members(node, depth + 1))})"
        parts = (f"{self.sayer.iri(p) if p != TYPE else 'a'} {self.node(o, depth + 1)}" for p, o in said)
        return f"[{'; '.join(parts)}]"

    def expression(self, of: Mapping[str, Node], depth: int) -> str | None:
        """A class expression or a data range; None where it is neither."""
        if "onProperty" in of:
            for name, word in _QUANTIFIERS.items():
                if name in of:
                    on = of.get("onClass") or of.get("onDataRange")
                    filler = "" if word == "Self" else f" {self.node(of[name], depth)}"
                    qualified = f" {self.node(on, depth)}" if on is not None else ""
                    return f"({self.node(of['onProperty'], depth)} {word}{filler}{qualified})"
        for name, word in (("intersectionOf", " and "), ("unionOf", " or ")):
            if name in of:
                return f"({word.join(self.members(of[name], depth))})"
        if "complementOf" in of:
            return f"(not {self.node(of['complementOf'], depth)})"
        if "oneOf" in of:
            return f"{{{', '.join(self.members(of['oneOf'], depth))}}}"
        if "inverseOf" in of:
            return f"(inverse {self.node(of['inverseOf'], depth)})"
        if "withRestrictions" in of and "onDatatype" in of:
            facets = ", ".join(self.facets(of["withRestrictions"], depth))
            return f"{self.node(of['onDatatype'], depth)}[{facets}]"
        return None

    def facets(self, node: Node, depth: int) -> Iterable[str]:
        for each in self.list(node):
            for p, o in self.held.get(each, ()):
                name = local_name(p)
                yield f"{_FACETS.get(name, name)} {self.node(o, depth)}"

    def members(self, node: Node, depth: int = 0) -> list[str]:
        return [self.node(each, depth + 1) for each in self.list(node)]

    def list(self, node: Node) -> list[Node]:
        found: list[Node] = []
        seen: set[Node] = set()
        while isinstance(node, ox.BlankNode) and node in self.held and node not in seen:
            seen.add(node)
            cell = dict(self.held[node])
            if RDF + "first" in cell:
                found.append(cell[RDF + "first"])
            node = cell.get(RDF + "rest", ox.NamedNode(RDF + "nil"))
        return found


def prefixed(iri: str) -> str:
    """An IRI of the common vocabularies or of a pack as `prefix:Name`."""
    for name, namespace in PREFIXES.items():
        if iri.startswith(namespace):
            return f"{name}:{iri.removeprefix(namespace)}"
    if iri.startswith(HOME) and "#" in iri:
        pack, _, name = iri.removeprefix(HOME).partition("#")
        return f"{pack}:{name}" if pack.isidentifier() else f"<{iri}>"
    return f"<{iri}>"


def _literal(node: ox.Literal) -> str:
    if node.language:
        return f'"{node.value}"@{node.language}'
    if node.datatype.value == XSD + "string":
        return f'"{node.value}"'
    if node.datatype.value in (XSD + "integer", XSD + "decimal", XSD + "boolean"):
        return node.value
    return f'"{node.value}"^^{prefixed(node.datatype.value)}'
