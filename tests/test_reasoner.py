"""The reasoner: each rule fires and nearly fires, agrees with owlrl, and shows what it infers from."""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from app.knowledge import read_turtle
from app.model import Term, Text, Triple
from app.reasoner import RULES, Closure, close, extend
from app.reasoner.closing import REFLEXIVE
from app.vocab import OWL, PREFIXES, RANGE, RDF, SUB_CLASS, TYPE
from tests.reasoner_peer import HOME, comparable, kind, their_closure

ROOT = Path(__file__).resolve().parents[1]


def cases(name: str) -> list[dict[str, str]]:
    """The cases of a file."""
    found: list[dict[str, str]] = tomllib.loads((ROOT / "tests/reasoner" / name).read_text(encoding="utf-8"))["case"]
    return found


RULE_CASES = cases("rules.toml")
CASES = RULE_CASES + cases("corners.toml")
IDS = [f"{case['rule']}-{i}" for i, case in enumerate(CASES)]
# rules over lists or literals, which are not lines of RULES
BEYOND = Counter(
    {
        **dict.fromkeys(
            ("eq-diff3", "prp-spo2", "prp-adp", "prp-key", "cls-int1", "cls-int2", "cls-uni", "cls-oo"), 1
        ),
        **dict.fromkeys(("cax-adc", "scm-int", "scm-uni", "dt-diff", "cls-svf1"), 1),
        "eq-diff2": 2,
        "dt-not-type": 3,
    }
)
# what owlrl does not do (tests/reasoner_peer.py), by the words of the case
BEYOND_OWLRL = {
    "[] a owl:AllDifferent ; owl:members ( :a :a ) .": "members that are one term",
    ":p rdfs:range xsd:integer . :a :p 'seven' .": "no literal is tried against a range",
    ":R owl:allValuesFrom xsd:nonNegativeInteger ; owl:onProperty :p . :a a :R ; :p -1 .": "nor against a bound",
    ":p a owl:FunctionalProperty . :a :p 'one' , 'two' .": "literals are never compared",
}

SAME = OWL + "sameAs"

each_case = pytest.mark.parametrize("case", CASES, ids=IDS)


def turtle(text: str) -> tuple[Triple, ...]:
    """Facts in Turtle; `:a` is a term of HOME."""
    prefixes = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in {**PREFIXES, "": HOME}.items())
    return tuple(read_turtle(Path("case.ttl"), prefixes + text))


def ways(fact: Triple) -> tuple[Triple, ...]:
    """An equality is inferred one way round, and the other follows by eq-sym."""
    s, p, o = fact
    return (fact, (str(o), p, s)) if p == OWL + "sameAs" else (fact,)


@each_case
def test_a_rule_finds_what_the_w3c_says_and_rests_on_what_was_given(case: dict[str, str]) -> None:
    """It names the rule; `why` leads back to all that was given, whatever its order."""
    given = turtle(case["given"])
    for order in (given, given[::-1]):
        closure = close(order)
        if "then" in case:
            (then,) = turtle(case["then"])
            assert case["rule"] in {derived.rule for fact in ways(then) if (derived := closure.derivation(fact))}
            assert set(closure.why(then)) == set(given)
            assert closure.clashes == () or "a owl:Nothing" in case["given"]
        else:
            found = [clash for clash in closure.clashes if clash.rule == case["rule"]]
            assert {frozenset(closure.why_all(clash.premises)) for clash in found} == {frozenset(given)}


@each_case
def test_with_one_fact_less_nothing_follows(case: dict[str, str]) -> None:
    """Every fact given is needed: a near miss for each of them."""
    given = turtle(case["given"])
    for missing in given:
        closure = close([fact for fact in given if fact != missing])
        if "then" in case:
            assert not closure.holds(turtle(case["then"])[0])
        else:
            assert [clash for clash in closure.clashes if clash.rule == case["rule"]] == []


@each_case
def test_owlrl_finds_the_same(case: dict[str, str]) -> None:
    """The same facts between the terms of the case and the same kinds of contradiction."""
    closure = close(turtle(case["given"]))
    facts, kinds = their_closure(turtle(case["given"]))
    ours = {kind(clash.rule) for clash in closure.clashes}
    if case["given"] in BEYOND_OWLRL:
        assert (len(ours), kinds) == (1, set())
        return
    assert comparable(closure.facts) == facts
    assert ours == kinds


def test_every_rule_has_its_case() -> None:
    """Each line of the table once, and the rules beyond it."""
    assert Counter(case["rule"] for case in RULE_CASES) == Counter(rule.name for rule in RULES) + BEYOND
    assert (len(RULE_CASES), len(CASES)) == (130, 148)
    assert set(BEYOND_OWLRL) <= {case["given"] for case in CASES}


