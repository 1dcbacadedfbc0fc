"""BKN-USR (PGM-KUS V1.0): what Basic Knowledge tells User State Refinement, and the User State it gets."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from app.exchange.entity import EntityState
from app.exchange.message import Correlation, Dialogue, Exchange, Identification, Metadata, OutcomeName, members
from app.exchange.parts import Items, Part, Share, data_type


class DeliberationFeedback(Part):
    """What is assumed about the User, what speaks against it, and what is asked."""

    Hypothesis: str | None = None
    Conflicts: Items[str] | None = None
    Question: str | None = None


class UserEngagement(Part):
    """How far the User takes part, as a number; the Engagement of an EntityState is another, in words."""

    Level: Share | None = None
    Mode: str | None = None


_UserEngagement: TypeAlias = UserEngagement


class RequestMembers(Part):
    """What only a Request carries."""

    Feedback: DeliberationFeedback | None = None
    """Request only. What the deliberation assumes about the User, what contradicts it, and what it asks."""
    UserID: str | None = None
    """Request only. The User that is meant."""


class ResponseMembers(Part):
    """What only a Response carries."""

    Outcome: OutcomeName | None = None
    """Response only. Whether there is an answer."""
    RefinedUserState: EntityState | None = None
    """Response only. The User State for the deliberation to go on with."""
    Engagement: _UserEngagement | None = None
    """Response only. How far the User takes part."""
    Provenance: Items[str] | None = None
    """Response only. What the refinement rests on."""


class BknUsr(Metadata, ResponseMembers, RequestMembers, Dialogue, Correlation, Identification):
    """Feedback to User State Refinement (Mode RQ) or the refined User State (Mode RS)."""

    model_config = data_type("BKN-USR V1.0", "PGM1/V1.0/data/BKNUSR.json")

    Header: Literal["PGM-KUS-V1.0"]


BKN_USR: Final = Exchange(
    name="BKN-USR",
    header="PGM-KUS-V1.0",
    model=BknUsr,
    request=members(RequestMembers),
    response=members(ResponseMembers, Correlation),
    request_needs=(),
    response_needs=("RequestID", "Outcome"),
)
