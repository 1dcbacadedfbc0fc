"""What a Request asks about: things, classes and a Space, each found here or said to be unknown (SEMANTICS 1, 3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from app.evaluate import Names
from app.evaluate.candidates import candidates, nearest
from app.exchange import Answer, OutcomeName, Request
from app.exchange.space import SimpleLocation
from app.facts import BoundReached, Facts, OutsideSituation
from app.kinds.as_known import classes_known, exists, one
from app.kinds.calibration import FITTED
from app.kinds.context import Answered
from app.kinds.grounding import Clues, ground, words_around
from app.kinds.location import boxes_of, holds, places_of
from app.kinds.places import PLACE, around
from app.kinds.wording import Speech
from app.rules import Domain
from app.rules.compiled import Reach
from app.situation import Needs, Situation
from app.vocab import AT, TYPE, mmm

MENTIONS: Final = 40
"""Words of a Question that are looked up as identifiers, where nothing else says what it is about."""

_QUOTED: Final = re.compile(r"[`\"“']([^`\"“”']+)[`\"”']")
_HERE: Final = re.compile(r"\b(here|this (?:place|room)|qui|qua|quest[oa] (?:luogo|posto|stanza))\b", re.IGNORECASE)
_PUNCTUATION: Final = "?!.,;:()`\"'“”"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a Request names, before it is known which of it exists: `(as written, IRI)` each."""

    entities: tuple[tuple[str, str], ...] = ()
    classes: tuple[tuple[str, str], ...] = ()
    words: tuple[str, ...] = ()
    space: tuple[str, str] | None = None
    location: SimpleLocation | None = None
    mentioned: tuple[tuple[str, str], ...] = ()
    """Words of the Question that may be identifiers."""
    no_classes: tuple[str, ...] = ()
    """IRIs given as classes that no pack in use declares."""
    foreign: tuple[str, ...] = ()
    """IRIs neither of the M-Instance nor of its packs."""
    here: bool = False
    """Whether the Question, where nothing else says what it is about, speaks of where the User is."""

    def starts(self, domain: Domain, base: str, user: str | None) -> dict[str, tuple[Reach, ...]]:
        """What has to be fetched to answer about it."""
        reach = domain.kind_reach
        found: dict[str, tuple[Reach, ...]] = {base: (reach["m_instance"], reach["item"])}
        for _, iri in (*self.entities, *self.mentioned):
            found[iri] = (reach["item"],)
        for _, iri in [self.space] if self.space is not None else []:
            found[iri] = (reach["item"], reach["at"])
        if user is not None:
            found[user] = (reach["actor"], reach["item"], *found.get(user, ()))
        return found


@dataclass(frozen=True, slots=True)
class Found:
    """What of it exists: IRIs in the order asked; `faults` say in words what does not."""

    entities: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    spaces: tuple[str, ...] = ()
    """The Space; several where an MLocation lies in no single one."""
    faults: tuple[str, ...] = ()

    @property
    def space(self) -> str | None:
        """The Space, or the first of several."""
        return self.spaces[0] if self.spaces else None

    @property
    def subjects(self) -> int:
        """How many things, classes and Spaces were found."""
        return len(self.entities) + len(self.classes) + len(self.spaces)

    @property
    def outcome(self) -> OutcomeName:
        """All found, some, or none (SEMANTICS 3)."""
        if not self.subjects:
            return "not_answered"
        return "partially_answered" if self.faults else "answered"


