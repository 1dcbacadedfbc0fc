"""The facts of a store as they would be after a change that is not made yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, TypeAlias

import pyoxigraph as ox

from app.vocab import TYPE
from app.world.store import Change, Store

REMEMBERED: Final = 100_000
"""Nodes whose classes are remembered; many nodes point at few."""

_TYPE: Final = ox.NamedNode(TYPE)
_NOTHING: Final = Change(frozenset(), frozenset())


Facts: TypeAlias = Mapping[ox.NamedNode, Sequence[ox.Triple]]
"""What is said of some nodes."""

Walk: TypeAlias = tuple[ox.NamedNode, ...]
"""The properties by which a hierarchy is walked outwards."""


class View:
    """A store with a change laid over it."""

    def __init__(self, store: Store, change: Change = _NOTHING) -> None:
        self.store = store
        self.terms = store.terms
        self._removed = change.removed
        self._classes: dict[ox.NamedNode, list[ox.Triple]] = {}
        self._out: dict[ox.NamedNode, list[ox.Triple]] = {}
        self._into: dict[ox.NamedNode, list[ox.Triple]] = {}
        self._depths: dict[Walk, dict[ox.NamedNode, int | None]] = {}
        self._valued: dict[tuple[ox.NamedNode, object], list[ox.Triple]] = {}
        for triple in change.added:
            self._out.setdefault(triple.subject, []).append(triple)  # type: ignore[arg-type]
            self._valued.setdefault((triple.predicate, triple.object), []).append(triple)
            if isinstance(triple.object, ox.NamedNode):
                self._into.setdefault(triple.object, []).append(triple)

    def out(self, node: ox.NamedNode) -> Iterator[ox.Triple]:
        """All that is said of a node."""
        yield from self._stored(node, None, None)
        yield from self._out.get(node, ())

    def classes(self, node: ox.NamedNode) -> list[ox.Triple]:
        """What is said of the classes of a node."""
        found = self._classes.get(node)
        if found is None:
            found = self.remember(
                node,
                (*self._stored(node, _TYPE, None), *(t for t in self._out.get(node, ()) if t.predicate == _TYPE)),
            )
        return found

    def remember(self, node: ox.NamedNode, said: Iterable[ox.Triple]) -> list[ox.Triple]:
        """The classes of a node of which all is given that is said."""
        if len(self._classes) >= REMEMBERED:
            self._classes.clear()
        found = self._classes[node] = [triple for triple in said if triple.predicate == _TYPE]
        return found

    def shown(self, iri: str) -> str:
        """A node as readers see it: a Skolem IRI as the blank node that it stands for."""
        return iri if iri.startswith("_:") else str(self.terms.ours(ox.NamedNode(iri)))

    def exists(self, node: ox.NamedNode) -> bool:
        """Whether anything is said of a node."""
        return bool(self.classes(node)) or next(self.out(node), None) is not None

    def objects(self, node: ox.NamedNode, predicates: Sequence[ox.NamedNode]) -> Iterator[ox.NamedNode]:
        """What a node points at by some properties."""
        stored = (triple for p in predicates for triple in self._stored(node, p, None))
        coming = (triple for triple in self._out.get(node, ()) if triple.predicate in predicates)
        return (t.object for t in (*stored, *coming) if isinstance(t.object, ox.NamedNode))

    def depth(self, node: ox.NamedNode, walk: Walk) -> int | None:
        """How many nodes lie around a node, one around the other; None where the way outwards leads into a ring. Each
        node is walked once, however many lie within it.
        """
        known = self._depths.setdefault(walk, {})
        way: dict[ox.NamedNode, tuple[list[ox.NamedNode], Iterator[ox.NamedNode]]] = {}
        further = None if node in known else node
        while way or further is not None:
            if further is not None:
                around = list(self.objects(further, walk))
                way[further] = around, iter(around)
            at, (around, rest) = next(reversed(way.items()))
            further = next((each for each in rest if each not in known and each not in way), None)
            if further is None:
                depths = [known.get(each) for each in around]  # one that is on the way still leads back to here
                known[at] = None if None in depths else 1 + max((d for d in depths if d is not None), default=-1)
                del way[at]
        return known[node]

    def into(self, node: ox.NamedNode, limit: int) -> list[ox.Triple]:
        """What points at a node, `limit` facts at most."""
        stored = list(islice(self._stored(None, None, node), limit))
        return [*stored, *self._into.get(node, ())][:limit]

    def having(self, predicate: ox.NamedNode, value: ox.NamedNode | ox.Literal) -> list[ox.NamedNode]:
        """The nodes with one value of one property."""
        found = [triple.subject for triple in self._stored(None, predicate, value)]
        found += [triple.subject for triple in self._valued.get((predicate, value), ())]
        return found  # type: ignore[return-value]  # a store has no blank node

    def _stored(self, s: ox.NamedNode | None, p: ox.NamedNode | None, o: object) -> Iterator[ox.Triple]:
        for quad in self.store.opened.quads_for_pattern(s, p, o, self.store.graph):  # type: ignore[arg-type]
            triple = quad.triple
            if not self._removed or triple not in self._removed:
                yield triple


def with_types(facts: Facts, types: Facts) -> list[ox.Triple]:
    """What is said of some nodes, and of the classes of what they point at: that far a node is looked at."""
    said = [triple for triples in facts.values() for triple in triples]
    pointed_at = dict.fromkeys(triple.object for triple in said)
    return [
        *said,
        *(t for o in pointed_at if isinstance(o, ox.NamedNode) and o not in facts for t in types.get(o, ())),
    ]
