"""An axiom for readers: labels for IRIs, class expressions nearly as in the Manchester syntax."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

import pyoxigraph as ox

from app.authoring.logic.axioms import NEGATIVE, Axiom, iri, members, outgoing
from app.knowledge import local_name
from app.vocab import OWL, RDFS, SUB_CLASS, TYPE, XSD

_SAID: Final = {
    SUB_CLASS: "{s} is a {o}",
    TYPE: "{s} is a {o}",
    RDFS + "subPropertyOf": "{s} is a subproperty of {o}",
    RDFS + "domain": "{s} has domain {o}",
    RDFS + "range": "{s} has range {o}",
    OWL + "equivalentClass": "{s} is equivalent to {o}",
    OWL + "equivalentProperty": "{s} is equivalent to {o}",
    OWL + "disjointWith": "{s} and {o} are disjoint",
    OWL + "propertyDisjointWith": "{s} and {o} are disjoint",
    OWL + "inverseOf": "{s} is the inverse of {o}",
    OWL + "sameAs": "{s} is the same as {o}",
    OWL + "differentFrom": "{s} is different from {o}",
}
_LISTED: Final = {
    OWL + "disjointUnionOf": ("{s} is the disjoint union of {o}", ", "),
    OWL + "propertyChainAxiom": ("{o} implies {s}", " o "),
    OWL + "hasKey": ("{s} is identified by {o}", ", "),
}
_CHARACTERISTICS: Final = {
    OWL + f"{name}Property": f"{{s}} is {said}"
    for name, said in (
        ("Functional", "functional"),
        ("InverseFunctional", "inverse functional"),
        ("Transitive", "transitive"),
        ("Symmetric", "symmetric"),
        ("Asymmetric", "asymmetric"),
        ("Reflexive", "reflexive"),
        ("Irreflexive", "irreflexive"),
    )
}
_TOGETHER: Final = {
    OWL + "AllDisjointClasses": "{o} are pairwise disjoint",
    OWL + "AllDisjointProperties": "{o} are pairwise disjoint",
    OWL + "AllDifferent": "{o} are pairwise different",
}
_NUMBERS: Final = {
    OWL + name: word
    for name, word in (
        ("minCardinality", "min"),
        ("maxCardinality", "max"),
        ("cardinality", "exactly"),
        ("minQualifiedCardinality", "min"),
        ("maxQualifiedCardinality", "max"),
        ("qualifiedCardinality", "exactly"),
    )
}
_FILLED: Final = {
    OWL + "someValuesFrom": "some",
    OWL + "allValuesFrom": "only",
    OWL + "hasValue": "value",
}
_FACETS: Final = {
    XSD + "minInclusive": ">=",
    XSD + "maxInclusive": "<=",
    XSD + "minExclusive": ">",
    XSD + "maxExclusive": "<",
}
_DEEPEST: Final = 20

Label = Callable[[str], str]


def labels_of(labels: Mapping[str, str]) -> Label:
    """A term by its label, else by its local name."""
    return lambda iri: labels.get(iri) or local_name(iri)


def said(axiom: Axiom, label: Label) -> str:
    """An axiom as a sentence."""
    return _Words(axiom.triples, label).axiom(axiom.root)


def said_fact(triple: ox.Triple, label: Label) -> str:
    """A triple between terms with names as a sentence."""
    return _Words((triple,), label).axiom(triple)


class _Words:
    def __init__(self, triples: Iterable[ox.Triple], label: Label) -> None:
        self.label = label
        self.out = outgoing(triples)

    def axiom(self, root: ox.Triple) -> str:
        p, o = root.predicate.value, root.object
        kind = iri(o) if p == TYPE else ""
        if kind == NEGATIVE:
            return self._negative(root.subject)
        if kind in _TOGETHER:
            return _TOGETHER[kind].format(o=self._members(root.subject))
        s = self.term(root.subject)
        if kind in _CHARACTERISTICS:
            return _CHARACTERISTICS[kind].format(s=s)
        if p in _LISTED:
            form, between = _LISTED[p]
            return form.format(s=s, o=between.join(map(self.term, members(o, self.out))))
        if p in _SAID:
            return _SAID[p].format(s=s, o=self.term(o))
        return f"{s} {self.label(p)} {self.term(o)}"

    def term(self, term: object, depth: int = 0) -> str:
        """A term, a literal or an expression; the latter in parentheses."""
        if isinstance(term, ox.NamedNode):
            return self.label(term.value)
        if isinstance(term, ox.Literal):
            plain = term.datatype.value in {XSD + n for n in ("integer", "decimal", "boolean", "nonNegativeInteger")}
            return term.value if plain else f'"{term.value}"'
        about = {t.predicate.value: t.object for t in self.out.get(term, ())} if depth < _DEEPEST else {}
        return self._expression(about, depth + 1)

    def _expression(self, about: Mapping[str, object], depth: int) -> str:
        def part(name: str) -> str:
            return self.term(about[OWL + name], depth)

        def listed(name: str, between: str) -> str:
            return between.join(self.term(each, depth) for each in members(about[OWL + name], self.out))

        if OWL + "onProperty" in about:
            return f"({part('onProperty')} {self._restriction(about, depth)})"
        for name, between in (("unionOf", " or "), ("intersectionOf", " and ")):
            if OWL + name in about:
                return f"({listed(name, between)})"
        if OWL + "oneOf" in about:
            return f"{{{listed('oneOf', ', ')}}}"
        for name, word in (("complementOf", "not"), ("datatypeComplementOf", "not"), ("inverseOf", "inverse")):
            if OWL + name in about:
                return f"({word} {part(name)})"
        if OWL + "onDatatype" in about:
            return f"{part('onDatatype')}[{self._facets(about.get(OWL + 'withRestrictions'))}]"
        return "[…]"

    def _restriction(self, about: Mapping[str, object], depth: int) -> str:
        for predicate, word in _FILLED.items():
            if predicate in about:
                return f"{word} {self.term(about[predicate], depth)}"
        if OWL + "hasSelf" in about:
            return "Self"
        for predicate, word in _NUMBERS.items():
            if predicate in about:
                of = about.get(OWL + "onClass", about.get(OWL + "onDataRange"))
                return f"{word} {self.term(about[predicate], depth)}" + (f" {self.term(of, depth)}" if of else "")
        return "…"

    def _facets(self, listed: object) -> str:
        told = []
        for node in members(listed, self.out):
            for t in self.out.get(node, ()):
                facet = t.predicate.value
                told.append(f"{_FACETS.get(facet, self.label(facet))} {self.term(t.object)}")
        return ", ".join(told)

    def _members(self, node: object) -> str:
        lists = (t.object for t in self.out.get(node, ()) if t.predicate.value != TYPE)
        return ", ".join(self.term(each) for head in lists for each in members(head, self.out))

    def _negative(self, node: object) -> str:
        about = {t.predicate.value: t.object for t in self.out.get(node, ())}
        parts = [about.get(OWL + name) for name in ("sourceIndividual", "assertionProperty")]
        parts.append(about.get(OWL + "targetIndividual") or about.get(OWL + "targetValue"))
        return "not: " + " ".join(self.term(each) for each in parts)
