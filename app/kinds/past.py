"""What the last turns of a dialogue left to refer to: steps judged, words left open, things, uses left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.kinds.context import PastTurn
from app.knowledge import fold


@dataclass(frozen=True, slots=True)
class Option:
    """A class (by IRI) or a thing (by identifier) that may have been meant."""

    value: str
    is_class: bool


@dataclass(frozen=True, slots=True)
class Alternatives:
    """What a word, or a name of a statement, may have meant, in the order it was told."""

    text: str
    options: tuple[Option, ...]


def last_plan(past: Iterable[PastTurn]) -> tuple[Mapping[str, Any], ...]:
    """The steps of the last plan that was judged, as its explanation has them; empty where there is none."""
    for turn in past:
        steps = turn.explanation.get("steps")
        if steps:
            return tuple(steps)
    return ()


def refused(steps: Iterable[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """The steps that got another PA Status than Ack."""
    return tuple(step for step in steps if step.get("pa_status") not in ("Ack", None))


def alternatives(past: Iterable[PastTurn]) -> Alternatives | None:
    """The last choice that was left open: senses of a word, else things that a class of a statement could be."""
    for turn in past:
        found = [*_open_words(turn), *_open_names(turn), *_things(turn)]
        if found:
            return found[0]
    return None


def _open_words(turn: PastTurn) -> Iterable[Alternatives]:
    named = {each["Class"] for each in turn.response.get("Answer", {}).get("ObjectClasses", ())}
    for term in turn.explanation.get("terms", ()) if turn.explanation.get("Kind") == "semantic_grounding" else ():
        options = tuple(Option(each["class"], True) for each in term["senses"] if each["class"] in named)
        if term.get("meant") is None and len(options) > 1:
            yield Alternatives(term["term"], options)


def _open_names(turn: PastTurn) -> Iterable[Alternatives]:
    for step in turn.explanation.get("steps", ()):
        for finding in step["findings"]:
            names = tuple(Option(name, False) for name in finding.get("facts_missing", ()))
            if finding["rule"] == "ambiguous_class" and len(names) > 1:
                yield Alternatives(step["statement"], names)


def _things(turn: PastTurn) -> Iterable[Alternatives]:
    """Two things that one answer was about are alternatives, too: "the other one"."""
    offered = turn.response.get("Answer", {}).get("Affordances", ())
    names = tuple(dict.fromkeys(each["EntityID"] for each in offered if "EntityID" in each))
    if len(names) == 2:
        yield Alternatives(str(turn.explanation.get("Question") or ""), tuple(Option(name, False) for name in names))


def spoken_of(found: Alternatives, question: str, labels: Mapping[str, str], past: Sequence[PastTurn]) -> set[str]:
    """Those of the options that the Question names, else those that turns after the choice came to."""
    said = fold(question)
    named = {option.value for option in found.options if fold(labels[option.value]) in said}
    if named:
        return named
    for turn in past:
        if alternatives((turn,)) == found:
            return set()
        answer = turn.response.get("Answer", {})
        reached = {each.get("Object") for each in answer.get("Relations", ())}
        reached |= {each.get("EntityID") for each in answer.get("Affordances", ())}
        named = {option.value for option in found.options if option.value in reached}
        if named:
            return named
    return set()


def steps_spoken_of(past: Iterable[PastTurn]) -> set[int]:
    """The steps that turns since the last plan were about."""
    found: set[int] = set()
    for turn in past:
        if turn.explanation.get("steps"):
            break
        found |= {each["step"] for each in turn.explanation.get("clarified", ()) if "step" in each}
    return found


def meanings(past: Iterable[PastTurn]) -> dict[str, str]:
    """What each word was last taken to mean, folded."""
    found: dict[str, str] = {}
    for turn in past:
        for each in turn.response.get("Answer", {}).get("Relations", ()):
            if each["Predicate"] == "dac:groundsTo":
                found.setdefault(fold(each["Subject"]), each["Object"])
    return found


def left_out(past: Iterable[PastTurn]) -> tuple[Mapping[str, Any], ...]:
    """The uses that the last answers about uses left out, the newest first."""
    return tuple(each for turn in past for each in turn.explanation.get("left_out", ()))


def offered(past: Iterable[PastTurn]) -> tuple[tuple[str, str], ...]:
    """The uses that the last answers offered: thing and Action."""
    return tuple(
        (each["EntityID"], each["Action"])
        for turn in past
        for each in turn.response.get("Answer", {}).get("Affordances", ())
        if "EntityID" in each
    )


def open_terms(past: Iterable[PastTurn]) -> tuple[str, ...]:
    """The words that earlier answers left open."""
    return tuple(dict.fromkeys(found.text for turn in past for found in _open_words(turn)))
