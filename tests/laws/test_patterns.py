"""Compiled patterns give the rows that Oxigraph gives for the same text over the whole World (DESIGN 5)."""

from __future__ import annotations

import re
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

from app.errors import PackError
from app.facts import BoundReached, Facts, OutsideSituation, Schema, Slice
from app.model import Layer, Term, Text, Triple
from app.rules import Domain, load
from app.rules.compiler import Compiled, compile_pattern
from app.rules.files import action_iri
from app.rules.functions import FUNCTIONS, ExpressionError
from app.rules.pattern import parse
from app.rules.syntax import Exists, Pattern, Union, variables
from app.situation import Situation
from app.vocab import CLAIMS_FINAL, HELD_BY, PROCESS_ACTION, TYPE, mmm
from app.world import World
from tests import oracle
from tests.oracle import Oracle, Row
from tests.worlds import ACTIONS, NEW, TRUE, Sketch, iri, sketches

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
    """Some Process Action as facts; half the time one that a Right of the World speaks of."""
    pools = {
        "Nil": (*sketch.iris("item", "item", "message"), iri(NEW[0])),
        "At": sketch.iris("place", "u_location"),
        "From": sketch.iris("place"),
        "To": sketch.iris("place"),
        "With": sketch.iris("stream", "attitude", "rights"),
    }
    spoken = random.choice([o for _, p, o in sketch.triples if p == PROCESS_ACTION])
    follows = random.random() < 0.6
    facts: list[tuple[str, Term]] = [(TYPE, mmm("ProcessAction"))]
    for part, pool in pools.items():
        named = sorted(sketch.objects(str(spoken), mmm("complement" + part)), key=str) if follows else []
        if named:
            facts.append((mmm("complement" + part), named[0]))
        elif pool and random.random() < 0.6:
            facts.append((mmm("complement" + part), random.choice(pool)))
    if claimable := sketch.iris(random.choice(("rights", "transaction"))):
        facts.append((CLAIMS_FINAL, random.choice(claimable)))
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
        if name == "step":
            found[name] = STEP
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
        elif said:
            found[name] = said[0]
        else:
            sorts = SORTS_OF.get(name)
            pool = sketch.iris(*sorts) if sorts else tuple(iri(each) for each in (*sketch.all_names(), *NEW))
            found[name] = random.choice(pool)
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

    @settings(max_examples=80, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(sketches(wild=wild), st.integers(0, 2**32))
    def agree(sketch: Sketch, seed: int) -> None:
        random = Random(seed)
        step = a_step(sketch, random)
        facts = whole(sketch, step)
        stated = [(STEP, p, o) for p, objects in step.out.items() for o in objects]
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
    assert min(asked.values()) > 60
    assert sum(map(bool, solved.values())) >= len(SHIPPED) * 3 / 4, "too few patterns had a solution anywhere"


def test_every_registered_function_in_use_is_one_the_oracle_has() -> None:
    """A function that the oracle lacks would give no rows there, and the comparison would mean nothing."""
    used = {name for name in FUNCTIONS for each in SHIPPED if f"dac:{name.split('#')[1]}(" in each.text}
    assert used <= oracle.FUNCTIONS
    assert len(SHIPPED) > 40


# Patterns drawn from the language, over small graphs: nodes n0..n4, predicates p and q, the hierarchical h, values v.

T = "https://terms.example/"
NODES = tuple(f"{T}n{i}" for i in range(5))
PLAIN = (f"{T}p", f"{T}q")
HIERARCHY, VALUE = f"{T}h", f"{T}v"
VALUES: tuple[Term, ...] = (Decimal(0), Decimal(1), Decimal("2.5"), Text("a"), Text("b"), Text("a", "en"), TRUE)
GIVEN = ("a", "b")
"""The pre-bound variables."""


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Triple, ...]:
    """Up to 18 facts, cycles included."""
    nodes = st.sampled_from(NODES)
    linked = st.tuples(nodes, st.sampled_from((*PLAIN, HIERARCHY)), nodes)
    valued = st.tuples(nodes, st.sampled_from((VALUE, PLAIN[0])), st.sampled_from(VALUES))
    found: list[Triple] = [*draw(st.lists(linked, min_size=3, max_size=14)), *draw(st.lists(valued, max_size=4))]
    found += [
        (node, f"{T}node", node) for node in NODES
    ]  # an engine may know no walk of length 0 of what has no fact
    return tuple(dict.fromkeys(found))


def reads_what_stands_before(part: str, before: list[str]) -> bool:
    """Whether a BIND reads only what is pre-bound or what its group has bound: else SPARQL gives it no value."""
    if not part.startswith("BIND"):
        return True
    bound = {*GIVEN, *re.findall(r"[?](\w+)", " ".join(each for each in before if not each.startswith("FILTER")))}
    return set(re.findall(r"[?](\w+)", part.partition(" AS ")[0])) <= bound


