"""SHACL shapes of core and packs, on the nodes that a change touches (W3C SHACL; DESIGN 4).

A node is validated with its own facts and the classes of what it points at: shapes look one step forward. What
follows by subclass and subproperty counts as said.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

import pyoxigraph as ox
from rdflib import RDF, XSD, Graph, Literal, URIRef
from rdflib.term import Node

from app.errors import Code, Fault, PackError
from app.knowledge import SHAPES, Knowledge, Pack
from app.model import Term, Text, Typed
from app.vocab import TYPE
from app.world.report import SH, Result
from app.world.terms import Terms
from app.world.view import Facts, with_types

logging.getLogger("rdflib.term").setLevel(logging.ERROR)  # a value that is none of its datatype is told by the report


class Shapes:
    """The shapes of some packs, ready to validate."""

    def __init__(self, packs: Iterable[Pack], knowledge: Knowledge) -> None:
        self.graph = Graph()
        packs = tuple(packs)
        self._where = ", ".join(str(pack.folder / SHAPES) for pack in packs if (pack.folder / SHAPES).is_file())
        for pack in packs:
            path = pack.folder / SHAPES
            if path.is_file():
                try:
                    self.graph.parse(path, format="turtle")
                except Exception as error:  # rdflib's parsers raise what they meet
                    fault = Fault(Code.PACK_UNREADABLE, f"no Turtle: {error}", where=str(path))
                    raise PackError(fault) from error
        self._schema = knowledge.schema
        self._named = {str(term) for triple in self.graph for term in triple if isinstance(term, URIRef)}
        self._closed = any(self.graph.subjects(SH.closed))

    def check(self, facts: Facts, types: Facts, terms: Terms) -> Iterator[Result]:
        """What the shapes find wrong with some nodes. `types` has what is said of the classes of the nodes that they
        point at.
        """
        if not len(self.graph):
            return
        import pyshacl  # here, since a process that only answers never needs it, and it takes long to import
        from pyshacl.errors import ReportableRuntimeError

        data = Graph()
        for triple in with_types(facts, types):
            self._add(data, triple)
        try:
            _, found, _ = pyshacl.validate(
                data,
                shacl_graph=self.graph,
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
        looked_at = self._named.intersection((name, *self._schema.superproperties.get(name, ())))
        for p in looked_at or ((name,) if self._closed else ()):
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
    said = [each for each in found.objects(result, SH.resultMessage) if isinstance(each, Literal)]
    english = [each for each in said if (each.language or "en").split("-", 1)[0] == "en"]
    messages = sorted(str(message) for message in english or said)
    return Result(
        focus=one(SH.focusNode),
        path=one(SH.resultPath),
        value=term(SH.value),
        shape=named,
        message="; ".join(messages),
        is_warning=severity in (SH.Warning, SH.Info),
        component=one(SH.sourceConstraintComponent),
    )
