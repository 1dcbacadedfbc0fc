"""Data types of the exchanges: older forms that are taken, and conditions between members."""

from __future__ import annotations

from typing import Any

import pytest

from app.errors import Code
from app.exchange import check
from app.exchange.space import RightParallelepiped
from tests.exchange_documents import changed, example, placed, request, segment, time

# Older forms


def older_box(count: int) -> dict[str, Any]:
    corners = [(6, 0, -4), (14, 0, -4), (6, 0, 4), (6, 3, -4), (0, 0, 0)]
    points = [dict(zip("XYZ", corner, strict=True)) for corner in corners[:count]]
    return {"RightParallelepiped": [{"Point": {"Coordinates": point}} for point in points]}


def in_space(box: dict[str, Any]) -> dict[str, Any]:
    return request(Space={"MLocation": {"SimpleLocationData": [{"RightParallelepiped": box}]}})


BOX = "/Space/MLocation/SimpleLocationData/0/RightParallelepiped"


@pytest.mark.parametrize("count, dimensions", [(3, "2D"), (4, "3D")])
def test_a_box_in_its_older_form_says_as_much(count: int, dimensions: str) -> None:
    found = check(in_space(older_box(count)))
    assert found.faults == ()
    assert placed(found.warnings) == [(Code.UNKNOWN_MEMBER, f"{BOX}/RightParallelepiped")]
    older = RightParallelepiped.model_validate(older_box(count))
    newer = RightParallelepiped.model_validate(
        {"Header": "OSD-RPP-V1.5", "Dimensions": dimensions, "CartPositions": [list(v) for v in older.vertices]}
    )
    assert newer.vertices == older.vertices
    assert len(newer.vertices) == count


@pytest.mark.parametrize("count", [0, 2, 5])
def test_too_few_or_too_many_vertices_are_no_box(count: int) -> None:
    assert placed(check(in_space(older_box(count))).faults) == [(Code.OUT_OF_RANGE, f"{BOX}/RightParallelepiped")]


def test_the_two_forms_of_a_box_do_not_mix() -> None:
    mixed = older_box(3) | {"Dimensions": "2D", "Precision": "Single"}
    assert placed(check(in_space(mixed)).faults) == [
        (Code.UNKNOWN_MEMBER, f"{BOX}/Dimensions"),
        (Code.UNKNOWN_MEMBER, f"{BOX}/Precision"),
    ]


def test_a_box_of_neither_form_lacks_the_newer_one() -> None:
    assert placed(check(in_space({})).faults) == [
        (Code.MISSING_MEMBER, f"{BOX}/Header"),
        (Code.MISSING_MEMBER, f"{BOX}/Dimensions"),
        (Code.MISSING_MEMBER, f"{BOX}/CartPositions"),
    ]


def test_an_intent_in_its_older_form_is_taken() -> None:
    older = changed(
        example("bkn-prc", "intent_response"),
        ("/Representation/Intent/Confidence", None),
        ("/Representation/Intent/ConfidenceScore", 0.8),
        ("/Representation/Intent/Parameters/Confidence", None),
        ("/Representation/Intent/Parameters/ConfidenceLevel", "assertive"),
    )
    found = check(older)
    assert found.faults == ()
    assert placed(found.warnings) == [(Code.UNKNOWN_MEMBER, "/Representation/Intent/ConfidenceScore")]


def test_a_social_attitude_in_its_older_form_is_taken() -> None:
    where = "/RefinedUserState/SocialAttitude/Header"
    found = check(changed(example("bkn-usr", "refined_response"), (where, "MMC-ESA-V1.0")))
    assert found.faults == ()
    assert placed(found.warnings) == [(Code.WRONG_VALUE, where)]


# Conditions on the data


MOTIVATION = "/RefinedUserState/Motivation"


@pytest.mark.parametrize("kind, fits", [("curiosity", True), ("control", False)])
def test_a_motivation_has_the_subtypes_of_its_type(kind: str, fits: bool) -> None:
    changes = (f"{MOTIVATION}/Type", kind), (f"{MOTIVATION}/Subtype", "learn_new_skill")
    found = placed(check(changed(example("bkn-usr", "refined_response"), *changes)).faults)
    assert found == ([] if fits else [(Code.WRONG_VALUE, f"{MOTIVATION}/Subtype")])


KNOWN = "/RefinedUserState/Knowledge/0"


@pytest.mark.parametrize(
    "changes, expected",
    [
        ([(f"{KNOWN}/Belief", False)], [(Code.WRONG_VALUE, f"{KNOWN}/Belief")]),
        ([(f"{KNOWN}/Awareness", None)], [(Code.MISSING_MEMBER, f"{KNOWN}/Awareness")]),
        ([(f"{KNOWN}/Justifications", [])], [(Code.OUT_OF_RANGE, f"{KNOWN}/Justifications")]),
        ([(f"{KNOWN}/EpistemicStatus", "uncertain"), (f"{KNOWN}/Belief", False)], []),
        ([(f"{KNOWN}/EpistemicStatus", "uncertain"), (f"{KNOWN}/Awareness", None)], []),
    ],
    ids=["not believed", "not aware", "without a reason", "uncertain disbelief", "uncertain and unaware"],
)
def test_what_is_known_is_true_believed_and_justified(
    changes: list[tuple[str, Any]], expected: list[tuple[Code, str]]
) -> None:
    assert placed(check(changed(example("bkn-usr", "knowledge_response"), *changes)).faults) == expected


def test_labels_are_told_apart_by_category() -> None:
    where = "/RefinedUserState/SocialAttitude/SocialAttitudeCategory"

    def faults(chosen: Any) -> list[tuple[Code, str]]:
        return placed(check(changed(example("bkn-usr", "refined_response"), (where, chosen))).faults)

    assert faults({}) == faults({"SOCIAL RANK": {}}) == faults({"SOCIAL RANK": {"GeneralAdjectival": {}}}) == []
    assert faults({"SEXUALITY": {"GeneralAdjectival": {"prudish/priggish": "prudish/priggish"}}}) == []
    assert faults({"SOCIAL RANK": {"GeneralAdjectival": {"polite": "kind"}}}) == [
        (Code.WRONG_VALUE, f"{where}/SOCIAL RANK/GeneralAdjectival/polite")
    ]
    assert faults({"EMPATHY": {"SpecificAdjectival": {}}}) == [
        (Code.UNKNOWN_MEMBER, f"{where}/EMPATHY/SpecificAdjectival")
    ]
    assert faults({"EMPATHY": "kind"}) == [(Code.WRONG_TYPE, f"{where}/EMPATHY")]


def test_times_deep_in_a_message_are_checked_too() -> None:
    where = "/RefinedUserState/Goals/0/GoalTime"
    message = changed(example("bkn-usr", "goals_response"), (where, time(segment(TimeUnit="00"))))
    assert placed(check(message).faults) == [(Code.TIME_CONFLICT, f"{where}/SimpleTimeData/0/TimeUnit")]
