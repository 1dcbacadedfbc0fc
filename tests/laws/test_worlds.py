"""Laws of worlds that change: SPARQL as Oxigraph means it, Verdicts as of the facts, no mixture of versions."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from threading import Event, Thread

import pyoxigraph as ox
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from app.authoring.plans import judge_texts
from app.model import Text, Triple
from app.vocab import IDENTIFIER, TYPE, mmm
from app.world import Queries, World
from app.world.blank import skolemized
from app.world.described import described_in
from app.world.effects import effective, sought, stated
from app.world.making import own_quads
from app.world.sparql import read_update
from app.world.store import Change, Store
from app.world.terms import as_stored, in_graph, to_rdf, to_subject
from app.world.view import View
from tests.laws.test_verdicts import domain, what_was_found
from tests.stores import BASE, NOW, canonical, commit, on_disk, queries_in
from tests.worlds import BASE as WORLDS
from tests.worlds import Sketch, iri, sketches, statement

LAW = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@pytest.fixture(scope="module")
def queries(folder: Path) -> Iterator[Queries]:
    with queries_in(folder) as opened:
        yield opened


# Updates

NODES = [f"<{BASE}{name}>" for name in "abc"]
PREDICATES = [f"<{BASE}{name}>" for name in "pq"]
VALUES = [*NODES, "1", "01", "2.50", "2.5", '"x"', '"x"@en', '"}"', "true"]
FACTS = st.lists(st.tuples(*map(st.sampled_from, (NODES, PREDICATES, VALUES))), max_size=8)
VARIABLES = ["?x", "?y", "?z"]


def data(triples: list[tuple[str, ...]]) -> str:
    return " ".join(f"{s} {p} {o} ." for s, p, o in triples)


@st.composite
def operations(draw: st.DrawFn, *, only_data: bool) -> str:
    """One operation; what follows `INSERT` or in `{` may stand in GRAPH, which Oxigraph's own dataset has not."""
    kind = draw(
        st.sampled_from(
            ("insert", "delete") if only_data else ("insert", "delete", "modify", "modify", "where", "clear")
        )
    )
    if kind in {"insert", "delete"}:
        return f"{kind.upper()} DATA {{ {data(draw(FACTS))} }}"
    if kind == "clear":
        return "CLEAR DEFAULT"
    some = st.lists(
        st.tuples(
            *map(st.sampled_from, (NODES + VARIABLES, PREDICATES + VARIABLES[2:], [*VALUES, *VARIABLES, *VARIABLES]))
        ),
        min_size=1,
        max_size=2,
    )
    pattern = data(draw(some))
    if kind == "where":
        return f"DELETE WHERE {{ {pattern} }}"
    end = draw(
        st.sampled_from(
            ("", "OPTIONAL { ?y ?z ?x }", "FILTER(?x != 1)", "{ ?x ?y ?z } UNION { ?z ?x 1 }", "VALUES ?y { 2.500 }")
        )
    )
    gone, come = data(draw(some)), data(draw(some))
    form = draw(st.sampled_from(("DELETE {{ {0} }} INSERT {{ {1} }}", "INSERT {{ {1} }}", "DELETE {{ {0} }}")))
    return f"{form.format(gone, come)} WHERE {{ {pattern} {end} }}"


def in_noise(text: str, random: Random) -> str:
    """The same with comments, spaces, and GRAPH around what belongs to the world."""
    for mark, other in (
        (" DATA {", " DATA # } ;\n{"),
        ("INSERT {", "INSERT\t{"),
        ("WHERE {", "where\n{"),
        (" .", "\n."),
    ):
        if random.random() < 0.3:
            text = text.replace(mark, other)
    return text


def by_oxigraph(facts: set[ox.Triple], texts: list[str]) -> set[str]:
    store = ox.Store()
    store.extend(ox.Quad(*triple) for triple in facts)
    for text in texts:
        store.update(text, base_iri=BASE)
    return canonical(quad.triple for quad in store)


def start(folder: Path, facts: list[tuple[str, ...]]) -> tuple[set[ox.Triple], Store]:
    triples = {quad.triple for quad in ox.parse(data(facts).encode(), ox.RdfFormat.TURTLE)}
    store = Store.in_memory(BASE)
    store.opened.extend(in_graph(triple, store.graph) for triple in triples)
    return triples, store


@settings(LAW, max_examples=150)
@given(FACTS, st.lists(operations(only_data=True), min_size=1, max_size=4), st.integers(0, 2**32))
def test_data_updates_do_what_oxigraph_does(facts: list[tuple[str, ...]], texts: list[str], seed: int) -> None:
    """INSERT DATA and DELETE DATA, read by us, one update after another or in one."""
    triples, store = start(Path(), facts)
    whole = in_noise(" ; ".join(texts), Random(seed))
    update = read_update(whole, BASE)
    assert update.is_data
    commit(store, stated(update, store))
    assert canonical(store.triples()) == by_oxigraph(triples, texts)


@pytest.fixture(scope="module")
def reused(folder: Path) -> Store:
    return on_disk(folder)


