"""Affordances agree with feasibility, keep within the bound of a Space, and have the form of BKN-PRC."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.edition import Edition
from app.exchange import faults_of
from app.exchange.bkn_dac import Affordance
from app.exchange.bkn_prc import ActionContext
from app.kinds.affordances import SPACE_LIMIT, for_action_context
from app.kinds.phrases import PHRASES
from app.knowledge import load
from app.model import LOCAL
from app.service import Service
from app.settings import Settings
from tests.rig import request
from tests.test_kinds import COTTAGE, ROOT, packs_with_the_cottage

PLACES = [
    ("Cottage", "UE1", "SAnna", "House1"),
    ("Cottage", "UE1", "SAnna", "Garden1"),
    ("Cottage", "UE1", "SBen", "House1"),
    ("Cottage", "UE1", "SBen", "Garden1"),
    ("Home7", "UE7", "S-Ada", "Kitchen"),
    ("Home7", "UE7", "S-Bruno", "BrunoRoom"),
    ("Home7", "UE7", "S-Carla", "LivingRoom"),
]


@pytest.fixture(scope="module")
def packs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packs_with_the_cottage(tmp_path_factory.mktemp("packs") / "ontologies")


@pytest.fixture(scope="module")
def service(packs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("data")
    with Service.open(Settings(data=folder, ontologies=packs, worlds=("cottage", "household"))) as opened:
        yield opened


def ask(service: Service, **members: Any) -> Any:
    message = {**request(), **members}
    kept = {name: value for name, value in message.items() if name in members or name not in ABOUT}
    return json.loads(service.answer(json.dumps(kept).encode(), LOCAL))


ABOUT = {"Question", "Terms", "EntityIDs", "Space", "ProcessActions"}


@pytest.mark.parametrize("m_instance, u_environment, session, place", PLACES, ids=lambda each: str(each))
def test_what_is_afforded_would_be_accepted(
    service: Service, m_instance: str, u_environment: str, session: str, place: str
) -> None:
    """The statement of every use parses and, judged alone, is neither refused for Rights nor for the state of things:
    what it may still lack is a thing that the User has to choose.
    """
    where = {"MInstance": m_instance, "UEnvironment": u_environment, "SessionID": session}
    answer = ask(service, Kind="affordances", Space={"SpaceID": place}, **where)["Answer"]
    statements = [each["Object"] for each in answer.get("Relations", ())]
    statuses = set()
    for statement in statements:
        plan = [{"Step": 0, "Statement": statement}]
        (step,) = ask(service, Kind="feasibility", ProcessActions=plan, **where)["Feasibility"]["Steps"]
        statuses.add(step["PAStatus"])
        lacks_a_choice = step["PAStatus"] == "IncID" and "[ambiguous_class]" in step["Reason"]
        is_there = step["PAStatus"] == "Clash" and "[already_there]" in step["Reason"]
        assert step["PAStatus"] == "Ack" or lacks_a_choice or is_there, (statement, step)
    assert "Ack" in statuses or len(statements) < 2


def test_what_a_session_keeps_to_narrows_what_it_is_afforded(service: Service) -> None:
    """An ActionContext whose Repertoire is MM-Move leaves out what takes another Action, and says so."""
    where = {"MInstance": "Cottage", "UEnvironment": "UE1", "SessionID": "narrow"}
    members = {name: where[name] for name in ("MInstance", "UEnvironment")}
    service.set_session("narrow", json.dumps({**members, "User": "Anna"}).encode(), LOCAL)
    before = ask(service, Kind="affordances", EntityIDs=["Vase1", "Lamp1"], **where)["Answer"]
    context = {**where, "ActionContext": {"Repertoire": ["MM-Move"]}}
    service.set_action_context("narrow", json.dumps(context).encode(), LOCAL)
    after = ask(service, Kind="affordances", EntityIDs=["Vase1", "Lamp1"], **where)["Answer"]
    assert {each["Action"] for each in before["Affordances"]} == {"MM-Move", "look at", "switch on"}
    assert {each["Action"] for each in after["Affordances"]} == {"MM-Move"}
    assert any("switch on `Lamp1`" in each and "Repertoire" in each for each in after["Constraints"])


def test_every_left_out_use_would_be_refused(service: Service) -> None:
    """What Rights leave out, feasibility refuses with the same rule."""
    where = {"MInstance": "Cottage", "UEnvironment": "UE1", "SessionID": "SBen"}
    answered = ask(service, Kind="affordances", Space={"SpaceID": "House1"}, **where)
    explanation = json.loads(service.explanation(answered["QueryID"], LOCAL))
    refused = [each for each in explanation["left_out"] if each["because"] == "InsRights"]
    assert len(refused) >= 10
    for each in refused:
        plan = [{"Step": 0, "Statement": each["statement"]}]
        (step,) = ask(service, Kind="feasibility", ProcessActions=plan, **where)["Feasibility"]["Steps"]
        assert step["PAStatus"] in {"InsRights", "FaultyReq", "IncID"}  # what stands higher decides
        assert f"[{each['rule']}]" in step["Reason"]


def test_the_axiom_of_every_affordance_is_stated(service: Service, packs: Path) -> None:
    """The explanation names the axiom by which each class affords the use, and how the thing's class is below it."""
    where = {"MInstance": "Cottage", "UEnvironment": "UE1", "SessionID": "SAnna"}
    answered = ask(service, Kind="affordances", EntityIDs=["Door1"], **where)
    explanation = json.loads(service.explanation(answered["QueryID"], LOCAL))
    knowledge = load(Edition(packs, ROOT / "rules"), ["cottage"])
    assert len(explanation["affordances"]) == len(answered["Answer"]["Affordances"]) == 2
    for each, told in zip(explanation["affordances"], answered["Answer"]["Affordances"], strict=True):
        assert tuple(each["axiom"]) in knowledge.origin
        assert each["axiom"][0] == told["Class"]
        assert all(tuple(link) in knowledge.origin for link in each["inherited_by"])
        assert any(link[0].endswith("#FrontDoor") for link in each["inherited_by"])