@each_case
def test_a_layer_adds_what_closing_the_whole_would_add(case: dict[str, str]) -> None:
    """Whichever facts are the base, and also in three layers; the base stays as it was."""
    given = turtle(case["given"])
    whole = close(given)
    for cut in range(len(given) + 1):
        base = close(given[:cut])
        before = (base.facts, dict(base.derivations), base.clashes)
        layer = extend(base, given[cut : cut + 1])
        top = extend(layer, given[cut + 1 :])
        assert base.facts | layer.facts | top.facts == whole.facts
        assert {c.rule for each in (base, layer, top) for c in each.clashes} == {c.rule for c in whole.clashes}
        assert (base.facts, dict(base.derivations), base.clashes) == before
        assert extend(base, given[cut:]).facts == whole.facts - base.facts


def test_a_layer_holds_no_more_than_follows_from_it() -> None:
    """Of a fact added to ten thousand others: itself and one more."""
    base = close([(f"x{i}", TYPE, f"c{i % 100}") for i in range(10_000)] + [("c1", SUB_CLASS, "d1")])
    layer = extend(base, [("new", TYPE, "c1")])
    assert layer.facts == {("new", TYPE, "c1"), ("new", TYPE, "d1")}
    assert set(layer.why(("new", TYPE, "d1"))) == {("c1", SUB_CLASS, "d1"), ("new", TYPE, "c1")}


def listed(subject: str, predicate: str, members: list[str]) -> list[Triple]:
    """An axiom with a list."""
    cells = [f"_:{subject}{i}" for i in range(len(members))]
    made: list[Triple] = [(subject, OWL + predicate, cells[0])]
    for cell, member, rest in zip(cells, members, [*cells[1:], RDF + "nil"], strict=True):
        made += [(cell, RDF + "first", member), (cell, RDF + "rest", rest)]
    return made


MANY = [f"x{i}" for i in range(110)]
SOME = MANY[:25]


def test_a_list_may_be_long() -> None:
    """Longer than Python nests loops or blocks: every member counts."""
    chain = [(f"a{i}", each, f"a{i + 1}") for i, each in enumerate(SOME)]
    types = [("a", TYPE, each) for each in MANY]
    keys = [(who, each, each) for each in SOME for who in "ab"]
    for axioms, facts, then, rule in (
        (listed("p", "propertyChainAxiom", SOME), chain, ("a0", "p", "a25"), "prp-spo2"),
        (listed("c", "intersectionOf", MANY), types, ("a", TYPE, "c"), "cls-int1"),
        (listed("c", "hasKey", SOME), [*keys, ("a", TYPE, "c"), ("b", TYPE, "c")], ("a", SAME, "b"), "prp-key"),
    ):
        for given in ([*axioms, *facts], [*facts, *axioms]):
            closure = close(given)
            assert rule in {found.rule for fact in ways(then) if (found := closure.derivation(fact))}
            assert set(closure.why(then)) == set(given)
        assert not close([*axioms, *facts[1:]]).holds(then)
        layer = extend(close([*axioms, *facts[1:]]), facts[:1])
        assert layer.holds(then)


def test_of_many_members_each_two_exclude_each_other() -> None:
    """2,000 of them: a watch for each member, not a rule for each two."""
    many = [f"x{i}" for i in range(2_000)]
    differ = [("n", TYPE, OWL + "AllDifferent"), *listed("n", "members", many)]
    exclude = [("n", TYPE, OWL + "AllDisjointClasses"), *listed("n", "members", many)]
    apart = [("n", TYPE, OWL + "AllDisjointProperties"), *listed("n", "members", many)]
    for axioms, rule, facts in (
        (differ, "eq-diff2", [("x1999", SAME, "x7")]),
        (exclude, "cax-adc", [("a", TYPE, "x7"), ("a", TYPE, "x1999")]),
        (apart, "prp-adp", [("a", "x7", "b"), ("a", "x1999", "b")]),
    ):
        assert close(axioms).clashes == ()
        for closure in (close([*axioms, *facts]), close([*facts, *axioms]), extend(close(axioms), facts)):
            (clash,) = closure.clashes
            assert clash.rule == rule
            assert set(closure.why_all(clash.premises)) == {*axioms, *facts}


