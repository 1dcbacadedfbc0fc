"""The shapes of three packs with domains of their own: their worlds keep them, and each is broken by one fact."""

from __future__ import annotations

import pyoxigraph as ox
import pytest

from app.rules import load
from app.world.shapes import Shapes
from app.world.terms import Terms
from tests.packs import EDITION, ROOT

WORLDS = {"virtual_lecture": "Academy", "museum_tour": "Museo", "car_showroom": "Motors"}
each_pack = pytest.mark.parametrize("pack", WORLDS)

# the pack, the facts taken away, those added, and the message that follows
BROKEN = {
    "a lecture held nowhere": ("virtual_lecture", "<Heart> dac:heldAt <Room1> .", "", "held at one M-Location"),
    "a lecture held at a User": (
        "virtual_lecture",
        "<Heart> dac:heldAt <Room1> .",
        "<Heart> dac:heldAt <Ben> .",
        "held at one M-Location",
    ),
    "a lecture of somebody else's": (
        "virtual_lecture",
        "<Heart> mmm:owner <Ada> .",
        "<Heart> mmm:owner <Mara> .",
        "to whom it belongs",
    ),
    "a fee that nothing settles": ("virtual_lecture", "<Fee-Ben> mmm:settledBy <Pay-Ben> .", "", "settled by one"),
    "a seat for two": ("virtual_lecture", "<Seat1> mmm:capacity 1 .", "<Seat1> mmm:capacity 2 .", "a seat takes one"),
    "an exhibit of nobody's": ("museum_tour", "<Harbour> mmm:owner <Olga> .", "", "has an owner"),
    "an exhibit on display and in storage": (
        "museum_tour",
        "",
        "<Harbour> dac:state museum_tour:InStorage .",
        "one at a time",
    ),
    "a young visitor alone": ("museum_tour", "<Tim> museum_tour:accompaniedBy <Vera> .", "", "comes with a User"),
    "a young visitor with another": (
        "museum_tour",
        "<Tim> museum_tour:accompaniedBy <Vera> .",
        "<Tim> museum_tour:accompaniedBy <Tim> .",
        "no young visitor",
    ),
    "a replica of nothing": ("museum_tour", "<RunnerCopy> museum_tour:copyOf <Runner> .", "", "copy of one exhibit"),
    "an offer of nothing": ("car_showroom", "<Offer-Star> mmm:derivedFrom <Star> .", "", "of one vehicle"),
    "a car kept for two": ("car_showroom", "", "<Luna> car_showroom:reservedFor <Carl> .", "kept for one User"),
    "an engine on and off": ("car_showroom", "", "<Zip> dac:state car_showroom:EngineOff .", "on or off"),
    "a used car without mileage": ("car_showroom", "<Bella> car_showroom:mileage 61000 .", "", "states its mileage"),
}


def found(pack: str, remove: str = "", add: str = "") -> list[str]:
    """The messages of the shapes for the pack's world, changed."""
    path = ROOT / "ontologies" / pack / "worlds" / f"{WORLDS[pack]}.ttl"
    text = path.read_text(encoding="utf-8")
    header = "\n".join(line for line in text.splitlines() if line.startswith(("@prefix", "@base")))
    header += "\n@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
    triples = dict.fromkeys(turtle(text))
    for triple in turtle(header + remove):
        assert triple in triples
        del triples[triple]
    triples.update(dict.fromkeys(turtle(header + add)))
    facts: dict[ox.NamedNode, list[ox.Triple]] = {}
    for triple in triples:
        if isinstance(triple.subject, ox.NamedNode) and not isinstance(triple.object, ox.BlankNode):
            facts.setdefault(triple.subject, []).append(triple)
    domain = load(EDITION, [pack])
    base = next(line.split("<")[1].split(">")[0] for line in text.splitlines() if line.startswith("@base"))
    shapes = Shapes(domain.knowledge.packs, domain.knowledge)
    return [result.message for result in shapes.check(facts, {}, Terms(base))]


def turtle(text: str) -> list[ox.Triple]:
    return [quad.triple for quad in ox.parse(text, format=ox.RdfFormat.TURTLE)]


@each_pack
def test_the_world_of_a_pack_keeps_its_shapes(pack: str) -> None:
    """And those of core."""
    assert found(pack) == []


@pytest.mark.parametrize("name", BROKEN)
def test_a_fact_that_breaks_a_shape_is_told(name: str) -> None:
    """With the message of that shape, and no other."""
    pack, remove, add, message = BROKEN[name]
    told = found(pack, remove, add)
    assert told
    assert [each for each in told if message not in each] == []


@each_pack
def test_every_shape_is_broken_by_a_case(pack: str) -> None:
    """Each message of the file is one that a case expects."""
    text = (ROOT / "ontologies" / pack / "shapes.ttl").read_text(encoding="utf-8")
    messages = [part.split('"')[1] for part in text.split("sh:message ")[1:]]
    expected = [message for each, _, _, message in BROKEN.values() if each == pack]
    assert [m for m in messages if not any(e in m for e in expected)] == []
