"""The page of properties, and of the datatypes their values have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from app.authoring.doc.axioms import property_axioms
from app.authoring.doc.frame import facts, filter_box
from app.authoring.doc.html import Child, Html, between, join, tag
from app.authoring.doc.site import Leaf
from app.authoring.doc.subject import DATATYPES, PROPERTIES
from app.authoring.doc.terms import definitions, further, heading
from app.vocab import HIERARCHICAL, OWL, TYPE

_KINDS: Final = {
    OWL + "ObjectProperty": "between things",
    OWL + "DatatypeProperty": "with a value",
    OWL + "AnnotationProperty": "annotation",
}


def properties_page(leaf: Leaf) -> Html:
    """Every property of the pack."""
    terms = leaf.subject.terms
    datatypes = terms[DATATYPES]
    return join(
        tag("h1", "Properties"),
        tag("p", "What can be said of things and classes.", class_="lead"),
        filter_box("properties"),
        [_item(iri, list(_rows(iri, leaf)), leaf) for iri in terms[PROPERTIES]],
        tag("h2", "Datatypes") if datatypes else None,
        [_item(iri, [], leaf) for iri in datatypes],
    )


def _item(iri: str, rows: list[tuple[Child, Child]], leaf: Leaf) -> Html:
    return tag(
        "article",
        heading(iri, leaf, 2),
        definitions(iri, leaf),
        facts(rows),
        further(iri, leaf, frozenset({HIERARCHICAL})),
        id=leaf.site.terms[iri].partition("#")[2],
        class_="item",
        data_item=True,
    )


def _rows(iri: str, leaf: Leaf) -> Iterable[tuple[Child, Child]]:
    subject = leaf.subject
    types = subject.stated.objects(iri, TYPE)
    kinds = [word for kind, word in _KINDS.items() if kind in types]
    if subject.stated.objects(iri, HIERARCHICAL):
        kinds.append("patterns may walk it step by step")
    yield "Kind", ", ".join(kinds) or "property"
    by_kind: dict[str, list[Html]] = {}
    for axiom in property_axioms(iri, leaf):
        by_kind.setdefault(axiom.kind, []).append(axiom.said)
    for kind, said in by_kind.items():
        yield kind.capitalize(), between(", ", said)
    of = [each for each, paths in subject.concerns.items() if iri in paths and subject.is_own(each)]
    if of:
        yield "Concerns", between(", ", leaf.terms(of))
    if rules := subject.rules_naming.get(iri):
        yield "Rules that name it", between(", ", map(leaf.rule, rules))
