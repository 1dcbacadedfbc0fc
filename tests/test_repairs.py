"""Every Repair that is shown makes its step Ack when it is applied: over all golden plans and all cases of rules.

A statement is put before or replaced in the plan that is asked; facts of the World are laid in the World itself.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from app.authoring.cases import case_facts, rule_cases
from app.authoring.golden import Plan, read_golden
from app.authoring.plans import NOON, judge_texts, read_context
from app.dialogue import Dialogues
from app.model import LOCAL, PAStatus, Repair, Triple, Verdict
from app.rules import Domain, load
from app.service import Service
from app.settings import Settings
from app.world import World, describe, read_world
from tests.rig import request, service_with
from tests.test_statuses import at

ROOT = Path(__file__).resolve().parents[1]


@cache
def domain_of(packs: tuple[str, ...]) -> Domain:
    return load(ROOT / "rules", ROOT / "ontologies", packs)


@dataclass(frozen=True)
class Asked:
    """A plan in a World, for a User, within bounds."""

    id: str
    facts: tuple[Triple, ...]
    steps: tuple[tuple[int, str], ...]
    domain: Domain
    user: str = ""
    context: Mapping[str, object] | None = None

    def verdicts(self, facts: Iterable[Triple] = (), steps: Iterable[tuple[int, str]] = ()) -> tuple[Verdict, ...]:
        world = World.of(facts or self.facts, self.domain)
        user = world.names.iri(self.user) if self.user else None
        context = read_context(self.context or {})
        return judge_texts(steps or self.steps, world, self.domain, user, context=context).verdicts


def plans() -> Iterator[Asked]:
    """Golden plans with their variants, and cases of rules."""
    for path in sorted([*ROOT.glob("ontologies/*/golden/*.toml"), *ROOT.glob("tests/golden/statuses/*.toml")]):
        for run in read_golden(path):
            facts = tuple(read_world(world_of(path, run.plan)))
            known = domain_of(describe(facts).packs)
            yield Asked(
                f"{path.parent.parent.name}:{path.stem}:{run.name}",
                facts,
                run.plan.steps,
                known,
                run.plan.user,
                run.plan.context,
            )
    for case in rule_cases(ROOT / "rules", ROOT / "ontologies"):
        facts = tuple(case_facts(case.case, case.world_text)[0])
        steps = tuple(enumerate((*case.case.before, case.case.statement)))
        yield Asked(case.id, facts, steps, case.domain, case.case.user, case.case.context)


def world_of(path: Path, plan: Plan) -> Path:
    own = path.parent / "world.ttl"
    return own if own.exists() else path.parents[1] / "worlds" / f"{plan.m_instance}.ttl"


PLANS = list(plans())


def repaired(asked: Asked, i: int, repair: Repair) -> tuple[tuple[Triple, ...], tuple[tuple[int, str], ...]]:
    """The World and the plan, up to the step, as the Repair has them. Steps before that were refused are left out:
    they changed nothing, and with other facts they might.
    """
    facts = dict.fromkeys(asked.facts)
    for edit in repair.edits:
        for triple in edit.effect.removed:
            facts.pop(triple, None)
        facts.update(dict.fromkeys(edit.effect.added))
    accepted = {v.step for v in asked.verdicts()[:i] if v.status is PAStatus.ACK}
    earlier = tuple(step for step in asked.steps[:i] if step[0] in accepted)
    number = asked.steps[i][0]
    put = [edit.statement for edit in repair.edits if edit.kind.startswith("insert")]
    texts = [*put, repair.statement]
    return tuple(facts), (*earlier, *((number + k, text) for k, text in enumerate(texts)))


SHOWN = [(asked, i, v) for asked in PLANS for i, v in enumerate(asked.verdicts()) if v.repairs]


@pytest.mark.parametrize("asked, i, verdict", SHOWN, ids=[f"{asked.id}:{i}" for asked, i, _ in SHOWN])
def test_a_repair_makes_its_step_ack(asked: Asked, i: int, verdict: Verdict) -> None:
    """The step itself, and what the Repair puts before it."""
    for repair in verdict.repairs:
        facts, steps = repaired(asked, i, repair)
        found = asked.verdicts(facts, steps)
        assert {v.status for v in found} == {PAStatus.ACK}, (repair.text, found[-1].reason)
        assert repair.text in verdict.reason


def test_repairs_of_every_kind_are_shown() -> None:
    """Names replaced, statements put before by the actor and by others, facts of the World; and two edits at once."""
    kinds = Counter(edit.kind for _, _, v in SHOWN for repair in v.repairs for edit in repair.edits)
    assert set(kinds) == {"replace", "insert", "insert_by_other", "world"}
    assert min(kinds.values()) >= 5, kinds
    assert any(len(repair.edits) == 2 for _, _, v in SHOWN for repair in v.repairs)
    assert len(SHOWN) >= 140


def test_a_refusal_without_repair_says_so() -> None:
    """Every Reason of a refusal ends in what would pass, or says that nothing is known."""
    refused = [
        v for asked in PLANS for v in asked.verdicts() if v.status not in (PAStatus.ACK, None) and v.failures == ()
    ]
    told = ("It would pass", "No repair")
    assert [
        v.reason for v in refused if v.findings[0].rule != "unparsable" and not any(w in v.reason for w in told)
    ] == []


def over_http(service: Service, asked: Asked, steps: Iterable[tuple[int, str]], session: str) -> Any:
    m_instance = describe(asked.facts)
    place = {"MInstance": m_instance.identifier, "UEnvironment": sorted(m_instance.u_environments)[0]}
    message = request(**place, SessionID=session, QueryTime=at(NOON))
    message["ProcessActions"] = [{"Step": n, "Statement": text} for n, text in steps]
    return json.loads(service.answer(json.dumps(message).encode(), LOCAL))


def test_repairs_work_through_the_service(tmp_path: Path) -> None:
    """What an explanation shows is applied to the next Request, as an agent would do it, and the step is Ack."""
    worked = Counter[str]()
    for k, (asked, i, _) in enumerate(SHOWN):
        if asked.id.startswith("rule:") or asked.context:
            continue
        settings = Settings(data=tmp_path)
        with Dialogues.open(settings.database_url) as dialogues:
            world = World.of(asked.facts, asked.domain)
            service = service_with(world, dialogues, settings)
            answered = over_http(service, asked, asked.steps, f"a{k}")
            explained = json.loads(service.explanation(answered["QueryID"], LOCAL))["steps"][i]
            for j, repair in enumerate(explained["repairs"]):
                if any(edit["kind"] == "world" for edit in repair["edits"]):
                    continue
                put = [edit["statement"] for edit in repair["edits"] if edit["kind"].startswith("insert")]
                number = asked.steps[i][0]
                again = [*asked.steps[:i], *((number + n, t) for n, t in enumerate([*put, repair["statement"]]))]
                found = over_http(service, asked, again, f"b{k}-{j}")["Feasibility"]["Steps"]
                assert {step["PAStatus"] for step in found[i:]} == {"Ack"}, (asked.id, i, repair)
                worked.update(edit["kind"] for edit in repair["edits"])
    assert set(worked) == {"replace", "insert", "insert_by_other"}
    assert sum(worked.values()) >= 60
