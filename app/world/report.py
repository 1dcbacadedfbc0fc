"""What validation found: one Result for each thing that is wrong, as text, as faults, and as a SHACL report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import pyoxigraph as ox
from rdflib import RDF, BNode, Graph, Literal, Namespace, URIRef
from rdflib.term import Node

from app.errors import Code, Fault, MessageError
from app.model import Term
from app.vocab import PREFIXES
from app.world.terms import to_rdf

SH: Final = Namespace("http://www.w3.org/ns/shacl#")
CHECKS: Final = "urn:domain-access:check:"
"""Before the name of a check of ours, where a SHACL report names the shape and the constraint."""

SHOWN: Final = 200
"""Results that a report holds; of those beyond it the number is told."""


@dataclass(frozen=True, slots=True)
class Result:
    """One thing wrong: at which node, on which property (an IRI or a path, or empty), with which value, by which
    shape (its IRI, or the name of a check of ours) and which component of it. A warning refuses nothing. To a
    node without identifier a `way` leads: the entity it starts from, the properties to follow, its IRI for updates.
    """

    focus: str
    path: str
    value: Term | None
    shape: str
    message: str
    hint: str = ""
    is_warning: bool = False
    component: str = ""
    way: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The results of one validation, in the order in which they were found."""

    results: tuple[Result, ...] = ()
    left_out: int = 0

    @property
    def conforms(self) -> bool:
        """Whether nothing refuses the change."""
        return self.left_out == 0 and all(result.is_warning for result in self.results)

    def error(self, said: Callable[[str], str]) -> MessageError:
        """The report as an error; `said` names a node or a property for a reader."""
        refusing = [result for result in self.results if not result.is_warning]
        faults = [Fault(Code.WORLD_REFUSED, _line(r, said), where=_where(r, said), hint=r.hint) for r in refusing]
        if self.left_out:
            faults.append(Fault(Code.WORLD_REFUSED, f"and {self.left_out:,} results more"))
        return WorldRefusedError(self, *faults)

    def text(self, said: Callable[[str], str]) -> str:
        """A line for each result: focus node, path, what is wrong, shape."""
        lines = [
            f"{'warning' if r.is_warning else 'violation'}: {_where(r, said)}: {_line(r, said)}"
            + (f" ({r.hint})" if r.hint else "")
            for r in self.results
        ]
        return "\n".join(lines + ([f"and {self.left_out:,} results more"] if self.left_out else []))

    def turtle(self) -> bytes:
        """A sh:ValidationReport."""
        graph = Graph()
        for prefix, iri in {**PREFIXES, "sh": str(SH)}.items():
            graph.bind(prefix, iri)
        report = BNode("report")
        graph.add((report, RDF.type, SH.ValidationReport))
        graph.add((report, SH.conforms, Literal(self.conforms)))
        for number, result in enumerate(self.results):
            node = BNode(f"result{number}")
            graph.add((report, SH.result, node))
            for p, o in _members(result):
                graph.add((node, p, o))
        return graph.serialize(format="turtle", encoding="utf-8")


class WorldRefusedError(MessageError):
    """A change that would break a world; `report` tells how."""

    def __init__(self, report: Report, *faults: Fault) -> None:
        self.report = report
        super().__init__(*faults)


def gathered(results: Iterable[Result]) -> Report:
    """A report of results, cut at SHOWN; several values that break a shape in one way are one result."""
    kept: dict[tuple[str, str, str, str], Result] = {}
    left_out = 0
    for result in results:
        key = (result.focus, result.path, result.shape, result.message)
        if key not in kept and len(kept) >= SHOWN:
            left_out += not result.is_warning
        else:
            kept.setdefault(key, result)
    return Report(tuple(kept.values()), left_out)


def _members(result: Result) -> Iterable[tuple[URIRef, Node]]:
    yield RDF.type, SH.ValidationResult
    yield SH.focusNode, _node(result.focus)
    if result.path:
        yield SH.resultPath, URIRef(result.path)
    if result.value is not None:
        yield SH.value, _node(result.value)
    shape = URIRef(result.shape if ":" in result.shape else CHECKS + result.shape)
    yield SH.sourceShape, shape
    yield SH.sourceConstraintComponent, URIRef(result.component) if result.component else shape
    yield SH.resultSeverity, SH.Warning if result.is_warning else SH.Violation
    yield SH.resultMessage, Literal(result.message)


def _node(term: Term) -> Node:
    if isinstance(term, str):
        return BNode(term[2:]) if term.startswith("_:") else URIRef(term)
    literal = to_rdf(term)
    assert isinstance(literal, ox.Literal)
    if literal.language:
        return Literal(literal.value, lang=literal.language)
    return Literal(literal.value, datatype=URIRef(literal.datatype.value), normalize=False)


def _where(result: Result, said: Callable[[str], str]) -> str:
    focus = said(result.focus)
    if result.way:
        *steps, iri = result.way
        focus = " ".join((*map(said, steps), f"<{iri}>"))
    return f"{focus} {said(result.path)}" if result.path else focus


def _line(result: Result, said: Callable[[str], str]) -> str:
    return f"{result.message} [{said(result.shape) if ':' in result.shape else result.shape}]"
