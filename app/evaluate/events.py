"""The Event after If: what it names, whether it has occurred, and what must have happened for it to (SEMANTICS 4).

A step with an Event is judged as if the Event had occurred: what its Process Actions change is laid before, where
they have not been performed yet. Its own effects count only if earlier accepted steps or the World fulfil the Event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from app.evaluate.resolve import PREDICATE_OF, Bound
from app.evaluate.wording import Names
from app.facts import Facts
from app.model import Event, ProcessAction, Term
from app.statement import format_action
from app.vocab import mmm

_PROCESS, _ACTION, _HAPPENED = mmm("process"), mmm("action"), mmm("happenedAt")

_PARTIAL = "complement_missing"
"""An Event may name a Process Action in part: whatever it leaves out is any."""


@dataclass(frozen=True, slots=True)
class Done:
    """A Process Action by what it names: who, which Action, and each term with the variable of its preposition."""

    actor: str | None
    action: str
    parts: frozenset[tuple[str, Term]]

    @classmethod
    def of(cls, bound: Bound) -> Done:
        """What a resolved Process Action names."""
        parts = {(v, term) for v, _ in PREDICATE_OF for term in bound.values.get(v, ())}
        return cls(bound.actor, bound.action.iri, frozenset(parts))

    def fulfils(self, wanted: Done) -> bool:
        """Whether it is what an Event names: the parts it names, and maybe more."""
        return self.actor == wanted.actor and self.action == wanted.action and wanted.parts <= self.parts


@dataclass(frozen=True, slots=True)
class Leaf:
    """A Process Action of an Event, its names resolved."""

    pa: ProcessAction
    bound: Bound
    done: Done


@dataclass(frozen=True, slots=True)
class Node:
    """An operator over its operands; without one, the operand alone."""

    operator: str | None
    operands: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Awaited:
    """Whether the Event has occurred, how the Reason says so, and what is supposed to have been performed besides."""

    occurred: bool
    note: str
    supposed: tuple[Leaf, ...] = ()


Condition: TypeAlias = Leaf | Node
IsDone: TypeAlias = Callable[[Leaf], bool]


def resolve(event: Event | ProcessAction, bind: Callable[[ProcessAction], Bound]) -> Condition:
    """An Event with the names of its Process Actions resolved."""
    if isinstance(event, ProcessAction):
        bound = bind(event)
        said = tuple(each for each in bound.raised if each[0] != _PARTIAL)
        bound = replace(bound, raised=said)
        return Leaf(event, bound, Done.of(bound))
    return Node(event.operator, tuple(resolve(operand, bind) for operand in event.operands))


def leaves(condition: Condition) -> Iterator[Leaf]:
    """Every Process Action of an Event, in the order written."""
    if isinstance(condition, Leaf):
        yield condition
    else:
        for operand in condition.operands:
            yield from leaves(operand)


def occurred(condition: Condition, is_done: IsDone) -> bool:
    """Whether an Event has occurred (XNOR: both or neither)."""
    if isinstance(condition, Leaf):
        return is_done(condition)
    truth = [occurred(operand, is_done) for operand in condition.operands]
    match condition.operator:
        case "NOT":
            return not truth[0]
        case "OR":
            return any(truth)
        case "NAND":
            return not all(truth)
        case "NOR":
            return not any(truth)
        case "XOR":
            return truth[0] != truth[1]
        case "XNOR":
            return truth[0] == truth[1]
        case _:
            return all(truth)


def to_happen(condition: Condition, wanted: bool, is_done: IsDone) -> tuple[Leaf, ...] | None:
    """The Process Actions still to be performed for an Event to have occurred, or not to: the first way there is,
    with as little as that way needs; None where what has been performed excludes it.
    """
    if isinstance(condition, Leaf):
        if is_done(condition):
            return () if wanted else None
        return (condition,) if wanted else ()
    if len(condition.operands) == 1:
        return to_happen(condition.operands[0], wanted is (condition.operator is None), is_done)
    for truths in _WAYS[condition.operator or "AND", wanted]:
        found: list[Leaf] = []
        for operand, truth in zip(condition.operands, truths, strict=True):
            more = to_happen(operand, truth, is_done)
            if more is None:
                break
            found += more
        else:
            return tuple(found)
    return None


_BOTH, _NEITHER = ((True, True),), ((False, False),)
_ONE = ((True, False), (False, True))
_ALIKE, _NOT_BOTH, _SOME = (*_NEITHER, *_BOTH), (*_NEITHER, *_ONE), (*_ONE, *_BOTH)
_WAYS = {
    ("AND", True): _BOTH,
    ("AND", False): _NOT_BOTH,
    ("NAND", True): _NOT_BOTH,
    ("NAND", False): _BOTH,
    ("OR", True): _SOME,
    ("OR", False): _NEITHER,
    ("NOR", True): _NEITHER,
    ("NOR", False): _SOME,
    ("XOR", True): _ONE,
    ("XOR", False): _ALIKE,
    ("XNOR", True): _ALIKE,
    ("XNOR", False): _ONE,
}
"""For each operator and outcome the truths of the operands that give it, those with the least to perform first."""


def weigh(condition: Condition, is_done: IsDone, names: Names) -> Awaited:
    """What an Event means for the step that awaits it."""
    if occurred(condition, is_done):
        return Awaited(True, names.say("occurred"))
    supposed = to_happen(condition, True, is_done)
    if supposed is None:
        return Awaited(False, names.say("cannot_occur"))
    distinct = {leaf.done: leaf for leaf in supposed}
    said = names.listing((f"`{format_action(leaf.pa)}`" for leaf in distinct.values()), "and")
    return Awaited(False, names.say("as_if" if said else "not_yet", said=said), tuple(distinct.values()))


def happened_in_world(done: Done, facts: Facts, now: datetime) -> bool:
    """Whether the World says that a Process Action was performed, by `now`."""
    if done.actor is None:
        return False
    for node in facts.subjects(_PROCESS, done.actor):
        times = facts.objects(node, _HAPPENED)
        if done.action in facts.objects(node, _ACTION) and any(isinstance(t, datetime) and t <= now for t in times):
            predicates = dict(PREDICATE_OF)
            if all(term in facts.objects(node, predicates[variable]) for variable, term in done.parts):
                return True
    return False
