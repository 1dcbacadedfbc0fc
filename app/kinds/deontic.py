"""Held Rights, Rules and what a dialogue agreed on: of whom they speak, when, and which obligations are unmet.

A Must permits and obliges: unmet it is expected, not enforced (SEMANTICS 5). It is met once the World says that what
it names was done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from app.evaluate.agreed import ANYONE, Agreed, Deed
from app.evaluate.bounds import CONTEXT
from app.facts import Facts
from app.kinds.as_known import classes_known
from app.kinds.norms import PLACE, ROLE, THING, Circumstances, Norm
from app.kinds.places import PLACE as A_PLACE
from app.kinds.wording import Speech
from app.model import Deontic, Term
from app.rules import Domain
from app.vocab import DEONTIC_VERB, HELD_BY, PROCESS_ACTION, dac, mmm

RULE: Final = mmm("rule")
MUST: Final = mmm("Must")
_ACTION, _PROCESS, _HAPPENED = mmm("action"), mmm("process"), mmm("happenedAt")
_FROM, _UNTIL = mmm("validFrom"), mmm("validUntil")
_PARTS: Final = tuple(mmm(f"complement{each}") for each in ("Nil", "At", "From", "To", "With", "Of", "By", "Into"))
_VERBS: Final = {Deontic.MAY: mmm("May"), Deontic.MAY_NOT: mmm("MayNot"), Deontic.MUST: MUST}


@dataclass(frozen=True, slots=True)
class Deontics:
    """What binds a session's User in a World at one moment."""

    domain: Domain
    speech: Speech
    base: str
    user: str | None
    now: datetime

    def held(self) -> Iterator[str]:
        """The User's Rights that are not over; of those that permit only what its ActionContext lets count."""
        facts = self.speech.facts
        counted = facts.objects(CONTEXT, dac("countsRight"))
        for right in facts.some_subjects(HELD_BY, self.user)[0] if self.user is not None else ():
            forbids = mmm("MayNot") in facts.objects(right, DEONTIC_VERB)
            if not self.over(right) and (forbids or not counted or right in counted):
                yield right

    def rules(self, places: Iterable[Term]) -> Iterator[str]:
        """The Rules, not yet over, of the M-Instance, the session, some places and their M-Environments."""
        facts = self.speech.facts
        holders: dict[Term, None] = dict.fromkeys((self.base, *places))
        holders |= {env: None for place in tuple(holders) for env in facts.objects(place, mmm("mEnvironment"))}
        found = [rule for holder in holders for rule in facts.objects(holder, RULE)]
        for rule in dict.fromkeys((*found, *facts.objects(CONTEXT, dac("keepsRule")))):
            if isinstance(rule, str) and facts.objects(rule, PROCESS_ACTION) and not self.over(rule):
                yield rule

    def verb(self, of: Term) -> str:
        """Its deontic verb, as a label."""
        verb = self.speech.facts.value(of, DEONTIC_VERB)
        return self.speech.label(verb) if isinstance(verb, str) else "?"

    def name(self, of: str) -> str:
        """How Rights or a Rule are called; those that the session states itself have no name."""
        return self.speech.say("of_session") if of.startswith(f"{CONTEXT}:") else self.speech.name(of)

    def over(self, of: Term) -> bool:
        """Whether it holds no more; what will only begin is told with its time."""
        until = self.speech.facts.value(of, _UNTIL)
        return isinstance(until, datetime) and until <= self.now

    def begun(self, of: Term) -> bool:
        """Whether it holds already."""
        begin = self.speech.facts.value(of, _FROM)
        return not (isinstance(begin, datetime) and begin > self.now)

    def times(self, of: Term, pa: Term | None = None) -> str:
        """From when, until when, and after which Event it holds, in words; what has passed is left out."""
        facts, said = self.speech.facts, ""
        for phrase, predicate in (("from", _FROM), ("until", _UNTIL)):
            time = facts.value(of, predicate)
            if isinstance(time, datetime) and not (phrase == "from" and time <= self.now):
                said += self.speech.say(phrase, time=self.speech.names.name(time))
        for event in facts.objects(pa, mmm("condition")) if pa is not None else ():
            said += self.speech.say("once", event=self.speech.name(event))
        return said

    def bound(self, of: str, pa: Term) -> tuple[str, ...]:
        """The Processes, or their classes, that Rights or a Rule speak of; none is all."""
        facts = self.speech.facts
        return tuple(p for each in (of, pa) for p in facts.objects(each, _PROCESS) if isinstance(p, str))

    def done(self, process: str | None, deed: Deed) -> bool:
        """Whether the World says that a deed was done by now."""
        facts = self.speech.facts
        for pa in facts.some_subjects(_PROCESS, process)[0] if process is not None else ():
            happened = any(isinstance(t, datetime) and t <= self.now for t in facts.objects(pa, _HAPPENED))
            parts = ((p, term) for p, terms in deed.parts.items() for term in terms)
            same = happened and deed.action in facts.objects(pa, _ACTION)
            if same and all(_fits(term, facts.objects(pa, p), facts) for p, term in parts):
                return True
        return False

    def obligations(self, around: Circumstances, places: Iterable[str]) -> Iterator[tuple[str, str]]:
        """What is still to be done, with the Rights or the Rule that demand it."""
        facts, roles = self.speech.facts, around.held.get(ROLE, frozenset())
        user = self.user if self.user in roles else None
        rules = tuple(self.rules(places))
        for of in (*(self.held() if user is not None else ()), *rules):
            if MUST not in facts.objects(of, DEONTIC_VERB) or not self.begun(of):
                continue
            for pa in facts.objects(of, PROCESS_ACTION):
                bound, deed = self.bound(of, pa), _deed(pa, facts)
                elsewhere = of in rules and not self.is_here(deed, around)
                if elsewhere or (bound and roles.isdisjoint(bound)) or not self._awaited(pa) or self.done(user, deed):
                    continue
                who = [user] if user is not None else bound
                actor = self.speech.listing(map(self.speech.name, who)) or self.speech.say("everyone")
                what, times = self.speech.names.name(pa, facts), self.times(of)
                yield self.speech.say("must", actor=actor, what=what, right=self.name(of), times=times), of

    def is_here(self, deed: Deed, around: Circumstances) -> bool:
        """Whether a deed is one of the place, or of the things asked about."""
        places = {t for p, terms in deed.parts.items() for t in terms if self._is_place(t, deed.action, p)}
        things = {t for terms in deed.parts.values() for t in terms} - places
        if not things.isdisjoint(around.held.get(THING, ())):
            return True
        here = not places or not places.isdisjoint(around.held.get(PLACE, ()))
        return here and (not things or not around.things)

    def _is_place(self, term: Term, action: str, predicate: str) -> bool:
        """Whether a part of a deed is a place; of what nothing is known, by what the Action takes there."""
        is_a = self.domain.knowledge.is_a
        if not isinstance(term, str):
            return False
        if term in self.domain.knowledge.classes:
            return is_a(term, A_PLACE)
        known = classes_known(term, self.speech.facts)
        if known:
            return A_PLACE in known
        forms = (form for each in self.domain.actions.values() if each.iri == action for form in each.complements)
        takes = (form.kinds for form in forms if mmm(f"complement{form.preposition}") == predicate)
        return any(is_a(kind, A_PLACE) for kinds in takes for kind in kinds)

    def _awaited(self, pa: Term) -> bool:
        """Whether the Events that a Process Action waits for have happened."""
        facts = self.speech.facts
        return all(
            any(isinstance(t, datetime) and t <= self.now for t in facts.objects(event, _HAPPENED))
            for event in facts.objects(pa, mmm("condition"))
        )


