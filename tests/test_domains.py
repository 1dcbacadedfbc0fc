"""The packs virtual_lecture, museum_tour and car_showroom: what each holds, counted; every use, state, norm and limit
is complete; every refusal of its own is met in its plan.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import rustdl
from rdflib import OWL, RDF, RDFS, SKOS, Graph, Literal, Namespace, URIRef

from app.authoring.golden import read_golden
from app.authoring.questions import questions
from app.errors import StatementError
from app.evaluate.wording import fill
from app.knowledge import Knowledge
from app.reasoner import close
from app.rules import Domain, load
from app.statement import parse
from app.vocab import TYPE
from tests.packs import DAC, EDITION, HOME, MMM, ROOT, everything, read, terms


@dataclass(frozen=True)
class Counts:
    """How much a pack holds: a change of these numbers is a change somebody meant."""

    classes: int
    uses: int
    states: int
    conducts: int
    norms: int
    limits: int
    rules: int
    rule_cases: int
    steps: int
    refused: int
    variants: int
    questions: int


PACKS = {
    "virtual_lecture": Counts(
        classes=57,
        uses=15,
        states=11,
        conducts=8,
        norms=16,
        limits=5,
        rules=7,
        rule_cases=36,
        steps=37,
        refused=16,
        variants=19,
        questions=12,
    ),
    "museum_tour": Counts(
        classes=72,
        uses=12,
        states=8,
        conducts=7,
        norms=18,
        limits=5,
        rules=7,
        rule_cases=33,
        steps=34,
        refused=15,
        variants=19,
        questions=12,
    ),
    "car_showroom": Counts(
        classes=62,
        uses=17,
        states=14,
        conducts=7,
        norms=10,
        limits=5,
        rules=8,
        rule_cases=33,
        steps=40,
        refused=22,
        variants=17,
        questions=12,
    ),
}
each_pack = pytest.mark.parametrize("pack", PACKS)


def ontology(pack: str) -> Graph:
    return read(ROOT / "ontologies" / pack / "ontology.ttl")


def individuals(pack: str, kind: URIRef) -> list[URIRef]:
    """The individuals a pack declares of a core class or one below it."""
    graph = ontology(pack)
    kinds = {kind, *([DAC.BehaviouralExpectation] if kind == DAC.Norm else [])}
    return sorted(t for t in terms(graph) if kinds.intersection(graph.objects(t, RDF.type)))


def rules_of(pack: str) -> list[dict[str, Any]]:
    files = sorted((ROOT / "ontologies" / pack / "rules" / "pa_status").glob("*.toml"))
    return [{"id": path.stem, **tomllib.loads(path.read_text(encoding="utf-8"))} for path in files]


@cache
def domain(pack: str) -> Domain:
    return load(EDITION, [pack])


@each_pack
def test_a_pack_holds_what_it_did(pack: str) -> None:
    """Classes, uses, states, norms, limits, rules, cases, steps, traps, variants and questions, counted."""
    graph = ontology(pack)
    whole, *variants = read_golden(ROOT / "ontologies" / pack / "golden" / "plan.toml")
    (asked,) = (ROOT / "ontologies" / pack / "questions").glob("*.toml")
    found = Counts(
        classes=sum((term, RDF.type, OWL.Class) in graph for term in terms(graph)),
        uses=len(individuals(pack, DAC.Affordance)),
        states=len(individuals(pack, DAC.State)),
        conducts=len(individuals(pack, DAC.Conduct)),
        norms=len(individuals(pack, DAC.Norm)),
        limits=len(individuals(pack, DAC.Constraint)),
        rules=len(rules_of(pack)),
        rule_cases=sum(len(rule["case"]) for rule in rules_of(pack)),
        steps=len(whole.expected),
        refused=sum(expected.status != "Ack" for expected in whole.expected.values()),
        variants=len(variants),
        questions=len(questions(asked, EDITION, pack)),
    )
    assert found == PACKS[pack]
    assert found.steps >= 20
    assert found.refused * 3 >= found.steps


@each_pack
def test_every_word_is_there_in_english_and_italian(pack: str) -> None:
    """Label and definition of each term in both; each class has a synonym in both."""
    graph = ontology(pack)
    lacking = []
    for term in terms(graph):
        wanted = [RDFS.label, SKOS.definition, *([SKOS.altLabel] if (term, RDF.type, OWL.Class) in graph else [])]
        for predicate in wanted:
            languages = {v.language for v in graph.objects(term, predicate) if isinstance(v, Literal)}
            if not {"en", "it"} <= languages:
                lacking.append((term, predicate))
    assert lacking == []


@each_pack
def test_every_class_stands_below_a_class_of_core(pack: str) -> None:
    """No class floats: what core says of its kind holds of it."""
    knowledge: Knowledge = domain(pack).knowledge
    own = [iri for iri in knowledge.classes if iri.startswith(f"{HOME}{pack}#")]
    above = {iri: knowledge.schema.superclasses.get(iri, ()) for iri in own}
    assert [iri for iri, wider in above.items() if not any(w.startswith(str(MMM)) for w in wider)] == []


@each_pack
def test_every_use_is_carried_out_by_a_statement_that_parses(pack: str) -> None:
    """Or is a change of state, which says its statement itself; and some class affords it."""
    graph = ontology(pack)
    filled = dict.fromkeys(("item", "place", "here", "persona", "user"), "Thing") | {"state": f"<{HOME}{pack}#S>"}
    for use in individuals(pack, DAC.Affordance):
        template = graph.value(use, DAC.performedBy)
        assert template is not None or (use, DAC.leadsTo, None) in graph, use
        assert (None, DAC.affords, use) in graph, use
        if template is not None:
            try:
                parse(fill(str(template), filled), domain(pack).grammar)
            except StatementError as error:
                pytest.fail(f"{use}: {template}: {error}")


@each_pack
def test_every_state_is_named_by_a_use_or_excludes_another(pack: str) -> None:
    """A state that nothing leads to, requires or excludes could as well not be there."""
    graph = ontology(pack)
    named = {o for p in (DAC.leadsTo, DAC.requiresState, DAC.excludes) for o in graph.objects(None, p)}
    named |= set(graph.subjects(DAC.excludes, None))
    assert [state for state in individuals(pack, DAC.State) if state not in named] == []


@each_pack
def test_every_norm_and_limit_is_said_in_both_languages(pack: str) -> None:
    """A norm has a verb and a conduct that is declared; a limit has a number, and something it limits."""
    graph = ontology(pack)
    declared = terms(graph) | {MMM[name.replace(" ", "")] for name in domain(pack).actions}
    for each in (*individuals(pack, DAC.Norm), *individuals(pack, DAC.Constraint)):
        said = {v.language: str(v) for v in graph.objects(each, DAC.sentence) if isinstance(v, Literal)}
        assert set(said) == {"en", "it"}, each
        if (each, RDF.type, DAC.Constraint) in graph:
            assert all(any(c.isdigit() for c in text) for text in said.values()), each
            assert (None, DAC.constraint, each) in graph, each
        else:
            assert graph.value(each, MMM.deonticVerb) in (MMM.May, MMM.MayNot, MMM.Must), each
            assert graph.value(each, DAC.conduct) in declared, each


@each_pack
def test_every_norm_that_is_overridden_contradicts(pack: str) -> None:
    """Only a norm about the same conduct with the other verb is withdrawn."""
    graph = ontology(pack)
    for special, general in graph.subject_objects(DAC.overrides):
        assert graph.value(special, DAC.conduct) == graph.value(general, DAC.conduct)
        forbids = [graph.value(norm, MMM.deonticVerb) == MMM.MayNot for norm in (special, general)]
        assert forbids[0] != forbids[1], (special, general)


@each_pack
def test_every_refusal_of_the_pack_is_met_in_its_plan(pack: str) -> None:
    """The plan or a variant of it names each rule of the pack in a Reason."""
    text = (ROOT / "ontologies" / pack / "golden" / "plan.toml").read_text(encoding="utf-8")
    assert [rule["id"] for rule in rules_of(pack) if f'"{rule["id"]}"' not in text] == []


@each_pack
def test_the_readme_lists_each_refusal_with_its_status(pack: str) -> None:
    """A line a rule: id and PA Status."""
    page = (ROOT / "ontologies" / pack / "README.md").read_text(encoding="utf-8")
    listed = {tuple(cell.strip(" `") for cell in line.split("|")[1:3]) for line in page.splitlines() if "| `" in line}
    assert listed == {(rule["id"], rule["status"]) for rule in rules_of(pack)}


@each_pack
def test_rustdl_finds_no_contradiction_either(pack: str, tmp_path: Path) -> None:
    """With the worlds; boxes, which no OWL datatype map has, and moments are all that it leaves out."""
    graph = everything(ROOT / "ontologies" / pack)
    file = tmp_path / "pack.rdf"
    graph.serialize(file, format="xml")
    stated = [pair for p in (MMM.extent, MMM.validFrom, MMM.validUntil) for pair in graph.subject_objects(p)]
    left_out = [value for _, value in stated if isinstance(value, Literal)]
    assert rustdl.dropped_axioms(str(file)) == {"DataPropertyAssertion: unsupported data range": len(left_out)}
    assert rustdl.is_consistent(str(file))
    assert rustdl.classify(str(file)).unsatisfiable == []


CLASHES = {
    "an exhibit both touchable and not": ("museum_tour", "TouchableExhibit", "UntouchableExhibit"),
    "an electric car that only burns fuel": ("car_showroom", "ElectricCar", "CombustionCar"),
    "a new car that is used": ("car_showroom", "NewCar", "UsedCar"),
    "a lecture that is an examination": ("virtual_lecture", "Lecture", "Examination"),
    "a film of the lecture that is sound alone": ("virtual_lecture", "AudioVisualRecording", "SoundRecording"),
    "a hybrid convertible": ("car_showroom", "HybridCar", "Convertible"),
    "a fossil that may be touched": ("museum_tour", "Fossil", "TouchableExhibit"),
}


@pytest.mark.parametrize("name", CLASHES)
def test_what_can_never_be_both_clashes(name: str) -> None:
    """By the reasoner; what can be both does not."""
    pack, one, other = CLASHES[name]
    own = Namespace(f"{HOME}{pack}#")
    thing = "https://thing.example/Thing"
    facts = [*domain(pack).knowledge.origin, (thing, TYPE, str(own[one])), (thing, TYPE, str(own[other]))]
    assert bool(close(facts).clashes) is (name not in {"a hybrid convertible", "a fossil that may be touched"})
