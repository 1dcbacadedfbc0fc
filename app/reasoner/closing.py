"""Facts -> what follows from them, with one derivation for each fact inferred, and every contradiction.

Semi-naive: a fact waits in line, is indexed when its turn comes, and is then joined once with what is indexed. Which
joins it meets is looked up by its predicate, and by its class where it is a type: a rule costs nothing for facts that
no axiom of its kind concerns. What a fact is inferred from stands before it in line: no derivation is circular.

A layer is a level of Facts that reads those below and never writes them: dropping it is forgetting it, and what it
costs depends on what follows from its own facts. owl:sameAs is written out (equals.py): every fact keeps the name its
author gave it, has a derivation of its own, and a layer can add equals to a frozen base.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from sys import intern
from types import MappingProxyType
from typing import NamedTuple, cast

from app.model import Term, Triple, Typed
from app.reasoner import equals, lists, values
from app.reasoner.closure import Clash, Closure, Derivation
from app.reasoner.equals import Equals
from app.reasoner.index import Fact, Index
from app.reasoner.joins import LINEAR, Join, is_variable, join
from app.reasoner.lists import SAME, Group
from app.reasoner.table import RULES, Pattern, Rule
from app.vocab import OWL, SUB_CLASS, SUB_PROPERTY, TYPE

REFLEXIVE = frozenset({SAME, SUB_CLASS, SUB_PROPERTY, OWL + "equivalentClass", OWL + "equivalentProperty"})
"""What every term is to itself; such a fact is understood and, unless asserted, not told (table.py)."""

_ASKS = {SUB_CLASS, lists.FIRST, SAME} | {
    intern(OWL + n) for n in ("someValuesFrom", "equivalentClass", "disjointWith", "complementOf", "onClass")
}
"""Where a datatype stands with one of these, a rule may ask which literals it has (dt-type2)."""

_LISTS = lists.LISTED | {lists.FIRST, lists.REST}

BY_PREDICATE, BY_CLASS = range(2)
"""The places of a fact by which joins are looked up."""


class Facts(Index["Facts"]):
    """Facts that are being closed, above those of the levels below."""

    def __init__(self, below: tuple[Facts, ...] = ()) -> None:
        super().__init__(below)
        self.line: list[Fact] = []
        self.stated: set[Fact] = set()
        self.met: set[Fact] = set()
        self.derivations: dict[Fact, Derivation] = {}
        self.clashes: dict[tuple[str, frozenset[Fact]], Clash] = {}
        self.joins: tuple[dict[Term, dict[Join, None]], ...] = ({}, {})
        self.equals: dict[Term, Equals] = {}
        self.has_equals: bool = any(level.has_equals for level in below)
        self.levels = (self, *reversed(below))
        self._at_node: dict[Term, dict[Fact, None]] = {}
        self._expanded: set[tuple[str, Fact, lists.Cells]] = set()
        self._literals: set[Term] = set()
        self._asked: set[Term] = set()

    # what joins and equality ask (joins.py, equals.py)

    def knows(self, fact: Fact) -> bool:
        """Whether a fact is indexed or waits in line."""
        return fact in self.met or bool(self.below and any(fact in level.met for level in self.below))

    def rule_of(self, fact: Fact) -> str | None:
        """By which rule a known fact was inferred; None where it was asserted."""
        for level in self.levels:
            if fact in level.derivations:
                return level.derivations[fact].rule
        return None

    def equals_of(self, term: Term) -> Equals | None:
        """The set of equals that a term is in."""
        for level in self.levels:
            if term in level.equals:
                return level.equals[term]
        return None

    def infer(self, fact: Fact, rule: str, premises: tuple[Fact, ...]) -> None:
        """Put a fact not known yet in line, with its derivation, and all pairs of equals that it makes."""
        s, p, o = fact
        if not isinstance(p, str) or (p == SAME and s == o):
            return
        if p == SAME and not equals.has_room(fact, self):
            self.report_bound(premises)
            return
        self.put(fact, rule, premises)
        if p == SAME:
            equals.merge(fact, self)

    def put(self, fact: Fact, rule: str, premises: tuple[Fact, ...]) -> None:
        """Put a fact not known yet in line, and nothing else."""
        self.met.add(fact)
        self.derivations[fact] = Derivation(rule, cast(tuple[Triple, ...], premises))
        self.line.append(fact)

    def clash(self, rule: str, premises: tuple[Fact, ...]) -> None:
        """Keep a contradiction, once whatever the order of its premises."""
        self.clashes.setdefault((rule, frozenset(premises)), Clash(rule, cast(tuple[Triple, ...], premises)))

    def report_bound(self, premises: tuple[Fact, ...]) -> None:
        """Say that more follows than is written out; the first time is enough."""
        if not any(rule == equals.BOUND for level in self.levels for rule, _ in level.clashes):
            self.clash(equals.BOUND, premises)

    # closing

    def close(self, triples: Iterable[Triple]) -> None:
        """Take facts in, the cells of lists first, and infer all that follows."""
        others: list[Fact] = []
        for fact in triples:
            if fact[0] == fact[2] and not _is_told(fact):
                self.stated.add(fact)
            if not self.knows(fact):
                self.met.add(fact)
                (self.line if fact[1] in (lists.FIRST, lists.REST) else others).append(fact)
        self.line += others
        for fact in self.line:
            self._index(fact)
            self._apply(fact)

    def _index(self, fact: Fact) -> None:
        s, p, o = fact
        derivation = self.derivations.get(fact)
        self.add(fact, step=derivation is None or derivation.rule not in LINEAR)
        for hook in _HOOKS.get(p, ()):
            if hook.object_ is None or hook.object_ == o:
                self._watch(hook.place, s if hook.on_subject else o, hook.join)

    def _watch(self, place: int, key: Term, found: Join) -> None:
        self.joins[place].setdefault(key, {})[found] = None

    def _apply(self, fact: Fact) -> None:
        s, p, o = fact
        if self.has_equals or p == SAME:
            equals.meet(fact, self)
        for found in _STATIC[BY_PREDICATE].get(p, ()):
            found(s, p, o, self)
        if p == TYPE:
            for found in _STATIC[BY_CLASS].get(o, ()):
                found(s, p, o, self)
        for level in self.levels:
            by_predicate, by_class = level.joins
            for found in by_predicate.get(p, ()):
                found(s, p, o, self)
            if p == TYPE:
                for found in by_class.get(o, ()):
                    found(s, p, o, self)
        if p in _LISTS or (p == TYPE and o in lists.GROUPS):
            self._expand_from(fact)
        if type(o) is not str:
            self._meet_literal(fact)
        elif p == TYPE and type(s) is not str and o in values.DATATYPES and values.excluded(s, o):
            self.clash("dt-not-type", (fact,))
        if p in _ASKS:
            for datatype in values.DATATYPES.intersection((s, o)):
                self._ask(datatype)

    # axioms with lists

    def _expand_from(self, fact: Fact) -> None:
        """The axioms that have a list by this fact, or members to be compared."""
        s, p, _ = fact
        if p in lists.LISTED:
            self._expand(fact)
        elif p == TYPE:
            for predicate in lists.MEMBERS:
                for head in tuple(self.objects(s, predicate)):
                    self._expand((s, predicate, head))
        else:
            for axiom in [each for level in self.levels for each in level._at_node.get(s, ())]:
                self._expand(axiom)

    def _expand(self, axiom: Fact) -> None:
        def visit(node: Term) -> None:
            self._at_node.setdefault(node, {})[axiom] = None

        found = tuple(islice(lists.read(axiom[2], self._values, visit), lists.LIMIT + 1))
        if len(found) > lists.LIMIT:
            self.report_bound((axiom,))
        for listed in found[: lists.LIMIT]:
            if axiom[1] in lists.MEMBERS:
                for group in lists.groups(axiom, listed, self.has):
                    if self._is_new(group.rule, axiom, listed):
                        self._start(group)
            elif self._is_new("", axiom, listed):
                for rule in lists.rules(axiom, listed):
                    join(rule, None)(None, None, None, self)
                    for place, premise in enumerate(rule.premises):
                        key = (BY_CLASS, premise.o) if premise.p == TYPE else (BY_PREDICATE, premise.p)
                        self._watch(*key, join(rule, place))

    def _values(self, node: Term, place: str) -> list[Term]:
        """What a cell has; what replacement made of it leads to the same facts and counts only where it is all."""
        found = list(self.objects(node, place))
        if len(found) < 2:
            return found
        return [o for o in found if self.rule_of((node, place, o)) not in equals.REPLACED] or found[:1]

    def _is_new(self, rule: str, axiom: Fact, listed: lists.Listed) -> bool:
        key = (rule, axiom, listed.cells)
        if any(key in level._expanded for level in self.levels):
            return False
        self._expanded.add(key)
        return True

    def _start(self, group: Group) -> None:
        def found(s: Term, p: Term, o: Term, facts: Facts) -> None:
            for premises in group.meet((s, p, o), facts):
                facts.clash(group.rule, premises)

        group.start(self, self.clash)
        if group.rule.startswith("eq-diff"):
            self._watch(BY_PREDICATE, SAME, found)
        else:
            for member in group.places:
                self._watch(BY_CLASS if group.rule == "cax-adc" else BY_PREDICATE, member, found)

    # literals

    def _meet_literal(self, fact: Fact) -> None:
        s, p, o = fact
        if type(o) is Typed and values.ill_typed(o) and self.rule_of(fact) is None:
            self.clash("dt-not-type", (fact,))
        if p == SAME and type(s) is not str and values.differ(s, o):
            self.clash("dt-diff", (fact,))
        if o not in self._literals and not (self.below and any(o in level._literals for level in self.below)):
            self._literals.add(o)
            for level in self.levels:
                for datatype in level._asked:
                    self._type(o, datatype)

    def _ask(self, datatype: str) -> None:
        """dt-type2, for the datatypes of which it matters what they have, and the literals that there are."""
        if not any(datatype in level._asked for level in self.levels):
            self._asked.add(datatype)
            for level in self.levels:
                for value in tuple(level._literals):
                    self._type(value, datatype)

    def _type(self, value: Term, datatype: Term) -> None:
        fact = (value, TYPE, datatype)
        if values.belongs(value, str(datatype)) and not self.knows(fact):
            self.infer(fact, "dt-type2", ())


class _Hook(NamedTuple):
    """When a fact with this predicate (and object) is indexed, its subject or object gets a join."""

    object_: Term | None
    on_subject: bool
    place: int
    join: Join


_STATIC: tuple[dict[Term, list[Join]], ...] = ({}, {})
_HOOKS: dict[Term, list[_Hook]] = {}


def _register(rule: Rule, place: int) -> None:
    """Say when a fact may be this premise: when its predicate is the premise's, or an axiom made its term matter."""
    premise = rule.premises[place]
    made = join(rule, place)
    if not is_variable(premise.p) and premise.p != TYPE:
        _STATIC[BY_PREDICATE].setdefault(premise.p, []).append(made)
        return
    if not is_variable(premise.p) and not is_variable(premise.o):
        _STATIC[BY_CLASS].setdefault(premise.o, []).append(made)
        return
    term, found_by = (premise.o, BY_CLASS) if premise.p == TYPE else (premise.p, BY_PREDICATE)
    axiom = _axiom(rule, place, term)
    hook = _Hook(None if is_variable(axiom.o) else axiom.o, axiom.s == term, found_by, made)
    _HOOKS.setdefault(axiom.p, []).append(hook)


