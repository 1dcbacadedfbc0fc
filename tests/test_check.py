"""`domain-access check`: every kind of problem is found where it stands, and not where it nearly is one."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from app.authoring.check import CHECKS, STEPS, check, check_file
from app.authoring.new_pack import new_pack
from app.authoring.problems import Problem, Report, Severity
from app.edition import Edition
from tests.packs import EDITION, PACKS, ROOT

CASES = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in ROOT.glob("tests/check/*.toml")}
KEYS = {"step", "line", "says", "hint", "others", "caught", "near"}


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pack that every case changes: the one an author begins with."""
    folder = tmp_path_factory.mktemp("packs")
    new_pack(EDITION, "sample", folder, "Sample")
    return folder / "sample"


def changed(sample: Path, folder: Path, changes: dict[str, Any]) -> Edition:
    """An Edition with the sample, changed in a folder of its own: files written, removed, extended, or one text in
    them replaced.
    """
    pack = folder / "sample"
    copytree(sample, pack)
    for name in changes.get("remove", ()):
        (pack / name).unlink()
    for name, text in changes.get("write", {}).items():
        (pack / name).parent.mkdir(exist_ok=True)
        (pack / name).write_text(text, encoding="utf-8")
    for name, (old, new) in changes.get("replace", {}).items():
        before = (pack / name).read_text(encoding="utf-8")
        assert before.count(old) == 1, f"`{old}` is {before.count(old)} times in {name}"
        (pack / name).write_text(before.replace(old, new), encoding="utf-8")
    for name, text in changes.get("append", {}).items():
        with (pack / name).open("a", encoding="utf-8") as file:
            file.write(f"\n{text}")
    return EDITION.with_placed("sample", pack)


def only(edition: Edition, step: str) -> Report:
    """The report of one step alone."""
    return check(edition, ["sample"], skip={stage.name for stage in STEPS} - {step})


def test_every_check_has_its_cases() -> None:
    """One file for each, with a case that it catches and a near miss; no file for what is no check."""
    from app.authoring.check import OF_LOGIC

    assert set(CASES) == set(CHECKS) - OF_LOGIC
    assert set(CHECKS) > OF_LOGIC
    assert len(CASES) >= 63
    for code, case in CASES.items():
        assert set(case) <= KEYS, code
        assert case["caught"], code
        assert case["near"], code


@pytest.mark.parametrize("code", sorted(CASES))
def test_the_problem_is_found_where_it_stands(code: str, sample: Path, tmp_path: Path) -> None:
    """By its code, in the words of the case, and with the line that the case names."""
    case = CASES[code]
    report = only(changed(sample, tmp_path, case["caught"]), case["step"])
    found = [problem for problem in report.problems if problem.check.code == code]
    assert found, told(report)
    assert any(fits(problem, case) for problem in found), told(report)


@pytest.mark.parametrize("code", sorted(CASES))
def test_a_near_miss_is_none(code: str, sample: Path, tmp_path: Path) -> None:
    """Nothing else is found in it either, but for what the case names."""
    case = CASES[code]
    report = only(changed(sample, tmp_path, case["near"]), case["step"])
    assert {problem.check.code for problem in report.problems} <= set(case.get("others", ())), told(report)
    assert not report.not_done, told(report)


def fits(problem: Problem, case: dict[str, Any]) -> bool:
    """Whether a problem is as a case says."""
    shown = ""
    if "line" in case and problem.line:
        assert problem.file is not None
        shown = problem.file.read_text(encoding="utf-8").splitlines()[problem.line - 1]
    return (
        case.get("line", "") in shown
        and case.get("says", "") in problem.message
        and case.get("hint", "") in problem.hint
    )


def told(report: Report) -> str:
    """What a report says, to see why a test fails."""
    lines = [f"{p.where}: {p.message} [{p.check.code}] ({p.hint}) {p.excerpt}" for p in report.problems]
    return "\n".join([*lines, *(f"not done: {step.name}: {step.not_done}" for step in report.not_done)])


@cache
def of_the_packs() -> Report:
    """What is found in the packs of the project, logic left out, which tests of its own judge."""
    return check(EDITION, [pack.name for pack in PACKS], skip={"logic", "profile"})


def test_the_packs_have_no_errors() -> None:
    """Nor is a step not done."""
    report = of_the_packs()
    assert [p for p in report.problems if p.check.severity is Severity.ERROR] == []
    assert report.not_done == ()
    assert {step.pack for step in report.steps} == {pack.name for pack in PACKS}


def test_warnings_of_the_packs_are_known() -> None:
    """What is left as it is, each for a reason: two words for one thing of the household are classes of their own
    since the first version; a released term stays.
    """
    warned = {
        (p.check.code, p.file.parent.name if p.file else "")
        for p in of_the_packs().problems
        if p.check.severity is Severity.WARNING
    }
    assert warned <= {("synonym_class", "household"), ("definition_repeats_label", "household")}