def test_of_a_large_space_the_first_are_told(tmp_path: Path) -> None:
    """250 cups in a kitchen: the first 200 things by identifier, and how many were left out."""
    packs = packs_with_the_cottage(tmp_path / "ontologies")
    (packs / "cottage").unlink()
    shutil.copytree(COTTAGE, packs / "cottage")
    world = packs / "cottage" / "worlds" / "Cottage.ttl"
    cups = "".join(
        f'<C{n:03}> a c:Cup ; mmm:identifier "C{n:03}" ; mmm:owner <Anna> ; mmm:at <Chapel1> .\n' for n in range(250)
    )
    world.write_text(world.read_text(encoding="utf-8") + cups, encoding="utf-8")
    with Service.open(Settings(data=tmp_path, ontologies=packs, worlds=("cottage",))) as service:
        where = {"MInstance": "Cottage", "UEnvironment": "UE1", "SessionID": "SAnna"}
        answered = ask(service, Kind="affordances", Space={"SpaceID": "Chapel1"}, **where)
    told = {each["EntityID"] for each in answered["Answer"]["Affordances"]} - {"Chapel1"}
    assert answered["Outcome"] == "partially_answered"
    assert told == {f"C{n:03}" for n in range(SPACE_LIMIT)}
    assert "50 of 250 things at `Chapel1` are left out" in answered["Answer"]["Text"]
    assert len(answered["Answer"]["Text"]) < 2_500


