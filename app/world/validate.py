"""Would a world with these facts be one? Names, shapes and logic, on the nodes that a change touches (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from typing import Final

import pyoxigraph as ox

from app.rules import Domain
from app.vocab import TYPE
from app.world.checks import Checks
from app.world.logic import Logic
from app.world.report import Report, Result, gathered
from app.world.shapes import Facts, Shapes
from app.world.store import Change, Store
from app.world.view import View

BATCH: Final = 500
"""Nodes validated at once: enough to share the cost of a run, few enough to stay small."""

REFERRERS: Final = 10_000
"""Nodes looked at again because one that they point at lost its class or all its facts."""

_TYPE: Final = ox.NamedNode(TYPE)


class Validator:
    """Validates worlds of one Domain, below one base. Thread-safe."""

    def __init__(self, domain: Domain, base: str) -> None:
        self.domain = domain
        self._logic = Logic(domain)
        self._checks = Checks(domain, base)
        self._shapes = Shapes(domain.knowledge.packs, domain.knowledge)

    def of_change(self, store: Store, change: Change) -> Report:
        """What a change would break, on the nodes it touches."""
        view = View(store, change)
        touched = {triple.subject for triple in (*change.added, *change.removed)}
        nodes: list[ox.NamedNode] = [node for node in touched if isinstance(node, ox.NamedNode)]
        lost = {triple.subject for triple in change.removed if triple.predicate == _TYPE}
        results: list[Result] = []
        for node in sorted(lost, key=str):
            assert isinstance(node, ox.NamedNode)
            referring = view.into(node, REFERRERS + 1)
            if len(referring) > REFERRERS:
                message = f"more than {REFERRERS:,} nodes refer to it: change them first"
                results.append(Result(str(view.terms.ours(node)), TYPE, None, "referred_to", message))
            nodes += [triple.subject for triple in referring if isinstance(triple.subject, ox.NamedNode)]
            if referring and not view.exists(node):
                results += _left_dangling(node, referring, view)
        ordered = sorted(set(nodes), key=str)
        for start in range(0, len(ordered), BATCH):
            batch = {node: tuple(view.out(node)) for node in ordered[start : start + BATCH]}
            results += self._of_batch({node: facts for node, facts in batch.items() if facts}, view)
        return gathered(results)

    def of_store(self, store: Store) -> Iterator[tuple[int, list[Result]]]:
        """What is wrong with all the facts of a store: the number of nodes seen so far, and what was found since."""
        view = View(store)
        seen = 0
        nodes = ((node, tuple(view.out(node))) for node in _subjects(store))
        while batch := dict(islice(nodes, BATCH)):
            seen += len(batch)
            yield seen, list(self._of_batch(batch, view))

    def _of_batch(self, facts: Facts, view: View) -> Iterator[Result]:
        for node, triples in facts.items():
            yield from self._checks.check(node, triples, view)
        neighbours = {t.object for ts in facts.values() for t in ts if isinstance(t.object, ox.NamedNode)}
        classes = {node: view.classes(node) for node in neighbours if node not in facts}
        yield from self._shapes.check(facts, classes, view.terms)
        yield from self._logic.check(facts, classes, view)


def _subjects(store: Store) -> Iterator[ox.NamedNode]:
    """Every node of which something is said. A folder is read in the order of subjects, memory in any."""
    quads = store.opened.quads_for_pattern(None, None, None, store.graph)
    found = (node for node, _ in groupby(quads, lambda quad: quad.subject) if isinstance(node, ox.NamedNode))
    yield from sorted(set(found), key=str) if store.folder is None else found


def _left_dangling(node: ox.NamedNode, referring: Iterable[ox.Triple], view: View) -> Iterator[Result]:
    gone = str(view.terms.ours(node))
    for triple in islice(referring, REFERRERS):
        message = f"it would refer to <{node.value}>, of which nothing would be left"
        focus = str(view.terms.ours(triple.subject))
        yield Result(focus, triple.predicate.value, gone, "dangling_reference", message, "remove the reference, too")
