"""The facts of an M-Instance, read as frozen slices, and changed whole or not at all (DESIGN 4, SEMANTICS 1).

Many threads read while one changes. A reader takes slices from memory, or from the store, and looks at the number of
the change before and after: where that differs, what it gathered may belong to two versions, and it gathers anew.

A World reads the facts by one Domain, for good. When other releases of its packs are activated, another World reads
the same facts; who began with the first goes on with it, and sees every change as well.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha256
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Final, Self
from weakref import WeakSet

import pyoxigraph as ox

from app.evaluate import Names
from app.evaluate.wording import encode
from app.facts import Slice
from app.knowledge import from_rdf
from app.model import Layer, Term, Triple
from app.rules import Domain
from app.situation import Needs, Situation, Walked, gather
from app.vocab import DAC, IDENTIFIER
from app.world import log
from app.world.blank import skolemized
from app.world.described import MInstance, describe
from app.world.store import Change, Store
from app.world.terms import in_graph, to_rdf, to_subject

INTO_LIMIT: Final = 1_000
"""Entities read that point at one entity by one predicate; more is a bound reached (DESIGN 4)."""

SLICE_LIMIT: Final = 200_000
"""Slices kept ready; the least recently used go first."""

LOOKED_THROUGH: Final = 50_000
"""Identifiers looked through to complete one."""

WALK_LIMIT: Final = 50_000
"""Walks from one entity kept ready; beyond it all are walked anew."""

_TRIES: Final = 3
"""Times a Situation is gathered anew because the World changed meanwhile; then changes wait for it."""


class _Held:
    """What all Worlds that read one M-Instance's facts share."""

    def __init__(self, m_instance: MInstance, store: Store) -> None:
        self.m_instance = m_instance
        self.store = store
        self.kept = Lock()
        self.changing = Lock()
        self.changes = 0  # odd while a change is being made
        self.readers: WeakSet[World] = WeakSet()


