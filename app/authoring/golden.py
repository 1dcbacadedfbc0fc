"""The runner of golden plans: a plan with the PA Status each step must get, and variants of it (DESIGN 8).

    title, source, m_instance, u_environment
    [[turn]]            kind = "feasibility", expect = { Outcome, Feasibility = { Overall } }; name;
                        user and context of the session (ActionContext of BKN-PRC)
    [[turn.step]]       step, statement, status; of a refusal rules and reason: what its Reason must name;
                        trap: of what it is the near miss
    [[turn.variant]]    name; drop, replace, add: how the plan changes; expect, rules, reason by step

A step that a variant says nothing of gets what it gets in the plan. Who judges is the caller's choice, so that
function, HTTP and command line are held to the same plans: a rule is found in a Reason as `[rule]`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from app.errors import Code
from app.model import Overall, PAStatus
from app.rules.toml import TomlFile

_PLAN_KEYS = {"title", "source", "m_instance", "u_environment", "turn"}
_TURN_KEYS = {"name", "kind", "user", "context", "expect", "step", "variant"}
_STEP_KEYS = {"step", "statement", "status", "rules", "reason", "trap"}
_VARIANT_KEYS = {"name", "drop", "replace", "add", "expect", "rules", "reason"}
_ADDED_KEYS = {"step", "statement"}
_SAID = {dict: "a table", list: "a list", str: "a text", int: "a whole number"}


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked: an M-Instance, a U-Environment and numbered statements; for whom, and within which bounds."""

    m_instance: str
    u_environment: str
    steps: tuple[tuple[int, str], ...]
    user: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judged:
    """What one step got."""

    status: str
    reason: str


@dataclass(frozen=True, slots=True)
class PlanAnswer:
    """What was answered; a step that could not be judged is not among `steps`."""

    outcome: str
    overall: str
    steps: Mapping[int, Judged]


Judge = Callable[[Plan], PlanAnswer]


@dataclass(frozen=True, slots=True)
class Expected:
    """What one step must get: a PA Status and words of its Reason; `trap` says of what it is the near miss."""

    status: PAStatus
    words: tuple[str, ...] = ()
    trap: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """One plan to be judged, as it stands or as a variant changes it; of the `turn`th turn of its file."""

    name: str
    plan: Plan
    expected: Mapping[int, Expected]
    outcome: str
    overall: str
    turn: int = 0
    turn_name: str = "turn"
    variant: bool = False


@dataclass(frozen=True, slots=True)
class Check:
    """One thing compared: a step of a run, or (`step` None) the answer as a whole."""

    run: str
    step: int | None
    mismatches: tuple[str, ...]


def run_golden(path: Path, answer: Judge) -> list[Check]:
    """Every check of a golden file. Raises PackError where the file is none."""
    return [check for run in read_golden(path) for check in run_plan(run, answer)]


def run_plan(run: Run, answer: Judge) -> list[Check]:
    """Have one plan judged and compare."""
    found = answer(run.plan)
    whole = [
        f"{member}: expected {expected}, found {given}"
        for member, expected, given in (
            ("Outcome", run.outcome, found.outcome),
            ("Overall", run.overall, found.overall),
        )
        if expected != given
    ]
    whole += [f"step {step} was not asked for" for step in sorted(set(found.steps) - set(run.expected))]
    checks = [Check(run.name, None, tuple(whole))]
    for step, expected in sorted(run.expected.items()):
        judged = found.steps.get(step)
        if judged is None:
            checks.append(Check(run.name, step, (f"expected {expected.status}, found no verdict",)))
            continue
        wrong = []
        if judged.status != expected.status:
            wrong.append(f"expected {expected.status}, found {judged.status}: {judged.reason}")
        wrong += [
            f"the Reason lacks `{word}`: {judged.reason}" for word in expected.words if word not in judged.reason
        ]
        checks.append(Check(run.name, step, tuple(wrong)))
    return checks


def read_golden(path: Path) -> tuple[Run, ...]:
    """The plan of each turn, then its variants. Raises PackError with every fault."""
    reader = _Reader(path)
    runs = reader.document(reader.members)
    reader.refuse()
    return runs


