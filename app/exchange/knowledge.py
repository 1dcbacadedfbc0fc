"""Knowledge (MMC V2.5): what someone knows, and on what it rests.

As published, with two exceptions. `Uncertainty` requires a member that it neither declares nor lets be undeclared; it
is asked for where it is declared, in `bySource`. And the keywords that slipped out of `Entity` among the members of
Knowledge are not taken for members.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, NotRequired, Self, TypeAlias

from pydantic import ConfigDict, Field, model_validator
from typing_extensions import TypedDict

from app.exchange.belief import Proposition
from app.exchange.cues import Time
from app.exchange.metadata import DataExchangeMetadata
from app.exchange.parts import DateTime, Foreign, Items, OpenPart, Part, Share, ShortText, Uri, Whatever, data_type

_Proposition: TypeAlias = Proposition


class KnowingEntity(OpenPart):
    """Whose knowledge it is."""

    ID: Whatever


class Justification(Part):
    """What knowledge rests on."""

    type: Literal["perception", "testimony", "memory", "inference", "document", "sensor", "other"]
    strength: Share
    source: Uri | None = None
    timestamp: DateTime | None = None
    note: str | None = None


class Perspective(Part):
    """Who ascribes the knowledge, and to whom."""

    AttributorID: str | None = None
    TargetID: str | None = None
    EstimationConfidence: Share | None = None


class KnowledgeTimes(Part):
    """When it was learnt, and for how long it holds."""

    ObservedAt: Time | None = None
    ValidityInterval: Time | None = None


class KnowledgeVersion(Part):
    """Which version of the knowledge this is."""

    supersedes: str | None = None
    validityInterval: Time | None = None  # noqa: N815
    subversion: Annotated[str, Field(pattern=r"^[0-9]+$")] | None = None
    dotSeparator: Literal["."] | None = None  # noqa: N815
    lineage: Items[str] | None = None


class KnowledgeGraphRef(Part):
    """Where the knowledge stands in a graph."""

    graphURI: Uri | None = None  # noqa: N815
    nodeID: str | None = None  # noqa: N815
    subgraph: str | None = None


class SocialContext(Part):
    """Among whom the knowledge holds."""

    groups: Items[str] | None = None
    roles: Items[str] | None = None
    authority: str | None = None
    relations: Items[str] | None = None


class KnowledgeSetting(Part):
    """In which epoch or scenario it holds."""

    epoch: str | None = None
    scenario: str | None = None


class SourceConfidence(OpenPart):
    """How sure one source is."""

    source: str
    Confidence: Share | None = None


class Uncertainty(Part):
    """How uncertain it is, by which model."""

    model: Literal["point", "interval", "distribution", "other"] | None = None
    params: Foreign | None = None
    bySource: Items[SourceConfidence] | None = None  # noqa: N815


class Attribution(Part):
    """Whom it is owed to."""

    agentID: str | None = None  # noqa: N815
    role: str | None = None
    license: str | None = None
    credit: str | None = None


class Explanation(Part):
    """Why it is held."""

    text: str | None = None
    method: Literal["abductive", "deductive", "causal", "counterfactual", "other"] | None = None
    evidenceRef: Items[str] | None = None  # noqa: N815


class Prediction(Part):
    """What follows from it, and by when."""

    proposition: _Proposition | None = None
    Confidence: Share | None = None
    horizon: Time | None = None


Conflict = TypedDict(  # a class cannot have a member named `with`
    "Conflict",
    {
        "with": NotRequired[str],
        "type": NotRequired[Literal["logical", "empirical", "policy", "other"]],
        "status": NotRequired[Literal["detected", "under-review", "resolved"]],
        "note": NotRequired[str],
    },
)
Conflict.__doc__ = "What it contradicts."
Conflict.__pydantic_config__ = ConfigDict(extra="forbid", strict=True)  # type: ignore[attr-defined]


class DirectiveAlignment(Part):
    """How far it agrees with a Directive."""

    directiveID: str | None = None  # noqa: N815
    alignment: Share | None = None
    note: str | None = None


class Governance(Part):
    """Who may have it, and for how long."""

    access: Literal["public", "restricted", "private"] | None = None
    retention: str | None = None
    consent: str | None = None


_Perspective: TypeAlias = Perspective
_KnowledgeGraphRef: TypeAlias = KnowledgeGraphRef
_SocialContext: TypeAlias = SocialContext
_Uncertainty: TypeAlias = Uncertainty
_Attribution: TypeAlias = Attribution
_Governance: TypeAlias = Governance

_ENTAILED: Final[dict[str, dict[str, Any]]] = {
    "known": {"TruthValue": "true", "Belief": True, "Awareness": True},
    "false-belief": {"TruthValue": "false", "Belief": True},
    "believed": {"Belief": True},
}
"""What an EpistemicStatus says of other members."""


def _entailed(status: str, values: dict[str, Any]) -> dict[str, Any]:
    properties: dict[str, Any] = {name: {"const": value} for name, value in values.items()}
    if status == "known":
        properties["Justifications"] = {"minItems": 1}
    return {
        "if": {"required": ["EpistemicStatus"], "properties": {"EpistemicStatus": {"const": status}}},
        "then": {"required": [*properties], "properties": properties},
    }


class Knowledge(Part):
    """What an Entity knows, believes, wrongly believes or does not know."""

    model_config = data_type(
        "Knowledge V2.5",
        "MMC/V2.5/data/Knowledge.json",
        allOf=[_entailed(status, values) for status, values in _ENTAILED.items()],
    )

    Header: Literal["MMC-EKN-V2.5"]
    MInstanceID: str | None = None
    Entity: KnowingEntity
    Proposition: _Proposition
    TruthValue: Literal["true", "false", "unknown"] | None = None
    Belief: bool | None = None
    Awareness: bool | None = None
    EpistemicStatus: Literal["known", "believed", "false-belief", "uncertain", "unknown"]
    """Of these, known, false-belief and believed fix TruthValue, Belief and Awareness."""
    Confidence: Share | None = None
    Justifications: Items[Justification] | None = None
    """At least one for what is known."""
    Perspective: _Perspective | None = None
    Temporal: KnowledgeTimes | None = None
    Versioning: KnowledgeVersion | None = None
    KnowledgeGraphRef: _KnowledgeGraphRef | None = None
    SocialContext: _SocialContext | None = None
    TemporalContext: KnowledgeSetting | None = None
    Uncertainty: _Uncertainty | None = None
    Attribution: _Attribution | None = None
    Explanations: Items[Explanation] | None = None
    Predictions: Items[Prediction] | None = None
    Conflicts: Items[Conflict] | None = None
    AlignmentWithDirective: DirectiveAlignment | None = None
    Governance: _Governance | None = None
    DataXMData: DataExchangeMetadata | None = None
    DescrMetadata: ShortText | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for name, value in _ENTAILED.get(self.EpistemicStatus, {}).items():
            if getattr(self, name) != value:
                raise ValueError(f"EpistemicStatus {self.EpistemicStatus} fixes {name}")
        if self.EpistemicStatus == "known" and not self.Justifications:
            raise ValueError("what is known has a justification")
        return self
