"""Whatever is asked of a Kind of knowledge, it answers: a conforming Response, the same for the same question."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.exchange import faults_of
from app.model import LOCAL
from app.service import Service
from app.settings import Settings
from tests.rig import request
from tests.test_kinds import packs_with_the_cottage

KINDS = ("semantic_grounding", "affordances", "constraints", "behavioural_expectations", "clarification")
KNOWN = [
    *(
        "Lamp1",
        "Door1",
        "Kitchen1",
        "House1",
        "Garden1",
        "Anna",
        "Wedding1",
        "CarryVase",
        "QuietHours",
        "SBen",
        "EUR",
    ),
    *("https://cottage.example/Lamp1", "https://cottage.example/", "https://w3id.org/domain-access/cottage#Lamp"),
    *(
        "https://w3id.org/domain-access/cottage#Open",
        "https://w3id.org/domain-access/dac#affords",
        "urn:x",
        "://",
        "#",
    ),
]
WORDS = [
    "bank",
    "lamp",
    "the other one",
    "which",
    "step 3",
    "@1",
    "why",
    "stream",
    "",
    " ",
    "\\",
    "`",
    '"',
    "%",
    "\x00",
]
NAMES = st.one_of(st.sampled_from(KNOWN), st.sampled_from(WORDS), st.text(max_size=12))
TEXTS = st.lists(NAMES, max_size=5).map(" ".join)
IRIS = st.sampled_from([each for each in KNOWN if each.startswith("https:")])
TERMS = st.lists(st.fixed_dictionaries({"Text": NAMES}, optional={"Class": IRIS}), max_size=3)
ASKED = st.fixed_dictionaries(
    {},
    optional={
        "Question": TEXTS,
        "Terms": TERMS,
        "EntityIDs": st.lists(NAMES, max_size=3),
        "Space": st.fixed_dictionaries({"SpaceID": NAMES}),
    },
)
SESSIONS = st.sampled_from(("SAnna", "SBen", "SCleo", "nobody"))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("laws")
    packs = packs_with_the_cottage(folder / "ontologies")
    with Service.open(Settings(data=folder, ontologies=packs, worlds=("cottage",))) as opened:
        yield opened


def answer(service: Service, kind: str, asked: dict[str, Any], session: str, dialog: str, turn: int = 0) -> Any:
    made = request()
    whole: dict[str, Any] = {
        name: made[name] for name in ("Header", "Mode", "QueryTime", "DataXMData") if name in made
    }
    whole |= {"MInstance": "Cottage", "UEnvironment": "UE1", "SessionID": session, "QueryID": str(uuid4())}
    whole |= {"DialogID": dialog, "TurnIndex": turn, "Kind": kind, **asked}
    return json.loads(service.answer(json.dumps(whole).encode(), LOCAL))


@settings(deadline=None)
@given(st.sampled_from(KINDS), ASKED, SESSIONS)
def test_every_question_is_answered(service: Service, kind: str, asked: dict[str, Any], session: str) -> None:
    """It conforms, says something, and is the same when asked again in another dialogue."""
    first = answer(service, kind, asked, session, str(uuid4()))
    assert faults_of(first).faults == ()
    assert first["Outcome"] in {"answered", "partially_answered", "not_answered"}
    assert first["Answer"]["Text"]
    assert "Failure" not in first
    assert answer(service, kind, asked, session, str(uuid4()))["Answer"] == first["Answer"]


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(KINDS), ASKED), min_size=2, max_size=4), SESSIONS)
def test_every_turn_of_a_dialogue_is_answered(
    service: Service, turns: list[tuple[str, dict[str, Any]]], session: str
) -> None:
    """What was said before never makes an answer fail."""
    dialog = str(uuid4())
    for turn, (kind, asked) in enumerate(turns):
        said = answer(service, kind, asked, session, dialog, turn)
        assert faults_of(said).faults == ()
        assert "Failure" not in said
