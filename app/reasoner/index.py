"""Facts by their places, in levels: a layer reads the levels below and writes its own alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Generic, TypeAlias, TypeVar

from app.model import Term

Fact: TypeAlias = tuple[Any, Any, Any]
"""A triple of generalised RDF: a literal may be its subject, a blank node its predicate, while rules are applied."""

_Level = TypeVar("_Level", bound="Index[Any]")
_NONE: dict[Term, list[Term]] = {}


class Index(Generic[_Level]):
    """Facts that rules may take as premises, above those of the levels below, the lowest of which comes first."""

    def __init__(self, below: tuple[_Level, ...] = ()) -> None:
        self.below = below
        self.indexed: set[Fact] = set()
        self._out: dict[Term, dict[Term, list[Term]]] = {}
        self._in: dict[Term, dict[Term, list[Term]]] = {}
        self._pairs: dict[Term, list[tuple[Term, Term]]] = {}
        self._steps: dict[tuple[Term, Term], list[Term]] = {}

    def add(self, fact: Fact, *, step: bool = True) -> None:
        """Index a fact that is not indexed; no `step` is one that a rule put together from a path (joins.LINEAR)."""
        s, p, o = fact
        self.indexed.add(fact)
        objects = self._out.setdefault(s, {}).setdefault(p, [])
        if not step and (s, p) not in self._steps:
            self._steps[s, p] = objects.copy()
        elif step and self._steps and (s, p) in self._steps:
            self._steps[s, p].append(o)
        objects.append(o)
        self._in.setdefault(o, {}).setdefault(p, []).append(s)
        self._pairs.setdefault(p, []).append((s, o))

    def has(self, fact: Fact) -> bool:
        """Whether a fact is indexed: only such a fact is a premise."""
        return fact in self.indexed or bool(self.below and any(fact in level.indexed for level in self.below))

    def objects(self, s: Term, p: Term) -> Iterable[Term]:
        """What a subject has for a predicate."""
        found = self._out.get(s, _NONE).get(p, ())
        if not self.below:
            return found
        return chain(*(level._out.get(s, _NONE).get(p, ()) for level in self.below), found)

    def steps(self, s: Term, p: Term) -> Iterable[Term]:
        """The same, but for what a rule put together."""
        levels: tuple[Index[Any], ...] = (*self.below, self)
        return chain(*(level._steps.get((s, p), level._out.get(s, _NONE).get(p, ())) for level in levels))

    def subjects(self, p: Term, o: Term) -> Iterable[Term]:
        """What has a value for a predicate."""
        found = self._in.get(o, _NONE).get(p, ())
        if not self.below:
            return found
        return chain(*(level._in.get(o, _NONE).get(p, ()) for level in self.below), found)

    def pairs(self, p: Term) -> Iterable[tuple[Term, Term]]:
        """Subject and object of every fact with a predicate."""
        found = self._pairs.get(p, ())
        return chain(*(level._pairs.get(p, ()) for level in self.below), found) if self.below else found

    def touching(self, term: Term) -> Iterator[Fact]:
        """Every fact with a term, once for each place that the term has in it."""
        levels: tuple[Index[Any], ...] = (*self.below, self)
        for level in levels:
            for p, objects in level._out.get(term, _NONE).items():
                yield from ((term, p, o) for o in objects)
            yield from ((s, term, o) for s, o in level._pairs.get(term, ()))
            for p, subjects in level._in.get(term, _NONE).items():
                yield from ((s, p, term) for s in subjects)
