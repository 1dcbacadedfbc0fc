"""Goal (MMC V2.5): what someone wants to reach. Of a LocationObject only that it is an object is asked."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, PlainValidator, WithJsonSchema

from app.exchange.metadata import DataExchangeMetadata
from app.exchange.parts import Amount, Items, Part, ShortText, TenSteps, data_type
from app.exchange.time import SimpleTime


def _object_or_text(value: Any) -> Any:
    if isinstance(value, dict | str):
        return value
    raise ValueError("a LocationObject or its identifier is expected")


Target: TypeAlias = Annotated[
    Any,
    PlainValidator(_object_or_text),
    WithJsonSchema({"oneOf": [{"type": "object"}, {"type": "string"}]}),
]
"""A LocationObject or an identifier."""


class GoalProvenance(Part):
    """Whether a human or a specification set the goal."""

    Source: Literal["human_command", "specification"]
    CommandID: str | None = None


class GoalPredicate(Part):
    """When the objective is reached."""

    Relation: Literal["enters", "leaves", "reaches", "contacts", "approaches", "proximity_threshold"] | None = None
    Reference: Target | None = None
    Threshold: Amount | None = None


class GoalConstraints(Part):
    """How urgent it is, and until when."""

    PriorityLevel: Literal["low", "normal", "high"] | None = None
    Deadline: SimpleTime | None = None


class Objective(Part):
    """One thing to be reached."""

    ObjectiveID: str
    ActionType: Literal["inform", "watch", "fetch", "greet", "act", "query"]
    Description: ShortText | None = None
    Priority: TenSteps | None = None
    """From 1 to 10."""
    Targets: Annotated[Items[Target], Field(min_length=1)] | None = None
    Predicate: GoalPredicate | None = None
    Constraints: GoalConstraints | None = None
    IntentPayload: str | None = None


class Goal(Part):
    """What an Entity wants to reach."""

    model_config = data_type("Goal V2.5", "MMC/V2.5/data/Goal.json")

    Header: Literal["MMC-GOA-V2.5"]
    MInstance: str
    UEnvironment: str
    GoalID: str
    GoalTime: SimpleTime
    SessionID: str
    Provenance: GoalProvenance
    Objectives: Annotated[Items[Objective], Field(min_length=1)]
    DataXMData: DataExchangeMetadata | None = None
    DescrMetadata: ShortText | None = None
