"""Laws of commitments: they restrict, are forgotten when released; their order and other dialogues do not count."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from io import StringIO
from itertools import permutations
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from app.authoring.plans import agree_in, judge_texts
from app.knowledge import read_turtle
from app.model import PAStatus, Verdict
from app.rules import Domain, load
from app.service import Service
from app.settings import Settings
from app.world import World
from tests.packs import EDITION
from tests.rig import Rig, client_of, log_to, request

ROOT = Path(__file__).parents[2]

users = st.sampled_from(["Alice", "Bob", "Dora"])
items = st.sampled_from(["Ball", "Hat", "Vase", "Lamp", "Note", "Clip"])
PLACES = ("Hall", "Study", "Nook", "Garden", "Shed")
places = st.sampled_from(PLACES)
who = users | st.sampled_from(["no one", "everyone", "no User", "every User"])
modals = st.sampled_from(["may", "may not", "must", "must not", "never"])
deontic = st.sampled_from(["May", "May Not", "Must"])

moves = st.one_of(
    st.builds("{} MM-Moves {} From {} To {}".format, users, items, places, places),
    st.builds("{} MM-Adds {} At {}".format, users, items, places),
)
statements = st.one_of(
    moves,
    st.builds("{} MM-Sends {} To {}".format, users, st.sampled_from(["Note", "Letter"]), users),
    st.builds("{} Property Changes {}".format, users, items),
    st.builds("{} Transacts With {}".format, users, st.sampled_from(["Sale", "StudySale", "LampSale"])),
)
norms = st.one_of(
    st.builds("{} {} MM-Move {}".format, users, deontic, items),
    st.builds("{} {} MM-Move {} To {}".format, users, deontic, items, places),
    st.builds("{} {} MM-Add {} At {} If Alice MM-Moves Ball To Garden".format, users, deontic, items, places),
    st.builds("no one enters {}".format, places),
    st.builds("{} {} enter {}".format, users, modals, places),
    st.builds("no {} MM-Moves {}".format, st.sampled_from(["User", "Device"]), items),
)
claims = st.one_of(
    st.builds("{} is in the {}".format, items, places),
    st.builds("{} is not in {}".format, items, places),
    st.builds("the owner of {} is {}".format, items, users),
    st.builds("{} has no owner".format, items),
    st.builds("{} is a {}".format, users | items, st.sampled_from(["User", "Device", "Message", "Data", "Process"])),
    st.builds("{} is not a {}".format, users | items, st.sampled_from(["User", "Item", "Message"])),
    st.builds("<{}> mmm:within <{}>".format, places, places),
    st.builds("no {} is a {}".format, st.sampled_from(["Message", "Stream"]), st.sampled_from(["Item", "Data"])),
)
restricting = st.one_of(norms, claims, st.text(st.characters(codec="utf-8"), min_size=1, max_size=30))
sets = st.lists(restricting, max_size=4, unique=True)
few = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@cache
def small() -> tuple[Domain, World]:
    domain = load(EDITION, [])
    return domain, World.of(read_turtle(ROOT / "rules" / "cases.ttl"), domain)


def judged(plan: Sequence[str], commitments: Sequence[str] = ()) -> tuple[Verdict, ...]:
    domain, world = small()
    return judge_texts(enumerate(plan), world, domain, commitments=commitments).verdicts


def kept(commitments: Sequence[str]) -> list[bool]:
    domain, world = small()
    return [state == "retained" for _, state in agree_in(world, domain, None, commitments).statuses]


def told(verdicts: Sequence[Verdict]) -> list[tuple[PAStatus | None, frozenset[str]]]:
    return [(v.status, frozenset(f.rule for f in v.findings)) for v in verdicts]


@few
@given(statements, sets, restricting)
def test_a_commitment_more_never_turns_a_refusal_into_ack(said: str, before: list[str], more: str) -> None:
    [one], [other] = judged([said], before), judged([said], [*before, more])
    if one.status is not PAStatus.ACK:
        assert other.status is not PAStatus.ACK
    elif other.status is not PAStatus.ACK:
        assert other.status is PAStatus.CLASH
        assert {f.rule for f in other.findings} <= {"commitment_forbids", "commitment_excludes"}


@few
@given(st.lists(statements, min_size=1, max_size=3), sets)
def test_the_order_of_commitments_that_stand_together_does_not_matter(
    plan: list[str], commitments: list[str]
) -> None:
    assume(all(kept(commitments)))
    expected = told(judged(plan, commitments))
    for order in list(permutations(commitments))[:6]:
        assert all(kept(order))
        assert told(judged(plan, order)) == expected


@few
@given(st.lists(restricting, min_size=1, max_size=6))
def test_what_is_kept_stands_alone_and_what_is_not_conflicts_with_it(commitments: list[str]) -> None:
    """The first wins: who is refused among some is refused after those kept before it, whoever else was refused."""
    states = kept(list(dict.fromkeys(commitments)))
    unique = list(dict.fromkeys(commitments))
    stand: list[str] = []
    for said, stands in zip(unique, states, strict=True):
        assert kept([*stand, said]) == [*[True] * len(stand), stands]
        if stands:
            stand.append(said)


@few
@given(st.data(), moves, sets, st.sampled_from(["the place", "yonder", "my own room"]))
def test_a_phrase_is_as_good_as_the_name(data: st.DataObject, said: str, commitments: list[str], phrase: str) -> None:
    name = data.draw(st.sampled_from([word for word in said.split() if word in PLACES]))
    naming = f'"{phrase}" is {name}'
    expected = told(judged([said], [naming, *commitments]))
    renamed = " ".join(phrase if word == name else word for word in said.split())
    assert told(judged([renamed], [naming, *commitments])) == expected


# Through the service: what one dialogue agreed on is not there for another, and not there once it is released


@pytest.fixture(scope="module")
def rig() -> Iterator[Rig]:
    with tempfile.TemporaryDirectory() as folder:
        given = Settings(data=Path(folder))
        with Service.open(given) as service, log_to(StringIO(), given):
            yield Rig(given, service, client_of(service, given))


MI1 = st.sampled_from(
    [
        "Friend2 May Not MM-Move Persona2ID",
        "no one enters MVS",
        "Persona2ID is in MLocFriend2",
        "Persona2ID is in MVS",
        '"home" is MLocFriend2',
        "no User MM-Moves Persona",
        "Friend2 is a Device",
        "kind words",
    ]
)
PLAN = ("Friend2 MM-Moves Persona2ID From MLocFriend2 To MVS", "Friend2 MM-Moves Persona2ID From MVS To MLocFriend2")


def ask(rig: Rig, base: dict[str, Any], turn: int, retain: Sequence[str] = (), release: Sequence[str] = ()) -> Any:
    asked = {**base, "TurnIndex": turn, "QueryID": str(uuid4())}
    if retain:
        asked["Commitments"] = [{"CommitmentID": said, "Statement": said} for said in retain]
    if release:
        asked["ReleasedCommitmentIDs"] = list(release)
    response = rig.ask(asked)
    assert response.status_code == 200, response.text
    return response.json()["Feasibility"], response.json().get("CommitmentStatus", [])


service = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@service
@given(st.lists(MI1, max_size=3, unique=True), st.lists(MI1, min_size=1, max_size=3, unique=True))
def test_dialogues_are_isolated(rig: Rig, mine: list[str], yours: list[str]) -> None:
    alone, beside = request(*PLAN), request(*PLAN)
    other = {**request(*PLAN), "SessionID": beside["SessionID"]}
    expected = [ask(rig, alone, 0, mine), ask(rig, alone, 1)]
    found = []
    ask(rig, other, 0, yours)
    found.append(ask(rig, beside, 0, mine))
    ask(rig, other, 1, release=yours)
    found.append(ask(rig, beside, 1))
    assert found == expected


@service
@given(st.lists(MI1, max_size=2, unique=True), st.lists(MI1, min_size=1, max_size=3, unique=True))
def test_to_retain_and_then_release_is_neutral(rig: Rig, before: list[str], passing: list[str]) -> None:
    passing = [said for said in passing if said not in before]
    assume(passing)
    plain, changed = request(*PLAN), request(*PLAN)
    ask(rig, plain, 0, before)
    ask(rig, changed, 0, before)
    expected = ask(rig, plain, 1)
    ask(rig, changed, 1, passing)
    ask(rig, changed, 2, release=passing)
    assert ask(rig, changed, 3) == expected
