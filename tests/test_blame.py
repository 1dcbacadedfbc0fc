"""`domain-access explain` for authors: minimal sets of axioms for facts, uses, impossible classes and contradictions."""

from __future__ import annotations

import json
from pathlib import Path

import pyoxigraph as ox
import pytest
from click.testing import CliRunner, Result

from app.authoring.blame import Blame
from app.authoring.logic.axioms import Theory, read_source
from app.cli import main
from app.knowledge import read_turtle
from app.model import Triple
from app.reasoner import close
from app.vocab import OWL, RDFS, SUB_CLASS, TYPE, pack_namespace
from tests.packs import EDITION, ROOT
from tests.processes import stand_alone
from tests.test_logic import PRELUDE

HOUSEHOLD = pack_namespace("household")
T = "urn:t#"

# ruff: noqa: E501, ISC004 - one case a line
# What is said, what follows from it by OWL 2 DL, and why.
FOLLOWS = [
    (":A rdfs:subClassOf :B . :B rdfs:subClassOf :C .", (T + "A", SUB_CLASS, T + "C"), ["A is a B", "B is a C"]),
    (
        ":A rdfs:subClassOf [ a owl:Class ; owl:unionOf ( :B :C ) ] . :B rdfs:subClassOf :D . :C rdfs:subClassOf :D .",
        (T + "A", SUB_CLASS, T + "D"),
        ["A is a (B or C)", "B is a D", "C is a D"],
    ),
    (
        ":x a :A . :A rdfs:subClassOf [ a owl:Class ; owl:unionOf ( :B :C ) ] . :B rdfs:subClassOf :D . "
        ":C rdfs:subClassOf :D .",
        (T + "x", TYPE, T + "D"),
        ["x is a A", "A is a (B or C)", "B is a D", "C is a D"],
    ),
    (
        ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] . :p rdfs:domain :C .",
        (T + "A", SUB_CLASS, T + "C"),
        ["A is a (p some B)", "p has domain C"],
    ),
    (":p owl:inverseOf :q . :x :p :y .", (T + "y", T + "q", T + "x"), ["p is the inverse of q", "x p y"]),
    (":q rdfs:subPropertyOf :p . :p rdfs:range :A .", (T + "q", RDFS + "range", T + "A"), ["q is a subproperty of p", "p has range A"]),
    (
        ":A rdfs:subClassOf [ a owl:Class ; owl:complementOf :B ] .",
        (T + "A", OWL + "disjointWith", T + "B"),
        ["A is a (not B)"],
    ),
    (":A owl:disjointWith :B . :x a :A . :y a :B .", (T + "x", OWL + "differentFrom", T + "y"), ["A and B are disjoint", "x is a A", "y is a B"]),
]  # fmt: skip


def blame_of(says: str) -> Blame:
    return Blame(Theory((read_source(Path("case.ttl"), PRELUDE + says),)))


@pytest.mark.parametrize("says, fact, because", FOLLOWS)
def test_what_follows_is_told_with_what_it_needs(says: str, fact: Triple, because: list[str]) -> None:
    blame = blame_of(says)
    (found,) = blame.fact(fact, 2).justifications
    lines = list(blame.lines(blame.fact(fact, 1)))
    assert found.minimal
    assert {line.strip().split("   [")[0] for line in lines[2:]} == set(because)


@pytest.mark.parametrize("says, fact, because", FOLLOWS)
def test_what_needs_more_does_not_follow(says: str, fact: Triple, because: list[str]) -> None:
    """Without its first axiom."""
    first = says.split(" . ")[0] if " . " in says else says.removesuffix(" .")
    assert blame_of(says.replace(first, ":A a owl:Class", 1)).fact(fact, 1).justifications == ()


def test_some_of_them_no_rule_finds() -> None:
    closed = [close(read_turtle(Path("case.ttl"), PRELUDE + says)).holds(fact) for says, fact, _ in FOLLOWS]
    assert closed == [True, False, False, False, True, True, False, False]


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stand_alone(monkeypatch, tmp_path)


def explain(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["explain", *arguments])


def test_a_use_is_told_with_the_class_that_grants_it() -> None:
    done = explain("--pack", "household", "household:Beer dac:affords household:PickUp")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "Beer affords pick up, granted by Handheld Object"
    assert [line.strip().split("   [")[0] for line in lines[2:]] == [
        "Alcoholic Drink is a Handheld Object",
        "Beer is a Alcoholic Drink",
        "Handheld Object affords pick up",
    ]
    for line in lines[2:]:
        file, _, number = line.rpartition("[")[2].rstrip("]").rpartition(":")
        said = Path(file).read_text(encoding="utf-8").splitlines()[int(number) - 1]
        assert "household:" in said
    own = explain("--pack", "household", "household:HandheldObject dac:affords household:PickUp").stdout
    assert own.splitlines()[1] == "because   [as stated]"
    refused = explain("--pack", "household", "household:Door dac:affords household:Drink_")
    assert refused.exit_code == 4


