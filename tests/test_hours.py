"""Opening hours: what is written, a moment, and whether it is open then."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.kinds.hours import is_open

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
CASES = """
Mo-Fr 09:00-17:00            | 0 09:00 | open
Mo-Fr 09:00-17:00            | 0 08:59 | shut
Mo-Fr 09:00-17:00            | 4 16:59 | open
Mo-Fr 09:00-17:00            | 4 17:00 | shut
Mo-Fr 09:00-17:00            | 5 12:00 | shut
10:00-18:00                  | 6 12:00 | open
Mo,We 10:00-12:00            | 1 11:00 | shut
Mo,We 10:00-12:00            | 2 11:00 | open
Sa-Mo 10:00-12:00            | 0 11:00 | open
Sa-Mo 10:00-12:00            | 1 11:00 | shut
Fr 22:00-02:00               | 4 23:00 | open
Fr 22:00-02:00               | 5 01:59 | open
Fr 22:00-02:00               | 5 02:00 | shut
Fr 22:00-02:00               | 4 01:00 | shut
Mo 00:00-24:00               | 0 23:59 | open
Mo 00:00-24:00               | 1 00:00 | shut
Mo 09:00-12:00;Mo 13:00-17:00| 0 12:30 | shut
Mo 09:00-12:00;Mo 13:00-17:00| 0 13:00 | open
Monday 9-5                   | 0 10:00 | unread
Mo 25:00-26:00               | 0 10:00 | unread
"""
ROWS = [tuple(part.strip() for part in line.split("|")) for line in CASES.strip().splitlines()]


@pytest.mark.parametrize("lines, moment, expected", ROWS, ids=[" ".join(row) for row in ROWS])
def test_whether_it_is_open(lines: str, moment: str, expected: str) -> None:
    day, time = moment.split()
    hours, minutes = map(int, time.split(":"))
    now = MONDAY + timedelta(days=int(day), hours=hours, minutes=minutes)
    assert {True: "open", False: "shut", None: "unread"}[is_open(lines.split(";"), now)] == expected


def test_the_cases_are_all_there() -> None:
    assert len(ROWS) == 20


@given(st.datetimes(timezones=st.just(UTC)), st.integers(0, 23), st.integers(0, 23))
def test_every_week_is_like_the_last(now: datetime, begin: int, end: int) -> None:
    """A week later it is as now; and it is open for as long as is written."""
    lines = [f"{begin:02}:00-{end:02}:00"]
    if now < datetime(9999, 12, 1, tzinfo=UTC):
        assert is_open(lines, now) == is_open(lines, now + timedelta(days=7))
    day = datetime(2026, 3, 2, tzinfo=UTC)
    open_for = sum(bool(is_open(lines, day + timedelta(hours=h))) for h in range(24))
    assert open_for == ((end - begin) % 24 or 24)
