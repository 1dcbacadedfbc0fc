"""Which axioms contradict each other: sets from which none can be left out (minimal justifications).

Every question is asked as a contradiction: a class has no members if one that is supposed contradicts the ontology, a
fact follows if its opposite does. Where the OWL 2 RL rules find the contradiction, its derivation leads to the few
axioms to be searched; elsewhere all are. The search leaves out halves, quarters and at last single axioms, asking a
DL reasoner each time; what it returns was seen to contradict itself, and to do so no longer without any one. Several
sets are found by leaving out an axiom of each known one in turn (Reiter's hitting sets).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import pyoxigraph as ox

from app.authoring.logic.axioms import LOGICAL, NEGATIVE, Axiom, Outgoing, Theory, as_facts, outgoing
from app.authoring.logic.reasoners import Limits, NotDone, Rustdl, hermit
from app.model import Triple
from app.reasoner import Closure, close, extend
from app.reasoner.equals import BOUND
from app.vocab import OWL, RDFS, SUB_CLASS, TYPE

SUPPOSED: Final = "urn:domain-access:supposed:"
"""Where the things live that a question supposes."""

RL: Final = "OWL 2 RL"
_TYPE: Final = ox.NamedNode(TYPE)
_THING: Final = ox.NamedNode(OWL + "Thing")
_ONE, _OTHER = (ox.NamedNode(SUPPOSED + name) for name in ("one", "other"))
_FEW: Final = 12  # so few axioms are left out one by one


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and what is supposed for it: with that, the ontology contradicts itself if the answer is yes."""

    text: str
    supposed: tuple[ox.Triple, ...] = ()
    about: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Justification:
    """Axioms that contradict each other, by which reasoner; `minimal` where each was seen to be needed."""

    axioms: tuple[Axiom, ...]
    by: str
    minimal: bool = True


@dataclass(slots=True)
class Budget:
    """What a search may cost: seconds, and questions to a reasoner."""

    seconds: float = 60.0
    questions: int = 600
    started: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float:
        """Seconds that are left, 0 where nothing is."""
        return max(self.seconds - (time.monotonic() - self.started), 0.0) if self.questions > 0 else 0.0


class Exhausted(Exception):  # noqa: N818 - it ends a search
    """The budget is used up."""


Contradicts = Callable[[Sequence[Axiom]], bool]


def inconsistency() -> Question:
    """Whether there is no model at all."""
    return Question("the ontology contradicts itself")


def no_members(iri: str) -> Question:
    """Whether a class can have no members."""
    return Question(f"{iri} can have no members", (ox.Triple(_ONE, _TYPE, ox.NamedNode(iri)),), frozenset({iri}))


def follows(s: str, p: str, o: ox.NamedNode | ox.Literal) -> Question | None:
    """Whether a fact follows; None where it cannot be asked as a contradiction."""
    subject, predicate = ox.NamedNode(s), ox.NamedNode(p)
    supposed = _opposite(subject, predicate, o)
    return Question(f"{s} {p} {o}", supposed, frozenset({s, p, o.value})) if supposed else None


def _opposite(s: ox.NamedNode, p: ox.NamedNode, o: ox.NamedNode | ox.Literal) -> tuple[ox.Triple, ...]:
    if isinstance(o, ox.Literal):
        return () if p.value.startswith((OWL, RDFS)) else _denied(s, p, o)
    if p.value == TYPE:
        return () if o.value.startswith(OWL) and o != ox.NamedNode(OWL + "Nothing") else _outside(s, o)
    simple = {
        SUB_CLASS: (ox.Triple(_ONE, _TYPE, s), *_outside(_ONE, o)),
        OWL + "disjointWith": (ox.Triple(_ONE, _TYPE, s), ox.Triple(_ONE, _TYPE, o)),
        OWL + "sameAs": (ox.Triple(s, ox.NamedNode(OWL + "differentFrom"), o),),
        OWL + "differentFrom": (ox.Triple(s, ox.NamedNode(OWL + "sameAs"), o),),
        RDFS + "subPropertyOf": (ox.Triple(_ONE, s, _OTHER), *_denied(_ONE, o, _OTHER)),
        RDFS + "domain": (ox.Triple(_ONE, s, _OTHER), *_outside(_ONE, o)),
        RDFS + "range": (ox.Triple(_ONE, s, _OTHER), *_outside(_OTHER, o)),
    }
    if p.value in simple:
        return simple[p.value]
    return () if p.value in LOGICAL or p.value.startswith((OWL, RDFS)) else _denied(s, p, o)


