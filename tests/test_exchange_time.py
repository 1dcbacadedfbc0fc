"""SimpleTime and DataExchangeMetadata: conflicts, forms, instants."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from app.errors import Code
from app.exchange import (
    SimpleTime,
    faults_of,
    instant,
    simple_time,
)
from tests.exchange_documents import placed, refused, request, segment, time

NOW = datetime(2026, 1, 1, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    "flags, member, value",
    [
        (3, "TimeType", False),
        (2, "TimeType", True),
        (3, "TimeUnit", "00"),
        (1, "TimeUnit", "01"),
        (7, "TimeUnit", "01"),
    ],
)
def test_flags_byte_against_its_members_is_a_conflict_anywhere(flags: int, member: str, value: object) -> None:
    conflicting = time(segment(), segment(FlagsByte=flags, **{member: value}))
    where = f"SimpleTimeData/1/{member}"
    assert refused(request(QueryTime=conflicting)) == [(Code.TIME_CONFLICT, f"/QueryTime/{where}")]
    metadata = request()["DataXMData"] | {"DataExchangeMetadataTime": conflicting}
    assert refused(request(DataXMData=metadata)) == [
        (Code.TIME_CONFLICT, f"/DataXMData/DataExchangeMetadataTime/{where}")
    ]


def test_flags_byte_with_members_that_agree_is_no_conflict() -> None:
    agreeing = time(segment(FlagsByte=0b00101_10_1, TimeType=True, TimeUnit="10", Reserved=5))
    assert faults_of(request(QueryTime=agreeing)) == faults_of(request())


def test_accuracy_mode_absent_is_single_with_a_warning() -> None:
    absent = segment()
    del absent["AccuracyMode"]
    found = faults_of(request(QueryTime=time(absent)))
    assert found.faults == ()
    assert placed(found.warnings) == [(Code.MISSING_MEMBER, "/QueryTime/SimpleTimeData/0/AccuracyMode")]
    del absent["AccuracyPlusMinus"]
    expected = [(Code.MISSING_MEMBER, "/QueryTime/SimpleTimeData/0/AccuracyPlusMinus")]
    assert refused(request(QueryTime=time(absent))) == expected


def test_accuracy_mode_separate_needs_both_accuracies() -> None:
    separate = segment(AccuracyMode="separate", AccuracyStartPlusMinus=0)
    expected = [(Code.MISSING_MEMBER, "/QueryTime/SimpleTimeData/0/AccuracyEndPlusMinus")]
    assert refused(request(QueryTime=time(separate))) == expected
    assert faults_of(request(QueryTime=time(separate | {"AccuracyEndPlusMinus": 0.5}))).faults == ()


def test_what_is_odd_about_a_time_is_a_warning() -> None:
    found = faults_of(request(QueryTime=time(segment(StartTime=2, EndTime=1, Reserved=1))))
    assert found.faults == ()
    assert placed(found.warnings) == [
        (Code.TIME_CONFLICT, "/QueryTime/SimpleTimeData/0/Reserved"),
        (Code.TIME_CONFLICT, "/QueryTime/SimpleTimeData/0/EndTime"),
    ]


def test_metadata_in_its_older_form_is_taken_with_a_warning() -> None:
    older = {"DataID": "q", "Source": [{"AIMID": "a"}]}
    found = faults_of(request(DataXMData=older))
    assert found.faults == ()
    assert placed(found.warnings) == [(Code.MISSING_MEMBER, "/DataXMData/Header")]
    mixed = older | {"DataType": "PGM-KDA-V1.0"}
    assert refused(request(DataXMData=mixed)) == [(Code.MISSING_MEMBER, "/DataXMData/Header")]


@pytest.mark.parametrize(
    "flags, start",
    [
        (0b001, 1_767_254_400),
        (0b001, 1_767_254_400.0),
        (0b011, 1_767_254_400_000),
        (0b101, 1_767_254_400_000_000),
        (0b111, 1_767_254_400_000_000_999),
        (0b11111_01_1, 1_767_254_400_000),
    ],
)
def test_an_instant_is_the_first_start_in_the_unit_of_flags_byte(flags: int, start: float) -> None:
    found = SimpleTime.model_validate(time(segment(FlagsByte=flags, StartTime=start), segment(StartTime=7)))
    assert instant(found) == NOW
    assert instant(found).tzinfo is UTC  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "segments",
    [
        [],
        [segment(FlagsByte=0b010)],
        [segment(StartTime=10**18)],
        [segment(StartTime=-1e300)],
        [segment(StartTime=1e308)],
    ],
    ids=["empty", "relative", "after the year 9999", "before the year 1", "beyond any"],
)
def test_a_time_without_an_instant_has_none(segments: list[dict[str, Any]]) -> None:
    assert instant(SimpleTime.model_validate(time(*segments))) is None


def test_a_time_is_written_absolute_in_milliseconds_with_its_accuracy_mode() -> None:
    elsewhere = (NOW + timedelta(microseconds=1_999)).astimezone(timezone(timedelta(hours=9)))
    written = json.loads(simple_time(elsewhere, "t").model_dump_json(exclude_none=True))
    assert written == time(segment(StartTime=1_767_254_400_001, EndTime=1_767_254_400_001))
    with pytest.raises(ValueError, match="time zone"):
        simple_time(datetime(2026, 1, 1), "t")
