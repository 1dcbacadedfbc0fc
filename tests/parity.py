"""Every golden case as what is asked, whoever is asked: plans, statuses, Kinds, sessions, commitments.

`wrong` says what of a Response is not as the case has it; how it is asked is the affair of tests/test_parity.py.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from app.authoring.answers import Case, mismatches, read_cases
from app.authoring.golden import Judged, PlanAnswer, Run, read_golden, run_plan
from app.authoring.plans import NOON
from tests.town import bring

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests" / "golden"
HOUSE = GOLDEN / "commitments" / "packs" / "house"
COTTAGE = ROOT / "tests" / "kinds" / "cottage"
MORNING = "2026-03-04T09:00:00Z"
Members = Mapping[str, Any]
Response = Mapping[str, Any]


@dataclass(frozen=True)
class Turn:
    """One Request: its Kind, and the members that the Kind takes."""

    kind: str
    members: Members


@dataclass(frozen=True)
class Asked:
    """A golden case: the turns of its dialogue, the last of which counts."""

    group: str
    name: str
    m_instance: str
    u_environment: str
    at: datetime
    turns: tuple[Turn, ...]
    wrong: Callable[[Response], list[str]]
    session: str = ""
    """A session that the world names; without it each dialogue has one of its own."""
    user: str = ""
    context: Members = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"{self.group}:{self.name}"

    @property
    def kind(self) -> str:
        return self.turns[-1].kind


def cases() -> Iterator[Asked]:
    """All of them."""
    for path in sorted(ROOT.glob("ontologies/*/golden/*.toml")):
        yield from (_plan("packs", path.parents[1].name, run) for run in read_golden(path))
    for group in ("actions", "statuses"):
        for path in sorted(GOLDEN.glob(f"{group}/*.toml")):
            yield from (_plan(group, path.stem, run) for run in read_golden(path))
    for path in sorted([*GOLDEN.glob("kinds/*.toml"), *ROOT.glob("ontologies/*/answers/*.toml")]):
        yield from (_of_kind(case) for case in read_cases(path))
    for plan in tomllib.loads((ROOT / "tests/sessions/plans.toml").read_text("utf-8"))["plan"]:
        yield _within_bounds(plan)
    for path in sorted(GOLDEN.glob("commitments/*.toml")):
        for case in tomllib.loads(path.read_text("utf-8"))["case"]:
            yield _agreed(path.stem, case)


def packs_of_the_cases(folder: Path) -> tuple[str, ...]:
    """Makes a folder of all packs, and of some that bring the worlds of cases; names those that have a world."""
    folder.mkdir(parents=True)
    for pack in (*(p.parent for p in ROOT.glob("ontologies/*/pack.toml")), COTTAGE, HOUSE):
        (folder / pack.name).symlink_to(pack, target_is_directory=True)
    for world in (GOLDEN / "statuses" / "world.ttl", *sorted(GOLDEN.glob("actions/worlds/*.ttl"))):
        name = "town" if world.stem == "world" else world.stem.lower()
        bring(world, folder, name)
    return tuple(sorted(path.parents[1].name for path in folder.glob("*/worlds/*.ttl")))


def _plan(group: str, name: str, run: Run) -> Asked:
    plan = run.plan
    turn = Turn("feasibility", {"ProcessActions": [{"Step": n, "Statement": said} for n, said in plan.steps]})

    def wrong(response: Response) -> list[str]:
        steps = {each["Step"]: Judged(each["PAStatus"], each["Reason"]) for each in response["Feasibility"]["Steps"]}
        answer = PlanAnswer(response["Outcome"], response["Feasibility"]["Overall"], steps)
        return [said for check in run_plan(run, lambda _: answer) for said in check.mismatches]

    place = (plan.m_instance, plan.u_environment)
    return Asked(group, f"{name}:{run.name}", *place, NOON, (turn,), wrong, user=plan.user, context=plan.context)


def _of_kind(case: Case) -> Asked:
    def turn(asked: Members) -> Turn:
        return Turn(asked.get("Kind", case.kind), {k: v for k, v in asked.items() if k not in {"Kind", "at"}})

    at = datetime.fromisoformat(str(case.ask.get("at", case.at) or MORNING))
    return Asked(
        "kinds",
        f"{case.file}:{case.name}",
        case.m_instance,
        case.u_environment,
        at,
        (*map(turn, case.before), turn(case.ask)),
        lambda response: mismatches(case, dict(response)),
        session=case.session,
    )


def _within_bounds(plan: dict[str, Any]) -> Asked:
    turn = Turn("feasibility", {"ProcessActions": [{"Step": 0, "Statement": plan["statement"]}]})

    def wrong(response: Response) -> list[str]:
        found = [step["PAStatus"] for step in response["Feasibility"]["Steps"]]
        failure = str(response.get("Failure", {}).get("Request", ""))
        lacking = [word for word in plan.get("failure", ()) if word not in failure]
        return lacking + ([] if found == [plan["status"]] * bool(plan["status"]) else [f"found {found}"])

    place = ("Town", "Street")
    return Asked("sessions", plan["name"], *place, NOON, (turn,), wrong, user="Ada", context=plan["context"])


def _agreed(name: str, case: dict[str, Any]) -> Asked:
    given = {str(number): statement for number, statement in enumerate(case["commitments"], 1)}
    expected = {number: "conflicting" if number in case["conflicts"] else "retained" for number in given}
    kept = [{"CommitmentID": number, "Statement": statement} for number, statement in given.items()]

    def wrong(response: Response) -> list[str]:
        found = {each["CommitmentID"]: each["Status"] for each in response["CommitmentStatus"]}
        return [] if found == expected else [f"found {found}"]

    turn = Turn("commitment", {"Commitments": kept})
    return Asked("commitments", f"{name}:{case['name']}", "House", "UE", NOON, (turn,), wrong, user="Ann")
