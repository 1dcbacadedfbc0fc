"""The four exchanges together: examples, the prose of BKN-PRC, BKN-PAL and BKN-USR, pairs, dialogues, older forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.errors import Code
from app.exchange import EXCHANGES, Conformance, check, check_text, exchange_of
from app.exchange.correlation import partners, turn_remarks
from tests.exchange_documents import ALL_EXAMPLES, changed, example, placed, request, response

VALID = sorted(ALL_EXAMPLES.glob("*/valid/*.json"))
INVALID = sorted(ALL_EXAMPLES.glob("*/invalid/*.json"))
SIBLINGS = ("bkn-prc", "bkn-pal", "bkn-usr")


def name_of(path: Path) -> str:
    return f"{path.parts[-3]}-{path.stem}"


# Examples


def test_there_are_eight_valid_and_twenty_invalid_examples_of_each_exchange() -> None:
    for name in EXCHANGES:
        assert len([path for path in VALID if path.parts[-3] == name]) == 8
        assert len([path for path in INVALID if path.parts[-3] == name]) == 20
    assert {path.parts[-3] for path in [*VALID, *INVALID]} == set(EXCHANGES)


@pytest.mark.parametrize("path", VALID, ids=name_of)
def test_a_valid_example_conforms_without_a_warning(path: Path) -> None:
    document = json.loads(path.read_bytes())
    assert check(document) == Conformance((), ())
    exchange = EXCHANGES[path.parts[-3]]
    assert exchange_of(document) is exchange
    read = exchange.model.model_validate(document)
    assert json.loads(read.model_dump_json(exclude_unset=True)) == document


@pytest.mark.parametrize("path", INVALID, ids=name_of)
def test_an_invalid_example_has_the_one_fault_of_its_name(path: Path) -> None:
    (fault,) = check(json.loads(path.read_bytes())).faults
    assert fault.code.code == path.stem.partition(".")[0]
    assert fault.where.startswith("/")
    assert fault.clause
    assert fault.hint


def test_every_code_of_a_message_has_an_example() -> None:
    shown = {path.stem.partition(".")[0] for path in INVALID}
    of_worlds = {Code.WRONG_GRAPH, Code.WORLD_REFUSED, Code.QUERY_LIMIT}
    of_releases = {Code.UNKNOWN_RELEASE, Code.RELEASE_DAMAGED, Code.RELEASE_REFUSED, Code.REQUIREMENT_NOT_MET}
    assert shown == {code.code for code in Code if code.http_status == 422} - {
        c.code for c in of_worlds | of_releases
    }


# The prose


OWN: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "bkn-prc": ({"Kind": "intent", "Question": "?", "EntityIDs": []}, {"Outcome": "answered", "Representation": {}}),
    "bkn-pal": ({"Question": "?", "Constraints": {}}, {"Outcome": "answered", "Stance": {"Label": "warm"}}),
    "bkn-usr": (
        {"Feedback": {}, "UserID": "u"},
        {"Outcome": "answered", "Engagement": {}, "Provenance": [], "RefinedUserState": {}},
    ),
}


def some(exchange: str, mode: str, **changes: Any) -> dict[str, Any]:
    """A message of one Mode with every member it may have but the User State, which is large."""
    base = request() if mode == "RQ" else response()
    common = {"Header", "Mode", "MInstance", "UEnvironment", "SessionID", "QueryID", "QueryTime", "DialogID"}
    common |= {"TurnIndex", "DataXMData"} | ({"RequestID"} if mode == "RS" else set())
    own = {name: value for name, value in OWN[exchange][mode == "RS"].items() if name != "RefinedUserState"}
    document = {name: base[name] for name in common} | own | changes | {"Header": EXCHANGES[exchange].header}
    return {name: value for name, value in document.items() if value is not None}


@pytest.mark.parametrize("exchange", SIBLINGS)
def test_a_member_belongs_to_one_mode(exchange: str) -> None:
    requested, answered = OWN[exchange]
    assert set(requested) == EXCHANGES[exchange].request
    assert {*answered, "RequestID"} == EXCHANGES[exchange].response
    assert check(some(exchange, "RQ")).faults == check(some(exchange, "RS")).faults == ()
    for name, value in {**answered, "RequestID": "q"}.items():
        assert (Code.WRONG_MODE, f"/{name}") in placed(check(some(exchange, "RQ", **{name: value})).faults)
    for name, value in requested.items():
        assert (Code.WRONG_MODE, f"/{name}") in placed(check(some(exchange, "RS", **{name: value})).faults)


@pytest.mark.parametrize("exchange", SIBLINGS)
def test_a_response_needs_request_id_and_outcome(exchange: str) -> None:
    assert placed(check(some(exchange, "RS", RequestID=None, Outcome=None)).faults) == [
        (Code.WRONG_MODE, "/RequestID"),
        (Code.WRONG_MODE, "/Outcome"),
    ]


def test_only_some_requests_have_a_kind_to_state() -> None:
    assert placed(check(some("bkn-prc", "RQ", Kind=None)).faults) == [(Code.WRONG_MODE, "/Kind")]
    assert check(some("bkn-pal", "RQ", Question=None, Constraints=None)).faults == ()
    assert check(some("bkn-usr", "RQ", Feedback=None, UserID=None)).faults == ()


def test_repeated_names_are_warned_of_and_repeated_verdicts_refused() -> None:
    commitments = [{"CommitmentID": "c", "Statement": "a"}, {"CommitmentID": "c", "Statement": "b"}]
    twice = check(request(EntityIDs=["a", "b", "a"], Commitments=commitments, ReleasedCommitmentIDs=["x", "x"]))
    assert twice.faults == ()
    assert placed(twice.warnings) == [
        (Code.WRONG_VALUE, "/EntityIDs/2"),
        (Code.WRONG_VALUE, "/ReleasedCommitmentIDs/1"),
        (Code.WRONG_VALUE, "/Commitments/1/CommitmentID"),
    ]
    verdicts = {"Steps": [{"Step": step, "PAStatus": "Ack"} for step in (1, 0, 1.0)], "Overall": "feasible"}
    statuses = [{"CommitmentID": "c", "Status": status} for status in ("retained", "released")]
    assert placed(check(response(Feasibility=verdicts, CommitmentStatus=statuses)).faults) == [
        (Code.REPEATED_STEP, "/Feasibility/Steps/2/Step"),
        (Code.WRONG_VALUE, "/CommitmentStatus/1/CommitmentID"),
    ]


# The library call


def test_a_message_is_judged_as_the_exchange_that_is_named() -> None:
    document = example("bkn-pal", "stance_request")
    found = check(document, EXCHANGES["bkn-usr"]).faults
    assert (Code.WRONG_VALUE, "/Header") in placed(found)
    assert (Code.UNKNOWN_MEMBER, "/Question") in placed(found)


@pytest.mark.parametrize(
    "document, expected",
    [
        ([], (Code.WRONG_TYPE, "")),
        ({}, (Code.MISSING_MEMBER, "/Header")),
        ({"Header": "PGM-KDA-V2.0"}, (Code.WRONG_VALUE, "/Header")),
        ({"Header": ["PGM-KDA-V1.0"]}, (Code.WRONG_VALUE, "/Header")),
    ],
    ids=["no object", "no Header", "another version", "no text"],
)
def test_what_names_no_exchange_conforms_with_none(document: Any, expected: tuple[Code, str]) -> None:
    (fault,) = check(document).faults
    assert (fault.code, fault.where) == expected
    assert fault.hint
    assert exchange_of(document) is None


def test_a_near_header_is_suggested() -> None:
    (fault,) = check({"Header": "PGM-KDA-V1.1"}).faults
    assert fault.hint.endswith("did you mean `PGM-KDA-V1.0`?")


def test_a_text_that_is_no_json_does_not_conform() -> None:
    assert placed(check_text(b"{").faults) == [(Code.NOT_JSON, "")]
    assert placed(check_text(b'{"Header": 1, "Header": 2}').faults) == [(Code.DUPLICATE_MEMBER, "/Header")]
    assert check_text(json.dumps(request()).encode()) == Conformance((), ())


def test_null_is_refused_although_the_models_cannot_tell_it_from_absent() -> None:
    document = example("bkn-usr", "knowledge_response")
    assert placed(check(document | {"Engagement": {"Mode": None}}).faults) == [(Code.WRONG_TYPE, "/Engagement/Mode")]
    document["RefinedUserState"]["Beliefs"][0]["BeliefData"]["Remark"] = [{"any": None}, None]
    assert check(document).faults == ()


# Pairs


def pair(exchange: str, asked: str, answered: str, *changes: tuple[str, Any]) -> dict[str, Any]:
    both = {"request": example(exchange, asked), "response": example(exchange, answered)}
    found: dict[str, Any] = changed(both, *changes)
    return found


PAIRS = [
    ("bkn-dac", "feasibility_request", "feasibility_response"),
    ("bkn-dac", "commitment_request", "commitment_response"),
    ("bkn-dac", "semantic_grounding_request", "semantic_grounding_response"),
    ("bkn-dac", "affordances_request", "failed_response"),
    ("bkn-prc", "intent_request", "intent_response"),
    ("bkn-pal", "stance_request", "stance_response"),
    ("bkn-usr", "question_request", "knowledge_response"),
]


@pytest.mark.parametrize("exchange, asked, answered", PAIRS)
def test_a_response_belongs_to_its_request(exchange: str, asked: str, answered: str) -> None:
    both = pair(exchange, asked, answered)
    assert check(both) == check(both, EXCHANGES[exchange]) == Conformance((), ())
    assert exchange_of(both) is EXCHANGES[exchange]


@pytest.mark.parametrize(
    "member, value",
    [
        ("RequestID", "other"),
        ("MInstance", "MI2"),
        ("UEnvironment", "UE2"),
        ("SessionID", "other"),
        ("DialogID", "other"),
        ("TurnIndex", 9),
        ("QueryID", "q-0002"),
    ],
)
def test_a_response_that_differs_from_its_request_does_not_belong_to_it(member: str, value: Any) -> None:
    both = pair("bkn-dac", "feasibility_request", "feasibility_response", (f"/response/{member}", value))
    assert placed(check(both).faults) == [(Code.WRONG_CORRELATION, f"/response/{member}")]


def test_one_turn_is_one_turn_however_it_is_written() -> None:
    both = pair("bkn-dac", "feasibility_request", "feasibility_response", ("/response/TurnIndex", 1.0))
    assert check(both).faults == ()


def test_a_verdict_is_on_a_step_that_was_asked_for() -> None:
    both = pair("bkn-dac", "feasibility_request", "feasibility_response", ("/response/Feasibility/Steps/2/Step", 7))
    assert placed(check(both).faults) == [(Code.WRONG_CORRELATION, "/response/Feasibility/Steps/2/Step")]


def test_all_faults_of_a_pair_are_told_with_their_places() -> None:
    both = pair(
        "bkn-pal",
        "stance_request",
        "stance_response",
        ("/request/Mode", "RS"),
        ("/request/Question", 1),
        ("/response/Header", "PGM-KUS-V1.0"),
        ("/response/TurnIndex", 5),
        ("/reponse", {}),
    )
    found = placed(check(both).faults)
    assert (Code.UNKNOWN_MEMBER, "/reponse") in found
    assert (Code.WRONG_MODE, "/request/Mode") in found
    assert (Code.WRONG_TYPE, "/request/Question") in found
    assert (Code.WRONG_VALUE, "/response/Header") in found
    assert (Code.WRONG_CORRELATION, "/response/TurnIndex") in found


@pytest.mark.parametrize("missing, other", [("request", "response"), ("response", "request")])
def test_half_a_pair_is_none(missing: str, other: str) -> None:
    both = pair("bkn-pal", "stance_request", "stance_response")
    del both[missing]
    assert placed(check(both).faults) == [(Code.MISSING_MEMBER, f"/{missing}")]
    assert exchange_of(both) is EXCHANGES["bkn-pal"]
    assert placed(check({other: []}).faults)[1:] == [(Code.WRONG_TYPE, f"/{other}")]


def test_any_value_may_stand_where_a_pair_is_judged() -> None:
    odd_values: list[object] = [None, [], 1, "x", {"Mode": ["RQ"]}, {"Header": {}}]
    for odd in odd_values:
        assert check({"request": odd, "response": odd}).faults
        assert check({"request": odd, "response": odd}, EXCHANGES["bkn-dac"]).faults


def test_warnings_of_a_pair_have_their_places() -> None:
    both = pair("bkn-pal", "stance_request", "stance_response", ("/request/DataXMData/Header", None))
    del both["request"]["DataXMData"]["DataType"]
    found = check(both)
    assert found.faults == ()
    assert placed(found.warnings) == [(Code.MISSING_MEMBER, "/request/DataXMData/Header")]


# Dialogues


def turn(index: Any, mode: str = "RQ", **changes: Any) -> dict[str, Any]:
    return {"Header": "PGM-KDA-V1.0", "Mode": mode, "DialogID": "d", "TurnIndex": index, **changes}


def test_turns_that_start_late_leave_gaps_or_go_back_are_remarked_upon() -> None:
    messages = [turn(2), turn(3), turn(3, "RS"), turn(5), turn(5), turn(0, DialogID="e"), "text", turn("1")]
    found = [(place, fault.message) for place, fault in turn_remarks(messages)]
    assert found == [(0, "turn 2 follows nothing"), (3, "turn 5 follows turn 3"), (4, "turn 5 follows turn 5")]


def test_a_response_finds_its_request_within_its_dialogue() -> None:
    messages = [
        turn(0, "RS", RequestID="a"),
        turn(0, QueryID="a"),
        turn(0, QueryID="a", DialogID="e"),
        turn(1, "RS", RequestID="b"),
        turn(0, "RS", RequestID="a", DialogID="e"),
        turn(0, "RS", RequestID=["a"]),
        None,
    ]
    assert partners(messages) == {0: 1, 4: 2}
