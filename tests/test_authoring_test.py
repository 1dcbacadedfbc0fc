"""`domain-access test`: a small pack with one failing case of each sort and a rule that nothing would miss; the
shipped packs, one id a case (tests/test_shipped.py).
"""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from app.authoring.answering import answering
from app.authoring.collected import Sort, cases_of, files_of
from app.authoring.places import Heading, line_of
from app.authoring.placing import placed
from app.authoring.problems import Report, Severity, Step
from app.authoring.reports import as_junit
from app.authoring.test import Wanted
from app.authoring.test import test as run_packs
from app.authoring.test.covered import Declared, coverage
from app.authoring.test.removed import named_in, noticing, statuses, without
from app.authoring.test.running import Tried
from app.authoring.test.touched import Touched
from app.cli import main
from app.edition import Edition
from tests.packs import EDITION, ROOT

run_packs.__test__ = False  # type: ignore[attr-defined] # pytest takes it for a test
WORKSHOP = ROOT / "tests" / "authoring" / "workshop"
RULE_FILES = sorted([*ROOT.glob("rules/pa_status/*.toml"), *ROOT.glob("ontologies/*/rules/pa_status/*.toml")])
PLACED = EDITION.with_placed("workshop", WORKSHOP)

FAILING = {
    "rule:lent_tool:this one is wrong": [("lent_tool.toml", 21, "`lent_tool` fires: Clash: `Saw` is lent to `Ben`")],
    "question:workshop:This one is wrong": [
        ("tools.toml", 7, "lacking: workshop:Axe"),
        ("tools.toml", 7, "lacking: workshop:Tool"),
        ("tools.toml", 7, "too much: workshop:Anvil"),
        ("tools.toml", 7, "too much: workshop:Saw"),
    ],
    "golden:workshop:turn 0:this one is wrong": [
        ("plan.toml", 22, "Overall: expected partially_feasible, found infeasible"),
        ("plan.toml", 22, "step 0: expected Ack, found Clash: `Saw1` is at `Shop` already"),
    ],
    "golden:workshop:so is this": [
        ("plan.toml", 27, "Overall: expected feasible, found partially_feasible"),
        ("plan.toml", 37, "step 1: expected Ack, found Clash: `Saw2` is lent to `Ben` [lent_tool]"),
    ],
    "answer:workshop:tools:this one is wrong": [
        ("tools.toml", 14, "Affordances: expected ['Saw1|throw'], found ['Saw1|sharpen']")
    ],
    "removed:blunt_and_lent": [("blunt_and_lent.toml", 1, "without `blunt_and_lent` no step of any case")],
}
PASSING = {
    "rule:lent_tool:Ben has the saw",
    "rule:lent_tool:nobody has it",
    "rule:blunt_and_lent:Ben has the blunt saw",
    "rule:blunt_and_lent:the saw is sharp",
    "question:workshop:What is lent to whom?",
    "golden:workshop:turn 0",
    "answer:workshop:tools:a blunt saw is sharpened",
    "removed:lent_tool",
    "coverage",
}


def read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def report() -> Report:
    return run_packs(PLACED, ["workshop"], wanted=Wanted(uncovered=True))


def failing(report: Report) -> dict[str, list[tuple[str, int, str]]]:
    """The errors by step: file, line, message."""
    return {
        step.name: [(p.file.name if p.file else "", p.line, p.message) for p in step.problems_of(Severity.ERROR)]
        for step in report.steps
        if not step.passed
    }


def test_each_sort_of_case_fails_where_it_is_wrong(report: Report) -> None:
    """File and line of the case; what was expected, what was found and why."""
    found = failing(report)
    assert set(found) == set(FAILING)
    for name, expected in FAILING.items():
        for (file, line, words), problem in zip(expected, found[name], strict=True):
            assert (file, line) == problem[:2], name
            assert problem[2].startswith(words), name


def test_the_others_pass(report: Report) -> None:
    assert {step.name for step in report.steps if step.passed} == PASSING