def _outside(s: ox.NamedNode, class_: ox.NamedNode) -> tuple[ox.Triple, ...]:
    node = ox.BlankNode()
    return (
        ox.Triple(s, _TYPE, node),
        ox.Triple(node, _TYPE, ox.NamedNode(OWL + "Class")),
        ox.Triple(node, ox.NamedNode(OWL + "complementOf"), class_),
    )


def _denied(s: ox.NamedNode, p: ox.NamedNode, o: ox.NamedNode | ox.Literal) -> tuple[ox.Triple, ...]:
    node = ox.BlankNode()
    target = "targetValue" if isinstance(o, ox.Literal) else "targetIndividual"
    said = (("sourceIndividual", s), ("assertionProperty", p), (target, o))
    return (
        ox.Triple(node, _TYPE, ox.NamedNode(NEGATIVE)),
        *(ox.Triple(node, ox.NamedNode(OWL + name), value) for name, value in said),
    )


class Search:
    """Finds justifications in one Theory, with the reasoners there are; what they share is worked out once."""

    def __init__(
        self,
        theory: Theory,
        rustdl: Rustdl | None,
        budget: Budget,
        limits: Limits = Limits(),  # noqa: B008 - it is frozen
        *,
        with_hermit: bool = True,
    ) -> None:
        self.with_hermit = with_hermit
        self.theory = theory
        self.rustdl = rustdl
        self.budget = budget
        self.limits = limits
        self._closed: Closure | None = None
        self._stated: dict[Triple, list[Axiom]] = {}

    def find(self, question: Question, most: int = 1) -> list[Justification]:
        """Up to so many justifications, the first found first; none where no reasoner finds a contradiction."""
        found: list[Justification] = []
        pending: list[frozenset[Axiom]] = [frozenset()]
        tried: set[frozenset[Axiom]] = set()
        while pending and len(found) < most and self.budget.left:
            left_out = pending.pop(0)
            if left_out in tried:
                continue
            tried.add(left_out)
            known = next((each for each in found if left_out.isdisjoint(each.axioms)), None)
            by = found[0].by if found else ""
            justification = known or self._one(question, left_out, by)
            if justification is None:
                continue
            if known is None:
                found.append(justification)
            pending += (left_out | {axiom} for axiom in justification.axioms)
        return found

    def _one(self, question: Question, left_out: frozenset[Axiom], by: str) -> Justification | None:
        """One that needs nothing left out; by one reasoner only where it is named."""
        axioms = [axiom for axiom in self.theory.axioms if axiom not in left_out]
        by_rules = self._by_rules(question, left_out)
        for candidates in filter(None, (by_rules, _related(axioms, question), axioms)):
            for name, contradicts in self._reasoners(question):
                if by not in {"", name}:
                    continue
                try:
                    if not contradicts(candidates):
                        continue
                except (NotDone, Exhausted):
                    continue
                return self._smallest(candidates, name, contradicts)
            if candidates is by_rules and by in {"", RL}:
                # no DL reasoner confirms it, or there is none: the rules themselves
                def clash(some: Sequence[Axiom]) -> bool:
                    return bool(_clashes(close(self._facts(some, question))))

                return self._smallest(candidates, RL, clash)
        return None

    def _smallest(self, candidates: Sequence[Axiom], by: str, contradicts: Contradicts) -> Justification:
        smallest = Smallest(contradicts)
        try:
            axioms = smallest.of(list(candidates))
        except (Exhausted, NotDone):
            return Justification(self._ordered(smallest.known), by, minimal=False)
        return Justification(self._ordered(axioms), by)

    def _ordered(self, axioms: Iterable[Axiom]) -> tuple[Axiom, ...]:
        wanted = set(axioms)
        return tuple(axiom for axiom in self.theory.axioms if axiom in wanted)

    def _reasoners(self, question: Question) -> Iterator[tuple[str, Contradicts]]:
        def said(axioms: Sequence[Axiom]) -> tuple[ox.Triple, ...]:
            if not self.budget.left:
                raise Exhausted
            self.budget.questions -= 1
            return (*self.theory.triples(axioms), *question.supposed)

        if self.rustdl is not None:
            rustdl = self.rustdl
            yield "rustdl", lambda axioms: rustdl.contradicts(said(axioms), self.budget.left)
        if not self.with_hermit:
            return
        yield (
            "HermiT",
            lambda axioms: (
                not hermit(
                    said(axioms), Limits(min(self.limits.seconds, self.budget.left), self.limits.megabytes)
                ).consistent
            ),
        )

    def _by_rules(self, question: Question, left_out: frozenset[Axiom]) -> list[Axiom]:
        """The axioms that the derivation of a contradiction rests on, of the one that needs fewest."""
        if left_out:
            axioms = [axiom for axiom in self.theory.axioms if axiom not in left_out]
            closure = close(self._facts(axioms, question))
        else:
            if self._closed is None:
                self._closed = close(as_facts(self.theory.triples()))
            closure = self._closed
            if question.supposed:
                closure = extend(closure, as_facts(question.supposed))
        clashes = _clashes(closure)
        if not clashes:
            return []
        found = [self._said_by(closure.why_all(premises), left_out) for premises in clashes[:100]]
        return min(found, key=len)

    def _said_by(self, facts: Iterable[Triple], left_out: frozenset[Axiom]) -> list[Axiom]:
        if not self._stated:
            for axiom in self.theory.axioms:
                for fact in as_facts(axiom.triples):
                    self._stated.setdefault(fact, []).append(axiom)
        found = (axiom for fact in facts for axiom in self._stated.get(fact, ()) if axiom not in left_out)
        return list(dict.fromkeys(found))

    def _facts(self, axioms: Sequence[Axiom], question: Question) -> Iterator[Triple]:
        return as_facts((*self.theory.triples(axioms), *question.supposed))


