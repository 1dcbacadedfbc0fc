"""Turtle in one form for one graph: whoever wrote it, in whatever order, and however its blank nodes were called.

A line for each fact and each member of a list, blank nodes where they are used: what changes little differs little.
Blank nodes are told apart by RDF Dataset Canonicalization (RDFC-1.0); their order is that of their text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyoxigraph as ox

from app.errors import Code, Fault, PackError
from app.vocab import HOME, OWL, PREFIXES, RDF, RDFS, TYPE, XSD, pack_namespace

Node = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple

WELL_KNOWN: Final = {
    **PREFIXES,
    "dcterms": "http://purl.org/dc/terms/",
    "geo": "http://www.opengis.net/ont/geosparql#",
    "odrl": "http://www.w3.org/ns/odrl/2/",
    "prov": "http://www.w3.org/ns/prov#",
    "schema": "https://schema.org/",
    "sh": "http://www.w3.org/ns/shacl#",
    "sosa": "http://www.w3.org/ns/sosa/",
    "time": "http://www.w3.org/2006/time#",
}
_FIRST, _REST, _NIL = (ox.NamedNode(RDF + name) for name in ("first", "rest", "nil"))
_LOCAL: Final = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_-])?")
_PLAIN: Final = {  # Turtle writes these without quotes, and reads back what was written
    XSD + "integer": re.compile(r"[+-]?[0-9]+"),
    XSD + "decimal": re.compile(r"[+-]?[0-9]*\.[0-9]+"),
    XSD + "boolean": re.compile(r"true|false"),
}
_BEFORE: Final = {TYPE: 0, RDFS + "label": 1}


@dataclass(frozen=True, slots=True)
class Graph:
    """Facts, and the prefixes that their author used."""

    triples: frozenset[ox.Triple]
    prefixes: Mapping[str, str]


def read_graph(path: Path) -> Graph:
    """The graph of a Turtle file; relative IRIs are those of the project. Raises PackError."""
    try:
        parser = ox.parse(path=str(path), format=ox.RdfFormat.TURTLE, base_iri=HOME)
        triples = frozenset(quad.triple for quad in parser)
    except SyntaxError as error:
        where = f"{path}:{error.lineno or 0}"
        raise PackError(Fault(Code.PACK_UNREADABLE, f"no Turtle: {error.msg}", where=where)) from error
    return Graph(triples, parser.prefixes)


def ontology_of(graph: Graph) -> ox.NamedNode:
    """The ontology that a graph is about. Raises PackError where there is none, or more than one."""
    kind = ox.NamedNode(OWL + "Ontology")
    found = [t.subject for t in graph.triples if t.predicate.value == TYPE and t.object == kind]
    if len(found) == 1 and isinstance(found[0], ox.NamedNode):
        return found[0]
    message = f"an ontology.ttl is about one owl:Ontology, this about {len(found)}"
    raise PackError(Fault(Code.PACK_MEMBER, message, hint="`<NAME> a owl:Ontology`"))


def with_version(graph: Graph, version: str, before: str | None) -> Graph:
    """The graph with the version of its ontology, and the one that it follows, as OWL says them. Raises PackError."""
    ontology = ontology_of(graph)
    said: dict[str, ox.NamedNode | ox.Literal | None] = {
        "versionIRI": ox.NamedNode(version_iri(ontology.value, version)),
        "versionInfo": ox.Literal(version),
        "priorVersion": ox.NamedNode(version_iri(ontology.value, before)) if before else None,
    }
    names = {ox.NamedNode(OWL + name) for name in said}
    kept = {t for t in graph.triples if t.subject != ontology or t.predicate not in names}
    kept |= {
        ox.Triple(ontology, ox.NamedNode(OWL + name), value) for name, value in said.items() if value is not None
    }
    return Graph(frozenset(kept), graph.prefixes)


def version_iri(ontology: str, version: str) -> str:
    """What a version of an ontology is called."""
    return f"{ontology}/{version}"


def as_canonical(graph: Graph, packs: Iterable[str] = ()) -> bytes:
    """The graph in the one form; the common prefixes, the names of packs, else the author's are its prefixes."""
    known = {**WELL_KNOWN, **{name: pack_namespace(name) for name in packs}}
    own = {n: iri for n, iri in graph.prefixes.items() if n not in known and iri not in known.values()}
    return _Writer(graph.triples, {iri: name for name, iri in (*own.items(), *known.items())}).text().encode()


