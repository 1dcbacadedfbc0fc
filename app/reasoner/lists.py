"""Axioms with a list -> rules and facts of their own (OWL 2 RL, the rules over LIST[...] in tables 4 to 9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from sys import intern

from app.model import Term, Triple
from app.reasoner.table import Pattern, Rule
from app.vocab import OWL, RDF, SUB_CLASS, TYPE

FIRST = intern(RDF + "first")
REST = intern(RDF + "rest")
NIL = intern(RDF + "nil")
SAME = intern(OWL + "sameAs")

_MEMBERS = (OWL + "members", OWL + "distinctMembers")
LISTED: frozenset[str] = frozenset(
    (*(OWL + n for n in ("intersectionOf", "unionOf", "oneOf", "propertyChainAxiom", "hasKey")), *_MEMBERS)
)
"""The predicates of the axioms that need a list."""


def items(
    head: Term, objects: Callable[[Term, str], list[Term]]
) -> tuple[tuple[Term, ...], tuple[Triple, ...]] | None:
    """The members of a list and the facts that make it; None where it is not whole."""
    found: list[Term] = []
    cells: list[Triple] = []
    seen: set[Term] = set()
    while head != NIL:
        first, rest = objects(head, FIRST), objects(head, REST)
        if head in seen or not first or not rest or not isinstance(head, str):
            return None
        seen.add(head)
        cells += [(head, FIRST, first[0]), (head, REST, rest[0])]
        found.append(first[0])
        head = rest[0]
    return tuple(found), tuple(cells)


def rules(axiom: Triple, members: tuple[Term, ...], cells: tuple[Triple, ...]) -> Iterator[Rule]:
    """What an axiom means."""
    subject, predicate, _ = axiom
    given = (axiom, *cells)

    def rule(name: str, conclusion: tuple[Term, Term, Term] | None, *premises: tuple[Term, Term, Term]) -> Rule:
        return Rule(name, tuple(Pattern(*each) for each in premises), conclusion and Pattern(*conclusion), given)

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
        case _:
            yield from _pairwise(axiom, members, rule)


def _pairwise(axiom: Triple, members: tuple[Term, ...], rule: Callable[..., Rule]) -> Iterator[Rule]:
    subject, predicate, _ = axiom

    def kind(name: str) -> tuple[Term, Term, Term]:
        return (subject, TYPE, OWL + name)

    for one, other in combinations(members, 2):
        equal = () if one == other else ((one, SAME, other),)
        if predicate == OWL + "distinctMembers":
            yield rule("eq-diff3", None, kind("AllDifferent"), *equal)
            continue
        yield rule("eq-diff2", None, kind("AllDifferent"), *equal)
        yield rule("cax-adc", None, kind("AllDisjointClasses"), ("?x", TYPE, one), ("?x", TYPE, other))
        yield rule("prp-adp", None, kind("AllDisjointProperties"), ("?x", one, "?y"), ("?x", other, "?y"))
