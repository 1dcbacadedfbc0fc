"""The reasoner: every rule of its table, derivations that hold, and agreement with owlrl (OWL 2 RL/RDF, W3C)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import owlrl
import pytest
from rdflib import BNode, Graph, Literal, Namespace, URIRef
from rdflib.term import Node

from app.knowledge import read_turtle
from app.model import Term, Text, Triple
from app.reasoner import (
    EQUIVALENT_CLASS,
    EQUIVALENT_PROPERTY,
    INVERSE_OF,
    RULES,
    Closure,
    Derivation,
    Pattern,
    Rule,
    close,
)
from app.vocab import DOMAIN, OWL, RANGE, SUB_CLASS, SUB_PROPERTY, TYPE

ROOT = Path(__file__).resolve().parents[1]
SYMMETRIC, TRANSITIVE = OWL + "SymmetricProperty", OWL + "TransitiveProperty"

# One example a rule: its name as in the tables of the W3C, premises, what follows from them and from nothing less.
EXAMPLES: list[tuple[str, list[Triple], Triple]] = [
    ("scm-sco", [("a", SUB_CLASS, "b"), ("b", SUB_CLASS, "c")], ("a", SUB_CLASS, "c")),
    ("scm-eqc1", [("a", EQUIVALENT_CLASS, "b")], ("a", SUB_CLASS, "b")),
    ("scm-eqc1", [("a", EQUIVALENT_CLASS, "b")], ("b", SUB_CLASS, "a")),
    ("scm-spo", [("p", SUB_PROPERTY, "q"), ("q", SUB_PROPERTY, "r")], ("p", SUB_PROPERTY, "r")),
    ("scm-eqp1", [("p", EQUIVALENT_PROPERTY, "q")], ("p", SUB_PROPERTY, "q")),
    ("scm-eqp1", [("p", EQUIVALENT_PROPERTY, "q")], ("q", SUB_PROPERTY, "p")),
    ("scm-dom2", [("p", DOMAIN, "c"), ("q", SUB_PROPERTY, "p")], ("q", DOMAIN, "c")),
    ("scm-rng2", [("p", RANGE, "c"), ("q", SUB_PROPERTY, "p")], ("q", RANGE, "c")),
    ("cax-sco", [("x", TYPE, "c"), ("c", SUB_CLASS, "d")], ("x", TYPE, "d")),
    ("prp-spo1", [("x", "p", "y"), ("p", SUB_PROPERTY, "q")], ("x", "q", "y")),
    ("prp-dom", [("x", "p", "y"), ("p", DOMAIN, "c")], ("x", TYPE, "c")),
    ("prp-rng", [("x", "p", "y"), ("p", RANGE, "c")], ("y", TYPE, "c")),
    ("prp-inv1", [("x", "p", "y"), ("p", INVERSE_OF, "q")], ("y", "q", "x")),
    ("prp-inv2", [("x", "q", "y"), ("p", INVERSE_OF, "q")], ("y", "p", "x")),
    ("prp-symp", [("x", "p", "y"), ("p", TYPE, SYMMETRIC)], ("y", "p", "x")),
    ("prp-trp", [("p", TYPE, TRANSITIVE), ("x", "p", "y"), ("y", "p", "z")], ("x", "p", "z")),
]


@pytest.mark.parametrize("name, premises, conclusion", EXAMPLES, ids=[f"{e[0]}-{i}" for i, e in enumerate(EXAMPLES)])
def test_a_rule_infers_its_conclusion_from_its_premises(
    name: str, premises: list[Triple], conclusion: Triple
) -> None:
    """In any order of the premises, with the rule and the premises as derivation; with one premise less, nothing."""
    for order in (premises, premises[::-1]):
        closure = close(order)
        assert closure.derivations[conclusion].rule == name
        assert sorted(closure.derivations[conclusion].premises) == sorted(premises)
        assert set(closure.why(conclusion)) == set(premises)
    for left_out in premises:
        assert conclusion not in close([premise for premise in premises if premise != left_out]).facts


def test_every_rule_of_the_table_has_an_example() -> None:
    """As many examples as rules, of the same names: none is tried twice, none is forgotten."""
    assert sorted(rule.name for rule in RULES) == sorted(name for name, _, _ in EXAMPLES)


def test_what_is_asserted_has_no_derivation() -> None:
    """Also where a rule would infer it; `why` of it is itself."""
    stated: list[Triple] = [("a", SUB_CLASS, "b"), ("b", SUB_CLASS, "c"), ("a", SUB_CLASS, "c"), ("x", TYPE, "a")]
    closure = close(stated)
    assert set(stated) & set(closure.derivations) == set()
    assert closure.why(("a", SUB_CLASS, "c")) == (("a", SUB_CLASS, "c"),)
    assert set(closure.derivations) == {("x", TYPE, "b"), ("x", TYPE, "c")}


def test_a_cycle_ends() -> None:
    """Classes and properties that contain each other are closed like all others, and `why` comes to an end."""
    ring: list[Triple] = [("a", SUB_CLASS, "b"), ("b", SUB_CLASS, "c"), ("c", SUB_CLASS, "a"), ("x", TYPE, "a")]
    closure = close(ring)
    assert {o for s, p, o in closure.facts if (s, p) == ("x", TYPE)} == {"a", "b", "c"}
    assert set(closure.why(("x", TYPE, "c"))) <= set(ring)


def test_nothing_follows_of_a_literal() -> None:
    """A literal is the subject of no fact, whatever range or inverse its property has."""
    stated: list[Triple] = [("p", RANGE, "c"), ("p", INVERSE_OF, "q"), ("x", "p", Text("t"))]
    assert close(stated).facts == set(stated)


def test_the_order_of_the_facts_changes_nothing() -> None:
    """The closure of core is the same whichever fact is read first."""
    assert close(sorted(core(), key=str)).facts == close(sorted(core(), key=str, reverse=True)).facts


@cache
def core() -> tuple[Triple, ...]:
    return tuple(dict.fromkeys(read_turtle(ROOT / "ontologies" / "core" / "ontology.ttl")))


@cache
def closed() -> Closure:
    return close(core())


def follows(rule: Rule, derivation: Derivation, conclusion: Triple) -> bool:
    """Whether the premises and the conclusion are the rule's patterns under one binding."""
    binding: dict[str, Term] = {}
    pairs: list[tuple[Pattern, Triple]] = [
        *zip(rule.premises, derivation.premises, strict=True),
        (rule.conclusion, conclusion),
    ]
    return all(
        binding.setdefault(name, term) == term if name.startswith("?") else name == term
        for pattern, triple in pairs
        for name, term in zip(pattern, triple, strict=True)
    )


