"""Would a world with these facts be one? Names, shapes and logic, on the nodes that a change touches (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby, islice
from typing import Final

import pyoxigraph as ox

from app.rules import Domain
from app.vocab import TYPE
from app.world.alike import Alike, Pattern
from app.world.checks import Checks
from app.world.logic import Logic
from app.world.report import Report, Result, gathered
from app.world.shapes import Shapes
from app.world.store import Change, Store
from app.world.view import Facts, View

BATCH: Final = 500
"""Nodes validated at once: enough to share the cost of a run, few enough to stay small."""

REFERRERS: Final = 10_000
"""Nodes looked at again because one that they point at got or lost a class, or lost all its facts."""

PATTERNS: Final = 100_000
"""Patterns remembered as fine; beyond it all are forgotten."""

WAY: Final = 8
"""Properties followed at most from an entity to a node without identifier."""

_TYPE: Final = ox.NamedNode(TYPE)


class Validator:
    """Validates worlds of one Domain, below one base. Thread-safe."""

    def __init__(self, domain: Domain, base: str) -> None:
        self.domain = domain
        self._logic = Logic(domain)
        self._checks = Checks(domain, base)
        self._shapes = Shapes(domain.knowledge.packs, domain.knowledge)
        self._alike = Alike(domain, self._shapes.graph)
        self._fine: set[Pattern] = set()

    def of_change(self, store: Store, change: Change) -> Report:
        """What a change would break, on the nodes it touches."""
        view = View(store, change)
        touched = {triple.subject for triple in (*change.added, *change.removed)}
        nodes: list[ox.NamedNode] = [node for node in touched if isinstance(node, ox.NamedNode)]
        results: list[Result] = []
        for node in _reclassed(change):
            referring = view.into(node, REFERRERS + 1)
            if len(referring) > REFERRERS:
                message = f"more than {REFERRERS:,} nodes refer to it: change them first"
                results.append(Result(view.shown(node.value), TYPE, None, "referred_to", message))
            nodes += [triple.subject for triple in referring if isinstance(triple.subject, ox.NamedNode)]
            if referring and not view.exists(node):
                results += _left_dangling(node, referring, view)
        ordered = sorted(set(nodes), key=str)
        for start in range(0, len(ordered), BATCH):
            batch = {node: tuple(view.out(node)) for node in ordered[start : start + BATCH]}
            results += self._of_batch({node: facts for node, facts in batch.items() if facts}, view)
        return gathered(_traced(result, view) for result in results)

    def concerns_all(self, store: Store, change: Change) -> bool:
        """Whether so many nodes refer to one that gets a class that the whole world had better be validated."""
        view = View(store)
        gaining = _reclassed(Change(frozenset(), change.added))
        return any(len(view.into(node, REFERRERS + 1)) > REFERRERS for node in gaining)

    def of_store(self, store: Store) -> Iterator[tuple[int, list[Result]]]:
        """What is wrong with all the facts of a store: the number of nodes seen so far, and what was found since."""
        view = View(store)
        seen = 0
        nodes = _nodes(store, view)
        while batch := dict(islice(nodes, BATCH)):
            seen += len(batch)
            yield seen, [_traced(result, view) for result in self._of_batch(batch, view)]

    def _of_batch(self, facts: Facts, view: View) -> Iterator[Result]:
        for node, triples in facts.items():
            view.remember(node, triples)
        neighbours = {t.object for ts in facts.values() for t in ts if isinstance(t.object, ox.NamedNode)}
        types = {node: found for node in neighbours if (found := view.classes(node))}
        for node, triples in facts.items():
            yield from self._checks.check(node, triples, view)
        if not self._alike.holds_for_shapes:
            yield from self._shapes.check(facts, types, view.terms)
        yield from self._of_patterns(facts, types, view)

    def _of_patterns(self, facts: Facts, types: Facts, view: View) -> Iterator[Result]:
        """What is wrong with nodes that are not known to be fine: with one of each pattern first, and with every one
        only where anything is.
        """
        patterns = {node: self._alike.pattern(node, triples, types) for node, triples in facts.items()}
        strange = {node: triples for node, triples in facts.items() if patterns[node] not in self._fine}
        ones = {patterns[node] or node: node for node in strange}
        found = self._looked_through({node: facts[node] for node in ones.values()}, types, view)
        if found and len(strange) > len(ones):
            found = self._looked_through(strange, types, view)
        # what a node contradicts by itself is found at each that points at it, too, and told once
        yield from dict.fromkeys(result for node in strange for result in found.get(node, ()))
        if len(self._fine) > PATTERNS:
            self._fine = set()
        wrong = {patterns[node] for node in found}
        self._fine.update(pattern for node in strange if (pattern := patterns[node]) and pattern not in wrong)

    def _looked_through(self, facts: Facts, types: Facts, view: View) -> dict[ox.NamedNode, list[Result]]:
        """What shapes, where they hold for a pattern, and logic find, by the node that was looked at: each by itself,
        so that it depends neither on what is validated beside it nor on what was before.
        """
        found: dict[ox.NamedNode, list[Result]] = {}
        if self._alike.holds_for_shapes:
            nodes = {view.shown(node.value): node for node in facts}
            for result in self._shapes.check(facts, types, view.terms):
                found.setdefault(nodes[result.focus], []).append(result)
        if facts and not self._logic.is_consistent(facts, types):
            for node in facts:
                for result in self._logic.check(node, facts, types, view):
                    found.setdefault(node, []).append(result)
        return found


def _reclassed(change: Change) -> list[ox.NamedNode]:
    """The nodes whose classes a change touches: who points at them is looked at again."""
    touched = {t.subject for t in (*change.removed, *change.added) if t.predicate == _TYPE}
    return sorted((node for node in touched if isinstance(node, ox.NamedNode)), key=str)


def _nodes(store: Store, view: View) -> Iterator[tuple[ox.NamedNode, tuple[ox.Triple, ...]]]:
    """Every node with all that is said of it. A folder is read in the order of subjects, memory in any."""
    quads = store.opened.quads_for_pattern(None, None, None, store.graph)
    if store.folder is None:
        for node in sorted({quad.subject for quad in quads}, key=str):
            yield node, tuple(view.out(node))  # type: ignore[arg-type,misc]  # a store has no blank node
        return
    for node, said in groupby((quad.triple for quad in quads), lambda triple: triple.subject):
        yield node, tuple(said)


def _traced(result: Result, view: View) -> Result:
    """The same, with the way to its node where that has no identifier."""
    if not result.focus.startswith("_:"):
        return result
    node = end = view.terms.node(result.focus)
    steps: list[str] = []
    while view.terms.is_blank(node):
        referring = sorted(view.into(node, REFERRERS), key=str)
        if not referring or len(steps) == WAY:
            return replace(result, way=(*steps, end.value))
        node = referring[0].subject  # type: ignore[assignment]  # a store has no blank node
        steps.insert(0, referring[0].predicate.value)
    return replace(result, way=(view.shown(node.value), *steps, end.value))


def _left_dangling(node: ox.NamedNode, referring: Iterable[ox.Triple], view: View) -> Iterator[Result]:
    gone = view.shown(node.value)
    for triple in islice(referring, REFERRERS):
        message = f"it would refer to <{node.value}>, of which nothing would be left"
        focus = view.shown(triple.subject.value)  # type: ignore[union-attr]
        yield Result(focus, triple.predicate.value, gone, "dangling_reference", message, "remove the reference, too")
