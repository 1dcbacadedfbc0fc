"""Opening hours as schema.org writes them: `Tu-Su 10:00-18:00`, `Mo,We,Fr 09:00-12:00`, `Sa-Su`,
`10:00-18:00`; in UTC.

Days are ranges and lists of Mo Tu We Th Fr Sa Su, times ranges and lists of hh:mm-hh:mm, from the one until just
before the other. A range that ends where it begins, or before, goes on into the next day; 24:00 is the end of a day;
no times means all day, no days every day.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

_DAYS: Final = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
_MINUTES: Final = 24 * 60
_WEEK: Final = 7 * _MINUTES
_DAY_RANGE: Final = re.compile(rf"({'|'.join(_DAYS)})(?:-({'|'.join(_DAYS)}))?")
_TIME_RANGE: Final = re.compile(r"(\d\d):(\d\d)-(\d\d):(\d\d)")


def is_open(hours: str, at: datetime) -> bool:
    """Whether a moment (with a time zone) lies in opening hours. Raises ValueError where they cannot be read."""
    at = at.astimezone(UTC)
    minute = at.weekday() * _MINUTES + at.hour * 60 + at.minute
    return any(start <= minute < end or start <= minute + _WEEK < end for start, end in _spans(hours))


@lru_cache(maxsize=1024)
def _spans(hours: str) -> tuple[tuple[int, int], ...]:
    """Minutes of the week, from Monday: each span from the one until just before the other."""
    days, _, times = hours.strip().partition(" ")
    if _TIME_RANGE.match(days):
        days, times = "Mo-Su", hours
    ranges = [_times(part) for part in times.strip().split(",")] if times.strip() else [(0, _MINUTES)]
    return tuple(
        (day * _MINUTES + start, day * _MINUTES + end)
        for part in days.split(",")
        for day in _days(part)
        for start, end in ranges
    )


def _days(text: str) -> tuple[int, ...]:
    found = _DAY_RANGE.fullmatch(text)
    if found is None:
        raise ValueError(f"`{text}` is no day or range of days, as `Tu-Su`")
    first, last = _DAYS.index(found[1]), _DAYS.index(found[2] or found[1])
    return tuple((first + i) % 7 for i in range((last - first) % 7 + 1))


def _times(text: str) -> tuple[int, int]:
    found = _TIME_RANGE.fullmatch(text.strip())
    start, end = (int(found[1]) * 60 + int(found[2]), int(found[3]) * 60 + int(found[4])) if found else (-1, -1)
    if found is None or start >= _MINUTES or end > _MINUTES or int(found[2]) > 59 or int(found[4]) > 59:
        raise ValueError(f"`{text}` is no range of times, as `10:00-18:00`")
    return (start, end if end > start else end + _MINUTES)
