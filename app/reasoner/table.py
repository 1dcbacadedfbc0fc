"""The OWL 2 RL/RDF rules whose premises are a fixed number of triples (W3C OWL 2 Profiles, 4.3, tables 4 to 9).

One line a rule: its name, premises, `=>`, and what follows, `false` where the premises contradict each other. `a` is
rdf:type, a word starting with `?` a variable. Rules over lists are in lists.py, those over literals in values.py.

What holds of every term is understood and never stored: that a term is the same as itself (eq-ref) and below itself
(scm-cls, scm-op, scm-dp), that a class is below owl:Thing and above owl:Nothing (scm-cls), the axioms prp-ap,
cls-thing, cls-nothing1 and dt-type1. Rules that would need such a fact as a premise have a line without it here.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from sys import intern
from typing import NamedTuple

from app.model import Term, Triple
from app.vocab import OWL, RDF, RDFS, TYPE

CONTRADICTION = "false"


class Pattern(NamedTuple):
    """A triple of a rule; a name starting with `?` is a variable."""

    s: Term
    p: Term
    o: Term


class Rule(NamedTuple):
    """Premises that share variables, and what they allow to infer; no conclusion: they contradict each other.

    `given` are facts the rule was made from (an axiom with a list); they come first among a derivation's premises.
    """

    name: str
    premises: tuple[Pattern, ...]
    conclusion: Pattern | None
    given: tuple[Triple, ...] = ()


_RDFS = {"subClassOf", "subPropertyOf", "domain", "range"}
_RDF = {"first", "rest"}

_TABLE = """
eq-sym: ?x sameAs ?y => ?y sameAs ?x
eq-trans: ?x sameAs ?y . ?y sameAs ?z => ?x sameAs ?z
eq-rep-s: ?s sameAs ?t . ?s ?p ?o => ?t ?p ?o
eq-rep-p: ?p sameAs ?q . ?s ?p ?o => ?s ?q ?o
eq-rep-o: ?o sameAs ?v . ?s ?p ?o => ?s ?p ?v
eq-diff1: ?x sameAs ?y . ?x differentFrom ?y => false
eq-diff1: ?x differentFrom ?x => false

prp-dom: ?p domain ?c . ?x ?p ?y => ?x a ?c
prp-rng: ?p range ?c . ?x ?p ?y => ?y a ?c
prp-fp: ?p a FunctionalProperty . ?x ?p ?y . ?x ?p ?z => ?y sameAs ?z
prp-ifp: ?p a InverseFunctionalProperty . ?x ?p ?z . ?y ?p ?z => ?x sameAs ?y
prp-irp: ?p a IrreflexiveProperty . ?x ?p ?x => false
prp-symp: ?p a SymmetricProperty . ?x ?p ?y => ?y ?p ?x
prp-asyp: ?p a AsymmetricProperty . ?x ?p ?y . ?y ?p ?x => false
prp-trp: ?p a TransitiveProperty . ?x ?p ?y . ?y ?p ?z => ?x ?p ?z
prp-spo1: ?p subPropertyOf ?q . ?x ?p ?y => ?x ?q ?y
prp-eqp1: ?p equivalentProperty ?q . ?x ?p ?y => ?x ?q ?y
prp-eqp2: ?p equivalentProperty ?q . ?x ?q ?y => ?x ?p ?y
prp-pdw: ?p propertyDisjointWith ?q . ?x ?p ?y . ?x ?q ?y => false
prp-inv1: ?p inverseOf ?q . ?x ?p ?y => ?y ?q ?x
prp-inv2: ?p inverseOf ?q . ?x ?q ?y => ?y ?p ?x
prp-npa1: ?n sourceIndividual ?x . ?n assertionProperty ?p . ?n targetIndividual ?y . ?x ?p ?y => false
prp-npa2: ?n sourceIndividual ?x . ?n assertionProperty ?p . ?n targetValue ?y . ?x ?p ?y => false

