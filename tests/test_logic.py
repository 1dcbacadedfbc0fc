"""What contradicts itself or is impossible, and by which axioms: small ontologies in tests/logic, and laws."""

from __future__ import annotations

import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.authoring.logic.axioms import Axiom, Theory, as_facts, read_source
from app.authoring.logic.justify import Budget, Question, Search, inconsistency, no_members
from app.authoring.logic.reasoners import Limits, Rustdl, hermit, hermit_command
from app.authoring.logic.wording import labels_of, said
from app.reasoner import close

HERE = Path(__file__).parent / "logic"
PRELUDE = (HERE / "prelude.ttl").read_text(encoding="utf-8")
LIMITS = Limits(seconds=60)


def cases(name: str) -> list[Any]:
    found = tomllib.loads((HERE / name).read_text(encoding="utf-8"))["case"]
    return [pytest.param(case, id=case["name"]) for case in found]


CONTRADICTIONS = cases("contradictions.toml")
IMPOSSIBLE = cases("impossible.toml")


def theory_of(says: str) -> Theory:
    return Theory((read_source(Path("case.ttl"), PRELUDE + says),))


def sentences(theory: Theory, axioms: tuple[Axiom, ...]) -> set[str]:
    label = labels_of(theory.labels)
    return {said(axiom, label) for axiom in axioms}


@pytest.fixture(scope="module")
def rustdl() -> Iterator[Rustdl]:
    with Rustdl(LIMITS) as found:
        yield found


