"""Terms: declared, one thing each, in the pack's namespace; deprecated ones with what replaces them; no circles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from keyword import kwlist
from typing import Any, Final

from app.authoring.check.graph import (
    CLASS_KINDS,
    DATATYPE,
    DATATYPE_PROPERTY,
    EQUIVALENT,
    INDIVIDUAL,
    OBJECT_PROPERTY,
    ONTOLOGY,
    Graph,
    is_named,
)
from app.authoring.check.subject import Subject, said
from app.authoring.problems import Check, Problem, Severity
from app.knowledge import local_name
from app.model import Typed
from app.nearest import did_you_mean
from app.vocab import DOMAIN, HOME, OWL, RANGE, RDF, RDFS, SKOS, SUB_CLASS, SUB_PROPERTY, TYPE, dac, mmm

UNDECLARED: Final = Check(
    "undeclared_term",
    Severity.ERROR,
    "a term is used that no vocabulary declares",
    "a misspelt term is another term: what is said with it holds of nothing, and nobody notices",
)
FOREIGN: Final = Check(
    "foreign_term",
    Severity.ERROR,
    "a pack declares a term outside its namespace",
    "a term belongs to the pack whose namespace it is in; who meets it elsewhere looks for its meaning there",
)
SEVERAL_KINDS: Final = Check(
    "several_kinds",
    Severity.ERROR,
    "a term is declared as several kinds of thing",
    "a class, a property and an individual of one name are three things to a reasoner, and one to a reader",
)
NO_KIND: Final = Check(
    "kind_missing",
    Severity.ERROR,
    "a term does not say whether it is a class, a property, an individual or a datatype",
    "OWL 2 DL wants it declared, and a reasoner that must guess may guess wrong",
)
REPLACEMENT: Final = Check(
    "deprecated_without_replacement",
    Severity.ERROR,
    "a deprecated term says neither what replaces it (dcterms:isReplacedBy) nor why nothing does (skos:historyNote)",
    "who has used it must know what to use instead",
)
DEPRECATED_USED: Final = Check(
    "deprecated_used",
    Severity.WARNING,
    "a term that is in force builds on a deprecated one",
    "the deprecated term can then never go, and new facts go on being stated with it",
)
CYCLE: Final = Check(
    "cycle",
    Severity.ERROR,
    "classes or properties are below each other",
    "they have then the same members: a circle states that they are one, which is hardly what was meant",
)
CHECKS: Final = (UNDECLARED, FOREIGN, SEVERAL_KINDS, NO_KIND, REPLACEMENT, DEPRECATED_USED, CYCLE)

ACTION_PROPERTIES: Final = frozenset({mmm("action"), mmm("supportsAction"), dac("affords"), dac("conduct")})
"""What an Action may be the value of."""

_REPLACED_BY: Final = re.compile(
    r"(?:is)?replacedBy|supersededBy|deprecation\w*|deprecatedInFavou?rOf|IAO_0100001", re.I
)
_NOTES: Final = (SKOS + "historyNote", SKOS + "changeNote")
_BUILDS: Final = (SUB_CLASS, SUB_PROPERTY, DOMAIN, RANGE, EQUIVALENT, OWL + "inverseOf", OWL + "onProperty")
_FILLERS: Final = (OWL + "someValuesFrom", OWL + "allValuesFrom", OWL + "onClass", OWL + "hasValue")
_KINDS: Final = {
    "class": CLASS_KINDS,
    "object property": frozenset({OBJECT_PROPERTY}),
    "datatype property": frozenset({DATATYPE_PROPERTY}),
    "annotation property": frozenset({OWL + "AnnotationProperty"}),
    "individual": frozenset({INDIVIDUAL}),
    "datatype": frozenset({DATATYPE}),
}
_LOGICAL: Final = (RDF, RDFS, OWL)
_POINTERS: Final = frozenset({RDFS + "seeAlso", RDFS + "isDefinedBy"})
_HINTS: Final = 50
"""Misspelt terms of one file for which the nearest is sought: where there are more, they are not misspelt."""

_CONTAINER: Final = re.compile(re.escape(RDF) + r"_[1-9]\d*")


def term_problems(subject: Subject) -> Iterator[Problem]:
    """Everything but the words of terms."""
    yield from _undeclared(subject)
    yield from _kinds(subject)
    yield from _deprecated(subject)
    for kind, predicate, terms in (
        ("class", SUB_CLASS, subject.graph.classes),
        ("property", SUB_PROPERTY, subject.graph.properties),
    ):
        yield from _cycles(subject, kind, predicate, terms)


@cache
def vocabularies() -> dict[str, frozenset[str]]:
    """The vocabularies of which every term is known, by namespace; each is closed by its standard."""
    from rdflib import DC, DCTERMS, SH
    from rdflib import OWL as OWL_TERMS
    from rdflib import RDF as RDF_TERMS
    from rdflib import RDFS as RDFS_TERMS
    from rdflib import SKOS as SKOS_TERMS
    from rdflib import XSD as XSD_TERMS

    closed = (RDF_TERMS, RDFS_TERMS, OWL_TERMS, XSD_TERMS, SKOS_TERMS, SH, DCTERMS, DC)
    return {str(each): frozenset(map(str, dir(each))) | _no_names_in_python(each) for each in closed}


def _no_names_in_python(vocabulary: Any) -> frozenset[str]:
    """The terms that rdflib knows and does not list, because Python could not call them so: sh:class, sh:in."""
    from rdflib import URIRef

    words = (*kwlist, "ISO639-2", "ISO639-3")
    return frozenset(f"{vocabulary}{word}" for word in words if URIRef(f"{vocabulary}{word}") in vocabulary)


def _undeclared(subject: Subject) -> Iterator[Problem]:
    known = subject.whole.declared if subject.file is None else subject.graph.declared
    for source in (subject.ontology, *subject.others):
        told: set[str] = set()
        foreign = subject.file is not None
        here = known | source.graph.declared if source is not subject.ontology else known
        for term, within in _used(source.graph, foreign):
            if term in told:
                continue
            near = _missing(subject, term, here)
            if near is None or (term in subject.actions and _only_as_action(source.graph, term)):
                continue
            told.add(term)
            hint = did_you_mean(local_name(term), map(local_name, near)) if len(told) <= _HINTS else ""
            yield source.problem(UNDECLARED, f"{said(term)} is declared nowhere", term, within=within, hint=hint)


def _missing(subject: Subject, term: str, known: Iterable[str]) -> Iterable[str] | None:
    """None where a term may be used; else the terms it could be meant for."""
    space = term[: len(term) - len(local_name(term))]
    closed = vocabularies().get(space)
    if closed is not None and not (subject.file and space in subject.namespaces):
        return None if term in closed or term == space or _CONTAINER.fullmatch(term) else closed
    ours = (term.startswith(HOME) and "#" in term) if subject.file is None else space in subject.namespaces
    if not ours or term in known or term == space:
        return None
    return [each for each in known if each.startswith(space)]


def _used(graph: Graph, foreign: bool) -> Iterator[tuple[str, str]]:
    """Every IRI of which something is said, or which is used, and of what; of a foreign ontology what its axioms use
    alone, since it may speak of names given up, and of pages.
    """
    for s, facts in graph.out.items():
        if is_named(s) and not foreign:
            yield s, s
        about_itself = foreign and ONTOLOGY in facts.get(TYPE, ())
        for p, values in facts.items():
            yield p, s
            if foreign and (about_itself or not p.startswith(_LOGICAL) or p in _POINTERS):
                continue
            for o in values:
                if isinstance(o, str):
                    if is_named(o):
                        yield o, s
                elif isinstance(o, Typed):
                    yield o.datatype, s


def _only_as_action(graph: Graph, term: str) -> bool:
    return all(p in ACTION_PROPERTIES for _, p in graph.into.get(term, ()))


def _kinds(subject: Subject) -> Iterator[Problem]:
    graph = subject.graph
    for term in subject.strangers if subject.file is None else ():
        hint = f"its terms are {' and '.join(f'<{space}...>' for space in subject.namespaces)}"
        yield subject.problem(FOREIGN, f"{said(term)} is declared here", term, hint=hint)
    for term in subject.terms:
        kinds = [name for name, types in _KINDS.items() if graph.kinds(term) & types]
        if not kinds and subject.file is None:
            hint = "an individual is `a owl:NamedIndividual`, too"
            yield subject.problem(NO_KIND, f"{said(term)} is declared without its kind", term, hint=hint)
        if len(kinds) > 1:
            yield subject.problem(
                subject.ours(SEVERAL_KINDS), f"{said(term)} is declared as {' and '.join(kinds)}", term
            )


def _deprecated(subject: Subject) -> Iterator[Problem]:
    graph, whole = subject.graph, subject.whole
    for term in subject.terms:
        if graph.deprecated(term):
            if not any(p in _NOTES or _replaces(graph, term, p) for p in graph.out[term]):
                hint = "say `dcterms:isReplacedBy`, or in a `skos:historyNote` why nothing replaces it"
                yield subject.problem(subject.ours(REPLACEMENT), f"{said(term)} is deprecated", term, hint=hint)
            continue
        for old in sorted(_built_on(graph, term)):
            if whole.deprecated(old):
                message = f"{said(term)} builds on {said(old)}, which is deprecated"
                yield subject.problem(DEPRECATED_USED, message, old, within=term, hint=_instead(whole, old))
    for source in subject.others:
        for old in sorted({o for o, _ in _used(source.graph, False) if whole.deprecated(o)}):
            message = f"{said(old)} is used, which is deprecated"
            yield source.problem(DEPRECATED_USED, message, old, hint=_instead(whole, old))


def _replaces(graph: Graph, old: str, predicate: str) -> bool:
    """Whether a property says what to use instead of a deprecated term: it by name, or what is the same and stays."""
    if predicate in (EQUIVALENT, OWL + "equivalentProperty", OWL + "sameAs"):
        return any(not graph.deprecated(same) for same in graph.named(old, predicate))
    return _REPLACED_BY.fullmatch(local_name(predicate)) is not None


def _instead(graph: Graph, old: str) -> str:
    values = [o for p in graph.out[old] if _replaces(graph, old, p) for o in graph.named(old, p)]
    return f"use {' or '.join(map(said, values))}" if values else ""


def _built_on(graph: Graph, term: str) -> set[str]:
    """The terms by which a term is defined, restrictions and lists looked into."""
    found: set[str] = set()
    waiting, seen = [term], {term}
    while waiting:
        node = waiting.pop()
        follow = _BUILDS if node == term else (*_BUILDS, *_FILLERS)
        nodes = [o for p in follow for o in graph.nodes(node, p)]
        nodes += [o for p in ("intersectionOf", "unionOf", "oneOf") for o in graph.listed(node, OWL + p)]
        nodes += [] if is_named(node) and node != term else graph.nodes(node, OWL + "complementOf")
        for each in nodes:
            if is_named(each):
                found |= {each} - set(graph.nodes(term, EQUIVALENT))  # a name for the same is no ground to stand on
            elif each not in seen:
                seen.add(each)
                waiting.append(each)
    return found - {term}


def _cycles(subject: Subject, kind: str, predicate: str, terms: Iterable[str]) -> Iterator[Problem]:
    """Each circle once, told of its first term."""
    graph, told = subject.whole, set[str]()
    for term in sorted(set(terms).intersection(subject.terms)):
        if term in told or term not in graph.above(term, predicate):
            continue
        circle = _circle(graph, term, predicate)
        told.update(circle)
        way = " -> ".join(map(said, (*circle, term)))
        yield subject.problem(CYCLE, f"a {kind} is below itself: {way}", predicate, within=term)


def _circle(graph: Graph, term: str, predicate: str) -> list[str]:
    """The shortest way from a term back to itself, without its end."""
    before: dict[str, str] = {}
    waiting = [term]
    for node in waiting:
        for each in graph.named(node, predicate):
            if each == term:
                way = [node]
                while way[-1] != term:
                    way.append(before[way[-1]])
                return way[::-1]
            if each not in before:
                before[each] = node
                waiting.append(each)
    return [term]
