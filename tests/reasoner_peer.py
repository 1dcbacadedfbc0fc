"""What owlrl, the peer, finds of the same facts: inferred facts and kinds of contradiction, written as ours are.

owlrl 7.6 leaves out the last member of a list where members differ or properties exclude each other (eq-diff2,
eq-diff3, prp-adp) and does not compare the last property of a key (prp-key); it is given such lists with one more
member, which it then leaves out. It does not infer that what is above and below another is below itself (scm-sco,
scm-spo); this is added to what it finds, until nothing new follows. It has no dt-diff and does not tell whether a
literal has a range (dt-not-type).
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TypeAlias

import owlrl
from rdflib import OWL as RDFLIB_OWL
from rdflib import BNode, Graph, Literal, URIRef
from rdflib.collection import Collection
from rdflib.namespace import RDF, RDFS, XSD
from rdflib.term import Node

from app.model import Term, Text, Triple, Typed
from app.vocab import DOMAIN, OWL, RANGE, SUB_CLASS, SUB_PROPERTY, TYPE

Facts: TypeAlias = set[tuple[Term, Term, Term]]

HOME = "urn:t:"
"""The IRIs of the ontologies that are compared."""

REFLEXIVE = {SUB_CLASS, SUB_PROPERTY, *(OWL + name for name in ("sameAs", "equivalentClass", "equivalentProperty"))}
COMPARED = {TYPE, DOMAIN, RANGE, *REFLEXIVE}
_BELOW_AND_SAME = (
    (RDFS.subClassOf, RDFLIB_OWL.equivalentClass),
    (RDFS.subPropertyOf, RDFLIB_OWL.equivalentProperty),
)
_PADDING = URIRef("urn:padding")

# What owlrl says of a contradiction begins so.
_MESSAGES = {
    "'sameAs' and 'differentFrom'": "eq-diff1",
    "'sameAs' and 'AllDifferent'": "eq-diff2",
    "Irreflexive": "prp-irp",
    "Erroneous usage of asymmetric": "prp-asyp",
    "Disjoint properties in": "prp-adp",
    "Erroneous usage of disjoint properties": "prp-pdw",
    "Negative": "prp-npa1",
    "Violation of complementarity": "cls-com",
    "Erroneous usage of maximum cardinality": "cls-maxc1",
    "Erroneous usage of maximum qualified": "cls-maxqc1",
    "Disjoint classes": "cax-dw",
    "Lexical value": "dt-not-type",
}
_ALIKE = {"eq-diff3": "eq-diff2", "prp-npa2": "prp-npa1", "cls-maxqc2": "cls-maxqc1", "cax-adc": "cax-dw"}


def comparable(triples: Iterable[tuple[Term, Term, Term]]) -> Facts:
    """The facts between terms of the ontology, without what holds of every term (app/reasoner/table.py)."""
    return {
        (s, p, o)
        for s, p, o in triples
        if _own(s) and (_own(p) or p in COMPARED) and (_own(o) or not isinstance(o, str))
        if not (s == o and p in REFLEXIVE)
    }


def kind(rule: str) -> str:
    """A false-rule, as far as owlrl tells it from others."""
    return _ALIKE.get(rule, rule)


def their_closure(triples: Iterable[Triple]) -> tuple[Facts, set[str]]:
    """The comparable facts that owlrl finds, and the kinds of contradiction."""
    graph = _graph(triples)
    semantics = owlrl.OWLRL_Semantics(graph, False, False, False)
    semantics.closure()
    while _add_reflexive(graph):
        semantics = owlrl.OWLRL_Semantics(graph, False, False, False)
        semantics.closure()
    facts = {(_term(s), _term(p), _term(o)) for s, p, o in graph}
    return comparable(facts), {_kind(str(message)) for message in semantics.error_messages}


def _add_reflexive(graph: Graph) -> bool:
    """Whether a class or property that is above and below another was not said to be below itself."""
    found = {
        (s, below, s)
        for below, same in _BELOW_AND_SAME
        for s, o in graph.subject_objects(below | same)
        if (o, below, s) in graph or s == o
    }
    new = {triple for triple in found if triple not in graph}
    for triple in new:
        graph.add(triple)
    return bool(new)


def _kind(message: str) -> str:
    if message.endswith("is defined of type 'Nothing'"):
        return "cls-nothing2"
    (found,) = (rule for start, rule in _MESSAGES.items() if message.startswith(start))
    return found


def _own(term: Term) -> bool:
    return isinstance(term, str) and term.startswith(HOME)


def _graph(triples: Iterable[Triple]) -> Graph:
    graph = Graph()
    for s, p, o in triples:
        graph.add((_node(s), _node(p), _node(o)))
    kinds = (RDFLIB_OWL.AllDifferent, RDFLIB_OWL.AllDisjointProperties)
    keyed = False
    for predicate in (RDFLIB_OWL.members, RDFLIB_OWL.distinctMembers, RDFLIB_OWL.hasKey):
        for axiom, head in list(graph.subject_objects(predicate)):
            key = predicate == RDFLIB_OWL.hasKey
            listed = list(Collection(graph, head))
            if listed and (key or any((axiom, RDF.type, each) in graph for each in kinds)):
                graph.remove((axiom, predicate, head))
                graph.add((axiom, predicate, Collection(graph, BNode(), [*listed, _PADDING]).uri))
                keyed = keyed or key
    if keyed:
        for term in {t for s, _, o in graph for t in (s, o) if str(t).startswith(HOME)}:
            graph.add((term, _PADDING, _PADDING))
    return graph


def _node(term: Term) -> Node:
    if isinstance(term, str):
        return BNode(term[2:]) if term.startswith("_:") else URIRef(term)
    if isinstance(term, Text):
        return Literal(term.value, lang=term.lang or None, datatype=None if term.lang else XSD.string)
    if isinstance(term, Decimal):
        return Literal(int(term))
    if isinstance(term, Typed):
        return Literal(term.lexical, datatype=URIRef(term.datatype))
    return Literal(term)


def _term(node: Node) -> Term:
    if isinstance(node, BNode):
        return "_:" + str(node)
    if not isinstance(node, Literal):
        return str(node)
    if node.datatype == XSD.integer and not node.ill_typed:
        return Decimal(str(node))
    if node.datatype in {None, XSD.string}:
        return Text(str(node), node.language or "")
    return Typed(str(node), str(node.datatype))