class _Writer:
    """One graph being written."""

    def __init__(self, triples: Iterable[ox.Triple], prefixes: Mapping[str, str]) -> None:
        dataset = ox.Dataset(ox.Quad(*triple) for triple in triples)
        dataset.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
        self._prefixes = prefixes
        self._used: set[str] = set()
        self._said: dict[Node, dict[ox.NamedNode, list[Node]]] = {}
        parents: dict[Node, list[Node]] = {}
        for quad in dataset:
            self._said.setdefault(quad.subject, {}).setdefault(quad.predicate, []).append(quad.object)
            parents.setdefault(quad.object, []).append(quad.subject)
        self._inner = {n for n in self._said if isinstance(n, ox.BlankNode) and _is_inner(n, parents)}

    def text(self) -> str:
        """The document."""
        named = sorted((node for node in self._said if isinstance(node, ox.NamedNode)), key=lambda node: node.value)
        blank = (node for node in self._said if isinstance(node, ox.BlankNode) and node not in self._inner)
        referred = {value for said in self._said.values() for values in said.values() for value in values}
        last = sorted(self._block(str(node) if node in referred else "[]", node) for node in blank)
        body = [self._block(self._term(node), node) for node in named] + last
        used = sorted((name, iri) for iri, name in self._prefixes.items() if name in self._used)
        return "\n".join([*(f"PREFIX {name}: <{iri}>" for name, iri in used), "", "\n\n".join(body)]).strip() + "\n"

    def _block(self, subject: str, node: Node) -> str:
        return f"{subject}\n{self._lines(node, 1)} ."

    def _lines(self, node: Node, depth: int) -> str:
        """What is said of a node: a predicate or a value a line."""
        pad, said = "    " * depth, self._said[node]
        lines = []
        for predicate in sorted(said, key=lambda p: (_BEFORE.get(p.value, 2), p.value)):
            verb = "a" if predicate.value == TYPE else self._term(predicate)
            values = sorted(self._value(value, depth + 1) for value in said[predicate])
            if len(values) == 1:
                lines.append(f"{pad}{verb} {values[0]}")
            else:
                lines.append(f"{pad}{verb}\n" + " ,\n".join(f"{pad}    {value}" for value in values))
        return " ;\n".join(lines)

    def _value(self, value: Node, depth: int) -> str:
        if value not in self._inner:
            return self._term(value)
        pad = "    " * (depth - 1)
        members = self._members(value)
        if members is None:
            return f"[\n{self._lines(value, depth)}\n{pad}]"
        return "(\n" + "".join(f"{pad}    {self._value(each, depth + 1)}\n" for each in members) + f"{pad})"

    def _members(self, node: Node) -> list[Node] | None:
        """Those of a list; None where the node is none."""
        members = []
        while node != _NIL:
            said = self._said.get(node, {})
            if set(said) != {_FIRST, _REST} or len(said[_FIRST]) > 1 or len(said[_REST]) > 1:
                return None
            members.append(said[_FIRST][0])
            node = said[_REST][0]
            if node != _NIL and node not in self._inner:
                return None
        return members

    def _term(self, term: Node) -> str:
        if isinstance(term, ox.NamedNode):
            return self._iri(term)
        if not isinstance(term, ox.Literal) or term.language or term.datatype.value == XSD + "string":
            return str(term)
        plain = _PLAIN.get(term.datatype.value)
        if plain is not None and plain.fullmatch(term.value):
            return term.value
        return f"{ox.Literal(term.value)}^^{self._iri(term.datatype)}"

    def _iri(self, node: ox.NamedNode) -> str:
        cut = max(node.value.rfind("#"), node.value.rfind("/")) + 1
        name = self._prefixes.get(node.value[:cut])
        if name is None or not _LOCAL.fullmatch(node.value[cut:]):
            return str(node)
        self._used.add(name)
        return f"{name}:{node.value[cut:]}"


def _is_inner(node: ox.BlankNode, parents: Mapping[Node, list[Node]]) -> bool:
    """Whether a blank node can stand where it is used: at one place, and not within itself."""
    seen: set[Node] = {node}
    at: Node = node
    while isinstance(at, ox.BlankNode):
        above = parents.get(at, [])
        if len(above) != 1:
            return at != node
        at = above[0]
        if at in seen:
            return False
        seen.add(at)
    return True
