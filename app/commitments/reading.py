"""A commitment's text -> what it says, by the first of the four forms that it has (SEMANTICS 9)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from app.commitments.english import QUANTIFIERS, read_english
from app.commitments.forms import Form, Reading
from app.commitments.names import Scope
from app.commitments.norms import read_norm
from app.commitments.triples import read_triples
from app.evaluate import Names
from app.statement.tokens import QUOTED, WORD, cut

_LONGEST: Final = 2_000  # characters that are looked at for names; what is longer is text
_MOST_RUN: Final = 4  # words of an identifier that holds spaces


def read(text: str, scope: Scope, node: str) -> Reading:
    """What a commitment says; opaque text where it has none of the other forms. `node` is its own among all."""
    if len(text) > _LONGEST:
        return Reading(Form.TEXT)
    remarks: list[str] = []
    readers: list[Callable[[], Reading | None]] = [
        lambda: read_norm(text, scope),
        lambda: read_triples(text, scope, node),
        lambda: read_english(text, scope, node),
    ]
    if text.split(maxsplit=1)[:1] and text.split(maxsplit=1)[0].lower() in QUANTIFIERS:
        readers = readers[::-1]  # `everyone` is no Process
    for reader in readers:
        reading = reader()
        if reading is None:
            continue
        if reading.form is not Form.TEXT:
            return reading
        remarks.append(reading.remark)
    return Reading(Form.TEXT, remark=remarks[0] if remarks else "")


def mentioned(texts: Iterable[str], names: Names) -> Iterator[str]:
    """The IRIs of all that the texts might name: what must be fetched to read them."""
    for text in texts:
        if len(text) > _LONGEST:
            continue
        kinds, tokens, _ = cut(text, len(text))
        said = [
            token.rstrip(".") if kind == WORD else token[1:-1] if kind == QUOTED else ""
            for kind, token in zip(kinds, tokens, strict=True)
        ]
        for at, token in enumerate(said):
            if token:
                yield names.iri(token)
            for to in range(at + 2, min(at + _MOST_RUN, len(said)) + 1):
                if all(said[at:to]) and len(said) <= 40:
                    yield names.iri(" ".join(said[at:to]))
        for token in tokens:
            if token.startswith("<") and token.endswith(">"):
                iri = token[1:-1]
                yield iri if ":" in iri else names.base + iri
