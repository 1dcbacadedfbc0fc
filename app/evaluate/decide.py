"""One Process Action -> its Findings: rules, needs, and what they rest on (SEMANTICS 5).

A rule that cannot run is a RuleFailure; whether it matters is decided where the PA Status is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from app.evaluate.resolve import Bound
from app.evaluate.screening import rules_to_run
from app.evaluate.wording import Names, fill, say
from app.facts import BoundReached, Facts, OutsideSituation
from app.model import Finding, PAStatus, RuleFailure, Term, Triple, UsedFact
from app.rules import Domain, Rule
from app.rules.compiled import Compiled, Row
from app.rules.functions import ExpressionError
from app.rules.syntax import Constant, Match, Node

Values = Mapping[str, tuple[Term, ...]]


@dataclass(frozen=True, slots=True)
class Unmet:
    """A need that no rule met: where its Repairs are sought."""

    need: str
    target: Term


@dataclass(frozen=True, slots=True)
class Findings:
    """All that was found of one Process Action."""

    blocking: tuple[Finding, ...] = ()
    permits: tuple[Finding, ...] = ()
    failures: tuple[RuleFailure, ...] = ()
    not_applicable: tuple[str, ...] = ()
    unmet: tuple[Unmet, ...] = ()

    @property
    def status(self) -> PAStatus | None:
        """The decision table: the highest finding decides; none where a failed rule might have stood higher."""
        best = min((f.status for f in self.blocking), key=lambda s: s.rank, default=PAStatus.ACK)
        if any(failure.status.rank < best.rank for failure in self.failures):
            return None
        return best


def prebound(bound: Bound, step_iri: str, base: str, context: str, now: datetime) -> dict[str, tuple[Term, ...]]:
    """The value, or values, of every pre-bound variable; one without a value is not there."""
    values = dict(bound.values)
    values["step"] = (step_iri,)
    values["action"] = (bound.action.iri,)
    values["m_instance"] = (base,)
    values["context"] = (context,)
    values["now"] = (now,)
    if bound.actor is not None:
        values["actor"] = (bound.actor,)
    return values


def find(
    bound: Bound, values: Values, domain: Domain, facts: Facts, names: Names, *, one_by_one: bool = False
) -> Findings:
    """Run every rule of the Action and every rule that may meet its needs; `one_by_one` without screening them first,
    which finds the same.
    """
    blocking = [raised(domain.rules[rule], words, near, names.language) for rule, words, near in bound.raised]
    permits: list[Finding] = []
    failures: list[RuleFailure] = []
    unmet: list[Unmet] = []
    idle: list[str] = []
    let_through = None if one_by_one else rules_to_run(bound.action.name, values, domain, facts)
    rules, known_idle = let_through or (domain.blocking[bound.action.name], ())
    for rule in rules:
        found = run(rule, values, facts, names, bound.action.name)
        if found is None:
            idle.append(rule.id)
        elif isinstance(found, RuleFailure):
            failures.append(found)
        else:
            blocking += found
    for need, target in bound.needs:
        if bound.actor is None:
            continue
        met, failed = _meet(need, target, values, domain, facts, names, bound.action.name)
        if met is not None:
            permits.append(met)
        elif failed:
            failures += failed
        else:
            blocking.append(_not_permitted(need, target, values, domain, facts, names, bound.action.name))
            unmet.append(Unmet(need, target))
    blocking.sort(key=lambda f: (f.status.rank, f.rule, f.text))
    not_applicable = tuple(sorted((*known_idle, *idle))) if idle else known_idle
    return Findings(tuple(blocking), tuple(permits), tuple(failures), not_applicable, tuple(unmet))


def raised(rule: Rule, words: Mapping[str, str], near: tuple[str, ...] = (), language: str = "en") -> Finding:
    """The finding of a builtin rule; `missing` names what would have been right."""
    said = fill(rule.explain.of(language), words)
    return Finding(rule.id, rule.status, {}, said, missing=near, source=rule.source)


def run(rule: Rule, values: Values, facts: Facts, names: Names, action: str) -> list[Finding] | RuleFailure | None:
    """The findings of a rule, one for each solution; None where it is not applicable: a pre-bound variable has no
    value, or what the rule needs to be given is not there.
    """
    pattern = rule.pattern
    assert pattern is not None
    if not pattern.applies(values):
        return None
    try:
        fired = pattern.every(facts, values)
        if not fired:
            given = rule.given
            return [] if given is None or (given.applies(values) and given.every(facts, values)) else None
    except OutsideSituation as error:
        return failure(rule, str(error), outside=frozenset({error.entity}))
    except (BoundReached, ExpressionError, ArithmeticError) as error:
        return failure(rule, str(error))
    return [_finding(rule, bindings, unnamed, facts, names, action) for bindings, unnamed in _each(pattern, fired)]


def failure(rule: Rule, message: str, outside: frozenset[str] = frozenset()) -> RuleFailure:
    """A rule that could not run; one that would have met a need fails as the refusal it left open."""
    status = PAStatus.INS_RIGHTS if rule.need else rule.status
    return RuleFailure(rule.id, status, message, rule.source, outside=outside)


def solutions(pattern: Compiled, values: Values, facts: Facts) -> Iterable[tuple[dict[str, Term], dict[str, Term]]]:
    """Each solution with its hidden nodes. Raises LookupError where a parameter has no value."""
    if not pattern.applies(values):
        raise LookupError("a pre-bound variable of the pattern has no value")
    yield from _each(pattern, pattern.every(facts, values))


def _each(
    pattern: Compiled, fired: Iterable[tuple[Row, Mapping[Row, Row]]]
) -> Iterable[tuple[dict[str, Term], dict[str, Term]]]:
    for given, rows in fired:
        for row, hidden in rows.items():
            unnamed = {n: v for n, v in zip(pattern.hidden, hidden, strict=True) if v is not None} if hidden else {}
            yield _bindings(pattern, given, row), unnamed


def _bindings(pattern: Compiled, given: Row, row: Row) -> dict[str, Term]:
    bindings = dict(zip(pattern.parameters, given, strict=True))
    bindings.update(zip(pattern.outputs, row, strict=True))
    if None in row:  # a variable of another branch of a UNION
        return {name: value for name, value in bindings.items() if value is not None}
    return cast("dict[str, Term]", bindings)


def _finding(
    rule: Rule, bindings: dict[str, Term], hidden: dict[str, Term], facts: Facts, names: Names, action: str
) -> Finding:
    assert rule.pattern is not None
    return Finding(
        rule=rule.id,
        status=rule.status,
        bindings=bindings,
        text=say(rule.explain.of(names.language), bindings, names, facts, action),
        used=tuple(_used(rule.pattern, {**bindings, **hidden} if hidden else bindings, facts)),
        source=rule.source,
    )


def _used(pattern: Compiled, bindings: Mapping[str, Term], facts: Facts) -> list[UsedFact]:
    """The facts a finding rests on: the rule's positive triples under its bindings, each with its layer."""
    triples: dict[Triple, None] = {}
    for match in pattern.positive:
        _add_triples(match, bindings, facts, triples, sure=True)
    for match in pattern.possible:
        _add_triples(match, bindings, facts, triples, sure=False)
    return [facts.used(triple) for triple in triples]


