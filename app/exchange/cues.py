"""Time and TemporalCue (OSD V1.5): a time as text with its Qualifier, and what an utterance says of time."""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from app.exchange.metadata import DataExchangeMetadata
from app.exchange.parts import Amount, Foreign, Part, Share, ShortText, data_type
from app.exchange.time import SimpleTime

TimeUnit: TypeAlias = Literal["00", "01", "10", "11"]
"""Seconds, milliseconds, microseconds, nanoseconds, as in SimpleTime."""


class SingleAccuracy(Part):
    """One accuracy for the whole."""

    plusMinus: Amount  # noqa: N815
    timeUnit: TimeUnit  # noqa: N815


class SeparateAccuracy(Part):
    """An accuracy for each end."""

    startPlusMinus: Amount  # noqa: N815
    endPlusMinus: Amount  # noqa: N815
    timeUnit: TimeUnit  # noqa: N815


class TimeAccuracy(Part):
    """How exactly a time is known."""

    mode: Literal["numeric"]
    single: SingleAccuracy | None = None
    separate: SeparateAccuracy | None = None


class Time(Part):
    """A time as text; the Qualifier says in which format, and whether point, interval or duration."""

    model_config = data_type("Time V1.5", "OSD/V1.5/data/Time.json")

    Header: Literal["OSD-TIM-V1.5"]
    MInstanceID: str | None = None
    UEnvironmentID: str | None = None
    TimeID: str
    Data: str
    """The time, written as the Qualifier says."""
    Qualifier: Foreign | None = None
    """A TimeQualifier."""
    Accuracy: TimeAccuracy | None = None
    DataXMData: DataExchangeMetadata | None = None
    DescrMetadata: ShortText | None = None


_CARRIER = {
    "absolute": "SimpleTimeRef",
    "relative": "RelativeExpression",
    "keyword": "Keyword",
    "range": "SimpleTimeRef",
}
"""The member that says the time, by CueType."""


class TemporalCue(Part):
    """When something is meant: a time, a range, a span from now, or a word."""

    model_config = data_type(
        "TemporalCue V1.5",
        "OSD/V1.5/data/TemporalCue.json",
        allOf=[
            {
                "if": {"required": ["CueType"], "properties": {"CueType": {"const": kind}}},
                "then": {"required": [carrier]},
            }
            for kind, carrier in _CARRIER.items()
        ],
    )

    Header: Literal["OSD-TMC-V1.5"] | None = None
    MInstanceID: str | None = None
    EnvironmentID: str | None = None
    """Identifier of the U-Environment; so named in the published schema."""
    TemporalCueID: str | None = None
    TemporalCueTime: Time | None = None
    CueType: Literal["absolute", "relative", "keyword", "range"]
    """Which of the next three members says the time: SimpleTimeRef for absolute and range."""
    SimpleTimeRef: SimpleTime | None = None
    RelativeExpression: (
        Annotated[str, Field(pattern=r"^(\+[0-9]+[smhd]|in [0-9]+ (seconds|minutes|hours|days))$")] | None
    ) = None
    """From now, e.g. +2h or in 3 days."""
    Keyword: Literal["morning", "afternoon", "evening", "night", "immediate", "scheduled"] | None = None
    Confidence: Share | None = None
    DataXMData: DataExchangeMetadata | None = None
    DescrMetadata: ShortText | None = None

    @model_validator(mode="after")
    def _carried(self) -> Self:
        if getattr(self, _CARRIER[self.CueType]) is None:
            raise ValueError(f"CueType {self.CueType} needs {_CARRIER[self.CueType]}")
        return self