cls-nothing2: ?x a Nothing => false
cls-com: ?c complementOf ?d . ?x a ?c . ?x a ?d => false
cls-svf1: ?r someValuesFrom ?c . ?r onProperty ?p . ?x ?p ?y . ?y a ?c => ?x a ?r
cls-svf2: ?r someValuesFrom Thing . ?r onProperty ?p . ?x ?p ?y => ?x a ?r
cls-avf: ?r allValuesFrom ?c . ?r onProperty ?p . ?x a ?r . ?x ?p ?y => ?y a ?c
cls-hv1: ?r hasValue ?y . ?r onProperty ?p . ?x a ?r => ?x ?p ?y
cls-hv2: ?r hasValue ?y . ?r onProperty ?p . ?x ?p ?y => ?x a ?r
cls-maxc1: ?r maxCardinality 0 . ?r onProperty ?p . ?x a ?r . ?x ?p ?y => false
cls-maxc2: ?r maxCardinality 1 . ?r onProperty ?p . ?x a ?r . ?x ?p ?y . ?x ?p ?z => ?y sameAs ?z
cls-maxqc1: ?r maxQualifiedCardinality 0 . ?r onProperty ?p . ?r onClass ?c . ?x a ?r . ?x ?p ?y . ?y a ?c => false
cls-maxqc2: ?r maxQualifiedCardinality 0 . ?r onProperty ?p . ?r onClass Thing . ?x a ?r . ?x ?p ?y => false
cls-maxqc3: ?r maxQualifiedCardinality 1 . ?r onProperty ?p . ?r onClass ?c . ?x a ?r . ?x ?p ?y . ?y a ?c . ?x ?p ?z . ?z a ?c => ?y sameAs ?z
cls-maxqc4: ?r maxQualifiedCardinality 1 . ?r onProperty ?p . ?r onClass Thing . ?x a ?r . ?x ?p ?y . ?x ?p ?z => ?y sameAs ?z

cax-sco: ?c subClassOf ?d . ?x a ?c => ?x a ?d
cax-eqc1: ?c equivalentClass ?d . ?x a ?c => ?x a ?d
cax-eqc2: ?c equivalentClass ?d . ?x a ?d => ?x a ?c
cax-dw: ?c disjointWith ?d . ?x a ?c . ?x a ?d => false

