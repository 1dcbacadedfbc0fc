"""Common pitfalls in modelling classes and individuals: each is logically sound, and says what was not meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from app.authoring.check.graph import (
    CLASS_KINDS,
    DISJOINT,
    EQUIVALENT,
    INDIVIDUAL,
    INTERSECTION,
    ONTOLOGY,
    UNION,
    Graph,
    is_named,
)
from app.authoring.check.subject import Subject, said
from app.authoring.check.words import definitions
from app.authoring.problems import Check, Problem, Severity
from app.edition import CORE
from app.vocab import OWL, RDF, RDFS, SUB_CLASS, TYPE

PART_AS_KIND: Final = Check(
    "part_as_kind",
    Severity.WARNING,
    "a class is below one that its definition calls the whole of which it is a part",
    "below means that each is one: a wheel is no car, and would get everything that is said of cars",
)
ONLY_DEFINES: Final = Check(
    "only_defines",
    Severity.WARNING,
    "a class is defined by owl:allValuesFrom alone",
    "what has no value at all satisfies it: everything that never had one becomes a member",
)
INTERSECTION_OF_DISJOINT: Final = Check(
    "intersection_of_disjoint",
    Severity.ERROR,
    "an owl:intersectionOf takes classes that are disjoint",
    "nothing is in both; `A and B` in English is mostly owl:unionOf: whatever is in one of them",
)
MISCELLANEOUS: Final = Check(
    "miscellaneous_class",
    Severity.WARNING,
    "a class gathers what fits nowhere else",
    "its members have nothing in common, and move when a class is added; the class above holds them already",
)
LONE_CLASS: Final = Check(
    "lone_class",
    Severity.WARNING,
    "a class is connected with no other term",
    "nothing follows from being one: it has no place in the tree, no use, no rule that reaches it",
)
SYNONYM_CLASS: Final = Check(
    "synonym_class",
    Severity.WARNING,
    "two classes of one ontology are said to be the same",
    "two names for one class are a label and a synonym (skos:altLabel); two classes must be kept in step for ever",
)
INCOMPLETE: Final = Check(
    "incomplete_restriction",
    Severity.ERROR,
    "an owl:Restriction lacks its property or what it asks of it",
    "it says nothing, and reasoners pass over it or refuse the whole ontology",
)
BROKEN_LIST: Final = Check(
    "broken_list",
    Severity.ERROR,
    "an RDF list has no end, or a cell without one member",
    "what comes after the break is lost: a union, a disjointness or a key of fewer than were written",
)
PUNNED: Final = Check(
    "class_as_individual",
    Severity.WARNING,
    "a class is also a member of a class",
    "what holds of it as a member does not hold of its members, and nothing keeps the two apart for a reader",
)
UNTYPED: Final = Check(
    "untyped_individual",
    Severity.WARNING,
    "an individual is of no class",
    "what kind of thing it is decides what can be asked of it; without one it is in no answer",
)
CHECKS: Final = (
    PART_AS_KIND, ONLY_DEFINES, INTERSECTION_OF_DISJOINT, MISCELLANEOUS, LONE_CLASS, SYNONYM_CLASS, INCOMPLETE,
    BROKEN_LIST, PUNNED, UNTYPED,
)  # fmt: skip

RESTRICTION: Final = OWL + "Restriction"
_ASKED: Final = tuple(
    OWL + name
    for name in (
        "someValuesFrom", "allValuesFrom", "hasValue", "hasSelf", "cardinality", "minCardinality", "maxCardinality",
        "qualifiedCardinality", "minQualifiedCardinality", "maxQualifiedCardinality",
    )
)  # fmt: skip
_MISCELLANEOUS: Final = re.compile(
    r"(other|misc|miscellaneous|unclassified|uncategori[sz]ed)\b(?!-)|.*\bmiscellaneous$", re.I
)
_PART: Final = (
    r"(?:part|component|element|portion|piece|section|member|ingredient|organ)s? of (?:a|an|the|some|one)\s+"
)
_SHACL: Final = "http://www.w3.org/ns/shacl#"
_META: Final = CLASS_KINDS | {INDIVIDUAL, RESTRICTION, OWL + "DeprecatedClass", RDFS + "Datatype", OWL + "Thing"}
_OF_CLASSES: Final = frozenset({SUB_CLASS, EQUIVALENT, DISJOINT, OWL + "disjointUnionOf", UNION, INTERSECTION})


def class_problems(subject: Subject) -> Iterator[Problem]:
    """The pitfalls of each class and individual, and of what they are defined by."""
    graph = subject.graph
    for term in subject.terms:
        if term in graph.classes:
            yield from _of_class(subject, graph, term)
        elif INDIVIDUAL in graph.kinds(term) and not graph.kinds(term) - {INDIVIDUAL}:
            yield subject.problem(UNTYPED, f"{said(term)} is an individual of no class", term)
    yield from _synonyms(subject, graph)
    yield from _broken(subject, graph)


def _of_class(subject: Subject, graph: Graph, term: str) -> Iterator[Problem]:
    label = graph.label(term)
    if _MISCELLANEOUS.match(label):
        hint = "leave its members in the class above, or say what they have in common"
        yield subject.problem(MISCELLANEOUS, f"{said(term)} is called `{label}`", term, hint=hint)
    for above in graph.named(term, SUB_CLASS):
        whole = subject.whole.label(above)
        if any(_is_part_of(text.value, whole) for text in definitions(subject, graph, term)):
            message = f"{said(term)} is below {said(above)}, of which its definition calls it a part"
            hint = "say by a property that it is part of it, and place it under what it is"
            yield subject.problem(PART_AS_KIND, message, above, within=term, hint=hint)
    for node in graph.nodes(term, EQUIVALENT):
        if graph.objects(node, OWL + "allValuesFrom"):
            message = f"{said(term)} is whatever has no other value of {said(_property(graph, node))}, or none at all"
            hint = "add `owl:someValuesFrom`, or a class of which it is a part (owl:intersectionOf)"
            yield subject.problem(ONLY_DEFINES, message, EQUIVALENT, within=term, hint=hint)
    kinds = {k for k in graph.kinds(term) - _META if is_named(k) and not k.startswith((_SHACL, OWL, RDF, RDFS))}
    meta = {k for k in kinds if subject.whole.above(k) & (CLASS_KINDS | {_SHACL + "Shape"})}
    for kind in sorted(kinds - meta):
        message = f"{said(term)} is a class and of the class {said(kind)}"
        hint = "`rdfs:subClassOf` if every member is one; an individual if it has none"
        yield subject.problem(PUNNED, message, kind, within=term, hint=hint)
    if subject.pack != CORE and _is_alone(graph, term) and not graph.deprecated(term):  # packs connect core's
        hint = "place it: `rdfs:subClassOf ...`"
        yield subject.problem(LONE_CLASS, f"{said(term)} is connected with no other term", term, hint=hint)


def _is_part_of(definition: str, whole: str) -> bool:
    """Whether a definition begins by calling the thing a part of the whole."""
    begins = r"^(?:(?:a|an|the|any|one)\s+)?(?:(?:small|main|integral|functional|structural|constituent)\s+)?"
    return re.match(f"{begins}{_PART}{re.escape(whole)}\\b", definition.strip(), re.IGNORECASE) is not None


def _property(graph: Graph, restriction: str) -> str:
    return next(iter(graph.nodes(restriction, OWL + "onProperty")), "its property")


def _is_alone(graph: Graph, term: str) -> bool:
    """Whether a class says nothing about another term, and none about it."""
    facts = graph.out[term]
    speaks = any(
        o not in (OWL + "Thing", RDFS + "Resource", term)
        for p, values in facts.items()
        if p not in (TYPE, RDFS + "isDefinedBy")
        for o in values
        if isinstance(o, str)
    )
    return not speaks and not any(ONTOLOGY not in graph.kinds(s) for s, _ in graph.into.get(term, ()))


def _synonyms(subject: Subject, graph: Graph) -> Iterator[Problem]:
    own = graph.classes.intersection(subject.terms)
    told: set[frozenset[str]] = set()
    for term in sorted(own):
        for other in graph.named(term, EQUIVALENT):
            pair = frozenset((term, other))
            if other in own and other != term and pair not in told and not any(map(graph.deprecated, pair)):
                told.add(pair)
                message = f"{said(term)} and {said(other)} are said to be the same class"
                hint = f"make `{graph.label(other)}` a skos:altLabel of the one that stays"
                yield subject.problem(SYNONYM_CLASS, message, other, within=term, hint=hint)


def _broken(subject: Subject, graph: Graph) -> Iterator[Problem]:
    """Class expressions that say nothing, or nothing that can be."""
    for node, facts in graph.out.items():
        if RESTRICTION in facts.get(TYPE, ()) or OWL + "onProperty" in facts:
            lacking = [] if facts.get(OWL + "onProperty") or facts.get(OWL + "onProperties") else ["owl:onProperty"]
            lacking += [] if any(p in facts for p in _ASKED) else ["what it asks: owl:someValuesFrom or the like"]
            if lacking:
                owner = _owner(graph, node)
                message = f"a restriction{_of(owner)} lacks {' and '.join(lacking)}"
                yield subject.problem(INCOMPLETE, message, _property(graph, node), within=owner)
        if (RDF + "first" in facts or RDF + "rest" in facts) and not _whole(facts):
            owner = _owner(graph, node)
            yield subject.problem(BROKEN_LIST, f"a list{_of(owner)} is broken", owner)
        if INTERSECTION in facts:
            parts = [part for part in graph.listed(node, INTERSECTION) if is_named(part)]
            for one, other in combinations(parts, 2):
                if subject.are_disjoint(one, other):
                    owner = _owner(graph, node)
                    message = f"nothing is both {said(one)} and {said(other)}{_of(owner)}"
                    hint = "if either will do, write owl:unionOf"
                    yield subject.problem(INTERSECTION_OF_DISJOINT, message, other, within=owner, hint=hint)


def _whole(facts: Mapping[str, Sequence[object]]) -> bool:
    return all(len(facts.get(RDF + name, ())) == 1 for name in ("first", "rest"))


def _owner(graph: Graph, node: str) -> str:
    """The named term in whose description a blank node stands; empty where there is none."""
    seen = {node}
    while not is_named(node):
        node = next((s for s, _ in graph.into.get(node, ()) if s not in seen), "")
        if not node:
            return ""
        seen.add(node)
    return node


def _of(owner: str) -> str:
    return f" of {said(owner)}" if owner else ""
