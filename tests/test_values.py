"""Literals and datatypes: which have one value, which values a datatype has; as XML Schema and HermiT say."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from itertools import combinations

import pytest
from rdflib import OWL, RDF, RDFS, XSD, BNode, Graph, Literal, URIRef
from rdflib.term import Node

from app import vocab
from app.model import Term, Text, Typed
from app.reasoner import close, value_of
from app.reasoner.values import DATATYPES, belongs, differ, excluded, ill_typed
from tests.packs import hermit

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
XS = vocab.XSD
PLAIN = vocab.RDF + "PlainLiteral"

READ: list[tuple[str, str, Term]] = [
    ("5", "integer", Decimal(5)),
    ("+05", "positiveInteger", Decimal(5)),
    (" 5\n", "unsignedByte", Decimal(5)),
    ("5.", "decimal", Decimal(5)),
    (".5", "decimal", Decimal("0.5")),
    ("5E-1", "double", Decimal("0.5")),
    ("1e-999999999", "double", Decimal(0)),
    ("1e999", "float", Typed("INF", XS + "float")),
    ("+INF", "double", Typed("INF", XS + "double")),
    ("NaN", "float", Typed("NaN", XS + "float")),
    ("x", "string", Text("x")),
    (" a\n b ", "token", Text("a b")),
    ("a\tb", "normalizedString", Text("a b")),
    ("en-GB", "language", Text("en-GB")),
    ("a:b", "Name", Text("a:b")),
    ("2026-01-01T13:00:00+01:00", "dateTime", NOON),
    ("2026-01-01T12:00:00.000Z", "dateTimeStamp", NOON),
    ("2025-12-31T24:00:00Z", "dateTime", datetime(2026, 1, 1, tzinfo=UTC)),
    ("12026-01-01T12:00:00Z", "dateTime", Typed("12026-01-01T12:00:00Z", XS + "dateTime")),
    ("2026-01-01T12:00:00.0000001Z", "dateTime", Typed("2026-01-01T12:00:00.0000001Z", XS + "dateTime")),
    ("1", "boolean", Typed("true", XS + "boolean")),
    ("0a", "hexBinary", Typed("0A", XS + "hexBinary")),
    ("AA AA", "base64Binary", Typed("AAAA", XS + "base64Binary")),
    ("2026-01-01", "date", Typed("2026-01-01", XS + "date")),
]
"""A literal and its term."""

ILL = [
    ("five", "integer"),
    ("1.0", "integer"),
    ("1_000", "integer"),
    ("٥", "integer"),
    ("", "integer"),
    ("-1", "nonNegativeInteger"),
    ("0", "negativeInteger"),
    ("128", "byte"),
    ("1e3", "decimal"),
    ("Infinity", "double"),
    ("yes", "boolean"),
    ("True", "boolean"),
    ("2026-01-01", "dateTime"),
    ("2026-02-30T00:00:00", "dateTime"),
    ("2026-01-01T25:00:00", "dateTime"),
    ("2026-01-01T12:00:00", "dateTimeStamp"),
    ("tomorrow", "dateTime"),
    ("abc", "hexBinary"),
    ("A", "base64Binary"),
    ("a b", "NCName"),
    ("a:b", "NCName"),
    ("english language", "language"),
]
"""Literals that have no value."""

UNKNOWN = [Typed("x", "urn:t:datatype"), Typed("1/2", vocab.OWL + "rational"), Typed("five", XS + "integer")]


@pytest.mark.parametrize("lexical, datatype, term", READ, ids=[f"{d}-{i}" for i, (_, d, _) in enumerate(READ)])
def test_a_literal_is_read_as_its_value(lexical: str, datatype: str, term: Term) -> None:
    """However it is written; its value is one of its datatype."""
    read = value_of(lexical, XS + datatype)
    assert read == term
    assert type(read) is type(term)
    assert not ill_typed(read)
    assert belongs(read, XS + datatype) or XS + datatype not in DATATYPES


@pytest.mark.parametrize("lexical, datatype", ILL, ids=[f"{d}-{i}" for i, (_, d) in enumerate(ILL)])
def test_a_literal_without_a_value_stays_as_written_and_contradicts_itself(lexical: str, datatype: str) -> None:
    """It is no value of any datatype, and the same as no other surely or surely not."""
    read = value_of(lexical, XS + datatype)
    assert read == Typed(lexical, XS + datatype)
    assert ill_typed(read)
    assert not any(belongs(read, each) for each in DATATYPES - {vocab.RDFS + "Literal"})
    assert not differ(read, Decimal(5))
    fact = ("a", "p", read)
    assert close([fact, ("p", vocab.SUB_PROPERTY, "q")]).clashes == (("dt-not-type", (fact,)),)


def test_plain_literals_have_their_language() -> None:
    assert value_of("due@IT", PLAIN) == Text("due", "it")
    assert value_of("a@b@", PLAIN) == Text("a@b")
    assert ill_typed(value_of("two", PLAIN))


@pytest.mark.parametrize("term", UNKNOWN, ids=lambda term: term.lexical)
def test_of_what_is_not_known_nothing_is_concluded(term: Typed) -> None:
    """Neither that a datatype has it nor that none has; neither the same nor another."""
    assert not any(belongs(term, each) or excluded(term, each) for each in DATATYPES - {vocab.RDFS + "Literal"})
    assert not differ(term, Text("x"))
    assert not differ(Decimal(1), term)


@pytest.mark.parametrize(
    "one, other",
    [
        (Typed("P1D", XS + "duration"), Typed("PT24H", XS + "duration")),
        (Typed("2026-01-01Z", XS + "date"), Typed("2026-01-01+00:00", XS + "date")),
        (Typed("12026-01-01T12:00:00Z", XS + "dateTime"), Typed("12026-01-01T13:00:00+01:00", XS + "dateTime")),
    ],
    ids=["durations", "dates", "moments"],
)
def test_literals_that_may_be_one_value_do_not_differ(one: Typed, other: Typed) -> None:
    assert not differ(one, other)
    assert differ(one, Decimal(1))


# HermiT as the oracle

LITERALS = [
    *(("5", "integer"), ("300", "positiveInteger"), ("5.0", "decimal"), ("-1", "decimal"), ("1.5", "decimal")),
    *(("x", "string"), ("x", "token"), ("a b", "token"), (" a  b", "normalizedString"), ("a:b", "Name")),
    *(("en-GB", "language"), ("true", "boolean"), ("1", "boolean"), ("0a", "hexBinary"), ("0A", "hexBinary")),
    *(("urn:x", "anyURI"), ("2026-01-01T00:00:00Z", "dateTime"), ("2026-01-01T00:00:00.0Z", "dateTimeStamp")),
    ("2026-01-01T00:00:01Z", "dateTimeStamp"),
]
TOLD_APART = [
    *("integer", "decimal", "nonNegativeInteger", "negativeInteger", "byte", "unsignedByte", "string", "token"),
    *("normalizedString", "language", "Name", "NCName", "NMTOKEN", "boolean", "hexBinary", "base64Binary"),
    *("anyURI", "dateTime", "dateTimeStamp"),
]


def restricted(graph: Graph, name: str, said: list[tuple[URIRef, Node]]) -> None:
    """A class whose instances have a value, or values of a datatype, for a functional property of its own."""
    graph.add((URIRef(f"urn:t:p{name}"), RDF.type, OWL.DatatypeProperty))
    graph.add((URIRef(f"urn:t:p{name}"), RDF.type, OWL.FunctionalProperty))
    graph.add((URIRef(f"urn:t:C{name}"), RDF.type, OWL.Class))
    for how, what in said:
        node = BNode()
        graph.add((URIRef(f"urn:t:C{name}"), RDFS.subClassOf, node)).add((node, RDF.type, OWL.Restriction))
        graph.add((node, OWL.onProperty, URIRef(f"urn:t:p{name}"))).add((node, how, what))


def test_hermit_finds_the_same_values_in_the_same_datatypes_and_the_same_pairs_different() -> None:
    """A class of what has a value outside its range, or two values for one, is impossible: in one run, for all."""
    graph = Graph()
    written = [Literal(text, datatype=XSD[datatype], normalize=False) for text, datatype in LITERALS]
    terms = [value_of(text, XS + datatype) for text, datatype in LITERALS]
    ours = set()
    for i, (literal, term) in enumerate(zip(written, terms, strict=True)):
        for datatype in TOLD_APART:
            restricted(graph, f"{i}-{datatype}", [(OWL.hasValue, literal), (OWL.allValuesFrom, XSD[datatype])])
            assert excluded(term, XS + datatype) != belongs(term, XS + datatype)
            if excluded(term, XS + datatype):
                ours.add(f"urn:t:C{i}-{datatype}")
    for i, j in combinations(range(len(terms)), 2):
        restricted(graph, f"{i}-{j}", [(OWL.hasValue, written[i]), (OWL.hasValue, written[j])])
        assert differ(terms[i], terms[j]) == differ(terms[j], terms[i]) == (terms[i] != terms[j])
        if differ(terms[i], terms[j]):
            ours.add(f"urn:t:C{i}-{j}")
    found = hermit(graph)
    theirs = found["unsatisfiable"]
    assert isinstance(theirs, list)
    assert set(theirs) == ours
    assert len(ours) > 300
    assert len(LITERALS) * len(TOLD_APART) + len(terms) * (len(terms) - 1) // 2 > len(ours) + 50
