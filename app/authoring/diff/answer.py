"""One answer in a form in which two are compared, and how they differ."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.authoring.answers import short
from app.authoring.diff.difference import FlipKind
from app.evaluate import Names
from app.model import Triple, Verdict

_VERSION: Final = re.compile(r"\[((?:world )?[^\s\[\]@]+)@[^\s\[\]/]+")
"""The version in a source that a sentence names: `[world Home7@1-ab12]`, `[core@0.1.0/a_rule]`."""

_NOT_JUDGED: Final = "not judged"
_SURER: Final = 0.1
"""How much a Confidence must differ to be another answer."""

_BY_KIND: Final = {
    "semantic_grounding": FlipKind.GROUNDING,
    "affordances": FlipKind.AFFORDANCE,
    "constraints": FlipKind.CONSTRAINT,
    "behavioural_expectations": FlipKind.EXPECTATION,
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered.

    `status` is the PA Status or the Outcome; `said` the members of the answer, a line each; `surely` the Confidence
    of each that has one; `text` the Reason or the Text. Of a Verdict: `rules` that fired or permit, `repairs`, and
    the facts it rests on, as `triples` and as `facts` for readers; `about` is what these and the bindings name.
    """

    kind: str
    status: str = ""
    said: frozenset[str] = frozenset()
    surely: tuple[tuple[str, float], ...] = ()
    text: str = ""
    rules: frozenset[str] = frozenset()
    repairs: tuple[str, ...] = ()
    triples: frozenset[Triple] = frozenset()
    facts: frozenset[str] = frozenset()
    about: frozenset[str] = frozenset()


def not_asked(kind: str, why: str) -> Answer:
    """What a question comes to that could not be asked, though its world is there."""
    return Answer(kind, "cannot be asked", text=why)


def of_verdict(verdict: Verdict, names: Names) -> Answer:
    """A Verdict as an answer."""
    findings = (*verdict.findings, *verdict.permits)
    triples = frozenset(t for each in findings for used in each.used for t in (used.triple, *used.because))
    facts = {" ".join(names.name(term) for term in triple) for triple in triples}
    facts |= {f"missing: {text}" for each in findings for text in each.missing}
    return Answer(
        "verdict",
        str(verdict.status) if verdict.status is not None else _NOT_JUDGED,
        text=verdict.reason,
        rules=frozenset(each.rule for each in findings) | {failure.rule for failure in verdict.failures},
        repairs=tuple(each.text for each in verdict.repairs),
        triples=triples,
        facts=frozenset(facts),
        about=frozenset(term for triple in triples for term in triple if isinstance(term, str))
        | {value for each in findings for value in each.bindings.values() if isinstance(value, str)},
    )


def of_response(kind: str, response: Mapping[str, Any]) -> Answer:
    """A Response as an answer."""
    answer = response.get("Answer", {})
    said = [f"means {short(each['Class'])}" for each in answer.get("ObjectClasses", ())]
    said += [short(f"{e['Subject']} {e['Predicate']} {e['Object']}") for e in answer.get("Relations", ())]
    for each in answer.get("Affordances", ()):
        of = each.get("EntityID") or "the class"
        said.append(short(f"{of} affords {each['Action']} by {each.get('Class', '')}"))
    said += [f"limit: {_unversioned(each)}" for each in answer.get("Constraints", ())]
    said += [f"expected: {_unversioned(each)}" for each in answer.get("BehaviouralExpectations", ())]
    for step in response.get("Feasibility", {}).get("Steps", ()):
        said.append(f"step {step['Step']}: {step['PAStatus']}")
    said += [f"commitment {e['CommitmentID']}: {e['Status']}" for e in response.get("CommitmentStatus", ())]
    surely = [
        (short(e["Class"]), float(e["Confidence"])) for e in answer.get("ObjectClasses", ()) if "Confidence" in e
    ]
    if failure := response.get("Failure"):
        said.append(f"Failure of {_unversioned(failure['Service'])}")
    return Answer(kind, response["Outcome"], frozenset(said), tuple(surely), _unversioned(answer.get("Text", "")))


def of_rows(rows: tuple[tuple[str, ...], ...]) -> Answer:
    """The rows of a competency question as an answer."""
    return Answer("question", "answered", frozenset(" | ".join(row) for row in rows))


def flip_of(old: Answer, new: Answer) -> FlipKind | None:
    """How two answers to one question differ; None where they do not."""
    if old == new:
        return None
    if old.kind == "verdict":
        return _of_verdicts(old, new)
    if old.kind == "question":
        return FlipKind.QUESTION if (old.status, old.said) != (new.status, new.said) else None
    if (old.status, old.said) != (new.status, new.said) or _less_sure(old, new):
        return _BY_KIND.get(old.kind, FlipKind.ANSWER)
    return FlipKind.WORDING if old.text != new.text else None


def told(one: Answer, other: Answer) -> str:
    """An answer in a line, beside another: the PA Status, else what only this one says."""
    if one.kind == "verdict":
        return one.status
    said = [one.status] if one.status != other.status else []
    said += sorted(one.said - other.said)
    if one.surely != other.surely and not one.said ^ other.said:
        said += [f"{name} ({share:.0%})" for name, share in one.surely]
    return "; ".join(said) or "nothing of this"


def _unversioned(text: str) -> str:
    """A text as it is whichever version of a pack or a World it was made from."""
    return _VERSION.sub(r"[\1", text)


def _of_verdicts(old: Answer, new: Answer) -> FlipKind | None:
    if old.status != new.status:
        if _NOT_JUDGED in (old.status, new.status) or "cannot be asked" in (old.status, new.status):
            return FlipKind.UNJUDGED
        if old.status == "Ack":
            return FlipKind.REFUSED
        return FlipKind.ACCEPTED if new.status == "Ack" else FlipKind.STATUS
    if old.rules != new.rules:
        return FlipKind.REASON
    if old.repairs != new.repairs:
        return FlipKind.REPAIR
    return FlipKind.WORDING if old.text != new.text else None


def _less_sure(old: Answer, new: Answer) -> bool:
    before, after = dict(old.surely), dict(new.surely)
    return any(abs(before.get(name, 0) - after.get(name, 0)) >= _SURER for name in before.keys() | after.keys())