def _add_triples(
    match: Match, bindings: Mapping[str, Term], facts: Facts, triples: dict[Triple, None], *, sure: bool
) -> None:
    s, o = _value(match.s, bindings), _value(match.o, bindings)
    if s is None or o is None:
        return
    sure = sure and not match.path.alternative
    for link in match.path.links:
        if link.least is not None:
            triples.update(dict.fromkeys(facts.chain(s, link.predicate, o, inverse=link.inverse)))
            continue
        start, end = (o, s) if link.inverse else (s, o)
        if isinstance(start, str) and (sure or end in facts.objects(start, link.predicate)):
            triples[start, link.predicate, end] = None


def _value(node: Node, bindings: Mapping[str, Term]) -> Term | None:
    return node.term if isinstance(node, Constant) else bindings.get(node.name)


def _meet(
    need: str, target: Term, values: Values, domain: Domain, facts: Facts, names: Names, action: str
) -> tuple[Finding | None, list[RuleFailure]]:
    """The first rule that meets a need; else those that could not run."""
    failed: list[RuleFailure] = []
    given = {**values, "target": (target,)}
    for rule in domain.permitting[need]:
        found = run(rule, given, facts, names, action)
        if isinstance(found, RuleFailure):
            failed.append(found)
        elif found:
            return found[0], []
    return None, failed


def _not_permitted(
    need: str, target: Term, values: Values, domain: Domain, facts: Facts, names: Names, action: str
) -> Finding:
    """Silence is no permission: what is needed, whose it is, and what each way of permitting lacked."""
    described = domain.needs[need]
    bindings: dict[str, Term] = {"target": target, "actor": values["actor"][0]}
    known = {**{name: terms[0] for name, terms in values.items()}, "target": target}
    about: tuple[str, ...] = ()
    used: tuple[UsedFact, ...] = ()
    if described.about is not None:
        try:
            found = list(solutions(described.about, {**values, "target": (target,)}, facts))
        except (LookupError, OutsideSituation, BoundReached):
            found = []
        said = [say(described.about_text.of(names.language), {**known, **b}, names, facts, action) for b, _ in found]
        about = tuple(dict.fromkeys(said))
        used = tuple(fact for b, hidden in found for fact in _used(described.about, {**b, **hidden}, facts))
        bindings |= {name: value for b, _ in found for name, value in b.items() if name not in values}
    spoken = names.language
    lacking = [say(r.missing.of(spoken), known, names, facts, action) for r in domain.permitting[need] if r.missing]
    rule = domain.rules["not_permitted"]
    text = fill(
        rule.explain.of(spoken),
        {
            "need": say(described.explain.of(spoken), known, names, facts, action),
            "about": f", {names.listing(about, 'and')}" if about else "",
            "ways": names.listing(lacking, "and_also") or names.say("nothing_allows"),
        },
    )
    return Finding(rule.id, rule.status, bindings, text, used, tuple(lacking), described.source)