def test_a_cell_with_two_members_makes_two_lists() -> None:
    """Whichever comes first, and also where the second comes with a layer."""
    base = turtle(":C owl:unionOf _:l . _:l rdf:rest () . :a a :A . :b a :B .")
    cells = tuple((str(base[0][2]), RDF + "first", HOME + name) for name in "AB")
    whole = close([*base, *cells])
    assert whole.facts == close([*cells[::-1], *base]).facts
    layer = extend(close([*base, cells[0]]), [cells[1]])
    assert whole.facts == layer.facts | close([*base, cells[0]]).facts
    for name in "ab":
        fact = (HOME + name, TYPE, HOME + "C")
        assert whole.derivations[fact].rule == "cls-uni"
        assert set(whole.why(fact)) == {*base[:2], cells["ab".index(name)], (HOME + name, TYPE, HOME + name.upper())}


def test_a_list_that_goes_in_circles_is_none() -> None:
    """Nor is one without an end, or whose end is a literal."""
    for rest in ("_:l", ":m", "'end'"):
        assert close(turtle(f":C owl:unionOf _:l . _:l rdf:first :A ; rdf:rest {rest} . :a a :A .")).derivations == {}


def test_too_many_lists_in_one_are_said_not_to_be_read() -> None:
    """Ten cells with two rests each would be a thousand lists."""
    cells: list[Triple] = [("c", OWL + "unionOf", "n0")]
    for i in range(10):
        cells += [(f"n{i}{x}", RDF + "rest", f"n{i + 1}{y}") for x in ("", "b") for y in ("", "b")]
        cells += [(f"n{i}{x}", RDF + "first", f"m{i}") for x in ("", "b")]
    cells += [("n10", RDF + "first", "m"), ("n10", RDF + "rest", RDF + "nil")]
    (clash,) = close(cells).clashes
    assert clash == ("bound", (cells[0],))


def test_equals_are_written_out_up_to_a_bound_that_is_told() -> None:
    """A hundred names of one thing, each with what is said of every other; of more, that there are more."""
    chain: list[Triple] = [(f"x{i}", SAME, f"x{i + 1}") for i in range(99)]
    said: list[Triple] = [(f"x{i}", f"p{i}", "y") for i in range(100)]
    closure = close([*said, *chain])
    assert closure.clashes == ()
    assert {fact for fact in closure.facts if fact[1] == SAME} == {
        (f"x{i}", SAME, f"x{j}") for i in range(100) for j in range(100) if i != j
    }
    assert {fact for fact in closure.facts if fact[1] != SAME} == {
        (f"x{i}", f"p{j}", "y") for i in range(100) for j in range(100)
    }
    for more in (("x0", SAME, "z"), ("z", SAME, "x50")):
        (clash,) = close([*said, *chain, more]).clashes
        assert clash.rule == "bound"
        assert extend(closure, [more]).clashes == (("bound", (more,)),)
    values = [("p", TYPE, OWL + "FunctionalProperty"), *(("a", "p", f"v{i}") for i in range(300))]
    bounded = close(values)
    (clash,) = bounded.clashes
    assert clash.rule == "bound"
    assert set(bounded.why_all(clash.premises)) <= set(values)
    assert len(bounded.facts) < 300 + 100 * 300


def test_a_path_is_found_step_by_step() -> None:
    """What 200 facts in a row imply, in any order: of each fact one way in which it came about, back to the row."""
    row: list[Triple] = [("p", TYPE, OWL + "TransitiveProperty"), *((f"x{i}", "p", f"x{i + 1}") for i in range(200))]
    for given in (row, row[::-1], [*row[100:], *row[:100]]):
        closure = close(given)
        assert len(closure.facts) == 1 + 201 * 200 // 2
        assert set(closure.why(("x0", "p", "x200"))) == set(row)
    layer = extend(close([*row[:150], *row[151:]]), [row[150]])
    assert layer.holds(("x0", "p", "x200"))


def test_layers_may_be_many() -> None:
    """More than Python calls within each other."""
    closure = close([("C", SUB_CLASS, "D")])
    for i in range(1_100):
        closure = extend(closure, [(f"x{i}", TYPE, "C")])
    assert closure.holds(("x0", TYPE, "D"))
    assert set(closure.why(("x0", TYPE, "D"))) == {("C", SUB_CLASS, "D"), ("x0", TYPE, "C")}


def test_what_rdf_cannot_say_is_no_fact() -> None:
    """A property without a name stands between premises and what follows, not among the facts."""
    closure = close(turtle("_:q owl:inverseOf :p . :R owl:hasValue :b ; owl:onProperty _:q . :a a :R ."))
    assert closure.holds((HOME + "b", HOME + "p", HOME + "a"))
    assert [fact for fact in closure.facts if fact[1].startswith("_:")] == []


