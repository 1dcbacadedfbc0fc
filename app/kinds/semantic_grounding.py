"""Kind semantic_grounding: which classes of the packs words mean here, each with its Confidence (SEMANTICS 3, 8).

A Term is grounded where one sense is more likely right than wrong; where one of several is meant and it cannot be
told which, all are named and none is chosen; else it abstains.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from app.commitments.names import without_article
from app.evaluate import Names
from app.exchange import Answer, ObjectClass, OutcomeName, Relation, Request
from app.facts import Facts
from app.kinds.as_known import classes_known
from app.kinds.asked import Asked, Found, find, needs_for, no_class, read
from app.kinds.calibration import FITTED
from app.kinds.context import Answered, Context, Kind, PastTurn, Wanted, fetching
from app.kinds.grounding import Clues, Grounding, Sense, ground, words_around
from app.kinds.places import around, contents
from app.kinds.wording import Speech, narrowest
from app.knowledge import Knowledge, fold
from app.lexicon import Evidence, Hit, NameKind
from app.rules import Domain
from app.vocab import TYPE

GROUNDS_TO: Final = "dac:groundsTo"
REMEMBERED: Final = 5
"""Turns of the dialogue whose classes are clues."""


@dataclass(frozen=True, slots=True)
class Word:
    """A text to be grounded, with the class it is thought to have."""

    text: str
    hint: str | None = None


def needs(request: Request, domain: Domain, names: Names, user: str | None) -> Wanted[Asked]:
    """The things and the Space named: what they are tells what words mean."""
    asked = replace(read(request, domain, names), words=(), classes=(), mentioned=())
    return Wanted(needs_for(asked, domain, names.base, user), asked)


def answer(request: Request, asked: Asked, context: Context) -> Answered:
    """The senses of every Term, or of the known words of the Question."""
    knowledge = context.domain.knowledge
    speech = context.speech(request)
    found = find(replace(asked, no_classes=()), _without_words(request), speech, context.domain, context.user)
    words = [Word(term.Text, term.Class) for term in request.Terms or ()] or _words_of(request, knowledge)
    if not words:
        said = speech.say("no_words") if request.Question else speech.say("nothing_asked", members="Terms")
        return Answered("not_answered", answer=Answer(Text=" ".join([said, *found.faults])))
    clues = _clues(request, words, found, context, speech)
    grounded = [_grounded(word, clues, knowledge, context.agreement.phrases) for word in words]
    faults = [
        no_class(word.hint, speech, of=word.text)
        for word in words
        if word.hint is not None and word.hint not in knowledge.classes
    ]
    meant = [each.meant for each in grounded]
    outcome: OutcomeName = "answered" if all(meant) else "partially_answered" if any(meant) else "not_answered"
    if outcome == "answered" and (faults or found.faults):
        outcome = "partially_answered"
    relations = dict.fromkeys(
        (each.text, sense.term) for each, sense in zip(grounded, meant, strict=True) if sense is not None
    )
    return Answered(
        outcome,
        answer=Answer(
            ObjectClasses=_classes(grounded, speech) or None,
            Relations=tuple(Relation(Subject=s, Predicate=GROUNDS_TO, Object=o) for s, o in relations) or None,
            Text=" ".join([*(_said(each, speech) for each in grounded), *faults, *found.faults]),
        ),
        explanation={"terms": [_told(each, word, speech) for each, word in zip(grounded, words, strict=True)]},
    )


def _without_words(request: Request) -> Request:
    """The Request without its Question and Terms: what stays are the things and the Space."""
    return request.model_copy(update={"Question": None, "Terms": None})


def _words_of(request: Request, knowledge: Knowledge) -> list[Word]:
    """The words of a Question that are names of classes."""
    spans = knowledge.lexicon.spans(request.Question) if request.Question else ()
    texts = (span.text for span in spans if any(hit.term in knowledge.classes for hit in span.hits))
    return [Word(text) for text in dict.fromkeys(texts)]


def clues_of(request: Request, words: Iterable[Word], context: Context, speech: Speech) -> Clues:
    """What a Request and its dialogue tell besides the words themselves; for other Kinds that ground words."""
    asked = replace(read(request, context.domain, context.names), words=(), classes=(), mentioned=(), no_classes=())
    found = find(asked, _without_words(request), speech, context.domain, context.user)
    return _clues(request, words, found, context, speech)


def _clues(request: Request, words: Iterable[Word], found: Found, context: Context, speech: Speech) -> Clues:
    knowledge, facts = context.domain.knowledge, speech.facts
    entities, spaces = found.entities, found.spaces
    asked = _classes_of(entities, facts)
    places = _classes_of((place for space in spaces for place in around(space, facts)), facts)
    there = _classes_of((each for space in spaces for each in contents(space, facts)[0]), facts)
    said = frozenset(said_classes(context.past, knowledge))
    in_play = [
        *(c for each in entities for c in narrowest(facts.objects(each, TYPE), knowledge)),
        *(c for space in spaces for c in narrowest(facts.objects(space, TYPE), knowledge)),
        *sorted(said),
    ]
    terms = tuple(word.text for word in words)
    return Clues(
        asked=asked,
        places=places,
        there=there,
        said=said,
        words=words_around(request.Question, terms if len(terms) > 1 else (), in_play, knowledge, speech.language),
        language=speech.language,
    )


def _classes_of(things: Iterable[str], facts: Facts) -> frozenset[str]:
    return frozenset(c for each in things for c in classes_known(each, facts))


def said_classes(past: Iterable[PastTurn], knowledge: Knowledge) -> Iterable[str]:
    """The classes that answers of the dialogue came to: those its Terms were grounded to, those of its uses."""
    for turn in past:
        answer = turn.response.get("Answer", {})
        named = [each.get("Object") for each in answer.get("Relations", ()) if each.get("Predicate") == GROUNDS_TO]
        named += [each.get("Class") for each in answer.get("Affordances", ())]
        for each in named:
            if each in knowledge.classes:
                yield each


def _grounded(word: Word, clues: Clues, knowledge: Knowledge, phrases: Mapping[str, str]) -> Grounding:
    """A Term by its own hint; one that is the IRI of a class is that class, and a phrase that the dialogue agreed on
    (SEMANTICS 9) is what was agreed.
    """
    agreed = word.text if word.text in knowledge.classes else phrases.get(fold(without_article(word.text)), "")
    if agreed in knowledge.classes:
        hit = Hit(agreed, word.text, "", NameKind.LOCAL_NAME, Evidence.EXACT, 1.0, word.text, word.text)
        return Grounding(word.text, (Sense(agreed, 1.0, hit),))
    hint = word.hint if word.hint in knowledge.classes else None
    return ground(word.text, replace(clues, hint=hint), knowledge, FITTED)


def _classes(grounded: Iterable[Grounding], speech: Speech) -> tuple[ObjectClass, ...]:
    """One entry a class, by the highest Confidence any Term gives it; what no Term stands for is left out."""
    best: dict[str, float] = {}
    for each in grounded:
        if each.meant is not None or each.open:
            for sense in each.named:
                best[sense.term] = max(sense.confidence, best.get(sense.term, 0.0))
    ranked = sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(ObjectClass(Class=c, Label=speech.label(c), Confidence=p) for c, p in ranked)


def _said(each: Grounding, speech: Speech) -> str:
    """What a Term means, or between which senses it stands, or that it means nothing here."""
    if each.meant is not None:
        percent = _percent(each.meant)
        return speech.say("means", term=each.text, label=speech.label(each.meant.term), percent=percent)
    if each.open:
        senses = (f"{speech.label(sense.term)} ({_percent(sense)} %)" for sense in each.named)
        return speech.say("which", term=each.text, senses=speech.listing(senses, quoted=False, joint="or"))
    if each.named:
        best = each.named[0]
        return speech.say("unlikely", term=each.text, label=speech.label(best.term), percent=_percent(best))
    return speech.say("unknown_word", term=each.text)


def _percent(sense: Sense) -> int:
    return round(sense.confidence * 100)


def _told(each: Grounding, word: Word, speech: Speech) -> Mapping[str, object]:
    return {
        "term": each.text,
        "hint": word.hint,
        "meant": each.meant.term if each.meant is not None else None,
        "senses": [
            {
                "class": sense.term,
                "label": speech.label(sense.term),
                "confidence": sense.confidence,
                "name": sense.hit.text,
                "language": sense.hit.language,
                "kind": sense.hit.kind.value,
                "evidence": sense.hit.evidence.value,
                "compared": [sense.hit.asked, sense.hit.compared],
                "clues": list(sense.clues),
            }
            for sense in each.senses
        ],
    }


KIND = Kind(
    "semantic_grounding",
    "What words mean here",
    needs,
    fetching(answer),
    remembers=REMEMBERED,
    guide=(
        "Use it first, for words of a user or of a scene whose meaning in this M-Instance is not certain. Back come "
        "the classes that each word may stand for, the best first, with a confidence from 0 to 1; a word without a "
        "class is not known here. A phrase is one entry; where `terms` are given, `entities`, `space` and `question` "
        "only tell senses and languages apart. "
        'Example: {"terms": ["avatar"], "question": "May my avatar come in?"}'
    ),
)