class Writer:
    """Writes a random pattern; keeps to what has a chance of being accepted, not to what is sure of it."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.fresh = 0

    def group(self, outer: list[str], depth: int, most: int = 4) -> tuple[str, list[str]]:
        """A group's text and the variables it uses; `outer` are those a group around it has."""
        known = list(outer)
        parts = [self.element(known, depth) for _ in range(self.random.randint(1, most))]
        filters = [part for part in parts if part.startswith("FILTER")]
        parts = [part for part in parts if part not in filters]
        for condition in filters:  # a FILTER may stand anywhere in its group, a BIND after what it reads
            parts.insert(self.random.randint(0, len(parts)), condition)
        return " ".join(part for i, part in enumerate(parts) if reads_what_stands_before(part, parts[:i])), known

    def element(self, known: list[str], depth: int) -> str:
        choice = self.random.random()
        if choice < 0.55 or (depth >= 2 and choice < 0.8):
            return self.triple(known)
        if choice < 0.65:
            return f"FILTER({self.condition(known, 2)})"
        if choice < 0.72:
            self.fresh += 1
            value = self.value(known)
            known.append(f"w{self.fresh}")
            return f"BIND({value} AS ?w{self.fresh})"
        if choice < 0.9:
            negated = self.random.choice(("NOT ", "NOT ", ""))
            return f"FILTER {negated}EXISTS {{ {self.group(known, depth + 1, 3)[0]} }}"
        branches = [self.group(known, depth, 2) for _ in range(2)]
        shared = set(branches[0][1]) & set(branches[1][1])
        known += [name for name in sorted(shared) if name not in known]
        return " UNION ".join(f"{{ {text} }}" for text, _ in branches)

    def triple(self, known: list[str]) -> str:
        start = self.node(known)
        end = self.node(known)
        if self.random.random() < 0.3:
            start, end = end, start
        return f"{start} {self.path()} {end} ."

    def node(self, known: list[str]) -> str:
        choice = self.random.random()
        if choice < 0.6 and known:
            return f"?{self.random.choice(known)}"
        if choice < 0.9:
            name = self.random.choice(("x", "y", "z"))
            known.append(name)
            return f"?{name}"
        return f"<{self.random.choice(NODES)}>"

    def path(self) -> str:
        links = [self.link() for _ in range(self.random.choice((1, 1, 1, 2)))]
        if len(links) == 2 and not any(link[-1] in "*+" for link in links) and self.random.random() < 0.4:
            return "|".join(links)
        return "/".join(links)

    def link(self) -> str:
        predicate = self.random.choice((*PLAIN, *PLAIN, HIERARCHY, HIERARCHY, VALUE))
        repeated = self.random.choice(("*", "+", "")) if predicate == HIERARCHY else ""
        return f"{self.random.choice(('^', '', ''))}<{predicate}>{repeated}"

    def condition(self, known: list[str], depth: int) -> str:
        choice = self.random.random()
        if depth and choice < 0.2:
            sign = self.random.choice(("&&", "||"))
            return f"({self.condition(known, depth - 1)} {sign} {self.condition(known, depth - 1)})"
        if depth and choice < 0.3:
            return f"!({self.condition(known, depth - 1)})"
        if choice < 0.45:
            return (
                f"{self.value(known)} {self.random.choice(('', 'NOT '))}IN ({self.value(known)}, {self.value(known)})"
            )
        sign = self.random.choice(("=", "=", "=", "!=", "!=", "!=", self.random.choice(("<", "<=", ">", ">="))))
        return f"{self.value(known)} {sign} {self.value(known)}"

    def value(self, known: list[str]) -> str:
        choice = self.random.random()
        if choice < 0.7:
            return f"?{self.random.choice(known)}"
        if choice < 0.8:
            return f"<{self.random.choice(NODES)}>"
        if choice < 0.9:
            return self.random.choice(("0", "1", "2.5", '"a"'))
        sign = self.random.choice("+-*")
        return f"(?{self.random.choice(known)} {sign} {self.random.choice(('1', '2'))})"


def small_facts(graph: Iterable[Triple]) -> Facts:
    """The graph as slices, every predicate walked backwards."""
    predicates = (*PLAIN, HIERARCHY, VALUE)
    triples = list(graph)
    slices = {
        node: Slice.of(
            node,
            Layer.WORLD,
            [(p, o) for s, p, o in triples if s == node],
            {p: tuple(s for s, q, o in triples if q == p and o == node) for p in predicates},
            Schema(),
        )
        for node in NODES
    }
    return Facts(slices, vocabulary={}, schema=Schema(), inverses=frozenset(predicates))


def accepted(text: str) -> Compiled | None:
    """The compiled pattern; None where it is refused, or should be (see `test_compiler`)."""
    try:
        pattern = parse(text, {}, "drawn")
        compiled = compile_pattern(pattern, GIVEN, frozenset({HIERARCHY}), "drawn")
    except PackError:
        return None
    return None if asks_what_a_branch_may_bind(pattern) else compiled


def asks_what_a_branch_may_bind(pattern: Pattern) -> bool:
    """Whether an EXISTS speaks of a variable that only some branches of a UNION beside it speak of."""
    unions = [element for element in pattern.elements if isinstance(element, Union)]
    asked = [element for element in pattern.elements if isinstance(element, Exists)]
    spoken = [[variables(branch) for branch in union.branches] for union in unions]
    maybe = set().union(*(set().union(*each) - set.intersection(*each) for each in spoken)) - set(GIVEN)
    inner = [each.pattern for each in asked] + [branch for union in unions for branch in union.branches]
    return any(variables(each) & maybe for each in asked) or any(map(asks_what_a_branch_may_bind, inner))


def test_a_pattern_of_the_language_gives_the_oracles_rows() -> None:
    """Whatever pattern the compiler accepts means what it means in SPARQL, for any pre-bound values."""
    compared: list[bool] = []
    refused: list[str] = []
    small = Oracle((), Schema())

    @settings(
        max_examples=100,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
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
