"""What goes into a Lexicon and what comes out of it."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class NameKind(StrEnum):
    """How a term has its name. Of equal hits the kind that stands first here comes first."""

    LABEL = "label"
    LOCAL_NAME = "local name"
    SYNONYM = "synonym"


class Evidence(StrEnum):
    """Why a name was found for a text, the strongest first."""

    EXACT = "exact"
    """The same characters."""
    NORMALISED = "normalised"
    """The same but for case, accents, hyphens, spaces and other punctuation."""
    INFLECTED = "inflected"
    """The same words, in another number, gender or tense."""
    WORDS = "words"
    """The same words in another order, or with other articles and prepositions."""
    DERIVED = "derived"
    """Words of the same stem that differ by more than inflection, as animation and animate."""
    TYPING = "typing"
    """The same but for one to three typing errors."""
    PARTIAL = "partial"
    """Most of the words."""


class Entry(NamedTuple):
    """One name of one term. `language` is a BCP 47 tag, empty where the name belongs to none."""

    term: str
    text: str
    language: str = ""
    kind: NameKind = NameKind.LABEL


class Hit(NamedTuple):
    """A term found for a text, with the evidence: the name `text`, and the two forms that were compared.

    `score` is in 0..1 and falls with the strength of the evidence.
    """

    term: str
    text: str
    language: str
    kind: NameKind
    evidence: Evidence
    score: float
    asked: str
    compared: str


class Span(NamedTuple):
    """Characters `[start, end)` of a sentence that name a term, and the terms they name."""

    start: int
    end: int
    text: str
    hits: tuple[Hit, ...]
