"""Turtle in one form for one graph: whoever wrote it, in whatever order, and however its blank nodes were called.

A line for each fact and each member of a list, blank nodes where they are used: what changes little differs little.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from rdflib import DCTERMS, OWL, PROV, RDF, SDO, SH, SOSA, TIME, Graph, Literal, URIRef

from app.errors import Code, Fault, PackError
from app.vocab import HOME, PREFIXES, pack_namespace

_WELL_KNOWN: Final = {
    **PREFIXES,
    "dcterms": str(DCTERMS),
    "prov": str(PROV),
    "schema": str(SDO),
    "sh": str(SH),
    "sosa": str(SOSA),
    "time": str(TIME),
}


def read_graph(path: Path) -> Graph:
    """The graph of a Turtle file; relative IRIs are those of the project. Raises PackError."""
    graph = Graph(bind_namespaces="none")
    try:
        return graph.parse(path, format="turtle", publicID=HOME)
    except SyntaxError as error:  # rdflib's BadSyntax
        raise PackError(Fault(Code.PACK_UNREADABLE, f"no Turtle: {error}", where=str(path))) from error


def as_canonical(graph: Graph, packs: Iterable[str]) -> bytes:
    """The graph in the one form; the names of packs, the common prefixes, else the author's are its prefixes."""
    plain = Graph(bind_namespaces="none")
    known = {**_WELL_KNOWN, **{name: pack_namespace(name) for name in packs}}
    own = {name: str(iri) for name, iri in graph.namespaces() if str(iri) not in known.values() and name not in known}
    for name, namespace in sorted({**known, **own}.items()):
        plain.bind(name, namespace, override=True, replace=True)
    for triple in graph:
        plain.add(triple)
    text = plain.serialize(format="longturtle", canon=True, encoding="utf-8").decode()
    return ("\n".join(line.rstrip() for line in text.strip().split("\n")) + "\n").encode()


def with_version(graph: Graph, version: str, before: str | None) -> Graph:
    """The graph with the version of its ontology, and the one that it follows, as OWL says them.

    Raises PackError where there is no ontology, or more than one.
    """
    found = sorted({subject for subject in graph.subjects(RDF.type, OWL.Ontology) if isinstance(subject, URIRef)})
    if len(found) != 1:
        message = f"an ontology.ttl is about one owl:Ontology, this about {len(found)}"
        raise PackError(Fault(Code.PACK_MEMBER, message, hint="`<NAME> a owl:Ontology`"))
    (ontology,) = found
    graph.set((ontology, OWL.versionIRI, version_iri(ontology, version)))
    graph.set((ontology, OWL.versionInfo, Literal(version)))
    if before is not None:
        graph.set((ontology, OWL.priorVersion, version_iri(ontology, before)))
    return graph


def version_iri(ontology: str, version: str) -> URIRef:
    """What a version of an ontology is called."""
    return URIRef(f"{ontology}/{version}")
