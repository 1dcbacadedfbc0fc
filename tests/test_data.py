"""The runners of rule cases and golden plans tell what is wrong; and what holds of every rule file beyond its cases.

The cases themselves are run in tests/test_shipped.py, one id each.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from app.authoring.cases import RuleCase, case_facts, case_verdicts, rule_cases, run_case
from app.authoring.golden import Judged, PlanAnswer, read_golden, run_golden
from app.errors import Code, PackError
from app.model import PAStatus
from app.rules import Domain, load
from app.rules.forms import Case
from tests.packs import EDITION

ROOT = Path(__file__).resolve().parents[1]
RULES, ONTOLOGIES = ROOT / "rules", ROOT / "ontologies"
CASES = list(rule_cases(EDITION))
RULE_FILES = sorted([*RULES.glob("pa_status/*.toml"), *ONTOLOGIES.glob("*/rules/pa_status/*.toml")])
GOLDEN_FILES = sorted(ONTOLOGIES.glob("*/golden/*.toml"))
ROOT_CASES = (RULES / "cases.ttl").read_text(encoding="utf-8")


def pack_of(path: Path) -> str:
    return path.parents[1].name


@cache
def domain_of(packs: tuple[str, ...]) -> Domain:
    return load(EDITION, packs)


def test_every_file_lies_where_it_is_read() -> None:
    """The cases found are those of these files; golden plans lie in packs, and nothing but rules in rules/."""
    assert {Path(case.rule.where) for case in CASES} == set(RULE_FILES)
    assert {pack_of(path) for path in GOLDEN_FILES} <= set(EDITION.names())
    assert {path.parent.name for path in RULES.rglob("*.toml")} == {"actions", "needs", "pa_status", "payments"}


def statuses(case: RuleCase, domain: Domain) -> list[PAStatus | None]:
    facts, _ = case_facts(case.case, case.world_text)
    return [verdict.status for verdict in case_verdicts(case.case, facts, domain)]


REMOVABLE = sorted({case.rule.id for case in CASES if not case.rule.builtin})


@pytest.mark.parametrize("rule", REMOVABLE)
def test_the_near_miss_is_tried_where_the_rule_is_applicable(rule: str) -> None:
    """A case that does not fire shows the pattern failing, not the rule being passed over for want of a value."""
    own = [case for case in CASES if case.rule.id == rule and not case.case.fires]
    tried = []
    for case in own:
        facts, _ = case_facts(case.case, case.world_text)
        last = case_verdicts(case.case, facts, case.domain)[-1]
        tried.append(rule not in last.not_applicable)
    assert any(tried)


HELD = [path for path in RULE_FILES if "heldBy ?actor" in (text := path.read_text("utf-8")) and "\nneed = " in text]


@pytest.mark.parametrize("path", HELD, ids=[path.stem for path in HELD])
def test_a_held_right_permits_only_while_it_counts(path: Path) -> None:
    """What permits by a held Right asks when it is valid, whether it is suspended, whether the session counts it."""
    text = path.read_text(encoding="utf-8")
    wanted = ("mmm:validUntil", "mmm:validFrom", "mmm:suspends", "mmm:condition", "mmm:happenedAt", "dac:countsRight")
    assert [term for term in wanted if term not in text] == []
    assert len(HELD) >= 4


def without_payment(domain: Domain, name: str) -> Domain:
    paying = {action: tuple(p for p in each if p.name != name) for action, each in domain.payments.items()}
    return replace(domain, payments=paying)


@pytest.mark.parametrize("name", sorted(path.stem for path in RULES.glob("payments/*.toml")))
def test_removing_a_reason_to_pay_makes_a_case_fail(name: str) -> None:
    """Each file of payments/ decides a case of a rule about Wallets."""
    own = [case for case in CASES if case.rule.status is PAStatus.INS_VALUE]
    assert any(statuses(case, without_payment(case.domain, name)) != statuses(case, case.domain) for case in own)


def tried(case: Case) -> list[str]:
    (rule,) = {each.rule.id: each.rule for each in CASES if each.rule.id == "not_at_from"}.values()
    return run_case(rule, case, domain_of(()), ROOT_CASES)


MOVE = "Alice MM-Moves Ball From Hall To Garden"
WRONG_CASES = {
    "fires": (Case("c", MOVE, fires=True), ["`not_at_from` does not fire"]),
    "does not fire": (Case("c", "Alice MM-Moves Ball From Study To Garden", fires=False), ["`not_at_from` fires"]),
    "status": (Case("c", MOVE, fires=False, status=PAStatus.CLASH), ["expected Clash, found Ack"]),
    "reason": (Case("c", MOVE, fires=False, reason=("Ball", "moon")), ["the Reason lacks `moon`"]),
    "before": (Case("c", MOVE, fires=False, before=("Bob MM-Moves Ball To Hall",)), ["step 0, "]),
    "remove nothing": (Case("c", MOVE, fires=False, remove="<Ball> mmm:at <Garden> ."), ["`remove` names a fact"]),
    "add nothing": (Case("c", MOVE, fires=False, add="<Ball> mmm:at <Hall> ."), ["`add` names a fact"]),
    "no Turtle in add": (Case("c", MOVE, fires=False, add="<Ball> mmm:at"), ["no Turtle"]),
    "no Turtle in remove": (Case("c", MOVE, fires=False, remove="Ball is gone"), ["no Turtle"]),
}


@pytest.mark.parametrize("case, expected", WRONG_CASES.values(), ids=WRONG_CASES)
def test_a_case_that_is_wrong_is_told_apart(case: Case, expected: list[str]) -> None:
    """The runner says which part of a case does not hold."""
    found = tried(case)
    assert [word for word in expected if not any(word in line for line in found)] == []
    assert tried(Case("c", MOVE, fires=False, status=PAStatus.ACK, reason=("Garden",))) == []


PLAN = """
title = "t"
source = "s"
m_instance = "MI1"
u_environment = "UE1"
[[turn]]
kind = "feasibility"
expect = { Outcome = "answered", Feasibility = { Overall = "partially_feasible" } }
[[turn.step]]
step = 0
statement = "a"
status = "Ack"
[[turn.step]]
step = 1
statement = "b"
status = "Clash"
reason = ["x"]
rules = ["r"]
"""
ANSWER = PlanAnswer("answered", "partially_feasible", {0: Judged("Ack", ""), 1: Judged("Clash", "x [r]")})


def test_the_golden_runner_reports_each_difference(tmp_path: Path) -> None:
    """Outcome, Overall, status, missing verdicts, steps too many, words and rules of the Reason."""
    path = tmp_path / "plan.toml"
    path.write_text(PLAN, encoding="utf-8")

    def wrong(answer: PlanAnswer) -> list[str]:
        return [line for check in run_golden(path, lambda _: answer) for line in check.mismatches]

    assert wrong(ANSWER) == []
    assert wrong(replace(ANSWER, outcome="not_answered")) == ["Outcome: expected answered, found not_answered"]
    assert wrong(replace(ANSWER, overall="feasible")) == ["Overall: expected partially_feasible, found feasible"]
    assert wrong(replace(ANSWER, steps={0: ANSWER.steps[0]})) == ["expected Clash, found no verdict"]
    assert wrong(replace(ANSWER, steps={**ANSWER.steps, 7: Judged("Ack", "")})) == ["step 7 was not asked for"]
    assert wrong(replace(ANSWER, steps={**ANSWER.steps, 0: Judged("IncID", "?")})) == ["expected Ack, found IncID: ?"]
    assert wrong(replace(ANSWER, steps={**ANSWER.steps, 1: Judged("Clash", "y")})) == [
        "the Reason lacks `[r]`: y",
        "the Reason lacks `x`: y",
    ]


def test_a_variant_inherits_what_it_does_not_change(tmp_path: Path) -> None:
    """Steps dropped, replaced and added; statuses and Reasons of the others as in the plan."""
    path = tmp_path / "plan.toml"
    variant = """
