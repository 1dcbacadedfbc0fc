"""Axioms in readable form: class expressions in words, names linked, the words of OWL marked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from app.authoring.doc.html import Child, Html, between, join, tag
from app.authoring.doc.site import Leaf
from app.knowledge import local_name
from app.model import Term, Text, Typed
from app.vocab import OWL, RDF, RDFS, SUB_CLASS, TYPE, XSD

_QUANTIFIERS: Final = (("allValuesFrom", "only"), ("someValuesFrom", "some"), ("hasValue", "value"))
_CARDINALITIES: Final = (
    *(("maxCardinality", "at most"), ("maxQualifiedCardinality", "at most")),
    *(("minCardinality", "at least"), ("minQualifiedCardinality", "at least")),
    *(("cardinality", "exactly"), ("qualifiedCardinality", "exactly")),
)
_FACETS: Final = {
    "minInclusive": "≥", "minExclusive": ">", "maxInclusive": "≤", "maxExclusive": "<",
    "pattern": "like", "length": "length", "minLength": "length ≥", "maxLength": "length ≤",
}  # fmt: skip
_DEEPEST: Final = 12
"""How deep expressions are written out; nodes may, by mistake, contain themselves."""
_MOST_NAMED: Final = 100
"""How many classes a line names that are disjoint with one."""
CHARACTERISTICS: Final = {
    OWL + "FunctionalProperty": "at most one value",
    OWL + "InverseFunctionalProperty": "a value has at most one subject",
    OWL + "TransitiveProperty": "transitive",
    OWL + "SymmetricProperty": "symmetric",
    OWL + "AsymmetricProperty": "asymmetric",
    OWL + "ReflexiveProperty": "reflexive",
    OWL + "IrreflexiveProperty": "irreflexive",
}


@dataclass(frozen=True, slots=True)
class Axiom:
    """A line of a class page: what kind of axiom it is, and what it says."""

    kind: str
    said: Html


def axioms_of(iri: str, leaf: Leaf) -> list[Axiom]:
    """Every axiom stated of a class, whoever states it, but those that place it below or beside a named one."""
    found = list(_axioms(iri, leaf))
    return sorted(dict.fromkeys(found), key=lambda axiom: axiom.kind)


def _axioms(iri: str, leaf: Leaf) -> Iterator[Axiom]:
    stated = leaf.subject.stated
    for node in stated.nodes(iri, SUB_CLASS):
        yield Axiom("every one has", expression(node, leaf))
    for node in stated.nodes(iri, OWL + "equivalentClass"):
        yield Axiom("the same as", expression(node, leaf))
    for other in stated.objects(iri, OWL + "complementOf"):
        yield Axiom("all that is not", expression(other, leaf))
    for predicate, kind, word in (
        ("unionOf", "all that is", "or"), ("intersectionOf", "all that is both", "and"), ("oneOf", "one of", "or")
    ):  # fmt: skip
        for head in stated.objects(iri, OWL + predicate):
            yield Axiom(kind, _listed(head, word, leaf))
    for head in stated.objects(iri, OWL + "disjointUnionOf"):
        yield Axiom("always exactly one of", _listed(head, "or", leaf))
    for head in stated.objects(iri, OWL + "hasKey"):
        yield Axiom("told apart by", _listed(head, "and", leaf))
    if others := _disjoint(iri, leaf):
        yield Axiom("never a", between(", ", others))
    for node in stated.subjects(SUB_CLASS, iri):
        if node.startswith("_:"):
            yield Axiom("whatever fits is one", expression(node, leaf))


def _disjoint(iri: str, leaf: Leaf) -> list[Html]:
    """The classes disjoint with one: stated of either, or of all members of a list."""
    stated = leaf.subject.stated
    named = {*stated.names(iri, OWL + "disjointWith")}
    named |= {s for s in stated.subjects(OWL + "disjointWith", iri) if not s.startswith("_:")}
    others = [expression(node, leaf) for node in stated.nodes(iri, OWL + "disjointWith")]
    for members in stated.apart.get(iri, ()):
        named |= {m for m in members if isinstance(m, str) and m != iri and not m.startswith("_:")}
        others += [expression(m, leaf) for m in members if isinstance(m, str) and m.startswith("_:")]
    shown = leaf.subject.by_name(named)[:_MOST_NAMED]
    more = [Html(f"and {len(named) - _MOST_NAMED:,} more")] if len(named) > _MOST_NAMED else []
    return [*leaf.terms(shown), *more, *sorted(others)]


def property_axioms(iri: str, leaf: Leaf) -> list[Axiom]:
    """What is stated of a property: how many values, of which kind, and how it hangs together with others."""
    stated = leaf.subject.stated
    said = [Axiom("is", Html(word)) for kind, word in CHARACTERISTICS.items() if kind in stated.objects(iri, TYPE)]
    for predicate, kind in (
        (RDFS + "subPropertyOf", "below"), (RDFS + "domain", "said of"), (RDFS + "range", "its values are"),
        (OWL + "inverseOf", "the other way round"), (OWL + "equivalentProperty", "the same as"),
        (OWL + "propertyDisjointWith", "never together with"),
    ):  # fmt: skip
        found = [expression(o, leaf) for o in stated.objects(iri, predicate)]
        if predicate == OWL + "inverseOf":
            found += [leaf.term(s) for s in stated.subjects(predicate, iri) if not s.startswith("_:")]
        said += [Axiom(kind, each) for each in sorted(set(found))]
    for head in stated.objects(iri, OWL + "propertyChainAxiom"):
        chain = [expression(member, leaf) for member in stated.members(head)]
        said.append(Axiom("follows from", between(" then ", chain)))
    narrower = [s for s in stated.subjects(RDFS + "subPropertyOf", iri) if s != iri and not s.startswith("_:")]
    if narrower:
        said.append(Axiom("narrower", between(", ", leaf.terms(narrower))))
    return said


def expression(term: Term, leaf: Leaf, depth: int = 0) -> Html:
    """A class, a property or a data range in words."""
    if not isinstance(term, str):
        return value(term)
    if not term.startswith("_:"):
        return leaf.term(term) if not term.startswith(XSD) else tag("code", leaf.subject.short(term))
    if depth > _DEEPEST:
        return Html("…")
    stated = leaf.subject.stated
    for path in stated.objects(term, OWL + "onProperty"):
        return _restriction(term, path, leaf, depth)
    for predicate, word in (("intersectionOf", "and"), ("unionOf", "or"), ("oneOf", "or")):
        for head in stated.objects(term, OWL + predicate):
            return join("(", _listed(head, word, leaf, depth + 1), ")") if depth else _listed(head, word, leaf, 1)
    for predicate, word in (("complementOf", "not"), ("inverseOf", "inverse of"), ("datatypeComplementOf", "not")):
        for other in stated.objects(term, OWL + predicate):
            return join(_word(word), " ", expression(other, leaf, depth + 1))
    for datatype in stated.objects(term, OWL + "onDatatype"):
        return join(expression(datatype, leaf, depth + 1), _facets(term, leaf))
    return Html("something")


def value(term: Term) -> Html:
    """A literal as it is written."""
    if isinstance(term, Text):
        return tag("q", term.value, lang=term.lang or None)
    if isinstance(term, Typed):
        return tag("code", term.lexical, title=local_name(term.datatype))
    return tag("code", term.isoformat() if isinstance(term, datetime) else str(term))


def _restriction(node: str, path: Term, leaf: Leaf, depth: int) -> Html:
    stated, named = leaf.subject.stated, expression(path, leaf, depth + 1)
    said: list[Child] = []
    for predicate, word in _QUANTIFIERS:
        said += [
            join(named, " ", _word(word), " ", expression(o, leaf, depth + 1))
            for o in stated.objects(node, OWL + predicate)
        ]
    of = [
        expression(o, leaf, depth + 1)
        for kind in ("onClass", "onDataRange")
        for o in stated.objects(node, OWL + kind)
    ]
    for predicate, word in _CARDINALITIES:
        said += [
            join(
                named, " ", _word(word), " ", value(n) if not isinstance(n, str) else n, [" ", of[0]] if of else None
            )
            for n in stated.objects(node, OWL + predicate)
        ]
    if stated.objects(node, OWL + "hasSelf"):
        said.append(join(named, " ", _word("itself")))
    return between(join(" ", _word("and"), " "), said) if said else named


def _listed(head: Term, word: str, leaf: Leaf, depth: int = 1) -> Html:
    members = [expression(member, leaf, depth) for member in leaf.subject.stated.members(head)]
    return between(join(" ", _word(word), " "), members) if members else Html("nothing")


def _facets(node: str, leaf: Leaf) -> Html:
    stated = leaf.subject.stated
    said = []
    for head in stated.objects(node, OWL + "withRestrictions"):
        for facet in stated.members(head):
            for predicate, objects in stated.out.get(str(facet), {}).items():
                word = _FACETS.get(local_name(predicate), local_name(predicate))
                said += [f"{word} {_plain(o)}" for o in objects if predicate != RDF + "type"]
    return join(" (", ", ".join(said), ")") if said else Html("")


def _plain(term: Term) -> str:
    return str(getattr(term, "value", getattr(term, "lexical", term)))


def _word(word: str) -> Html:
    return tag("span", word, class_="owl")