def _clashes(closure: Closure) -> list[tuple[Triple, ...]]:
    return [clash.premises for clash in closure.clashes if clash.rule != BOUND]


class Smallest:
    """A smallest part that still contradicts; `known` is one that does, the smallest seen so far."""

    def __init__(self, contradicts: Contradicts) -> None:
        self.contradicts = contradicts
        self.known: list[Axiom] = []

    def of(self, axioms: list[Axiom]) -> list[Axiom]:
        """Of axioms that contradict. Raises what the question raises."""
        self.known = axioms
        size = len(axioms)
        while size > 1:
            # of few, one by one at once: almost all of them are needed
            size = 1 if len(self.known) <= _FEW else (min(size, len(self.known)) + 1) // 2
            self._leave_out(size)
        if len(self.known) == 1 and self.contradicts([]):
            self.known = []
        return self.known

    def _leave_out(self, size: int) -> None:
        """Every part of so many axioms that is not needed."""
        at = 0
        while at < len(self.known):
            others = self.known[:at] + self.known[at + size :]
            if others and self.contradicts(others):
                self.known = others
            else:
                at += size


def _related(axioms: Sequence[Axiom], question: Question) -> list[Axiom]:
    """The axioms that lead on from what a question is about, in the direction in which an ontology defines things.

    A guess at what matters, far smaller than the whole; whoever uses it sees whether it contradicts.
    """
    if not question.about:
        return []
    known = set(question.about)
    waiting = [(axiom, *_sides(axiom)) for axiom in axioms]
    found: list[Axiom] = []
    while True:
        rest = []
        added = len(found)
        for axiom, left, right in waiting:
            if left <= known or (right and right <= known and axiom.root.predicate.value in _BOTH_WAYS):
                if axiom.root.predicate.value in _BOTH_ENDS and not (left | right) <= known:
                    rest.append((axiom, left, right))
                    continue
                found.append(axiom)
                known |= left | right
            else:
                rest.append((axiom, left, right))
        waiting = rest
        if len(found) == added:
            return found


_BOTH_WAYS: Final = {OWL + "equivalentClass", OWL + "inverseOf", OWL + "equivalentProperty", OWL + "sameAs"}
_BOTH_ENDS: Final = {OWL + "disjointWith", OWL + "propertyDisjointWith", OWL + "differentFrom"}


def _sides(axiom: Axiom) -> tuple[set[str], set[str]]:
    """The terms on the left of an axiom, and those on its right."""
    root, out = axiom.root, outgoing(axiom.triples)
    return set(_names(root.subject, out)), set(_names(root.object, out))


def _names(node: object, out: Outgoing) -> Iterator[str]:
    pending, seen = [node], set()
    while pending:
        current = pending.pop()
        if isinstance(current, ox.NamedNode) and not current.value.startswith((OWL, RDFS)):
            yield current.value
        if isinstance(current, ox.BlankNode) and current not in seen:
            seen.add(current)
            pending += (t.object for t in out.get(current, ()) if t.predicate != _TYPE)
