"""Laws of the reasoner, over random ontologies of every construct: owlrl agrees, derivations and layers hold.

Each run tries some, the same ones wherever CI is set; thousands of them:

    .venv/bin/python -m pytest tests/laws/test_reasoner.py --hypothesis-profile thousands
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from app.model import Term, Text, Triple
from app.reasoner import RULES, Closure, Pattern, close, extend
from app.vocab import DOMAIN, OWL, RANGE, RDF, SUB_CLASS, SUB_PROPERTY, TYPE, XSD
from tests.reasoner_peer import HOME, REFLEXIVE, comparable, kind, their_closure


def tried(few: int) -> settings:
    """How often a law is tried: as often as the profile says if that is more, for owlrl takes its time."""
    thousands = settings.get_current_profile_name() == "thousands"
    return settings(max_examples=settings().max_examples if thousands else few, deadline=None)


CLASSES = [HOME + name for name in "CDEFG"]
RESTRICTIONS = [HOME + name for name in ("R1", "R2")]
DATA_RESTRICTIONS = [HOME + name for name in ("S1", "S2")]
"""Apart from the others, like properties of data: owlrl fails where a thing and a value are to be the same."""
PROPERTIES = [HOME + name for name in "pqr"]
DATA = [HOME + name for name in ("n", "m")]
THINGS = [HOME + name for name in "abcd"]
VALUES: list[Term] = [Decimal(1), Decimal(2), Text("one")]
TRAITS = ("Functional", "InverseFunctional", "Symmetric", "Transitive", "Asymmetric", "Irreflexive", "Object")

Strategy = st.SearchStrategy[list[Triple]]
a_class = st.sampled_from([*CLASSES, *RESTRICTIONS, *DATA_RESTRICTIONS])
a_property = st.sampled_from(PROPERTIES)
a_data_property = st.sampled_from(DATA)
a_datatype = st.sampled_from([XSD + "integer", XSD + "string"])
a_value = st.sampled_from(VALUES)
a_thing = st.sampled_from(THINGS)
thing = st.just(OWL + "Thing")
at_most = st.sampled_from([Decimal(0), Decimal(1)])


def fact(s: st.SearchStrategy[str], p: str | st.SearchStrategy[str], o: st.SearchStrategy[Term]) -> Strategy:
    """One fact."""
    return st.tuples(s, st.just(p) if isinstance(p, str) else p, o).map(lambda found: [found])


def listed(subject: str, predicate: str, members: Iterable[str]) -> list[Triple]:
    """An axiom with a list; its cells are named after it, so that equal axioms are one."""
    members = tuple(members)
    cells = [f"_:{subject}{predicate}{'.'.join(members)}{i}" for i in range(len(members))]
    made: list[Triple] = [(subject, OWL + predicate, cells[0])]
    for cell, member, rest in zip(cells, members, [*cells[1:], RDF + "nil"], strict=True):
        made += [(cell, RDF + "first", member), (cell, RDF + "rest", rest)]
    return made


def of_list(predicate: str, subject: st.SearchStrategy[str], member: st.SearchStrategy[str]) -> Strategy:
    """An axiom with a list of different members."""
    return st.builds(listed, subject, st.just(predicate), st.lists(member, min_size=1, max_size=3, unique=True))


def among(group: str, predicate: str, member: st.SearchStrategy[str]) -> Strategy:
    """A node that says that its members differ or exclude each other."""

    def made(members: list[str]) -> list[Triple]:
        node = f"_:{group}{predicate}{'.'.join(members)}"
        return [(node, TYPE, OWL + group), *listed(node, predicate, members)]

    return st.lists(member, min_size=2, max_size=3, unique=True).map(made)


def restriction(**said: st.SearchStrategy[Term]) -> Strategy:
    """A restriction on a property."""
    return _restriction(st.sampled_from(RESTRICTIONS), a_property, said)


def of_data(**said: st.SearchStrategy[Term]) -> Strategy:
    """A restriction on a property of data."""
    return _restriction(st.sampled_from(DATA_RESTRICTIONS), a_data_property, said)


def _restriction(
    subject: st.SearchStrategy[str], on: st.SearchStrategy[str], said: dict[str, st.SearchStrategy[Term]]
) -> Strategy:
    def made(subject: str, on: str, values: dict[str, Term]) -> list[Triple]:
        return [(subject, OWL + "onProperty", on), *((subject, OWL + name, value) for name, value in values.items())]

    return st.builds(made, subject, on, st.fixed_dictionaries(said))


def negative(x: str, p: str, y: str) -> list[Triple]:
    """A negative property assertion."""
    node = f"_:not{x}{p}{y}"
    said = {"sourceIndividual": x, "assertionProperty": p, "targetIndividual": y}
    return [(node, OWL + name, term) for name, term in said.items()]


AXIOM = st.one_of(
    *(fact(a_class, SUB_CLASS, a_class) for _ in range(3)),
    *(fact(a_class, OWL + name, a_class) for name in ("equivalentClass", "disjointWith", "complementOf")),
    fact(a_class, SUB_CLASS, st.sampled_from([OWL + "Thing", OWL + "Nothing"])),
    fact(thing, SUB_CLASS, a_class),
    fact(a_class, TYPE, st.just(OWL + "Class")),
    fact(a_property, SUB_PROPERTY, a_property),
    *(
        fact(a_property, OWL + name, a_property)
        for name in ("equivalentProperty", "inverseOf", "propertyDisjointWith")
    ),
    fact(a_property, DOMAIN, a_class),
    fact(a_property, RANGE, a_class),
    fact(a_property, TYPE, st.sampled_from([f"{OWL}{name}Property" for name in TRAITS])),
    of_list("intersectionOf", a_class, a_class),
    of_list("unionOf", a_class, a_class),
    of_list("oneOf", a_class, a_thing),
    of_list("propertyChainAxiom", a_property, a_property),
    of_list("hasKey", a_class, st.sampled_from([*PROPERTIES, *DATA])),
    among("AllDifferent", "members", a_thing),
    among("AllDifferent", "distinctMembers", a_thing),
    among("AllDisjointClasses", "members", a_class),
    among("AllDisjointProperties", "members", a_property),
    restriction(someValuesFrom=a_class | thing),
    restriction(allValuesFrom=a_class),
    restriction(hasValue=a_thing),
    restriction(maxCardinality=at_most),
    restriction(maxQualifiedCardinality=at_most, onClass=a_class | thing),
    of_data(someValuesFrom=a_datatype | a_class),
    of_data(hasValue=a_value),
    of_data(maxCardinality=st.just(Decimal(0))),
    fact(a_class, OWL + "equivalentClass", st.just(XSD + "integer")),
    fact(a_data_property, SUB_PROPERTY, a_data_property),
    st.builds(negative, a_thing, a_property, a_thing),
    *(fact(each, OWL + "sameAs", each) for each in (st.sampled_from(CLASSES), a_property, a_thing)),
    fact(a_thing, OWL + "sameAs", a_thing),
    fact(a_thing, OWL + "differentFrom", a_thing),
)
FACT = st.one_of(
    fact(a_thing, TYPE, a_class),
    fact(a_thing, a_property, a_thing),
    fact(a_thing, a_data_property, a_value),
)
ONTOLOGY = st.tuples(st.lists(AXIOM, min_size=1, max_size=8), st.lists(FACT, min_size=1, max_size=8)).map(
    lambda parts: list(dict.fromkeys(fact for part in parts for made in part for fact in made))
)


@tried(100)
@given(ONTOLOGY)
def test_owlrl_infers_the_same_and_finds_the_same_contradictions(ontology: list[Triple]) -> None:
    """The same facts between the terms of the ontology; the same kinds of contradiction."""
    closure = close(ontology)
    facts, kinds = their_closure(ontology)
    assert comparable(closure.facts) == facts
    assert {kind(clash.rule) for clash in closure.clashes} == kinds


def told(fact: Triple) -> bool:
    """Whether RDF can say a fact, and it is not of a term and itself."""
    s, p, o = fact
    return isinstance(s, str) and not p.startswith("_:") and not (s == o and p in REFLEXIVE)


def instance(patterns: list[tuple[Pattern, Triple]]) -> bool:
    """Whether facts are the patterns of a rule under one binding."""
    binding: dict[Term, Term] = {}
    return all(
        binding.setdefault(name, term) == term if isinstance(name, str) and name.startswith("?") else name == term
        for pattern, found in patterns
        for name, term in zip(pattern, found, strict=True)
    )


def sound(closure: Closure) -> None:
    """Each derivation is a rule's, with facts as premises, and its fact follows from the asserted ones alone."""
    named = {rule.name for rule in RULES}
    for inferred, (name, premises) in closure.derivations.items():
        assert all(closure.holds(premise) for premise in premises)
        assert name not in named or any(
            instance([*zip(rule.premises, premises, strict=True), (rule.conclusion, inferred)])
            for rule in RULES
            if rule.name == name and rule.conclusion and len(rule.premises) == len(premises)
        )
        if told(inferred):
            assert close(closure.why(inferred)).holds(inferred)


