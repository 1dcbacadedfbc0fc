"""The forms in which texts are compared: words, folded letters, stems.

`M-Location`, `MLocation`, `m location` and `m_location` are the same two words; `mlocation`, in which no border is to
be seen, has the same letters, so names are looked up by letters and by stems written together.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple, Protocol

import snowballstemmer

_LONGEST_STEMMED: Final = 64  # letters: no word of any language is longer
_LETTERS: Final = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"})
_GENITIVE: Final = re.compile(r"['’](?=[sS](?:\W|$))")
_ALGORITHMS: Final = {
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ru": "russian",
    "sv": "swedish",
}
_ENGLISH: Final = "a an and are at by for from in into is of on or the this that to with"
_ITALIAN: Final = """
    a ad ai agli al all alla alle allo con d da dai dal dall dalla dalle dallo degli dei del dell della delle dello di
    e ed gli i il in l la le lo nei nel nell nella nelle nello o per su sul sull sulla un una uno
"""
_FUNCTION_WORDS: Final = {"en": frozenset(_ENGLISH.split()), "it": frozenset(_ITALIAN.split())}
_ENDINGS: Final = {
    "en": frozenset(("", "s", "es", "e", "y", "ies", "ied", "ed", "d", "ing", "ying")),
    "it": frozenset(("", "a", "e", "i", "o", "ha", "he", "hi", "ho", "ia", "ie", "io")),
}


class Word(NamedTuple):
    """A word, folded, and the characters `[start, end)` of the text that it was."""

    folded: str
    start: int
    end: int


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 (the library's name)


class _Stemmers(threading.local):
    """A stemmer keeps the word it is at: each thread has its own."""

    def __init__(self) -> None:
        self.of: dict[str, _Stemmer] = {}


_stemmers: Final = _Stemmers()


def written(text: str) -> str:
    """A text with its characters composed (NFC) and no white space around it: what `exact` means."""
    return unicodedata.normalize("NFC", text).strip()


def words(text: str) -> tuple[Word, ...]:
    """The words of a text: between punctuation, white space and control characters, and at changes of case.

    Symbols are letters here, so that an emoji is a word. Places are those in the text as given.
    """
    found = []
    for start, end in _cut(_GENITIVE.sub("\u200d", text)):
        if folded := fold(text[start:end]):
            found.append(Word(folded, start, end))
    return tuple(found)


def fold(text: str) -> str:
    """Its letters, digits and symbols without case and accents, written together."""
    if text.isascii() and text.isalnum():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(c for c in decomposed if _counts(c)).translate(_LETTERS)


def base_language(language: str) -> str:
    """The language whose stems a name has: the first subtag; English where there is none."""
    return language.split("-", 1)[0].lower() or "en"


@lru_cache(maxsize=16_384)
def stem(word: str, language: str) -> str:
    """The stem of a folded word; the word itself in a language without a stemmer."""
    algorithm = _ALGORITHMS.get(language)
    if algorithm is None or len(word) > _LONGEST_STEMMED:
        return word
    if language not in _stemmers.of:
        _stemmers.of[language] = snowballstemmer.stemmer(algorithm)
    found = _stemmers.of[language].stemWord(word) or word
    return found[:-1] if language == "en" and found.endswith("us") else found  # menus; virus, viruses alike


def content(found: tuple[str, ...], language: str) -> tuple[str, ...]:
    """The words that are no articles and prepositions; all where there are no others."""
    return found if only_function(found, language) else tuple(w for w in found if w not in function_words(language))


def only_function(found: tuple[str, ...], language: str) -> bool:
    """Whether all the words are articles, prepositions and the like."""
    return all(word in function_words(language) for word in found)


def function_words(language: str) -> frozenset[str]:
    """Articles, prepositions and the like of a language, folded; none where they are not listed."""
    return _FUNCTION_WORDS.get(language, frozenset())


def is_inflection(one: str, other: str, language: str) -> bool:
    """Whether two words of the same stem differ by an ending of inflection alone."""
    endings = _ENDINGS.get(language)
    if endings is None:
        return True
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return all(
        rest in endings or (same and rest[:1] == one[same - 1] and rest[1:] in endings)  # plan, planned
        for rest in (one[same:], other[same:])
    )


def _counts(character: str) -> bool:
    """Whether a decomposed character is part of a word: accents, punctuation and what is invisible are not."""
    category = unicodedata.category(character)
    if category == "Mn":
        return unicodedata.combining(character) < 10 and not "\ufe00" <= character <= "\ufe0f"
    return not _parts(category)


def _parts(category: str) -> bool:
    """Whether characters of this category stand between words: punctuation, space, control, and spacing accents."""
    return category[0] in "PZC" or category == "Sk"


def _cut(text: str) -> Iterator[tuple[int, int]]:
    """Where the words are: `[start, end)` each."""
    start, before = -1, ""
    for at, c in enumerate(text):
        if not c.isalnum() and (category := unicodedata.category(c)) != "Cf" and _parts(category):
            if start >= 0:
                yield start, at
            start = -1
        elif start < 0:
            start = at
        elif c.isupper() and (before.islower() or _falls(text, at)):
            yield start, at
            start = at
        before = c
    if start >= 0:
        yield start, len(text)


def _falls(text: str, at: int) -> bool:
    """Whether a word in small letters begins with this capital, as `Item` in `RItem`; the s of `IDs` is none."""
    after = text[at + 1 : at + 3]
    return after[:1].islower() and (after[:1] != "s" or after[1:].islower())
