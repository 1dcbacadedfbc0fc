"""An Edition that answers gives what the golden files of its packs state, wherever a pack lies."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.authoring.answering import Answering, answering
from app.authoring.answers import mismatches, read_cases
from app.authoring.golden import Plan, read_golden
from app.errors import PackError
from tests.packs import EDITION, ROOT

CASES = read_cases(ROOT / "ontologies/museum_tour/answers/museum.toml")[:3]


@pytest.mark.parametrize("placed", [False, True], ids=["in the folder", "elsewhere"])
def test_plans_and_kinds_are_answered(placed: bool, tmp_path: Path) -> None:
    elsewhere = tmp_path / "1.0"
    elsewhere.symlink_to(ROOT / "ontologies/museum_tour", target_is_directory=True)
    edition = EDITION.with_placed("museum_tour", elsewhere) if placed else EDITION
    (run, *_) = read_golden(ROOT / "ontologies/museum_tour/golden/plan.toml")
    with answering(edition) as answers:
        judged = {verdict.step: verdict.status for verdict in answers.judge(run.plan).verdicts}
        assert judged == {step: expected.status for step, expected in run.expected.items()}
        for case in CASES:
            response, explanation = answers.ask(case)
            assert mismatches(case, response) == []
            assert explanation["QueryID"] == response["QueryID"]


def test_a_world_that_no_pack_brings_is_a_fault() -> None:
    with answering(EDITION) as answers, pytest.raises(PackError) as caught:
        answers.judge(Plan("Musseo", "UE1", ((0, "Hides Bag"),)))
    assert [(fault.message, fault.hint) for fault in caught.value.faults] == [
        ("no pack brings a world `Musseo`", "did you mean `Museo`?")
    ]


def test_nothing_is_opened_before_it_is_asked_for() -> None:
    with answering(EDITION) as answers:
        assert isinstance(answers, Answering)
        assert "_service" not in vars(answers)
