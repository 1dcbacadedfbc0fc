"""Random patterns of the pattern language, and small graphs to try them on."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from random import Random

from hypothesis import strategies as st

from app.errors import PackError
from app.facts import Facts, Schema, Slice
from app.model import Layer, Term, Text, Triple
from app.rules.compiled import Compiled
from app.rules.compiler import compile_pattern
from app.rules.pattern import parse
from tests.worlds import TRUE

# nodes n0..n4, predicates p and q, the hierarchical h, values v
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
        for condition in filters:  # a FILTER may stand anywhere in its group
            parts.insert(self.random.randint(0, len(parts)), condition)
        if self.random.random() < 0.1:
            self.random.shuffle(parts)
        return " ".join(parts), known

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
    """The compiled pattern; None where it is refused."""
    try:
        return compile_pattern(parse(text, {}, "drawn"), GIVEN, frozenset({HIERARCHY}), "drawn")
    except PackError:
        return None
