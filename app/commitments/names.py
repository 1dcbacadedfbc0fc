"""The names that commitments may use: of things in the World, and of the vocabulary, each found exactly or not at all
(inflections count). What is merely near is proposed, never taken.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from rapidfuzz import fuzz, process

from app.evaluate import Names
from app.knowledge import Knowledge, fold, local_name
from app.model import Term
from app.nearest import or_did_you_mean
from app.rules import Domain
from app.situation import Situation
from app.vocab import OWL, RDF, RDFS, TYPE, dac

STATE_CLASS: Final = dac("State")
_NEAR: Final = 70.0  # per cent of likeness from which a name is proposed
_ARTICLES: Final = ("the ", "a ", "an ")


@dataclass(frozen=True)
class Scope:
    """Where a commitment is read: the packs, the M-Instance's names, the facts fetched of those it mentions, for whom
    it speaks, and what phrases mean already, by folded phrase.
    """

    domain: Domain
    names: Names
    situation: Situation
    user: str | None
    phrases: dict[str, str] = field(default_factory=dict)

    def known(self, iri: str) -> bool:
        """Whether the World says anything of an entity."""
        held = self.situation.slices.get(iri)
        return held is not None and bool(held.out)

    def thing(self, text: str) -> str | None:
        """The entity that a text names: `<IRI>`, an identifier, an individual of the vocabulary, an agreed phrase."""
        if text.startswith("<") and text.endswith(">"):
            iri = text[1:-1]
            return iri if (self.names.inside(iri) and self.known(iri)) or iri in self.individuals else None
        for said in dict.fromkeys((text, without_article(text))):
            iri = self.names.iri(said)
            if said and self.known(iri):
                return iri
            if (agreed := self.phrases.get(fold(said))) and agreed not in self.domain.knowledge.classes:
                return agreed
        return self._find(text, self.individuals)

    def state(self, text: str) -> str | None:
        """The State that an adjective names."""
        return self._find(text, self.states)

    def kind(self, text: str) -> str | None:
        """The class that a text names."""
        if (agreed := self.phrases.get(fold(without_article(text)))) and agreed in self.domain.knowledge.classes:
            return agreed
        if text.startswith("<") and text.endswith(">") and text[1:-1] in self.domain.knowledge.classes:
            return text[1:-1]
        return self._find(text, self.domain.knowledge.classes)

    def relation(self, text: str) -> str | None:
        """The property that a text names."""
        return self._find(text, self.properties)

    def can_be(self, term: Term, kinds: Iterable[str]) -> bool:
        """Whether a thing, or one of a class, is of one of these kinds as far as is known."""
        is_a = self.domain.knowledge.is_a
        if term in self.domain.knowledge.classes:
            return any(is_a(str(term), kind) or is_a(kind, str(term)) for kind in kinds)
        held = self.situation.slices.get(str(term))
        types = held.out.get(TYPE, ()) if held is not None else ()
        return not types or any(kind in types for kind in kinds)

    def nearest(self, text: str, *, things: bool = True) -> str:
        """`; did you mean ...?` with the names that are most alike, or nothing."""
        said = without_article(text)
        found = process.extract(
            said, self._proposed(things), scorer=fuzz.ratio, processor=str.casefold, limit=3, score_cutoff=_NEAR
        )
        return or_did_you_mean(dict.fromkeys(name for name, _, _ in found))

    @property
    def individuals(self) -> frozenset[str]:
        """The individuals that the vocabulary declares."""
        return _parts_of(self.domain.knowledge).individuals

    @property
    def states(self) -> frozenset[str]:
        """The individuals that are States."""
        return _parts_of(self.domain.knowledge).states

    @property
    def properties(self) -> frozenset[str]:
        """The properties between things, or of a thing and a value."""
        return _parts_of(self.domain.knowledge).properties

    def _find(self, text: str, among: Container[str]) -> str | None:
        """The one term that surely has this name; several that are equally sure are none."""
        hits = self.domain.knowledge.lexicon.named(text, among=among)
        if not hits and without_article(text) != text:
            return self._find(without_article(text), among)
        return hits[0].term if len(hits) == 1 or (hits and hits[0].score > hits[1].score) else None

    def _proposed(self, things: bool) -> list[str]:
        knowledge = self.domain.knowledge
        terms = (*knowledge.classes, *self.states, *self.properties)
        words = [knowledge.labels[iri] for iri in terms if iri in knowledge.labels]
        if not things:
            return [*words, *(local_name(iri) for iri in self.properties)]
        held = [each for each in self.situation.slices.values() if each.out]
        around = (t for each in held for terms in (*each.out.values(), *each.into.values()) for t in terms)
        near = (term for term in around if isinstance(term, str) and self.names.inside(term))
        return [*(self.names.name(iri) for iri in dict.fromkeys((*(each.entity for each in held), *near))), *words]


def without_article(text: str) -> str:
    """A name without the English article before it."""
    for article in _ARTICLES:
        if text.lower().startswith(article):
            return text[len(article) :]
    return text


class _Parts(NamedTuple):
    individuals: frozenset[str]
    states: frozenset[str]
    properties: frozenset[str]


_PARTS: Final[WeakKeyDictionary[Knowledge, _Parts]] = WeakKeyDictionary()


def _parts_of(knowledge: Knowledge) -> _Parts:
    """What a vocabulary declares besides classes, worked out once."""
    found = _PARTS.get(knowledge)
    if found is None:
        found = _PARTS[knowledge] = _read_parts(knowledge)
    return found


def _read_parts(knowledge: Knowledge) -> _Parts:
    types = {iri: tuple(map(str, term.out.get(TYPE, ()))) for iri, term in knowledge.vocabulary.items()}
    individuals = frozenset(
        iri
        for iri, found in types.items()
        if not iri.startswith("_:")
        and iri not in knowledge.classes
        and iri not in knowledge.predicates
        and _is_individual(found)
    )
    return _Parts(
        individuals,
        frozenset(iri for iri in individuals if STATE_CLASS in types[iri]),
        frozenset(iri for iri in knowledge.predicates if OWL + "AnnotationProperty" not in types[iri]),
    )


def _is_individual(types: Iterable[str]) -> bool:
    """Whether it is declared as one, or one of its types is a class of a domain and no notion of RDF or OWL."""
    return any(each == OWL + "NamedIndividual" or not each.startswith((OWL, RDF, RDFS, "_:")) for each in types)
