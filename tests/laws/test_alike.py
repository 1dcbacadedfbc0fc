"""A law of validation: looking at one node of each pattern finds what looking at each node by itself finds."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import pyoxigraph as ox
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from rdflib import Graph

from app.rules import Domain, load
from app.vocab import PREFIXES
from app.world.alike import Alike
from app.world.logic import Logic
from app.world.report import Result
from app.world.shapes import Shapes
from app.world.store import Store
from app.world.terms import Terms, in_graph
from app.world.validate import Validator
from app.world.view import Facts, View
from tests.packs import EDITION
from tests.stores import BASE

PACK = Path(__file__).parents[1] / "world" / "alike"
ALIKE = "https://w3id.org/domain-access/alike#"
START = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in {**PREFIXES, "": ALIKE, "w": BASE}.items())

TARGETS = "w:a a :A . w:a2 a :A . w:b a :B . w:c a :C . w:none a owl:Thing . "
NODES = (
    "w:a",
    "w:a2",
    "w:b",
    "w:c",
    "w:none",
    ":x",
    ":y",
    "w:itself",
    "<urn:x:star>",
    "<urn:x:one>",
    "<urn:x:other>",
)
VALUES = {
    ":small": ('"3"^^xsd:integer', '"9"^^xsd:integer', '"10"^^xsd:integer', '"300"^^xsd:integer', "-1", "2.5"),
    ":code": ('"ab"^^xsd:string', '"a b"', '"a:b"', '"ab"^^xsd:NCName', '"7"'),
    ":one": ("7", "7.0", "8", '"7"', '"x"^^xsd:integer', '"2020-01-01"^^xsd:date'),
    ":colour": ('"red"', '"green"', '"blue"@en', '"blue"@it', '"blue"', "3", '"3"^^xsd:byte'),
    "rdfs:range": (":A", "xsd:byte"),
    "owl:sameAs": ("w:a", "w:b", ":y"),
    ":from": ("1", "2", '"2020-01-01T00:00:00Z"^^xsd:dateTime', '"2021-01-01T00:00:00Z"^^xsd:dateTime'),
    ":until": ("1", "2", '"2020-06-01T00:00:00Z"^^xsd:dateTime', '"2020-06-01T01:00:00+01:00"^^xsd:dateTime'),
    ":note": ('"red"', '"Red"', '"green"', "3"),
    ":heading": ('"ab"', '"A"'),
    **dict.fromkeys((":single", ":other", ":like", ":best", ":held", ":tied"), NODES),
    "a": (":A", ":B", ":C", ":Red", ":Seven", "owl:Thing", "owl:Nothing"),
}  # fmt: skip
FACTS = st.sampled_from([(p, o) for p, values in VALUES.items() for o in values])
WORLDS = st.lists(st.lists(FACTS, min_size=1, max_size=5, unique=True), min_size=1, max_size=8)


@cache
def domain() -> Domain:
    return load(EDITION.with_placed("alike", PACK), ["alike"])


@cache
def validator() -> Validator:
    """One for all worlds: it remembers the patterns of all before."""
    return Validator(domain(), BASE)


@cache
def apart() -> tuple[Shapes, Logic]:
    return Shapes(domain().knowledge.packs, domain().knowledge), Logic(domain())


def store_of(nodes: list[list[tuple[str, str]]]) -> Store:
    said = "".join(
        f"w:n{i} {p} {o if o != 'w:itself' else f'w:n{i}'} . " for i, node in enumerate(nodes) for p, o in node
    )
    store = Store.in_memory(BASE)
    quads = ox.parse((START + TARGETS + said).encode(), ox.RdfFormat.TURTLE)
    store.opened.extend(in_graph(quad.triple, store.graph) for quad in quads)
    return store


def told(results: list[Result]) -> set[tuple[str, ...]]:
    """Focus, path, value and shape; of a contradiction who is contradicted, and by which rule."""
    return {
        (r.focus, r.shape, r.message.split(":")[0])
        if r.shape == "contradiction"
        else (r.focus, r.shape, r.path, str(r.value), r.message)
        for r in results
        if ":" in r.shape or r.shape == "contradiction"
    }


def one_by_one(store: Store) -> set[tuple[str, ...]]:
    view, (shapes, logic) = View(store), apart()
    results: list[Result] = []
    for node in {triple.subject for triple in store.triples()}:
        assert isinstance(node, ox.NamedNode)
        facts = {node: tuple(view.out(node))}
        pointed_at = {t.object for t in facts[node] if isinstance(t.object, ox.NamedNode)}
        types: Facts = {each: view.classes(each) for each in pointed_at}
        results += [*shapes.check(facts, types, Terms(BASE)), *logic.check(node, facts, types, view)]
    return told(results)


@settings(max_examples=150, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(WORLDS)
def test_one_node_of_each_pattern_stands_for_all(nodes: list[list[tuple[str, str]]]) -> None:
    store = store_of(nodes)
    found = told([result for _, results in validator().of_store(store) for result in results])
    assert found == one_by_one(store)
    assert found == told([result for _, results in validator().of_store(store) for result in results])
    event(f"{len({each[1] for each in found})} shapes and rules")


def test_the_law_is_not_idle() -> None:
    """Every constraint of the pack and all these rules are broken by some of the worlds; many nodes are alike."""
    every = [(p, o) for p, values in VALUES.items() for o in values]
    pairs = [[one, other] for one in every for other in every if one < other]
    rare = [
        [("a", ":B"), (":other", "w:b"), (":other", "w:itself")],
        [(":colour", '"red"'), (":note", '"red"')],
        [(":single", ":x"), (":single", ":y")],
        [(":single", "<urn:x:one>"), (":single", "<urn:x:other>")],
    ]
    nodes = [[(":other", "w:a")], *Random(1).sample(pairs, 600), *rare]
    assert validator()._alike.holds_for_shapes
    found = told([result for _, results in validator().of_store(store_of(nodes)) for result in results])
    assert found == one_by_one(store_of(nodes))
    broken = {shape.rsplit("#", 1)[-1].removesuffix("ConstraintComponent") for _, shape, *_ in found}
    values = {
        "Class",
        "Datatype",
        "Disjoint",
        "In",
        "LessThan",
        "MaxInclusive",
        "Not",
        "Pattern",
        "QualifiedMaxCount",
    }
    assert broken == values | {"Bees", "Equal", "contradiction"}
    rules = {each[2].rsplit(" ", 1)[-1].strip(")") for each in found if each[1] == "contradiction"}
    assert rules == {
        *("cax-adc", "cax-dw", "cls-nothing2", "dt-diff", "dt-not-type"),
        *("eq-diff1", "eq-diff2", "prp-asyp", "prp-irp", "prp-npa1"),
    }
    assert len(validator()._fine) < len(nodes) / 2


@pytest.mark.parametrize(
    "shape",
    [
        ":S sh:targetObjectsOf :like ; sh:property [ sh:path :one ; sh:minCount 1 ] .",
        ":S sh:targetClass :A ; sh:property [ sh:path [ sh:inversePath :like ] ; sh:minCount 1 ] .",
        ":S sh:targetClass :A ; sh:property [ sh:path ( :like :one ) ; sh:minCount 1 ] .",
        ":S sh:targetClass :A ; sh:property [ sh:path :like ; sh:property [ sh:path :one ; sh:minCount 1 ] ] .",
        ":S sh:targetClass :A ; sh:property [ sh:path :like ; sh:node :T ] . :T sh:property [ sh:path :one ] .",
        ":S sh:targetClass :A ; sh:pattern 'a$' .",
        ":S sh:targetClass :A ; sh:property [ sh:path :like ; sh:not [ sh:pattern 'a$' ] ] .",
        ":S sh:targetClass :A ; sh:closed true ; sh:ignoredProperties ( :like ) .",
        ":S sh:targetClass :A ; sh:sparql [ sh:select 'SELECT $this { $this ?p ?o . ?o ?q ?r }' ] .",
    ],
)
def test_shapes_that_look_further_are_run_on_each_node(shape: str) -> None:
    graph = Graph().parse(data=START + "@prefix sh: <http://www.w3.org/ns/shacl#> . " + shape, format="turtle")
    assert not Alike(domain(), graph).holds_for_shapes