def test_what_is_said_of_a_term_and_itself_is_told_where_it_is_said() -> None:
    """It follows from a circle without being told; asserted with or over it, it is a fact."""
    circle = turtle(":a rdfs:subClassOf :b . :b rdfs:subClassOf :a .")
    itself = turtle(":a rdfs:subClassOf :a .")
    base = close(circle)
    assert base.holds(itself[0])
    assert set(base.why(itself[0])) == set(circle)
    assert itself[0] not in base.facts
    assert itself[0] in close([*circle, *itself]).facts
    assert extend(base, itself).facts == set(itself)
    assert extend(extend(base, itself), itself).facts == set()


def test_what_is_asserted_has_no_derivation() -> None:
    """Also where a rule would infer it; `why` of it is itself."""
    stated = turtle(":a rdfs:subClassOf :b . :b rdfs:subClassOf :c . :a rdfs:subClassOf :c . :x a :a .")
    closure = close(stated)
    assert closure.why(stated[2]) == (stated[2],)
    assert set(closure.derivations) == set(turtle(":x a :b , :c ."))


def test_nothing_is_said_of_a_literal() -> None:
    """A literal is the subject of no fact, whatever range or inverse its property has."""
    stated: list[Triple] = [("p", RANGE, "c"), ("p", OWL + "inverseOf", "q"), ("x", "p", Text("t"))]
    assert close(stated).facts == set(stated)


def test_equal_values_are_one_term() -> None:
    """`1`, `01` and `1.0` are one value (dt-eq): a functional property may have them all."""
    assert close(turtle(":p a owl:FunctionalProperty . :a :p 1 , 01 , 1.0 .")).clashes == ()


@pytest.mark.parametrize(
    "datatype, value",
    [
        ("xsd:nonNegativeInteger", "0"),
        ("xsd:byte", "-128"),
        ("xsd:decimal", "1.5"),
        ("xsd:string", "'x'"),
        ("rdf:langString", "'x'@en"),
        ("xsd:boolean", "true"),
        ("xsd:dateTime", "'2026-01-01T00:00:00Z'^^xsd:dateTime"),
        ("rdfs:Literal", "'x'"),
        (":unknown", "'x'"),
    ],
)
def test_a_value_of_the_range_is_no_contradiction(datatype: str, value: str) -> None:
    """Nor is a value of a datatype that is not known."""
    assert close(turtle(f":p rdfs:range {datatype} . :a :p {value} .")).clashes == ()


@pytest.mark.parametrize(
    "datatype, value",
    [
        ("xsd:positiveInteger", "0"),
        ("xsd:byte", "128"),
        ("xsd:integer", "1.5"),
        ("xsd:string", "'x'@en"),
        ("xsd:boolean", "'true'"),
        ("xsd:dateTime", "7"),
        ("xsd:boolean", "'yes'^^xsd:boolean"),
        ("xsd:anyURI", "7"),
    ],
)
def test_a_value_outside_the_range_is_a_contradiction(datatype: str, value: str) -> None:
    """Just outside the bounds, of another kind, or of no value at all."""
    closure = close(turtle(f":p rdfs:range {datatype} . :a :p {value} ."))
    assert {clash.rule for clash in closure.clashes} == {"dt-not-type"}


@cache
def shipped() -> tuple[Triple, ...]:
    """The vocabularies of the packs."""
    return tuple(
        dict.fromkeys(t for path in sorted(ROOT.glob("ontologies/*/ontology.ttl")) for t in read_turtle(path))
    )


@cache
def closed() -> Closure:
    return close(shipped())


def _of_itself(s: str, p: str, o: Term) -> bool:
    """Whether a fact holds of every term, and so is understood."""
    return s == o and p in REFLEXIVE


def test_what_follows_from_the_packs_is_sound_and_has_no_contradiction() -> None:
    """Each inferred fact follows from the asserted facts it rests on, alone."""
    closure = closed()
    assert closure.clashes == ()
    inferred = closure.facts - set(shipped())
    assert inferred == {
        (s, p, o) for s, p, o in closure.derivations if isinstance(s, str) and not _of_itself(s, p, o)
    }
    for fact in inferred:
        asserted = closure.why(fact)
        assert set(asserted) <= set(shipped())
        assert close(asserted).holds(fact)


def test_the_order_of_the_facts_changes_nothing() -> None:
    """The closure of the packs is the same whichever fact is read first."""
    assert close(sorted(shipped(), key=str)).facts == close(sorted(shipped(), key=str, reverse=True)).facts
