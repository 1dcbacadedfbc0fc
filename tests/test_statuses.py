"""The ten PA Status values by each of their causes, each with its near misses: golden plans over one Town.

Every plan is judged by the function and, as a caller of the service sees it, over HTTP.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from app.authoring.golden import Check, Plan, PlanAnswer, Run, read_golden, run_plan
from app.authoring.plans import NOON, answer_plan, judge_texts
from app.model import PAStatus
from app.rules import Domain, load
from app.world import World, read_world
from tests.packs import EDITION
from tests.rig import Rig, request
from tests.town import open_world

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "golden" / "statuses"
FILES = sorted(FOLDER.glob("*.toml"))
RUNS = [(path.stem, run) for path in FILES for run in read_golden(path)]
STEPS = [(stem, run, step) for stem, run in RUNS for step in run.expected]
IDS = [f"statuses:{stem}:{run.name}:{step}" for stem, run, step in STEPS]


@cache
def domain() -> Domain:
    return load(EDITION, [])


@cache
def town() -> World:
    return World.of(read_world(FOLDER / "world.ttl"), domain())


def judge_directly(plan: Plan) -> PlanAnswer:
    return answer_plan(plan, town(), domain())


@cache
def checks_of(stem: str, name: str) -> dict[int | None, Check]:
    (run,) = (run for each, run in RUNS if (each, run.name) == (stem, name))
    return {check.step: check for check in run_plan(run, judge_directly)}


@pytest.mark.parametrize("stem, run, step", STEPS, ids=IDS)
def test_the_step_gets_its_status(stem: str, run: Run, step: int) -> None:
    """The PA Status, the rules and the words that the golden file states."""
    assert checks_of(stem, run.name)[step].mismatches == ()


@pytest.mark.parametrize("stem, run", RUNS, ids=[f"{stem}:{run.name}" for stem, run in RUNS])
def test_the_plan_as_a_whole(stem: str, run: Run) -> None:
    """Outcome and Overall."""
    assert checks_of(stem, run.name)[None].mismatches == ()


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with open_world(tmp_path_factory.mktemp("town")) as opened:
        yield opened


def at(time: datetime) -> dict[str, Any]:
    """A QueryTime."""
    data = {"FlagsByte": 3, "AccuracyMode": "single", "AccuracyPlusMinus": 1}
    instant = int(time.timestamp() * 1000)
    return {
        "Header": "OSD-STM-V1.5",
        "SimpleTimeID": "t",
        "SimpleTimeData": [{**data, "StartTime": instant, "EndTime": instant}],
    }


@pytest.mark.parametrize("stem, run", RUNS, ids=[f"{stem}:{run.name}" for stem, run in RUNS])
def test_http_gives_the_same(rig: Rig, stem: str, run: Run) -> None:
    """The session is set, then what it keeps to, then the plan is asked."""
    assert stem in {path.stem for path in FILES}
    place = {"MInstance": "Town", "UEnvironment": "Street"}
    session = str(uuid4())
    if run.plan.user:
        assert rig.client.put(f"/v1/sessions/{session}", json={**place, "User": run.plan.user}).status_code == 200
    if run.plan.context:
        body = {**place, "SessionID": session, "ActionContext": run.plan.context}
        assert rig.client.put(f"/v1/sessions/{session}/action-context", json=body).status_code == 200
    asked = request(**place, SessionID=session, QueryTime=at(NOON))
    asked["ProcessActions"] = [{"Step": n, "Statement": said} for n, said in run.plan.steps]
    answered = rig.ask(asked).json()
    found = {s["Step"]: (s["PAStatus"], s["Reason"]) for s in answered["Feasibility"]["Steps"]}
    direct = judge_directly(run.plan)
    assert found == {step: (judged.status, judged.reason) for step, judged in direct.steps.items()}
    assert (answered["Outcome"], answered["Feasibility"]["Overall"]) == (direct.outcome, direct.overall)


def test_every_step_is_tried_once() -> None:
    """As many ids as steps in the files, none twice; every status, a third and more of them traps."""
    documents = [tomllib.loads(path.read_text(encoding="utf-8")) for path in FILES]
    written = sum(len(turn["step"]) for document in documents for turn in document["turn"])
    assert len(STEPS) == len(set(IDS)) == written >= 220
    expected = Counter(run.expected[step].status for _, run, step in STEPS)
    assert {status for status in PAStatus if expected[status] >= 8} == set(PAStatus)
    traps = sum(bool(run.expected[step].trap) for _, run, step in STEPS)
    assert traps >= len(STEPS) / 3
    assert {path.stem for path in FILES} == set(PAStatus)


def test_every_rule_decides_a_step() -> None:
    """Each rule of rules/pa_status is named by a step of these plans, but those listed here."""
    named = {word.strip("[]") for _, run, step in STEPS for word in run.expected[step].words if word[0] == "["}
    elsewhere = {"may_use", "owner_uses", "may_capture_place", "view_of_no_place"}
    elsewhere |= {"commitment_excludes", "commitment_forbids"}  # tests/golden/commitments
    assert set(domain().rules) - named == elsewhere


def test_repairs_of_one_plan_are_bounded() -> None:
    """The first refused steps get theirs; where the trials of the plan are used up, the Reason says so."""
    text = "Dan MM-Moves Chest From Plaza To Garden"
    verdicts = judge_texts([(i, text) for i in range(300)], town(), domain()).verdicts
    assert verdicts[0].repairs
    assert verdicts[0].repairs_complete
    sought = [("No repair was sought" not in v.reason) for v in verdicts]
    assert sought == sorted(sought, reverse=True)
    assert 20 < sum(sought) < 300
    assert not any(v.repairs_complete or v.repairs for v, was in zip(verdicts, sought, strict=True) if not was)
    assert {v.status for v in verdicts} == {PAStatus.INS_RIGHTS}
