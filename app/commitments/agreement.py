"""What a Request makes of the commitments of its dialogue: release, retain in array order, then answer under the
result (SEMANTICS 9). Pure: what is stored is the service's affair.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Final, Literal, TypeAlias

from app.commitments.conflicts import Conflict, Ground, Item, Standing
from app.commitments.forms import Form, Meaning, Naming, Reading
from app.commitments.names import Scope
from app.commitments.reading import read
from app.evaluate import Names
from app.evaluate.agreed import NOTHING_AGREED, Agreed
from app.model import Commitment, Term, Triple
from app.rules import Domain
from app.situation import Situation
from app.vocab import PREFIXES, dac

State: TypeAlias = Literal["retained", "released", "conflicting"]
Submitted: TypeAlias = tuple[str, str]
"""CommitmentID and Statement."""

MOST_RETAINED: Final = 1_000
"""Commitments that one dialogue keeps at a time (ours)."""
CONFLICTS_WITH: Final = dac("conflictsWith")


@dataclass(frozen=True, slots=True)
class Agreement:
    """Where the commitments of a dialogue stand after a Request.

    `kept` are all that are retained now; `retained` and `released` are what changes. `since` tells, for those kept
    that conflict with what the World or the packs say by now, since which version, and an empty text for those that
    did and do no more. `remarks` are sentences for the answer, `relations` {CommitmentID, dac:conflictsWith, what it
    meets}. `ever` says that the dialogue has retained some once.
    """

    statuses: tuple[tuple[str, State], ...] = ()
    kept: tuple[Commitment, ...] = ()
    retained: tuple[Commitment, ...] = ()
    released: tuple[str, ...] = ()
    since: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()
    relations: tuple[tuple[str, str, str], ...] = ()
    partial: bool = False
    ever: bool = False
    agreed: Agreed = NOTHING_AGREED
    namings: tuple[Naming, ...] = ()
    explanation: tuple[dict[str, Any], ...] = ()

    @property
    def phrases(self) -> dict[str, str]:
        """What each phrase means, folded."""
        return {naming.folded: naming.term for naming in self.namings}


NO_AGREEMENT: Final = Agreement()


@dataclass(slots=True)
class _Course:
    """The result as it comes about."""

    statuses: dict[str, State] = field(default_factory=dict)
    retained: list[Commitment] = field(default_factory=list)
    since: list[tuple[str, str]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    conflicts: list[tuple[Conflict, str]] = field(default_factory=list)
    readings: dict[str, tuple[str, Reading]] = field(default_factory=dict)
    partial: bool = False


def agree(
    before: Sequence[Commitment],
    submitted: Sequence[Submitted],
    released: Sequence[str],
    domain: Domain,
    names: Names,
    situation: Situation,
    user: str | None,
) -> Agreement:
    """The agreement that a Request leaves, on what was retained `before` it."""
    course = _Course()
    kept = _release(before, released, course)
    version = f"{'+'.join(domain.sources)}, World {situation.version}"
    scope = Scope(domain, names, situation, user)
    old = [_again(c, scope, course) for c in kept]
    fresh = _submit(kept, submitted, scope, course)
    standing = Standing(Ground.of(scope, (item.meaning for item in (*old, *fresh))))
    standing.take(old)
    _change(kept, standing.conflicts, version, course)
    told = len(standing.conflicts)
    standing.take(fresh)
    refused = {conflict.commitment_id: conflict for conflict in standing.conflicts[told:]}
    for item in fresh:
        if item.commitment_id in refused:
            course.statuses[item.commitment_id] = "conflicting"
            course.conflicts.append((refused[item.commitment_id], ""))
        else:
            course.statuses[item.commitment_id] = "retained"
            form = course.readings[item.commitment_id][1].form
            course.retained.append(Commitment(item.commitment_id, item.statement, form))
            course.remarks.append(_kept(item, course))
    stands = [item for item in fresh if item.commitment_id not in refused]
    course.remarks += (_closed(f"Noted, no conflict: {note.text}") for note in standing.noted(stands))
    return _agreement(course, released, before, standing)


def in_its_words(domain: Domain, names: Names, agreement: Agreement) -> tuple[Domain, Names]:
    """Grammar and names of the dialogue: phrases that it agreed on name what they mean."""
    phrases = [naming.phrase for naming in agreement.namings]
    if not phrases:
        return domain, names
    return replace(domain, grammar=domain.grammar.with_labels(phrases)), names.with_phrases(agreement.phrases)


def _release(before: Sequence[Commitment], released: Sequence[str], course: _Course) -> list[Commitment]:
    known = {each.commitment_id for each in before}
    unknown = dict.fromkeys(name for name in released if name not in known)
    if unknown:
        course.partial = True
        course.remarks.append(f"No commitment {_listed(unknown)} is retained here that could be released.")
    course.statuses |= {each.commitment_id: "retained" for each in before}
    for name in released:
        if name in known:
            course.statuses[name] = "released"
    return [each for each in before if each.commitment_id not in released]


def _read(name: str, statement: str, scope: Scope, course: _Course) -> Item:
    reading = read(statement, scope, "c" + sha256(f"{name}\n{statement}".encode("utf-8", "replace")).hexdigest()[:12])
    course.readings[name] = statement, reading
    if reading.meaning.naming is not None:
        scope.phrases.setdefault(reading.meaning.naming.folded, reading.meaning.naming.term)
    return Item(name, statement, reading.meaning)


def _again(kept: Commitment, scope: Scope, course: _Course) -> Item:
    """What was kept as text stays text, even if its words have come to name something."""
    if kept.form == Form.TEXT:
        course.readings[kept.commitment_id] = kept.statement, Reading(Form.TEXT)
        return Item(kept.commitment_id, kept.statement, Meaning())
    return _read(kept.commitment_id, kept.statement, scope, course)


def _submit(kept: Sequence[Commitment], submitted: Sequence[Submitted], scope: Scope, course: _Course) -> list[Item]:
    """What is new, read; the same again is retained, another Statement for a retained ID conflicts."""
    held = {each.commitment_id: each.statement for each in kept}
    fresh: list[Item] = []
    for name, statement in submitted:
        if name in held:
            if held[name] != statement:
                text = f"`{name}` conflicts with itself: it is retained with another Statement, which stays"
                course.conflicts.append((Conflict(name, "one Statement an ID", (name,), text=text), ""))
                course.statuses[name] = "conflicting"
            continue
        if len(held) >= MOST_RETAINED:
            course.partial = True
            course.remarks.append(f"`{name}` is not kept: a dialogue keeps at most {MOST_RETAINED:,} commitments.")
            continue
        held[name] = statement
        fresh.append(_read(name, statement, scope, course))
    return fresh


def _change(kept: Sequence[Commitment], conflicts: Sequence[Conflict], version: str, course: _Course) -> None:
    """Those kept that conflict now, since when; and those that did and do no more."""
    now = {conflict.commitment_id: conflict for conflict in conflicts}
    for commitment in kept:
        conflict = now.get(commitment.commitment_id)
        if conflict is not None:
            since = commitment.since or version
            course.statuses[commitment.commitment_id] = "conflicting"
            course.conflicts.append((conflict, since))
            if not commitment.since:
                course.since.append((commitment.commitment_id, since))
        elif commitment.since:
            course.since.append((commitment.commitment_id, ""))


def _kept(item: Item, course: _Course) -> str:
    reading = course.readings[item.commitment_id][1]
    said = f"`{item.commitment_id}` is retained as {reading.form.said}"
    return _closed(f"{said}: {reading.remark}" if reading.remark else said)


def _closed(sentence: str) -> str:
    return sentence if sentence.endswith(("?", "^", ".")) else f"{sentence}."


def _agreement(
    course: _Course, released: Sequence[str], before: Sequence[Commitment], standing: Standing
) -> Agreement:
    relations: list[tuple[str, str, str]] = []
    for conflict, since in course.conflicts:
        told = f"{conflict.text}, since {since}; what is known holds" if since else conflict.text
        course.remarks.append(_closed(told))
        relations += (
            (conflict.commitment_id, CONFLICTS_WITH, met) for met in (*conflict.commitments, *conflict.axioms)
        )
    had = {each.commitment_id for each in before}
    return Agreement(
        statuses=tuple(course.statuses.items()),
        kept=(*(each for each in before if each.commitment_id not in released), *course.retained),
        retained=tuple(course.retained),
        released=tuple(dict.fromkeys(name for name in released if name in had)),
        since=tuple(course.since),
        remarks=tuple(course.remarks),
        relations=tuple(dict.fromkeys(relations)),
        partial=course.partial,
        agreed=standing.agreed(),
        namings=tuple(item.meaning.naming for item in standing.items if item.meaning.naming is not None),
        explanation=tuple(_explained(course)),
    )


def _explained(course: _Course) -> Iterable[dict[str, Any]]:
    """Each commitment as it was read, with its status and the chain of a conflict."""
    conflicts = {conflict.commitment_id: (conflict, since) for conflict, since in course.conflicts}
    for name, status in course.statuses.items():
        told: dict[str, Any] = {"CommitmentID": name, "Status": status}
        if name in course.readings:
            statement, reading = course.readings[name]
            told |= {"Statement": statement, "form": reading.form.value}
            if reading.remark:
                told["remark"] = reading.remark
            if reading.meaning.facts:
                told["facts"] = [_written(fact) for fact in reading.meaning.facts]
        if name in conflicts:
            conflict, since = conflicts[name]
            chain = [
                {"fact": _written(step.fact), **({"by": step.rule} if step.rule else {"source": step.source})}
                | ({"from": [_written(premise) for premise in step.premises]} if step.premises else {})
                for step in conflict.chain
            ]
            told["conflict"] = {
                "rule": conflict.rule,
                "commitments": list(conflict.commitments),
                "axioms": list(conflict.axioms),
                "text": conflict.text,
                "chain": chain,
                **({"since": since} if since else {}),
            }
        yield told


def _written(fact: Triple) -> str:
    return " ".join(_term(term) for term in fact)


def _term(term: Term) -> str:
    if not isinstance(term, str):
        return f'"{term[0] if isinstance(term, tuple) else term}"'
    for prefix, iri in PREFIXES.items():
        if term.startswith(iri):
            return f"{prefix}:{term[len(iri) :]}"
    return term if term.startswith("_:") else f"<{term}>"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


__all__ = ["CONFLICTS_WITH", "MOST_RETAINED", "NO_AGREEMENT", "Agreement", "Form", "agree", "in_its_words"]
