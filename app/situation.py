"""The part of a World that one request touches: slices gathered along what its rules walk (DESIGN 4).

Pure: where the slices come from is the World's affair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeVar

from app.facts import DEPTH_LIMIT, Facts, Slice
from app.model import Term
from app.rules import Domain
from app.rules.compiled import Reach
from app.rules.syntax import Link

ENTITY_LIMIT = 20_000
"""Entities one Situation may hold; a request that names more is answered without the rest, never wrongly."""

_FETCHES = 6
"""Times more is fetched for one request, each for a name that only judging could find (an Account's, say)."""

SliceOf = Callable[[str], Slice]

Came = TypeVar("Came")


Walked = dict[tuple[str, int], dict[str, Slice]]
"""Slices gathered before, by entity and Reach; whoever changes a slice empties it."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What a request wants to know of a World: entities by IRI, each with what is walked from it. `foresee` names
    more from what was gathered: what a step will make is named by what it is given.
    """

    starts: Mapping[str, tuple[Reach, ...]] = field(default_factory=dict)
    foresee: Callable[[Situation], Mapping[str, tuple[Reach, ...]]] | None = None

    def with_more(self, entities: Iterable[str], walks: tuple[Reach, ...]) -> Needs:
        """The same, and some entities from which everything is walked that any rule may walk."""
        return Needs({**self.starts, **dict.fromkeys(entities, walks)}, self.foresee)


@dataclass(frozen=True, slots=True)
class Situation:
    """Slices of one World as it was at `version`; what they hold of an entity, they hold completely."""

    slices: Mapping[str, Slice]
    version: str

    def facts(self, domain: Domain) -> Facts:
        """A fresh view for one evaluation."""
        return Facts(
            self.slices, vocabulary=domain.vocabulary, schema=domain.knowledge.schema, inverses=domain.inverses
        )


def until_known(needs: Needs, domain: Domain, attempt: Callable[[Needs, bool], tuple[Came, Iterable[str]]]) -> Came:
    """What an attempt comes to once what it misses is fetched, with all that any rule may walk from it.

    `attempt` gets the needs and whether more may be fetched after it; it gives what it came to, and the entities it
    missed.
    """
    came, outside = attempt(needs, True)
    for fetches_left in reversed(range(_FETCHES)):
        if not outside:
            break
        needs = needs.with_more(outside, (domain.any_reach,))
        came, outside = attempt(needs, fetches_left > 0)
    return came


def gather(needs: Needs, domain: Domain, slice_of: SliceOf, version: str, walked: Walked | None = None) -> Situation:
    """The slices of every entity that the needs reach."""
    known: Walked = {} if walked is None else walked
    slices: dict[str, Slice] = {}
    _gather(needs.starts, domain, slice_of, known, slices)
    if needs.foresee is not None:
        _gather(needs.foresee(Situation(slices, version)), domain, slice_of, known, slices)
    return Situation(slices, version)


def _gather(
    starts: Mapping[str, tuple[Reach, ...]],
    domain: Domain,
    slice_of: SliceOf,
    walked: Walked,
    slices: dict[str, Slice],
) -> None:
    for entity, walks in starts.items():
        if entity not in slices:
            slices[entity] = slice_of(entity)
        for reach in walks:
            found = walked.get((entity, id(reach)))
            if found is None:
                found = walked[entity, id(reach)] = _walk(entity, reach, domain, slice_of)
            slices.update(found)


def _walk(start: str, reach: Reach, domain: Domain, slice_of: SliceOf) -> dict[str, Slice]:
    """Each entity once a Reach; bounded, so that what is left out is missed loudly later."""
    slices: dict[str, Slice] = {}
    frontier: list[tuple[str, Reach]] = [(start, reach)]
    seen: set[tuple[str, int]] = {(start, id(reach))}
    while frontier:
        entity, walked = frontier.pop()
        if not walked.links or entity in domain.vocabulary:
            continue
        if entity not in slices:
            if len(slices) >= ENTITY_LIMIT:
                break
            slices[entity] = slice_of(entity)
        for links, further in walked.links.items():
            for neighbour in _neighbours(entity, links, slice_of, slices):
                if isinstance(neighbour, str) and (neighbour, id(further)) not in seen:
                    seen.add((neighbour, id(further)))
                    frontier.append((neighbour, further))
    return slices


def _neighbours(entity: str, links: tuple[Link, ...], slice_of: SliceOf, slices: dict[str, Slice]) -> Iterable[Term]:
    held = slices[entity]
    return chain.from_iterable(
        (held.into.get(link.predicate, ()) if link.inverse else held.out.get(link.predicate, ()))
        if link.least is None
        else _ancestors(entity, link, slice_of, slices)
        for link in links
    )


def _ancestors(start: str, link: Link, slice_of: SliceOf, slices: dict[str, Slice]) -> list[Term]:
    """Every node of a walk, its slices gathered: the last one's too, since the walk must see that it ends."""
    reached: list[Term] = [start]
    frontier = [start]
    for _ in range(DEPTH_LIMIT + 1):
        following: list[str] = []
        for entity in frontier:
            if entity not in slices:
                slices[entity] = slice_of(entity)
            held = slices[entity]
            found: tuple[Term, ...] = (
                held.into.get(link.predicate, ()) if link.inverse else held.out.get(link.predicate, ())
            )
            for node in found:
                if isinstance(node, str) and node not in reached:
                    reached.append(node)
                    following.append(node)
        if not following:
            break
        frontier = following
    return reached
