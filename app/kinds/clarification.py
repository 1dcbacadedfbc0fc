"""Kind clarification: what something said before in the dialogue refers to, means, or rests on (SEMANTICS 3).

It reads a Question for what it refers to: a step, a use left out, a choice left open, the other of two, a word. What
it cannot find it names, with what the dialogue could explain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.evaluate import Names
from app.exchange import Answer, ObjectClass, Relation, Request
from app.kinds import past
from app.kinds.asked import Asked, needs_for, nothing_asked, read
from app.kinds.calibration import FITTED
from app.kinds.context import Answered, Context, Kind, Wanted, fetching
from app.kinds.defining import Clarified, define, meaning
from app.kinds.grounding import ground
from app.kinds.past import Alternatives, Option
from app.kinds.semantic_grounding import GROUNDS_TO, Word, clues_of
from app.kinds.wording import Speech
from app.rules import Domain

REMEMBERED: Final = 10
"""Turns of the dialogue that can be referred to."""

_NUMBERS: Final = {
    word: number
    for number, several in enumerate(
        ("first primo prima", "second secondo seconda", "third terzo terza", "fourth quarto quarta", "fifth quinto")
    )
    for word in several.split()
}
_STEP: Final = re.compile(r"(?:\b(?:step|passo)\s*(?:number|numero|no\.?|#)?\s*|@|#)(\d+)", re.IGNORECASE)
_REFUSED: Final = re.compile(
    r"\b(refus\w*|reject\w*|not (?:accepted|allowed)|fail\w*|rifiut\w*|respint\w*|non (?:accettat\w*|ammess\w*))",
    re.I,
)
_WHY: Final = re.compile(r"\b(why|how come|perch[eé]|come mai)\b", re.IGNORECASE)
_HOW: Final = re.compile(
    r"\b(make .* pass|fix|repair|what would|how can|instead|rimedi\w*|come (?:posso|si pu[oò])|passerebbe)", re.I
)
_BARE_WHY: Final = re.compile(
    r"\W*(?:and |but |e |ma )?(?:why(?: not)?|perch[eé](?: no)?|come mai)\W*", re.IGNORECASE
)
_REMEDY: Final = re.compile(r"\b(fix|instead|make .* pass|rimedi\w*|passerebbe|invece)\b", re.IGNORECASE)
_BETWEEN: Final = re.compile(
    r"\b(?:difference between|differenza (?:c'è )?(?:tra|fra)) (?P<x>.+?) (?:and|e) (?P<y>.+)", re.I
)
_OTHER: Final = re.compile(r"\b(the other(?: one)?|l'altr[oa]|quell'altr[oa])\b", re.IGNORECASE)
_NTH: Final = re.compile(rf"\b(?:the|il|la|lo)?\s*({'|'.join(_NUMBERS)}|last|ultim[oa])\b(?!\s+(?:step|passo))", re.I)
_WHICH: Final = re.compile(r"\b(which|quale|quali)\b", re.IGNORECASE)
_MEANING: Final = (
    re.compile(r"\bwhat (?:do|did) you mean (?:by|with) (?P<x>.+)", re.IGNORECASE),
    re.compile(r"\bwhat does (?P<x>.+?) mean\b", re.IGNORECASE),
    re.compile(r"\bwhat(?: is|'s| are) (?:meant by )?(?P<x>.+)", re.IGNORECASE),
    re.compile(r"\b(?:define|explain|the meaning of) (?P<x>.+)", re.IGNORECASE),
    re.compile(r"\bc(?:he c)?osa (?:intendi|si intende|vuoi dire) (?:con|per) (?P<x>.+)", re.IGNORECASE),
    re.compile(r"\bc(?:he c)?osa (?:significa|vuol dire|è) (?P<x>.+)", re.IGNORECASE),
    re.compile(r"\bche cos'è (?P<x>.+)", re.IGNORECASE),
)
_EDGES: Final = " \t?!.,;:`\"'“”‘’«»"
_ARTICLE: Final = re.compile(r"^(?:an?|the|un[oa]?|il|lo|la|gli|le|i)\s+|^(?:un'|l')", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Asking:
    """A Question with all it can be read in."""

    question: str
    request: Request
    context: Context
    speech: Speech

    @property
    def bare(self) -> str:
        return self.question.strip(_EDGES)


def needs(request: Request, domain: Domain, names: Names, user: str | None) -> Wanted[Asked]:
    """The things that the Request or its Question may name."""
    asked = read(request.model_copy(update={"Terms": None}), domain, names)
    return Wanted(needs_for(asked, domain, names.base, user), asked)


def answer(request: Request, _: Asked, context: Context) -> Answered:
    """The first reading of the Question that fits; Terms without a Question are asked for their meaning."""
    speech = context.speech(request)
    if not request.Question:
        return _terms(request, context, speech)
    asking = _Asking(request.Question, request, context, speech)
    for reading in _READINGS:
        found = reading(asking)
        if found is not None:
            return _answered((found,), speech)
    said = speech.say("cannot_tell", words=asking.bare, known=_known(context, speech))
    return Answered("not_answered", answer=Answer(Text=said))


def _terms(request: Request, context: Context, speech: Speech) -> Answered:
    if not request.Terms:
        return nothing_asked(speech, ("Question", "Terms"))
    found = [
        _meaning_of(term.Text, _Asking(term.Text, request, context, speech), term.Class) for term in request.Terms
    ]
    return _answered(tuple(found), speech)


def _answered(found: tuple[Clarified, ...], speech: Speech) -> Answered:
    some = [each for each in found if each.said and (each.whole or each.classes or each.explanation)]
    whole = all(each.whole for each in found)
    classes = {c: p for each in reversed(found) for c, p in each.classes}
    relations = dict.fromkeys(pair for each in found for pair in each.relations)
    explanation: dict[str, object] = {"clarified": [dict(each.explanation) for each in found]}
    return Answered(
        "answered" if whole else "partially_answered" if some else "not_answered",
        answer=Answer(
            ObjectClasses=tuple(
                ObjectClass(Class=c, Label=speech.label(c), Confidence=p)
                for c, p in sorted(classes.items(), key=lambda pair: (-pair[1], pair[0]))
            )
            or None,
            Relations=tuple(Relation(Subject=s, Predicate=GROUNDS_TO, Object=o) for s, o in relations) or None,
            Text=" ".join(each.said for each in found),
        ),
        explanation=explanation,
    )


def _about_step(asking: _Asking) -> Clarified | None:
    """`why was step 3 refused`, `what would make it pass`: from the last plan that was judged."""
    named = _STEP.search(asking.question)
    about = named is not None or _REFUSED.search(asking.question) is not None
    if past.last_plan(asking.context.past):
        about = about or bool(_BARE_WHY.fullmatch(asking.question) or _REMEDY.search(asking.question))
    asked = any(pattern.search(asking.question) for pattern in (_WHY, _HOW, _WHICH))
    if not about or not (asked or named):
        return None
    say, steps = asking.speech.say, past.last_plan(asking.context.past)
    if not steps:
        return Clarified(say("no_plan", n=REMEMBERED), whole=False)
    if named is not None:
        step = next((each for each in steps if each["step"] == int(named[1])), None)
        if step is None:
            numbers = ", ".join(str(each["step"]) for each in steps)
            return Clarified(say("no_step", step=named[1], steps=numbers), whole=False)
        return Clarified(_step(step, asking.speech), explanation={"step": step["step"]})
    refused = past.refused(steps)
    nth = _NTH.search(asking.question)
    if nth is not None and (index := _index(nth, len(refused))) < len(refused):
        refused = (refused[index],)
    if len(refused) == 1:
        return Clarified(_step(refused[0], asking.speech), explanation={"step": refused[0]["step"]})
    if not refused:
        return Clarified(say("none_refused"))
    numbers = ", ".join(f"{each['step']} ({each['pa_status']})" for each in refused)
    return Clarified(
        say("several_steps", steps=numbers), whole=False, explanation={"steps": [each["step"] for each in refused]}
    )


def _step(step: Mapping[str, Any], speech: Speech) -> str:
    """What became of a step, why, and what would make it pass."""
    status = step.get("pa_status")
    findings = [f"{each['text']} [{each['rule']}]" for each in step.get("findings", ())]
    words = {"step": step["step"], "statement": step["statement"], "status": status}
    if status is None:
        failed = "; ".join(f"{each['message']} [{each['rule']}]" for each in step.get("failures", ()))
        return speech.say("step_unjudged", reason=failed, **words)
    if status == "Ack":
        permits = "; ".join(f"{each['text']} [{each['rule']}]" for each in step.get("permits", ()))
        return speech.say("step_accepted", reason=permits or step["reason"], **words)
    said = speech.say("step_refused", reason="; ".join(findings), **words)
    repairs = [each["text"] for each in step.get("repairs", ())]
    last = speech.say("step_repair", repair="; or ".join(repairs)) if repairs else speech.say("no_repair")
    return f"{said} {last}"


def _about_use(asking: _Asking) -> Clarified | None:
    """`why can't I open up Door1`: from the uses that earlier answers left out."""
    if _WHY.search(asking.question) is None:
        return None
    said = asking.question.casefold()
    for each in past.left_out(asking.context.past):
        thing, use = str(each.get("EntityID", "")), str(each["Action"])
        if thing and thing.casefold() in said and use.casefold() in said:
            why = each.get("text") or asking.speech.say("state_why", state=each.get("state", "?"))
            rule = f" [{each['rule']}]" if "rule" in each else ""
            text = asking.speech.say("use_why", use=use, thing=thing, why=f"{why}{rule}")
            return Clarified(text, explanation={"EntityID": thing, "Action": use})
    for thing, use in past.offered(asking.context.past):
        if thing.casefold() in said and use.casefold() in said:
            text = asking.speech.say("use_not_left_out", use=use, thing=thing)
            return Clarified(text, explanation={"EntityID": thing, "Action": use})
    return None


def _about_choice(asking: _Asking) -> Clarified | None:
    """`which of the two`, `the second one`, `the other one`: of the last choice that was left open."""
    other, nth = _OTHER.search(asking.question), _NTH.search(asking.question)
    referring = other or nth or _WHICH.search(asking.question)
    if referring is None or _STEP.search(asking.question):
        return None
    words = referring[0].strip()
    found = past.alternatives(asking.context.past)
    if found is None and other is not None:
        steps = past.refused(past.last_plan(asking.context.past))
        spoken_of = past.steps_spoken_of(asking.context.past)
        left = [step for step in steps if step["step"] not in spoken_of]
        if len(steps) == 2 and len(left) == 1:
            return Clarified(_step(left[0], asking.speech), explanation={"step": left[0]["step"]})
    if found is None:
        return Clarified(asking.speech.say("no_alternatives", n=REMEMBERED, words=words), whole=False)
    labels = {option.value: _label(option, asking.speech) for option in found.options}
    spoken = past.spoken_of(found, asking.question, labels, asking.context.past)
    if other is not None:
        rest = [option for option in found.options if option.value not in spoken]
        if spoken and len(rest) == 1:
            return _picked(words, found, rest[0], asking.speech)
        options = asking.speech.listing(labels.values(), quoted=False)
        return _open(found, asking.speech.say("no_other", words=words, options=options))
    if nth is not None:
        index = _index(nth, len(found.options))
        if index < len(found.options):
            return _picked(words, found, found.options[index], asking.speech)
    if len(spoken) == 1:
        return _picked(words, found, next(o for o in found.options if o.value in spoken), asking.speech)
    return _decided(words, found, asking)


def _index(nth: re.Match[str], n: int) -> int:
    """Which of n things an ordinal means, counted from 0."""
    return _NUMBERS.get(nth[1].casefold(), n - 1)


def _decided(words: str, found: Alternatives, asking: _Asking) -> Clarified:
    """The choice looked at again with what the Request now tells; where it stays open, what each option is."""
    senses = [option for option in found.options if option.is_class]
    if senses:
        clues = clues_of(asking.request, [Word(found.text)], asking.context, asking.speech)
        meant = ground(found.text, clues, asking.context.domain.knowledge, FITTED).meant
        if meant is not None:
            return _picked(words, found, Option(meant.term, True), asking.speech)
    said = [
        define(option.value, asking.speech) if option.is_class else f"`{option.value}`" for option in found.options
    ]
    options = asking.speech.listing((_label(each, asking.speech) for each in found.options), quoted=False, joint="or")
    members = ("Terms.Class", "EntityIDs", "Space") if senses else ("EntityIDs",)
    ways = asking.speech.listing(members, quoted=False, joint="or")
    text = asking.speech.say("which_of", options=options, ways=ways)
    return _open(found, " ".join([text, *said]))


def _open(found: Alternatives, text: str) -> Clarified:
    values = [option.value for option in found.options]
    return Clarified(text, whole=False, explanation={"of": found.text, "options": values})


def _picked(words: str, found: Alternatives, option: Option, speech: Speech) -> Clarified:
    label = _label(option, speech)
    said = speech.say("picked", words=words, label=label)
    explanation: dict[str, object] = {"of": found.text, "picked": option.value}
    if not option.is_class:
        return Clarified(said, explanation=explanation)
    return Clarified(
        f"{said} {define(option.value, speech)}",
        classes=((option.value, 1.0),),
        relations=((found.text, option.value),),
        explanation=explanation,
    )


def _label(option: Option, speech: Speech) -> str:
    return speech.label(option.value) if option.is_class else f"`{option.value}`"


def _about_difference(asking: _Asking) -> Clarified | None:
    """`what is the difference between a cup and a mug`: what each of them means."""
    found = _BETWEEN.search(asking.question)
    if found is None:
        return None
    one, other = (_meaning_of(_ARTICLE.sub("", found[x].strip(_EDGES)).strip(_EDGES), asking) for x in "xy")
    return Clarified(
        f"{one.said} {other.said}",
        one.whole and other.whole,
        (*one.classes, *other.classes),
        (*one.relations, *other.relations),
        {"one": dict(one.explanation), "other": dict(other.explanation)},
    )


def _about_meaning(asking: _Asking) -> Clarified | None:
    """`what do you mean by stream`."""
    for pattern in _MEANING:
        found = pattern.search(asking.question)
        if found is not None:
            words = found["x"].strip(_EDGES)
            return _meaning_of(_ARTICLE.sub("", words).strip(_EDGES), asking)
    return None


def _meaning_of(words: str, asking: _Asking, hint: str | None = None) -> Clarified:
    """What a word, a name, a rule or a PA Status means: as the dialogue took it before, else as it is now."""
    clues = clues_of(asking.request, [Word(words, hint)], asking.context, asking.speech)
    return meaning(words, hint, past.meanings(asking.context.past), clues, asking.context, asking.speech)


def _known(context: Context, speech: Speech) -> str:
    """What the dialogue could explain."""
    subjects: list[str] = []
    steps = past.last_plan(context.past)
    if steps:
        subjects.append(speech.say("of_steps", steps=", ".join(str(each["step"]) for each in steps)))
    terms = past.open_terms(context.past)
    if terms:
        subjects.append(speech.say("of_terms", terms=speech.listing(terms)))
    if past.left_out(context.past):
        subjects.append(speech.say("of_uses"))
    if not subjects:
        return speech.say("can_ask_nothing")
    return speech.say("can_ask", subjects=speech.listing(subjects, quoted=False))


_READINGS: Final[tuple[Callable[[_Asking], Clarified | None], ...]] = (
    _about_step,
    _about_use,
    _about_choice,
    _about_difference,
    _about_meaning,
)
"""In this order: the more a reading needs to fit, the earlier it stands."""

KIND = Kind(
    "clarification",
    "What something said before means or refers to",
    needs,
    fetching(answer),
    REMEMBERED,
    guide=(
        "Use it in a dialogue when an answer, a word or a reference is not clear: why a step was refused, which of "
        "two things is meant, what a word means. Back comes what the earlier turns of this dialogue say of it, or "
        "what could not be resolved. Name the `dialogue`; steps count from 0, in the latest plan. "
        'Example: {"dialogue": "as an answer gave it", "question": "Why was step 0 refused?"}'
    ),
)
