"""Compiled patterns give the rows that Oxigraph gives for the same text over the whole World (DESIGN 5)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from app.evaluate.bounds import CONTEXT
from app.facts import BoundReached, Facts, OutsideSituation, Schema, Slice
from app.model import Layer, Term, Triple
from app.rules import Domain, load
from app.rules.compiled import Compiled
from app.rules.files import action_iri
from app.rules.functions import FUNCTIONS, ExpressionError
from app.situation import Situation
from app.vocab import CLAIMS_FINAL, HELD_BY, PROCESS_ACTION, TYPE, dac, mmm
from app.world import World
from tests import oracle
from tests.oracle import Oracle, Row
from tests.packs import EDITION
from tests.patterns import GIVEN, NODES, Writer, accepted, graphs, small_facts
from tests.riches import TIMES, in_session, payments, rich_sketches
from tests.worlds import ACTIONS, BASE, NEW, Sketch, iri

ROOT = Path(__file__).resolve().parents[2]
BINDINGS = 8
"""Values tried of the pre-bound variables in each World."""
STEP = "urn:step"
LAW = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))


@cache
def domain() -> Domain:
    return load(EDITION, [])


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
            texts.append((f"{stem}-given", members.get("given", ""), rule.given))
            for i, repair in enumerate(members.get("repair", ())):
                texts.append((f"{stem}-repair-{i}", repair.get("when", ""), rule.repairs[i].when))
        elif kind == "payments":
            (payment,) = {p.name: p for ps in domain().payments.values() for p in ps if p.name == stem}.values()
            texts.append((f"payment-{stem}", members.get("when", ""), payment.pattern))
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


def whole(sketch: Sketch, stated: Iterable[Slice]) -> Facts:
    """Every entity of the World, fetched, and what the step and its session say."""
    world = World.of(sketch.triples, domain())
    entities = {s for s, _, _ in sketch.triples} | {o for _, _, o in sketch.triples if isinstance(o, str)}
    entities |= {iri(name) for name in (*sketch.all_names(), *NEW)}
    slices = {entity: world.slice_of(entity) for entity in entities if entity not in domain().vocabulary}
    facts = Situation(slices, world.version).facts(domain())
    for each in stated:
        facts.state(each)
    return facts


def a_step(sketch: Sketch, random: Random) -> tuple[Slice, ...]:
    """Some Process Action as facts, half the time one that a Right of the World speaks of; what it would cost, and
    what its session keeps to.
    """
    pools = {
        "Nil": (*sketch.iris("item", "item", "item", "message", "data", "u_location"), iri(NEW[0])),
        "At": sketch.iris("place", "place", "u_location", "user"),
        "From": sketch.iris("place", "u_location"),
        "To": sketch.iris("place", "place", "point", "user"),
        "With": sketch.iris(
            "stream", "attitude", "rights", "qualifier", "qualifier", "model", "data", "interpretation"
        ),
    }
    spoken = random.choice([o for _, p, o in sketch.triples if p == PROCESS_ACTION])
    follows = random.random() < 0.6
    facts: list[tuple[str, Term]] = [(TYPE, mmm("ProcessAction"))]
    for part, pool in pools.items():
        named = sorted(sketch.objects(str(spoken), mmm("complement" + part)), key=str) if follows else []
        if named:
            facts.append((mmm("complement" + part), named[0]))
        else:
            several = random.choice((0, 1, 1, 2))
            facts += [(mmm("complement" + part), random.choice(pool)) for _ in range(several if pool else 0)]
    if claimable := sketch.iris(random.choice(("rights", "transaction"))):
        facts.append((CLAIMS_FINAL, random.choice(claimable)))
    dues = payments(sketch, random, STEP)
    facts += [(mmm("process"), random.choice(sketch.iris("user", "user", "app", "device")))]
    facts += [(dac("place"), Decimal(random.randint(1, 2))), *((dac("due"), due.entity) for due in dues)]
    step = Slice.of(STEP, Layer.STATEMENT, facts, {}, domain().knowledge.schema)
    return (step, *dues, *in_session(sketch, random))


SORTS_OF = {
    "actor": ("user", "user", "app", "device"),
    "qualifier": ("qualifier",),
    "attitude": ("attitude",),
    "posted_to": ("marketplace", "marketplace", "service"),
    "interpretation": ("interpretation",),
    "stream": ("stream",),
    "spm": ("model",),
    "item": ("item", "item", "item", "message", "data", "place", "user"),
    "to": ("place", "point", "u_location"),
    "from": ("place",),
    "at": ("place", "u_location"),
    "perceptibility": ("item",),
    "input": ("item",),
    "carried_licence": ("licence",),
    "place": ("place",),
    "target": ("place", "item", "u_location", "rights", "transaction"),
    "profile": ("profile", "user"),
    "transaction": ("transaction", "user"),
    "right": ("rights",),
    "rights": ("rights",),
}
"""What a pre-bound variable is likely to stand for; any other, for anything."""
FIXED: dict[str, Term] = {"step": STEP, "context": CONTEXT, "m_instance": BASE, "now": TIMES[1]}
PART_OF = {
    name: mmm(f"complement{part}") for name, part in (("item", "Nil"), ("at", "At"), ("from", "From"), ("to", "To"))
}


def some_values(shipped: Shipped, sketch: Sketch, step: Slice, random: Random) -> dict[str, Term]:
    """Values of the parameters: mostly what the step names, or what a Right in the World speaks of."""
    found: dict[str, Term] = {}
    rights = [s for s, p, _ in sketch.triples if p == PROCESS_ACTION]
    right = random.choice(rights)
    holders = [o for o in sketch.objects(right, HELD_BY) if isinstance(o, str)]
    spoken = [o for pa in sketch.objects(right, PROCESS_ACTION) for s, _, o in sketch.triples if s == pa]
    sales = sketch.iris("transaction")
    sale = random.choice(sales) if sales and random.random() < 0.3 else ""
    for name in shipped.compiled.parameters:
        said = step.out.get(PART_OF.get(name, ""), ()) if random.random() < 0.8 else ()
        if name in FIXED:
            found[name] = FIXED[name]
        elif name == "actor" and random.random() < 0.6:
            found[name] = step.out[mmm("process")][0]
        elif sale and name in {"target", "actor"}:
            member = "asset" if name == "target" else random.choice(("sender", "receiver"))
            parties = sorted(map(str, sketch.objects(sale, mmm(member)))) or list(sketch.iris("user"))
            found[name] = sale if member == "asset" and random.random() < 0.4 else random.choice(parties)
        elif name == "actor" and holders and random.random() < 0.7:
            found[name] = random.choice(holders)
        elif name == "action":
            acts = [o for o in spoken if o in domain().vocabulary and o != mmm("ProcessAction")]
            found[name] = random.choice(acts or [action_iri(each) for each in ACTIONS])
        elif name == "target" and random.random() < 0.4:
            parts = [o for o in spoken if isinstance(o, str) and o not in domain().vocabulary]
            found[name] = random.choice(parts or [right])
        elif name == "visible":
            found[name] = Decimal(random.randrange(2))
        elif said:
            found[name] = said[0]
        else:
            sorts = SORTS_OF.get(name)
            pool = sketch.iris(*sorts) if sorts else ()
            found[name] = random.choice(pool or tuple(iri(each) for each in (*sketch.all_names(), *NEW)))
    return found


def compiled_rows(compiled: Compiled, facts: Facts, values: Mapping[str, Term]) -> set[Row]:
    fired = compiled.every(facts, {name: (term,) for name, term in values.items()})
    assert all(given == tuple(values[name] for name in compiled.parameters) for given, _ in fired)
    return {
        frozenset((name, term) for name, term in zip(compiled.outputs, row, strict=True) if term is not None)
        for _, rows in fired
        for row in rows
    }


@pytest.mark.parametrize("wild", [False, True], ids=["careful", "wild"])
def test_every_shipped_pattern_gives_the_oracles_rows(wild: bool) -> None:
    """In random Worlds, for random pre-bound values; and most patterns have solutions in some of them."""
    asked = {pattern.id: 0 for pattern in SHIPPED}
    solved = dict(asked)

    @settings(LAW, max_examples=40)
    @given(rich_sketches(wild=wild), st.integers(0, 2**32))
    def agree(sketch: Sketch, seed: int) -> None:
        random = Random(seed)
        said = a_step(sketch, random)
        step = said[0]
        facts = whole(sketch, said)
        stated = [(each.entity, p, o) for each in said for p, objects in each.out.items() for o in objects]
        the_oracle().world([*sketch.triples, *stated])
        for pattern in SHIPPED:
            for _ in range(BINDINGS):
                values = some_values(pattern, sketch, step, random)
                expected = the_oracle().rows(pattern.text, values, pattern.compiled.outputs)
                try:
                    found = compiled_rows(pattern.compiled, facts, values)
                except (BoundReached, OutsideSituation):
                    continue
                assert found == expected, (pattern.id, pattern.text, values)
                asked[pattern.id] += 1
                solved[pattern.id] += bool(found)

    agree()
    assert min(asked.values()) > 40
    without = sorted(name for name, count in solved.items() if not count)
    assert len(without) <= len(SHIPPED) / 6, f"patterns without a solution anywhere: {without}"


def test_every_registered_function_in_use_is_one_the_oracle_has() -> None:
    """A function that the oracle lacks would give no rows there, and the comparison would mean nothing."""
    used = {name for name in FUNCTIONS for each in SHIPPED if f"dac:{name.split('#')[1]}(" in each.text}
    assert used <= oracle.FUNCTIONS
    assert len(SHIPPED) > 40


def test_a_pattern_of_the_language_gives_the_oracles_rows() -> None:
    """Whatever pattern the compiler accepts means what it means in SPARQL, for any pre-bound values."""
    compared: list[bool] = []
    refused: list[str] = []
    small = Oracle((), Schema())

    @settings(LAW, max_examples=200, phases=[Phase.generate])
    @given(graphs(), st.integers(0, 2**32))
    def agree(graph: tuple[Triple, ...], seed: int) -> None:
        random = Random(seed)
        facts = small_facts(graph)
        small.world(graph)
        for _ in range(25):
            text, _ = Writer(random).group(list(GIVEN), 0)
            compiled = accepted(text)
            if compiled is None:
                refused.append(text)
                continue
            for _ in range(2):
                values = {name: random.choice(NODES) for name in compiled.parameters}
                try:
                    found = compiled_rows(compiled, facts, values)
                except (BoundReached, OutsideSituation, ExpressionError):
                    continue
                assert found == small.rows(text, values, compiled.outputs), (text, values)
                compared.append(bool(found))

    agree()
    assert len(compared) > 1000
    assert sum(compared) > len(compared) / 10
