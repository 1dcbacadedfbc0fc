"""Intent (MMC V2.5): what someone is after.

Of the two published forms the newer is the rule, where Confidence stands for ConfidenceScore and ConfidenceLevel. The
older is taken as well: both are published open, and the older names are kept as members not known. Trace is required
in both and described in neither, so anything is taken for it.
"""

from __future__ import annotations

from typing import Final, Literal, Self, TypeAlias

from pydantic import ConfigDict, model_validator

from app.exchange.cues import TemporalCue, Time
from app.exchange.metadata import DataExchangeMetadata
from app.exchange.parts import Level, OpenPart, Share, ShortText, Whatever, data_type, depending
from app.exchange.space import SpatialAttitude

TYPES: Final = {
    "Informational": ("ask_fact", "request_summary", "compare_items", "define_term"),
    "Procedural": ("schedule_action", "trigger_behavior", "modify_state", "execute_command"),
    "Confirmational": ("confirm_action", "reject_suggestion", "clarify_input"),
    "Expressive": ("share_opinion", "express_emotion", "social_greeting", "gratitude"),
    "Spatial": ("move_object", "focus_zone", "highlight_area", "gesture_command"),
    "Meta-Interaction": ("request_help", "give_feedback", "query_capabilities", "report_issue"),
}
"""The Types of each Category."""

_TemporalCue: TypeAlias = TemporalCue


class Purpose(OpenPart):
    """The intent itself."""

    model_config = ConfigDict(json_schema_extra={"allOf": depending("Category", "Type", TYPES)})

    Category: Literal["Informational", "Procedural", "Confirmational", "Expressive", "Spatial", "Meta-Interaction"]
    Action: str
    """What is intended."""
    Type: str | None = None
    """One of those that go with the Category."""

    @model_validator(mode="after")
    def _type(self) -> Self:
        if self.Type is not None and self.Type not in TYPES[self.Category]:
            raise ValueError(f"the Type is none of Category {self.Category}")
        return self


class Modifiers(OpenPart):
    """How, when and where."""

    Urgency: Level | None = None
    Confidence: Literal["tentative", "neutral", "assertive"] | None = None
    """How sure whoever has the intent is."""
    TemporalCue: _TemporalCue | None = None
    SpatialAnchor: SpatialAttitude | None = None


class Intent(OpenPart):
    """What someone is after, as observed or as assigned."""

    model_config = data_type("Intent V2.5", "MMC/V2.5/data/Intent.json")

    Header: Literal["MMC-EIT-V2.5"]
    MInstanceID: str | None = None
    UEnvironmentID: str | None = None
    IntentID: str
    IntentTime: Time | None = None
    ID: str | None = None
    Intent: Purpose
    Parameters: Modifiers
    """May be empty."""
    Confidence: Share | None = None
    """How sure it is that this is the intent."""
    Trace: Whatever
    """Where it comes from, in any form."""
    DataXMData: DataExchangeMetadata | None = None
    DescrMetadata: ShortText | None = None