scm-cls: ?c a Class . ?c sameAs ?d => ?c subClassOf ?d
scm-op: ?p a ObjectProperty . ?p sameAs ?q => ?p subPropertyOf ?q
scm-dp: ?p a DatatypeProperty . ?p sameAs ?q => ?p subPropertyOf ?q
scm-sco: ?c subClassOf ?d . ?d subClassOf ?e => ?c subClassOf ?e
scm-eqc1: ?c equivalentClass ?d => ?c subClassOf ?d
scm-eqc1: ?c equivalentClass ?d => ?d subClassOf ?c
scm-eqc2: ?c subClassOf ?d . ?d subClassOf ?c => ?c equivalentClass ?d
scm-spo: ?p subPropertyOf ?q . ?q subPropertyOf ?r => ?p subPropertyOf ?r
scm-eqp1: ?p equivalentProperty ?q => ?p subPropertyOf ?q
scm-eqp1: ?p equivalentProperty ?q => ?q subPropertyOf ?p
scm-eqp2: ?p subPropertyOf ?q . ?q subPropertyOf ?p => ?p equivalentProperty ?q
scm-dom1: ?p domain ?c . ?c subClassOf ?d => ?p domain ?d
scm-dom2: ?p domain ?c . ?q subPropertyOf ?p => ?q domain ?c
scm-rng1: ?p range ?c . ?c subClassOf ?d => ?p range ?d
scm-rng2: ?p range ?c . ?q subPropertyOf ?p => ?q range ?c
scm-hv: ?r hasValue ?v . ?r onProperty ?p . ?s hasValue ?v . ?s onProperty ?q . ?p subPropertyOf ?q => ?r subClassOf ?s
scm-hv: ?r hasValue ?v . ?r onProperty ?p . ?s hasValue ?v . ?s onProperty ?p . ?p a ObjectProperty => ?r subClassOf ?s
scm-hv: ?r hasValue ?v . ?r onProperty ?p . ?s hasValue ?v . ?s onProperty ?p . ?p a DatatypeProperty => ?r subClassOf ?s
scm-svf1: ?r someValuesFrom ?c . ?r onProperty ?p . ?s someValuesFrom ?d . ?s onProperty ?p . ?c subClassOf ?d => ?r subClassOf ?s
scm-svf1: ?r someValuesFrom ?c . ?r onProperty ?p . ?s someValuesFrom ?c . ?s onProperty ?p . ?c a Class => ?r subClassOf ?s
scm-svf1: ?r someValuesFrom Thing . ?r onProperty ?p . ?s someValuesFrom Thing . ?s onProperty ?p => ?r subClassOf ?s
scm-svf1: ?r someValuesFrom Nothing . ?r onProperty ?p . ?s someValuesFrom Nothing . ?s onProperty ?p => ?r subClassOf ?s
scm-svf2: ?r someValuesFrom ?c . ?r onProperty ?p . ?s someValuesFrom ?c . ?s onProperty ?q . ?p subPropertyOf ?q => ?r subClassOf ?s
scm-svf2: ?r someValuesFrom ?c . ?r onProperty ?p . ?s someValuesFrom ?c . ?s onProperty ?p . ?p a ObjectProperty => ?r subClassOf ?s
scm-svf2: ?r someValuesFrom ?c . ?r onProperty ?p . ?s someValuesFrom ?c . ?s onProperty ?p . ?p a DatatypeProperty => ?r subClassOf ?s
scm-avf1: ?r allValuesFrom ?c . ?r onProperty ?p . ?s allValuesFrom ?d . ?s onProperty ?p . ?c subClassOf ?d => ?r subClassOf ?s
scm-avf1: ?r allValuesFrom ?c . ?r onProperty ?p . ?s allValuesFrom ?c . ?s onProperty ?p . ?c a Class => ?r subClassOf ?s
scm-avf1: ?r allValuesFrom Thing . ?r onProperty ?p . ?s allValuesFrom Thing . ?s onProperty ?p => ?r subClassOf ?s
scm-avf1: ?r allValuesFrom Nothing . ?r onProperty ?p . ?s allValuesFrom Nothing . ?s onProperty ?p => ?r subClassOf ?s
scm-avf2: ?r allValuesFrom ?c . ?r onProperty ?p . ?s allValuesFrom ?c . ?s onProperty ?q . ?p subPropertyOf ?q => ?s subClassOf ?r
scm-avf2: ?r allValuesFrom ?c . ?r onProperty ?p . ?s allValuesFrom ?c . ?s onProperty ?p . ?p a ObjectProperty => ?s subClassOf ?r
scm-avf2: ?r allValuesFrom ?c . ?r onProperty ?p . ?s allValuesFrom ?c . ?s onProperty ?p . ?p a DatatypeProperty => ?s subClassOf ?r
"""

# Where an ontology says one of these, a rule may need a class below owl:Thing or above owl:Nothing (scm-cls).
_USES_OF_THING = (
    "Thing subClassOf ?d",
    "Thing equivalentClass ?d",
    "?d equivalentClass Thing",
    "?d complementOf Thing",
    "Thing complementOf ?d",
    "Thing disjointWith ?d",
    "?d disjointWith Thing",
    "?d first Thing",
    "?d someValuesFrom Thing",
    "?d allValuesFrom Thing",
    "Thing hasKey ?d",
    "Thing sameAs ?d",
)
_USES_OF_NOTHING = (
    "?d subClassOf Nothing",
    "?d equivalentClass Nothing",
    "?d someValuesFrom Nothing",
    "?d allValuesFrom Nothing",
    "?d domain Nothing",
    "?d range Nothing",
    "?x a Nothing",
    "Nothing sameAs ?d",
)


def _term(word: str) -> Term:
    if word.startswith("?"):
        return word
    if word == "a":
        return TYPE
    if word.isdigit():
        return Decimal(word)
    return intern((RDFS if word in _RDFS else RDF if word in _RDF else OWL) + word)


def _pattern(text: str) -> Pattern:
    s, p, o = map(_term, text.split())
    return Pattern(s, p, o)


def _rule(line: str) -> Rule:
    name, rest = line.split(": ", 1)
    premises, conclusion = rest.split(" => ")
    return Rule(
        name,
        tuple(map(_pattern, premises.split(" . "))),
        None if conclusion == CONTRADICTION else _pattern(conclusion),
    )


def _lines() -> Iterator[str]:
    yield from filter(None, _TABLE.splitlines())
    for use in _USES_OF_THING:
        yield f"scm-cls: ?c a Class . {use} => ?c subClassOf Thing"
    for use in _USES_OF_NOTHING:
        yield f"scm-cls: ?c a Class . {use} => Nothing subClassOf ?c"
    for use in (*_USES_OF_THING, *_USES_OF_NOTHING):
        yield f"scm-cls: {use} => Nothing subClassOf Thing"


RULES: tuple[Rule, ...] = tuple(map(_rule, _lines()))
