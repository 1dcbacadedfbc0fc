"""What a StatementError says: one Fault with the place, what was expected and found, and the nearest name."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from app.errors import Code, Fault, StatementError

CLAUSE = "MMM-TEC V2.2 Process Actions"
_LINE = 76  # characters of the statement shown in a hint
_BEFORE = 36  # of these at most so many before the place
_SHOWN = 40  # characters of user text repeated in a message
_COMPARED = 64  # characters of a word compared with names; the longest name is far shorter
_NEAR_ACTION = 65.0  # similarity in per cent from which an Action is worth proposing
_SLIPS = 1  # characters missing, added, wrong or exchanged in a preposition
_SHORTEST = 3  # characters; one slip makes anything of two


def statement_error(text: str, start: int, end: int, message: str) -> StatementError:
    """The error for the characters `[start, end)` of `text`."""
    return StatementError(
        Fault(Code.NO_STATEMENT, message, where=f"{start}-{end}", clause=CLAUSE, hint=pointer(text, start, end))
    )


def quoted(text: str) -> str:
    """User text in backticks, on one line and cut to a readable length."""
    line = _one_line(text[: _SHOWN + 1])
    return f"`{line}`" if len(text) <= _SHOWN else f"`{line[:_SHOWN]}…`"


def nearest_action(written: str, names: Iterable[str]) -> tuple[str, float] | None:
    """The name most like `written` and how like in per cent, None where none is near.

    By what they have in common, so that `Moves` finds `MM-Moves`.
    """
    found = process.extractOne(
        written[:_COMPARED], names, scorer=fuzz.ratio, processor=str.lower, score_cutoff=_NEAR_ACTION
    )
    return None if found is None else (found[0], found[1])


def nearest_link(written: str, names: Iterable[str]) -> str | None:
    """The preposition or operator that one slip away would be `written`: short words resemble by chance."""
    found = process.extractOne(
        written[:_COMPARED], names, scorer=OSA.distance, processor=str.lower, score_cutoff=_SLIPS
    )
    return None if found is None or len(written) < _SHORTEST else found[0]


def pointer(text: str, start: int, end: int) -> str:
    """The statement, or a window around the place, and under it `~~~^` with the caret on the last character."""
    left = max(0, start - _BEFORE) if len(text) > _LINE else 0
    right = min(len(text), left + _LINE)
    before = ("…" if left else "") + _one_line(text[left:start])
    place = _one_line(text[start : min(end, right)])
    after = _one_line(text[min(end, right) : right]) + ("…" if right < len(text) else "")
    return f"{before}{place}{after}\n{' ' * _width(before)}{'~' * (_width(place) - 1)}^"


def _one_line(text: str) -> str:
    """The text with every character that would move the cursor otherwise, tabs and line ends too, as one space."""
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def _width(text: str) -> int:
    """Columns on a terminal: wide East Asian characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
