"""Rows of a query in the four forms that the W3C defines: JSON, XML, CSV and TSV."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import StringIO
from typing import Final, TypeAlias
from xml.sax.saxutils import escape, quoteattr

import pyoxigraph as ox

from app.vocab import XSD

Row: TypeAlias = Sequence[ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple | None]

_XML: Final = '<?xml version="1.0"?>\n<sparql xmlns="http://www.w3.org/2005/sparql-results#">'


def write_rows(variables: Sequence[str], rows: Iterable[Row], media_type: str) -> bytes:
    """A table of solutions."""
    return _WRITERS[media_type](variables, rows).encode()


def write_answer(answer: bool, media_type: str) -> bytes:
    """The answer of an ASK; CSV and TSV have no form for it, so it is their only cell."""
    said = str(answer).lower()
    if media_type == "application/sparql-results+json":
        return json.dumps({"head": {}, "boolean": answer}).encode()
    if media_type == "application/sparql-results+xml":
        return f"{_XML}<head></head><boolean>{said}</boolean></sparql>".encode()
    return said.encode()


def _json(variables: Sequence[str], rows: Iterable[Row]) -> str:
    bindings = [
        {name: _json_term(term) for name, term in zip(variables, row, strict=True) if term is not None}
        for row in rows
    ]
    return json.dumps({"head": {"vars": list(variables)}, "results": {"bindings": bindings}}, ensure_ascii=False)


def _json_term(term: object) -> dict[str, str]:
    if isinstance(term, ox.NamedNode):
        return {"type": "uri", "value": term.value}
    if isinstance(term, ox.BlankNode):
        return {"type": "bnode", "value": term.value}
    assert isinstance(term, ox.Literal)
    if term.language:
        return {"type": "literal", "value": term.value, "xml:lang": term.language}
    if term.datatype.value == XSD + "string":
        return {"type": "literal", "value": term.value}
    return {"type": "literal", "value": term.value, "datatype": term.datatype.value}


def _xml(variables: Sequence[str], rows: Iterable[Row]) -> str:
    said = [_XML, "<head>", *(f"<variable name={quoteattr(name)}/>" for name in variables), "</head><results>"]
    for row in rows:
        said.append("<result>")
        for name, term in zip(variables, row, strict=True):
            if term is not None:
                said.append(f"<binding name={quoteattr(name)}>{_xml_term(term)}</binding>")
        said.append("</result>")
    return "".join([*said, "</results></sparql>"])


def _xml_term(term: object) -> str:
    said = _json_term(term)
    text = escape(said["value"])
    if said["type"] != "literal":
        return f"<{said['type']}>{text}</{said['type']}>"
    attributes = "".join(
        f" {name}={quoteattr(value)}" for name, value in said.items() if name not in {"type", "value"}
    )
    return f"<literal{attributes}>{text}</literal>"


def _csv(variables: Sequence[str], rows: Iterable[Row]) -> str:
    out = StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(variables)
    for row in rows:
        writer.writerow([_csv_term(term) for term in row])
    return out.getvalue()


def _csv_term(term: object) -> str:
    if isinstance(term, ox.BlankNode):
        return str(term)
    return "" if term is None else str(getattr(term, "value", term))


def _tsv(variables: Sequence[str], rows: Iterable[Row]) -> str:
    lines = ["\t".join(f"?{name}" for name in variables)]
    lines += ["\t".join("" if term is None else str(term).replace("\t", "\\t") for term in row) for row in rows]
    return "\n".join(lines) + "\n"


_WRITERS: Final[Mapping[str, Callable[[Sequence[str], Iterable[Row]], str]]] = {
    "application/sparql-results+json": _json,
    "application/sparql-results+xml": _xml,
    "text/csv": _csv,
    "text/tab-separated-values": _tsv,
}
ROWS: Final = tuple(_WRITERS)
"""The media types of rows, the one that is given to who accepts any first."""
