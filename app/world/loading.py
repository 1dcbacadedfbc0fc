"""A document of any size -> facts of a store, in bounded memory (DESIGN 9: 120,000 facts a second on disk)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

import pyoxigraph as ox

from app.errors import MessageError
from app.world.blank import skolemized
from app.world.formats import FORMATS, Format, read_triples, syntax_fault
from app.world.store import Store
from app.world.terms import in_graph

_CHUNK: Final = 1 << 20
_NATIVE: Final = tuple(each.rdf for each in FORMATS if each.media_type in {"text/turtle", "application/n-triples"})

Progress = Callable[[str, int], None]
"""Is told what is being done, and how many nodes or facts it has been done for."""


def load_file(document: Path, form: Format, store: Store, progress: Progress) -> None:
    """Add the facts of a document to a store that nobody reads yet. Raises MessageError with line and column.

    Oxigraph reads on its own where that changes nothing: a document without blank nodes, in a form of one graph.
    """
    progress("loading", 0)
    if form.rdf in _NATIVE and not _may_have_blank_nodes(document):
        try:
            store.opened.bulk_load(path=str(document), format=form.rdf, base_iri=store.base, to_graph=store.graph)
        except (SyntaxError, MemoryError) as error:
            raise syntax_fault(error, form.media_type) from error
        return
    triples = skolemized(read_triples(document, form, store.base), store.base, store.said)
    failed: list[MessageError] = []

    def quads() -> Iterator[ox.Quad]:
        try:
            for number, triple in enumerate(triples):
                if number % 100_000 == 0:
                    progress("loading", number)
                yield in_graph(triple, store.graph)
        except MessageError as error:  # Oxigraph would tell it as an error of its own
            failed.append(error)

    store.opened.bulk_extend(quads())
    if failed:
        raise failed[0]


def digest_of(document: Path) -> str:
    """The SHA-256 of a document."""
    digest = sha256()
    with document.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _may_have_blank_nodes(document: Path) -> bool:
    """Whether a document of Turtle or N-Triples could have a blank node or a triple term: `_:`, `[`, `(`, `<<`."""
    before = b""
    with document.open("rb") as file:
        while chunk := file.read(_CHUNK):
            text = before + chunk
            if b"_:" in text or b"[" in text or b"(" in text or b"<<" in text:
                return True
            before = chunk[-1:]
    return False
