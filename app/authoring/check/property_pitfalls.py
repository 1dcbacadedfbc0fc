"""Common pitfalls in modelling properties."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from app.authoring.check.graph import DATATYPE, DATATYPE_PROPERTY, OBJECT_PROPERTY, Graph, is_named
from app.authoring.check.subject import Subject, said
from app.authoring.problems import Check, Problem, Severity
from app.vocab import DOMAIN, OWL, RANGE, RDF, RDFS, SUB_PROPERTY, XSD

SEVERAL_DOMAINS: Final = Check(
    "several_domains",
    Severity.WARNING,
    "a property has several domains or several ranges",
    "they all hold together: whatever has the property is of each of the classes, not of one of them",
)
DOMAIN_STATED: Final = Check(
    "domain_stated",
    Severity.WARNING,
    "a property of a pack has a domain",
    "a domain forbids nothing: it types whatever the property is said of, so that a slip makes a false fact. "
    "Shapes say what may have it",
)
RANGE_OF_OTHER_KIND: Final = Check(
    "range_of_other_kind",
    Severity.ERROR,
    "an object property ranges over data, or a datatype property over things",
    "no value can then be right: what is a thing is no literal",
)
SUB_OF_OTHER_KIND: Final = Check(
    "subproperty_of_other_kind",
    Severity.ERROR,
    "a property is below one of another kind",
    "its values would be things and data at once",
)
INVERSE_OF_ITSELF: Final = Check(
    "inverse_of_itself",
    Severity.WARNING,
    "a property is said to be its own inverse",
    "that is what owl:SymmetricProperty is for, by which readers and tools know it",
)
SEVERAL_INVERSES: Final = Check(
    "several_inverses",
    Severity.WARNING,
    "a property has several inverses",
    "they are then the same property under several names",
)
INVERSE_MISFITS: Final = Check(
    "inverse_misfits",
    Severity.ERROR,
    "the domain of a property and the range of its inverse are disjoint",
    "whatever stands on that side would be in both: neither property can ever be used",
)
NOT_SYMMETRIC: Final = Check(
    "not_symmetric",
    Severity.NOTE,
    "a property is symmetric by name, and not said to be",
    "said of one side it is not known of the other",
)
NOT_TRANSITIVE: Final = Check(
    "not_transitive",
    Severity.NOTE,
    "a property is transitive by name, and not said to be",
    "a part of a part is not known as a part",
)
CHECKS: Final = (
    SEVERAL_DOMAINS, DOMAIN_STATED, RANGE_OF_OTHER_KIND, SUB_OF_OTHER_KIND, INVERSE_OF_ITSELF, SEVERAL_INVERSES,
    INVERSE_MISFITS, NOT_SYMMETRIC, NOT_TRANSITIVE,
)  # fmt: skip

_INVERSE: Final = OWL + "inverseOf"
_SYMMETRIC: Final = re.compile(
    r"(?:is )?(?:adjacent to|next to|neighbou?r of|married to|spouse of|sibling of|(?:the )?same as|"
    r"overlaps(?: with)?|disjoint (?:with|from))",
    re.I,
)
_TRANSITIVE: Final = re.compile(
    r"(?:is )?(?:(?:proper )?part of|ancestor of|descendant of)|has (?:proper )?part", re.I
)
_NO_TRANSITIVES: Final = frozenset(
    OWL + f"{kind}Property" for kind in ("Transitive", "Asymmetric", "Irreflexive", "Functional", "InverseFunctional")
)
"""What is transitive, and what OWL 2 DL does not let be."""


def property_problems(subject: Subject) -> Iterator[Problem]:
    """The pitfalls of each property."""
    graph = subject.graph
    for term in subject.terms:
        if term in graph.properties and not graph.deprecated(term):
            yield from _sides(subject, graph, term)
            yield from _kind(subject, graph, term)
            yield from _inverses(subject, graph, term)
            yield from _names(subject, graph, term)


def _sides(subject: Subject, graph: Graph, term: str) -> Iterator[Problem]:
    for predicate, name in ((DOMAIN, "domains"), (RANGE, "ranges")):
        classes = graph.nodes(term, predicate)
        apart = [c for c in classes if not any(c != d and _is_wider(subject, c, d) for d in classes)]
        if len(set(apart)) > 1:
            shown = " and ".join(said(c) if is_named(c) else "an expression" for c in apart)
            hint = "one class with owl:unionOf says that any of them will do"
            message = f"{said(term)} has the {name} {shown}: all of them at once"
            yield subject.problem(SEVERAL_DOMAINS, message, predicate, within=term, hint=hint)
    if subject.file is None and graph.objects(term, DOMAIN):
        hint = "leave it out, or say in shapes.ttl who may have it"
        yield subject.problem(DOMAIN_STATED, f"{said(term)} has a domain", DOMAIN, within=term, hint=hint)


def _is_wider(subject: Subject, wide: str, narrow: str) -> bool:
    """Whether one class is above another, or above all that a union takes."""
    parts = subject.graph.listed(narrow, OWL + "unionOf") or [narrow]
    return all(wide == part or wide in subject.whole.above(part) for part in parts)


def _kind(subject: Subject, graph: Graph, term: str) -> Iterator[Problem]:
    kinds = graph.kinds(term)
    if len(kinds & {OBJECT_PROPERTY, DATATYPE_PROPERTY}) != 1:
        return
    is_data = DATATYPE_PROPERTY in kinds
    for value in graph.named(term, RANGE):
        if value != RDFS + "Resource" and _is_data(subject.whole, value) is (not is_data):
            message = f"{said(term)} has {'data' if is_data else 'things'} for values, and the range {said(value)}"
            yield subject.problem(RANGE_OF_OTHER_KIND, message, RANGE, within=term)
    for above in graph.named(term, SUB_PROPERTY):
        others = subject.whole.kinds(above) & {OBJECT_PROPERTY, DATATYPE_PROPERTY}
        if others and others.isdisjoint(kinds):
            message = f"{said(term)} is below {said(above)}, whose values are {'things' if is_data else 'data'}"
            yield subject.problem(SUB_OF_OTHER_KIND, message, above, within=term)


def _is_data(graph: Graph, kind: str) -> bool | None:
    """Whether a range is a datatype; None where that is not known."""
    if kind.startswith(XSD) or kind in (RDFS + "Literal", RDF + "langString", RDF + "PlainLiteral"):
        return True
    if DATATYPE in graph.kinds(kind):
        return None if kind in graph.classes else True
    return False if kind in graph.classes or kind == OWL + "Thing" else None


def _inverses(subject: Subject, graph: Graph, term: str) -> Iterator[Problem]:
    stated = [each for each in graph.nodes(term, _INVERSE) if is_named(each)]
    inverses = set(stated) | {s for s in graph.subjects(_INVERSE, term) if is_named(s)}
    if term in inverses:
        hint = "`a owl:SymmetricProperty`"
        message = f"{said(term)} is the inverse of itself"
        yield subject.problem(INVERSE_OF_ITSELF, message, _INVERSE, within=term, hint=hint)
    others = sorted(inverses - {term})
    if len(others) > 1:
        message = f"{said(term)} has the inverses {' and '.join(map(said, others))}"
        yield subject.problem(SEVERAL_INVERSES, message, _INVERSE if stated else "", within=term)
    for other in sorted(set(stated) - {term}):
        for mine, theirs, side in ((DOMAIN, RANGE, "domain"), (RANGE, DOMAIN, "range")):
            for c in graph.named(term, mine):
                for d in subject.whole.named(other, theirs):
                    if subject.are_disjoint(c, d):
                        message = (
                            f"{said(term)} has the {side} {said(c)}, which is disjoint with {said(d)} of its inverse"
                        )
                        yield subject.problem(INVERSE_MISFITS, message, _INVERSE, within=term)


def _names(subject: Subject, graph: Graph, term: str) -> Iterator[Problem]:
    kinds = graph.kinds(term)
    if OBJECT_PROPERTY not in kinds:
        return
    label = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", graph.label(term))
    symmetric = OWL + "SymmetricProperty" in kinds or graph.objects(term, _INVERSE)
    if _SYMMETRIC.fullmatch(label) and not symmetric and OWL + "AsymmetricProperty" not in kinds:
        hint = "`a owl:SymmetricProperty`, if it is"
        yield subject.problem(NOT_SYMMETRIC, f"{said(term)} is called `{label}`", term, hint=hint)
    settled = not kinds.isdisjoint(_NO_TRANSITIVES)
    if _TRANSITIVE.fullmatch(label) and not settled and not _transitive_inverse(graph, term):
        hint = "`a owl:TransitiveProperty`, if it is"
        yield subject.problem(NOT_TRANSITIVE, f"{said(term)} is called `{label}`", term, hint=hint)


def _transitive_inverse(graph: Graph, term: str) -> bool:
    """The inverse of a transitive property is transitive."""
    inverses = (*graph.nodes(term, _INVERSE), *graph.subjects(_INVERSE, term))
    return any(OWL + "TransitiveProperty" in graph.kinds(each) for each in inverses)