class World:
    """One M-Instance's facts, read by one Domain. Thread-safe."""

    def __init__(self, m_instance: MInstance, store: Store, domain: Domain, beside: World | None = None) -> None:
        self._held: _Held = _Held(m_instance, store) if beside is None else beside._held
        self._kept, self._changing = self._held.kept, self._held.changing
        self.domain = domain
        self._inverses = tuple((p, narrower(p, domain)) for p in sorted(domain.inverses))
        self._slices: OrderedDict[str, Slice] = OrderedDict()
        self._walked: Walked = {}
        with self._kept:
            self._name()
            self._held.readers.add(self)

    def under(self, domain: Domain) -> World:
        """The same facts, read by another Domain."""
        return self if domain is self.domain else World(self.m_instance, self.store, domain, beside=self)

    @classmethod
    def of(cls, triples: Iterable[Triple], domain: Domain) -> Self:
        """A World in memory from its facts. Raises PackError where they describe no M-Instance.

        Its version is a digest of the facts, so that the same facts have the same version and order.
        """
        facts = list(triples)
        m_instance = describe(facts)
        store = Store.in_memory(m_instance.base)
        rdf = (ox.Triple(to_subject(s), ox.NamedNode(p), to_rdf(o)) for s, p, o in facts)
        change = Change(frozenset(), frozenset(skolemized(rdf, m_instance.base)))
        store.opened.extend(in_graph(triple, store.graph) for triple in change.added)
        store.opened.extend(own_iris(change.added, m_instance.base))
        store.newest = log.NOTHING.after(log.NOTHING.time, "", "", len(change), 0, change.digest)
        return cls(m_instance, store, domain)

    @cached_property
    def knowledge_digest(self) -> str:
        """Equal Knowledge has equal digests."""
        return sha256("\n".join(sorted(map(str, self.domain.knowledge.closure.facts))).encode()).hexdigest()

    @property
    def m_instance(self) -> MInstance:
        """The M-Instance as the facts describe it."""
        return self._held.m_instance

    @property
    def store(self) -> Store:
        """Where the facts are; another generation once they are replaced."""
        return self._held.store

    @property
    def version(self) -> str:
        """The version of the facts as they are."""
        return self._held.store.version

    def situation(self, needs: Needs) -> Situation:
        """What the needs reach, complete or cut loudly, all of one version."""
        for _ in range(_TRIES):
            before, version, walked = self._held.changes, self.version, self._walked
            if before % 2 == 0:
                try:
                    found = gather(needs, self.domain, self.slice_of, version, walked)
                except OSError:  # the generation it read was replaced
                    if before == self._held.changes:
                        raise
                    continue
                if before == self._held.changes:
                    return found
            else:
                with self._changing:  # wait for the change under way
                    pass
        with self._changing:
            return gather(needs, self.domain, self.slice_of, self.version, self._walked)

    def slice_of(self, entity: str) -> Slice:
        """All that is said of an entity, and what points at it by the predicates that rules walk backwards."""
        with self._kept:
            found = self._slices.get(entity)
            if found is not None:
                self._slices.move_to_end(entity)
                return found
            before = self._held.changes
        made = self._read(entity)
        with self._kept:
            if before == self._held.changes:
                self._slices[entity] = made
                if len(self._slices) > SLICE_LIMIT:
                    self._slices.popitem(last=False)
                if len(self._walked) > WALK_LIMIT:
                    self._walked = {}
        return made

    def user_of(self, session_id: str) -> str | None:
        """The User of a session that the World states (SEMANTICS 2)."""
        graph, opened = self.store.graph, self.store.opened
        said = opened.quads_for_pattern(None, ox.NamedNode(DAC + "sessionID"), ox.Literal(session_id), graph)
        for session in (quad.subject for quad in said):
            for user in opened.quads_for_pattern(session, ox.NamedNode(DAC + "user"), None, graph):
                return str(self.store.terms.ours(user.object))
        return None

    def identifiers(self, begun: str, most: int) -> list[str]:
        """Identifiers that begin so, a part of the world's where it is large: for completion."""
        named = self.store.opened.quads_for_pattern(None, ox.NamedNode(IDENTIFIER), None, self.store.graph)
        said = (q.object.value for q in islice(named, LOOKED_THROUGH) if isinstance(q.object, ox.Literal))
        return sorted(islice((name for name in said if name.lower().startswith(begun.lower())), most))

    def change(self, change: Change, entry: log.Entry, described: MInstance) -> None:
        """Make a change: readers see the facts before it or those after it, never some of each."""
        own, gone = own_iris(change.added, self.store.base), own_iris(change.removed, self.store.base)
        terms = self.store.terms
        touched = {str(terms.ours(node)) for node in subjects_and_objects(change)}
        with self._changing:
            self._begin()
            try:
                self.store.commit(change, own, gone, entry)
                self._held.m_instance = described
            finally:
                self._finish(touched, named=bool(own or gone))

    def replace(self, store: Store, described: MInstance) -> None:
        """Read another generation from now on."""
        with self._changing:
            self._begin()
            self._held.store, self._held.m_instance = store, described
            self._finish(None)

    def checkpoint(self, folder: Path) -> str:
        """Make a copy of the store by hard links, and say which version it is."""
        with self._changing:
            self.store.opened.backup(str(folder))
            return self.version

    @contextmanager
    def exclusive(self) -> Iterator[Store]:
        """The store while nobody changes it."""
        with self._changing:
            yield self.store

    def forget(self) -> None:
        """Drop every slice: the next reads go to the store (what a benchmark calls cold)."""
        with self._kept:
            self._slices.clear()
            self._walked = {}

    def _begin(self) -> None:
        with self._kept:
            self._held.changes += 1

    def _finish(self, touched: set[str] | None, *, named: bool = True) -> None:
        """Have every reader drop what a change has made untrue; None stands for everything. `named`: entities with
        IRIs of their own have come or gone.
        """
        with self._kept:
            for reader in self._held.readers:
                reader._drop(touched)
                if named:
                    reader._name()
            self._held.changes += 1

    def _drop(self, touched: set[str] | None) -> None:
        if touched is None:
            self._slices.clear()
            self._walked = {}
            return
        for entity in touched:
            self._slices.pop(entity, None)
        kept = {key: found for key, found in self._walked.items() if not _any_in(touched, found)}
        self._walked = kept  # another dict: a reader of before the change may still write into the old one

    def _name(self) -> None:
        self.names = Names(self.m_instance.base, self.domain.knowledge, log.own_iris(self.store.opened))

    def _read(self, entity: str) -> Slice:
        store = self.store
        try:
            node = store.terms.node(entity)
        except ValueError:  # a name that no IRI can be made of names nothing
            return Slice(entity, Layer.WORLD, {})
        ours = store.terms.ours
        facts: list[tuple[str, Term]] = [
            (str(from_rdf(quad.predicate)), ours(quad.object))
            for quad in store.opened.quads_for_pattern(node, None, None, store.graph)
        ]
        into: dict[str, tuple[str, ...]] = {}
        cut: set[str] = set()
        for p, predicates in self._inverses:
            quads = (q for each in predicates for q in store.opened.quads_for_pattern(None, each, node, store.graph))
            found = sorted({str(ours(quad.subject)) for quad in islice(quads, INTO_LIMIT + 1)})
            if len(found) > INTO_LIMIT:
                cut.add(p)
                found.pop()
            if found:
                into[p] = tuple(found)
        schema = self.domain.knowledge.schema
        return Slice.of(entity, Layer.WORLD, sorted(facts, key=str), into, schema, frozenset(cut))


def own_iris(triples: Iterable[ox.Triple], base: str) -> list[ox.Quad]:
    """What the log holds of entities whose operator chose another IRI than the base and the identifier."""
    return [
        log.own_iri(s, o.value)
        for s, p, o in triples
        if p.value == IDENTIFIER
        and isinstance(s, ox.NamedNode)
        and isinstance(o, ox.Literal)
        and s.value not in (base, encode(base, o.value))
    ]


def subjects_and_objects(change: Change) -> set[ox.NamedNode]:
    """The nodes that a change says something of, or points at."""
    both = (*change.removed, *change.added)
    nodes = [node for triple in both for node in (triple.subject, triple.object)]
    return {node for node in nodes if isinstance(node, ox.NamedNode)}


def _any_in(entities: set[str], found: Mapping[str, Slice]) -> bool:
    return any(entity in found for entity in entities)


def narrower(predicate: str, domain: Domain) -> tuple[ox.NamedNode, ...]:
    """A predicate with all below it: a fact of a narrower one is one of the wider."""
    wider = domain.knowledge.schema.superproperties
    return tuple(ox.NamedNode(p) for p in (predicate, *sorted(p for p, above in wider.items() if predicate in above)))