@settings(LAW, max_examples=40)
@given(FACTS, st.lists(operations(only_data=False), min_size=1, max_size=3), st.integers(0, 2**32))
def test_updates_with_where_do_what_oxigraph_does(
    reused: Store, queries: Queries, facts: list[tuple[str, ...]], texts: list[str], seed: int
) -> None:
    """Evaluated by the child on a checkpoint, then laid over the store as a change."""
    triples, _ = start(Path(), facts)
    reused.opened.update(f"CLEAR SILENT GRAPH <{BASE}>")
    reused.opened.extend(in_graph(triple, reused.graph) for triple in triples)
    change = sought(in_noise(" ; ".join(texts), Random(seed)), reused, queries)
    event(f"{len(change.removed)} removed, {len(change.added)} added"[:24])
    assert change == effective(change, reused)
    commit(reused, change)
    assert canonical(reused.triples()) == by_oxigraph(triples, texts)


# Verdicts


class Changing:
    """A World on disk, and the facts that it must have."""

    def __init__(self, folder: Path, sketch: Sketch) -> None:
        self.facts = set(rdf(sketch.triples))
        store = on_disk(folder, self.facts, WORLDS)
        store.opened.extend(own_quads(store))
        self.world = World(described_in(View(store), WORLDS), store, domain())

    def change(self, removed: set[ox.Triple], added: set[ox.Triple]) -> None:
        change = Change(frozenset((removed - added) & self.facts), frozenset(added - self.facts))
        store = self.world.store
        entry = store.newest.after(NOW, "law", "test", len(change.added), len(change.removed), change.digest)
        self.world.change(change, entry, self.world.m_instance)
        self.facts = (self.facts - change.removed) | change.added

    def anew(self) -> World:
        """A World that never was another."""
        terms = self.world.store.terms
        return World.of([terms.triple(triple) for triple in self.facts], domain())


def rdf(triples: tuple[Triple, ...]) -> list[ox.Triple]:
    found = (ox.Triple(to_subject(s), ox.NamedNode(p), to_rdf(o)) for s, p, o in triples)
    return as_stored(skolemized(found, WORLDS))


def drawn_change(
    sketch: Sketch, other: Sketch, facts: set[ox.Triple], random: Random
) -> tuple[set[ox.Triple], set[ox.Triple]]:
    """Some facts go, some of another World of the same names come; what an entity is stays."""
    kept = {TYPE, IDENTIFIER}
    may_go = sorted((t for t in facts if t.predicate.value not in kept), key=str)
    may_come = sorted((t for t in rdf(other.triples) if t.predicate.value not in kept), key=str)
    removed = set(random.sample(may_go, min(len(may_go), random.randint(0, 4))))
    return removed, set(random.sample(may_come, min(len(may_come), random.randint(0, 4))))


@settings(LAW, max_examples=25)
@given(sketches(), sketches(), st.integers(0, 2**32))
def test_after_any_changes_verdicts_are_those_of_the_facts(
    folder: Path, sketch: Sketch, other: Sketch, seed: int
) -> None:
    """Slices and walks that a change makes untrue are dropped: a World asked between changes is as one made anew."""
    random = Random(seed)
    changing = Changing(folder, sketch)
    texts = [statement(sketch, random) for _ in range(6)]
    for _ in range(4):
        found = judge_texts(enumerate(texts), changing.world, domain()).verdicts
        expected = judge_texts(enumerate(texts), changing.anew(), domain()).verdicts
        assert list(map(what_was_found, found)) == list(map(what_was_found, expected)), texts
        changing.change(*drawn_change(sketch, other, changing.facts, random))
        texts = [*texts[2:], *(statement(sketch, random) for _ in range(2))]
    assert set(changing.world.store.triples()) == changing.facts


def test_readers_never_see_a_mixture_of_two_versions(folder: Path) -> None:
    """In every version the Ball has one owner who alone may enter the place where it is: one move is Ack, whoever
    owns it, and the other is not. A mixture would allow both or neither.
    """
    names = ("Ann", "Bob")
    facts: list[Triple] = [(WORLDS, TYPE, mmm("MInstance")), (WORLDS, IDENTIFIER, Text("Worlds"))]
    for name, kind in (
        ("Ann", "User"),
        ("Bob", "User"),
        ("Hall", "MLocation"),
        ("Nook", "MLocation"),
        ("Ball", "ThreeDModelObject"),
    ):
        facts += [(iri(name), TYPE, mmm(kind)), (iri(name), IDENTIFIER, Text(name))]
    owned = [(iri(thing), mmm("owner")) for thing in ("Ball", "Hall", "Nook")]

    def owner(name: str) -> set[ox.Triple]:
        return set(rdf(tuple((s, p, iri(name)) for s, p in owned)))

    sketch = Sketch((*facts, *((s, p, iri("Ann")) for s, p in owned), (iri("Ball"), mmm("at"), iri("Hall"))), {})
    changing = Changing(folder, sketch)
    texts = [f"{name} MM-Moves Ball From Hall To Nook" for name in names]
    ended = Event()
    seen: list[tuple[str, ...]] = []
    failed: list[BaseException] = []

    def read() -> None:
        try:
            while not ended.is_set():
                verdicts = judge_texts([(0, texts[0])], changing.world, domain()).verdicts
                both = judge_texts(enumerate(texts), changing.world, domain()).verdicts
                seen.append(tuple(str(v.status) for v in both))
                assert verdicts[0].status is not None
        except BaseException as error:
            failed.append(error)

    readers = [Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for number in range(60):
        before, after = names[number % 2], names[(number + 1) % 2]
        changing.change(owner(before), owner(after))
    ended.set()
    for reader in readers:
        reader.join()
    assert not failed, failed[0]
    assert set(seen) <= {("Ack", "InsRights"), ("InsRights", "Ack")}, set(seen)
    assert len(seen) > 30
    assert changing.world.store.newest.number == 60