def read(request: Request, domain: Domain, names: Names) -> Asked:
    """What a Request names. A name may be an identifier or an absolute IRI of the M-Instance or a pack."""
    entities: list[tuple[str, str]] = []
    classes: list[tuple[str, str]] = []
    no_classes: list[str] = []
    foreign: list[str] = []
    words: list[str] = []
    known = domain.knowledge.classes
    for given in request.EntityIDs or ():
        if given in known:
            classes.append((given, given))
        elif names.inside(given) or given == names.base or given in domain.vocabulary:
            entities.append((given, given))
        elif "://" in given:
            foreign.append(given)
        else:
            entities.append((given, names.iri(given)))
    for term in request.Terms or ():
        if term.Class is None:
            words.append(term.Text)
        elif term.Class in known:
            classes.append((term.Class, term.Class))
        else:
            no_classes.append(term.Class)
    space, location = _space(request, names, foreign)
    nothing = not (entities or classes or words or no_classes or foreign or space or location)
    return Asked(
        entities=tuple(dict.fromkeys(entities)),
        classes=tuple(dict.fromkeys(classes)),
        words=tuple(dict.fromkeys(words)),
        space=space,
        location=location,
        mentioned=tuple((word, names.iri(word)) for word in _mentions(request.Question)) if nothing else (),
        no_classes=tuple(dict.fromkeys(no_classes)),
        foreign=tuple(dict.fromkeys(foreign)),
        here=nothing and _HERE.search(request.Question or "") is not None,
    )


def _space(
    request: Request, names: Names, foreign: list[str]
) -> tuple[tuple[str, str] | None, SimpleLocation | None]:
    """SpaceID wins; an MLocation with an identifier stands for the place so called."""
    if request.Space is None:
        return None, None
    given, location = request.Space.SpaceID, request.Space.MLocation
    if given is None and location is not None:
        given = location.SimpleLocationID
    if given is None:
        return None, location
    if names.inside(given):
        return (given, given), location
    if "://" in given:
        foreign.append(given)
        return None, location
    return (given, names.iri(given)), location


def _mentions(question: str | None) -> Iterator[str]:
    """What stands in quotes, then each word."""
    if question is None:
        return
    said = [*_QUOTED.findall(question), *(word.strip(_PUNCTUATION) for word in question.split())]
    yield from list(dict.fromkeys(word for word in said if word))[:MENTIONS]


def find(asked: Asked, request: Request, speech: Speech, domain: Domain, user: str | None) -> Found:
    """What of the things named exists; each that does not is a fault, with the nearest that does."""
    facts = speech.facts
    faults: list[str] = []
    entities: list[str] = []
    for given, iri in asked.entities:
        if exists(iri, facts):
            entities.append(iri)
        else:
            faults.append(speech.say("no_entity", name=given, near=speech.near(_near(given, speech, user))))
    entities += [iri for _, iri in asked.mentioned if exists(iri, facts)]
    classes = [iri for _, iri in asked.classes]
    clues = Clues(
        words=words_around(request.Question, (), (), domain.knowledge, speech.language), language=speech.language
    )
    for word in asked.words:
        grounded = ground(word, clues, domain.knowledge, FITTED)
        if grounded.meant is not None:
            classes.append(grounded.meant.term)
        else:
            near = speech.near(speech.label(sense.term) for sense in grounded.named)
            faults.append(speech.say("no_term", name=word, near=near))
    if not (asked.entities or asked.words or asked.classes or entities or asked.space) and request.Question:
        for span in domain.knowledge.lexicon.spans(request.Question):
            sense = ground(span.text, clues, domain.knowledge, FITTED).meant
            classes += [sense.term] if sense is not None else []
    for iri in asked.no_classes:
        faults.append(no_class(iri, speech))
    faults += [speech.say("foreign", name=iri) for iri in asked.foreign]
    spaces = _found_spaces(asked, speech, user, faults)
    here = place_of(user, facts) if asked.here and not entities else None
    if here is not None and classes_known(here, facts).issuperset(classes):  # "this room"
        spaces, classes = (here,), []
    return Found(tuple(dict.fromkeys(entities)), tuple(dict.fromkeys(classes)), spaces, tuple(faults))


def nothing_asked(speech: Speech, members: tuple[str, ...], faults: Iterable[str] = ()) -> Answered:
    """The answer where there is nothing to answer about: what is wrong with what was named, else what would help."""
    would_help = speech.listing(members, quoted=False, joint="or")
    said = " ".join(faults) or speech.say("nothing_asked", members=would_help)
    return Answered("not_answered", answer=Answer(Text=said))


