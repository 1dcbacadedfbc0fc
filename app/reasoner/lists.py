"""Axioms with a list -> rules and watches of their own (OWL 2 RL, the rules over LIST[...] in tables 4 to 9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from sys import intern
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from app.model import Term, Triple
from app.reasoner.table import Pattern, Rule
from app.vocab import OWL, RDF, SUB_CLASS, TYPE

if TYPE_CHECKING:
    from app.reasoner.index import Index

FIRST = intern(RDF + "first")
REST = intern(RDF + "rest")
NIL = intern(RDF + "nil")
SAME = intern(OWL + "sameAs")
MEMBERS = (intern(OWL + "members"), intern(OWL + "distinctMembers"))
LISTED: frozenset[str] = frozenset(
    (*(OWL + n for n in ("intersectionOf", "unionOf", "oneOf", "propertyChainAxiom", "hasKey")), *MEMBERS)
)
"""The predicates of the axioms that need a list."""

GROUPS: frozenset[str] = frozenset(OWL + n for n in ("AllDifferent", "AllDisjointClasses", "AllDisjointProperties"))
"""The kinds of a node whose members are compared with each other."""

LIMIT = 64
"""Lists read from one node. More than one is there where a cell has several members or several rests."""

Cells: TypeAlias = tuple[Triple, ...]


class Listed(NamedTuple):
    """The members of a list and the facts that make it."""

    members: tuple[Term, ...]
    cells: Cells


def read(head: Term, values: Callable[[Term, str], list[Term]], visit: Callable[[Term], None]) -> Iterator[Listed]:
    """Every whole list that begins at a node; `visit` is told each node at which one goes on or breaks off."""
    pending: list[tuple[Term, list[Term], dict[Triple, None]]] = [(head, [], {})]
    while pending:
        node, members, cells = pending.pop()
        passed = {cell[0] for cell in cells}
        while node != NIL and isinstance(node, str) and node not in passed:
            visit(node)
            passed.add(node)
            ways = [(first, rest) for rest in values(node, REST) for first in values(node, FIRST)]
            if not ways:
                break
            for first, rest in ways[1:]:
                more: dict[Triple, None] = {(node, FIRST, first): None, (node, REST, rest): None}
                pending.append((rest, [*members, first], {**cells, **more}))
            first, rest = ways[0]
            members.append(first)
            cells[node, FIRST, first] = None
            cells[node, REST, rest] = None
            node = rest
        if node == NIL:
            yield Listed(tuple(members), tuple(cells))


def rules(axiom: Triple, listed: Listed) -> Iterator[Rule]:
    """What an axiom means, but for those that compare members with each other (`groups`)."""
    subject, predicate, _ = axiom
    members = listed.members
    given = (axiom, *listed.cells)

    def rule(name: str, conclusion: tuple[Term, Term, Term], *premises: tuple[Term, Term, Term]) -> Rule:
        return Rule(name, tuple(Pattern(*each) for each in premises), Pattern(*conclusion), given)

    match predicate.removeprefix(OWL):
        case "intersectionOf":
            if members:
                yield rule("cls-int1", ("?x", TYPE, subject), *(("?x", TYPE, each) for each in members))
            for each in members:
                yield rule("cls-int2", ("?x", TYPE, each), ("?x", TYPE, subject))
                yield rule("scm-int", (subject, SUB_CLASS, each))
        case "unionOf":
            for each in members:
                yield rule("cls-uni", ("?x", TYPE, subject), ("?x", TYPE, each))
                yield rule("scm-uni", (each, SUB_CLASS, subject))
        case "oneOf":
            for each in members:
                yield rule("cls-oo", (each, TYPE, subject))
        case "propertyChainAxiom":
            if members:
                steps = [(f"?u{i}", each, f"?u{i + 1}") for i, each in enumerate(members)]
                yield rule("prp-spo2", ("?u0", subject, f"?u{len(members)}"), *steps)
        case "hasKey":
            if members:
                shared = [(who, each, f"?z{i}") for who in ("?x", "?y") for i, each in enumerate(members)]
                kinds_of = (("?x", TYPE, subject), ("?y", TYPE, subject))
                yield rule("prp-key", ("?x", SAME, "?y"), *kinds_of, *shared)


@dataclass(frozen=True, slots=True)
class Group:
    """Members of which no two may be the same, have an instance, or hold of a pair in common: one watch, not a rule
    for each two of them, for these grow with the square of their number.
    """

    rule: str
    given: Cells
    places: dict[Term, int]
    """The members, with the place at which each is first."""
    repeated: frozenset[Term]

    def start(self, facts: Index[Any], clash: Callable[[str, Cells], None]) -> None:
        """Meet the facts that were there before the group."""
        if self.rule.startswith("eq-diff"):
            for _ in self.repeated:
                clash(self.rule, self.given)
        for member in self.places:
            met: Iterable[tuple[Term, Term, Term]]
            if self.rule == "cax-adc":
                met = [(x, TYPE, member) for x in facts.subjects(TYPE, member)]
            elif self.rule == "prp-adp":
                met = [(s, member, o) for s, o in facts.pairs(member)]
            else:
                met = [(member, SAME, other) for other in facts.objects(member, SAME)]
            for fact in met:
                for premises in self.meet(fact, facts):
                    clash(self.rule, premises)

    def meet(self, fact: tuple[Any, Any, Any], facts: Index[Any]) -> Iterator[Cells]:
        """The premises of the contradictions that a fact makes with one that is known, or alone."""
        s, p, o = fact
        if self.rule == "cax-adc":
            for other in list(facts.objects(s, TYPE)):
                if other in self.places and (other != o or o in self.repeated):
                    yield (*self.given, *self._ordered(o, other, fact, (s, TYPE, other)))
        elif self.rule == "prp-adp":
            for other in self.places:
                if (other != p or p in self.repeated) and facts.has((s, other, o)):
                    yield (*self.given, *self._ordered(p, other, fact, (s, other, o)))
        elif s in self.places and self.places[s] < self.places.get(o, -1):
            yield (*self.given, fact)

    def _ordered(self, one: Term, other: Term, fact: Any, second: Any) -> tuple[Any, ...]:
        return (fact, second) if self.places[one] <= self.places[other] else (second, fact)


def groups(axiom: Triple, listed: Listed, is_known: Callable[[Triple], bool]) -> Iterator[Group]:
    """What a list of members means, by each kind that its node is known to have."""
    subject, predicate, _ = axiom
    kinds = {"AllDifferent": "eq-diff3" if predicate == MEMBERS[1] else "eq-diff2"}
    if predicate == MEMBERS[0]:
        kinds |= {"AllDisjointClasses": "cax-adc", "AllDisjointProperties": "prp-adp"}
    places: dict[Term, int] = {}
    for place, member in enumerate(listed.members):
        places.setdefault(member, place)
    repeated = frozenset(each for each, times in Counter(listed.members).items() if times > 1)
    for kind, name in kinds.items():
        typed = (subject, TYPE, OWL + kind)
        if is_known(typed):
            yield Group(name, (axiom, *listed.cells, typed), places, repeated)
