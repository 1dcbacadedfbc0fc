"""The tokens of a statement and the words that are reserved in it (SEMANTICS 4).

One pattern, tried from left to right; what it skips is white space and commas that are not inside a word. Every
repetition is possessive and an unclosed quotation mark takes the rest, so that no text costs more than linear time.
"""

from __future__ import annotations

import re
from typing import Final

from app.model import PAStatus, Preposition

WORD: Final = 1
QUOTED: Final = 2
IRI: Final = 3
STATUS: Final = 4
"""`(Status=Model)` or `(Status=Final)`."""
OPEN: Final = 5
CLOSE: Final = 6
UNCLOSED: Final = 7
"""A quotation mark without its partner, and all that follows."""
STRAY: Final = 8
END: Final = 9
"""What the reader puts after the last token."""

# Letters, digits and `-` go first only because most words hold nothing else and a short set is fast. No group that
# can fail half-way is possessive: before Python 3.11.5 it keeps what it took.
_BODY = r'(?:[\w\-]++|[^\s"“”<>(),])++'
TOKEN: Final = re.compile(
    rf"({_BODY}(?:,++{_BODY})*)"
    r'|("[^"\\]*+(?:\\.[^"\\]*+)*"|“[^”]*+”)'
    r'|(<[A-Za-z][A-Za-z0-9+.\-]*+:[^\x00-\x20<>"{}|\\^`]*+>)'
    r"|(\((?i:\s*+Status\s*+=\s*+(?:Model|Final)\s*+)\))"
    r'|(\()|(\))|(["“].*+)|([<>”])',
    re.DOTALL,
)
_PUNCTUATION: Final = re.compile(r'["“”<>(),]')
SURROGATE: Final = re.compile("[\ud800-\udfff]")

PREPOSITIONS: Final = {preposition.value.lower(): preposition for preposition in Preposition}
OPERATORS: Final = frozenset({"and", "or", "nand", "nor", "xor", "xnor"})
RESERVED: Final = frozenset({*PREPOSITIONS, "if", "and"})
RESERVED_IN_EVENT: Final = RESERVED | OPERATORS | {"not"}
STATUSES: Final = {status.value: status for status in PAStatus} | {"FaultyPA": PAStatus.FAULTY_REQ}
"""How a PA Status is written; MMM-TEC's schemas say FaultyPA for what BKN-DAC calls FaultyReq."""
MODELLED: Final = frozenset({"Rights", "Qualifier", "Transaction", "SPM"})
"""What `ModelX` without a space speaks of, labels apart: V2.1 has ModelRights, V2.2 Rights with a Status."""

# A unit written without a space has at most four characters: `3m`, `50km/h`, but `3DModel` is a name.
NUMBER: Final = re.compile(r"([+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+))((?:[^\W\d_]|[%°/]){0,4})")
UNIT: Final = re.compile(r"(?:[^\W\d_]|[%°/])+")
STEP: Final = re.compile(r"@([0-9]{1,9})(?:\.(.+))?", re.DOTALL)
DATE_TIME: Final = re.compile(r"[0-9]{4}-?[0-9]{2}-?[0-9]{2}[Tt][0-9]{2}")
SPECIAL: Final = frozenset("@+-.0123456789")
"""How a word begins that may be a number or a step."""


def cut(text: str, end: int) -> tuple[list[int], list[str], list[int]]:
    """The tokens of `text[:end]`: their kinds, their texts and where they start."""
    if _PUNCTUATION.search(text, 0, end):
        found = list(TOKEN.finditer(text, 0, end))
        return [m.lastindex or STRAY for m in found], [m[0] for m in found], [m.start() for m in found]
    # Words alone, the common case: splitting gives the same in a third of the time.
    texts = text[:end].split()
    starts = []
    at = 0
    for word in texts:
        at = text.index(word, at)
        starts.append(at)
        at += len(word)
    return [WORD] * len(texts), texts, starts


def words(text: str) -> tuple[str, ...] | None:
    """The words of a name in lower case, or None where it holds anything else."""
    kinds, texts, _ = cut(text, len(text))
    return tuple(word.lower() for word in texts) if set(kinds) == {WORD} else None


def is_word(name: str) -> bool:
    """Whether a name can stand in a statement as one word; an Item named otherwise is written `<IRI>`."""
    match = TOKEN.fullmatch(name)
    return (
        match is not None
        and match.lastindex == WORD
        and name.lower() not in RESERVED_IN_EVENT | {"model", "may", "must"}
        and name.removeprefix("Model") not in MODELLED - {name}
        and not NUMBER.fullmatch(name)
        and not re.match("@[0-9]", name)
        and not DATE_TIME.match(name)
        and not SURROGATE.search(name)
    )
