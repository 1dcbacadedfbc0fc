"""What a word means here: the classes it may name, each with the probability that it is meant (SEMANTICS 3, 8).

The lexicon finds names and says by which evidence. Of the classes found one is meant, or none is: each weighs by how
it has its name, times a factor for every clue that speaks for or against it; "none" weighs by how often evidence of
that kind is right. All weights are fitted on labelled words (calibration.py); nothing else is tuned.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from app.knowledge import Knowledge
from app.lexicon import Evidence, Hit, NameKind
from app.lexicon.words import base_language, function_words, stem, words
from app.model import Text
from app.vocab import ALT_LABEL, LABEL, SKOS, SUB_CLASS

THRESHOLD: Final = 0.5
"""The Confidence below which a Term is not grounded: more likely wrong than right."""

SHOWN: Final = 0.1
"""The Confidence below which a class is not even named as an alternative."""

FOUND: Final = 0.5
"""The lexicon's score below which names are not looked at."""

SENSES: Final = 10
_SHORT: Final = 7  # letters: shorter words have too many neighbours
_GOOD_PART: Final = 0.75
_MOST_SHARED: Final = 3  # words of a gloss that count
_DEFINITION: Final = SKOS + "definition"


class Calibration(NamedTuple):
    """The fitted weights: `right` is how often evidence of a kind is right without a clue; the others are factors."""

    right: Mapping[str, float]
    synonym: float
    fits_hint: float
    misfits_hint: float
    asked_about: float
    is_place: float
    is_there: float
    was_said: float
    shares_words: float


