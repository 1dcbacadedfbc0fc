"""The nearest valid choice to what was written, in the words in which every fault offers it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rapidfuzz import fuzz, process

_NEAR: Final = 60  # of 100; below that a suggestion misleads


def did_you_mean(written: str, known: Iterable[str], otherwise: str = "") -> str:
    """A hint with the name most like what was written, whatever its case; `otherwise` where none is near."""
    found = process.extractOne(written, list(known), scorer=fuzz.ratio, processor=str.lower, score_cutoff=_NEAR)
    return f"did you mean `{found[0]}`?" if found else otherwise


def or_did_you_mean(near: Iterable[str]) -> str:
    """The end of a sentence that says what is not there: `; did you mean A or B?`, nothing where none is near."""
    names = " or ".join(f"`{name}`" for name in near)
    return f"; did you mean {names}?" if names else ""
