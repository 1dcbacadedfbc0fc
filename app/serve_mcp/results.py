"""The answer of a tool: the members of a Response in plain form, within a budget of tokens (DESIGN 7)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from app.serve_mcp.schemas import untitled

BUDGET: Final = 8_000
"""Characters of one answer, about 2,000 tokens; what does not fit is told and can be asked for."""

SENTENCES: Final = 600
"""Characters of one Reason, Text or sentence within an answer."""


class Told(BaseModel):
    """A part of an answer."""

    model_config = ConfigDict(json_schema_extra=untitled)


class Edit(Told):
    """replace: the step's statement anew; insert: `statement` put before it; insert_by_other: the same, but the
    Process `needs` must do it; world: a fact that `needs`, or the M-Instance, must bring about.
    """

    kind: str
    text: str
    statement: str = ""
    needs: str = ""


class Repair(Told):
    """Edits after which the step was judged again and accepted; `statement` is the step then."""

    text: str
    statement: str
    edits: list[Edit]


class Step(Told):
    """The verdict on one step: Ack, or why not. Repairs were tried; any one of them is enough."""

    step: int
    statement: str
    pa_status: str
    reason: str
    repairs: list[Repair] = Field(default_factory=list)


class Class(Told):
    """A class of the domain; `term` is the word that it grounds."""

    term: str = ""
    class_iri: str
    label: str = ""
    confidence: float | None = None


class Use(Told):
    """Something that can be done with `entity`, since it is of the class that grants it."""

    action: str
    entity: str = ""
    class_iri: str = ""


class Link(Told):
    """How two things are related."""

    subject: str
    predicate: str
    object: str


class ToolAnswer(Told):
    """What every tool of a Kind gives back; lists that a Kind has nothing for are empty."""

    outcome: str = Field(description="answered, partially_answered or not_answered")
    text: str = Field(description="The answer in words.")
    dialogue: str = Field(description="Give this as `dialogue` to go on with what was said.")
    query_id: str = Field(description="Why: the resource domain-access://answers/{query_id}")
    overall: str = Field("", description="feasible, partially_feasible or infeasible")
    steps: list[Step] = Field(default_factory=list, description="A step without a verdict is not among them.")
    classes: list[Class] = Field(default_factory=list)
    affordances: list[Use] = Field(default_factory=list)
    constraints: list[str] = Field(default_factory=list)
    behavioural_expectations: list[str] = Field(default_factory=list)
    relations: list[Link] = Field(default_factory=list)
    commitments: dict[str, str] = Field(default_factory=dict, description="Identifier -> its state")
    sources: list[str] = Field(default_factory=list)
    failure: str = Field("", description="A source or rule that did not deliver.")
    left_out: int = Field(0, description="Entries that did not fit.")
    next_offset: int | None = Field(None, description="Give this as `offset`, with the same arguments, for the rest.")


def answer_of(
    response: Mapping[str, Any], explanation: Mapping[str, Any], plan: Sequence[str], dialogue: str, offset: int
) -> ToolAnswer:
    """A Response as a tool gives it, from entry `offset` on."""
    said = response.get("Answer", {})
    failure = response.get("Failure", {})
    found = ToolAnswer(
        outcome=response["Outcome"],
        text=_cut(said.get("Text") or _plainly(response)),
        dialogue=dialogue,
        query_id=response["QueryID"],
        overall=response.get("Feasibility", {}).get("Overall", ""),
        sources=list(response.get("SourcesUsed", ())),
        failure=_cut(f"{failure['Service']}: {failure.get('Request', '')}") if failure else "",
    )
    return _within(found, list(_entries(response, explanation, plan)), offset)


def _entries(
    response: Mapping[str, Any], explanation: Mapping[str, Any], plan: Sequence[str]
) -> Iterator[tuple[str, Any]]:
    """Every entry of every list, in the order in which they are given."""
    said = response.get("Answer", {})
    why = {step["step"]: step for step in explanation.get("steps", ())}
    for step in response.get("Feasibility", {}).get("Steps", ()):
        number = int(step["Step"])
        repairs = [Repair.model_validate(each) for each in why.get(number, {}).get("repairs", ())]
        statement = _cut(plan[number]) if number < len(plan) else ""
        reason = _cut(step.get("Reason", ""))
        yield (
            "steps",
            Step(step=number, statement=statement, pa_status=step["PAStatus"], reason=reason, repairs=repairs),
        )
    relations = [
        Link(subject=r["Subject"], predicate=r["Predicate"], object=r["Object"]) for r in said.get("Relations", ())
    ]
    grounds = {(link.object): link.subject for link in relations if link.predicate == "dac:groundsTo"}
    for each in said.get("ObjectClasses", ()):
        yield (
            "classes",
            Class(
                term=grounds.get(each["Class"], ""),
                class_iri=each["Class"],
                label=each.get("Label", ""),
                confidence=each.get("Confidence"),
            ),
        )
    for each in said.get("Affordances", ()):
        yield (
            "affordances",
            Use(action=each["Action"], entity=each.get("EntityID", ""), class_iri=each.get("Class", "")),
        )
    for each in said.get("Constraints", ()):
        yield "constraints", _cut(each)
    for each in said.get("BehaviouralExpectations", ()):
        yield "behavioural_expectations", _cut(each)
    for each in response.get("CommitmentStatus", ()):
        yield "commitments", (each["CommitmentID"], each["Status"])
    for link in relations:
        yield "relations", link


def _within(found: ToolAnswer, entries: list[tuple[str, Any]], offset: int) -> ToolAnswer:
    """As many entries as the budget has room for, one at least."""
    room = BUDGET - len(found.model_dump_json())
    taken = 0
    for name, entry in entries[offset:]:
        size = len(entry.model_dump_json() if isinstance(entry, BaseModel) else json.dumps(entry)) + 2
        if taken and size > room:
            break
        if name == "commitments":
            found.commitments.update([entry])
        else:
            getattr(found, name).append(entry)
        room -= size
        taken += 1
    left = len(entries) - offset - taken
    if left > 0:
        return found.model_copy(update={"left_out": left, "next_offset": offset + taken})
    return found


def _cut(text: str) -> str:
    return text if len(text) <= SENTENCES else f"{text[: SENTENCES - 1]}…"


def _plainly(response: Mapping[str, Any]) -> str:
    """A sentence for an answer without a Text: no answer is silent."""
    return {
        "answered": "Answered.",
        "partially_answered": "Answered in part.",
        "not_answered": "There is no answer to that here.",
    }.get(response["Outcome"], "")
