"""Commitments in a dialogue, through the whole service and in each database (SEMANTICS 9)."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from app.exchange import faults_of
from app.service import Service
from app.settings import Settings
from tests.databases import Database
from tests.rig import Rig, client_of, log_to, request

MOVE = "Friend2 MM-Moves Persona2ID From MLocFriend2 To MVS"
NO_MOVE = "Friend2 May Not MM-Move Persona2ID"


@pytest.fixture
def rig(tmp_path: Path, database: Database) -> Iterator[Rig]:
    settings = Settings(data=tmp_path, database=database.url)
    with Service.open(settings) as service, log_to(StringIO(), settings):
        yield Rig(settings, service, client_of(service, settings))


class Talk:
    """A dialogue, turn after turn; every Response is checked against the standard."""

    def __init__(self, rig: Rig, **members: Any) -> None:
        self.rig = rig
        self.base = request(MOVE, **members)
        self.turn = 0

    def say(self, *statements: str, retain: dict[str, str] | None = None, release: list[str] | None = None) -> Any:
        asked = {**self.base, "TurnIndex": self.turn, "QueryID": str(uuid4())}
        self.turn += 1
        if statements:
            asked["ProcessActions"] = [{"Step": n, "Statement": said} for n, said in enumerate(statements)]
        else:
            asked["Kind"] = "commitment"
            del asked["ProcessActions"]
        if retain is not None:
            asked["Commitments"] = [{"CommitmentID": name, "Statement": said} for name, said in retain.items()]
        if release is not None:
            asked["ReleasedCommitmentIDs"] = release
        response = self.rig.ask(asked)
        assert response.status_code == 200, response.text
        answered = response.json()
        assert faults_of(answered).faults == ()
        assert self.rig.ask(asked).content == response.content
        return answered

    def why(self, answered: Any) -> Any:
        return self.rig.client.get(f"/v1/answers/{answered['QueryID']}/explanation").json()

    def ground(self, *words: str) -> dict[str, str]:
        """What words mean in this dialogue: the class of each."""
        asked = {**self.base, "TurnIndex": self.turn, "QueryID": str(uuid4()), "Kind": "semantic_grounding"}
        self.turn += 1
        del asked["ProcessActions"]
        answered = self.rig.ask({**asked, "Terms": [{"Text": word} for word in words]}).json()
        return {each["Subject"]: each["Object"] for each in answered["Answer"].get("Relations", ())}


def statuses(answered: Any) -> dict[str, str]:
    return {each["CommitmentID"]: each["Status"] for each in answered.get("CommitmentStatus", ())}


def verdicts(answered: Any) -> list[str]:
    return [step["PAStatus"] for step in answered["Feasibility"]["Steps"]]


def test_what_is_retained_is_told_and_holds_until_it_is_released(rig: Rig) -> None:
    talk = Talk(rig)
    before = talk.say(MOVE)
    assert (verdicts(before), "CommitmentStatus" in before) == (["Ack"], False)
    kept = talk.say(retain={"c1": NO_MOVE, "c2": "Persona2ID is in the MLocFriend2", "c3": "let us be kind"})
    assert (kept["Outcome"], statuses(kept)) == ("answered", dict.fromkeys(("c1", "c2", "c3"), "retained"))
    for form in (
        "`c1` is retained as a Process Action statement",
        "`c2` is retained as controlled",
        "`c3` is retained as text",
    ):
        assert form in kept["Answer"]["Text"]
    refused = talk.say(MOVE)
    assert (verdicts(refused), statuses(refused)) == (["Clash"], dict.fromkeys(("c1", "c2", "c3"), "retained"))
    for name in ("`c1`", "`c2`"):
        assert name in refused["Feasibility"]["Steps"][0]["Reason"]
    released = talk.say(MOVE, release=["c1"])
    assert statuses(released) == {"c1": "released", "c2": "retained", "c3": "retained"}
    assert verdicts(released) == ["Clash"]
    after = talk.say(MOVE, release=["c2", "c3"])
    assert (verdicts(after), statuses(after)) == (["Ack"], {"c2": "released", "c3": "released"})
    assert talk.say(MOVE)["CommitmentStatus"] == [], "it had commitments once"


def test_a_request_is_answered_under_what_it_retains_and_releases(rig: Rig) -> None:
    talk = Talk(rig)
    assert verdicts(talk.say(MOVE, retain={"c": NO_MOVE})) == ["Clash"]
    other = talk.say(MOVE, retain={"c": "Friend2 May Not MM-Send Persona2ID"}, release=["c"])
    assert (verdicts(other), statuses(other)) == (["Ack"], {"c": "retained"})
    again = talk.say(MOVE, retain={"c": NO_MOVE})
    assert (verdicts(again), statuses(again)) == (["Ack"], {"c": "conflicting"})
    assert "the old" in again["Answer"]["Text"] or "stays" in again["Answer"]["Text"]
    assert statuses(talk.say(MOVE)) == {"c": "retained"}


def test_an_id_that_was_never_retained_cannot_be_released(rig: Rig) -> None:
    answered = Talk(rig).say(MOVE, retain={"c": "Persona2ID is in MLocFriend2"}, release=["d"])
    assert (answered["Outcome"], statuses(answered)) == ("partially_answered", {"c": "retained"})
    assert "`d`" in answered["Answer"]["Text"]


def test_a_conflict_is_told_with_what_it_meets_and_why(rig: Rig) -> None:
    talk = Talk(rig)
    answered = talk.say(retain={"a": "Persona2ID is in MVS", "b": "Persona2ID is in MLocFriend2"})
    assert (answered["Outcome"], statuses(answered)) == ("answered", {"a": "retained", "b": "conflicting"})
    assert "`b` conflicts with `a`" in answered["Answer"]["Text"]
    assert {
        "Subject": "b",
        "Predicate": "https://w3id.org/domain-access/dac#conflictsWith",
        "Object": "a",
    } in answered["Answer"]["Relations"]
    told = {each["CommitmentID"]: each for each in talk.why(answered)["commitments"]}
    assert told["a"]["form"] == "english"
    conflict = told["b"]["conflict"]
    assert conflict["commitments"] == ["a"]
    assert "https://w3id.org/domain-access/mmm#at" in conflict["axioms"]
    said = {step["fact"]: step for step in conflict["chain"]}
    at = "<https://mi1.example/Persona2ID> mmm:at <https://mi1.example/{}>"
    assert (said[at.format("MVS")]["source"], said[at.format("MLocFriend2")]["source"]) == ("a", "b")
    assert said["mmm:at rdf:type owl:FunctionalProperty"]["source"].startswith("core@")
    assert [step for step in conflict["chain"] if step.get("by") == "prp-fp"]
    assert statuses(talk.say(MOVE)) == {"a": "retained"}, "a conflicting one is never retained later by itself"


def test_a_dialogue_knows_nothing_of_another(rig: Rig) -> None:
    one = Talk(rig)
    others = [Talk(rig, SessionID=one.base["SessionID"]), Talk(rig, DialogID=one.base["DialogID"])]
    assert verdicts(one.say(MOVE, retain={"c": NO_MOVE})) == ["Clash"]
    for other in others:
        answered = other.say(MOVE, release=["c"])
        assert (verdicts(answered), statuses(answered)) == (["Ack"], {})
    assert verdicts(one.say(MOVE)) == ["Clash"]


@pytest.mark.parametrize("written", ["my place", '"my place"', "My-Place", "the old garden"])
def test_a_phrase_names_what_was_agreed_on(rig: Rig, written: str) -> None:
    talk = Talk(rig)
    step = f"Friend2 MM-Moves Persona2ID From MLocFriend2 To {written}"
    assert verdicts(talk.say(step))[0] in {"IncID", "FaultyReq"}
    named = talk.say(step, retain={"p": '"my place" is MVS', "q": '"the old garden" means MVS'})
    assert verdicts(named) == ["Ack"]
    assert verdicts(talk.say("Friend2 MM-Moves Persona2ID From MLocFriend2 To MVS")) == ["Ack"]
    assert verdicts(talk.say(step, release=["p", "q"]))[0] in {"IncID", "FaultyReq"}


def test_a_phrase_for_a_class_stands_for_the_one_thing_it_can_be(rig: Rig) -> None:
    talk = Talk(rig)
    step = "Friend2 MM-Moves puppet From MLocFriend2 To MVS"
    assert verdicts(talk.say(step)) == ["IncID"]
    assert verdicts(talk.say(step, retain={"p": '"puppet" means Persona'})) == ["Ack"]


def test_commitments_are_told_with_the_dialogue(rig: Rig) -> None:
    talk = Talk(rig)
    talk.say(retain={"c": NO_MOVE})
    names = (talk.base[name] for name in ("MInstance", "UEnvironment", "SessionID", "DialogID"))
    told = rig.client.get("/v1/dialogues/" + "/".join(names)).json()
    assert told["commitments"] == [{"CommitmentID": "c", "Statement": NO_MOVE, "form": "statement"}]


def test_nothing_to_keep_or_release_is_said(rig: Rig) -> None:
    answered = Talk(rig).say()
    assert answered["Outcome"] == "not_answered"
    assert "Commitments" in answered["Answer"]["Text"]


def test_a_dialogue_keeps_so_many_and_says_where_it_stops(rig: Rig) -> None:
    talk = Talk(rig)
    assert len(statuses(talk.say(retain={f"c{n}": f"note {n}" for n in range(1_000)}))) == 1_000
    more = talk.say(retain={"one more": "note"})
    assert (more["Outcome"], "one more" in statuses(more)) == ("partially_answered", False)
    assert "`one more` is not kept" in more["Answer"]["Text"]


def update(rig: Rig, *changes: str) -> str:
    """Change the World as an operator does; its version afterwards."""
    body = "PREFIX mmm: <https://w3id.org/domain-access/mmm#>\n" + " ;\n".join(changes)
    response = rig.client.post(
        "/v1/worlds/MI1/update", content=body.encode(), headers={"Content-Type": "application/sparql-update"}
    )
    assert response.status_code in (200, 204), response.text
    version = rig.client.get("/ready").json()["m_instances"]["MI1"]["world_version"]
    assert isinstance(version, str)
    return version


def test_when_the_world_comes_to_contradict_it_says_so_and_holds(rig: Rig) -> None:
    talk = Talk(rig)
    first = talk.say(retain={"c": "PRSrvc is not a Device", "d": "no one enters ParcelID"})
    assert statuses(first) == {"c": "retained", "d": "retained"}
    service, device = (f"{{ <https://mi1.example/PRSrvc> a mmm:{kind} }}" for kind in ("Service", "Device"))
    presence = "{ <https://mi1.example/PRSrvc> a <https://w3id.org/domain-access/friends_meet#PresenceService> }"
    version = update(rig, f"DELETE DATA {service}", f"DELETE DATA {presence}", f"INSERT DATA {device}")
    texts = []
    for _ in range(2):
        answered = talk.say(MOVE)
        assert statuses(answered) == {"c": "conflicting", "d": "retained"}
        assert f"since core@0.1.0+friends_meet@0.1.0, World {version}" in answered["Answer"]["Text"]
        assert talk.why(answered)["commitments"][0]["conflict"]["since"].endswith(version)
        texts.append(answered["Answer"]["Text"])
        update(rig, "INSERT DATA { <https://mi1.example/MVS> mmm:capacity 40 }")
    assert texts[0] == texts[1], "the version is the first at which it was seen"
    update(rig, f"DELETE DATA {device}", f"INSERT DATA {service}", f"INSERT DATA {presence}")
    assert statuses(talk.say(MOVE)) == {"c": "retained", "d": "retained"}
    assert "since" not in talk.say(MOVE)["Answer"]["Text"]


def test_a_phrase_grounds_to_what_was_agreed(rig: Rig) -> None:
    """In the dialogue that agreed on it, until it is released; elsewhere the word is as it was."""
    talk, other = Talk(rig), Talk(rig)
    before = talk.ground("the double")
    talk.say(retain={"c": '"double" means Persona'})
    assert talk.ground("the double") == {"the double": "https://w3id.org/domain-access/mmm#Persona"} != before
    assert other.ground("the double") == before
    talk.say(release=["c"])
    assert talk.ground("the double") == before
