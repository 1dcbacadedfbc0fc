"""BKN-DAC: schemas, examples, both layers of conformance, Responses."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from app.errors import Code
from app.exchange import (
    Answer,
    BknDac,
    Feasibility,
    Request,
    Response,
    StepFeasibility,
    canonical,
    faults_of,
    read_request,
    simple_time,
    write_response,
)
from app.exchange.bkn_dac import MAX_INDEX, MAX_ITEMS, MAX_STATEMENT
from app.exchange.published import id_of, schemas_of
from app.exchange.reader import MAX_FAULTS
from app.model import Overall, PAStatus
from tests.exchange_documents import (
    EXAMPLES,
    REFUSED,
    placed,
    refused,
    request,
    response,
    segment,
    time,
)

VALID = sorted((EXAMPLES / "valid").glob("*.json"))
NOW = datetime(2026, 1, 1, 8, tzinfo=UTC)


# --- examples ---


def test_all_examples_are_there() -> None:
    assert (len(VALID), len(REFUSED)) == (8, 18)
    assert len({path.name for path in EXAMPLES.rglob("*.json")}) == 28


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_a_valid_example_conforms_and_survives_the_models(path: Path) -> None:
    document = json.loads(path.read_bytes())
    assert faults_of(document) == faults_of(document, strict=False)
    assert faults_of(document).faults == ()
    assert faults_of(document).warnings == ()
    model = read_request(path.read_bytes()) if document["Mode"] == "RQ" else Response.model_validate(document)
    assert json.loads(model.model_dump_json(exclude_none=True)) == document


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.stem)
def test_an_invalid_example_has_the_one_fault_of_its_name(path: Path) -> None:
    (fault,) = faults_of(json.loads(path.read_bytes())).faults
    assert fault.code.code == path.stem.partition(".")[0]
    assert fault.where.startswith("/")
    assert fault.clause
    assert fault.hint
    foreign = [] if b'"Mode": "RQ"' in path.read_bytes() else [(Code.WRONG_MODE, "/Mode")]
    assert refused(path.read_bytes()) == [*foreign, (fault.code, fault.where)]


# --- structure ---


WRONG: dict[str, tuple[dict[str, Any], list[tuple[Code, str]]]] = {
    "no header": (request(Header=None), [(Code.MISSING_MEMBER, "/Header")]),
    "no Mode": (request(Mode=None), [(Code.MISSING_MEMBER, "/Mode")]),
    "a header of another version": (request(Header="PGM-KDA-V2.0"), [(Code.WRONG_VALUE, "/Header")]),
    "a Mode there is not": (request(Mode="rq"), [(Code.WRONG_VALUE, "/Mode")]),
    "true as TurnIndex": (request(TurnIndex=True), [(Code.WRONG_TYPE, "/TurnIndex")]),
    "half a TurnIndex": (request(TurnIndex=1.5), [(Code.WRONG_TYPE, "/TurnIndex")]),
    "no ProcessActions in an array": (
        request(Kind="affordances", ProcessActions=[]),
        [(Code.OUT_OF_RANGE, "/ProcessActions")],
    ),
    "an object for an array": (request(EntityIDs={}), [(Code.WRONG_TYPE, "/EntityIDs")]),
    "numbers for identifiers": (
        request(EntityIDs=["a", 1, None]),
        [(Code.WRONG_TYPE, "/EntityIDs/1"), (Code.WRONG_TYPE, "/EntityIDs/2")],
    ),
    "a member unknown to a Term": (
        request(Terms=[{"Text": "a", "a/b": 1}]),
        [(Code.UNKNOWN_MEMBER, "/Terms/0/a~1b")],
    ),
    "a description too long": (request(DescrMetadata="x" * 2049), [(Code.OUT_OF_RANGE, "/DescrMetadata")]),
    "a source with two names": (
        request(
            DataXMData={"Header": "PTF-DEM-V1.0", "DataID": "q", "Source": [{"AIMID": "a", "ImplementerAIMID": "b"}]}
        ),
        [(Code.UNKNOWN_MEMBER, "/DataXMData/Source/0")],
    ),
    "a source without a name": (
        request(DataXMData={"Header": "PTF-DEM-V1.0", "DataID": "q", "Source": [{}]}),
        [(Code.MISSING_MEMBER, "/DataXMData/Source/0")],
    ),
    "a data type without a version": (
        request(DataXMData={"Header": "PTF-DEM-V1.0", "DataID": "q", "DataType": "PGM", "Source": [{"AIMID": "a"}]}),
        [(Code.WRONG_FORMAT, "/DataXMData/DataType")],
    ),
    "a box with three vertices": (
        request(
            Space={
                "MLocation": {
                    "SimpleLocationData": [
                        {
                            "RightParallelepiped": {
                                "Header": "OSD-RPP-V1.5",
                                "Dimensions": "3D",
                                "CartPositions": [[0, 0, 0], [1, 0, 0], [0, 0, 1]],
                            }
                        }
                    ]
                }
            }
        ),
        [(Code.OUT_OF_RANGE, "/Space/MLocation/SimpleLocationData/0/RightParallelepiped/CartPositions")],
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_message_against_the_schema_is_refused_with_its_place(name: str) -> None:
    document, expected = WRONG[name]
    assert placed(faults_of(document).faults) == expected
    assert refused(document) == expected


@pytest.mark.parametrize("document", [[], "text", 1, None, True], ids=repr)
def test_what_is_no_object_is_no_message(document: object) -> None:
    assert placed(faults_of(document).faults) == [(Code.WRONG_TYPE, "")]
    assert refused(json.dumps(document).encode()) == [(Code.WRONG_TYPE, "")]


def test_null_is_not_an_absent_member() -> None:
    document = request() | {"Question": None}
    assert refused(document) == [(Code.WRONG_TYPE, "/Question")]


def test_null_in_a_string_or_an_open_object_is_no_fault() -> None:
    document = request(Question="is null allowed?", Space={"MLocation": {"Colour": None, "Header": "OSD-SLC-V1.5"}})
    found = read_request(json.dumps(document).encode())
    assert found.Question == "is null allowed?"
    assert json.loads(canonical(found))["Space"] == {"MLocation": {"Colour": None, "Header": "OSD-SLC-V1.5"}}


def test_one_point_zero_is_an_integer() -> None:
    found = read_request(json.dumps(request(TurnIndex=1.0)).encode())
    assert type(found.TurnIndex) is int


def test_all_faults_of_both_layers_are_told_at_once() -> None:
    document = request(TurnIndex="1", Outcome="answered", Sesion="x", QueryTime=time(segment(TimeUnit="00")))
    del document["SessionID"]
    assert sorted(refused(document), key=lambda fault: fault[1]) == [
        (Code.WRONG_MODE, "/Outcome"),
        (Code.TIME_CONFLICT, "/QueryTime/SimpleTimeData/0/TimeUnit"),
        (Code.UNKNOWN_MEMBER, "/Sesion"),
        (Code.MISSING_MEMBER, "/SessionID"),
        (Code.WRONG_TYPE, "/TurnIndex"),
    ]


def test_hints_name_the_nearest_choice() -> None:
    faults = faults_of(
        request(Kind="feasable", ProcessActions=None, Proces_Actions=[], Terms=[{"Text": "a", "Clas": "b"}])
    ).faults
    hints = {fault.where: fault.hint for fault in faults}
    assert hints["/Kind"].endswith("did you mean `feasibility`?")
    assert "`clarification`" in hints["/Kind"]
    assert hints["/Proces_Actions"] == "did you mean `ProcessActions`?"
    assert hints["/Terms/0/Clas"] == "did you mean `Class`?"


def test_clauses_name_the_table_or_the_data_type() -> None:
    faults = faults_of(request(TurnIndex=-1, Question=1, Answer=1, Other=1, QueryTime={"Header": 1})).faults
    clauses = {fault.where: fault.clause for fault in faults if fault.code is not Code.WRONG_MODE}
    assert clauses["/TurnIndex"] == "BKN-DAC, common properties"
    assert clauses["/Question"] == "BKN-DAC, Request properties"
    assert clauses["/Answer"] == "BKN-DAC, Response properties"
    assert clauses["/Other"] == "BKN-DAC, syntax"
    assert clauses["/QueryTime/Header"] == "SimpleTime V1.5"


def test_at_most_a_hundred_faults_are_told_and_the_last_says_so() -> None:
    faults = faults_of(request(EntityIDs=[1] * 1_000)).faults
    assert len(faults) == MAX_FAULTS
    assert faults[-1].hint == "there are further faults"
    assert len(refused(b"{" + b", ".join(b'"%d": 1' % (n // 2) for n in range(1_000)) + b"}")) == MAX_FAULTS


# --- the prose ---


@pytest.mark.parametrize(
    "member", ["RequestID", "Outcome", "Answer", "CommitmentStatus", "Feasibility", "SourcesUsed", "Failure"]
)
def test_a_request_has_no_member_of_a_response(member: str) -> None:
    document = request(**{member: response(Answer={}, CommitmentStatus=[], Failure=FAILURE)[member]})
    assert placed(faults_of(document).faults) == [(Code.WRONG_MODE, f"/{member}")]
    assert refused(document) == [(Code.WRONG_MODE, f"/{member}")]


FAILURE = {"Service": "core", "Nature": "transient"}


@pytest.mark.parametrize(
    "member",
    ["Kind", "Question", "Terms", "EntityIDs", "Space", "ProcessActions", "Commitments", "ReleasedCommitmentIDs"],
)
def test_a_response_has_no_member_of_a_request(member: str) -> None:
    value = request(Kind="affordances", Terms=[], Commitments=[], ReleasedCommitmentIDs=[])[member]
    assert placed(faults_of(response(**{member: value})).faults) == [(Code.WRONG_MODE, f"/{member}")]


def test_each_mode_has_its_own_needs() -> None:
    assert placed(faults_of(request(Kind=None)).faults) == [(Code.WRONG_MODE, "/Kind")]
    assert placed(faults_of(response(RequestID=None, Outcome=None)).faults) == [
        (Code.WRONG_MODE, "/RequestID"),
        (Code.WRONG_MODE, "/Outcome"),
    ]


def test_a_response_is_not_answered() -> None:
    assert refused(response()) == [(Code.WRONG_MODE, "/Mode")]


def test_missing_metadata_does_not_conform_but_is_served() -> None:
    document = request(DataXMData=None)
    assert placed(faults_of(document).faults) == [(Code.MISSING_METADATA, "/DataXMData")]
    assert faults_of(document, strict=False).faults == ()
    assert read_request(json.dumps(document).encode()).DataXMData is None


def test_sizes_beyond_what_is_served_are_refused() -> None:
    plan = [{"Step": step, "Statement": "A Authors B"} for step in range(MAX_ITEMS)]
    fits = request(
        ProcessActions=plan,
        Commitments=[{"CommitmentID": "c", "Statement": "x" * MAX_STATEMENT}],
        Terms=[{"Text": "a"}] * MAX_ITEMS,
        TurnIndex=MAX_INDEX,
    )
    assert read_request(json.dumps(fits).encode()).TurnIndex == MAX_INDEX
    beyond = request(
        ProcessActions=[*plan, {"Step": MAX_INDEX + 1, "Statement": "x" * (MAX_STATEMENT + 1)}],
        Commitments=[{"CommitmentID": "c", "Statement": "x" * (MAX_STATEMENT + 1)}],
        Terms=[{"Text": "a"}] * (MAX_ITEMS + 1),
        EntityIDs=["a"] * (MAX_ITEMS + 1),
        ReleasedCommitmentIDs=["a"] * (MAX_ITEMS + 1),
        TurnIndex=MAX_INDEX + 1,
    )
    assert sorted(refused(beyond), key=lambda fault: fault[1]) == [
        (Code.OUT_OF_RANGE, "/Commitments/0/Statement"),
        (Code.OUT_OF_RANGE, "/EntityIDs"),
        (Code.OUT_OF_RANGE, "/ProcessActions"),
        (Code.OUT_OF_RANGE, "/ProcessActions/1000/Statement"),
        (Code.OUT_OF_RANGE, "/ProcessActions/1000/Step"),
        (Code.OUT_OF_RANGE, "/ReleasedCommitmentIDs"),
        (Code.OUT_OF_RANGE, "/Terms"),
        (Code.OUT_OF_RANGE, "/TurnIndex"),
    ]


def test_a_step_is_repeated_as_a_number_not_as_a_text() -> None:
    plan = [{"Step": step, "Statement": "A Authors B"} for step in (1, 0, 1.0)]
    assert refused(request(ProcessActions=plan)) == [(Code.REPEATED_STEP, "/ProcessActions/2/Step")]


# --- Responses ---


def answer() -> Response:
    """A Response made in code."""
    return Response(
        MInstance="MI1",
        UEnvironment="UE1",
        SessionID="s",
        QueryID="r",
        QueryTime=simple_time(NOW, "t"),
        RequestID="q",
        DialogID="d",
        TurnIndex=0,
        Outcome="answered",
        Answer=Answer(Constraints=("no entry after 22:00 — closed",), Text=None),
        Feasibility=Feasibility(
            Steps=(StepFeasibility(Step=0, PAStatus=PAStatus.LOC_OOR),),
            Overall=Overall.INFEASIBLE,
        ),
    )


def test_a_response_is_written_compact_in_schema_order_without_absent_members() -> None:
    written = write_response(answer())
    document = json.loads(written)
    assert written == json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
    order = list(schemas_of(BknDac)[id_of(BknDac)]["properties"])
    assert list(document) == [name for name in order if name in document]
    assert document["Answer"] == {"Constraints": ["no entry after 22:00 — closed"]}
    assert document["Feasibility"] == {"Steps": [{"Step": 0, "PAStatus": "LocOOR"}], "Overall": "infeasible"}
    assert faults_of(document, strict=False).faults == ()


def test_models_are_frozen_and_strict() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        answer().TurnIndex = 1  # type: ignore[misc]
    with pytest.raises(ValidationError, match="TurnIndex"):
        Response.model_validate(response(TurnIndex="1"))
    with pytest.raises(ValidationError, match="Answer"):
        Request.model_validate(request(Answer={}))


def test_members_unknown_to_an_open_object_are_kept() -> None:
    space = {"MLocation": {"SimpleLocationData": [{"SpaceTime": {"Zone": 1}, "Floor": [1]}], "Colour": "red"}}
    found = read_request(json.dumps(request(Space=space)).encode())
    assert json.loads(found.model_dump_json(exclude_unset=True))["Space"] == space


def test_canonical_form_reads_every_number_as_a_double() -> None:
    nanoseconds = time(
        segment(FlagsByte=0b111, StartTime=1_767_254_400_000_000_001, EndTime=0.1, AccuracyPlusMinus=1e-7)
    )
    found = json.loads(canonical(read_request(json.dumps(request(QueryTime=nanoseconds)).encode())))
    (first,) = found["QueryTime"]["SimpleTimeData"]
    assert first["StartTime"] == int(1_767_254_400_000_000_001.0)
    assert (first["EndTime"], first["AccuracyPlusMinus"]) == (0.1, 1e-7)
