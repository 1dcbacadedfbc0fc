"""The index of facts: layers, what a plan lays over them, and what was never fetched."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.facts import DEPTH_LIMIT, BoundReached, Facts, OutsideSituation, Schema, Slice
from app.model import Effect, Layer, Term, Text, Triple
from app.vocab import SUB_CLASS, SUB_PROPERTY, TYPE

SCHEMA = Schema(
    superclasses={"Persona": ("Model", "Item"), "Model": ("Item",), "Stream": ("Item",)},
    superproperties={"nil": ("part",), "to": ("part",)},
)
INVERSES = frozenset({"part", "nil", "to", "within", TYPE})
KNOWN = {"Item": Slice("Item", Layer.KNOWLEDGE, {TYPE: ("Class",), "label": (Text("Item"),)})}


def facts_of(triples: Iterable[Triple], entities: Iterable[str] = (), cut: Iterable[str] = ()) -> Facts:
    """Each entity named is fetched, with what the schema infers."""
    known = list(triples)
    names = {*entities, *(s for s, _, _ in known), *(o for _, _, o in known if isinstance(o, str))} - set(KNOWN)
    inferred = [*known, *(t for triple in known for t, _ in SCHEMA.consequences(*triple))]
    slices = {
        name: Slice.of(
            name,
            Layer.WORLD,
            [(p, o) for s, p, o in known if s == name],
            {p: tuple(dict.fromkeys(s for s, q, o in inferred if (q, o) == (p, name))) for p in INVERSES},
            SCHEMA,
            frozenset(cut),
        )
        for name in names
    }
    return Facts(slices, vocabulary=KNOWN, schema=SCHEMA, inverses=INVERSES)


def test_a_fact_is_read_with_what_the_vocabulary_infers() -> None:
    """Superclasses and superproperties are there, with their premises; asserted facts have none."""
    facts = facts_of([("p", TYPE, "Persona"), ("s", "nil", "p")])
    assert facts.objects("p", TYPE) == ("Persona", "Model", "Item")
    assert facts.objects("s", "part") == ("p",)
    assert facts.value("s", "part") == "p"
    assert facts.value("s", "to") is None
    assert facts.holds("p", TYPE, "Item")
    assert facts.used(("p", TYPE, "Persona")).because == ()
    assert facts.used(("p", TYPE, "Item")).because == (("p", TYPE, "Persona"), ("Persona", SUB_CLASS, "Item"))
    assert facts.used(("s", "part", "p")).because == (("s", "nil", "p"), ("nil", SUB_PROPERTY, "part"))


def test_each_fact_knows_its_layer() -> None:
    """Knowledge, World, statement and plan are told apart."""
    facts = facts_of([("p", TYPE, "Persona")], ["q"])
    facts.state(Slice.of("step", Layer.STATEMENT, [("to", "p")], {}, SCHEMA))
    facts.lay(Effect(added=(("q", "to", "p"),)))
    assert facts.used(("Item", TYPE, "Class")).layer is Layer.KNOWLEDGE
    assert facts.used(("p", TYPE, "Persona")).layer is Layer.WORLD
    assert facts.used(("step", "part", "p")).layer is Layer.STATEMENT
    assert facts.used(("q", "to", "p")).layer is Layer.PLAN
    assert facts.used(("q", "part", "p")).because == (("q", "to", "p"), ("to", SUB_PROPERTY, "part"))


def test_a_literal_has_no_facts() -> None:
    """Walking on from a text finds nothing; nothing can be missing of it."""
    facts = facts_of([("m", "text", Text("hi"))])
    assert facts.objects(Text("hi"), "part") == ()


def test_what_was_not_fetched_is_not_absent() -> None:
    """Reading an entity, a direction or a vocabulary term's followers that is not held raises, and names it."""
    facts = facts_of([("p", "to", "q")])
    assert facts.objects("q", "to") == ()
    for read in (
        lambda: facts.objects("x", "to"),
        lambda: facts.subjects("to", "x"),
        lambda: facts.known("x"),
        lambda: facts.walk("x", "within", inverse=False, least=0),
        lambda: facts.lay(Effect(added=(("x", "to", "q"),))),
    ):
        with pytest.raises(OutsideSituation) as error:
            read()
        assert error.value.entity == "x"
    with pytest.raises(OutsideSituation):
        facts.subjects("label", "q")
    with pytest.raises(OutsideSituation):
        facts.subjects("to", Text("hi"))


def test_a_list_that_was_cut_is_not_read() -> None:
    """More entities point here than are fetched: a bound, not an answer."""
    facts = facts_of([("p", "to", "q")], cut=["to"])
    with pytest.raises(BoundReached):
        facts.subjects("to", "q")
    assert facts.subjects("nil", "q") == ()


def test_a_walk_goes_as_deep_as_the_limit() -> None:
    """p* begins with the start, p+ has it only in a cycle; one step more than the limit is a bound reached."""
    chain = [(f"p{i}", "within", f"p{i + 1}") for i in range(DEPTH_LIMIT + 1)]
    facts = facts_of(chain)
    assert facts.walk("p3", "within", inverse=False, least=0)[:2] == ("p3", "p4")
    assert facts.walk("p3", "within", inverse=False, least=1)[0] == "p4"
    assert facts.walk("p3", "within", inverse=True, least=1) == ("p2", "p1", "p0")
    assert len(facts.walk("p1", "within", inverse=False, least=1)) == DEPTH_LIMIT
    with pytest.raises(BoundReached):
        facts.walk("p0", "within", inverse=False, least=0)
    ring = facts_of([("a", "within", "b"), ("b", "within", "a")])
    assert ring.walk("a", "within", inverse=False, least=1) == ("b", "a")
    assert ring.walk("a", "within", inverse=False, least=0) == ("a", "b")


