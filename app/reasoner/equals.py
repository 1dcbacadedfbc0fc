"""owl:sameAs: sets of equals, and the facts that replacement writes out (eq-sym, eq-trans, eq-rep-s, -p and -o).

The rules joined like others would try each pair of equals with each third, and each copy of a fact as one to copy
again. Here a set knows its members and the facts that are no copies: two sets that become one are paired, and these
facts copied, once. What it costs is what it writes; every fact has the derivation that the rules give it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from app.model import Term
from app.reasoner.index import Fact
from app.reasoner.lists import SAME

if TYPE_CHECKING:
    from app.reasoner.closing import Facts

LIMIT = 100
"""Names of one thing that are written out. What they say grows with the square of their number, and so many are an
error sooner than knowledge: BOUND is reported, with the first fact that would have made them more."""

BOUND = "bound"
"""The name under which a Clash says that something was not written out whole."""

REPLACED = ("eq-rep-s", "eq-rep-p", "eq-rep-o")
RULES = ("eq-sym", "eq-trans", *REPLACED)
"""The rules that are not joined."""


class Equals(NamedTuple):
    """Terms that are the same, and the facts with one of them that replacement did not make."""

    members: list[Term]
    facts: dict[Fact, None]


def meet(fact: Fact, facts: Facts) -> None:
    """What follows by equality from a fact that has just been indexed."""
    s, p, o = fact
    if p == SAME and s != o:
        merge(fact, facts)
    if facts.has_equals and facts.rule_of(fact) not in REPLACED:
        places = (p,) if p == SAME else fact
        found = {id(each): each for each in map(facts.equals_of, places) if each is not None}
        for each in found.values():
            _own(each, facts).facts[fact] = None
        if found:
            _copy(fact, [_others(term, facts) if term in places else (term,) for term in fact], facts)


def has_room(fact: Fact, facts: Facts) -> bool:
    """Whether a fact of owl:sameAs joins no more than LIMIT terms."""
    one, other = (facts.equals_of(each) for each in (fact[0], fact[2]))
    return (one is not None and one is other) or sum(
        1 if each is None else len(each.members) for each in (one, other)
    ) <= LIMIT


def merge(fact: Fact, facts: Facts) -> None:
    """Make one set of the two that a known fact of owl:sameAs joins, with all that follows from it."""
    s, _, o = fact
    one, other = (facts.equals_of(each) or _alone(each, facts) for each in (s, o))
    if one is other:
        return
    if not has_room(fact, facts):
        facts.report_bound((fact,))
        return
    for x in one.members:
        _infer((x, SAME, o), "eq-trans", ((x, SAME, s), fact), facts)
        for y in other.members:
            _infer((x, SAME, y), "eq-trans", ((x, SAME, o), (o, SAME, y)), facts)
            _infer((y, SAME, x), "eq-sym", ((x, SAME, y),), facts)
    merged = _keep(Equals([*one.members, *other.members], {**one.facts, **other.facts}), facts)
    for was, joined in ((one, other.members), (other, one.members)):
        for each in was.facts:
            inside = [facts.equals_of(term) is merged for term in each]
            # in one place, what it is there stands already; in several, each may be any
            choices = [
                joined if here and sum(inside) == 1 else _others(term, facts)
                for here, term in zip(inside, each, strict=True)
            ]
            if each[1] == SAME:
                choices[0], choices[2] = (each[0],), (each[2],)
            _copy(each, choices, facts)


def _own(equals: Equals, facts: Facts) -> Equals:
    """The same set, kept by this level: those below stay as they are."""
    if facts.equals.get(equals.members[0]) is equals:
        return equals
    return _keep(Equals(list(equals.members), dict(equals.facts)), facts)


def _keep(equals: Equals, facts: Facts) -> Equals:
    for member in equals.members:
        facts.equals[member] = equals
    facts.has_equals = True
    return equals


def _others(term: Term, facts: Facts) -> Sequence[Term]:
    found = facts.equals_of(term)
    return (term,) if found is None else found.members


def _alone(term: Term, facts: Facts) -> Equals:
    """A term that is the same as no other yet."""
    found = (each for each in facts.touching(term) if each[1] != SAME or term == SAME)
    return Equals([term], {each: None for each in found if facts.rule_of(each) not in REPLACED})


def _copy(fact: Fact, choices: Sequence[Iterable[Term]], facts: Facts) -> None:
    s, p, o = fact
    subjects, predicates, objects = choices
    for x in subjects:
        if _replaces(x, s):
            _infer((x, p, o), "eq-rep-s", ((s, SAME, x), fact), facts)
        elif x != s:
            continue
        for q in predicates:
            if _replaces(q, p) and isinstance(q, str):
                _infer((x, q, o), "eq-rep-p", ((p, SAME, q), (x, p, o)), facts)
            elif q != p:
                continue
            for y in objects:
                if _replaces(y, o):
                    _infer((x, q, y), "eq-rep-o", ((o, SAME, y), (x, q, o)), facts)


def _replaces(new: Term, old: Term) -> bool:
    """Literals that are equal are one term; those that are not give a clash (dt-diff), and no facts."""
    return new != old and (isinstance(new, str) or isinstance(old, str))


def _infer(fact: Fact, rule: str, premises: tuple[Fact, ...], facts: Facts) -> None:
    if not facts.knows(fact):
        facts.put(fact, rule, premises)
