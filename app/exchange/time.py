"""SimpleTime (OSD V1.5), the time of every message, and what instant it means.

FlagsByte rules: bit 0 is TimeType (1: absolute, from 1970-01-01 UTC), bits 1 and 2 are TimeUnit, bits 3 to 7 are
reserved. As published, a segment without AccuracyMode has to carry all three accuracies, since both conditions of the
schema then hold. The evident intent, AccuracyMode defaulting to `single`, is what is asked for here; every segment
that the published schema takes is taken.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final, Literal, Self

from pydantic import ConfigDict, model_validator

from app.exchange.parts import Amount, Byte, FiveBits, Items, Number, Part, ShortText, data_type

ABSOLUTE: Final = 1
UNITS: Final = ("00", "01", "10", "11")
"""TimeUnit by bits 1 and 2 of FlagsByte: seconds, milliseconds, microseconds, nanoseconds."""

_MILLISECONDS: Final = 0b01
_NANOSECONDS: Final = 0b11
_MICROSECONDS_PER_UNIT: Final = (1_000_000, 1_000, 1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def unit_of(flags: int) -> int:
    """The index into `UNITS` that a FlagsByte states."""
    return flags >> 1 & 0b11


class TimeSegment(Part):
    """An interval from StartTime to EndTime, with its accuracy."""

    model_config = ConfigDict(
        json_schema_extra={
            "if": {"properties": {"AccuracyMode": {"const": "separate"}}, "required": ["AccuracyMode"]},
            "then": {"required": ["AccuracyStartPlusMinus", "AccuracyEndPlusMinus"]},
            "else": {"required": ["AccuracyPlusMinus"]},
        }
    )

    FlagsByte: Byte
    """Bit 0: TimeType. Bits 1 and 2: TimeUnit. Bits 3 to 7: Reserved."""
    StartTime: Number
    """Start, in TimeUnit from the epoch."""
    EndTime: Number
    """End, in TimeUnit from the epoch."""
    AccuracyMode: Literal["single", "separate"] | None = None
    """One accuracy for both ends, or one for each. Absent: single."""
    AccuracyPlusMinus: Amount | None = None
    """Accuracy of both ends, in TimeUnit."""
    AccuracyStartPlusMinus: Amount | None = None
    """Accuracy of StartTime, in TimeUnit."""
    AccuracyEndPlusMinus: Amount | None = None
    """Accuracy of EndTime, in TimeUnit."""
    TimeType: bool | None = None
    """As bit 0 of FlagsByte. True: absolute."""
    TimeUnit: Literal["00", "01", "10", "11"] | None = None
    """As bits 1 and 2 of FlagsByte: seconds, milliseconds, microseconds, nanoseconds."""
    Reserved: FiveBits | None = None
    """As bits 3 to 7 of FlagsByte."""

    @model_validator(mode="after")
    def _accuracy(self) -> Self:
        if self.AccuracyMode == "separate":
            stated = self.AccuracyStartPlusMinus is not None and self.AccuracyEndPlusMinus is not None
        else:
            stated = self.AccuracyPlusMinus is not None
        if not stated:
            raise ValueError("the accuracy that AccuracyMode calls for is missing")
        return self


class SimpleTime(Part):
    """Time segments with their accuracy."""

    model_config = data_type("SimpleTime V1.5", "OSD/V1.5/data/SimpleTime.json")

    Header: Literal["OSD-STM-V1.5"]
    MInstanceID: str | None = None
    UEnvironmentID: str | None = None
    SimpleTimeID: str
    """Identifier of this SimpleTime."""
    SimpleTimeData: Items[TimeSegment]
    """The segments; none is allowed."""
    DescrMetadata: ShortText | None = None


def instant(time: SimpleTime) -> datetime | None:
    """The first StartTime, in UTC, to the microsecond; None when relative, empty or beyond the years 1 to 9999."""
    if not time.SimpleTimeData:
        return None
    first = time.SimpleTimeData[0]
    if not first.FlagsByte & ABSOLUTE:
        return None
    unit = unit_of(first.FlagsByte)
    try:
        if unit == _NANOSECONDS:
            microseconds = int(first.StartTime // 1_000)
        else:
            microseconds = round(first.StartTime * _MICROSECONDS_PER_UNIT[unit])
        return _EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        return None


def simple_time(now: datetime, id: str) -> SimpleTime:
    """A SimpleTime for one instant: absolute, in milliseconds, accurate to one; `now` has to know its time zone."""
    if now.tzinfo is None:
        raise ValueError("a time without a time zone is no instant")
    milliseconds = (now - _EPOCH) // timedelta(milliseconds=1)
    segment = TimeSegment(
        FlagsByte=ABSOLUTE | _MILLISECONDS << 1,
        StartTime=milliseconds,
        EndTime=milliseconds,
        AccuracyMode="single",
        AccuracyPlusMinus=1,
    )
    return SimpleTime(Header="OSD-STM-V1.5", SimpleTimeID=id, SimpleTimeData=(segment,))
