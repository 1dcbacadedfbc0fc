"""OWL 2 RL: what follows from a set of facts, with one derivation kept for each fact inferred.

Semi-naive: every new fact is joined once with what is already known. The rules here are those whose premises are a
fixed number of triples (names as in the OWL 2 RL/RDF tables of the W3C); the rest of the tables joins this table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from app.model import Term, Triple
from app.vocab import DOMAIN, OWL, RANGE, SUB_CLASS, SUB_PROPERTY, TYPE

EQUIVALENT_CLASS = OWL + "equivalentClass"
EQUIVALENT_PROPERTY = OWL + "equivalentProperty"
INVERSE_OF = OWL + "inverseOf"
DISJOINT = OWL + "disjointWith"


class Derivation(NamedTuple):
    """The rule of the OWL 2 RL tables and the premises a fact was inferred from."""

    rule: str
    premises: tuple[Triple, ...]


class Pattern(NamedTuple):
    """A triple of a rule; a name starting with `?` is a variable."""

    s: str
    p: str
    o: str


class Rule(NamedTuple):
    """Premises that share variables, and what they allow to infer."""

    name: str
    premises: tuple[Pattern, ...]
    conclusion: Pattern


def _rule(name: str, *patterns: tuple[str, str, str]) -> Rule:
    *premises, conclusion = (Pattern(*pattern) for pattern in patterns)
    return Rule(name, tuple(premises), conclusion)


RULES: tuple[Rule, ...] = (
    _rule("scm-sco", ("?c", SUB_CLASS, "?d"), ("?d", SUB_CLASS, "?e"), ("?c", SUB_CLASS, "?e")),
    _rule("scm-eqc1", ("?c", EQUIVALENT_CLASS, "?d"), ("?c", SUB_CLASS, "?d")),
    _rule("scm-eqc1", ("?c", EQUIVALENT_CLASS, "?d"), ("?d", SUB_CLASS, "?c")),
    _rule("scm-spo", ("?p", SUB_PROPERTY, "?q"), ("?q", SUB_PROPERTY, "?r"), ("?p", SUB_PROPERTY, "?r")),
    _rule("scm-eqp1", ("?p", EQUIVALENT_PROPERTY, "?q"), ("?p", SUB_PROPERTY, "?q")),
    _rule("scm-eqp1", ("?p", EQUIVALENT_PROPERTY, "?q"), ("?q", SUB_PROPERTY, "?p")),
    _rule("scm-dom2", ("?p", DOMAIN, "?c"), ("?q", SUB_PROPERTY, "?p"), ("?q", DOMAIN, "?c")),
    _rule("scm-rng2", ("?p", RANGE, "?c"), ("?q", SUB_PROPERTY, "?p"), ("?q", RANGE, "?c")),
    _rule("cax-sco", ("?x", TYPE, "?c"), ("?c", SUB_CLASS, "?d"), ("?x", TYPE, "?d")),
    _rule("prp-spo1", ("?x", "?p", "?y"), ("?p", SUB_PROPERTY, "?q"), ("?x", "?q", "?y")),
    _rule("prp-dom", ("?x", "?p", "?y"), ("?p", DOMAIN, "?c"), ("?x", TYPE, "?c")),
    _rule("prp-rng", ("?x", "?p", "?y"), ("?p", RANGE, "?c"), ("?y", TYPE, "?c")),
    _rule("prp-inv1", ("?x", "?p", "?y"), ("?p", INVERSE_OF, "?q"), ("?y", "?q", "?x")),
    _rule("prp-inv2", ("?x", "?q", "?y"), ("?p", INVERSE_OF, "?q"), ("?y", "?p", "?x")),
    _rule("prp-symp", ("?x", "?p", "?y"), ("?p", TYPE, OWL + "SymmetricProperty"), ("?y", "?p", "?x")),
    _rule(
        "prp-trp",
        ("?p", TYPE, OWL + "TransitiveProperty"),
        ("?x", "?p", "?y"),
        ("?y", "?p", "?z"),
        ("?x", "?p", "?z"),
    ),
)


@dataclass(frozen=True, slots=True)
class Closure:
    """Facts with what follows from them; `derivations` has an entry for each fact that was not asserted."""

    facts: frozenset[Triple]
    derivations: Mapping[Triple, Derivation]

    def why(self, triple: Triple) -> tuple[Triple, ...]:
        """The asserted facts that a fact rests on, itself if it was asserted."""
        asserted: dict[Triple, None] = {}
        pending, seen = [triple], {triple}
        while pending:
            current = pending.pop()
            derivation = self.derivations.get(current)
            if derivation is None:
                asserted[current] = None
                continue
            for premise in derivation.premises:
                if premise not in seen:
                    seen.add(premise)
                    pending.append(premise)
        return tuple(asserted)


class _Index:
    """Facts by predicate, by subject and predicate, by predicate and object: what the joins need."""

    def __init__(self) -> None:
        self.facts: set[Triple] = set()
        self._by_p: dict[str, list[Triple]] = {}
        self._by_sp: dict[tuple[str, str], list[Triple]] = {}
        self._by_po: dict[tuple[str, Term], list[Triple]] = {}

    def add(self, triple: Triple) -> None:
        s, p, o = triple
        self.facts.add(triple)
        self._by_p.setdefault(p, []).append(triple)
        self._by_sp.setdefault((s, p), []).append(triple)
        self._by_po.setdefault((p, o), []).append(triple)

    def matching(self, s: Term | None, p: Term | None, o: Term | None) -> Iterable[Triple]:
        if p is None:
            return [t for t in self.facts if (s is None or t[0] == s) and (o is None or t[2] == o)]
        if not isinstance(p, str):
            return ()
        if s is not None:
            found = self._by_sp.get((str(s), p), ())
            return found if o is None else [t for t in found if t[2] == o]
        if o is not None:
            return self._by_po.get((p, o), ())
        return self._by_p.get(p, ())


def close(triples: Iterable[Triple]) -> Closure:
    """The facts and all that RULES infer from them."""
    known = _Index()
    derivations: dict[Triple, Derivation] = {}
    pending = list(dict.fromkeys(triples))
    queued = set(pending)
    while pending:
        fact = pending.pop()
        known.add(fact)
        for rule in RULES:
            for inferred, premises in _consequences(rule, fact, known):
                if inferred not in queued:
                    queued.add(inferred)
                    derivations[inferred] = Derivation(rule.name, premises)
                    pending.append(inferred)
    return Closure(frozenset(known.facts), MappingProxyType(derivations))


def _consequences(rule: Rule, fact: Triple, known: _Index) -> Iterator[tuple[Triple, tuple[Triple, ...]]]:
    for place, pattern in enumerate(rule.premises):
        binding = _match(pattern, fact, {})
        if binding is None:
            continue
        rest = [(i, other) for i, other in enumerate(rule.premises) if i != place]
        for bound, found in _join(rest, binding, known):
            subject, predicate, value = (bound.get(term, term) for term in rule.conclusion)
            if isinstance(subject, str) and isinstance(predicate, str):
                found[place] = fact
                yield (subject, predicate, value), tuple(found[i] for i in range(len(rule.premises)))


def _join(
    rest: list[tuple[int, Pattern]], binding: dict[str, Term], known: _Index
) -> Iterator[tuple[dict[str, Term], dict[int, Triple]]]:
    if not rest:
        yield binding, {}
        return
    (place, pattern), *others = rest
    s, p, o = (binding.get(term) if term.startswith("?") else term for term in pattern)
    for triple in list(known.matching(s, p, o)):
        bound = _match(pattern, triple, binding)
        if bound is not None:
            for complete, found in _join(others, bound, known):
                yield complete, {place: triple, **found}


def _match(pattern: Pattern, triple: Triple, binding: dict[str, Term]) -> dict[str, Term] | None:
    bound = binding
    for name, term in zip(pattern, triple, strict=True):
        if not name.startswith("?"):
            if name != term:
                return None
            continue
        value = bound.get(name)
        if value is None:
            if bound is binding:
                bound = dict(binding)
            bound[name] = term
        elif value != term:
            return None
    return dict(bound) if bound is binding else bound
