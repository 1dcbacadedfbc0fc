"""Every golden plan gets the same verdicts through function, HTTP and command line, by the one runner (DESIGN 7)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.authoring.golden import Check, Judged, Plan, PlanAnswer, Run, read_golden, run_plan
from app.cli import main
from app.cli.question import fresh_id, plan_request
from app.model import LOCAL
from app.settings import PREFIX
from tests.processes import stand_alone
from tests.rig import Rig, open_rig

ROOT = Path(__file__).parents[1]
RUNS = [(path, run) for path in sorted(ROOT.glob("ontologies/*/golden/*.toml")) for run in read_golden(path)]
IDS = [f"{path.parents[1].name}:{run.name}" for path, run in RUNS]
PACKS = tuple(dict.fromkeys(path.parents[1].name for path, _ in RUNS))
"""Whose worlds must be served."""

Asking = Callable[[Rig, bytes], Any]


def by_function(rig: Rig, raw: bytes) -> Any:
    return json.loads(rig.service.answer(raw, LOCAL))


def by_http(rig: Rig, raw: bytes) -> Any:
    return rig.ask(raw).json()


def by_command(_: Rig, raw: bytes) -> Any:
    return json.loads(CliRunner().invoke(main, ["ask", "-", "--json"], input=raw).stdout)


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with open_rig(tmp_path_factory.mktemp("data"), worlds=PACKS) as opened:
        yield opened


def judge(rig: Rig, asking: Asking, plan: Plan) -> tuple[PlanAnswer, Any]:
    response = asking(rig, plan_request(plan.steps, plan.m_instance, plan.u_environment, fresh_id()))
    steps = {each["Step"]: Judged(each["PAStatus"], each["Reason"]) for each in response["Feasibility"]["Steps"]}
    return PlanAnswer(response["Outcome"], response["Feasibility"]["Overall"], steps), response["Feasibility"]


def mismatches(run: Run, answer: PlanAnswer) -> list[Check]:
    return [check for check in run_plan(run, lambda _: answer) if check.mismatches]


def test_the_golden_plans_are_found() -> None:
    """One plan with its variants for each golden file, and no file without."""
    assert {path for path, _ in RUNS} == set(ROOT.glob("ontologies/*/golden/*.toml"))
    assert len(RUNS) >= 26


@pytest.mark.parametrize("run", [run for _, run in RUNS], ids=IDS)
def test_function_and_http_agree_with_the_golden_plan(rig: Rig, run: Run) -> None:
    """Statuses, words of the Reasons and the result for the plan; and both give the same Feasibility."""
    answers = {asking: judge(rig, asking, run.plan) for asking in (by_function, by_http)}
    for answer, _ in answers.values():
        assert mismatches(run, answer) == []
    assert answers[by_function][1] == answers[by_http][1]


@pytest.mark.parametrize("pack", PACKS)
def test_the_command_agrees_with_the_function(
    rig: Rig, pack: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`ask -` gives what the service gives, for the plan as it stands in the file."""
    stand_alone(monkeypatch, tmp_path)
    monkeypatch.setenv(f"{PREFIX}WORLDS", pack)
    whole = next(run for path, run in RUNS if path.parents[1].name == pack)
    answer, feasibility = judge(rig, by_command, whole.plan)
    assert mismatches(whole, answer) == []
    assert feasibility == judge(rig, by_function, whole.plan)[1]