def test_several_sets_are_told() -> None:
    fact = "household:Beer rdfs:subClassOf mmm:Item"
    one, three = (json.loads(explain("--pack", "household", fact, "--max", n, "--json").stdout) for n in "13")
    assert (len(one["justifications"]), len(three["justifications"])) == (1, 3)
    sets = [frozenset(axiom["text"] for axiom in each["axioms"]) for each in three["justifications"]]
    assert len(set(sets)) == 3
    assert not any(a < b for a in sets for b in sets)
    assert all(axiom["line"] > 0 for each in three["justifications"] for axiom in each["axioms"])


def test_without_max_a_fact_that_a_rule_finds_keeps_its_tree() -> None:
    assert explain("Friend2 a Process").stdout.splitlines()[0] == "Friend2 a Process   [by cax-sco]"
    assert explain("Friend2 a Process", "--max", "1").stdout.splitlines()[1] == "because   [by rustdl, minimal]"


def test_turtle_has_the_axioms_themselves() -> None:
    told = explain("--pack", "household", "household:Beer dac:affords household:PickUp", "--turtle").stdout
    assert len(list(ox.parse(told, format=ox.RdfFormat.TURTLE))) == 3


@pytest.fixture
def haunted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The packs there are and one more, whose ontology a test writes."""
    packs = tmp_path / "ontologies"
    packs.mkdir()
    for name in EDITION.names():
        (packs / name).symlink_to(EDITION.folder(name))
    folder = packs / "haunted"
    folder.mkdir()
    (folder / "pack.toml").write_text(
        'name = "haunted"\nversion = "0.1.0"\ntitle = "T"\nrequires = ["core"]\n', encoding="utf-8"
    )
    monkeypatch.setenv("DOMAIN_ACCESS_ONTOLOGIES", str(packs))
    monkeypatch.setenv("DOMAIN_ACCESS_RULES", str(ROOT / "rules"))
    return folder / "ontology.ttl"


GHOST = (
    "@prefix : <https://w3id.org/domain-access/haunted#> .\n@prefix mmm: <https://w3id.org/domain-access/mmm#> .\n"
)
GHOST += "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
GHOST += ":Ghost a owl:Class ; rdfs:subClassOf mmm:Human , mmm:User .\n"


def test_a_pack_is_told_what_is_wrong_with_its_logic(haunted: Path) -> None:
    haunted.write_text(GHOST, encoding="utf-8")
    done = explain("--pack", "haunted")
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[:2] == ["Ghost can have no members", "because   [by rustdl, minimal]"]
    assert [line.strip().split("   [")[0] for line in lines[2:]] == [
        *("User is a Process", "Human and Process are disjoint", "Ghost is a Human", "Ghost is a User"),
    ]
    haunted.write_text(GHOST + ":casper a :Ghost .\n", encoding="utf-8")
    told = json.loads(explain("--pack", "haunted", "--json").stdout)
    assert (told["sound"], told["faults"][0]["text"]) == (False, "It contradicts itself")
    texts = {axiom["text"] for axiom in told["faults"][0]["justifications"][0]["axioms"]}
    assert "casper is a Ghost" in texts
    assert len(texts) == 5
    turtle = explain("--pack", "haunted", "--turtle").stdout
    assert close(read_turtle(Path("told.ttl"), turtle)).clashes


def test_a_sound_pack_says_so() -> None:
    done = explain("--pack", "friends_meet")
    assert done.exit_code == 0
    assert done.stdout.startswith("`friends_meet` does not contradict itself")
    assert json.loads(explain("--pack", "friends_meet", "--json").stdout)["sound"] is True


def test_neither_fact_nor_pack_is_wrong_usage_and_an_unknown_pack_has_its_nearest() -> None:
    assert explain().exit_code == 2
    done = explain("--pack", "hosehold")
    assert done.exit_code == 2
    assert "did you mean `household`?" in done.stderr


def test_a_pack_that_cannot_be_read_is_told_with_its_line(haunted: Path) -> None:
    haunted.write_text(GHOST + ":Ghost a ;;\n", encoding="utf-8")
    done = explain("--pack", "haunted")
    assert done.exit_code == 3
    assert "haunted/ontology.ttl:6" in done.stderr
    assert "Traceback" not in done.stderr
