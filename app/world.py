"""The facts of an M-Instance: held by Oxigraph, one named graph each, read as frozen slices (DESIGN 4, SEMANTICS 1).

Each entity's IRI is the M-Instance's base + its identifier percent-encoded; the base names the graph.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from threading import Lock

import pyoxigraph as ox

from app.errors import Code, Fault, PackError
from app.evaluate import Names
from app.evaluate.wording import encode
from app.facts import Slice
from app.knowledge import from_rdf, read_turtle
from app.model import Layer, Term, Text, Triple
from app.rules import Domain
from app.situation import Needs, Situation, Walked, gather
from app.vocab import DAC, IDENTIFIER, M_INSTANCE, MMM, TYPE

INTO_LIMIT = 1_000
"""Entities read that point at one entity by one predicate; more is a bound reached (DESIGN 4)."""

SLICE_LIMIT = 200_000
"""Slices kept ready; the least recently used go first."""


WALK_LIMIT = 50_000
"""Walks from one entity kept ready; beyond it all are walked anew."""


@dataclass(frozen=True, slots=True)
class MInstance:
    """An M-Instance as its World describes it."""

    identifier: str
    base: str
    packs: tuple[str, ...]
    u_environments: frozenset[str]


class World:
    """One M-Instance's facts. Thread-safe: slices are frozen, the store is its own guard."""

    def __init__(
        self, m_instance: MInstance, store: ox.Store, domain: Domain, version: str, own_iris: Mapping[str, str]
    ) -> None:
        self.m_instance = m_instance
        self.version = version
        self.names = Names(m_instance.base, domain.knowledge, own_iris)
        self._store = store
        self._graph = ox.NamedNode(m_instance.base)
        self._domain = domain
        self._inverses = tuple((p, _narrower(p, domain)) for p in sorted(domain.inverses))
        self._slices: OrderedDict[str, Slice] = OrderedDict()
        self._walked: Walked = {}
        self._lock = Lock()

    @classmethod
    def of(cls, triples: Iterable[Triple], domain: Domain) -> World:
        """A World in memory from its facts. Raises PackError where they describe no M-Instance.

        Blank nodes get their canonical names (RDFC-1.0), so that the same facts have the same version and order.
        """
        facts = list(triples)
        m_instance = describe(facts)
        graph = ox.NamedNode(m_instance.base)
        dataset = ox.Dataset(ox.Quad(to_subject(s), ox.NamedNode(p), to_rdf(o), graph) for s, p, o in facts)
        dataset.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
        store = ox.Store()
        store.bulk_extend(dataset)
        digest = sha256("\n".join(sorted(map(str, dataset))).encode()).hexdigest()
        own_iris = {
            o.value: s
            for s, p, o in facts
            if p == IDENTIFIER
            and isinstance(o, Text)
            and s not in (m_instance.base, encode(m_instance.base, o.value))
        }
        return cls(m_instance, store, domain, digest[:12], own_iris)

    def situation(self, needs: Needs) -> Situation:
        """What the needs reach, complete or cut loudly."""
        return gather(needs, self._domain, self.slice_of, self.version, self._walked)

    def slice_of(self, entity: str) -> Slice:
        """All that is said of an entity, and what points at it by the predicates that rules walk backwards."""
        with self._lock:
            found = self._slices.get(entity)
            if found is not None:
                self._slices.move_to_end(entity)
                return found
        made = self._read(entity)
        with self._lock:
            self._slices[entity] = made
            if len(self._slices) > SLICE_LIMIT:
                self._slices.popitem(last=False)
            if len(self._walked) > WALK_LIMIT:
                self._walked.clear()
        return made

    def user_of(self, session_id: str) -> str | None:
        """The User of a session that the World states (SEMANTICS 2)."""
        said = self._store.quads_for_pattern(
            None, ox.NamedNode(DAC + "sessionID"), ox.Literal(session_id), self._graph
        )
        for session in (quad.subject for quad in said):
            users = self._store.quads_for_pattern(session, ox.NamedNode(DAC + "user"), None, self._graph)
            for user in users:
                return str(from_rdf(user.object))
        return None

    def forget(self) -> None:
        """Drop every slice: the next reads go to the store (what a benchmark calls cold)."""
        with self._lock:
            self._slices.clear()
            self._walked.clear()

    def _read(self, entity: str) -> Slice:
        try:
            node = to_subject(entity)
        except ValueError:  # a name that no IRI can be made of names nothing
            return Slice(entity, Layer.WORLD, {})
        facts = [
            (str(from_rdf(quad.predicate)), from_rdf(quad.object))
            for quad in self._store.quads_for_pattern(node, None, None, self._graph)
        ]
        into: dict[str, tuple[str, ...]] = {}
        cut: set[str] = set()
        for p, predicates in self._inverses:
            quads = (q for each in predicates for q in self._store.quads_for_pattern(None, each, node, self._graph))
            found = sorted({str(from_rdf(quad.subject)) for quad in islice(quads, INTO_LIMIT + 1)})
            if len(found) > INTO_LIMIT:
                cut.add(p)
                found.pop()
            if found:
                into[p] = tuple(found)
        return Slice.of(
            entity, Layer.WORLD, sorted(facts, key=str), into, self._domain.knowledge.schema, frozenset(cut)
        )