@tried(60)
@given(ONTOLOGY)
def test_derivations_and_contradictions_are_sound(ontology: list[Triple]) -> None:
    """Every fact inferred, and every contradiction, is found again in the asserted facts it goes back to."""
    closure = close(ontology)
    assert {fact for fact in closure.derivations if told(fact)} == closure.facts - set(ontology)
    sound(closure)
    for clash in closure.clashes[:20]:
        asserted = closure.why_all(clash.premises)
        assert set(asserted) <= set(ontology)
        assert clash.rule in {found.rule for found in close(asserted).clashes}


@tried(150)
@given(ONTOLOGY, st.data())
def test_a_layer_closes_the_union_and_leaves_its_base_alone(ontology: list[Triple], data: st.DataObject) -> None:
    """Facts and kinds of contradiction are those of closing everything at once."""
    upper = data.draw(st.sets(st.sampled_from(ontology)))
    base = close(each for each in ontology if each not in upper)
    before = (base.facts, dict(base.derivations), base.clashes)
    layer = extend(base, [each for each in ontology if each in upper])
    whole = close(ontology)
    assert base.facts | layer.facts == whole.facts
    assert base.facts & layer.facts == set()
    assert {c.rule for c in (*base.clashes, *layer.clashes)} == {c.rule for c in whole.clashes}
    assert (base.facts, dict(base.derivations), base.clashes) == before
    assert extend(base, ()).facts == set()
