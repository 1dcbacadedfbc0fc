"""The words of terms: labels and definitions, there once in each language, English among them, naming one term."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from app.authoring.check.graph import Graph
from app.authoring.check.subject import Subject, said
from app.authoring.problems import Check, Problem, Severity
from app.knowledge import local_name
from app.model import Text
from app.vocab import HOME, LABEL, RDFS, SKOS

LABEL_MISSING: Final = Check(
    "label_missing",
    Severity.ERROR,
    "a term has no label in English",
    "by its label a term is found and named in every answer; English is what other readers fall back to",
)
LABEL_REPEATED: Final = Check(
    "label_repeated",
    Severity.ERROR,
    "a term has several labels in one language",
    "which of them is the name, and which a synonym (skos:altLabel), nobody can tell",
)
LABEL_SHARED: Final = Check(
    "label_shared",
    Severity.ERROR,
    "two terms have one label",
    "a word that names two terms must be asked back about each time it is said",
)
LABEL_IS_IDENTIFIER: Final = Check(
    "label_is_identifier",
    Severity.WARNING,
    "a label is the identifier over again, words run together",
    "nobody says `dimmedGallery`: a label is what people call the thing, and what their words are compared with",
)
DEFINITION_MISSING: Final = Check(
    "definition_missing",
    Severity.ERROR,
    "a term has no definition in English",
    "without one each author means something else, and an agent has nothing to tell it from its neighbours by",
)
DEFINITION_REPEATED: Final = Check(
    "definition_repeated",
    Severity.ERROR,
    "a term has several definitions in one language",
    "two definitions are two meanings; examples and notes have properties of their own",
)
DEFINITION_SHARED: Final = Check(
    "definition_shared",
    Severity.WARNING,
    "two terms have one definition",
    "one was copied from the other and never finished, or they are one term",
)
DEFINITION_REPEATS_LABEL: Final = Check(
    "definition_repeats_label",
    Severity.WARNING,
    "a definition says no more than the label",
    "it looks as if the term were defined, and nobody is wiser",
)
DEFINITION_CIRCULAR: Final = Check(
    "definition_circular",
    Severity.WARNING,
    "a definition says that the thing is the thing it defines",
    "who does not know the word does not know it afterwards: name the wider kind, then what sets this one apart",
)
DEFINED_BY: Final = Check(
    "defined_by",
    Severity.ERROR,
    "a term does not say by which pack it is defined (rdfs:isDefinedBy), or names another",
    "when packs are put together it says to whom a term belongs",
)
CHECKS: Final = (
    LABEL_MISSING, LABEL_REPEATED, LABEL_SHARED, LABEL_IS_IDENTIFIER, DEFINITION_MISSING, DEFINITION_REPEATED,
    DEFINITION_SHARED, DEFINITION_REPEATS_LABEL, DEFINITION_CIRCULAR, DEFINED_BY,
)  # fmt: skip

DEFINITION: Final = SKOS + "definition"
_FOREIGN_LABELS: Final = (LABEL, SKOS + "prefLabel")
_FOREIGN_DEFINITIONS: Final = (
    DEFINITION, RDFS + "comment", "http://purl.org/dc/terms/description", "http://purl.org/dc/elements/1.1/description",
    "http://purl.obolibrary.org/obo/IAO_0000115", "http://www.w3.org/ns/prov#definition",
    "http://schema.org/description", "https://schema.org/description", "http://www.w3.org/ns/shacl#description",
)  # fmt: skip
_RUN_TOGETHER: Final = re.compile(r"[a-z][A-Z]|[^_]_[^_]|[A-Za-z]\d+[A-Z]")
_EMPTY_WORDS: Final = frozenset(
    (
        "a",
        "an",
        "the",
        "of",
        "is",
        "are",
        "that",
        "which",
        "some",
        "any",
        "one",
        "kind",
        "type",
        "class",
        "thing",
        "it",
    )
)
_ARTICLE: Final = re.compile(r"^(?:(?:a|an|the|any|some)\s+)?")


def word_problems(subject: Subject) -> Iterator[Problem]:
    """What is wrong with the words of each term, and of terms together."""
    graph = subject.graph
    for term in subject.terms:
        yield from _of_term(subject, graph, term)
    yield from _shared_labels(subject)
    yield from _shared_definitions(subject)


def definitions(subject: Subject, graph: Graph, term: str) -> list[Text]:
    """What defines a term: in a foreign ontology by any of the usual properties."""
    return [text for p in _definition_properties(subject) for text in graph.texts(term, p)]


def _of_term(subject: Subject, graph: Graph, term: str) -> Iterator[Problem]:
    properties = (LABEL,) if subject.file is None else _FOREIGN_LABELS
    labels = [text for p in properties for text in graph.texts(term, p)]
    defined = definitions(subject, graph, term)
    ours, at = subject.ours, subject.problem
    name = said(term)
    foreign = subject.file is not None
    if not any(_english(label, foreign) for label in labels):
        hint = f'`rdfs:label "{_words(local_name(term))}"@en`'
        message = f"{name} has no label" if not labels else f"{name} has no label in English"
        yield at(ours(LABEL_MISSING), message, term, hint=hint)
    if not any(_english(text, foreign) for text in defined):
        if subject.file is None:
            yield at(
                DEFINITION_MISSING, f"{name} has no definition in English", term, hint='`skos:definition "..."@en`'
            )
        elif not defined:
            yield at(ours(DEFINITION_MISSING), f"{name} has no definition", term)
    for lang, count in Counter(label.lang for label in graph.texts(term, LABEL)).items():
        if count > 1:
            hint = "keep one, and make the others `skos:altLabel`"
            message = f"{name} has {count} labels{_in(lang)}"
            yield at(ours(LABEL_REPEATED), message, LABEL, within=term, hint=hint)
    for lang, count in Counter(text.lang for text in graph.texts(term, DEFINITION)).items():
        if count > 1:
            message = f"{name} has {count} definitions{_in(lang)}"
            yield at(ours(DEFINITION_REPEATED), message, DEFINITION, within=term)
    for label in labels:
        if label.value == local_name(term) and term not in graph.individuals and _RUN_TOGETHER.search(label.value):
            hint = f"for instance `{_words(label.value)}`"
            yield at(LABEL_IS_IDENTIFIER, f"{name} is labelled `{label.value}`", LABEL, within=term, hint=hint)
            break
    yield from _empty(subject, graph, term, [text for text in defined if _english(text, foreign)])
    if subject.file is None and graph.nodes(term, RDFS + "isDefinedBy") != [HOME + subject.pack]:
        hint = f"`rdfs:isDefinedBy <{HOME}{subject.pack}>`"
        yield at(DEFINED_BY, f"{name} does not say that `{subject.pack}` defines it", term, hint=hint)


def _empty(subject: Subject, graph: Graph, term: str, defined: list[Text]) -> Iterator[Problem]:
    """Definitions that define nothing."""
    label = graph.label(term)
    own = set(_tokens(label)) | set(_tokens(_words(local_name(term))))
    for text in defined:
        tokens = [token for token in _tokens(text.value) if token not in _EMPTY_WORDS]
        if set(tokens) <= own:
            message = f"{said(term)} is defined as `{text.value.strip()}`"
            yield subject.problem(DEFINITION_REPEATS_LABEL, message, DEFINITION, within=term)
            return
        if term in graph.classes and _genus_is(text.value, label):
            message = f"{said(term)} is defined as `{_shortened(text.value)}`"
            yield subject.problem(DEFINITION_CIRCULAR, message, DEFINITION, within=term)
            return


def _genus_is(text: str, label: str) -> bool:
    """Whether a definition begins with its own label as the kind of thing: `a gallery that is dimmed`."""
    folded = _ARTICLE.sub("", text.strip().casefold())
    return re.match(rf"{re.escape(label.casefold())}\s+(?:that|which|who|whose|where|in which)\b", folded) is not None


def _shared_labels(subject: Subject) -> Iterator[Problem]:
    """Labels of this pack's terms that name another term, of the pack or of one that it requires."""
    whole = subject.whole if subject.file is None else subject.graph
    named: dict[tuple[str, str], list[str]] = {}
    terms = sorted(set(subject.terms) | ({t for t in whole.declared if t.startswith(HOME) and "#" in t}))
    for term in terms:
        if subject.file is not None and whole.deprecated(term):
            continue
        for text in whole.texts(term, LABEL):
            key = (text.value.casefold(), "" if subject.file is None else text.lang + _sort(whole, term))
            if term not in named.setdefault(key, []):
                named[key].append(term)
    own = set(subject.terms)
    for (label, _), sharing in named.items():
        if len(sharing) > 1 and own.intersection(sharing):
            first = next(term for term in sharing[::-1] if term in own)
            others = ", ".join(said(term) for term in sharing if term != first)
            hint = "name one of them otherwise; a word for both may be a `skos:altLabel`"
            message = f"{said(first)} is labelled `{label}`, as is {others}"
            yield subject.problem(subject.ours(LABEL_SHARED), message, LABEL, within=first, hint=hint)