def have_models(many: list[tuple[ox.Triple, ...]], folder: Path) -> int:
    """In how many ontologies HermiT finds a model, all judged by one Java; the first without one ends it."""
    files = []
    for number, triples in enumerate(many):
        files.append(folder / f"{number:03}.nt")
        ox.serialize(triples, str(files[-1]), ox.RdfFormat.N_TRIPLES)
    command = [*hermit_command(LIMITS, 0), "-k", "--ignoreUnsupportedDatatypes", *(file.as_uri() for file in files)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    return run.stdout.count("owl#Thing is satisfiable")


def test_the_cases_are_all_there() -> None:
    assert (len(CONTRADICTIONS), len(IMPOSSIBLE)) == (43, 13)
    for found in (CONTRADICTIONS, IMPOSSIBLE):
        names = {param.values[0]["name"] for param in found}
        assert len(names) == len(found)
        assert {param.values[0].get("but_for") for param in found} - {None} <= names


def questions() -> Iterator[tuple[dict[str, Any], Question]]:
    yield from ((param.values[0], inconsistency()) for param in CONTRADICTIONS)
    yield from ((param.values[0], no_members("urn:t#A")) for param in IMPOSSIBLE)


ASKED = [pytest.param(case, question, id=case["name"]) for case, question in questions()]


@pytest.mark.parametrize("case, question", ASKED)
def test_the_axioms_to_blame(case: dict[str, Any], question: Question, rustdl: Rustdl) -> None:
    """They are those expected, contradict without any other, and no longer without any one."""
    theory = theory_of(case["says"])
    found = Search(theory, rustdl, Budget(), LIMITS).find(question)
    clashes = close(as_facts((*theory.triples(), *question.supposed))).clashes
    assert bool(clashes) is ("because" in case and not case.get("beyond_rl"))
    if "because" not in case:
        assert found == []
        return
    (justification,) = found
    assert justification.minimal
    assert sentences(theory, justification.axioms) == set(case["because"])
    if justification.by == "rustdl":
        assert contradicts(rustdl, theory, justification.axioms, question)
        assert not any(contradicts(rustdl, theory, less, question) for less in without_one(justification.axioms))


def contradicts(rustdl: Rustdl, theory: Theory, axioms: tuple[Axiom, ...], question: Question) -> bool:
    return rustdl.contradicts((*theory.triples(axioms), *question.supposed), 60)


def without_one(axioms: tuple[Axiom, ...]) -> Iterator[tuple[Axiom, ...]]:
    return (tuple(each for each in axioms if each is not left_out) for left_out in axioms)


def expected(case: dict[str, Any], theory: Theory) -> tuple[Axiom, ...]:
    label = labels_of(theory.labels)
    return tuple(axiom for axiom in theory.axioms if said(axiom, label) in case.get("because", ()))


def test_hermit_finds_a_model_without_any_one_of_them_and_in_every_near_miss(tmp_path: Path) -> None:
    many = []
    for case, question in questions():
        theory = theory_of(case["says"])
        if "because" not in case:
            many.append((*theory.triples(), *question.supposed))
        for less in without_one(expected(case, theory)):
            many.append((*theory.triples(less), *question.supposed))
    assert len(many) == 157
    assert have_models(many, tmp_path) == len(many)


@pytest.mark.parametrize(
    "case, question",
    [pytest.param(case, question, id=case["name"]) for case, question in questions() if "because" in case],
)
def test_hermit_finds_no_model_of_them(case: dict[str, Any], question: Question) -> None:
    theory = theory_of(case["says"])
    triples = (*theory.triples(expected(case, theory)), *question.supposed)
    assert not hermit(triples, LIMITS).consistent


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_impossible_classes_by_hermit_and_rustdl(case: dict[str, Any], rustdl: Rustdl) -> None:
    triples = theory_of(case["says"]).triples()
    for found in (hermit(triples, LIMITS), rustdl.judge(triples)):
        assert found.consistent
        assert found.unsatisfiable == tuple(f"urn:t#{name}" for name in case.get("impossible", ()))


# laws


CLASSES, PROPERTIES, THINGS = ("A", "B", "C", "D"), ("p", "q"), ("x", "y", "z")
names, properties, things = (
    st.sampled_from([f":{name}" for name in group]) for group in (CLASSES, PROPERTIES, THINGS)
)


def restriction(property_: str, filler: str, kind: str) -> str:
    return f"[ a owl:Restriction ; owl:onProperty {property_} ; owl:{kind} {filler} ]"


expressions = st.one_of(
    names,
    st.builds(restriction, properties, names, st.sampled_from(["someValuesFrom", "allValuesFrom"])),
    st.builds("[ a owl:Class ; owl:unionOf ( {} {} ) ]".format, names, names),
    st.builds("[ a owl:Class ; owl:complementOf {} ]".format, names),
)
AXIOMS = st.one_of(
    st.builds("{} rdfs:subClassOf {} .".format, names, expressions),
    st.builds("{} owl:disjointWith {} .".format, names, names),
    st.builds("{} a {} .".format, things, expressions),
    st.builds("{} {} {} .".format, things, properties, things),
    st.builds("{} a owl:{} .".format, properties, st.sampled_from(["FunctionalProperty", "SymmetricProperty"])),
    st.builds("{} rdfs:domain {} .".format, properties, names),
    st.builds("{} owl:differentFrom {} .".format, things, things),
)


@settings(max_examples=60, deadline=None)
@given(axioms=st.lists(AXIOMS, min_size=4, max_size=14, unique=True))
def test_what_is_found_contradicts_itself_and_does_not_without_any_one(axioms: list[str], rustdl: Rustdl) -> None:
    theory = theory_of("\n".join(axioms))
    found = Search(theory, rustdl, Budget(), LIMITS, with_hermit=False).find(inconsistency(), 3)
    assert bool(found) is contradicts(rustdl, theory, theory.axioms, inconsistency())
    assert len({frozenset(each.axioms) for each in found}) == len(found)
    for each in found:
        assert each.minimal
        assert contradicts(rustdl, theory, each.axioms, inconsistency())
        assert not any(contradicts(rustdl, theory, less, inconsistency()) for less in without_one(each.axioms))


def random_axioms(random: Random) -> str:
    """So many that about half of the ontologies have a model."""

    def one(group: tuple[str, ...]) -> str:
        return f":{random.choice(group)}"

    def name() -> str:
        return one(CLASSES)

    def expression() -> str:
        kind = random.choice(["someValuesFrom", "allValuesFrom"])
        either = f"[ a owl:Class ; owl:unionOf ( {name()} {name()} ) ]"
        return random.choice([name(), either, restriction(one(PROPERTIES), name(), kind)])

    made = (
        lambda: f"{name()} rdfs:subClassOf {expression()} .",
        lambda: f"{name()} owl:disjointWith {name()} .",
        lambda: f"{one(THINGS)} a {expression()} .",
        lambda: f"{one(THINGS)} {one(PROPERTIES)} {one(THINGS)} .",
        lambda: f"{one(PROPERTIES)} rdfs:domain {name()} .",
        lambda: f"{one(PROPERTIES)} a owl:{random.choice(['Functional', 'Symmetric'])}Property .",
    )
    return "\n".join(random.choice(made)() for _ in range(random.randint(6, 18)))


def test_hermit_and_rustdl_agree_on_random_ontologies(rustdl: Rustdl, tmp_path: Path) -> None:
    """Those with a model by rustdl are judged by one Java; of the others, the first."""
    random = Random(20)
    theories = [theory_of(random_axioms(random)) for _ in range(120)]
    verdicts = [rustdl.judge(theory.triples()) for theory in theories]
    sound = [theory.triples() for theory, verdict in zip(theories, verdicts, strict=True) if verdict.consistent]
    others = [theory.triples() for theory, verdict in zip(theories, verdicts, strict=True) if not verdict.consistent]
    assert (len(sound) > 40, len(others) > 20) == (True, True)
    assert have_models(sound, tmp_path) == len(sound)
    assert not any(hermit(triples, LIMITS).consistent for triples in others[:4])
    impossible = [each for each in zip(theories, verdicts, strict=True) if each[1].unsatisfiable]
    assert len(impossible) > 4
    for theory, verdict in impossible[:4]:
        assert hermit(theory.triples(), LIMITS).unsatisfiable == verdict.unsatisfiable