def agreed_norms(agreed: Agreed, around: Circumstances, deontics: Deontics, *, asked: bool) -> tuple[Norm, ...]:
    """The norms of the dialogue that concern what was asked about, or all where nothing was; a Must that is met is
    none any more.
    """
    found: list[Norm] = []
    for commitment, statement, norm in agreed.norms:
        deed = norm.deed
        concerned = deed.process == ANYONE or deed.process in around.held.get(ROLE, ())
        if not concerned or (asked and not deontics.is_here(deed, around)):
            continue
        anyone = deed.process == ANYONE or deed.process in deontics.speech.knowledge.classes
        who = deontics.user if anyone else deed.process
        if norm.deontic is not Deontic.MUST or not deontics.done(who, deed):
            said = deontics.speech.say("agreed", statement=statement.strip().rstrip("."), commitment=commitment)
            found.append(Norm(commitment, _VERBS[norm.deontic], deed.action, {}, said=said))
    return tuple(found)


def _deed(pa: Term, facts: Facts) -> Deed:
    parts = {p: tuple(facts.objects(pa, p)) for p in _PARTS if facts.objects(pa, p)}
    action = facts.value(pa, _ACTION)
    return Deed(ANYONE, action if isinstance(action, str) else "", parts)


def _fits(wanted: Term, given: Iterable[Term], facts: Facts) -> bool:
    """Whether something given is what is wanted, or of the class that is."""
    return any(each == wanted or (isinstance(each, str) and wanted in classes_known(each, facts)) for each in given)