def test_a_new_pack_has_nothing_wrong(sample: Path) -> None:
    """It passes every step."""
    report = check(EDITION.with_placed("sample", sample), ["sample"], skip={"logic", "profile"})
    assert list(report.problems) == []
    assert [step.name for step in report.steps if not step.passed] == []


def test_all_faults_of_a_file_are_told_at_once(sample: Path, tmp_path: Path) -> None:
    """Several files with several faults each."""
    rule = "rules/pa_status/sample_lit_lantern_moved.toml"
    edition = changed(sample, tmp_path, {
        "replace": {
            "pack.toml": ['version = "0.1.0"', 'version = "1"\nextra = 1'],
            rule: ['actions = ["MM-Move"]', 'action = ["MM-Move"]\ncolour = "red"'],
        },
        "append": {"ontology.ttl": "sample:A rdfs:subclassOf sample:B ."},
    })  # fmt: skip
    report = check(edition, ["sample"], skip={"logic", "profile"})
    found = [problem.check.code for problem in report.problems]
    assert found.count("manifest_key") == 1
    assert found.count("manifest_version") == 1
    assert found.count("rule_member") == 2
    assert found.count("undeclared_term") == 3


def test_a_step_that_cannot_be_done_says_why(sample: Path, tmp_path: Path) -> None:
    """Where the ontology cannot be read, nothing that stands on it passes silently."""
    edition = changed(sample, tmp_path, {"write": {"ontology.ttl": "<a> <b> ."}})
    report = check(edition, ["sample"], skip={"logic", "profile"})
    assert {step.name for step in report.not_done} >= {"terms", "words", "pitfalls", "world Sample1"}
    assert all("read" in step.not_done or "loaded" in step.not_done for step in report.not_done)
    assert [p.check.code for p in report.problems if p.check.code == "syntax"] == ["syntax"]


def test_a_use_performed_by_no_statement_is_told(sample: Path, tmp_path: Path) -> None:
    """With what the reader of statements has against it."""
    no_action = {"replace": {"ontology.ttl": ["Property Changes {item} With", "Burns {item} With"]}}
    report = only(changed(sample, tmp_path, no_action), "rules")
    (problem,) = report.problems
    assert (problem.check.code, "Burns" in problem.message, problem.line > 0) == ("performed_by", True, True)


def test_a_row_with_an_undeclared_term_is_told(sample: Path, tmp_path: Path) -> None:
    misspelt = {"replace": {"questions/lanterns.toml": ['"sample:LightUp"', '"sample:LihgtUp"']}}
    (problem,) = only(changed(sample, tmp_path, misspelt), "cases").problems
    assert (problem.check.code, problem.hint) == ("case_term", "did you mean `LightUp`?")


def test_a_shape_is_not_blamed_for_an_ontology_that_cannot_be_read(sample: Path, tmp_path: Path) -> None:
    """Its target may well be a class; what is wrong with the shape itself is told."""
    shapes = CASES["shape"]["caught"]["write"]["shapes.ttl"]
    edition = changed(sample, tmp_path, {"write": {"ontology.ttl": "<a> <b> .", "shapes.ttl": shapes}})
    report = only(edition, "shapes")
    assert [fits(problem, CASES["shape"]) for problem in report.problems] == [True]
    (step,) = report.not_done
    assert "ontology.ttl" in step.not_done


RDF_IRI, RDFS_IRI = b"http://www.w3.org/1999/02/22-rdf-syntax-ns", b"http://www.w3.org/2000/01/rdf-schema"
HOSTILE = {
    "nothing": b"",
    "no text": bytes(range(256)),
    "a comment": b"# only this",
    "a list in a circle": b"<x:a> <%sowl#unionOf> _:l . _:l <%s#rest> _:l ."
    % (b"http://www.w3.org/2002/07/", RDF_IRI),
    "blank classes in a circle": b"_:a <%s#subClassOf> _:b . _:b <%s#subClassOf> _:a ." % (RDFS_IRI, RDFS_IRI),
    "deep brackets": b"<x:a> <x:b> " + b"[ <x:c> " * 400 + b"1" + b" ]" * 400 + b" .",
    "an open string": b'<x:a> <x:b> "' + b"a" * 100_000,
    "many colons": b":" * 50_000,
    "control characters": b'<x:a> <http://www.w3.org/2000/01/rdf-schema#label> "\\u0007\\u001B[31m" .',
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("ending", [".ttl", ".rdf", ".ofn", ".nt"])
def test_nothing_makes_it_fail(name: str, ending: str, tmp_path: Path) -> None:
    """Whatever a file holds, each step is done or says why not."""
    path = tmp_path / f"hostile{ending}"
    path.write_bytes(HOSTILE[name])
    report = check_file(EDITION, path, skip={"logic", "profile"})
    assert [step.name for step in report.steps] == ["syntax", "terms", "words", "pitfalls"]