def _sort(graph: Graph, term: str) -> str:
    """In a foreign ontology a class and a property may well share a word."""
    return "class" if term in graph.classes else "property" if term in graph.properties else "individual"


def _shared_definitions(subject: Subject) -> Iterator[Problem]:
    graph = subject.graph
    by_text: dict[str, list[str]] = {}
    for term in subject.terms:
        if graph.deprecated(term):
            continue
        for text in {each.value.strip() for each in graph.texts(term, DEFINITION)}:
            by_text.setdefault(text, []).append(term)
    for text, sharing in by_text.items():
        if len(sharing) > 1 and text:
            first, *others = sharing
            message = f"{said(first)} is defined as {', '.join(map(said, others))}: `{_shortened(text)}`"
            yield subject.problem(DEFINITION_SHARED, message, DEFINITION, within=others[0])


def _definition_properties(subject: Subject) -> tuple[str, ...]:
    return (DEFINITION,) if subject.file is None else _FOREIGN_DEFINITIONS


def _english(text: Text, foreign: bool) -> bool:
    """Whether a text is there and English; in a foreign ontology what has no language may pass for it."""
    lang = text.lang
    return bool(text.value.strip()) and (lang == "en" or (foreign and (not lang or lang.startswith("en-"))))


def _in(lang: str) -> str:
    return f" in `{lang}`" if lang else " without a language"


def _tokens(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _words(identifier: str) -> str:
    """`dimmedGallery` and `dimmed_gallery` as words."""
    apart = re.sub(r"(?<=[a-z\d])(?=[A-Z])|_+", " ", identifier)
    return re.sub(r"(?<=[A-Z])(?=[A-Z][a-z])", " ", apart).strip()


def _shortened(text: str) -> str:
    said_so = " ".join(text.split())
    return said_so if len(said_so) <= 80 else f"{said_so[:80]}…"
