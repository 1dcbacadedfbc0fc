"""BKN-PAL (PGM-KPA V1.0): what Basic Knowledge asks of Personality Alignment, and what it gets."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from app.exchange.message import Correlation, Dialogue, Exchange, Identification, Metadata, OutcomeName, members
from app.exchange.parts import Items, Part, data_type


class StanceConstraints(Part):
    """What the stance has to keep to."""

    Role: str | None = None
    Locale: str | None = None
    ExpressiveConstraints: Items[str] | None = None


class Stance(Part):
    """How the A-User is to stand to what goes on."""

    Label: str
    Role: str | None = None
    Locale: str | None = None
    ExpressiveConstraints: Items[str] | None = None
    Rationale: str | None = None


_Stance: TypeAlias = Stance


class RequestMembers(Part):
    """What only a Request carries."""

    Question: str | None = None
    """Request only. The question about the stance in natural language."""
    Constraints: StanceConstraints | None = None
    """Request only. What the stance has to keep to."""


class ResponseMembers(Part):
    """What only a Response carries."""

    Outcome: OutcomeName | None = None
    """Response only. Whether there is an answer."""
    Stance: _Stance | None = None
    """Response only. The stance chosen, with its role and locale."""


class BknPal(Metadata, ResponseMembers, RequestMembers, Dialogue, Correlation, Identification):
    """A question to Personality Alignment (Mode RQ) or its answer (Mode RS)."""

    model_config = data_type("BKN-PAL V1.0", "PGM1/V1.0/data/BKNPAL.json")

    Header: Literal["PGM-KPA-V1.0"]


BKN_PAL: Final = Exchange(
    name="BKN-PAL",
    header="PGM-KPA-V1.0",
    model=BknPal,
    request=members(RequestMembers),
    response=members(ResponseMembers, Correlation),
    request_needs=(),
    response_needs=("RequestID", "Outcome"),
)
