"""What a word, a name, a rule or a PA Status means, in the pack's own words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from app.kinds.as_known import exists
from app.kinds.calibration import FITTED
from app.kinds.context import Context
from app.kinds.grounding import Clues, Grounding, ground
from app.kinds.wording import Speech, in_language, narrowest
from app.knowledge import fold
from app.model import PAStatus, Text
from app.vocab import ALT_LABEL, AT, SKOS, SUB_CLASS, mmm

_DEFINITION: Final = SKOS + "definition"


@dataclass(frozen=True, slots=True)
class Clarified:
    """What was found, in words; not `whole` where it is only narrowed down, or nothing was found."""

    said: str
    whole: bool = True
    classes: tuple[tuple[str, float], ...] = ()
    relations: tuple[tuple[str, str], ...] = ()
    explanation: Mapping[str, object] = field(default_factory=dict)


def define(term: str, speech: Speech) -> str:
    """Label and definition of a term of the packs."""
    return speech.say("defined_sense", label=speech.label(term), definition=_text(term, _DEFINITION, speech))


def meaning(
    words: str, hint: str | None, taken: Mapping[str, str], clues: Clues, context: Context, speech: Speech
) -> Clarified:
    """What some words mean: as the dialogue took them, else a PA Status, a rule, a thing here, a class, any term."""
    before = taken.get(fold(words))
    if before is not None and hint is None:
        return _of_class(words, before, 1.0, speech)
    for status in PAStatus:
        if fold(status) == fold(words):
            return _of_term(words, mmm(status), speech)
    rule = context.domain.rules.get(words.strip("[]"))
    if rule is not None:
        said = speech.say(
            "rule_means", rule=rule.id, title=rule.title.of(speech.language), clause=rule.clause, status=rule.status
        )
        return Clarified(said, explanation={"rule": rule.id})
    here = _of_thing(words, speech)
    if here is not None:
        return here
    found = ground(words, clues, context.domain.knowledge, FITTED)
    if found.meant is not None:
        return _of_class(words, found.meant.term, found.meant.confidence, speech)
    if found.open:
        return _of_several(words, found, speech)
    hits = context.domain.knowledge.lexicon.find(words, limit=3)
    exact = [hit for hit in hits if fold(hit.text) == fold(words)]
    if exact:
        return _of_term(words, exact[0].term, speech)
    near = speech.near(speech.label(hit.term) for hit in hits)
    return Clarified(speech.say("no_term", name=words, near=near), whole=False)


def _of_class(words: str, term: str, confidence: float, speech: Speech) -> Clarified:
    said = _of_term(words, term, speech).said
    return Clarified(said, classes=((term, confidence),), relations=((words, term),), explanation={"class": term})


def _of_term(words: str, term: str, speech: Speech) -> Clarified:
    """Definition, what it is a kind of, and its other names."""
    label, definition = speech.label(term), _text(term, _DEFINITION, speech)
    said = [speech.say("defined", term=words, label=label, definition=definition)]
    held = speech.knowledge.vocabulary[term].out
    above = narrowest([c for c in held.get(SUB_CLASS, ()) if c != term], speech.knowledge)
    if above:
        said.append(speech.say("kind_of", above=speech.listing(map(speech.label, above), quoted=False)))
    others = [t.value for t in held.get(ALT_LABEL, ()) if isinstance(t, Text) and _is_of(t, speech.language)]
    if others:
        said.append(speech.say("also_called", names=speech.listing(others)))
    return Clarified(" ".join(said), explanation={"term": term})


def _of_several(words: str, found: Grounding, speech: Speech) -> Clarified:
    senses = found.named
    labels = speech.listing((speech.label(sense.term) for sense in senses), quoted=False, joint="or")
    ways = speech.listing(("Terms.Class", "EntityIDs", "Space"), quoted=False, joint="or")
    said = [speech.say("which_of", options=labels, ways=ways), *(define(sense.term, speech) for sense in senses)]
    classes = tuple((sense.term, sense.confidence) for sense in senses)
    return Clarified(" ".join(said), False, classes, explanation={"of": words, "options": [c for c, _ in classes]})


def _of_thing(words: str, speech: Speech) -> Clarified | None:
    """A thing of this M-Instance, by its identifier: what it is, and where."""
    iri = speech.names.iri(words)
    if not exists(iri, speech.facts):
        return None
    place = speech.facts.value(iri, AT) or speech.facts.value(iri, mmm("within"))
    kind = speech.kind(iri)
    if place is None:
        return Clarified(speech.say("is_somewhere", name=words, kind=kind), explanation={"EntityID": words})
    said = speech.say("is_here", name=words, kind=kind, place=speech.names.name(place))
    return Clarified(said, explanation={"EntityID": words})


def _text(term: str, predicate: str, speech: Speech) -> str:
    return in_language(speech.knowledge.vocabulary[term].out.get(predicate, ()), speech.language) or "?"


def _is_of(text: Text, language: str) -> bool:
    return text.lang.split("-", 1)[0] == language