[[turn.variant]]
name = "v"
replace = { "0" = "c" }
add = [{ step = 2, statement = "d" }]
expect = { "0" = "IncID", "2" = "Ack" }
reason = { "0" = ["c"], "1" = ["z"] }
"""
    path.write_text(PLAN + variant, encoding="utf-8")
    _, run = read_golden(path)
    assert run.plan.steps == ((0, "c"), (1, "b"), (2, "d"))
    assert {step: (str(e.status), e.words) for step, e in run.expected.items()} == {
        0: ("IncID", ("c",)),
        1: ("Clash", ("z",)),
        2: ("Ack", ()),
    }
    assert run.overall == "partially_feasible"
    path.write_text(PLAN + '[[turn.variant]]\nname = "w"\ndrop = [1]\n', encoding="utf-8")
    assert read_golden(path)[1].overall == "feasible"


WRONG_PLANS = {
    "no TOML": (PLAN + "[", ["no TOML"]),
    "unknown keys": (PLAN.replace("rules =", "rule ="), ["nothing reads `rule`"]),
    "a status that is none": (PLAN.replace('"Clash"', '"Clasch"'), ["`Clasch` is no PA Status"]),
    "another Kind": (PLAN.replace('"feasibility"', '"grounding"'), ["found `grounding`"]),
    "a step twice": (PLAN.replace("step = 1", "step = 0"), ["step 0 is there twice"]),
    "another Overall": (PLAN.replace('"partially_feasible"', '"feasible"'), ["`expect` says `feasible`"]),
    "no statement": (PLAN.replace('statement = "b"\n', ""), ["`statement` must be a text, found none"]),
    "no turns": ('title = "t"\nm_instance = "M"\nu_environment = "U"\n', ["`turn` must be a list, found none"]),
    "a variant of nothing": (
        PLAN + '[[turn.variant]]\nname = "v"\ndrop = [8]\nreplace = { "9" = "x" }\n',
        ["no step 8 to drop", "no step 9 to replace", "step 9 is changed"],
    ),
    "a variant adding what is there": (
        PLAN + '[[turn.variant]]\nname = "v"\nadd = [{ step = 0, statement = "y" }]\n',
        ["step 0 is in the plan already", "step 0 is changed"],
    ),
    "a variant expecting the absent": (
        PLAN
        + '[[turn.variant]]\nname = "v"\ndrop = [1]\nreason = { "1" = ["x"], "z" = [] }\nexpect = { "5" = "Ack" }\n',
        ["expected of step 1", "expected of step 5", "`z` in `reason` is no step"],
    ),
}


@pytest.mark.parametrize("text, expected", WRONG_PLANS.values(), ids=WRONG_PLANS)
def test_a_golden_file_tells_all_its_faults(text: str, expected: list[str], tmp_path: Path) -> None:
    """Every fault at once, each with the file and the key."""
    path = tmp_path / "plan.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PackError) as error:
        read_golden(path)
    messages = [fault.message for fault in error.value.faults]
    assert [word for word in expected if not any(word in message for message in messages)] == []
    assert {fault.code for fault in error.value.faults} <= {Code.PACK_MEMBER, Code.PACK_UNREADABLE}
    assert all(fault.where.startswith(str(path)) for fault in error.value.faults)