def _narrower(predicate: str, domain: Domain) -> tuple[ox.NamedNode, ...]:
    """A predicate with all below it: a fact of a narrower one is one of the wider."""
    wider = domain.knowledge.schema.superproperties
    return tuple(ox.NamedNode(p) for p in (predicate, *sorted(p for p, above in wider.items() if predicate in above)))


def describe(triples: Iterable[Triple]) -> MInstance:
    """The one M-Instance that some facts are about. Raises PackError where there is none, or more than one."""
    facts = list(triples)
    bases = [s for s, p, o in facts if p == TYPE and o == M_INSTANCE]
    if len(bases) != 1:
        message = f"a world describes one mmm:MInstance, found {len(bases)}"
        raise PackError(Fault(Code.WORLD_INCONSISTENT, message))
    base = bases[0]

    def texts(entity: str, predicate: str) -> Iterator[str]:
        return (o.value for s, p, o in facts if s == entity and p == predicate and isinstance(o, Text))

    identifier = next(texts(base, IDENTIFIER), "")
    environments = [o for s, p, o in facts if s == base and p == MMM + "uEnvironment" and isinstance(o, str)]
    return MInstance(
        identifier=identifier,
        base=base,
        packs=tuple(sorted(set(texts(base, DAC + "usesPack")) - {"core"})),
        u_environments=frozenset(name for e in environments for name in texts(e, IDENTIFIER)),
    )


def read_world(path: Path) -> list[Triple]:
    """The facts of a world file."""
    return list(read_turtle(path))


def to_subject(term: str) -> ox.NamedNode | ox.BlankNode:
    """A subject in the store's form."""
    return ox.BlankNode(term[2:]) if term.startswith("_:") else ox.NamedNode(term)


def to_rdf(term: Term) -> ox.NamedNode | ox.BlankNode | ox.Literal:
    """A term in the store's form; the inverse of knowledge.from_rdf up to the lexical form of numbers."""
    if isinstance(term, str):
        return to_subject(term)
    if isinstance(term, Text):
        return ox.Literal(term.value, language=term.lang) if term.lang else ox.Literal(term.value)
    if isinstance(term, tuple):
        return ox.Literal(term.lexical, datatype=ox.NamedNode(term.datatype))
    if hasattr(term, "isoformat"):
        return ox.Literal(term.isoformat(), datatype=ox.NamedNode("http://www.w3.org/2001/XMLSchema#dateTime"))
    integral = term == term.to_integral_value()
    kind = "integer" if integral else "decimal"
    lexical = str(int(term)) if integral else f"{term:f}"
    return ox.Literal(lexical, datatype=ox.NamedNode(f"http://www.w3.org/2001/XMLSchema#{kind}"))