def test_a_chain_is_a_shortest_walk() -> None:
    """The facts a walk rests on, in order, in the direction in which they are stated."""
    facts = facts_of([("a", "within", "b"), ("b", "within", "c"), ("c", "within", "d"), ("a", "within", "c")])
    assert facts.chain("a", "within", "d", inverse=False) == (("a", "within", "c"), ("c", "within", "d"))
    assert facts.chain("d", "within", "a", inverse=True) == (("c", "within", "d"), ("a", "within", "c"))
    assert facts.chain("a", "within", "a", inverse=False) == ()
    assert facts.chain("d", "within", "a", inverse=False) == ()


def test_entities_are_those_with_facts() -> None:
    """The World's, then what the plan made; an entity fetched in vain is none."""
    facts = facts_of([("p", TYPE, "Persona")], ["new", "q"])
    assert (facts.entities(), facts.known("new"), facts.known("Item")) == (("p",), False, True)
    facts.lay(Effect(added=(("new", TYPE, "Stream"),)))
    assert (facts.entities(), facts.known("new")) == (("p", "new"), True)


def test_a_statement_takes_the_place_of_the_one_before() -> None:
    """Under the same name only the last statement is read."""
    facts = facts_of([("p", TYPE, "Persona"), ("q", TYPE, "Persona")])
    facts.state(Slice.of("step", Layer.STATEMENT, [("to", "p"), ("nil", "q")], {}, SCHEMA))
    assert facts.objects("step", "to") == ("p",)
    facts.state(Slice.of("step", Layer.STATEMENT, [("to", "q")], {}, SCHEMA))
    assert (facts.objects("step", "to"), facts.objects("step", "nil")) == (("q",), ())
    assert facts.objects("step", "part") == ("q",)


def test_a_fork_does_not_see_what_is_laid_on_the_other() -> None:
    """Neither way, though both have read before."""
    facts = facts_of([("a", "to", "b")], ["c"])
    assert facts.objects("a", "part") == ("b",)
    twin = facts.fork()
    twin.lay(Effect(added=(("a", "to", "c"),), removed=(("a", "to", "b"),)))
    assert (facts.objects("a", "part"), twin.objects("a", "part")) == (("b",), ("c",))
    facts.lay(Effect(removed=(("a", "to", "b"),)))
    assert (facts.objects("a", "part"), twin.objects("a", "to")) == ((), ("c",))
    assert (facts.subjects("part", "b"), twin.subjects("part", "c")) == ((), ("a",))


NAMES = ("a", "b", "c")
ASSERTED = st.one_of(
    st.tuples(st.sampled_from(NAMES), st.just(TYPE), st.sampled_from(("Persona", "Model", "Stream", "Item"))),
    st.tuples(st.sampled_from(NAMES), st.sampled_from(("nil", "to", "part", "within")), st.sampled_from(NAMES)),
)
"""Facts, some of which others imply."""
MANY = st.lists(ASSERTED, max_size=6)


def read_all(facts: Facts) -> dict[str, set[tuple[Term, ...]]]:
    """Every fact of every name, in both directions."""
    predicates = ("nil", "to", "part", "within", TYPE)
    return {
        "out": {(s, p, o) for s in NAMES for p in predicates for o in facts.objects(s, p)},
        "into": {(s, p, o) for o in NAMES for p in predicates for s in facts.subjects(p, o)},
    }


def changed(triples: Iterable[Triple], effects: Iterable[Effect]) -> list[Triple]:
    """The asserted facts after some effects, each removal before the additions beside it."""
    left = dict.fromkeys(triples)
    for effect in effects:
        for triple in effect.removed:
            left.pop(triple, None)
        left.update(dict.fromkeys(effect.added))
    return list(left)


@settings(deadline=None, max_examples=300, database=None, suppress_health_check=list(HealthCheck))
@given(MANY, st.lists(st.tuples(MANY, MANY), max_size=3), st.booleans())
def test_facts_with_effects_are_the_facts_they_leave(
    triples: list[Triple], changes: list[tuple[list[Triple], list[Triple]]], read_between: bool
) -> None:
    """What is laid over facts reads as if the remaining facts had been there from the start, inferred ones too."""
    facts = facts_of(triples, NAMES)
    effects = [Effect(added=tuple(added), removed=tuple(removed)) for removed, added in changes]
    for effect in effects:
        if read_between:
            read_all(facts)
        facts.lay(effect)
    assert read_all(facts) == read_all(facts_of(changed(triples, effects), NAMES))


IMPLIED = [
    pytest.param(
        [("a", TYPE, "Persona")],
        Effect(removed=(("a", TYPE, "Model"),)),
        id="what another fact implies is not taken away",
    ),
    pytest.param(
        [("a", "nil", "b"), ("a", "part", "b")],
        Effect(removed=(("a", "nil", "b"),)),
        id="what is stated as well as implied stays when what implied it goes",
    ),
    pytest.param(
        [("a", "nil", "b"), ("a", "to", "b")],
        Effect(removed=(("a", "nil", "b"), ("a", "to", "b"))),
        id="what two facts imply goes with the second",
    ),
    pytest.param([("a", "nil", "b")], Effect(added=(("a", "part", "b"),)), id="what was implied may be stated"),
]


@pytest.mark.parametrize("triples, effect", IMPLIED)
def test_of_facts_that_imply_each_other(triples: list[Triple], effect: Effect) -> None:
    """Stated facts are taken away, inferred ones follow."""
    facts = facts_of(triples, NAMES)
    facts.lay(effect)
    assert read_all(facts) == read_all(facts_of(changed(triples, [effect]), NAMES))