def _near(given: str, speech: Speech, user: str | None, *, places: bool = False) -> tuple[str, ...]:
    """The names most like one given, of the Situation and of what the User owns."""
    with suppress(OutsideSituation, BoundReached):
        return nearest(given, _fitting(candidates(speech.facts, speech.names, user, ()), speech, places))
    return nearest(given, _fitting(candidates(speech.facts, speech.names, None, ()), speech, places))


def _fitting(known: Iterable[str], speech: Speech, places: bool) -> Iterator[str]:
    """Those that exist as far as is known; of places only those known to be some."""
    for name in known:
        iri = speech.names.iri(name)
        try:
            fits = speech.facts.known(iri) and (not places or PLACE in speech.facts.objects(iri, TYPE))
        except OutsideSituation:
            fits = not places
        if fits:
            yield name


def no_class(iri: str, speech: Speech, of: str = "") -> str:
    """That an IRI, given as the class `of` a Term, is none of the packs in use, with the nearest that are."""
    knowledge = speech.knowledge
    local = re.split(r"[#/]", iri)[-1]
    near = speech.near(hit.term for hit in knowledge.lexicon.find(local, among=knowledge.classes, limit=3))
    packs = ", ".join(pack.name for pack in knowledge.packs)
    return speech.say("bad_hint" if of else "no_class", name=iri, packs=packs, near=near, term=of)


def _found_spaces(asked: Asked, speech: Speech, user: str | None, faults: list[str]) -> tuple[str, ...]:
    """The place asked about, or the places; where the MLocation says another, that is a fault."""
    facts, names = speech.facts, speech.names
    boxes = boxes_of(asked.location) if asked.location is not None else []
    if asked.space is None:
        places = places_of(boxes, facts) if boxes else ()
        if asked.location is not None and not places:
            faults.append(speech.say("no_location"))
        return places
    given, iri = asked.space
    if not exists(iri, facts):
        near = speech.near(_near(given, speech, user, places=True))
        faults.append(speech.say("no_space", name=given, near=near))
        return ()
    if PLACE not in facts.objects(iri, TYPE):
        faults.append(speech.say("not_a_place", name=given, kind=speech.kind(iri)))
        return ()
    other = asked.location.SimpleLocationID if asked.location is not None else None
    if other is not None and iri not in (names.iri(other), other):
        faults.append(speech.say("space_conflict", name=given, other=other))
    elif not holds(iri, boxes, facts):
        elsewhere = speech.listing(map(names.name, places_of(boxes, facts)), quoted=False)
        faults.append(speech.say("space_conflict", name=given, other=elsewhere or "?"))
    return (iri,)


def place_of(user: str | None, facts: Facts) -> str | None:
    """Where the User's Persona is."""
    return one(one(user, mmm("persona"), facts), AT, facts)


Foresee = Callable[[Situation], Mapping[str, tuple[Reach, ...]]]


def needs_for(asked: Asked, domain: Domain, base: str, user: str | None, foresee: Foresee | None = None) -> Needs:
    """What has to be fetched to answer about what was asked, and what `foresee` names from that. An MLocation is
    sought among the places that hold the User's Persona, and all within them.
    """
    reach = domain.kind_reach

    def further(situation: Situation) -> Mapping[str, tuple[Reach, ...]]:
        found = dict(foresee(situation)) if foresee is not None else {}
        facts = situation.facts(domain)
        here = place_of(user, facts) if asked.here or (asked.location is not None and asked.space is None) else None
        if here is not None and asked.here:
            found[here] = (reach["item"], reach["at"])
        elif here is not None:
            found[around(here, facts)[-1]] = (reach["item"], reach["at"])
        return found

    return Needs(asked.starts(domain, base, user), further)
