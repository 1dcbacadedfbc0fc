"""CognitiveState, Emotion, SocialAttitude and Motivation (MMC V2.5): how someone is and what drives it.

The newer form of each is the rule. It adds Confidence, and gives SocialAttitude the Header of V2.5; the Header
before, of V1.0, is taken as well. Motivation as published takes no data at all, since its conditions look for Type
inside Subtype; the evident intent is that each Type has its own Subtypes.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self, TypeAlias

from pydantic import model_validator

from app.exchange.cues import Time
from app.exchange.labels import COGNITIVE_STATES, EMOTIONS, SOCIAL_ATTITUDES, Choice
from app.exchange.metadata import DataExchangeMetadata
from app.exchange.parts import Level, OpenPart, Part, Share, ShortText, data_type, depending
from app.exchange.space import SpaceTime

CognitiveStateChoice: TypeAlias = Annotated[Any, Choice(COGNITIVE_STATES)]
EmotionChoice: TypeAlias = Annotated[Any, Choice(EMOTIONS)]
SocialAttitudeChoice: TypeAlias = Annotated[Any, Choice(SOCIAL_ATTITUDES)]

SUBTYPES: Final = {
    "goal-seeking": ("achieve_target", "maximize_gain", "reach_milestone", "complete_task"),
    "avoidance": ("risk_reduction", "error_prevention", "conflict_avoidance", "stress_minimization"),
    "affiliation": ("social_connection", "team_alignment", "group_acceptance", "relationship_building"),
    "curiosity": ("explore_information", "learn_new_skill", "discover_unknown", "test_hypothesis"),
    "control": ("assert_authority", "maintain_order", "optimize_process", "reduce_uncertainty"),
    "validation": ("seek_feedback", "gain_recognition", "confirm_belief", "prove_capability"),
}
"""The Subtypes of each Type of Motivation."""


class CognitiveState(Part):
    """How alert, interested, surprised or sure an Entity is."""

    model_config = data_type("CognitiveState V2.5", "MMC/V2.5/data/CognitiveState.json")

    Header: Literal["MMC-ECS-V2.5"]
    MInstanceID: str | None = None
    UEnvironmentID: str | None = None
    EntityCognitiveStateID: str | None = None
    EntityCognitiveStateSpaceTime: SpaceTime | None = None
    CognitiveStateCategory: CognitiveStateChoice
    Degree: Share | None = None
    """Intensity, from 0 to 1."""
    Confidence: Share | None = None
    """How sure it is that this is the state."""
    DataXMData: DataExchangeMetadata | None = None
    DescrMetadata: ShortText | None = None


class Emotion(Part):
    """What an Entity feels."""

    model_config = data_type("Emotion V2.5", "MMC/V2.5/data/Emotion.json")

    Header: Literal["MMC-EEM-V2.5"]
    MInstanceID: str | None = None
    UEnvironmentID: str | None = None
    EntityEmotionID: str | None = None
    EntityEmotionSpaceTime: SpaceTime | None = None
    EmotionCategory: EmotionChoice
    Degree: Share | None = None
    """Intensity, from 0 to 1."""
    Confidence: Share | None = None
    """How sure it is that this is the emotion."""
    DataXMData: DataExchangeMetadata | None = None
    DescrMetadata: ShortText | None = None


class SocialAttitude(Part):
    """How an Entity stands towards others."""

    model_config = data_type("SocialAttitude V2.5", "MMC/V2.5/data/SocialAttitude.json")

    Header: Literal["MMC-ESA-V2.5", "MMC-ESA-V1.0"]
    """The second in the older form."""
    MInstanceID: str | None = None
    UEnvironmentID: str | None = None
    SocialAttitudeID: str | None = None
    SocialAttitudeSpaceTime: SpaceTime | None = None
    SocialAttitudeCategory: SocialAttitudeChoice
    Degree: Share | None = None
    """Intensity, from 0 to 1."""
    Confidence: Share | None = None
    """How sure it is that this is the attitude."""
    DataXMData: DataExchangeMetadata | None = None
    DescrMetadata: ShortText | None = None


class Motivation(OpenPart):
    """What drives an Entity."""

    model_config = data_type(
        "Motivation V2.5", "MMC/V2.5/data/Motivation.json", allOf=depending("Type", "Subtype", SUBTYPES)
    )

    Header: Literal["MMC-MOT-V2.5"]
    MInstanceID: str | None = None
    UEnvironmentID: str | None = None
    MotivationID: str
    MotivationTime: Time | None = None
    ID: str | None = None
    Type: Literal["goal-seeking", "avoidance", "affiliation", "curiosity", "control", "validation"]
    Subtype: str
    """One of those that go with the Type."""
    Strength: Level
    Confidence: Share | None = None
    DataXMData: DataExchangeMetadata | None = None
    DescrMetadata: ShortText | None = None

    @model_validator(mode="after")
    def _subtype(self) -> Self:
        if self.Subtype not in SUBTYPES[self.Type]:
            raise ValueError("the Subtype is none of the Type")
        return self
