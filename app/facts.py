"""The one index of facts: what is known, in layers, read by every rule.

Terms (model.Term): an IRI is an interned `str` (a blank node too, starting `_:`), numbers are `Decimal` and match by
value, plain literals are `Text`, times aware `datetime`, everything else `Typed`.

Layers, lowest first: Knowledge (frozen), the World's slices (frozen, one per entity), the statement of the step
judged, and what earlier steps of the plan changed. A read sees the plan's additions and removals over the rest.
What was never fetched is not absent: reading it raises `OutsideSituation` (DESIGN 4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from app.model import Effect, Layer, Term, Triple, UsedFact
from app.vocab import SUB_CLASS, SUB_PROPERTY, TYPE

DEPTH_LIMIT = 16
"""Steps a hierarchical predicate is walked (DESIGN 4: ancestors 16 deep)."""


class OutsideSituation(Exception):  # noqa: N818 - a signal to fetch more, not an error of the asker
    """A rule read an entity, or a direction, that the Situation does not hold completely."""

    def __init__(self, entity: str, reason: str) -> None:
        self.entity = entity
        super().__init__(reason)


class BoundReached(Exception):  # noqa: N818 - as above
    """A walk was longer, or an entity had more neighbours, than the bounds of DESIGN 4 allow."""


@dataclass(frozen=True, slots=True)
class Schema:
    """What follows from one fact by the vocabulary alone: all superclasses of a class, all superproperties."""

    superclasses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    superproperties: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def consequences(self, s: str, p: str, o: Term) -> list[tuple[Triple, tuple[Triple, ...]]]:
        """The facts inferred from one fact, each with its premises."""
        inferred: list[tuple[Triple, tuple[Triple, ...]]] = []
        if p == TYPE and isinstance(o, str):
            for c in self.superclasses.get(o, ()):
                inferred.append(((s, TYPE, c), ((s, TYPE, o), (o, SUB_CLASS, c))))
        for q in self.superproperties.get(p, ()):
            inferred.append(((s, q, o), ((s, p, o), (p, SUB_PROPERTY, q))))
        return inferred


@dataclass(frozen=True, slots=True)
class Slice:
    """All that one layer says of one entity: its facts, and the entities that point at it by the predicates walked
    backwards. `cut` names the predicates of `into` whose list was cut at the bound.
    """

    entity: str
    layer: Layer
    out: Mapping[str, tuple[Term, ...]]
    into: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    because: Mapping[tuple[str, Term], tuple[Triple, ...]] = field(default_factory=dict)
    cut: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        entity: str,
        layer: Layer,
        facts: Iterable[tuple[str, Term]],
        into: Mapping[str, tuple[str, ...]],
        schema: Schema,
        cut: frozenset[str] = frozenset(),
    ) -> Slice:
        """A slice from asserted facts, with what the vocabulary infers from each."""
        out: dict[str, dict[Term, None]] = {}
        because: dict[tuple[str, Term], tuple[Triple, ...]] = {}
        asserted = list(facts)
        for p, o in asserted:
            out.setdefault(p, {})[o] = None
        for p, o in asserted:
            for (_, q, value), premises in schema.consequences(entity, p, o):
                if value not in out.setdefault(q, {}):
                    out[q][value] = None
                    because[q, value] = premises
        frozen = {p: tuple(objects) for p, objects in out.items()}
        return cls(entity, layer, frozen, into, because, cut)


class Facts:
    """A view over all layers for one request; only `lay`, `state` and `fork` change it. Not shared by threads."""

    __slots__ = (
        "_born",
        "_gone",
        "_inverses",
        "_layered",
        "_layered_into",
        "_new",
        "_new_into",
        "_pointed_at",
        "_present",
        "_schema",
        "_slices",
        "_unstated",
        "_vocabulary",
        "_walked",
    )

    def __init__(
        self,
        slices: Mapping[str, Slice],
        *,
        vocabulary: Mapping[str, Slice],
        schema: Schema,
        inverses: frozenset[str],
    ) -> None:
        self._slices = dict(slices)
        self._vocabulary = vocabulary
        self._schema = schema
        self._inverses = inverses
        self._new: dict[tuple[str, str], dict[Term, tuple[Triple, ...]]] = {}
        self._new_into: dict[tuple[str, Term], dict[str, None]] = {}
        self._gone: set[Triple] = set()
        self._unstated: set[Triple] = set()
        self._born: set[str] = set()
        self._present: tuple[str, ...] | None = None
        self._pointed_at: tuple[str, ...] | None = None
        # entities of more than one layer: the plan changed them, or the vocabulary speaks of them, too
        self._layered = self._slices.keys() & vocabulary.keys()
        self._layered_into: set[Term] = set()
        # rules of one step walk the same places again and again
        self._walked: dict[tuple[Term, str, bool, int], tuple[Term, ...]] = {}

    def objects(self, s: Term, p: str) -> tuple[Term, ...]:
        """All o of facts (s, p, o). Raises OutsideSituation where that is not known completely."""
        held = self._slices.get(s)  # type: ignore[arg-type]  # a literal has no slice
        if held is not None and s not in self._layered:
            return held.out.get(p, ())
        return self._objects(s, p) if isinstance(s, str) else ()

    def of(self, s: Term) -> Callable[[str], tuple[Term, ...] | None]:
        """What `objects` says of one entity, as a function of the predicate, for who asks much; None is empty."""
        held = self._slices.get(s)  # type: ignore[arg-type]  # a literal has no slice
        if held is not None and s not in self._layered:
            return held.out.get
        return partial(self.objects, s)

    def subjects(self, p: str, o: Term) -> tuple[str, ...]:
        """All s of facts (s, p, o). Raises OutsideSituation where that is not known completely."""
        held = self._slices.get(o)  # type: ignore[arg-type]  # a literal has no slice
        if held is None or p not in self._inverses:
            raise OutsideSituation(str(o), f"what points at `{o}` by `{p}` was not fetched")
        if p in held.cut:
            raise BoundReached(f"more entities point at `{o}` by `{p}` than are read")
        found: tuple[str, ...] = held.into.get(p, ())
        return self._subjects(p, o, found) if o in self._layered_into else found

    def some_subjects(self, p: str, o: str) -> tuple[tuple[str, ...], bool]:
        """As many s of facts (s, p, o) as are read, and whether there are more: for lists that say they are cut."""
        held = self._slices.get(o)
        if held is not None and p in held.cut:
            return held.into.get(p, ()), True
        return self.subjects(p, o), False

    def value(self, s: Term, p: str) -> Term | None:
        """The only object, or the first of several."""
        found = self.objects(s, p)
        return found[0] if found else None

    def holds(self, s: str, p: str, o: Term) -> bool:
        """Whether a fact is known."""
        return o in self.objects(s, p)

    def walk(self, start: Term, p: str, *, inverse: bool, least: int) -> tuple[Term, ...]:
        """The nodes reached by p* (least 0) or p+ (least 1), nearest first. Raises BoundReached past the limit."""
        key = (start, p, inverse, least)
        known = self._walked.get(key)
        if known is None:
            known = self._walked[key] = self._walk(start, p, inverse=inverse, least=least)
        return known

    def _walk(self, start: Term, p: str, *, inverse: bool, least: int) -> tuple[Term, ...]:
        if not (self.subjects(p, start) if inverse else self.objects(start, p)):
            return (start,) if least == 0 else ()
        reached: dict[Term, None] = {start: None} if least == 0 else {}
        frontier: tuple[Term, ...] = (start,)
        seen: set[Term] = {start}
        for _ in range(DEPTH_LIMIT + 1):  # the last step sees that there is nothing further
            following: list[Term] = []
            for node in frontier:
                neighbours: tuple[Term, ...] = self.subjects(p, node) if inverse else self.objects(node, p)
                for neighbour in neighbours:
                    reached[neighbour] = None
                    if neighbour not in seen:
                        seen.add(neighbour)
                        following.append(neighbour)
            if not following:
                return tuple(reached)
            frontier = tuple(following)
        raise BoundReached(f"`{p}` is walked more than {DEPTH_LIMIT} steps from `{start}`")

    def chain(self, start: Term, p: str, end: Term, *, inverse: bool) -> tuple[Triple, ...]:
        """The facts of a shortest walk from start to end: what a `p*` rests on."""
        if start == end:
            return ()
        before: dict[Term, tuple[Term, Triple]] = {}
        frontier: list[Term] = [start]
        while frontier:
            following: list[Term] = []
            for node in frontier:
                neighbours: tuple[Term, ...] = self.subjects(p, node) if inverse else self.objects(node, p)
                for neighbour in neighbours:
                    if neighbour not in before and neighbour != start:
                        s, o = (neighbour, node) if inverse else (node, neighbour)
                        before[neighbour] = (node, (str(s), p, o))
                        following.append(neighbour)
            if end in before:
                break
            frontier = following
        links: list[Triple] = []
        while end != start and end in before:
            end, triple = before[end]
            links.append(triple)
        return tuple(reversed(links))

    def used(self, triple: Triple) -> UsedFact:
        """A fact with its layer and, if inferred, its premises."""
        s, p, o = triple
        new = self._new.get((s, p))
        if new is not None and o in new:
            return UsedFact(triple, Layer.PLAN, new[o])
        held = self._slices.get(s)
        if held is None or o not in held.out.get(p, ()):
            held = self._vocabulary.get(s, held)
        if held is None:
            return UsedFact(triple, Layer.KNOWLEDGE)
        return UsedFact(triple, held.layer, held.because.get((p, o), ()))

    def known(self, entity: str) -> bool:
        """Whether any fact is known of the entity. Raises OutsideSituation where it was not fetched."""
        if entity in self._vocabulary:
            return True
        held = self._slices.get(entity)
        if held is None:
            raise OutsideSituation(entity, f"`{entity}` was not fetched")
        return bool(held.out) or entity in self._born

    def entities(self) -> tuple[str, ...]:
        """Every entity that has facts here: the World's, then what the plan made."""
        if self._present is None:
            held = self._slices.values()
            self._present = tuple(each.entity for each in held if each.out and each.layer is Layer.WORLD)
        new = {s: None for (s, _), objects in self._new.items() if objects}
        return tuple({**dict.fromkeys(self._present), **new}) if new else self._present

    def mentioned(self) -> tuple[str, ...]:
        """Every entity that facts of the World point at, whether or not anything more is known of it."""
        if self._pointed_at is None:
            held = (each for each in self._slices.values() if each.layer is Layer.WORLD)
            pointed = (o for each in held for objects in each.out.values() for o in objects)
            self._pointed_at = tuple(dict.fromkeys(o for o in pointed if isinstance(o, str)))
        return self._pointed_at

    def state(self, statement: Slice) -> None:
        """Put the statement being judged among the facts, in place of what was stated under its name before."""
        self._slices[statement.entity] = statement
        self._walked.clear()

    def lay(self, effect: Effect) -> None:
        """Lay what an Ack'ed step changes over the rest, with what the vocabulary infers from it."""
        self._walked.clear()
        for s, p, o in effect.removed:
            self._remove(s, p, o)
        for s, p, o in effect.added:
            self._add((s, p, o), ())
            for inferred, premises in self._schema.consequences(s, p, o):
                if inferred[2] not in self.objects(inferred[0], inferred[1]):
                    self._add(inferred, premises)

    def fork(self) -> Facts:
        """An independent copy: what is laid on it is not seen here."""
        twin = Facts.__new__(Facts)
        twin._slices = self._slices.copy()
        twin._vocabulary = self._vocabulary
        twin._schema = self._schema
        twin._inverses = self._inverses
        twin._new = {key: objects.copy() for key, objects in self._new.items()}
        twin._new_into = {key: subjects.copy() for key, subjects in self._new_into.items()}
        twin._gone = self._gone.copy()
        twin._unstated = self._unstated.copy()
        twin._born = self._born.copy()
        twin._present = self._present
        twin._pointed_at = self._pointed_at
        twin._layered = self._layered.copy()
        twin._layered_into = self._layered_into.copy()
        twin._walked = {}
        return twin

    def _objects(self, s: str, p: str) -> tuple[Term, ...]:
        """Through all layers: the slice, the vocabulary, less what is gone, and what is new."""
        held = self._slices.get(s)
        term = self._vocabulary.get(s)
        if held is None and term is None:
            raise OutsideSituation(s, f"`{s}` was not fetched")
        found = held.out.get(p, ()) if held is not None else ()
        if term is not None:
            found = (*found, *(o for o in term.out.get(p, ()) if o not in found))
        if self._gone:
            found = tuple(o for o in found if (s, p, o) not in self._gone)
        new = self._new.get((s, p))
        return (*found, *(o for o in new if o not in found)) if new else found

    def _subjects(self, p: str, o: Term, found: tuple[str, ...]) -> tuple[str, ...]:
        if self._gone:
            found = tuple(s for s in found if (s, p, o) not in self._gone)
        new = self._new_into.get((p, o))
        return (*found, *(s for s in new if s not in found)) if new else found

    def _add(self, triple: Triple, premises: tuple[Triple, ...]) -> None:
        s, p, o = triple
        if s not in self._slices and s not in self._vocabulary:
            raise OutsideSituation(s, f"`{s}` would change but was not fetched")
        self._touch(triple)
        self._gone.discard(triple)
        held = self._slices.get(s)
        known = held is not None and o in held.out.get(p, ())
        if not premises:
            self._unstated.discard(triple)
            known = known and held is not None and (p, o) not in held.because
        if not known:
            self._born.add(s)
            new = self._new.setdefault((s, p), {})
            if not premises or o not in new:
                new[o] = premises
            self._new_into.setdefault((p, o), {})[s] = None

    def _remove(self, s: str, p: str, o: Term) -> None:
        """Take a statement back; what it implied goes with it, unless it is stated or implied by another."""
        if (p, o) not in self._stated(s):
            return
        new = self._new.get((s, p), {})
        if new.get(o) == ():
            del new[o]
        self._unstated.add((s, p, o))
        stated = self._stated(s)
        implied = {t: premises for q, v in stated for t, premises in self._schema.consequences(s, q, v)}
        for triple in ((s, p, o), *(t for t, _ in self._schema.consequences(s, p, o))):
            if triple in implied:
                self._add(triple, implied[triple])
            elif triple[1:] not in stated:
                self._drop(triple)

    def _stated(self, s: str) -> set[tuple[str, Term]]:
        """What is said of an entity itself, without what follows from it."""
        held = self._slices.get(s)
        stated = {(p, o) for (entity, p), new in self._new.items() if entity == s for o in new if new[o] == ()}
        if held is None:
            return stated
        for p, objects in held.out.items():
            for o in objects:
                if (p, o) not in held.because and (s, p, o) not in self._gone and (s, p, o) not in self._unstated:
                    stated.add((p, o))
        return stated

    def _drop(self, triple: Triple) -> None:
        s, p, o = triple
        self._touch(triple)
        self._new.get((s, p), {}).pop(o, None)
        self._new_into.get((p, o), {}).pop(s, None)
        self._gone.add(triple)

    def _touch(self, triple: Triple) -> None:
        self._layered.add(triple[0])
        self._layered_into.add(triple[2])
