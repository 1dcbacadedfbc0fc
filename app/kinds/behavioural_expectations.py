"""Kind behavioural_expectations: how one behaves here, in this role, on this occasion, with these things.

The most specific expectation comes first; a general one that a special one contradicts is withdrawn, and said to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final

from app.evaluate import Names
from app.exchange import Answer, OutcomeName, Request
from app.facts import Facts
from app.kinds.as_known import classes_known, one
from app.kinds.asked import Asked, Found, find, needs_for, nothing_asked, place_of, read
from app.kinds.context import Answered, Context, Kind, Wanted, fetching
from app.kinds.deontic import Deontics, agreed_norms
from app.kinds.norms import OCCASION, ROLE, THING, Circumstances, Norm, Standing, all_norms, standing
from app.kinds.norms import PLACE as IN_PLACE
from app.kinds.places import PLACE, around, contents
from app.kinds.uses import with_superclasses
from app.kinds.wording import Speech, in_language, narrowest
from app.rules import Domain
from app.rules.compiled import Reach
from app.situation import Situation
from app.vocab import AT, TYPE, dac, mmm

SENTENCE: Final = dac("sentence")
HELD_AT: Final = dac("heldAt")
_EVENT: Final = mmm("Event")
_PROCESS: Final = mmm("Process")


def needs(request: Request, domain: Domain, names: Names, user: str | None) -> Wanted[Asked]:
    """The Space and the things named, what is held there, and the User's roles and Rights."""
    asked = read(request, domain, names)
    reach = domain.kind_reach

    def foresee(situation: Situation) -> Mapping[str, tuple[Reach, ...]]:
        facts = situation.facts(domain)
        here = place_of(user, facts) if asked.space is None else None
        held = (one(iri, HELD_AT, facts) for _, iri in (*asked.entities, *asked.mentioned))
        return {place: (reach["item"], reach["at"]) for place in (here, *held) if place is not None}

    return Wanted(needs_for(asked, domain, names.base, user, foresee), asked)


def answer(request: Request, asked: Asked, context: Context) -> Answered:
    """The Norms that hold, in words; the explanation has their conditions and what was withdrawn."""
    speech = context.speech(request)
    facts = speech.facts
    found = find(asked, request, speech, context.domain, context.user)
    here = found.space or (_here(found, context.user, facts) if not _says_where(found, speech) else None)
    if not found.subjects and here is None:
        return nothing_asked(speech, ("Space", "EntityIDs", "Terms.Class"), found.faults)
    around, outer = _circumstances(found, here, context, speech)
    knowledge = context.domain.knowledge
    deontics = Deontics(context.domain, speech, context.names.base, context.user, context.now)
    agreed = agreed_norms(context.agreement.agreed, around, deontics, asked=bool(found.subjects))
    stands = standing(all_norms(knowledge, facts), around, knowledge, facts, agreed)
    obliged = dict(deontics.obligations(around, outer))
    sentences = tuple(dict.fromkeys((*(_sentence(norm, speech) for norm in stands.norms), *obliged)))
    outcome: OutcomeName = "partially_answered" if found.faults else "answered"
    if found.faults and not found.subjects:
        outcome = "not_answered"
    return Answered(
        outcome,
        answer=Answer(
            BehaviouralExpectations=sentences if outcome != "not_answered" else None,
            Text=" ".join([*_text(stands, sentences, here, found, around, speech), *found.faults])
            if outcome != "not_answered"
            else " ".join(found.faults),
        ),
        explanation={
            **_explanation(stands, here, around, speech),
            "obligations": [{"sentence": said, "by": of} for said, of in obliged.items()],
        },
    )


def _says_where(found: Found, speech: Speech) -> bool:
    """Whether the Request says in its own words where: a class of places or of occasions, which are wherever they are
    held, or a place among the entities.
    """
    is_a = speech.knowledge.is_a
    return any(is_a(each, PLACE) or is_a(each, _EVENT) for each in found.classes) or any(
        PLACE in speech.facts.objects(each, TYPE) for each in found.entities
    )


def _here(found: Found, user: str | None, facts: Facts) -> str | None:
    """Where the first of the things is that is anywhere, or is held, else where the User's Persona is."""
    places = (facts.value(each, AT) or facts.value(each, HELD_AT) for each in found.entities)
    return next((place for place in places if isinstance(place, str)), None) or place_of(user, facts)


def _circumstances(
    found: Found, here: str | None, context: Context, speech: Speech
) -> tuple[Circumstances, tuple[str, ...]]:
    """What the Norms' conditions are compared with, and the places that count; the roles are those asked about, else
    the User's own.
    """
    knowledge, facts = context.domain.knowledge, speech.facts

    def below(kind: str) -> tuple[str, ...]:
        return tuple(each for each in found.classes if knowledge.is_a(each, kind))

    def those(kind: str) -> tuple[str, ...]:
        return tuple(each for each in found.entities if kind in facts.objects(each, TYPE))

    places = [*([here] if here is not None else []), *found.spaces, *those(PLACE)]
    outer = tuple(dict.fromkeys(p for place in places for p in around(place, facts)))
    asked_roles = (*below(_PROCESS), *those(_PROCESS))
    roles = asked_roles or ((context.user,) if context.user is not None else ())
    occasions = tuple(dict.fromkeys((*those(_EVENT), *_going_on(outer, context.now, facts))))
    other = {*below(PLACE), *below(_PROCESS), *below(_EVENT)}
    things = tuple(
        each for each in found.entities if not {PLACE, _PROCESS, _EVENT}.intersection(facts.objects(each, TYPE))
    )
    kinds = tuple(each for each in found.classes if each not in other)
    asked_about = (*things, *kinds)
    inside = contents(here, facts)[0] if here is not None and not asked_about else ()
    nearby = frozenset(c for thing in inside for c in _self_and_classes(thing, facts))
    held = {
        IN_PLACE: frozenset((*_with_classes(outer, facts), *with_superclasses(below(PLACE), knowledge))),
        ROLE: _widened(roles, speech),
        OCCASION: _widened((*occasions, *below(_EVENT)), speech),
        THING: _widened(asked_about, speech),
    }
    anywhere = not outer and not below(PLACE)
    return Circumstances(held, (*occasions, *below(_EVENT)), asked_about, nearby, anywhere), outer


