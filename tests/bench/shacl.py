"""The same rights question for pySHACL: a question is a node, and a shape with a SPARQL constraint refuses it.

Unlike the others it reads the facts as they are: it walks nested places and finds the nearest that has an owner or a
flag by itself. It is given the graph ready made, with one question in it at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib.metadata import version

import pyshacl
from rdflib import RDF, Graph, Literal, Namespace, URIRef

from app.model import Text
from app.vocab import MMM
from tests.bench.peers import Answer, Form, Peer
from tests.bench.worlds import BASE, Question, RightsWorld, facts_of

ASK = Namespace("urn:ask:")
NAME = "pySHACL"

_OPENS = """?to mmm:within* ?opens .
        FILTER NOT EXISTS { ?to mmm:within* ?near . ?near mmm:within+ ?opens . ?near mmm:owner|mmm:public ?any }"""
"""A place whose access opens the one asked for: up to the nearest that has an owner or a flag."""

SHAPES = f"""
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix ask: <{ASK}> .

ask:prefixes sh:declare [ sh:prefix "mmm" ; sh:namespace "{MMM}"^^<http://www.w3.org/2001/XMLSchema#anyURI> ] ,
    [ sh:prefix "ask" ; sh:namespace "{ASK}"^^<http://www.w3.org/2001/XMLSchema#anyURI> ] .

ask:Shape a sh:NodeShape ; sh:targetClass ask:Question ; sh:sparql [
    sh:prefixes ask:prefixes ;
    sh:select '''
SELECT $this WHERE {{
  $this ask:actor ?actor ; ask:item ?item ; ask:to ?to .
  FILTER (
    EXISTS {{ # a May Not that is held, in which what is left out is any
      ?no mmm:heldBy ?actor ; mmm:deonticVerb mmm:MayNot ; mmm:processAction ?it .
      FILTER NOT EXISTS {{ ?it mmm:complementNil ?i . FILTER (?i != ?item) }}
      FILTER NOT EXISTS {{ ?it mmm:complementTo ?t . FILTER NOT EXISTS {{ ?to mmm:within* ?t }} }}
    }} || ! (
      EXISTS {{ ?item mmm:owner ?actor }} ||
      EXISTS {{
        ?may mmm:heldBy ?actor ; mmm:deonticVerb mmm:May ; mmm:processAction ?its . ?its mmm:complementNil ?item .
        FILTER NOT EXISTS {{ ?its mmm:complementTo ?t . FILTER NOT EXISTS {{ ?to mmm:within* ?t }} }}
      }}
    ) || ! (
      EXISTS {{ {_OPENS} ?opens mmm:public true }} ||
      EXISTS {{ {_OPENS} ?opens mmm:owner ?actor }} ||
      EXISTS {{
        {_OPENS}
        ?may mmm:heldBy ?actor ; mmm:deonticVerb mmm:May ; mmm:processAction ?its . ?its mmm:complementTo ?opens .
        FILTER NOT EXISTS {{ ?its mmm:complementNil ?i . FILTER (?i != ?item) }}
      }}
    )
  )
}}''' ] .
"""


def shacl(world: RightsWorld) -> Peer:
    """pySHACL over the facts as a graph; it is a dependency of ours, so it is never missing."""
    data, shapes = _graph(world), Graph().parse(data=SHAPES, format="turtle")

    def one(question: Question) -> bool:
        node = ASK.it
        said = ((ASK.actor, question.actor), (ASK.item, question.item), (ASK.to, question.to))
        data.add((node, RDF.type, ASK.Question))
        for predicate, name in said:
            data.set((node, predicate, URIRef(BASE + name)))
        conforms, _, _ = pyshacl.validate(data, shacl_graph=shapes, inference="none", inplace=True)
        return bool(conforms)

    def answers(questions: Sequence[Question]) -> list[Answer]:
        return [partial(one, each) for each in questions]

    lacks = "reads no statement, tells one message for every refusal, has no effects of an accepted step, no Repairs"
    return Peer(NAME, version("pyshacl"), lacks, (Form("a question a node", answers, slow=True),))


def _graph(world: RightsWorld) -> Graph:
    graph = Graph()
    for s, p, o in facts_of(world):
        if isinstance(o, Text):
            graph.add((URIRef(s), URIRef(p), Literal(o.value)))
        elif isinstance(o, str):
            graph.add((URIRef(s), URIRef(p), URIRef(o)))
        elif isinstance(o, tuple):
            graph.add((URIRef(s), URIRef(p), Literal(o.lexical, datatype=URIRef(o.datatype))))
    return graph
