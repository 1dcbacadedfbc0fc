"""`domain-access check` as its users run it: what may be named, how it is told, and what it ends with."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result
from rdflib import Graph
from rdflib.compare import isomorphic

from app.authoring.check import CHECKS, STEPS
from app.authoring.new_pack import new_pack
from app.cli import main
from tests.packs import EDITION, ROOT

QUICK = {"manifest", "syntax", "terms", "words", "pitfalls"}
FAST = tuple(word for stage in STEPS if stage.name not in QUICK for word in ("--skip", stage.name))
FUNCTIONAL = """Prefix(:=<https://example.org/tea#>)
Prefix(rdfs:=<http://www.w3.org/2000/01/rdf-schema#>)
Prefix(owl:=<http://www.w3.org/2002/07/owl#>)
Ontology(<https://example.org/tea>
Declaration(Class(:Tea))
AnnotationAssertion(rdfs:label :Tea "Tea"@en)
AnnotationAssertion(rdfs:comment :Tea "A drink of leaves."@en)
Declaration(Class(:OtherTea))
SubClassOf(:OtherTea :Tea)
AnnotationAssertion(rdfs:label :OtherTea "Other tea"@en)
AnnotationAssertion(rdfs:comment :OtherTea "A drink of other leaves."@en)
Declaration(Class(:GreenTea))
SubClassOf(:GreenTea :Tae)
)
"""


@pytest.fixture
def packs(tmp_path: Path) -> Path:
    """A folder with two packs, one with an error and a warning."""
    new_pack(EDITION, "bakery", tmp_path)
    new_pack(EDITION, "tearoom", tmp_path)
    with (tmp_path / "bakery" / "ontology.ttl").open("a", encoding="utf-8") as file:
        file.write("bakery:Lantern dac:affords bakery:LigtUp ; rdfs:subClassOf [ a owl:Class ] .\n")
        file.write('bakery:Odd a owl:Class ; rdfs:isDefinedBy <bakery> ; rdfs:label "odd"@en ;\n')
        file.write('    skos:definition "Unlike the rest."@en .\n')
    return tmp_path


def run(*arguments: object) -> Result:
    """The command, in this process."""
    return CliRunner().invoke(main, ["check", *map(str, arguments)])


def test_a_place_the_line_and_a_hint_are_shown(packs: Path) -> None:
    """For a reader: file, line and column, the line itself with a mark below the place."""
    found = run("--folder", packs, "bakery", *FAST)
    assert found.exit_code == 1
    path = packs / "bakery" / "ontology.ttl"
    line = len(path.read_text(encoding="utf-8").splitlines()) - 2
    assert f"{path}:{line}:28: error: <https://w3id.org/domain-access/bakery#LigtUp>" not in found.output
    assert f"{path}:{line}:28: error: bakery:LigtUp is declared nowhere [undeclared_term]" in found.output
    shown = found.output.splitlines()
    at = next(i for i, each in enumerate(shown) if "bakery:LigtUp is declared" in each)
    assert shown[at + 2].index("^") == shown[at + 1].index("bakery:LigtUp")
    assert "did you mean `LightUp`?" in shown[at + 3]
    assert "1 pack, 5 steps: 1 error, 1 warning, 0 notes" in found.output


def test_what_may_be_named(packs: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A pack by name, its folder, a folder of packs, a checkout, a file; all of them where none is named."""
    checkout = tmp_path_factory.mktemp("checkout")
    copytree(ROOT / "ontologies", checkout / "ontologies")
    copytree(ROOT / "rules", checkout / "rules")
    only = ("--skip", "terms", "--skip", "words", "--skip", "pitfalls", *FAST)
    for arguments, expected in (
        (("friends_meet",), ["friends_meet"]),
        ((packs / "tearoom",), ["tearoom"]),
        ((packs,), ["bakery", "tearoom"]),
        (("--folder", packs), ["bakery", "tearoom"]),
        (("--folder", packs, "tearoom", "friends_meet"), ["tearoom", "friends_meet"]),
        (("--folder", packs / "tearoom"), ["tearoom"]),
        (("--folder", checkout), sorted(EDITION.names())),
        ((packs / "bakery" / "ontology.ttl", "friends_meet"), ["ontology.ttl", "friends_meet"]),
        ((), sorted(EDITION.names())),
    ):
        found = run(*arguments, *only, "--format", "json")
        assert found.exit_code == 0, found.output
        told = json.loads(found.stdout)
        assert list(dict.fromkeys(step["pack"] for step in told["steps"])) == expected, arguments


def test_what_cannot_be_named(tmp_path: Path) -> None:
    """Exit code 2, and the nearest that can."""
    for arguments, words in (
        (("museum_tuor",), "did you mean `museum_tour`?"),
        ((tmp_path,), "holds no pack"),
        (("--folder", tmp_path), "holds no pack"),
        (("--skip", "termz"), "did you mean `terms`?"),
        (("core", "household", "--turtle"), "takes one PACK"),
    ):
        found = run(*arguments)
        assert found.exit_code == 2, arguments
        assert words in found.output


def test_exit_codes(packs: Path) -> None:
    """0 for notes and warnings, 1 for errors and, where wanted, warnings, 3 for a step that was not done."""
    assert run(packs / "tearoom", *FAST).exit_code == 0
    bakery = packs / "bakery" / "ontology.ttl"
    bakery.write_text(bakery.read_text(encoding="utf-8").replace("bakery:LigtUp", "bakery:LightUp"), encoding="utf-8")
    assert run(packs / "bakery", *FAST).exit_code == 0
    assert run(packs / "bakery", *FAST, "--fail-on", "warning").exit_code == 1
    manifest = packs / "tearoom" / "pack.toml"
    manifest.write_text(
        manifest.read_text(encoding="utf-8").replace('["core"]', '["core", "gone"]'), encoding="utf-8"
    )
    assert run(packs / "tearoom", *FAST, "--skip", "manifest").exit_code == 3


def test_programs_read_it(packs: Path) -> None:
    """JSON, SARIF 2.1.0 and JUnit tell the same problems."""
    told = json.loads(run(packs / "bakery", *FAST, "--format", "json").stdout)
    problems = [problem for step in told["steps"] for problem in step["problems"]]
    assert [p["code"] for p in problems] == ["undeclared_term", "lone_class"]
    assert all(p["file"].endswith("ontology.ttl") and p["line"] and p["why"] for p in problems)
    assert told["errors"] == told["warnings"] == 1
    (sarif,) = json.loads(run(packs / "bakery", *FAST, "--format", "sarif").stdout)["runs"]
    assert [each["ruleId"] for each in sarif["results"]] == [p["code"] for p in problems]
    regions = [each["locations"][0]["physicalLocation"]["region"]["startLine"] for each in sarif["results"]]
    assert regions == [p["line"] for p in problems]
    (suite,) = ET.fromstring(run(packs / "bakery", *FAST, "--format", "junit").stdout)
    assert suite.get("failures") == "1"
    assert [failure.get("type") for failure in suite.iter("failure")] == ["undeclared_term"]


def test_the_list_names_every_check_and_step() -> None:
    """With its severity and why it matters."""
    told = json.loads(run("--list", "--format", "json").stdout)
    assert [each["code"] for each in told["checks"]] == list(CHECKS)
    assert all(each["title"] and each["why"] for each in told["checks"])
    assert [each["step"] for each in told["steps"]] == [stage.name for stage in STEPS]
    text = run("--list").output
    assert all(code in text for code in CHECKS)


def test_functional_syntax_is_checked_and_converted(tmp_path: Path) -> None:
    """By the same checks, with places; `--turtle` gives what serving would read; faults have a place, too."""
    path = tmp_path / "tea.ofn"
    path.write_text(FUNCTIONAL, encoding="utf-8")
    found = run(path, *FAST)
    assert found.exit_code == 1
    assert f"{path}:13:22: error: <https://example.org/tea#Tae> is declared nowhere" in found.output
    assert f"{path}:8:19: warning: <https://example.org/tea#OtherTea> is called `Other tea`" in found.output
    turtle = run(path, "--turtle").stdout
    converted = tmp_path / "tea.ttl"
    converted.write_text(turtle, encoding="utf-8")
    again = run(converted, *FAST)
    assert [line.split("[")[-1] for line in again.output.splitlines() if line.startswith("  /")] == [
        line.split("[")[-1] for line in found.output.splitlines() if line.startswith("  /")
    ]
    assert isomorphic(Graph().parse(data=turtle), Graph().parse(data=run(converted, "--turtle").stdout))
    path.write_text(FUNCTIONAL.replace("SubClassOf(:OtherTea :Tea)", "SubClassOf(:OtherTea :Tea"), encoding="utf-8")
    broken = run(path, *FAST)
    assert broken.exit_code == 1
    assert f"{path}:9:22: error: no functional syntax: expected a name with a prefix" in broken.output
    path.write_text(FUNCTIONAL.replace(":OtherTea :Tea)", "other:OtherTea :Tea)"), encoding="utf-8")
    assert f"{path}:9:12: error: no functional syntax: undefined prefix" in run(path, *FAST).output
    assert run(path, "--turtle").exit_code == 1


def test_a_pack_in_rdf_xml_is_checked_and_told_to_convert(packs: Path) -> None:
    """The whole ontology is checked; what serves it does not read it yet."""
    pack = packs / "tearoom"
    source = pack / "ontology.ttl"
    Graph().parse(source).serialize(pack / "ontology.rdf", format="xml")
    source.unlink()
    found = run(pack, *FAST)
    assert found.exit_code == 1
    assert "[not_turtle]" in found.output
    assert f"domain-access check {pack / 'ontology.rdf'} --turtle > {source}" in found.output
    assert "1 error, 0 warnings" in found.output
    source.write_text(run(pack / "ontology.rdf", "--turtle").stdout, encoding="utf-8")
    (pack / "ontology.rdf").unlink()
    assert run(pack, *FAST).exit_code == 0
