"""SHACL shapes of core and packs, on the nodes that a change touches (W3C SHACL; DESIGN 4).

A node is validated with its own facts and the classes of what it points at: shapes look one step forward. What
follows by subclass and subproperty counts as said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import pyoxigraph as ox
from rdflib import RDF, XSD, Graph, Literal, URIRef
from rdflib.term import Node

from app.errors import Code, Fault, PackError
from app.knowledge import Knowledge, Pack
from app.model import Term, Text, Typed
from app.vocab import TYPE
from app.world.report import SH, Result
from app.world.terms import Terms

FILE: Final = "shapes.ttl"
_TYPE: Final = ox.NamedNode(TYPE)

Facts = Mapping[ox.NamedNode, Sequence[ox.Triple]]
"""What is said of some nodes."""


class Shapes:
    """The shapes of some packs, ready to validate."""

    def __init__(self, packs: Iterable[Pack], knowledge: Knowledge) -> None:
        self._graph = Graph()
        packs = tuple(packs)
        self._where = ", ".join(str(pack.folder / FILE) for pack in packs if (pack.folder / FILE).is_file())
        for pack in packs:
            path = pack.folder / FILE
            if path.is_file():
                try:
                    self._graph.parse(path, format="turtle")
                except Exception as error:  # rdflib's parsers raise what they meet
                    fault = Fault(Code.PACK_UNREADABLE, f"no Turtle: {error}", where=str(path))
                    raise PackError(fault) from error
        self._schema = knowledge.schema
        self._named = {str(term) for triple in self._graph for term in triple if isinstance(term, URIRef)}

    def check(self, facts: Facts, classes: Facts, terms: Terms) -> Iterator[Result]:
        """What the shapes find wrong with some nodes. `classes` has the types of the nodes they point at."""
        if not len(self._graph):
            return
        import pyshacl  # here, since a process that only answers never needs it, and it takes long to import
        from pyshacl.errors import ReportableRuntimeError

        data = Graph()
        for triples in (*facts.values(), *classes.values()):
            for triple in triples:
                self._add(data, triple)
        try:
            _, found, _ = pyshacl.validate(
                data,
                shacl_graph=self._graph,
                inference="none",
                inplace=True,
                allow_infos=True,
            )
        except ReportableRuntimeError as error:  # shapes that are none: they are read when they are first needed
            raise PackError(Fault(Code.PACK_UNREADABLE, f"no shapes: {error}", where=self._where)) from error
        assert isinstance(found, Graph)
        for result in found.objects(predicate=SH.result):
            focus = found.value(result, SH.focusNode)
            if isinstance(focus, URIRef) and ox.NamedNode(focus) in facts:
                yield _result(found, result, terms)

    def _add(self, data: Graph, triple: ox.Triple) -> None:
        """Add a fact and what follows from it by the vocabulary, as far as any shape looks at it."""
        s, o = _rdflib(triple.subject), _rdflib(triple.object)
        name = triple.predicate.value
        if name == TYPE:
            for c in self._named.intersection((str(o), *self._schema.superclasses.get(str(o), ()))):
                data.add((s, RDF.type, URIRef(c)))
            return
        for p in self._named.intersection((name, *self._schema.superproperties.get(name, ()))):
            data.add((s, URIRef(p), o))


def _rdflib(term: object) -> URIRef | Literal:
    if isinstance(term, ox.Literal):
        if term.language:
            return Literal(term.value, lang=term.language)
        return Literal(term.value, datatype=URIRef(term.datatype.value), normalize=False)
    assert isinstance(term, ox.NamedNode)
    return URIRef(term.value)


def _result(found: Graph, result: Node, terms: Terms) -> Result:
    def term(predicate: URIRef) -> Term | None:
        value = found.value(result, predicate)
        if isinstance(value, URIRef):
            return terms.ours(ox.NamedNode(value))
        if isinstance(value, Literal):
            return Text(value, value.language) if value.language else Typed(value, str(value.datatype or XSD.string))
        return None

    def one(predicate: URIRef) -> str:
        value = term(predicate)
        return value if isinstance(value, str) else ""

    shape = found.value(result, SH.sourceShape)
    named = str(shape) if isinstance(shape, URIRef) else one(SH.sourceConstraintComponent)
    severity = found.value(result, SH.resultSeverity)
    messages = sorted(str(message) for message in found.objects(result, SH.resultMessage))
    return Result(
        focus=one(SH.focusNode),
        path=one(SH.resultPath),
        value=term(SH.value),
        shape=named,
        message="; ".join(messages),
        is_warning=severity in (SH.Warning, SH.Info),
        component=one(SH.sourceConstraintComponent),
    )
