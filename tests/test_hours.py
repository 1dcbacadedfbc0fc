"""Opening hours: when a place is open, from the text of dac:openingHours."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from app.model import Text
from app.rules.functions import FUNCTIONS, ExpressionError
from app.rules.hours import is_open
from app.vocab import dac
from tests.patterns import small_facts

# 2 March 2026 is a Monday: hours, day and time of that week, open or not
CASES = {
    ("Tu-Su 10:00-18:00", "Tu 10:00"): True,
    ("Tu-Su 10:00-18:00", "Tu 09:59"): False,
    ("Tu-Su 10:00-18:00", "Su 17:59"): True,
    ("Tu-Su 10:00-18:00", "Su 18:00"): False,
    ("Tu-Su 10:00-18:00", "Mo 12:00"): False,
    ("Mo,We,Fr 09:00-12:00", "We 11:00"): True,
    ("Mo,We,Fr 09:00-12:00", "Th 11:00"): False,
    ("Mo-We,Sa 09:00-12:00", "Sa 11:00"): True,
    ("Sa-Mo 09:00-12:00", "Su 11:00"): True,
    ("Sa-Mo 09:00-12:00", "Mo 11:00"): True,
    ("Sa-Mo 09:00-12:00", "Tu 11:00"): False,
    ("Mo 09:00-12:00,14:00-16:00", "Mo 13:00"): False,
    ("Mo 09:00-12:00,14:00-16:00", "Mo 15:00"): True,
    ("Fr 22:00-02:00", "Fr 23:30"): True,
    ("Fr 22:00-02:00", "Sa 01:59"): True,
    ("Fr 22:00-02:00", "Sa 02:00"): False,
    ("Fr 22:00-02:00", "Fr 01:00"): False,
    ("Su 22:00-02:00", "Mo 01:00"): True,
    ("Sa-Su", "Sa 00:00"): True,
    ("Sa-Su", "Su 23:59"): True,
    ("Sa-Su", "Mo 00:00"): False,
    ("Mo 00:00-24:00", "Mo 23:59"): True,
    ("Mo 08:00-08:00", "Tu 07:59"): True,
    ("10:00-18:00", "Mo 10:00"): True,
    ("10:00-18:00", "Su 18:00"): False,
    ("09:00-12:00, 14:00-16:00", "We 14:30"): True,
}
DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
NOTHING = small_facts(())
WRONG = (
    "",
    "10:00-18",
    "tu 10:00-18:00",
    "Tu-Xx 10:00-18:00",
    "Tu 10-18",
    "Tu 10:00-25:00",
    "Tu 10:60-11:00",
    "daily",
)


def moment(text: str) -> datetime:
    """A day and a time of the week of 2 March 2026."""
    day, time = text.split()
    hour, minute = time.split(":")
    return datetime(2026, 3, 2 + DAYS.index(day), int(hour), int(minute), tzinfo=UTC)


@pytest.mark.parametrize("hours, when", CASES, ids=[" at ".join(case) for case in CASES])
def test_a_place_is_open_or_not(hours: str, when: str) -> None:
    """From the first moment until just before the last, on the days named."""
    assert is_open(hours, moment(when)) is CASES[hours, when]
    assert is_open(hours, moment(when) + timedelta(weeks=1)) is CASES[hours, when]


@pytest.mark.parametrize("hours", WRONG)
def test_hours_that_cannot_be_read_are_an_error_of_the_rule(hours: str) -> None:
    """Never `closed`, never `open`."""
    with pytest.raises(ValueError, match="is no"):
        is_open(hours, moment("Tu 12:00"))
    with pytest.raises(ExpressionError):
        FUNCTIONS[dac("openAt")].call(NOTHING, Text(hours), moment("Tu 12:00"))


def test_another_zone_is_another_way_to_say_a_moment() -> None:
    """Hours are in UTC, whatever the zone of the moment."""
    rome = timezone(timedelta(hours=1))
    assert is_open("Tu 10:00-18:00", moment("Tu 10:00").astimezone(rome))
    assert not is_open("Tu 10:00-18:00", moment("Tu 10:00").replace(tzinfo=rome))


def test_the_function_of_rules_wants_hours_and_a_time() -> None:
    """`dac:openAt` answers as `is_open`, and takes nothing else."""
    open_at = FUNCTIONS[dac("openAt")].call
    assert open_at(NOTHING, Text("Tu 10:00-18:00"), moment("Tu 12:00")) is True
    assert open_at(NOTHING, Text("Tu 10:00-18:00"), moment("We 12:00")) is False
    with pytest.raises(ExpressionError):
        open_at(NOTHING, Text("Tu 10:00-18:00"), Text("Tu 12:00"))
