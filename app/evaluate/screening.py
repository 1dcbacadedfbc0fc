"""Which rules of an Action are worth running on a statement: those that a screen of all of them lets through.

One screen for each set of variables that have a value, made when it is asked for a second time. It decides nothing:
`None` means that every rule is to be run by itself, and whatever is let through is run by itself, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.facts import BoundReached, Facts, OutsideSituation
from app.model import Term
from app.rules import Domain, Rule
from app.rules.functions import ExpressionError
from app.rules.screen import Screen, fuse

MOST = 512
"""Screens kept of one Domain; a statement of yet another form is judged without."""

Values = Mapping[str, tuple[Term, ...]]


@dataclass(frozen=True, slots=True)
class Screening:
    """A screen and what it is about: `always` are the rules it leaves out, `idle` those that are not applicable where
    nothing that a rule must be given is there, `given` those rules.
    """

    screen: Screen
    always: frozenset[int]
    idle: tuple[str, ...]
    given: frozenset[int]
    absent: frozenset[int]


def screened(action: str, values: Values, domain: Domain, facts: Facts) -> tuple[list[Rule], tuple[str, ...]] | None:
    """The rules to be run, in order, and the ids of the rest that are not applicable; None where the screen could not
    tell.
    """
    screening = _screening(action, values, domain)
    if screening is None:
        return None
    try:
        found = screening.screen(facts, values)
    except (OutsideSituation, BoundReached, ExpressionError, ArithmeticError):
        return None
    rules = domain.blocking[action]
    if not found and not screening.always:
        return [], screening.idle
    through = screening.always.union(i for i in found if i >= 0)
    there = {~i for i in found if i < 0} | through
    idle = screening.absent.union(screening.given - there) - screening.always
    return [rules[i] for i in sorted(through)], tuple(sorted(rules[i].id for i in idle))


def _screening(action: str, values: Values, domain: Domain) -> Screening | None:
    known = domain.screens
    shape = (action, *sorted(values), *(name for name, terms in values.items() if len(terms) != 1))
    if shape in known:
        screening = known[shape]
        if screening is None:
            screening = known[shape] = _made(action, values, domain)
        assert isinstance(screening, Screening)
        return screening
    if len(known) < MOST:
        known[shape] = None
    return None


def _made(action: str, values: Values, domain: Domain) -> Screening:
    several = {name for name, terms in values.items() if len(terms) != 1}
    numbered = list(enumerate(domain.blocking[action]))
    always = {i for i, rule in numbered if _asks(rule) & several and _applies(rule, values)}
    absent = {i for i, rule in numbered if not _applies(rule, values)}
    rest = [(i, rule) for i, rule in numbered if i not in always | absent]
    given = {i for i, rule in rest if rule.given is not None}
    patterns = [(i, rule.pattern) for i, rule in rest if rule.pattern is not None]
    patterns += [(~i, rule.given) for i, rule in rest if rule.given is not None and rule.given.applies(values)]
    return Screening(
        fuse(patterns, f"screen of {action}"),
        frozenset(always),
        tuple(sorted(rule.id for i, rule in numbered if i in absent | given)),
        frozenset(given),
        frozenset(absent),
    )


def _applies(rule: Rule, values: Values) -> bool:
    return rule.pattern is not None and rule.pattern.applies(values)


def _asks(rule: Rule) -> set[str]:
    patterns = [pattern for pattern in (rule.pattern, rule.given) if pattern is not None]
    return {name for pattern in patterns for name in pattern.parameters}
