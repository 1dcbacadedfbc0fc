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
from app.model import LOCAL, PAStatus, Repair, Triple, Verdict
from app.rules import Domain, load
from app.service import Service
from app.world import World, describe, read_world
from tests.packs import EDITION
from tests.rig import open_rig, request
from tests.test_statuses import at
from tests.town import open_world

ROOT = Path(__file__).resolve().parents[1]


@cache
def domain_of(packs: tuple[str, ...]) -> Domain:
    return load(EDITION, packs)


@dataclass(frozen=True, eq=False)
class Asked:
    """A plan in a World, for a User, within bounds."""

    id: str
    facts: tuple[Triple, ...]
    steps: tuple[tuple[int, str], ...]
    domain: Domain
    user: str = ""
    context: Mapping[str, object] | None = None
    pack: str = ""

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
            pack = "town" if path.is_relative_to(ROOT / "tests") else path.parents[1].name
            name, plan = f"{pack}:{path.stem}:{run.name}", run.plan
            yield Asked(name, facts, plan.steps, known, plan.user, plan.context, pack)
    for case in rule_cases(EDITION):
        facts = tuple(case_facts(case.case, case.world_text)[0])
        steps = tuple(enumerate((*case.case.before, case.case.statement)))
        yield Asked(case.id, facts, steps, case.domain, case.case.user, case.case.context)


def world_of(path: Path, plan: Plan) -> Path:
    own = path.parent / "world.ttl"
    return own if own.exists() else path.parents[1] / "worlds" / f"{plan.m_instance}.ttl"


PLANS = list(plans())


def repaired(asked: Asked, before: Iterable[Verdict], step: int, repair: Repair) -> tuple[Verdict, ...]:
    """The verdicts of what the Repair puts before the step, and of the step.

    In a plan they follow what was accepted before. Facts of the World are laid in a World in which that has happened:
    brought about earlier they might have changed it.
    """
    accepted = [v for v in before if v.status is PAStatus.ACK]
    put = [edit.statement for edit in repair.edits if edit.kind.startswith("insert")]
    texts = [(step + k, text) for k, text in enumerate([*put, repair.statement])]
    if all(edit.kind != "world" for edit in repair.edits):
        return asked.verdicts(steps=[*((v.step, v.statement) for v in accepted), *texts])[len(accepted) :]
    facts = dict.fromkeys(asked.facts)
    for effect in (*(v.effect for v in accepted), *(edit.effect for edit in repair.edits)):
        for triple in effect.removed:
            facts.pop(triple, None)
        facts.update(dict.fromkeys(effect.added))
    return asked.verdicts(facts, texts)


@cache
def verdicts_of(asked: Asked) -> tuple[Verdict, ...]:
    return asked.verdicts()


@pytest.mark.parametrize("asked", PLANS, ids=[asked.id for asked in PLANS])
def test_a_repair_makes_its_step_ack(asked: Asked) -> None:
    """Of each refused step: what a Repair puts before is accepted, then the step. Without one the Reason says so."""
    verdicts = verdicts_of(asked)
    for i, verdict in enumerate(verdicts):
        for repair in verdict.repairs:
            found = repaired(asked, verdicts[:i], verdict.step, repair)
            assert {v.status for v in found} == {PAStatus.ACK}, (verdict.statement, repair.text, found[-1].reason)
            assert repair.text in verdict.reason
        if verdict.status not in (PAStatus.ACK, None) and not verdict.repairs:
            assert "No repair" in verdict.reason or verdict.findings[0].rule == "unparsable"


GOLDEN = [asked for asked in PLANS if asked.pack]


def test_repairs_of_every_kind_are_shown() -> None:
    """Names replaced, statements put before by the actor and by others, facts of the World; and two edits at once."""
    shown = [repair for asked in GOLDEN for v in verdicts_of(asked) for repair in v.repairs]
    kinds = Counter(edit.kind for repair in shown for edit in repair.edits)
    assert set(kinds) == {"replace", "insert", "insert_by_other", "world"}
    assert min(kinds.values()) >= 5, kinds
    assert any(len(repair.edits) == 2 for repair in shown)
    assert len(shown) >= 80


def over_http(service: Service, asked: Asked, steps: Iterable[tuple[int, str]]) -> Any:
    m_instance = describe(asked.facts)
    place = {"MInstance": m_instance.identifier, "UEnvironment": sorted(m_instance.u_environments)[0]}
    message = request(**place, QueryTime=at(NOON))
    message["ProcessActions"] = [{"Step": n, "Statement": text} for n, text in steps]
    return json.loads(service.answer(json.dumps(message).encode(), LOCAL))


@pytest.mark.parametrize("pack", sorted({asked.pack for asked in GOLDEN}))
def test_repairs_work_through_the_service(tmp_path: Path, pack: str) -> None:
    """What an explanation shows is applied to the next Request, as an agent would do it, and the step is Ack."""
    worked = Counter[str]()
    own = [asked for asked in GOLDEN if asked.pack == pack and not asked.context and not asked.user]
    with open_world(tmp_path) if pack == "town" else open_rig(tmp_path, worlds=(pack,)) as rig:
        for asked in own:
            answered = over_http(rig.service, asked, asked.steps)
            explained = json.loads(rig.service.explanation(answered["QueryID"], LOCAL))["steps"]
            shown = [(i, repair) for i, step in enumerate(explained) for repair in step["repairs"]]
            for i, repair in shown:
                if any(edit["kind"] == "world" for edit in repair["edits"]):
                    continue
                put = [edit["statement"] for edit in repair["edits"] if edit["kind"].startswith("insert")]
                number = asked.steps[i][0]
                again = [*asked.steps[:i], *((number + n, t) for n, t in enumerate([*put, repair["statement"]]))]
                found = over_http(rig.service, asked, again)["Feasibility"]["Steps"]
                assert {step["PAStatus"] for step in found[i:]} == {"Ack"}, (asked.id, i, repair)
                worked.update(edit["kind"] for edit in repair["edits"])
    assert set(worked) <= {"replace", "insert", "insert_by_other"}
    assert sum(worked.values()) >= {"town": 10, "friends_meet": 25}.get(pack, 0)


def test_what_the_owner_can_grant_is_found_in_the_world_as_it_is(tmp_path: Path) -> None:
    """Rights that nobody holds yet are read only to repair: all that they name is fetched for it, at once."""
    with open_rig(tmp_path, worlds=("friends_meet",)) as rig:
        message = request()
        message["ProcessActions"] = [
            {"Step": 0, "Statement": "Friend2 MM-Moves Persona2ID From MLocFriend2 To RoomID"}
        ]
        answered = json.loads(rig.service.answer(json.dumps(message).encode(), LOCAL))
        (step,) = json.loads(rig.service.explanation(answered["QueryID"], LOCAL))["steps"]
    assert step["pa_status"] == "InsRights"
    shown = [(edit["needs"], edit["statement"]) for repair in step["repairs"] for edit in repair["edits"]]
    assert ("Seller", "Seller Rights Changes Friend2 With RoomAccess_Rights") in shown
    assert step["repairs_complete"]