def test_what_no_case_touches_is_counted_and_named(report: Report) -> None:
    (coverage,) = (step for step in report.steps if step.name == "coverage")
    assert coverage.counts == {
        **dict.fromkeys(("classes", "states"), 3) | dict.fromkeys(("classes covered", "states covered"), 2),
        **dict.fromkeys(("properties", "rules", "rules covered"), 2) | {"properties covered": 1},
        **dict.fromkeys(("uses", "uses covered", "norms", "PA Statuses", "PA Statuses covered"), 1),
        "norms covered": 0,
    }
    named = {problem.term.partition("#")[2]: problem.line for problem in coverage.problems}
    text = (WORKSHOP / "ontology.ttl").read_text(encoding="utf-8").splitlines()
    assert set(named) == {"Anvil", "madeOf", "Rusty", "Apron"}
    assert all(text[line - 1].startswith(f"workshop:{name} a ") for name, line in named.items())


@pytest.mark.parametrize("least, enough", [(0, True), (66, True), (67, False), (100, False)])
def test_less_than_is_asked_for_is_an_error(least: float, enough: bool) -> None:
    """2 of 3 terms are 66.7 %; of nothing there is never too little."""
    place = (Path("x"), 1)
    declared = Declared({"rules": {"a": place, "b": place}, "Actions": {"c": place}})
    step = coverage("p", declared, Touched(rules=frozenset("ax"), actions=frozenset("c")), least, uncovered=False)
    assert step.passed is enough
    said = [] if enough else [f"cases touch 66.7 % of 3 terms, and {least} % are asked for"]
    assert [problem.message for problem in step.problems] == said
    assert coverage("p", Declared(), Touched(), 100, uncovered=True).passed


def test_a_filter_runs_some_and_tells_no_coverage(report: Report) -> None:
    """By a part of the id; a rule is taken away where that is asked for, and tried by every case."""
    some = run_packs(PLACED, ["workshop"], wanted=Wanted(filter="IS WRONG"))
    assert {step.name for step in some.steps} == {name for name in FAILING if "is wrong" in name}
    rules = run_packs(PLACED, ["workshop"], wanted=Wanted(filter="removed:"))
    assert failing(rules) == {name: found for name, found in failing(report).items() if name.startswith("removed:")}
    assert len(rules.steps) == 2


def test_side_by_side_is_as_one_by_one(report: Report) -> None:
    """The order is that of the packs asked for; progress tells each pack; no rule is taken away unasked."""
    told: list[str] = []
    both = run_packs(PLACED, ["friends_meet", "workshop"], mutate=False, progress=told.append, jobs=2)
    alone = [step.name for step in report.steps if not step.name.startswith("removed:")]
    assert [step.name for step in both.steps if step.pack == "workshop"] == alone
    assert [step.pack for step in both.steps] == sorted(step.pack for step in both.steps)
    assert failing(both) == {name: found for name, found in failing(report).items() if "removed:" not in name}
    assert [said.split(":")[0] for said in told] == ["1/2 packs", "2/2 packs"]


@pytest.mark.parametrize("pack, each", [("workshop", 1), ("car_showroom", 8)])
def test_the_short_way_notices_what_the_long_one_does(pack: str, each: int, tmp_path: Path) -> None:
    """The long way: the rule's file is gone, everything is loaded anew, and every case is judged again. The same
    cases get another PA Status as when only those that name the rule are judged, by the loaded Domain less the rule.
    Of a shipped pack the first rule is taken, since loading is slow.
    """
    with answering(PLACED) as answers:
        cases = [case for case in cases_of(PLACED, [pack], answers) if case.judges]
        tried = [Tried(case, Step(pack, case.id), case.run(answers)) for case in cases]
        rules = sorted({case.file for case in cases if case.sort is Sort.RULE})[::each]
        assert rules
        for path in rules:
            rule = path.stem
            fewer = answers.decided_by(lambda domain, rule=rule: without(domain, rule))  # type: ignore[misc]
            short = {
                one.case.id
                for one in tried
                if rule in named_in(one.ran) and statuses(one.case.run(fewer)) != statuses(one.ran)
            }
            assert short == noticed_the_long_way(tried, PLACED, pack, rule, tmp_path / rule)
            assert (noticing(rule, tried, answers) is not None) is bool(short)
            assert bool(short) is (rule != "blunt_and_lent")


