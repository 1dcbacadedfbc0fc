"""Golden plans of each Action over worlds of their own, tests/golden/actions, one id a verdict; what each changes.

Each is judged by the semantics, not by what the program says: at least one accepted step and one near miss an Action.
"""

from __future__ import annotations

import tomllib
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from app.authoring.golden import Check, Plan, PlanAnswer, Run, read_golden, run_plan
from app.authoring.plans import answer_plan, judge_texts
from app.evaluate import Names
from app.model import PAStatus, Term, Text, Typed
from app.rules import Domain, load
from app.statement import parse
from app.vocab import IDENTIFIER, PREFIXES, TYPE, XSD
from app.world import World, describe, read_world
from tests.packs import EDITION

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "golden" / "actions"
FILES = sorted(FOLDER.glob("*.toml"))
RUNS = [(path, run) for path in FILES for run in read_golden(path)]
VERDICTS = [(path, run, step) for path, run in RUNS for step in (None, *sorted(run.expected))]
IDS = [f"{path.stem}:{run.name}" + ("" if step is None else f":{step}") for path, run, step in VERDICTS]


@cache
def domain() -> Domain:
    return load(EDITION, [])


@cache
def worlds() -> dict[str, World]:
    """By M-Instance."""
    found = {}
    for path in sorted(FOLDER.glob("worlds/*.ttl")):
        facts = read_world(path)
        found[describe(facts).identifier] = World.of(facts, domain())
    return found


def answer(plan: Plan) -> PlanAnswer:
    world = worlds()[plan.m_instance]
    assert plan.u_environment in world.m_instance.u_environments
    return answer_plan(plan, world, domain())


@cache
def checks_of(path: Path, name: str) -> dict[int | None, Check]:
    (run,) = (run for each, run in RUNS if each == path and run.name == name)
    return {check.step: check for check in run_plan(run, answer)}


@pytest.mark.parametrize("path, run, step", VERDICTS, ids=IDS)
def test_golden_verdict(path: Path, run: Run, step: int | None) -> None:
    """The step (or the plan as a whole) gets what the file states."""
    assert checks_of(path, run.name)[step].mismatches == ()


def test_every_action_has_an_accepted_step_and_a_near_miss() -> None:
    """In the file of its name."""
    for name in domain().actions:
        runs = [run for path, run in RUNS if path.stem == name]
        given = {
            (action.action, run.expected[step].status)
            for run in runs
            for step, text in run.plan.steps
            for action in parse(text, domain().grammar).actions
        }
        mine = {status for action, status in given if action == name}
        assert PAStatus.ACK in mine, name
        assert len(mine) > 1, name


def test_the_verdicts_are_all_there_and_a_third_are_traps() -> None:
    """As many as there are headings; ids are unique."""
    lines = [line.strip() for path in FILES for line in path.read_text("utf-8").splitlines()]
    statuses = [run.expected[step].status for _, run, step in VERDICTS if step is not None]
    assert len(statuses) == lines.count("[[turn.step]]") >= 130
    assert len(VERDICTS) - len(statuses) == lines.count("[[turn]]")
    assert sum(status is not PAStatus.ACK for status in statuses) * 3 >= len(statuses)
    assert len(set(IDS)) == len(IDS)
    assert len(FILES) == len(domain().actions) + 3


EFFECTS: list[dict[str, Any]] = tomllib.loads((ROOT / "tests/rules/effects.toml").read_text("utf-8"))["effect"]


def term(text: str, names: Names) -> Term:
    """A name of the world, a term of the vocabulary, or a literal."""
    prefix, colon, local = text.partition(":")
    if text == "a":
        return TYPE
    if colon and prefix in PREFIXES:
        return PREFIXES[prefix] + local
    if text in {"true", "false"}:
        return Typed(text, XSD + "boolean")
    if text.startswith('"'):
        return Text(text.strip('"'))
    return Decimal(text) if text.isdecimal() else names.iri(text)


@pytest.mark.parametrize("told", EFFECTS, ids=lambda told: "; ".join((*told.get("before", ()), told["statement"])))
def test_an_accepted_step_changes_what_the_case_says_and_no_more(told: dict[str, Any]) -> None:
    """Every triple added and removed, identifiers of what is new aside."""
    world = worlds()["Agora"]
    texts = [*told.get("before", ()), told["statement"]]
    verdicts = judge_texts(enumerate(texts), world, domain()).verdicts
    assert [verdict.status for verdict in verdicts] == [PAStatus.ACK] * len(texts), verdicts[-1].reason
    effect = verdicts[-1].effect
    for found, key in ((effect.added, "added"), (effect.removed, "removed")):
        expected = {tuple(term(part, world.names) for part in line.split(" ", 2)) for line in told.get(key, ())}
        assert {triple for triple in found if triple[1] != IDENTIFIER} == expected, key


def test_every_action_has_its_effects_told() -> None:
    """And an Action whose file states no effect of its own confers Rights."""
    read = {action.action for told in EFFECTS for action in parse(told["statement"], domain().grammar).actions}
    assert read == set(domain().actions)
