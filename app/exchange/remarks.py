"""What conforms but is worth a word: older forms, members that say less or other than they seem, repeated names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from app.errors import Code, Fault
from app.exchange.message import Exchange
from app.exchange.reader import pointer, quoted
from app.exchange.survey import Path, Survey, items, segments, where

_TIME: Final = "OSD SimpleTime V1.5"
_OURS: Final = "Domain Access, identifiers (ours)"
_NAMED: Final = ("EntityIDs", "ReleasedCommitmentIDs")
"""Arrays of identifiers."""


def remarks(exchange: Exchange, document: object, survey: Survey) -> Iterator[Fault]:
    """The warnings about a message."""
    yield from _times(survey)
    for value, path in survey.objects:
        yield from _older_forms(value, path)
    if isinstance(document, dict):
        yield from _repeated(exchange, document)


def _times(survey: Survey) -> Iterator[Fault]:
    for segment, flags, path in segments(survey):
        if "AccuracyMode" not in segment:
            yield Fault(
                Code.MISSING_MEMBER,
                "AccuracyMode is absent: read as `single`",
                where(path, "AccuracyMode"),
                f"{_TIME}, AccuracyMode",
                "write it: the published schema asks for all three accuracies otherwise",
            )
        if segment.get("Reserved", flags >> 3) != flags >> 3:
            yield Fault(
                Code.TIME_CONFLICT,
                f"Reserved is not what FlagsByte `{flags}` says",
                where(path, "Reserved"),
                f"{_TIME}, FlagsByte",
                f"expected: `{flags >> 3}`, or none",
            )
        start, end = segment.get("StartTime"), segment.get("EndTime")
        if isinstance(start, int | float) and isinstance(end, int | float) and end < start:
            yield Fault(
                Code.TIME_CONFLICT,
                "EndTime is before StartTime: only StartTime is used",
                where(path, "EndTime"),
                f"{_TIME}, EndTime",
                "expected: a time not before StartTime",
            )


def _older_forms(value: Mapping[str, Any], path: Path) -> Iterator[Fault]:
    metadata = value.get("DataXMData")
    if isinstance(metadata, dict) and "Header" not in metadata:
        yield Fault(
            Code.MISSING_MEMBER,
            "DataXMData has no Header: read in its older form",
            where(path, "DataXMData", "Header"),
            "PTF DataExchangeMetadata V1.0",
            "expected: `PTF-DEM-V1.0`",
        )
    box = value.get("RightParallelepiped")
    if isinstance(box, dict) and "RightParallelepiped" in box:
        yield Fault(
            Code.UNKNOWN_MEMBER,
            "RightParallelepiped is in its older form",
            where(path, "RightParallelepiped", "RightParallelepiped"),
            "OSD RightParallelepiped V1.5",
            "write Dimensions, and the vertices in CartPositions",
        )
    if value.get("Header") == "MMC-ESA-V1.0":
        yield Fault(
            Code.WRONG_VALUE,
            "SocialAttitude has the Header of its older form",
            where(path, "Header"),
            "MMC SocialAttitude V2.5",
            "expected: `MMC-ESA-V2.5`",
        )
    if value.get("Header") == "MMC-EIT-V2.5" and "ConfidenceScore" in value:
        yield Fault(
            Code.UNKNOWN_MEMBER,
            "ConfidenceScore is of the older form, and not checked",
            where(path, "ConfidenceScore"),
            "MMC Intent V2.5",
            "write Confidence",
        )


def _repeated(exchange: Exchange, message: Mapping[str, Any]) -> Iterator[Fault]:
    for name in _NAMED:
        if name in exchange.model.model_fields:
            for index, found in repetitions(items(message, name)):
                yield Fault(
                    Code.WRONG_VALUE,
                    f"{quoted(found)} is named before",
                    pointer(name, index),
                    _OURS,
                    "name each identifier once",
                )
    commitments = items(message, "Commitments")
    for index, found in repetitions(map(_commitment_id, commitments)):
        yield Fault(
            Code.WRONG_VALUE,
            f"{quoted(found)} names a commitment before",
            pointer("Commitments", index, "CommitmentID"),
            _OURS,
            "with another Statement it is told as conflicting",
        )


def _commitment_id(entry: Any) -> Any:
    return entry.get("CommitmentID") if isinstance(entry, dict) else None


def repetitions(names: Iterable[Any]) -> Iterator[tuple[int, str]]:
    """The strings that stood before, with their index; what is no string is passed over."""
    seen: set[str] = set()
    for index, name in enumerate(names):
        if isinstance(name, str):
            if name in seen:
                yield index, name
            seen.add(name)
