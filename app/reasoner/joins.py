"""A rule -> functions that find what it infers: one for each premise that a new fact can be, one for none.

Each function is Python source made from the rule, with the premises in the order in which most is bound, so that a
join is a few look-ups and no interpretation. Source is made from variables and places alone; constants are handed in.
A rule with more premises than Python can nest loops (a long list made it) is interpreted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, TypeAlias, TypeVar

from app.model import Term
from app.reasoner.table import Pattern, Rule
from app.vocab import TYPE

Join: TypeAlias = Callable[[Any, Any, Any, Any], None]
"""Called with the terms of a new fact and the facts known (closing.Facts)."""


_T = TypeVar("_T")

_NESTED = 12
"""Premises up to which a rule is made source; Python nests 20 loops."""

LINEAR = frozenset({"prp-trp", "scm-sco", "scm-spo"})
"""Rules whose last premise need not be a fact that the rule itself inferred: a path is found step by step, and not
again for each way of parting it in two. Without this, what n facts in a row imply would be tried n^3 times.
"""


def is_variable(term: Term) -> bool:
    """Whether a term of a rule stands for any other."""
    return isinstance(term, str) and term.startswith("?")


def join(rule: Rule, trigger: int | None) -> Join:
    """What to do when a new fact may be premise `trigger`; with None, when the rule itself is new."""
    if len(rule.premises) > _NESTED:
        return _interpreted(rule, trigger)
    constants: list[Term] = []

    def shaped(pattern: Pattern) -> tuple[str, str, str]:
        return tuple(_name(term, constants) for term in pattern)  # type: ignore[return-value]

    premises = tuple(shaped(premise) for premise in rule.premises)
    conclusion = shaped(rule.conclusion) if rule.conclusion else None
    type_place = constants.index(TYPE) if TYPE in constants else -1
    make = _compiled(premises, conclusion, trigger, len(constants), type_place, rule.name in LINEAR)
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
    linear: bool,
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
        if linear and trigger == len(premises) - 1:
            lines.append(f"{' ' * depth}if facts.rule_of((s, p, o)) in linear: return")
    waiting = [place for place in range(len(premises)) if place != trigger]
    while waiting:
        place = max(waiting, key=lambda each: (_boundness(premises[each], bound, f"k{type_place}"), -each))
        waiting.remove(place)
        stepping = linear and place == len(premises) - 1
        lines.append(" " * depth + _lookup(premises[place], bound, "steps" if stepping else "objects"))
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
    scope: dict[str, Any] = {"linear": LINEAR}
    exec("\n".join(lines), scope)
    make: Callable[..., Join] = scope["make"]
    return make


def _interpreted(rule: Rule, trigger: int | None) -> Join:
    bound = {term for premise in rule.premises for term in premise if not is_variable(term)}
    bound.update(() if trigger is None else rule.premises[trigger])
    order: list[Pattern] = []
    waiting = [place for place in range(len(rule.premises)) if place != trigger]
    while waiting:
        place = max(waiting, key=lambda each: (_boundness(rule.premises[each], bound, TYPE), -each))
        waiting.remove(place)
        order.append(rule.premises[place])
        bound.update(rule.premises[place])

    def found(s: Any, p: Any, o: Any, facts: Any) -> None:
        first = {} if trigger is None else _matched(rule.premises[trigger], (s, p, o), {})
        rows = [] if first is None else [first]
        for premise in order:
            rows = [row for each in rows for row in _matches(premise, each, facts)]
        for row in rows:
            told = tuple(_filled(premise, row) for premise in rule.premises)
            if rule.conclusion is None:
                facts.clash(rule.name, (*rule.given, *told))
                continue
            conclusion = _filled(rule.conclusion, row)
            if not facts.knows(conclusion):
                facts.infer(conclusion, rule.name, (*rule.given, *told))

    return found


def _filled(pattern: Pattern, row: dict[Term, Term]) -> tuple[Term, Term, Term]:
    s, p, o = pattern
    return (row.get(s, s), row.get(p, p), row.get(o, o))


def _matched(pattern: Pattern, fact: tuple[Term, Term, Term], row: dict[Term, Term]) -> dict[Term, Term] | None:
    """The row with what a fact binds; None where the fact is not the pattern."""
    found = dict(row)
    for term, given in zip(pattern, fact, strict=True):
        if found.setdefault(term, given if is_variable(term) else term) != given:
            return None
    return found


def _matches(pattern: Pattern, row: dict[Term, Term], facts: Any) -> Iterator[dict[Term, Term]]:
    s, p, o = _filled(pattern, row)
    if not is_variable(s):
        known = (
            (s, p, each) for each in (facts.objects(s, p) if is_variable(o) else [o] if facts.has((s, p, o)) else ())
        )
    elif not is_variable(o):
        known = ((each, p, o) for each in facts.subjects(p, o))
    else:
        known = ((one, p, other) for one, other in facts.pairs(p))
    for fact in known:
        extended = _matched(pattern, fact, row)
        if extended is not None:
            yield extended


def _boundness(premise: tuple[_T, _T, _T], bound: set[_T], type_: _T) -> tuple[int, int, int, int]:
    s, p, o = (term in bound for term in premise)
    # a predicate is bound first, no index serves a premise without; a subject says more than a class does
    return (int(p), s + p + o, int(s), int(p and premise[1] != type_))


def _lookup(premise: tuple[str, str, str], bound: set[str], objects: str) -> str:
    s, p, o = premise
    match (s in bound, p in bound, o in bound):
        case (True, True, True):
            return f"if facts.has(({s}, {p}, {o})):"
        case (True, True, False):
            return f"for {o} in facts.{objects}({s}, {p}):"
        case (False, True, True):
            return f"for {s} in facts.subjects({p}, {o}):"
        case (False, True, False):
            return f"for {s}, {'again' if s == o else o} in facts.pairs({p}):"
    raise ValueError(f"no index serves the premise {premise} with {bound}")


def _repeated(premise: tuple[str, str, str], bound: set[str]) -> list[str]:
    s, _, o = premise
    return ["if again != " + s + ": continue"] if s == o and s not in bound else []
