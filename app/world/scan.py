"""What no parser must be given, found in a document before one sees it: it would end the process or fill its memory.

Oxigraph drops nested triple terms by recursion, so that a stack overflows, and expands the entities of XML without
a limit. No fact of a world is about a fact, so triple terms are refused altogether.
"""

from __future__ import annotations

import mmap
import re
from pathlib import Path
from typing import Final
from xml.parsers import expat

import pyoxigraph as ox

from app.errors import Code, Fault, MessageError
from app.world.formats import CLAUSE, Format

DEPTH: Final = 1_000
"""Elements within elements of a document in RDF/XML."""

ENTITY: Final = 1_000
"""Characters for which an entity of XML may stand: enough for a namespace."""

TEXT: Final = 16 * 2**20
"""Characters of one literal; Oxigraph's parsers of the other forms have the same limit."""

_CHUNK: Final = 1 << 20
_MARK: Final = b"<<"
_TOKEN: Final = re.compile(
    rb"""\\.|\#[^\r\n]*+|<[^<>"{}|^`\x00-\x20]*+>
    |\"{3}[^"\\]*+(?:(?:"(?!"")|\\.)[^"\\]*+)*\"{3}|'{3}[^'\\]*+(?:(?:'(?!'')|\\.)[^'\\]*+)*'{3}
    |"[^"\\\n\r]*+(?:\\.[^"\\\n\r]*+)*"|'[^'\\\n\r]*+(?:\\.[^'\\\n\r]*+)*'|(?P<mark><<)""",
    re.VERBOSE | re.DOTALL,
)
"""In Turtle and its relatives, all in which `<<` would mean nothing, and `<<` where it begins a triple term."""


def scan(document: Path, form: Format) -> None:
    """Raises MessageError `not_rdf` or `too_large`, with the place."""
    if document.stat().st_size == 0:
        return
    if form.rdf == ox.RdfFormat.RDF_XML:
        _scan_xml(document)
    elif form.rdf != ox.RdfFormat.JSON_LD:  # its parser has limits of its own
        _scan_turtle(document)


def _scan_turtle(document: Path) -> None:
    """Nearly all documents have no `<<` at all, which is found quickly; in others it may be part of a text."""
    with document.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        if content.find(_MARK) < 0:
            return
        for match in _TOKEN.finditer(content):
            if match.lastgroup:
                line = content[: match.start()].count(b"\n") + 1
                message = f"a triple is said something of, or is a value, which no fact here can be (line {line})"
                raise MessageError(Fault(Code.NOT_RDF, message, where=f"{line}", clause=CLAUSE))


def _scan_xml(document: Path) -> None:
    parser = expat.ParserCreate()
    depth = characters = 0

    def too_large(message: str) -> MessageError:
        line, column = parser.CurrentLineNumber, parser.CurrentColumnNumber + 1
        return MessageError(
            Fault(Code.TOO_LARGE, f"{message} (line {line})", where=f"{line}:{column}", clause=CLAUSE)
        )

    def start(_: str, attributes: dict[str, str]) -> None:
        nonlocal depth, characters
        depth, characters = depth + 1, 0
        if depth > DEPTH:
            raise too_large(f"elements nest more than {DEPTH:,} deep")
        if any(len(value) > TEXT for value in attributes.values()):
            raise too_large(f"a literal has more than {TEXT:,} characters")

    def end(_: str) -> None:
        nonlocal depth, characters
        depth, characters = depth - 1, 0

    def text(said: str) -> None:
        nonlocal characters
        characters += len(said)
        if characters > TEXT:
            raise too_large(f"a literal has more than {TEXT:,} characters")

    def entity(name: str, _parameter: bool, value: str | None, *_: object) -> None:
        if value is None or "&" in value or "%" in value or len(value) > ENTITY:
            raise too_large(f"the entity `{name}` stands for more than a text of {ENTITY:,} characters")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = text, entity
    try:
        with document.open("rb") as file:
            while chunk := file.read(_CHUNK):
                parser.Parse(chunk, False)
            parser.Parse(b"", True)
    except expat.ExpatError as error:
        said = expat.ErrorString(error.code)
        if "amplification" in said:  # entities named so often that they stand for far more than the document has
            raise too_large("its entities stand for too much") from error
        message = f"no application/rdf+xml: {said} (line {error.lineno}, column {error.offset + 1})"
        where = f"{error.lineno}:{error.offset + 1}"
        raise MessageError(Fault(Code.NOT_RDF, message, where=where, clause=CLAUSE)) from error