def _axiom(rule: Rule, place: int, term: Term) -> Pattern:
    for other, axiom in enumerate(rule.premises):
        fixed = not is_variable(axiom.p) and (axiom.p != TYPE or not is_variable(axiom.o))
        if other != place and fixed and term in (axiom.s, axiom.o):
            return axiom
    raise ValueError(f"no axiom leads to premise {place} of {rule.name}")


for _each in RULES:
    if _each.name not in equals.RULES:
        for _place in range(len(_each.premises)):
            _register(_each, _place)


def close(triples: Iterable[Triple]) -> Closure:
    """The facts and all that the rules infer from them."""
    known = Facts()
    known.close(triples)
    return _closure(known, None)


def extend(base: Closure, triples: Iterable[Triple]) -> Closure:
    """What the facts add to a closure, which stays as it is. The cost is that of what follows from them."""
    if base._known is None:
        raise ValueError("only what `close` or `extend` made can be extended")
    known = Facts((*base._known.below, base._known))
    known.close(triples)
    return _closure(known, base)


def _closure(known: Facts, base: Closure | None) -> Closure:
    facts = {fact for fact in known.line if fact not in known.derivations or _is_told(fact)}
    facts |= {fact for fact in known.stated if base is None or not base.tells(fact)}
    return Closure(frozenset(facts), MappingProxyType(known.derivations), tuple(known.clashes.values()), base, known)


def _is_told(fact: Fact) -> bool:
    s, p, o = fact
    return isinstance(s, str) and not p.startswith("_:") and not (s == o and p in REFLEXIVE)
