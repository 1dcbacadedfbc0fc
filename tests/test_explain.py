"""`domain-access explain`: a tree down to what is stated, in three forms; what does not hold, and its nearest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
from click.testing import CliRunner, Result

from app.cli import main
from tests.processes import stand_alone


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stand_alone(monkeypatch, tmp_path)


def explain(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["explain", *arguments])


RDF_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


@pytest.mark.parametrize(
    "fact",
    [
        "Friend2 a Process",
        "friend2 a mmm:Process",
        "Friend2 rdf:type 'Process'",
        f"https://mi1.example/Friend2 {RDF_TYPE} mmm:Process",
    ],
)
def test_a_term_is_named_by_identifier_label_prefixed_name_or_iri(fact: str) -> None:
    done = explain(fact)
    assert (done.exit_code, done.stdout.splitlines()[0]) == (0, "Friend2 a Process   [by cax-sco]")


def test_the_tree_ends_in_axioms_of_packs_and_facts_of_the_m_instance() -> None:
    """Each leaf names its source, each branch its rule."""
    lines = explain("Friend2 a Process").stdout.splitlines()
    assert sorted(line[3:] for line in lines[1:]) == [
        "Friend2 a User   [MI1]",
        "User subClassOf Process   [core@0.1.0]",
    ]


def leaves(node: dict[str, Any]) -> list[str]:
    below = [leaf for premise in node.get("premises", ()) for leaf in leaves(premise)]
    return below if "rule" in node else [node["text"]]


def test_json_has_the_same_tree() -> None:
    told = json.loads(explain("Friend2 a Process", "--json").stdout)
    assert told["holds"] is True
    assert told["proof"]["rule"] == "cax-sco"
    assert set(leaves(told["proof"])) == {"User subClassOf Process", "Friend2 a User"}


def test_turtle_is_read_back_with_every_fact_and_what_it_was_derived_from() -> None:
    quads = list(ox.parse(explain("Friend2 a Process", "--turtle").stdout, format=ox.RdfFormat.TURTLE))
    derived = [quad for quad in quads if str(quad.predicate).endswith("wasDerivedFrom>")]
    statements = {quad.subject for quad in quads if str(quad.object).endswith("Statement>")}
    assert (len(derived), len(statements)) == (2, 3)
    assert {quad.object for quad in derived} < statements


@pytest.mark.parametrize(
    "fact, nearest",
    [
        ("Persona2ID at MVS", "Persona2ID placed at MLocFriend2"),
        ("MVS public false", 'MVS public "true"'),
        ("Friend2 identifier Friend1", 'Friend2 has identifier "Friend2"'),
    ],
)
def test_what_does_not_hold_is_told_with_the_nearest_and_exit_code_1(fact: str, nearest: str) -> None:
    done = explain(fact)
    assert done.exit_code == 1
    assert "does not hold" in done.output
    assert f"nearest: {nearest}" in done.stdout.splitlines()
    told = json.loads(explain(fact, "--json").stdout)
    assert (told["holds"], len(told["nearest"]) > 0) == (False, True)
    assert all(line.startswith("#") for line in explain(fact, "--turtle").stdout.splitlines())


@pytest.mark.parametrize(
    "fact", ["User subClassOf User", "User subClassOf owl:Thing", "Friend2 a owl:Thing", "Friend2 owl:sameAs Friend2"]
)
def test_what_holds_of_every_term_holds_though_it_is_not_stored(fact: str) -> None:
    assert explain(fact).exit_code == 0


def test_every_unknown_word_is_told_with_the_nearest_name() -> None:
    done = explain("Frend2 att MLocFriend22")
    assert done.exit_code == 4
    assert done.output.count("names nothing here") == 3
    assert "`Friend2`" in done.output
    assert "`MLocFriend2`" in done.output


@pytest.mark.parametrize("fact", ["Friend2 a", "a b c d", "Friend2 a 'Process"])
def test_what_is_no_fact_is_refused(fact: str) -> None:
    done = explain(fact)
    assert done.exit_code == 4
    assert "is no fact" in done.output


def test_an_m_instance_that_is_not_served_is_refused_with_those_that_are() -> None:
    done = explain("Friend2 a Process", "--m-instance", "Nowhere")
    assert done.exit_code == 4
    assert "served: `MI1`" in done.output