def noticed_the_long_way(tried: list[Tried], edition: Edition, pack: str, rule: str, folder: Path) -> set[str]:
    """The cases whose PA Statuses are others once the rule's file is gone."""
    copy = shutil.copytree(edition.folder(pack), folder / pack)
    (copy / "rules" / "pa_status" / f"{rule}.toml").unlink()
    with answering(edition.with_placed(pack, copy)) as less:
        return {each.case.id for each in tried if statuses(each.case.run(less)) != statuses(each.ran)}


def broken(tmp_path: Path, *changes: Callable[[Path], None]) -> Edition:
    """The workshop with something wrong."""
    copy = Path(shutil.copytree(WORKSHOP, tmp_path / "workshop"))
    for change in changes:
        change(copy)
    return EDITION.with_placed("workshop", copy)


def rewrite(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(pack: Path) -> None:
        text = (pack / name).read_text(encoding="utf-8") if old else ""
        assert old in text
        (pack / name).write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


BROKEN = {
    "files that are none": [
        ("questions/tools.toml", "rows", "rows =", "read:questions/tools.toml", "no TOML"),
        ("golden/plan.toml", "replace = {", "add = [3]\nreplace = {", "read:golden/plan.toml", "must be tables"),
        ("answers/tools.toml", "ask =", 'at = "noon"\nask =', "read:answers/tools.toml", "`noon` is no time"),
        ("rules/cases.ttl", "<Hall> a", "<Hall a", "rule:lent_tool:nobody has it", "no Turtle"),
    ],
    "what is not there": [
        ("golden/plan.toml", '"Werk"', '"Wreck"', "read:golden/plan.toml", "no world `Wreck`"),
        ("answers/tools.toml", '"Werk"', '"MI1"', "read:answers/tools.toml", "no world `MI1`"),
        ("questions/tools.toml", '"Werk"', '"Wreck"', "read:questions/tools.toml", "no world `Wreck`"),
        ("answers/none.toml", "", 'title = "nothing"', "read:answers/none.toml", "no case"),
    ],
    "what cannot be asked": [
        ("golden/plan.toml", '"UE1"', '"UE2"', "golden:workshop:turn 0", "no U-Environment `UE2`"),
        ("questions/tools.toml", "SELECT", "SELEKT", "question:workshop:What is lent to whom?", "no SPARQL"),
        ("answers/tools.toml", '"affordances"', '"afordances"', "answer:workshop:tools:this one is wrong", "/Kind"),
    ],
    "a rule and a name": [
        ("rules/pa_status/lent_tool.toml", '"Clash"', '"Clasch"', "load", "no PA Status"),
        ("answers/tools.toml", "a blunt saw is sharpened", "this one is wrong",
         "name:answer:workshop:tools:this one is wrong", "a second case"),
        ("questions/tools.toml", "[[question]]", "[[other]]", "read:questions/tools.toml", "`[[question]]` blocks"),
        ("golden/plan.toml", "step = 0", 'step = "0"', "read:golden/plan.toml", "`step` must be"),
    ],
    "a world and a question": [
        ("worlds/Werk.ttl", "<Anna> a", "<Anna> <a", "golden:workshop:turn 0", "no Turtle"),
        ("answers/tools.toml", "ask = {", "ask = 3 # {", "read:answers/tools.toml", "`ask` must be a table"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_read_or_asked_is_told_and_the_rest_is_run(name: str, tmp_path: Path) -> None:
    """All of it at once, each with its file."""
    edition = broken(tmp_path, *(rewrite(file, old, new) for file, old, new, *_ in BROKEN[name]))
    report = run_packs(edition, ["workshop"])
    for *_, step, words in BROKEN[name]:
        (found,) = (each for each in report.steps if each.name == step)
        assert any(words in problem.message for problem in found.problems), found.problems
        assert all(problem.file is not None for problem in found.problems)
    passed = {each.name for each in report.steps if each.passed}
    assert ("rule:lent_tool:nobody has it" in passed) is (name not in {"files that are none", "a rule and a name"})


UNLOADABLE = {
    "ontology.ttl": ("a owl:Class", "owl:Class", "no Turtle"),
    "rules/pa_status/lent_tool.toml": ('"Clash"', "Clash", "no TOML"),
}


@pytest.mark.parametrize("file", UNLOADABLE)
def test_what_no_pack_can_be_loaded_with_is_told_once_where_it_is(file: str, tmp_path: Path) -> None:
    """No case says it again, and none passes silently."""
    old, new, words = UNLOADABLE[file]
    edition = broken(tmp_path, rewrite(file, old, new))
    report = run_packs(edition, ["workshop"])
    (problem,) = report.problems
    assert words in problem.message
    assert problem.file == tmp_path / "workshop" / file
    assert new in file_line(problem.file, problem.line)
    assert {step.name for step in report.not_done} == {"cases", "removed", "coverage"}


def file_line(path: Path, line: int) -> str:
    return path.read_text(encoding="utf-8").splitlines()[line - 1]


NAMED_PLACES = {
    "a step of the first of several turns": ("step = 0\n", 'step = 0\ncolour = "red"\n', "step = 0"),
    "a step of the last turn": ('Saw2 From Shop To Yard"\nstatus = "Ack"', 'Saw2"\nstatus = "Ak"', "step = 1"),
    "a variant with a comma": ('name = "this one is wrong"', 'name = "a, b"\nsteps = 1', "[[turn.variant]]"),
}


@pytest.mark.parametrize("name", NAMED_PLACES)
def test_a_fault_of_a_plan_is_told_with_its_line(name: str, tmp_path: Path) -> None:
    """That of the step, the variant or the key, in whichever turn."""
    old, new, line = NAMED_PLACES[name]
    edition = broken(tmp_path, rewrite("golden/plan.toml", old, new))
    report = run_packs(edition, ["workshop"], mutate=False)
    path = edition.folder("workshop") / "golden" / "plan.toml"
    near = path.read_text(encoding="utf-8").split(new)[0].count("\n") + 1
    lines = [problem.line for problem in report.problems if problem.check.code == "unreadable"]
    assert any(file_line(path, each) == line and abs(each - near) <= 2 for each in lines if each), report.problems


def test_another_outcome_is_told_with_the_text_that_says_why(tmp_path: Path) -> None:
    edition = broken(tmp_path, rewrite("answers/tools.toml", '["Saw1"]', '["Sow1"]'))
    report = run_packs(edition, ["workshop"], mutate=False)
    told = [each.message for each in report.problems if each.message.startswith("Outcome: ")]
    assert any("Sow1" in message for message in told), told


def test_a_pack_without_cases_is_not_said_to_pass(tmp_path: Path) -> None:
    def bare(pack: Path) -> None:
        for folder in ("rules", "questions", "golden", "answers"):
            shutil.rmtree(pack / folder)

    (step, coverage) = run_packs(broken(tmp_path, bare), ["workshop"]).steps
    assert (step.name, step.not_done) == ("cases", "the pack brings no case")
    assert coverage.counts["classes covered"] == 0
    ran = CliRunner().invoke(main, ["test", "--folder", str(tmp_path)])
    assert ran.exit_code == 3
    assert "NOT DONE" in ran.output


def test_the_command_tells_a_reader_and_a_program(report: Report) -> None:
    """Exit code 1; text names the place; JSON has what is uncovered as a list; JUnit counts as CI does."""
    place = ["test", "--folder", str(WORKSHOP)]
    text = CliRunner().invoke(main, [*place, "--uncovered"])
    assert text.exit_code == 1
    assert "lent_tool.toml:21: error: `lent_tool` fires" in text.output
    assert "classes: `workshop:Anvil` is touched by no case" in text.output
    assert "69 %" in text.output
    told = json.loads(CliRunner().invoke(main, [*place, "--format", "json", "--no-mutate"]).stdout)
    assert {p["term"].partition("#")[2] for p in told["steps"][-1]["problems"]} == {
        "Anvil",
        "madeOf",
        "Rusty",
        "Apron",
    }
    assert told["errors"] == sum(map(len, FAILING.values())) - 1
    (suite,) = ET.fromstring(as_junit(report))
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("workshop", "15", str(len(FAILING)))
    assert {case.get("name") for case in suite if case.find("failure") is not None} == set(FAILING)


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["museum_tuor"], "did you mean `museum_tour`?"),
        (["friends_meet", "--filter", "xyzzy", "--no-mutate"], "no case of friends_meet has `xyzzy` in its id"),
        (["--folder", str(ROOT / "app")], "there is no pack.toml"),
        (["--filter", "x", "--least", "3"], "does not go with --filter"),
    ],
)
def test_wrong_usage_is_told(arguments: list[str], words: str) -> None:
    ran = CliRunner().invoke(main, ["test", *arguments])
    assert ran.exit_code == 2
    assert words in ran.output


def test_packs_are_found_where_they_lie(tmp_path: Path) -> None:
    """A pack, a folder of packs, a checkout, which is an edition of its own; nothing else."""
    assert placed(EDITION, WORKSHOP) == (PLACED, ("workshop",))
    assert placed(EDITION, WORKSHOP.parent) == (PLACED, ("workshop",))
    assert placed(PLACED, ROOT) == (EDITION, EDITION.names())
    assert placed(EDITION, tmp_path) == (EDITION, ())


def test_a_case_is_asked_of_another_edition_than_its_own(tmp_path: Path) -> None:
    """As diff does: the same question, another answer."""
    changed = broken(tmp_path, rewrite("worlds/Werk.ttl", "workshop:lentTo <Ben>", "workshop:lentTo <Anna>"))
    (case,) = (
        case for case in cases_of(PLACED, ["workshop"]) if case.id == "question:workshop:What is lent to whom?"
    )
    with answering(PLACED) as before, answering(changed) as after:
        assert (case.run(before).rows, case.run(after).rows) == ((("Saw2", "Ben"),), (("Saw2", "Anna"),))
        assert [wrong.message for wrong in case.run(after).wrong] == ["lacking: Saw2 | Ben", "too much: Saw2 | Anna"]


def test_a_line_is_that_of_the_heading_whatever_stands_before(tmp_path: Path) -> None:
    """Texts of several lines hold no heading; spaces and comments do not hide one; the name may have escapes."""
    path = tmp_path / "x.toml"
    path.write_text(
        'x = """\n[[case]]\nname = "a"\n"""\n[[case]] # one\nname = \'a\'\n  [[ case ]]\n  name = "\\u0062" # two\n'
        "[[turn]]\n[[turn.step]]\nstep = 1\n[[turn]]\n[[turn.step]]\nstep = 1\n",
        encoding="utf-8",
    )
    assert [line_of(path, Heading("case", "name", name)) for name in ("a", "b", "c")] == [5, 7, 0]
    turns = [Heading("turn", number=n) for n in range(3)]
    assert [line_of(path, turn, Heading("turn.step", "step", 1)) for turn in turns] == [10, 13, 0]


def test_every_case_of_the_shipped_packs_has_a_line() -> None:
    lines = [
        line_of(path, Heading("case", "name", case["name"])) for path in RULE_FILES for case in read(path)["case"]
    ]
    lines += [case.line for pack in EDITION.names() for file in files_of(EDITION, pack) for case in file.cases()]
    assert min(lines) > 0
    assert len(lines) > 750
