"""EntityState (MMC V2.5): where someone is, how, and what it is after; the User State of BKN-USR."""

from __future__ import annotations

from typing import Literal, TypeAlias

from app.exchange.belief import Belief
from app.exchange.goal import Goal
from app.exchange.intent import Intent
from app.exchange.knowledge import Knowledge
from app.exchange.metadata import DataExchangeMetadata
from app.exchange.mind import CognitiveState, Emotion, Motivation, SocialAttitude
from app.exchange.parts import Items, Level, OpenPart, Part, ShortText, data_type
from app.exchange.space import SpaceTime, SpatialAttitude


class EntityEngagement(OpenPart):
    """How far the Entity takes part, in words; the Engagement of BKN-USR is another, with a number."""

    Level: Level
    Mode: Literal["passive", "interactive", "directive"]


class EntityFocus(OpenPart):
    """What the Entity attends to."""

    TargetType: Literal["object", "zone", "concept", "actor"]
    TargetID: str


class EntityCue(OpenPart):
    """How the Entity relates to time; other than the TemporalCue of an Intent."""

    CueType: Literal["explicit", "implicit", "relative"]
    CueValue: str


_SpatialAttitude: TypeAlias = SpatialAttitude
_CognitiveState: TypeAlias = CognitiveState
_Emotion: TypeAlias = Emotion
_SocialAttitude: TypeAlias = SocialAttitude
_Motivation: TypeAlias = Motivation
_Knowledge: TypeAlias = Knowledge


class EntityState(Part):
    """Everything that is told of an Entity at once."""

    model_config = data_type("EntityState V2.5", "MMC/V2.5/data/EntityState.json")

    Header: Literal["MMC-EST-V2.5"]
    MInstanceID: str | None = None
    UEnvironmentID: str | None = None
    EntityStateID: str
    EntityStateTime: SpaceTime | None = None
    SpatialAttitude: _SpatialAttitude
    CognitiveState: _CognitiveState
    Emotion: _Emotion
    SocialAttitude: _SocialAttitude
    Intentions: Items[Intent]
    Motivation: _Motivation
    Beliefs: Items[Belief]
    Goals: Items[Goal]
    Knowledge: Items[_Knowledge]
    Engagement: EntityEngagement
    Focus: EntityFocus
    TemporalCue: EntityCue
    DataXMData: DataExchangeMetadata | None = None
    DescrMetadata: ShortText | None = None
