"""The serialisations of RDF in which a world comes and goes, by media type (SPARQL 1.1 Graph Store HTTP Protocol)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyoxigraph as ox

from app.errors import Code, Fault, MessageError

CLAUSE: Final = "SPARQL 1.1 Graph Store HTTP Protocol"


@dataclass(frozen=True, slots=True)
class Format:
    """One serialisation: its media type, the suffixes its files have, how Oxigraph calls it."""

    media_type: str
    suffixes: tuple[str, ...]
    rdf: ox.RdfFormat
    has_graphs: bool = False


FORMATS: Final = (
    Format("text/turtle", (".ttl",), ox.RdfFormat.TURTLE),
    Format("application/n-triples", (".nt",), ox.RdfFormat.N_TRIPLES),
    Format("application/trig", (".trig",), ox.RdfFormat.TRIG, has_graphs=True),
    Format("application/n-quads", (".nq",), ox.RdfFormat.N_QUADS, has_graphs=True),
    Format("application/ld+json", (".jsonld",), ox.RdfFormat.JSON_LD, has_graphs=True),
    Format("application/rdf+xml", (".rdf", ".owl"), ox.RdfFormat.RDF_XML),
)
BY_MEDIA_TYPE: Final[Mapping[str, Format]] = {each.media_type: each for each in FORMATS}
BY_SUFFIX: Final[Mapping[str, Format]] = {suffix: each for each in FORMATS for suffix in each.suffixes}
TURTLE: Final = BY_MEDIA_TYPE["text/turtle"]


def format_of(content_type: str) -> Format:
    """What a Content-Type names. Raises MessageError `unsupported_media_type`."""
    media_type = content_type.partition(";")[0].strip().lower()
    found = BY_MEDIA_TYPE.get(media_type)
    if found is None:
        message = f"the body is `{content_type}`" if content_type else "the body has no Content-Type"
        hint = f"served: {', '.join(BY_MEDIA_TYPE)}"
        raise MessageError(Fault(Code.UNSUPPORTED_MEDIA_TYPE, message, clause=CLAUSE, hint=hint))
    return found


def read_triples(source: Path | bytes, form: Format, base: str) -> Iterator[ox.Triple]:
    """The triples of a document of one graph, the default one or the one that `base` names.

    Raises MessageError: `not_rdf` with line and column, `wrong_graph` where it has another graph.
    """
    where, content = (source, None) if isinstance(source, Path) else (None, source)
    graph = ox.NamedNode(base)
    try:
        for quad in ox.parse(content, form.rdf, path=where, base_iri=base, rename_blank_nodes=True):
            if quad.graph_name != graph and not isinstance(quad.graph_name, ox.DefaultGraph):
                raise _other_graph(str(quad.graph_name), base)
            if isinstance(quad.object, ox.Triple):
                message = f"the value of {quad.predicate} is a triple, which no fact here can be"
                raise MessageError(Fault(Code.NOT_RDF, message, clause=CLAUSE))
            yield quad.triple
    except (SyntaxError, MemoryError) as error:
        raise syntax_fault(error, form.media_type) from error


def syntax_fault(error: SyntaxError | MemoryError, kind: str) -> MessageError:
    """A syntax error as a fault with its place, as line:column; MemoryError is said of a term that is too long."""
    if isinstance(error, MemoryError):
        hint = "one literal or IRI may have 16 MiB"
        return MessageError(
            Fault(Code.TOO_LARGE, f"a term of the document is too long: {error}", clause=CLAUSE, hint=hint)
        )
    column = f":{error.offset}" if error.offset else ""
    where = f"{error.lineno}{column}" if error.lineno else ""
    said = re.sub(r"^Parser error at line \d+ column \d+: ", "", error.msg or "")
    message = f"no {kind}: {said}" + (f" (line {error.lineno}, column {error.offset})" if error.lineno else "")
    return MessageError(Fault(Code.NOT_RDF, message, where=where, clause=CLAUSE))


def _other_graph(graph: str, base: str) -> MessageError:
    message = f"the document has the graph {graph}, and the world is the graph <{base}>"
    return MessageError(Fault(Code.WRONG_GRAPH, message, clause=CLAUSE, hint="name that graph, or none"))
