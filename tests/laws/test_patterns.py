"""Compiled patterns give the rows that Oxigraph gives for the same text over the whole World (DESIGN 5)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.facts import BoundReached, Facts, OutsideSituation, Slice
from app.model import Layer, Term
from app.rules import Domain, load
from app.rules.compiler import Compiled
from app.rules.files import action_iri
from app.rules.functions import FUNCTIONS
from app.situation import Situation
from app.vocab import CLAIMS_FINAL, TYPE, mmm
from app.world import World
from tests import oracle
from tests.oracle import Oracle, Row
from tests.worlds import ACTIONS, NEW, Sketch, iri, sketches

ROOT = Path(__file__).resolve().parents[2]
BINDINGS = 12
"""Values tried of the pre-bound variables in each World."""
STEP = "urn:step"


@cache
def domain() -> Domain:
    return load(ROOT / "rules", ROOT / "ontologies", [])


@cache
def the_oracle() -> Oracle:
    return Oracle.of(domain())


@dataclass(frozen=True)
class Shipped:
    """A pattern of a file: its text, and what the loader made of it."""

    id: str
    text: str
    compiled: Compiled


def shipped() -> Iterator[Shipped]:
    """Every pattern of rules/: rules, Repairs, needs, effects and names of what is made."""
    for path in sorted((ROOT / "rules").rglob("*.toml")):
        members: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        kind, stem = path.parent.name, path.stem
        texts: list[tuple[str, str, Compiled | None]] = []
        if kind == "pa_status":
            rule = domain().rules[stem]
            texts.append((stem, members.get("when", ""), rule.pattern))
            for i, repair in enumerate(members.get("repair", ())):
                texts.append((f"{stem}-repair-{i}", repair.get("when", ""), rule.repairs[i].when))
        elif kind == "needs":
            texts.append((f"need-{stem}", members.get("about", ""), domain().needs[stem].about))
        else:
            action = domain().actions[members["name"]]
            texts.append((f"{stem}-made", members.get("made", {}).get("when", ""), action.made_when))
            for i, effect in enumerate(members.get("effect", ())):
                texts.append((f"{stem}-effect-{i}", effect.get("when", ""), action.effects[i].when))
        for name, text, compiled in texts:
            assert bool(text) == (compiled is not None), name
            if compiled is not None:
                yield Shipped(name, text, compiled)


SHIPPED = list(shipped())


def whole(sketch: Sketch, step: Slice) -> Facts:
    """Every entity of the World, fetched."""
    world = World.of(sketch.triples, domain())
    entities = {s for s, _, _ in sketch.triples} | {o for _, _, o in sketch.triples if isinstance(o, str)}
    entities |= {iri(name) for name in (*sketch.all_names(), *NEW)}
    slices = {entity: world.slice_of(entity) for entity in entities if entity not in domain().vocabulary}
    facts = Situation(slices, world.version).facts(domain())
    facts.state(step)
    return facts


def a_step(sketch: Sketch, random: Random) -> Slice:
    """Some Process Action as facts."""
    pools = {
        "Nil": (*sketch.iris("item", "item", "message"), iri(NEW[0])),
        "At": sketch.iris("place", "u_location"),
        "From": sketch.iris("place"),
        "To": sketch.iris("place"),
        "With": sketch.iris("stream", "attitude", "rights"),
    }
    facts: list[tuple[str, Term]] = [(TYPE, mmm("ProcessAction"))]
    for part, pool in pools.items():
        if pool and random.random() < 0.7:
            facts.append((mmm("complement" + part), random.choice(pool)))
    if random.random() < 0.3:
        facts.append((CLAIMS_FINAL, random.choice(sketch.iris("rights", "transaction"))))
    return Slice.of(STEP, Layer.STATEMENT, facts, {}, domain().knowledge.schema)


SORTS_OF = {
    "actor": ("user",),
    "item": ("item", "item", "item", "message", "data", "place", "user"),
    "to": ("place",),
    "from": ("place",),
    "at": ("place", "u_location"),
    "place": ("place",),
    "target": ("place", "item", "u_location", "rights", "transaction"),
    "profile": ("profile", "user"),
    "transaction": ("transaction", "user"),
    "right": ("rights",),
    "rights": ("rights",),
}
"""What a pre-bound variable is likely to stand for; any other, for anything."""


def some_values(shipped: Shipped, sketch: Sketch, random: Random) -> dict[str, Term]:
    found: dict[str, Term] = {}
    for name in shipped.compiled.parameters:
        if name == "step":
            found[name] = STEP
        elif name == "action":
            found[name] = action_iri(random.choice(ACTIONS[:2] if random.random() < 0.7 else ACTIONS))
        else:
            sorts = SORTS_OF.get(name)
            pool = sketch.iris(*sorts) if sorts else tuple(iri(each) for each in (*sketch.all_names(), *NEW))
            found[name] = random.choice(pool)
    return found


def compiled_rows(compiled: Compiled, facts: Facts, values: Mapping[str, Term]) -> set[Row]:
    rows = compiled.run(facts, *(values[name] for name in compiled.parameters))
    return {frozenset((n, v) for n, v in zip(compiled.outputs, row, strict=True) if v is not None) for row in rows}


@pytest.mark.parametrize("pattern", SHIPPED, ids=lambda pattern: pattern.id)
def test_a_shipped_pattern_gives_the_oracles_rows(pattern: Shipped) -> None:
    """In random Worlds, careful and wild, for random pre-bound values; and some of them have solutions."""
    solved: list[int] = []

    @settings(max_examples=20, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(sketches(), sketches(wild=True), st.randoms(use_true_random=False).map(lambda r: r.random()))
    def agree(careful: Sketch, wild: Sketch, seed: float) -> None:
        random = Random(seed)
        for sketch in (careful, wild):
            step = a_step(sketch, random)
            facts = whole(sketch, step)
            stated = [(STEP, p, o) for p, objects in step.out.items() for o in objects]
            the_oracle().world([*sketch.triples, *stated])
            for _ in range(BINDINGS):
                values = some_values(pattern, sketch, random)
                expected = the_oracle().rows(pattern.text, values, pattern.compiled.outputs)
                try:
                    found = compiled_rows(pattern.compiled, facts, values)
                except (BoundReached, OutsideSituation):
                    continue
                assert found == expected, (pattern.text, values)
                solved.append(len(found))

    agree()
    assert len(solved) > 100
    assert any(solved), "no World gave the pattern a solution"


def test_every_registered_function_in_use_is_one_the_oracle_has() -> None:
    """A function that the oracle lacks would give no rows there, and the comparison would mean nothing."""
    used = {name for name in FUNCTIONS for each in SHIPPED if name.split("#")[1] in each.text}
    assert used <= oracle.FUNCTIONS
    assert len(SHIPPED) > 40
