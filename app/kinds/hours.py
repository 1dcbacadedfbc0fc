"""Opening hours as schema.org writes them: `Tu-Su 10:00-18:00`, `Mo,We 09:00-12:00`, `10:00-18:00`; times in UTC."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

_DAYS: Final = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
_DAY: Final = "|".join(_DAYS)
_LINE: Final = re.compile(
    rf"(?:(?P<days>(?:{_DAY})(?:-(?:{_DAY}))?(?:,(?:{_DAY})(?:-(?:{_DAY}))?)*) )?"
    r"(?P<from>\d\d):(?P<from_min>\d\d)-(?P<to>\d\d):(?P<to_min>\d\d)"
)
_MINUTES: Final = 24 * 60


def is_open(lines: Iterable[str], now: datetime) -> bool | None:
    """Whether any line says that it is open at a moment; None where one cannot be read. Half-open: at the closing
    time it is shut. An end before the beginning is on the next day.
    """
    moment = now.astimezone(UTC)
    day, minute = moment.weekday(), moment.hour * 60 + moment.minute
    found = False
    for line in lines:
        read = _LINE.fullmatch(line.strip())
        if read is None:
            return None
        begin = int(read["from"]) * 60 + int(read["from_min"])
        end = int(read["to"]) * 60 + int(read["to_min"])
        if begin > _MINUTES or end > _MINUTES:
            return None
        days = _days(read["days"])
        if begin < end:
            found = found or (day in days and begin <= minute < end)
        else:
            yesterday = (day - 1) % 7
            found = found or (day in days and minute >= begin) or (yesterday in days and minute < end)
    return found


def _days(said: str | None) -> frozenset[int]:
    """`Mo-Fr,Su` as numbers; without days every day. A range may go over the week's end."""
    if said is None:
        return frozenset(range(7))
    found: set[int] = set()
    for part in said.split(","):
        first, _, last = part.partition("-")
        begin, end = _DAYS.index(first), _DAYS.index(last or first)
        found.update((begin + i) % 7 for i in range((end - begin) % 7 + 1))
    return frozenset(found)
