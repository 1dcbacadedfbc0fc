"""Verdicts -> what an explanation holds: findings, bindings, facts with their layer, effects, Repairs.

Rendered from what was recorded while deciding; nothing is evaluated again. Facts are `[subject, predicate, object]`
by name; `terms` gives the IRI of each name. What is no name has its `literal` beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import cast

from app.evaluate.wording import Names, missing_text
from app.model import Effect, Finding, Layer, Repair, RuleFailure, Term, Text, Triple, UsedFact, Verdict
from app.rules import Domain, Rule
from app.vocab import XSD

Json = dict[str, object]


class _Writer:
    """Names terms and remembers their IRIs."""

    def __init__(self, names: Names, domain: Domain) -> None:
        self._names = names
        self._domain = domain
        self.terms: dict[str, str] = {}

    def term(self, term: Term) -> str:
        """A term by its name; by its IRI where another has that name already."""
        name = self._names.name(term)
        if not isinstance(term, str):
            return name
        if term.startswith("_:"):
            return term
        name = name if self.terms.setdefault(name, term) == term else term
        self.terms[name] = term
        return name

    def triple(self, triple: Triple) -> list[str]:
        return [self.term(part) for part in triple]

    def fact(self, used: UsedFact) -> Json:
        because = [self.triple(premise) for premise in used.because]
        fact: Json = {"fact": self.triple(used.triple), "layer": str(used.layer), **_literal(used.triple[2])}
        return {**fact, "because": because} if because else fact

    def finding(self, finding: Finding) -> Json:
        rule = self._domain.rules[finding.rule]
        return {
            "rule": finding.rule,
            "source": finding.source,
            "title": rule.title.english,
            "clause": rule.clause,
            "status": str(finding.status),
            "text": finding.text,
            "bindings": {name: self.term(value) for name, value in sorted(finding.bindings.items())},
            "literals": {n: found for n, value in sorted(finding.bindings.items()) if (found := _literal(value))},
            "facts_used": [self.fact(used) for used in finding.used],
            "facts_missing": [*finding.missing, *self.negated(rule, finding)],
        }

    def negated(self, rule: Rule, finding: Finding) -> list[str]:
        """What the rule found to be absent: its negated patterns under the bindings."""
        negative = rule.pattern.negative if rule.pattern is not None else ()
        return [missing_text(pattern, finding.bindings, self._names) for pattern in negative]

    def effect(self, effect: Effect) -> Json:
        return {
            "added": [self.change(triple) for triple in effect.added],
            "removed": [self.change(triple) for triple in effect.removed],
        }

    def change(self, triple: Triple) -> list[object]:
        """A fact that is not yet, or no longer: with what its object is, where it is no name."""
        literal = _literal(triple[2])
        return [*self.triple(triple), literal["literal"]] if literal else [*self.triple(triple)]

    def repair(self, repair: Repair) -> Json:
        """A Repair, with the facts of the World that it wants."""
        told = repair_json(repair)
        edits: list[Json] = []
        for edit, said in zip(repair.edits, cast("list[Json]", told["edits"]), strict=True):
            edits.append({**said, **self.effect(edit.effect)} if edit.kind == "world" else said)
        return {**told, "edits": edits}


def _literal(term: Term) -> Json:
    """The datatype or language of a term that is no name."""
    if isinstance(term, str):
        return {}
    if isinstance(term, Text):
        return {"literal": {"language": term.lang} if term.lang else {"datatype": XSD + "string"}}
    if isinstance(term, Decimal):
        return {"literal": {"datatype": XSD + "decimal"}}
    return {"literal": {"datatype": XSD + "dateTime" if isinstance(term, datetime) else term.datatype}}


def repair_json(repair: Repair) -> Json:
    """A Repair for programs: its edits in order, and the statement that is then accepted."""
    return {
        "text": repair.text,
        "statement": repair.statement,
        "edits": [
            {key: value for key, value in _edit(edit.kind, edit.text, edit.statement, edit.needs) if value}
            for edit in repair.edits
        ],
    }


def explain(verdicts: Iterable[Verdict], names: Names, domain: Domain) -> Json:
    """The steps of a plan explained, and the IRIs of the names used."""
    writer = _Writer(names, domain)
    steps = [_step(verdict, writer) for verdict in verdicts]
    return {"steps": steps, "terms": dict(sorted(writer.terms.items())), "layers": [str(layer) for layer in Layer]}


def _step(verdict: Verdict, writer: _Writer) -> Json:
    return {
        "step": verdict.step,
        "statement": verdict.statement,
        "pa_status": str(verdict.status) if verdict.status is not None else None,
        "reason": verdict.reason,
        "evaluated_at": verdict.time.isoformat() if verdict.time is not None else None,
        "findings": [writer.finding(finding) for finding in verdict.findings],
        "permits": [writer.finding(finding) for finding in verdict.permits],
        "failures": [_failure(failed) for failed in verdict.failures],
        "not_applicable": list(verdict.not_applicable),
        "effects": writer.effect(verdict.effect),
        "repairs": [writer.repair(repair) for repair in verdict.repairs],
        "repairs_complete": verdict.repairs_complete,
        "notes": list(verdict.notes),
    }


def _failure(failed: RuleFailure) -> Mapping[str, object]:
    return {"rule": failed.rule, "source": failed.source, "status": str(failed.status), "message": failed.message}


def _edit(kind: str, text: str, statement: str, needs: str) -> tuple[tuple[str, str], ...]:
    return (("kind", kind), ("text", text), ("statement", statement), ("needs", needs))
