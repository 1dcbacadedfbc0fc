"""Which rules are worth running on a statement: those that a screen of all of them lets through (rules/screen.py).

One screen for each set of variables that have a value, made when it is asked for a second time. It decides nothing:
None means that every rule is to be run by itself, and whatever is let through is run by itself, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.facts import BoundReached, Facts, OutsideSituation
from app.model import Term
from app.rules import Domain, Rule
from app.rules.compiled import Compiled
from app.rules.functions import ExpressionError
from app.rules.screen import Screen, fuse

MOST = 2_000
"""Screens kept of one Domain; a statement of yet another form is judged without."""

Values = Mapping[str, tuple[Term, ...]]


@dataclass(frozen=True, slots=True)
class Screening:
    """A screen of some rules. `always` are those to be run in any case, since a parameter has several values; `idle`
    are not applicable if nothing is let through, `absent` never are, `given` need something to be there.
    """

    screen: Screen
    always: tuple[int, ...]
    idle: tuple[str, ...]
    absent: frozenset[int]
    given: frozenset[int]


def rules_to_run(
    action: str, values: Values, domain: Domain, facts: Facts
) -> tuple[Sequence[Rule], tuple[str, ...]] | None:
    """The rules that may refuse, in order, and the ids of the rest that are not applicable; None: run all."""
    screening = _screening(action, values, domain)
    if screening is None:
        return None
    try:
        found = screening.screen(facts, values)
    except (OutsideSituation, BoundReached, ExpressionError, ArithmeticError):
        return None
    if not found and not screening.always:
        return (), screening.idle
    rules = domain.blocking[action]
    run = {*screening.always, *(i for i in found if i >= 0)}
    idle = screening.absent.union(screening.given.difference(run, (~i for i in found if i < 0)))
    return [rules[i] for i in sorted(run)], tuple(sorted(rules[i].id for i in idle))


def _screening(action: str, values: Values, domain: Domain) -> Screening | None:
    known = domain.screens
    shape = (action, frozenset(values), tuple(name for name, terms in values.items() if len(terms) > 1))
    screening = known.get(shape)
    if screening is None and shape in known:
        screening = known[shape] = _of_rules(domain.blocking[action], action, values)
    elif screening is None and len(known) < MOST:
        known[shape] = None
    assert screening is None or isinstance(screening, Screening)
    return screening


def _of_rules(rules: Sequence[Rule], action: str, values: Values) -> Screening:
    """A rule is `i`, what it must be given `~i`."""
    numbered = [(i, rule, rule.pattern) for i, rule in enumerate(rules) if rule.pattern is not None]
    absent = frozenset(i for i, _, pattern in numbered if not pattern.applies(values))
    here = [(i, rule, pattern) for i, rule, pattern in numbered if i not in absent]
    always = tuple(
        i for i, rule, pattern in here if _several(pattern, values) or (rule.given and _several(rule.given, values))
    )
    given = frozenset(i for i, rule, _ in here if rule.given is not None)
    patterns = [(i, pattern) for i, _, pattern in here if i not in always]
    patterns += [
        (~i, rule.given) for i, rule, _ in here if i not in always and rule.given and rule.given.applies(values)
    ]
    idle = tuple(sorted(rules[i].id for i in absent | given))
    return Screening(fuse(patterns, f"screen of {action}"), always, idle, absent, given)


def _several(pattern: Compiled, values: Values) -> bool:
    return any(len(values.get(name, ())) > 1 for name in pattern.parameters)
