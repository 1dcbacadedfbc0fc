"""What the commitments of a dialogue forbid or exclude, as judging reads it (SEMANTICS 9).

A norm that forbids is laid among the facts, where the rule `commitment_forbids` compares it with the step. What a
step would change is laid over what was claimed, where the logic of the vocabulary says whether both can be
(`commitment_excludes`). Neither adds anything that a rule with status Ack reads: commitments only restrict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import combinations, islice, product
from typing import Final

from app.facts import Slice
from app.model import Deontic, Effect, Event, Layer, Term, Text, Triple
from app.reasoner import Clash, Closure, extend
from app.vocab import DEONTIC_VERB, IDENTIFIER, OWL, PROCESS_ACTION, TYPE, dac, mmm

ANYONE: Final = ""
"""The process of a Deed that whoever acts does."""
DIALOGUE: Final = "urn:domain-access:dialogue"
IDENTITY: Final = "urn:domain-access:identity"
"""A functional property whose value is the name of its subject: two names are two things."""
STATE: Final = dac("state")
EXCLUSIVE: Final = "states that exclude each other"
"""What stands in place of a rule of OWL 2 RL where two States cannot be together."""

_MOST_DEEDS: Final = 64
"""Of one norm: combinations of the things that claims make members of its classes."""
_COMMITMENT: Final = "urn:domain-access:commitment:"
_EXCLUDES: Final = dac("excludes")
_VERB: Final = {Deontic.MAY: mmm("May"), Deontic.MAY_NOT: mmm("MayNot"), Deontic.MUST: mmm("Must")}
_ABOUT_CLASSES: Final = frozenset(
    {OWL + "disjointWith", OWL + "equivalentClass", "http://www.w3.org/2000/01/rdf-schema#subClassOf"}
)

Origin = Mapping[Triple, tuple[str, ...]]
"""The CommitmentIDs that say a fact."""


@dataclass(frozen=True, slots=True)
class Deed:
    """A Process Action that a norm is about, its names resolved. A class stands for each of its instances, a part
    left out for any; `parts` are terms by complement predicate.
    """

    process: str
    action: str
    parts: Mapping[str, tuple[Term, ...]] = field(default_factory=dict)
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Norm:
    """What may, may not or must be done; under a condition, where there is an Event."""

    deontic: Deontic
    deed: Deed
    event: Event | None = None


@dataclass(frozen=True)
class Agreed:
    """What a dialogue agreed on: the norms of each commitment with its words, what was claimed with who said it, and
    the claims closed over Knowledge; None where nothing was claimed.
    """

    norms: tuple[tuple[str, str, Norm], ...] = ()
    closure: Closure | None = None
    origin: Origin = field(default_factory=dict)

    def slices(self, happened: Callable[[Event], bool] = lambda _: False) -> Iterator[Slice]:
        """The norms that forbid as facts, those under a condition only where it is fulfilled."""
        standing: list[str] = []
        if not self.norms:
            return
        for number, (commitment, said, norm) in enumerate(self.norms):
            if norm.deontic is not Deontic.MAY_NOT or (norm.event is not None and not happened(norm.event)):
                continue
            node, deed = f"{_COMMITMENT}{number}", f"_:commitment{number}"
            standing.append(node)
            about: dict[str, tuple[Term, ...]] = {
                IDENTIFIER: (Text(commitment),),
                dac("statement"): (Text(said),),
                dac("dialogue"): (DIALOGUE,),
                DEONTIC_VERB: (_VERB[norm.deontic],),
            }
            deeds = [
                Slice(f"{deed}.{place}", Layer.COMMITMENT, _facts_of(each))
                for place, each in enumerate(self._deeds(norm.deed))
            ]
            about[PROCESS_ACTION] = tuple(each.entity for each in deeds)
            yield Slice(node, Layer.COMMITMENT, about)
            yield from deeds
        yield Slice(DIALOGUE, Layer.COMMITMENT, {}, {dac("dialogue"): tuple(standing)})

    def _deeds(self, deed: Deed) -> list[Deed]:
        """The deed, and the same of each thing that a claim makes one of its classes: the World does not know it."""
        parts: list[list[tuple[str, tuple[Term, ...]]]] = [
            [(p, (term,)) for each in terms for term in (each, *self._claimed.get(each, ()))]
            if any(each in self._claimed for each in terms)
            else [(p, terms)]
            for p, terms in deed.parts.items()
        ]
        who = (deed.process, *self._claimed.get(deed.process, ()))
        found = (replace(deed, process=each, parts=dict(said)) for each in who for said in product(*parts))
        return list(islice(found, _MOST_DEEDS))

    @cached_property
    def _claimed(self) -> Mapping[Term, tuple[str, ...]]:
        """The things that claims make members of a class, by class."""
        found: dict[Term, list[str]] = {}
        for s, p, o in sorted(self.closure.facts, key=str) if self.closure is not None else ():
            if p == TYPE and not s.startswith("_:"):
                found.setdefault(o, []).append(s)
        return {each: tuple(things) for each, things in found.items()}

    def conditional(self, happened: Callable[[Event], bool]) -> Iterator[Slice]:
        """The same again, where a condition may be fulfilled by now; else nothing has changed."""
        if any(norm.event is not None for _, _, norm in self.norms):
            yield from self.slices(happened)

    def excluded(self, effect: Effect) -> Iterator[tuple[tuple[str, ...], tuple[Triple, ...]]]:
        """The commitments, by ID, that a change cannot be together with, and the facts both rest on."""
        for gone in effect.removed:
            if gone in self.origin:
                yield self.origin[gone], (gone,)
        if self.closure is None or not self._concerned(effect):
            return
        laid = extend(self.closure, (*effect.added, *identities(effect.added)))
        for clash in clashes(laid):
            asserted = laid.why_all(clash.premises)
            by = {name for fact in asserted for name in self.origin.get(fact, ())}
            if by and any(fact in effect.added for fact in asserted):
                yield tuple(sorted(by)), asserted

    def _concerned(self, effect: Effect) -> bool:
        """Whether a change is about anything that was claimed; a claim about classes is about everything."""
        named = {term for s, _, o in effect.added for term in (s, o)}
        return any(s in named or o in named or p in _ABOUT_CLASSES for s, p, o in self.origin)


NOTHING_AGREED: Final = Agreed()


def clashes(closure: Closure) -> Iterator[Clash]:
    """The contradictions of a layer: those of OWL 2 RL, and States that exclude each other."""
    yield from closure.clashes
    held: dict[str, dict[str, None]] = {}
    fresh: set[Triple] = {fact for fact in closure.facts if fact[1] == STATE}
    if not fresh:
        return
    level: Closure | None = closure
    while level is not None:
        for s, p, o in level.facts if level.base is not None else ():
            if p == STATE and isinstance(o, str):
                held.setdefault(s, {})[o] = None
        level = level.base
    for thing, states in sorted(held.items()):
        for one, other in combinations(sorted(states), 2):
            stated = ((thing, STATE, one), (thing, STATE, other))
            if fresh.isdisjoint(stated):
                continue
            for axiom in ((one, _EXCLUDES, other), (other, _EXCLUDES, one)):
                if closure.holds(axiom):
                    yield Clash(EXCLUSIVE, (*stated, axiom))
                    break


def identities(facts: Iterable[Triple]) -> list[Triple]:
    """That each thing named is itself alone."""
    named = {
        term: None
        for s, p, o in facts
        if p not in _ABOUT_CLASSES
        for term in ((s,) if p == TYPE else (s, o))
        if isinstance(term, str) and not term.startswith("_:")
    }
    return [(term, IDENTITY, Text(term)) for term in named]


def _facts_of(deed: Deed) -> dict[str, tuple[Term, ...]]:
    found: dict[str, tuple[Term, ...]] = {TYPE: (mmm("ProcessAction"),), mmm("action"): (deed.action,), **deed.parts}
    if deed.process != ANYONE:
        found[mmm("process")] = (deed.process,)
    if deed.time is not None:
        found[mmm("time")] = (deed.time,)
    return found