class _Reader(TomlFile):
    """Reads what is there, notes every fault with its key."""

    def document(self, members: dict[str, Any]) -> tuple[Run, ...]:
        self.keys(members, _PLAN_KEYS, "")
        m_instance = self._get(members, "m_instance", str, "", "")
        u_environment = self._get(members, "u_environment", str, "", "")
        runs: list[Run] = []
        turns = self.tables(members, "turn") if "turn" in members else self._get(members, "turn", list, "", [])
        for number, turn in enumerate(turns):
            key = str(turn.get("name", "")) or (f"turn {number}" if len(turns) > 1 else "turn")
            read = self._turn(turn, key, m_instance, u_environment)
            runs += [replace(run, turn=number, turn_name=key) for run in read]
        return tuple(runs)

    def _turn(self, turn: dict[str, Any], key: str, m_instance: str, u_environment: str) -> list[Run]:
        self.keys(turn, _TURN_KEYS, key)
        if (kind := turn.get("kind")) != "feasibility":
            self.fault(Code.PACK_MEMBER, f"plans are of the Kind `feasibility`, found `{kind}`", key)
        steps: dict[int, str] = {}
        expected: dict[int, Expected] = {}
        for i, step in enumerate(self.tables(turn, "step", key)):
            place = f"{key}, step {step.get('step', f'entry {i}')}"
            self.keys(step, _STEP_KEYS, place)
            number = self._get(step, "step", int, place, -1)
            if number in steps:
                self.fault(Code.PACK_MEMBER, f"step {number} is there twice", place)
            steps[number] = self._get(step, "statement", str, place, "")
            words = self._words(step.get("rules", ()), step.get("reason", ()), place)
            expected[number] = Expected(self.status(step.get("status"), place), words, str(step.get("trap", "")))
        expect = self._get(turn, "expect", dict, key, {})
        outcome = str(expect.get("Outcome", "answered"))
        overall = str(self._get(expect, "Feasibility", dict, key, {}).get("Overall", ""))
        if overall != _overall(expected):
            self.fault(
                Code.PACK_MEMBER,
                f"the steps make the plan {_overall(expected)}, and `expect` says `{overall}`",
                f"{key}.expect",
            )
        user, context = str(turn.get("user", "")), self._get(turn, "context", dict, key, {})
        plan = Plan(m_instance, u_environment, tuple(steps.items()), user, context)
        runs = [Run(key, plan, expected, outcome, overall)]
        for i, variant in enumerate(self.tables(turn, "variant", key)):
            runs.append(self._variant(variant, f"{key}, variant {variant.get('name', i)}", runs[0]))
        return runs

    def _variant(self, variant: dict[str, Any], key: str, run: Run) -> Run:
        self.keys(variant, _VARIANT_KEYS, key)
        steps = dict(run.plan.steps)
        expected = dict(run.expected)
        changed: set[int] = set()
        for number in self._get(variant, "drop", list, key, []):
            if steps.pop(number, None) is None:
                self.fault(Code.PACK_MEMBER, f"there is no step {number} to drop", key)
            expected.pop(number, None)
        for number, text in self._by_step(variant, "replace", key).items():
            if number not in steps:
                self.fault(Code.PACK_MEMBER, f"there is no step {number} to replace", key)
            steps[number] = str(text)
            changed.add(number)
        for added in self.tables(variant, "add", key):
            self.keys(added, _ADDED_KEYS, key)
            number = self._get(added, "step", int, key, -1)
            if number in run.expected:
                self.fault(Code.PACK_MEMBER, f"step {number} is in the plan already", key)
            steps[number] = self._get(added, "statement", str, key, "")
            changed.add(number)
        statuses = self._by_step(variant, "expect", key)
        for number in sorted(changed - set(statuses)):
            self.fault(Code.PACK_MEMBER, f"step {number} is changed, and `expect` does not say what it gets", key)
        for number, status in statuses.items():
            expected[number] = Expected(self.status(status, key))
        rules, reasons = self._by_step(variant, "rules", key), self._by_step(variant, "reason", key)
        for number in sorted((set(rules) | set(reasons)) & set(expected)):
            words = self._words(rules.get(number, ()), reasons.get(number, ()), key)
            expected[number] = Expected(expected[number].status, words)
        for number in sorted((set(expected) | set(rules) | set(reasons)) - set(steps)):
            self.fault(Code.PACK_MEMBER, f"something is expected of step {number}, which is not there", key)
        plan = replace(run.plan, steps=tuple(sorted(steps.items())))
        return Run(
            self._get(variant, "name", str, key, ""), plan, expected, run.outcome, _overall(expected), variant=True
        )

    def _by_step(self, members: dict[str, Any], name: str, key: str) -> dict[int, Any]:
        """A table whose keys are steps."""
        found: dict[int, Any] = {}
        for number, value in self._get(members, name, dict, key, {}).items():
            if number.isdecimal():
                found[int(number)] = value
            else:
                self.fault(Code.PACK_MEMBER, f"`{number}` in `{name}` is no step", key)
        return found

    def _words(self, rules: object, words: object, key: str) -> tuple[str, ...]:
        """What a Reason must have: rules are in it by their ids."""
        named = self.texts(rules, "rules", key)
        return (*(f"[{rule}]" for rule in named), *self.texts(words, "reason", key))

    def _get(self, members: dict[str, Any], name: str, kind: type, key: str, default: Any) -> Any:
        """A member of one type; text, numbers and the turns must be there, tables and lists may be left out."""
        if name not in members and (kind is dict or (kind is list and name != "turn")):
            return default
        value = members.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            self.fault(
                Code.PACK_MEMBER,
                f"`{name}` must be {_SAID[kind]}, found {'none' if value is None else f'`{value}`'}",
                key,
            )
            return default
        return value


def _overall(expected: Mapping[int, Expected]) -> str:
    statuses = {each.status for each in expected.values()}
    if statuses == {PAStatus.ACK}:
        return Overall.FEASIBLE
    return Overall.PARTIALLY_FEASIBLE if PAStatus.ACK in statuses else Overall.INFEASIBLE
