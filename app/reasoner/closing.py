"""Facts -> what follows from them, with one derivation for each fact inferred, and every contradiction.

Semi-naive: a fact waits in line, is indexed when its turn comes, and is then joined once with what is indexed. Which
joins it meets is looked up by its predicate, by its class where it is a type, and by its terms where owl:sameAs
concerns them: a rule costs nothing for facts that no axiom of its kind concerns.

A layer is a Facts with a parent that it reads and never writes: dropping it is forgetting it, and what it costs
depends on what follows from its own facts. owl:sameAs is written out by the replacement rules rather than by a
representative for each set of equals: every fact keeps the name its author gave it, has a derivation of its own, and
a layer can add equals to a frozen base. Sets of equals are small here; their cost grows with the square of the size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from sys import intern
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, cast

from app.model import Term, Triple
from app.reasoner import lists, values
from app.reasoner.joins import Join, is_variable, join
from app.reasoner.table import RULES, Pattern, Rule
from app.vocab import OWL, SUB_CLASS, SUB_PROPERTY, TYPE

SOME = intern(OWL + "someValuesFrom")
SAME = lists.SAME
REFLEXIVE = frozenset({SAME, SUB_CLASS, SUB_PROPERTY, OWL + "equivalentClass", OWL + "equivalentProperty"})
"""What every term is to itself; such a fact is understood and not inferred (table.py)."""

BY_SUBJECT, BY_PREDICATE, BY_OBJECT, BY_CLASS = range(4)
"""The places of a fact by which joins are looked up."""

Fact: TypeAlias = tuple[Any, Any, Any]
"""A triple of generalised RDF: a literal may be its subject while rules are applied."""


class Derivation(NamedTuple):
    """The rule of the OWL 2 RL tables and the premises a fact was inferred from."""

    rule: str
    premises: tuple[Triple, ...]


class Clash(NamedTuple):
    """A rule whose premises contradict each other, and these premises."""

    rule: str
    premises: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class Closure:
    """Facts with what follows from them; `derivations` has an entry for each fact that was not asserted.

    Of an extension (`extend`), facts, derivations and clashes are those beyond its base. Premises can have a literal
    as their subject, as the tables allow; facts never have.
    """

    facts: frozenset[Triple]
    derivations: Mapping[Triple, Derivation]
    clashes: tuple[Clash, ...] = ()
    base: Closure | None = None
    _known: Facts | None = field(default=None, repr=False, compare=False)

    def holds(self, triple: Triple) -> bool:
        """Whether a fact was asserted or inferred, here or in the base."""
        return triple in self.facts or (self.base is not None and self.base.holds(triple))

    def derivation(self, triple: Triple) -> Derivation | None:
        """What a fact was inferred from; None where it was asserted or does not hold."""
        found = self.derivations.get(triple)
        return found if found or self.base is None else self.base.derivation(triple)

    def why(self, triple: Triple) -> tuple[Triple, ...]:
        """The asserted facts that a fact rests on, itself if it was asserted."""
        return self.why_all((triple,))

    def why_all(self, triples: Iterable[Triple]) -> tuple[Triple, ...]:
        """The asserted facts that several facts rest on, such as the premises of a Clash."""
        asserted: dict[Triple, None] = {}
        pending = list(triples)
        seen = set(pending)
        while pending:
            current = pending.pop()
            derivation = self.derivation(current)
            if derivation is None:
                asserted[current] = None
                continue
            for premise in derivation.premises:
                if premise not in seen:
                    seen.add(premise)
                    pending.append(premise)
        return tuple(asserted)


class Facts:
    """Facts indexed for joins, above those of a parent."""

    def __init__(self, parent: Facts | None = None) -> None:
        self.parent = parent
        self.line: list[Fact] = []
        self.met: set[Fact] = set()
        self.indexed: set[Fact] = set()
        self.derivations: dict[Fact, Derivation] = {}
        self.clashes: dict[tuple[str, frozenset[Fact]], Clash] = {}
        self.unfinished: list[Fact] = []
        self.fillers: set[str] = set()
        self._out: dict[Term, dict[Term, list[Term]]] = {}
        self._in: dict[Term, dict[Term, list[Term]]] = {}
        self._pairs: dict[Term, list[tuple[Term, Term]]] = {}
        self._cells: dict[tuple[Term, str], list[Term]] = {}
        self.joins: tuple[dict[Term, dict[Join, None]], ...] = tuple({} for _ in range(4))

    # what the joins ask (joins.py)

    def objects(self, s: Term, p: Term) -> Iterable[Term]:
        """What a subject has for a predicate."""
        found = self._out.get(s, _NONE).get(p, ())
        return found if self.parent is None else chain(self.parent.objects(s, p), found)

    def subjects(self, p: Term, o: Term) -> Iterable[Term]:
        """What has a value for a predicate."""
        found = self._in.get(o, _NONE).get(p, ())
        return found if self.parent is None else chain(self.parent.subjects(p, o), found)

    def pairs(self, p: Term) -> Iterable[tuple[Term, Term]]:
        """Subject and object of every fact with a predicate."""
        found = self._pairs.get(p, ())
        return found if self.parent is None else chain(self.parent.pairs(p), found)

    def between(self, s: Term, o: Term) -> Iterator[Term]:
        """The predicates of the facts with a subject and an object."""
        return (p for p, found in self.leaving(s) if found == o)

    def leaving(self, s: Term) -> Iterator[tuple[Term, Term]]:
        """Predicate and object of every fact with a subject."""
        if self.parent is not None:
            yield from self.parent.leaving(s)
        for p, objects in self._out.get(s, _NONE).items():
            for o in objects:
                yield p, o

    def entering(self, o: Term) -> Iterator[tuple[Term, Term]]:
        """Subject and predicate of every fact with an object."""
        if self.parent is not None:
            yield from self.parent.entering(o)
        for p, subjects in self._in.get(o, _NONE).items():
            for s in subjects:
                yield s, p

    def has(self, fact: Fact) -> bool:
        """Whether a fact is indexed: only such a fact is a premise."""
        return fact in self.indexed or (self.parent is not None and self.parent.has(fact))

    def knows(self, fact: Fact) -> bool:
        """Whether a fact is indexed or waits in line."""
        return fact in self.met or (self.parent is not None and self.parent.knows(fact))

    def infer(self, fact: Fact, rule: str, premises: tuple[Fact, ...]) -> None:
        """Put a fact not known yet in line, with its derivation."""
        s, p, o = fact
        if (s == o and p in REFLEXIVE) or not isinstance(p, str):
            return
        if rule.startswith("eq-rep") and not (isinstance(premises[0][0], str) and isinstance(premises[0][2], str)):
            return  # literals that are equal are one term; those that are not give a clash, and no facts
        self.met.add(fact)
        self.derivations[fact] = Derivation(rule, cast(tuple[Triple, ...], premises))
        self.line.append(fact)

    def clash(self, rule: str, premises: tuple[Fact, ...]) -> None:
        """Keep a contradiction, once whatever the order of its premises."""
        self.clashes.setdefault((rule, frozenset(premises)), Clash(rule, cast(tuple[Triple, ...], premises)))

    # closing

    def close(self, triples: Iterable[Triple]) -> None:
        """Take facts in and infer all that follows."""
        for fact in triples:
            if not self.knows(fact):
                self.met.add(fact)
                self.line.append(fact)
                if fact[1] in (lists.FIRST, lists.REST):
                    self._cells.setdefault((fact[0], fact[1]), []).append(fact[2])
        self._type_literals()
        for axiom in self._all_unfinished():
            self._expand(axiom)
        for fact in self.line:
            self._index(fact)
            self._apply(fact)

    def _index(self, fact: Fact) -> None:
        s, p, o = fact
        self.indexed.add(fact)
        self._out.setdefault(s, {}).setdefault(p, []).append(o)
        self._in.setdefault(o, {}).setdefault(p, []).append(s)
        self._pairs.setdefault(p, []).append((s, o))
        for hook in _HOOKS.get(p, ()):
            if hook.object_ is None or hook.object_ == o:
                self.joins[hook.place].setdefault(s if hook.on_subject else o, {})[hook.join] = None

    def _apply(self, fact: Fact) -> None:
        s, p, o = fact
        for found in _STATIC[BY_PREDICATE].get(p, ()):
            found(s, p, o, self)
        if p == TYPE:
            for found in _STATIC[BY_CLASS].get(o, ()):
                found(s, p, o, self)
        level: Facts | None = self
        while level is not None:
            by_subject, by_predicate, by_object, by_class = level.joins
            for found in by_predicate.get(p, ()):
                found(s, p, o, self)
            if p == TYPE:
                for found in by_class.get(o, ()):
                    found(s, p, o, self)
            if by_subject:
                for found in by_subject.get(s, ()):
                    found(s, p, o, self)
                for found in by_object.get(o, ()):
                    found(s, p, o, self)
            level = level.parent
        if p in lists.LISTED:
            self._expand(fact)
        if type(o) is not str:
            if values.ill_typed(o):
                self.clash("dt-not-type", (fact,))
            if p == SAME and type(s) is not str and values.differ(s, o):
                self.clash("dt-diff", (fact,))
        elif p == TYPE and type(s) is not str and o in values.DATATYPES and not values.belongs(s, o):
            self.clash("dt-not-type", (fact,))

    # axioms with lists

    def _cell(self, node: Term, place: str) -> list[Term]:
        found = self._cells.get((node, place))
        return found or (self.parent._cell(node, place) if self.parent is not None else [])

    def _all_unfinished(self) -> list[Fact]:
        return [] if self.parent is None else [*self.parent._all_unfinished(), *self.parent.unfinished]

    def _expand(self, axiom: Fact) -> None:
        listed = lists.items(axiom[2], self._cell)
        if listed is None:
            self.unfinished.append(axiom)
            return
        members, cells = listed
        for rule in lists.rules(axiom, members, cells):
            join(rule, None)(None, None, None, self)
            for place, premise in enumerate(rule.premises):
                where, key = (BY_CLASS, premise.o) if premise.p == TYPE else (BY_PREDICATE, premise.p)
                self.joins[where].setdefault(key, {})[join(rule, place)] = None

    # literals as instances of datatypes

    def _type_literals(self) -> None:
        """dt-type2, for the datatypes that a someValuesFrom names: no other rule asks whether a literal has one."""
        level: Facts | None = self.parent
        before: set[str] = set()
        while level is not None:
            before |= level.fillers
            level = level.parent
        self.fillers = {o for _, p, o in self.line if p == SOME and o in values.DATATYPES} - before
        for fact in tuple(self.line):
            self._type_literal(fact[2], self.fillers | before)
        level = self.parent if self.fillers else None
        while level is not None:
            for fact in level.line:
                self._type_literal(fact[2], self.fillers)
            level = level.parent

    def _type_literal(self, value: Term, datatypes: set[str]) -> None:
        if not isinstance(value, str):
            for datatype in sorted(datatypes):
                fact = (value, TYPE, datatype)
                if values.belongs(value, datatype) and not self.knows(fact):
                    self.infer(fact, "dt-type2", ())


class _Hook(NamedTuple):
    """When a fact with this predicate (and object) is indexed, its subject or object gets a join."""

    object_: Term | None
    on_subject: bool
    place: int
    join: Join


_NONE: dict[Term, list[Term]] = {}
_STATIC: tuple[dict[Term, list[Join]], ...] = tuple({} for _ in range(4))
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
    if premise.p == TYPE:
        wanted = {premise.o: BY_CLASS}
    else:
        wanted = {premise.p: BY_PREDICATE, premise.s: BY_SUBJECT, premise.o: BY_OBJECT}
    term, axiom = _axiom(rule, place, wanted)
    hook = _Hook(None if is_variable(axiom.o) else axiom.o, axiom.s == term, wanted[term], made)
    _HOOKS.setdefault(axiom.p, []).append(hook)


def _axiom(rule: Rule, place: int, wanted: Mapping[Term, int]) -> tuple[Term, Pattern]:
    for term in wanted:
        for other, axiom in enumerate(rule.premises):
            fixed = not is_variable(axiom.p) and (axiom.p != TYPE or not is_variable(axiom.o))
            if other != place and fixed and term in (axiom.s, axiom.o):
                return term, axiom
    raise ValueError(f"no axiom leads to premise {place} of {rule.name}")


for _each in RULES:
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
    known = Facts(base._known)
    known.close(triples)
    return _closure(known, base)


def _closure(known: Facts, base: Closure | None) -> Closure:
    facts = frozenset(fact for fact in known.line if isinstance(fact[0], str))
    return Closure(facts, MappingProxyType(known.derivations), tuple(known.clashes.values()), base, known)