def _widened(values: Iterable[str], speech: Speech) -> frozenset[str]:
    """Things with their classes, classes with those above."""
    found: set[str] = set()
    for each in values:
        if each in speech.knowledge.classes:
            found.update(with_superclasses((each,), speech.knowledge))
        else:
            found.update(_self_and_classes(each, speech.facts))
    return frozenset(found)


def _self_and_classes(thing: str, facts: Facts) -> tuple[str, ...]:
    return (thing, *sorted(classes_known(thing, facts)))


def _with_classes(things: Iterable[str], facts: Facts) -> Iterator[str]:
    for each in things:
        yield from _self_and_classes(each, facts)


def _going_on(places: Iterable[str], now: datetime, facts: Facts) -> tuple[str, ...]:
    """The occasions held at some places at this moment; half-open, as all intervals (SEMANTICS 3)."""
    found: dict[str, None] = {}
    for place in places:
        for occasion in facts.some_subjects(HELD_AT, place)[0]:
            begin, end = facts.value(occasion, mmm("validFrom")), facts.value(occasion, mmm("validUntil"))
            begun = not isinstance(begin, datetime) or begin <= now
            if begun and not (isinstance(end, datetime) and end <= now):
                found[occasion] = None
    return tuple(found)


def _sentence(norm: Norm, speech: Speech) -> str:
    """How the dialogue says it, else its wording in the language, else in English, else its label."""
    if norm.said:
        return norm.said
    return in_language(speech.facts.objects(norm.iri, SENTENCE), speech.language) or speech.label(norm.iri)


def _bare(norm: Norm, speech: Speech) -> str:
    return _sentence(norm, speech).rstrip(".")


def _text(
    stands: Standing,
    sentences: tuple[str, ...],
    here: str | None,
    found: Found,
    around: Circumstances,
    speech: Speech,
) -> list[str]:
    """Where and for whom, how many are expected, and which gave way to which."""
    where = [speech.say("here", place=speech.name(here))] if here is not None else []
    kinds = [each for each in found.classes if speech.knowledge.is_a(each, PLACE)]
    if kinds:
        where.append(speech.say("in_kind", kinds=speech.listing(map(speech.label, kinds), quoted=False, joint="or")))
    if around.occasions:
        where.append(speech.say("during", occasions=speech.listing(map(speech.name, around.occasions))))
    if around.things:
        where.append(speech.say("towards_things", things=speech.listing(map(speech.name, around.things))))
    place = " ".join(where) or speech.say("anywhere")
    said = [
        speech.say("expected", where=place, n=len(sentences))
        if sentences
        else speech.say("expected_none", where=place)
    ]
    said += sentences
    for gone in stands.withdrawn:
        said.append(speech.say("withdrawn", general=_bare(gone.norm, speech), special=_bare(gone.to, speech)))
    for norm, other in stands.contradicting:
        said.append(speech.say("contradict", one=_bare(norm, speech), other=_bare(other, speech)))
    return said


def _explanation(stands: Standing, here: str | None, around: Circumstances, speech: Speech) -> dict[str, object]:
    return {
        "place": speech.names.name(here) if here is not None else None,
        "occasions": [speech.names.name(each) for each in around.occasions],
        "roles": sorted(speech.label(each) for each in narrowest(around.held.get(ROLE, ()), speech.knowledge)),
        "expectations": [_told(norm, speech) for norm in stands.norms],
        "withdrawn": [{**_told(gone.norm, speech), "gives_way_to": gone.to.iri} for gone in stands.withdrawn],
        "contradicting": [[one.iri, other.iri] for one, other in stands.contradicting],
    }


def _told(norm: Norm, speech: Speech) -> dict[str, object]:
    return {
        "CommitmentID" if norm.said else "norm": norm.iri,
        "sentence": _sentence(norm, speech),
        "verb": speech.label(norm.verb),
        "conduct": norm.conduct,
        "conditions": {name: list(values) for name, values in norm.conditions.items()},
        "states": list(norm.states),
    }


KIND = Kind(
    "behavioural_expectations",
    "How one behaves here, and what gives way to what",
    needs,
    fetching(answer),
    guide=(
        "Use it to learn the norms of a place (`space`), of roles, occasions or kinds of things (`terms`) or of "
        "single things (`entities`). Back come sentences, the most specific first; a general norm that a special one "
        "contradicts is left out, and the text says so. With `user`, the User's own roles and duties count. "
        'Example: {"space": "RoomID", "terms": ["guest"]}'
    ),
)
