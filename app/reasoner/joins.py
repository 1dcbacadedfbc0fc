"""A rule -> functions that find what it infers: one for each premise that a new fact can be, one for none.

Each function is Python source made from the rule, with the premises in the order in which most is bound, so that a
join is a few look-ups and no interpretation. Source is made from variables and places alone; constants are handed in.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

from app.model import Term
from app.reasoner.table import Pattern, Rule
from app.vocab import TYPE

Join: TypeAlias = Callable[[Any, Any, Any, Any], None]
"""Called with the terms of a new fact and the facts known (closing.Facts)."""


def is_variable(term: Term) -> bool:
    """Whether a term of a rule stands for any other."""
    return isinstance(term, str) and term.startswith("?")


def join(rule: Rule, trigger: int | None) -> Join:
    """What to do when a new fact may be premise `trigger`; with None, when the rule itself is new."""
    constants: list[Term] = []

    def shaped(pattern: Pattern) -> tuple[str, str, str]:
        return tuple(_name(term, constants) for term in pattern)  # type: ignore[return-value]

    premises = tuple(shaped(premise) for premise in rule.premises)
    conclusion = shaped(rule.conclusion) if rule.conclusion else None
    make = _compiled(
        premises, conclusion, trigger, len(constants), constants.index(TYPE) if TYPE in constants else -1
    )
    made: Join = make(rule.name, rule.given, *constants)
    return made


def _name(term: Term, constants: list[Term]) -> str:
    if is_variable(term):
        return f"v_{str(term)[1:]}"
    for place, known in enumerate(constants):
        if known == term and type(known) is type(term):
            return f"k{place}"
    constants.append(term)
    return f"k{len(constants) - 1}"


@cache
def _compiled(
    premises: tuple[tuple[str, str, str], ...],
    conclusion: tuple[str, str, str] | None,
    trigger: int | None,
    constants: int,
    type_place: int,
) -> Callable[..., Join]:
    names = ", ".join(["rule", "given", *(f"k{place}" for place in range(constants))])
    lines = [f"def make({names}):", " def found(s, p, o, facts):"]
    bound = {f"k{place}" for place in range(constants)}
    depth = 2
    if trigger is not None:
        for term, given in zip(premises[trigger], "spo", strict=True):
            if term in bound:
                lines.append(f"{' ' * depth}if {given} != {term}: return")
            else:
                lines.append(f"{' ' * depth}{term} = {given}")
                bound.add(term)
    waiting = [place for place in range(len(premises)) if place != trigger]
    while waiting:
        place = max(waiting, key=lambda each: (_boundness(premises[each], bound, f"k{type_place}"), -each))
        waiting.remove(place)
        lines.append(" " * depth + _lookup(premises[place], bound))
        depth += 1
        lines.extend(" " * depth + test for test in _repeated(premises[place], bound))
        bound.update(premises[place])
    told = "".join(f"({s}, {p}, {o}), " for s, p, o in premises)
    indent = " " * depth
    if conclusion is None:
        lines.append(f"{indent}facts.clash(rule, (*given, {told}))")
    else:
        lines += [
            f"{indent}t = ({', '.join(conclusion)})",
            f"{indent}if not facts.knows(t): facts.infer(t, rule, (*given, {told}))",
        ]
    lines.append(" return found")
    scope: dict[str, Any] = {}
    exec("\n".join(lines), scope)
    make: Callable[..., Join] = scope["make"]
    return make


def _boundness(premise: tuple[str, str, str], bound: set[str], type_: str) -> tuple[int, int, int]:
    s, p, o = (term in bound for term in premise)
    # of two places bound, a subject says more than a class, which has many instances
    return (s + p + o, int(s), int(p and premise[1] != type_))


def _lookup(premise: tuple[str, str, str], bound: set[str]) -> str:
    s, p, o = premise
    match (s in bound, p in bound, o in bound):
        case (True, True, True):
            return f"if facts.has(({s}, {p}, {o})):"
        case (True, True, False):
            return f"for {o} in facts.objects({s}, {p}):"
        case (False, True, True):
            return f"for {s} in facts.subjects({p}, {o}):"
        case (False, True, False):
            return f"for {s}, {'again' if s == o else o} in facts.pairs({p}):"
        case (True, False, False):
            return f"for {p}, {o} in facts.leaving({s}):"
        case (True, False, True):
            return f"for {p} in facts.between({s}, {o}):"
        case (False, False, True):
            return f"for {s}, {p} in facts.entering({o}):"
    raise ValueError(f"no index serves the premise {premise}")


def _repeated(premise: tuple[str, str, str], bound: set[str]) -> list[str]:
    s, _, o = premise
    return ["if again != " + s + ": continue"] if s == o and s not in bound else []
