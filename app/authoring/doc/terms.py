"""What the pages show of every term: names in each language, definition, synonyms, and what else is stated."""

from __future__ import annotations

from typing import Final

from app.authoring.doc.axioms import expression
from app.authoring.doc.frame import facts
from app.authoring.doc.html import Child, Html, between, in_language, join, tag
from app.authoring.doc.site import Leaf
from app.kinds.uses import AFFORDS, EXCLUDES, LEADS_TO, PERFORMED_BY, REQUIRES
from app.model import Text
from app.vocab import ALT_LABEL, DOMAIN, HOME, LABEL, OWL, RANGE, RDFS, SKOS, SUB_CLASS, SUB_PROPERTY, TYPE

DEFINITION: Final = SKOS + "definition"
_LANGUAGES: Final = {"en": "English", "it": "Italian", "de": "German", "fr": "French", "es": "Spanish"}
_SHOWN: Final = {
    *(LABEL, ALT_LABEL, DEFINITION, TYPE, SUB_CLASS, SUB_PROPERTY, DOMAIN, RANGE, RDFS + "isDefinedBy"),
    *(AFFORDS, PERFORMED_BY, REQUIRES, LEADS_TO, EXCLUDES, HOME + "dac#constraint", HOME + "dac#norm"),
}


def heading(iri: str, leaf: Leaf, level: int = 1) -> Html:
    """The name, what it is in code, and the names in other languages."""
    subject = leaf.subject
    name = subject.name(iri)
    others = [text for text in subject.texts(iri, LABEL) if text.value != name]
    said = [join(in_language(text), tag("small", f" {text.lang}") if text.lang else None) for text in others]
    return join(
        tag(f"h{level}", tag("span", name, dir="auto")),
        tag("p", tag("code", subject.short(iri)), [[" · ", each] for each in said], class_="names"),
    )


def definitions(iri: str, leaf: Leaf) -> Html:
    """Definition and synonyms in every language; that there is no definition is said."""
    subject = leaf.subject
    found = [tag("p", in_language(text), class_="definition") for text in subject.texts(iri, DEFINITION)]
    found += [tag("p", in_language(text)) for text in subject.texts(iri, RDFS + "comment")]
    if not found:
        found = [tag("p", "No definition is given.", class_="lacking")]
    return join(found, facts(_synonyms(iri, leaf)))


def _synonyms(iri: str, leaf: Leaf) -> list[tuple[Child, Child]]:
    by_language: dict[str, list[Text]] = {}
    for text in leaf.subject.texts(iri, ALT_LABEL):
        by_language.setdefault(text.lang, []).append(text)
    several = len(by_language) > 1
    return [
        (f"Also called ({_LANGUAGES.get(lang, lang)})" if lang and several else "Also called",
         between(", ", [in_language(text) for text in texts]))
        for lang, texts in by_language.items()
    ]  # fmt: skip


def further(iri: str, leaf: Leaf, but: frozenset[str] = frozenset()) -> Html | None:
    """What else is stated of a term, property by property."""
    stated = leaf.subject.stated
    rows: list[tuple[Child, Child]] = []
    for predicate in leaf.subject.by_name(stated.out.get(iri, {})):
        if (
            predicate in _SHOWN
            or predicate in but
            or (predicate.startswith(OWL) and not predicate.endswith("deprecated"))
        ):
            continue
        values = [expression(o, leaf) for o in stated.objects(iri, predicate)]
        rows.append((leaf.term(predicate), between(", ", sorted(dict.fromkeys(values)))))
    return facts(rows)


def is_deprecated(iri: str, leaf: Leaf) -> bool:
    """Whether a term is kept only for what was written with it before."""
    return bool(leaf.subject.stated.objects(iri, OWL + "deprecated"))
