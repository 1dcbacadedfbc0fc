"""BKN-PRC (PGM-KPR V1.0): what Basic Knowledge asks of Prompt Creation, and what it gets."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from app.exchange.intent import Intent
from app.exchange.message import Correlation, Dialogue, Exchange, Identification, Metadata, OutcomeName, members
from app.exchange.parts import Amount, Index, Items, Part, Share, data_type

_Intent: TypeAlias = Intent


class Proposition(Part):
    """A statement about the context."""

    Subject: str
    Predicate: str
    Object: str | None = None
    Spatial: str | None = None
    Temporal: str | None = None


class Referent(Part):
    """What an expression means here."""

    Expression: str
    EntityID: str | None = None
    Confidence: Share | None = None
    """From 0 to 1."""


class ExpressiveConfiguration(Part):
    """How the A-User is to express itself."""

    Personality: str | None = None
    Role: str | None = None
    Locale: str | None = None
    Constraints: Items[str] | None = None


class ActionContext(Part):
    """What Basic Knowledge has to keep to in Process Actions and Action Objects."""

    Repertoire: Items[str] | None = None
    """Process Actions to choose from."""
    Vocabularies: Items[str] | None = None
    """Identifiers of the vocabularies for the actions of the Portable Avatar, as the Qualifiers name them."""
    MaxSteps: Index | None = None
    MLocations: Items[str] | None = None
    RightsRefs: Items[str] | None = None
    """Identifiers of Rights that the A-User holds."""
    WalletLimit: Amount | None = None
    Rules: Items[str] | None = None
    """Rules of the M-Instance that hold."""
    Affordances: Items[str] | None = None
    """What the Space affords, as Domain Access says."""


_ExpressiveConfiguration: TypeAlias = ExpressiveConfiguration
_ActionContext: TypeAlias = ActionContext


class Representation(Part):
    """The context as understood."""

    Text: str | None = None
    Intent: _Intent | None = None
    Propositions: Items[Proposition] | None = None
    ResolvedReferents: Items[Referent] | None = None
    GoalConstraints: Items[str] | None = None
    ExpressiveConfiguration: _ExpressiveConfiguration | None = None
    """How the A-User is to express itself."""
    ActionContext: _ActionContext | None = None
    """What Process Actions and Action Objects have to keep to."""


_Representation: TypeAlias = Representation


class RequestMembers(Part):
    """What only a Request carries."""

    Kind: (
        Literal[
            "more_context",
            "clarification",
            "referents",
            "intent",
            "propositions",
            "goal_constraints",
            "action_context",
        ]
        | None
    ) = None
    """Request only. What is asked for."""
    Question: str | None = None
    """Request only. The question in natural language."""
    EntityIDs: Items[str] | None = None
    """Request only. Entities and Items that are asked about."""


class ResponseMembers(Part):
    """What only a Response carries."""

    Outcome: OutcomeName | None = None
    """Response only. Whether there is an answer."""
    Representation: _Representation | None = None
    """Response only. The context, told more completely or otherwise."""


class BknPrc(Metadata, ResponseMembers, RequestMembers, Dialogue, Correlation, Identification):
    """A question to Prompt Creation (Mode RQ) or its answer (Mode RS)."""

    model_config = data_type("BKN-PRC V1.0", "PGM1/V1.0/data/BKNPRC.json")

    Header: Literal["PGM-KPR-V1.0"]


BKN_PRC: Final = Exchange(
    name="BKN-PRC",
    header="PGM-KPR-V1.0",
    model=BknPrc,
    request=members(RequestMembers),
    response=members(ResponseMembers, Correlation),
    request_needs=("Kind",),
    response_needs=("RequestID", "Outcome"),
)