@dataclass(frozen=True, slots=True)
class Clues:
    """What else is known: classes, all superclasses included where things have them, and stems of words around."""

    hint: str | None = None
    asked: frozenset[str] = frozenset()
    """Classes of the things asked about."""
    places: frozenset[str] = frozenset()
    """Classes of the Space and the places around it."""
    there: frozenset[str] = frozenset()
    """Classes of the things in the Space."""
    said: frozenset[str] = frozenset()
    """Classes that earlier turns of the dialogue came to."""
    words: frozenset[str] = frozenset()
    """Stems of the Question and of the other Terms."""
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Sense:
    """A class that may be meant: its Confidence, the name found, and the clues that counted."""

    term: str
    confidence: float
    hit: Hit
    clues: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Grounding:
    """The senses of a text, the likeliest first."""

    text: str
    senses: tuple[Sense, ...] = ()

    @property
    def meant(self) -> Sense | None:
        """The sense above the threshold, if any."""
        return self.senses[0] if self.senses and self.senses[0].confidence >= THRESHOLD else None

    @property
    def open(self) -> bool:
        """Whether one of several senses is meant, but not which is to be seen."""
        return self.meant is None and sum(sense.confidence for sense in self.senses) >= THRESHOLD

    @property
    def named(self) -> tuple[Sense, ...]:
        """The senses worth telling."""
        return tuple(sense for sense in self.senses if sense.confidence >= SHOWN)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A class found, with what speaks for and against it: what the weights are fitted on."""

    hit: Hit
    clues: tuple[str, ...] = ()
    shared: int = 0
    key: str = field(default="", compare=False)


def ground(text: str, clues: Clues, knowledge: Knowledge, calibration: Calibration) -> Grounding:
    """The classes that a text may mean."""
    return Grounding(text, weigh(candidates(text, clues, knowledge), calibration))


def candidates(text: str, clues: Clues, knowledge: Knowledge) -> tuple[Candidate, ...]:
    """What the lexicon finds among the classes, with the clues for each."""
    hits = knowledge.lexicon.find(text, limit=SENSES, threshold=FOUND, among=knowledge.classes)
    if not hits:
        return ()
    key = evidence_key(hits[0], clues.language)
    own = stems(text, clues.language)
    found = (_clues_for(hit.term, clues, knowledge) for hit in hits)
    shared = (len((clues.words & _gloss(hit.term, knowledge, clues.language)) - own) for hit in hits)
    return tuple(
        Candidate(hit, each, min(n, _MOST_SHARED), key) for hit, each, n in zip(hits, found, shared, strict=True)
    )


def evidence_key(hit: Hit, language: str) -> str:
    """The kind of evidence that is told apart: how a name was found, and whether it is of the language asked in."""
    kind = hit.evidence.value
    if hit.evidence is Evidence.TYPING:
        kind += ", short" if len(hit.asked.replace(" ", "")) <= _SHORT else ", long"
    elif hit.evidence is Evidence.PARTIAL:
        kind += ", most" if hit.score >= _GOOD_PART else ", some"
    foreign = bool(hit.language) and base_language(hit.language) != base_language(language)
    return f"{kind}, foreign" if foreign else kind


def weigh(found: tuple[Candidate, ...], calibration: Calibration) -> tuple[Sense, ...]:
    """The Confidence of each: its weight over that of all and of "none"."""
    if not found:
        return ()
    right = calibration.right.get(found[0].key, 0.5)
    plain = [calibration.synonym if each.hit.kind is NameKind.SYNONYM else 1.0 for each in found]
    none = (1 - right) / right * sum(plain)
    weights = [weight * _factor(each, calibration) for weight, each in zip(plain, found, strict=True)]
    whole = none + sum(weights)
    senses = (
        Sense(each.hit.term, round(weight / whole, 3), each.hit, each.clues)
        for each, weight in zip(found, weights, strict=True)
    )
    return tuple(sorted(senses, key=lambda sense: (-sense.confidence, sense.term)))


def _factor(each: Candidate, calibration: Calibration) -> float:
    factor = calibration.shares_words**each.shared
    for clue in each.clues:
        factor *= float(getattr(calibration, clue))
    return factor


def _clues_for(term: str, clues: Clues, knowledge: Knowledge) -> tuple[str, ...]:
    """The clues that speak for a class, or against it: names of members of Calibration."""
    above = frozenset((term, *knowledge.schema.superclasses.get(term, ())))
    found: list[str] = []
    if clues.hint is not None:
        fits = clues.hint in above or knowledge.is_a(clues.hint, term)
        found.append("fits_hint" if fits else "misfits_hint")
    for name, classes in (
        ("asked_about", clues.asked),
        ("is_place", clues.places),
        ("is_there", clues.there),
        ("was_said", clues.said),
    ):
        if term in classes:
            found.append(name)
    return tuple(found)


def stems(text: str, language: str) -> frozenset[str]:
    """The stems of the words that count."""
    base = base_language(language)
    little = function_words(base)
    return frozenset(stem(word.folded, base) for word in words(text) if word.folded not in little)


def _gloss(term: str, knowledge: Knowledge, language: str) -> frozenset[str]:
    """The stems of what the packs say of a class: its names and definition, and the names of what it is below."""
    base = base_language(language)
    held = knowledge.vocabulary[term].out
    texts = [text for predicate in (LABEL, ALT_LABEL, _DEFINITION) for text in held.get(predicate, ())]
    above = (c for c in held.get(SUB_CLASS, ()) if isinstance(c, str) and c in knowledge.classes)
    texts += [text for c in above for text in knowledge.vocabulary[c].out.get(LABEL, ())]
    said = (text.value for text in texts if isinstance(text, Text) and base_language(text.lang) in (base, "en"))
    return frozenset().union(*(stems(text, base) for text in said))


def words_around(
    question: str | None, others: Iterable[str], classes: Iterable[str], knowledge: Knowledge, language: str
) -> frozenset[str]:
    """The stems of a Question, of other Terms, and of the names of classes that are in play."""
    texts = [question or "", *others, *(knowledge.label(each) for each in classes)]
    return frozenset().union(*(stems(text, language) for text in texts))