def test_they_have_the_form_that_an_action_context_wants(service: Service) -> None:
    """BKN-PRC takes a text each: the Action and what it is done with; the explanation has them so."""
    where = {"MInstance": "Cottage", "UEnvironment": "UE1", "SessionID": "SAnna"}
    answered = ask(service, Kind="affordances", Space={"SpaceID": "Kitchen1"}, **where)
    explanation = json.loads(service.explanation(answered["QueryID"], LOCAL))
    context = ActionContext.model_validate(explanation["ActionContext"])
    own = tuple(Affordance.model_validate(each) for each in answered["Answer"]["Affordances"])
    assert context.Affordances == for_action_context(own)
    assert "shut Fridge1" in (context.Affordances or ())
    assert "MM-Move Kitchen1" in (context.Affordances or ())


@pytest.mark.parametrize("m_instance, u_environment, session, place", PLACES, ids=lambda each: str(each))
def test_every_answer_conforms_with_the_exchange(
    service: Service, m_instance: str, u_environment: str, session: str, place: str
) -> None:
    where = {"MInstance": m_instance, "UEnvironment": u_environment, "SessionID": session}
    for kind in ("affordances", "constraints", "behavioural_expectations", "semantic_grounding", "clarification"):
        answered = ask(service, Kind=kind, Space={"SpaceID": place}, Question="What is a door?", **where)
        assert faults_of(answered).faults == ()


def test_a_use_that_no_statement_carries_out_does_not_pass(tmp_path: Path) -> None:
    """A template that is no statement: the use is left out, the answer partial, with a Failure."""
    packs = packs_with_the_cottage(tmp_path / "ontologies")
    (packs / "cottage").unlink()
    shutil.copytree(COTTAGE, packs / "cottage")
    ontology = packs / "cottage" / "ontology.ttl"
    text = ontology.read_text(encoding="utf-8")
    ontology.write_text(text.replace("MU-Actuates {item} At U-Location", "Stares At {item}"), encoding="utf-8")
    with Service.open(Settings(data=tmp_path, ontologies=packs, worlds=("cottage",))) as service:
        where = {"MInstance": "Cottage", "UEnvironment": "UE1", "SessionID": "SAnna"}
        answered = ask(service, Kind="affordances", EntityIDs=["Lamp1"], **where)
    assert [each["Action"] for each in answered["Answer"]["Affordances"]] == ["switch on"]
    assert answered["Outcome"] == "partially_answered"
    assert answered["Failure"]["Nature"] == "permanent"
    assert "LookAt" in answered["Answer"]["Text"]


def test_the_packs_are_all_there() -> None:
    assert {path.name for path in (ROOT / "ontologies").iterdir()} >= {"core", "household", "virtual_lecture"}


def test_answers_are_in_the_language_of_the_settings(packs: Path, tmp_path: Path) -> None:
    """Labels and sentences in Italian where the setting says so; a Question in English is answered in English."""
    settings = Settings(data=tmp_path, ontologies=packs, worlds=("cottage",), language="it")
    where = {"MInstance": "Cottage", "UEnvironment": "UE1", "SessionID": "SAnna", "EntityIDs": ["Lamp1"]}
    with Service.open(settings) as service:
        own = ask(service, Kind="affordances", **where)["Answer"]
        asked = ask(service, Kind="affordances", Question="What can I do with it?", **where)["Answer"]
    assert [each["Action"] for each in own["Affordances"]] == ["guardare", "accendere"]
    assert own["Text"].startswith("Lamp1 (Lampada): guardare e accendere.")
    assert [each["Action"] for each in asked["Affordances"]] == ["look at", "switch on"]


def test_every_sentence_is_said_in_every_language() -> None:
    """Each language has the same sentences with the same places to fill."""
    names = {language: set(phrases) for language, phrases in PHRASES.items()}
    assert names["it"] == names["en"]
    for name, sentence in PHRASES["en"].items():
        places = set(re.findall(r"\{(\w+)\}", sentence))
        assert set(re.findall(r"\{(\w+)\}", PHRASES["it"][name])) == places, name