def test_every_derivation_holds() -> None:
    """Its premises are facts, and by its rule they give the conclusion; it rests on what is asserted."""
    closure = closed()
    assert set(closure.derivations) == closure.facts - set(core())
    for conclusion, derivation in closure.derivations.items():
        assert set(derivation.premises) <= closure.facts
        named = [rule for rule in RULES if rule.name == derivation.rule]
        assert any(follows(rule, derivation, conclusion) for rule in named), conclusion
        asserted = closure.why(conclusion)
        assert set(asserted) <= set(core())
        assert conclusion in close(asserted).facts


MMM = Namespace("https://w3id.org/domain-access/mmm#")
ABOUT = (SUB_CLASS, SUB_PROPERTY, TYPE)


def rdf(triples: Iterable[Triple]) -> Graph:
    """The facts that can have consequences: those between things. Labels and other literals have none here."""
    graph = Graph()

    def node(term: str) -> Node:
        return BNode(term[2:]) if term.startswith("_:") else URIRef(term)

    for s, p, o in triples:
        if isinstance(o, str):
            graph.add((node(s), URIRef(p), node(o)))
    return graph


# A world with what core has none of: inverses, symmetric and transitive properties, equivalences, domains.
MORE: list[Triple] = [
    ("urn:t:near", TYPE, OWL + "ObjectProperty"),
    ("urn:t:near", TYPE, SYMMETRIC),
    ("urn:t:part", TYPE, OWL + "ObjectProperty"),
    ("urn:t:part", TYPE, TRANSITIVE),
    ("urn:t:part", INVERSE_OF, "urn:t:has"),
    ("urn:t:inside", SUB_PROPERTY, "urn:t:part"),
    ("urn:t:part", DOMAIN, MMM.Place.toPython()),
    ("urn:t:near", RANGE, MMM.MLocation.toPython()),
    ("urn:t:Spot", TYPE, OWL + "Class"),
    ("urn:t:beside", TYPE, OWL + "ObjectProperty"),
    ("urn:t:Spot", EQUIVALENT_CLASS, MMM.MLocation.toPython()),
    ("urn:t:beside", EQUIVALENT_PROPERTY, "urn:t:near"),
    ("urn:t:a", "urn:t:inside", "urn:t:b"),
    ("urn:t:b", "urn:t:inside", "urn:t:c"),
    ("urn:t:c", "urn:t:has", "urn:t:d"),
    ("urn:t:d", "urn:t:beside", "urn:t:e"),
    ("urn:t:f", TYPE, "urn:t:Spot"),
]


def test_what_is_inferred_of_core_is_what_owlrl_infers() -> None:
    """Its closure has all of ours; ours has all of its types, hierarchies and facts between terms of the packs."""
    stated = [*core(), *MORE]
    graph = rdf(stated)
    owlrl.DeductiveClosure(owlrl.OWLRL_Semantics).expand(graph)
    theirs = {
        (str(s), str(p), str(o))
        for s, p, o in graph
        if not (isinstance(s, BNode | Literal) or isinstance(o, BNode | Literal))
    }
    assert not [o for _, p, o in graph if "error" in str(p)], "owlrl finds the vocabulary inconsistent"
    ours = {(s, p, o) for s, p, o in close(stated).facts if isinstance(o, str) and "_:" not in (s[:2], o[:2])}
    assert ours - theirs == set()

    named = {term for s, _, o in stated for term in (s, o) if isinstance(term, str)}
    own = {term for term in named if term.startswith((str(MMM), "urn:t:", "https://w3id.org/domain-access/dac#"))}
    expected = {(s, p, o) for s, p, o in theirs if s in own and o in own and s != o and (p in ABOUT or p in own)}
    assert expected - ours == set()
    assert len(expected) > 100
