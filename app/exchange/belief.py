"""Proposition and Belief (MMC V2.5): what someone holds true."""

from __future__ import annotations

from typing import Literal, TypeAlias

from app.exchange.cues import Time
from app.exchange.metadata import DataExchangeMetadata
from app.exchange.mind import CognitiveState
from app.exchange.parts import Items, OpenPart, Share, ShortText, Whatever, data_type
from app.exchange.space import SpatialAttitude

_CognitiveState: TypeAlias = CognitiveState


class PropositionContent(OpenPart):
    """A statement in parts."""

    Subject: str | None = None
    SubjectType: Literal["PhysicalObject", "Entity", "Concept"] | None = None
    PredicateCategory: Literal["State", "Action", "Property", "Ownership", "Capability"] | None = None
    PredicateClass: Literal["is", "has", "can", "located_in", "performs"] | None = None
    Object: str | None = None
    ObjectType: Literal["Value", "Entity", "Concept"] | None = None
    Domain: Literal["PhysicalWorld", "SocialContext", "Self", "OtherEntity", "Task"] | None = None
    TemporalContext: Time | None = None
    SpatialContext: SpatialAttitude | None = None
    Modality: Literal["must", "may", "possible", "necessary"] | None = None


class Proposition(OpenPart):
    """A statement about something; the five members it requires are described one level deeper only."""

    model_config = data_type("Proposition V2.5", "MMC/V2.5/data/Proposition.json")

    Header: Literal["MMC-BLF-V2.5"] | None = None
    MInstanceID: str | None = None
    UEnvironmentID: str | None = None
    PropositionID: str | None = None
    PropositionTime: Time | None = None
    Proposition: PropositionContent | None = None
    Subject: Whatever
    PredicateCategory: Whatever
    PredicateClass: Whatever
    Object: Whatever
    Domain: Whatever
    DataXMData: DataExchangeMetadata | None = None
    DescrMetadata: ShortText | None = None


_Proposition: TypeAlias = Proposition


class CognitiveCondition(OpenPart):
    """A state of mind that a belief depends on."""

    CognitiveState: _CognitiveState | None = None


class BeliefContent(OpenPart):
    """What is believed, and how firmly."""

    Proposition: _Proposition
    Confidence: Share | None = None
    CognitiveStateConditions: Items[CognitiveCondition] | None = None


class Belief(OpenPart):
    """A belief of an Entity."""

    model_config = data_type("Belief V2.5", "MMC/V2.5/data/Belief.json")

    Header: Literal["MMC-EBL-V2.5"]
    MInstanceID: str | None = None
    UEnvironmentID: str | None = None
    BeliefID: str
    BeliefTime: Time | None = None
    BeliefData: BeliefContent
    DataXMData: DataExchangeMetadata | None = None
    DescrMetadata: ShortText | None = None
