"""OWL 2 DL and OWL 2 RL: a violation of each kind is found and told, its near miss is not, and no axiom is lost."""

from __future__ import annotations

import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from app.authoring.check import profile
from app.authoring.check.profile import CHECKS, LOST, NO_AXIOM, profile_steps, steps_of
from app.authoring.logic.axioms import read_source
from app.authoring.problems import Problem, Severity
from tests.packs import EDITION

HERE = Path(__file__).parent / "logic"
PRELUDE = (HERE / "prelude.ttl").read_text(encoding="utf-8")
CASES = tomllib.loads((HERE / "profile.toml").read_text(encoding="utf-8"))["case"]
each_case = pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])


def found(says: str) -> tuple[list[Problem], list[Problem]]:
    """What is outside OWL 2 DL, and what outside OWL 2 RL."""
    source = read_source(Path("case.ttl"), PRELUDE + says)
    dl, rl = steps_of("case", [source], [source])
    assert not dl.not_done
    return list(dl.problems), list(rl.problems)


@each_case
def test_violation(case: dict[str, Any]) -> None:
    dl, rl = found(case["says"])
    assert {problem.check.code for problem in dl} == {case[name] for name in ("dl",) if name in case}
    if "rl" in case:
        (problem,) = rl
        assert case["rl"] in problem.message
        assert problem.check.severity is Severity.WARNING


@each_case
def test_near_miss(case: dict[str, Any]) -> None:
    dl, rl = found(case["near"])
    assert dl == []
    assert rl == [] or "rl" not in case


def test_every_check_has_a_case() -> None:
    assert len(CASES) == 43
    assert {case["dl"] for case in CASES if "dl" in case} == {check.code for check in CHECKS} - {"beyond_owl_rl"}
    assert {case["name"] for case in CASES if "near" not in case} == set()
    told = {words for case in CASES for words in LOST.values() if case.get("rl", "?") in words}
    assert len(told) == 14


@pytest.mark.parametrize("name", ["contradictions.toml", "impossible.toml"])
def test_every_kind_of_axiom_is_read(name: str) -> None:
    """Whatever the reasoners are asked of is an axiom of OWL 2: nothing is passed over on the way."""
    says = [case["says"] for case in tomllib.loads((HERE / name).read_text(encoding="utf-8"))["case"]]
    assert len(says) > 10
    for each in says:
        assert [p.message for p in found(each)[0] if p.check is NO_AXIOM] == [], each


@pytest.mark.parametrize("pack", EDITION.names())
def test_packs_are_within_both(pack: str) -> None:
    dl, rl = profile_steps(EDITION, pack)
    assert (dl.not_done, rl.not_done, dl.problems, rl.problems) == ("", "", (), ())
    assert dl.counts["axioms"] > 0


def test_a_problem_has_the_line_of_its_axiom(tmp_path: Path) -> None:
    file = tmp_path / "a.ttl"
    file.write_text(f"{PRELUDE}\n\n:A rdfs:subClassOf :B ,\n    :Z .\n", encoding="utf-8")
    source = read_source(file)
    (problem,) = next(iter(steps_of("a", [source], [source]))).problems
    lines = file.read_text(encoding="utf-8").splitlines()
    assert (problem.file, problem.term) == (file, "urn:t#Z")
    assert lines[problem.line - 1][problem.column - 1 :] == ":Z ."


def test_without_its_library_it_is_not_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile, "find_spec", lambda name: None if name == "pyhornedowl" else find_spec(name))
    steps = list(profile_steps(EDITION, "core"))
    assert [step.passed for step in steps] == [False, False]
    assert all("pip install 'domain-access[authoring]'" in step.not_done for step in steps)
