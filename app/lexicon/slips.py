"""Which differences between what was asked and a name a typing error explains.

One edit for each four letters, at most three (optimal string alignment: a letter left out, put in, replaced, or two
neighbours swapped). Words of up to seven letters have too many neighbours that are words themselves (Palace, Place;
Light, Right): there the edit must be one that fingers make, or one that leaves the first letter of a word among
others. Digits and words of up to three letters are never mistyped: `SA5` is not `SA6`, and MM-Move is not MU-Move.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import OSA

_LETTERS_AN_EDIT: Final = 4
_MOST_EDITS: Final = 3
_SHORT: Final = 7
_ROWS: Final = (("qwertyuiop", 0.0), ("asdfghjkl", 0.3), ("zxcvbnm", 0.8))
_PLACES: Final = {c: (at + shift, row) for row, (keys, shift) in enumerate(_ROWS) for at, c in enumerate(keys)}
_TAKEN_FOR: Final = {frozenset(pair) for pair in ("cs", "sz", "ck", "ct", "iy")}  # licence, license


@dataclass(frozen=True, slots=True)
class Nearest:
    """Texts by their length: only those of nearly the same length can be few edits away."""

    by_length: Mapping[int, tuple[str, ...]]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Nearest:
        """The texts, in an order that does not depend on theirs."""
        by_length: dict[int, list[str]] = {}
        for text in sorted(set(texts)):
            by_length.setdefault(len(text), []).append(text)
        return cls({length: tuple(found) for length, found in by_length.items()})

    def around(self, asked: str) -> Iterator[str]:
        """The texts within the edits that their length allows."""
        most = _edits(len(asked))
        for length in range(len(asked) - most, len(asked) + most + 1):
            allowed = min(most, _edits(length))
            if allowed and (near := self.by_length.get(length)):
                found = process.extract(asked, near, scorer=OSA.distance, score_cutoff=allowed, limit=None)
                yield from (text for text, _, _ in found)


def agreement(asked: str, name: str) -> float:
    """The part of the longer text that needs no edit, in 0..1."""
    return 1 - OSA.distance(asked, name) / max(len(asked), len(name), 1)


def is_slip(asked: tuple[str, ...], name: tuple[str, ...], *, among_others: bool = False) -> bool:
    """Whether typing errors explain the difference, word by word; where spaces differ, one error in the whole.

    `among_others` says that the words are some of a longer name. A word too many is no typing error, and a first
    letter that differs may be a word of its own (M-, U-Location).
    """
    if len(asked) == len(name):
        several = among_others or len(name) > 1
        return all(
            one == other or _is_slip(one, other, certain=several and one[0] == other[0])
            for one, other in zip(asked, name, strict=True)
        )
    one, other = "".join(asked), "".join(name)
    return one[:1] == other[:1] and _is_slip(one, other, most=1)


def _is_slip(asked: str, name: str, most: int = _MOST_EDITS, *, certain: bool = False) -> bool:
    if [c for c in asked if c.isdigit()] != [c for c in name if c.isdigit()]:
        return False
    shorter = min(len(asked), len(name))
    allowed = min(most, _edits(shorter))
    if OSA.distance(asked, name, score_cutoff=allowed) > allowed:
        return False
    return certain or shorter > _SHORT or _is_of_fingers(asked, name)


def _edits(length: int) -> int:
    return min(_MOST_EDITS, length // _LETTERS_AN_EDIT)


def _is_of_fingers(asked: str, name: str) -> bool:
    """Whether one edit is: two swapped, one left out, one doubled, one slipped in beside, one taken for another."""
    if len(asked) < len(name):
        return True
    if len(asked) > len(name):
        return any(
            asked[:at] + asked[at + 1 :] == name and any(_are_near(asked[at], c) for c in _beside(asked, at))
            for at in range(len(asked))
        )
    differ = [(a, b) for a, b in zip(asked, name, strict=True) if a != b]
    return len(differ) != 1 or _are_near(*differ[0])


def _beside(text: str, at: int) -> str:
    return text[max(at - 1, 0) : at] + text[at + 1 : at + 2]


def _are_near(one: str, other: str) -> bool:
    """The same letter, one beside it on the keyboard, or one often taken for it."""
    if one == other or frozenset((one, other)) in _TAKEN_FOR:
        return True
    if one not in _PLACES or other not in _PLACES:
        return False
    (x, row), (to_x, to_row) = _PLACES[one], _PLACES[other]
    return abs(row - to_row) <= 1 and abs(x - to_x) <= 1
