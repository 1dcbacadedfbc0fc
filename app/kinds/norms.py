"""Which Norms hold in given circumstances, which is more specific, and which gives way (ontologies/README.md, Norms).

A Norm holds where all its conditions do. Of Norms about the same conduct of which one forbids what another allows or
demands, the more general is withdrawn; one that `dac:overrides` another withdraws it wherever both hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from app.facts import DEPTH_LIMIT, Facts, OutsideSituation
from app.knowledge import Knowledge
from app.vocab import DEONTIC_VERB, TYPE, dac, mmm

NORM: Final = dac("Norm")
HAS_NORM: Final = dac("norm")
CONDUCT: Final = dac("conduct")
OVERRIDES: Final = dac("overrides")
REQUIRES: Final = dac("requiresState")
STATE: Final = dac("state")
WITHIN: Final = mmm("within")

PLACE, ROLE, OCCASION, THING = "place", "role", "occasion", "thing"
_CONDITIONS: Final[Mapping[str, str]] = {
    PLACE: dac("inPlace"),
    ROLE: dac("forRole"),
    OCCASION: dac("onOccasion"),
    THING: dac("towards"),
}
_KIND_OF: Final = {mmm("Place"): PLACE, mmm("Process"): ROLE, mmm("Event"): OCCASION}
_MAY: Final = mmm("May")
_MAY_NOT: Final = mmm("MayNot")


@dataclass(frozen=True, slots=True)
class Norm:
    """What one may, may not or must do, and when: the values of each condition, one of which must hold. `said` is how
    it is told where a dialogue agreed on it; what it is called in the packs or the World else.
    """

    iri: str
    verb: str
    conduct: str
    conditions: Mapping[str, tuple[str, ...]]
    states: tuple[str, ...] = ()
    overrides: tuple[str, ...] = ()
    said: str = ""

    def contradicts(self, other: Norm) -> bool:
        """Whether one forbids the conduct that the other allows or demands."""
        same = bool(self.conduct) and self.conduct == other.conduct
        return same and (self.verb == _MAY_NOT) != (other.verb == _MAY_NOT)


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Where, for whom, on which occasion and towards what: things with all their classes; places with those around.

    `nearby` are the things of the place: what a Norm of that place is towards, where nothing was asked about;
    `anywhere` says that no place was asked about, nor is any known.
    """

    held: Mapping[str, frozenset[str]]
    occasions: tuple[str, ...] = ()
    things: tuple[str, ...] = ()
    nearby: frozenset[str] = frozenset()
    anywhere: bool = False


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A Norm that gives way, and the one it gives way to."""

    norm: Norm
    to: Norm


@dataclass(frozen=True, slots=True)
class Standing:
    """What holds, the most specific first; what was withdrawn; pairs that contradict each other undecided."""

    norms: tuple[Norm, ...] = ()
    withdrawn: tuple[Withdrawn, ...] = ()
    contradicting: tuple[tuple[Norm, Norm], ...] = ()


@dataclass(slots=True)
class _Order:
    """How values are compared: an entity is narrower than its classes, a class than those above, a place than those
    around it.
    """

    knowledge: Knowledge
    facts: Facts
    wider: dict[str, frozenset[str]] = field(default_factory=dict)

    def above(self, value: str) -> frozenset[str]:
        """The value and all that is wider."""
        if value not in self.wider:
            self.wider[value] = frozenset(_wider(value, self.knowledge, self.facts))
        return self.wider[value]

    def narrower(self, one: Norm, other: Norm) -> bool:
        """Whether each condition of the other is met by one of this one that is the same or narrower."""
        conditions = all(
            one.conditions.get(name) and all(not self.above(own).isdisjoint(values) for own in one.conditions[name])
            for name, values in other.conditions.items()
        )
        return conditions and set(one.states) >= set(other.states)

    def special(self, one: Norm, other: Norm) -> bool:
        """Whether one is more specific than the other."""
        return self.narrower(one, other) and not self.narrower(other, one)

    def depth(self, norm: Norm) -> tuple[int, int]:
        """How many conditions a Norm has, and how narrow they are: more is more specific."""
        values = [min(len(self.above(value)) for value in each) for each in norm.conditions.values()]
        return (len(norm.conditions) + bool(norm.states), sum(values))


def all_norms(knowledge: Knowledge, facts: Facts) -> tuple[Norm, ...]:
    """Every Norm of the packs, and those of the World that the Situation holds."""
    found = dict.fromkeys(knowledge.individuals.get(NORM, ()))
    found.update(dict.fromkeys(e for e in facts.entities() if NORM in facts.objects(e, TYPE)))
    owners = _owners(knowledge, facts)
    return tuple(_read(iri, owners.get(iri, ()), knowledge, facts) for iri in found)


def _owners(knowledge: Knowledge, facts: Facts) -> dict[str, list[str]]:
    """Who says `dac:norm` of each Norm."""
    found: dict[str, list[str]] = {}
    for subject in (*knowledge.vocabulary, *facts.entities()):
        held = knowledge.vocabulary.get(subject)
        norms = held.out.get(HAS_NORM, ()) if held is not None else facts.objects(subject, HAS_NORM)
        for norm in norms:
            if isinstance(norm, str):
                found.setdefault(norm, []).append(subject)
    return found


def _read(iri: str, owners: Iterable[str], knowledge: Knowledge, facts: Facts) -> Norm:
    conditions: dict[str, list[str]] = {}
    for name, predicate in _CONDITIONS.items():
        for value in facts.objects(iri, predicate):
            if isinstance(value, str):
                conditions.setdefault(name, []).append(value)
    for owner in owners:
        kinds = _wider(owner, knowledge, facts)
        if mmm("MInstance") not in kinds:  # what an M-Instance says holds everywhere in it
            name = next((kind for above, kind in _KIND_OF.items() if above in kinds), THING)
            conditions.setdefault(name, []).append(owner)

    def iris(predicate: str) -> tuple[str, ...]:
        return tuple(o for o in facts.objects(iri, predicate) if isinstance(o, str))

    return Norm(
        iri,
        next(iter(iris(DEONTIC_VERB)), mmm("May")),
        next(iter(iris(CONDUCT)), ""),
        {name: tuple(values) for name, values in conditions.items()},
        iris(REQUIRES),
        iris(OVERRIDES),
    )


def _wider(value: str, knowledge: Knowledge, facts: Facts) -> list[str]:
    """A value and what is wider: superclasses of a class; classes of a thing, and the places around a place."""
    if value in knowledge.classes:
        return [value, *knowledge.schema.superclasses.get(value, ())]
    try:
        places = facts.walk(value, WITHIN, inverse=False, least=0)
        found = [place for place in places if isinstance(place, str)][: DEPTH_LIMIT + 1]
        return [*found, *(c for place in found for c in facts.objects(place, TYPE) if isinstance(c, str))]
    except OutsideSituation:
        return [value]


def standing(
    norms: Iterable[Norm], around: Circumstances, knowledge: Knowledge, facts: Facts, agreed: tuple[Norm, ...] = ()
) -> Standing:
    """Which Norms hold, the most specific first, and which give way.

    What a dialogue `agreed` on comes first. It only restricts: what it forbids is no more allowed, what it allows
    withdraws nothing, and is told only where it contradicts what holds (SEMANTICS 9).
    """
    forbidden = [norm for norm in agreed if norm.verb == _MAY_NOT]
    order = _Order(knowledge, facts)
    holding = [norm for norm in norms if _holds(norm, around, knowledge, facts)]
    holding.sort(key=lambda norm: (tuple(-n for n in order.depth(norm)), norm.iri))
    kept: list[Norm] = []
    withdrawn: list[Withdrawn] = []
    overridden = {iri: norm for norm in holding for iri in norm.overrides}
    for norm in holding:
        to = overridden.get(norm.iri)
        if to is None:
            to = next((each for each in forbidden if each.contradicts(norm)), None)
        if to is None:
            to = next((each for each in kept if each.contradicts(norm) and order.special(each, norm)), None)
        if to is None:
            kept.append(norm)
        else:
            withdrawn.append(Withdrawn(norm, to))
    stand = [*agreed, *kept]
    pairs = [
        (one, other)
        for i, one in enumerate(stand)
        for other in stand[i + 1 :]
        if one.contradicts(other) and not (one.said and other.said)  # of those agreed on none opposes another
    ]
    opposing = {id(norm) for pair in pairs for norm in pair}
    told = [norm for norm in stand if not norm.said or norm.verb != _MAY or id(norm) in opposing]
    return Standing(tuple(told), tuple(withdrawn), tuple(pairs))


def _holds(norm: Norm, around: Circumstances, knowledge: Knowledge, facts: Facts) -> bool:
    """Whether every condition holds. An occasion asked about in general may be held anywhere, in any State."""
    for name, values in norm.conditions.items():
        if name == PLACE and around.anywhere and OCCASION in norm.conditions:
            continue
        held = around.held.get(name, frozenset())
        if name == THING and not around.things:
            held |= around.nearby
        if held.isdisjoint(values):
            return False
    if not norm.states:
        return True
    name, subjects = (OCCASION, around.occasions) if OCCASION in norm.conditions else (THING, around.things)
    values = norm.conditions.get(name, ())
    return any(
        (name == OCCASION and each in knowledge.classes)
        or not set(norm.states).isdisjoint(facts.objects(each, STATE))
        for each in (subjects if subjects or name == OCCASION else sorted(around.nearby))
        if not values or not {*_wider(each, knowledge, facts), *facts.objects(each, TYPE)}.isdisjoint(values)
    )
