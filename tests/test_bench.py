"""The measurements run, their contenders agree, and their figures are what they say: never how fast anything is."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.model import PAStatus
from app.vocab import SUB_CLASS
from tests.bench import conformance, reasoning, rights
from tests.bench.__main__ import ROWS, main
from tests.bench.measure import (
    QUICK,
    Contender,
    Figure,
    Operation,
    Round,
    Row,
    Scale,
    percentile,
    race,
    ratio,
    ratio_of_rates,
    timed,
)
from tests.bench.peers import Missing, Peer, cedar, cedar_entities, rego
from tests.bench.shacl import shacl
from tests.bench.stages import STAGES, shares
from tests.bench.verdicts import SORTS, Sort, asked_of, outcome_of
from tests.bench.worlds import RightsWorld, facts_of, household_moves, plan, rights_world, scene_of, town

FEW = replace(
    QUICK, rounds=1, operations=4, questions=40, entities=(100, 200), stores=(100, 200), requests=8, turns=2
)
MODULES = {path.stem for path in (Path(__file__).parent / "bench").glob("*.py")}
Make = Callable[[RightsWorld], Peer | Missing]
NO_ROWS = {
    "__init__", "__main__", "echo", "generated", "measure", "peers", "plots", "processes", "report", "stages",
    "shacl", "store_process", "worlds",
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_a_row_measures_every_contender(name: str) -> None:
    """Each figure has operations that took time, each ratio is a positive number, names are not repeated."""
    found = ROWS[name](FEW)
    assert found
    for row in found:
        assert row.figures
        assert len({figure.name for figure in row.figures}) == len(row.figures)
        for figure in row.figures:
            assert figure.operations > 0
            assert 0 < figure.p50 <= figure.p99
            assert figure.per_second > 0
        assert all(each.value > 0 for each in row.ratios)


def test_every_module_that_measures_is_a_row() -> None:
    """A module is listed in ROWS or is known to be none."""
    assert set(ROWS) == MODULES - NO_ROWS


def test_a_run_is_written_as_json(tmp_path: Path) -> None:
    """What is shown is in the file, too: figures in microseconds, ratios, notes, and the machine's facts."""
    file = tmp_path / "found.json"
    result = CliRunner().invoke(main, ["exchanges", "--quick", "--json", str(file)], catch_exceptions=False)
    assert result.exit_code == 0
    found = json.loads(file.read_text(encoding="utf-8"))
    (row,) = found["rows"]
    assert row["row"] == "exchanges"
    assert row["title"] in result.output
    assert {figure["name"] for figure in row["figures"]} > {"read_request", "json.loads"}
    assert all(figure["p50_us"] > 0 for figure in row["figures"])
    assert found["environment"]["cpus"] >= 1
    assert found["scale"]["rounds"] == QUICK.rounds


def test_a_row_that_does_not_exist_is_refused_with_those_that_do() -> None:
    result = CliRunner().invoke(main, ["verdict"])
    assert result.exit_code == 2
    assert "verdicts" in result.output


@pytest.mark.parametrize("name, make", [("cedarpy", cedar), ("regorus", rego)])
def test_a_peer_that_is_not_installed_is_said_to_be_missing(
    name: str, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The comparison goes on without it and says so; it never passes for one that was measured."""
    monkeypatch.setitem(sys.modules, name, None)
    peer = make(rights_world())
    assert isinstance(peer, Missing)
    (row,) = rights.rows(FEW)
    assert peer.said in row.notes
    assert "NOT" in peer.said
    assert not [figure for figure in row.figures if figure.name.startswith(name)]


@pytest.mark.parametrize(
    "rows, module, name",
    [(reasoning.rows, "reasonable", "reasonable"), (conformance.rows, "jsonschema_rs", "jsonschema-rs")],
    ids=["reasonable", "jsonschema-rs"],
)
def test_a_row_goes_on_without_a_peer_and_says_so(
    rows: Callable[[Scale], list[Row]], module: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each row that would measure it says that it did not; the others are measured."""
    monkeypatch.setattr(reasoning, "OWLRL_LIMIT", 0.05)
    monkeypatch.setitem(sys.modules, module, None)
    found = [row for row in rows(FEW) if any(name in note for note in row.notes)]
    assert len(found) == 2
    for row in found:
        assert f"{name} is NOT measured: it is not installed" in row.notes
        assert row.figures
        assert not [figure for figure in row.figures if figure.name.startswith(name)]


def test_owlrl_is_ended_at_its_limit_and_that_is_said() -> None:
    """Seconds where it is done in time; else no figure, and the limit."""
    facts = b"\n".join(b"<urn:t:%d> <%s> <urn:t:%d> ." % (i, SUB_CLASS.encode(), i + 1) for i in range(40))
    assert reasoning.owlrl_alone(facts, 0.05) == f"{reasoning.OWLRL}: not within 0.05 s"
    seconds = reasoning.owlrl_alone(facts[: facts.index(b"\n")], 60)
    assert isinstance(seconds, float)
    assert seconds > 0
    with pytest.raises(RuntimeError, match="could not load"):
        reasoning.owlrl_alone(b"no N-Triples", 60)


@pytest.mark.parametrize("make", [cedar, rego, shacl])
def test_a_peer_gives_the_answers_that_the_verdicts_give(make: Make) -> None:
    """300 questions, in every form of asking; both answers occur, each way of permitting and refusing decides."""
    world = rights_world()
    peer = make(world)
    if isinstance(peer, Missing):
        pytest.skip(peer.said)
    assert isinstance(peer, Peer)
    scene = scene_of(facts_of(world))
    questions = world.questions(300, seed=11)
    outcomes = [outcome_of(scene, asked) for asked in rights.asked_of(scene, questions)]
    decided = {found.rule for each in outcomes for found in (*each.permits, *each.findings)}
    ways = {rule.id for need in ("own", "enter") for rule in scene.domain.permitting[need]}
    ways -= {"unowned_u_location", "may_capture_place", "view_of_no_place"}  # nothing here is one, or captures
    assert decided == ways | {"may_not_held", "not_permitted"}
    expected = [each.status is PAStatus.ACK for each in outcomes]
    found = rights.answers([peer], questions)
    assert found
    rights.assert_agreement(expected, found)


def test_a_different_answer_is_noticed() -> None:
    with pytest.raises(AssertionError, match="other answers 1 questions differently, the first is number 2"):
        rights.assert_agreement([True, False, True], {"same": [True, False, True], "other": [True, False, False]})
    with pytest.raises(AssertionError, match="all answered alike"):
        rights.assert_agreement([True, True], {})


def test_the_rights_world_has_the_size_that_is_told() -> None:
    """50 entities, 20 Rights, nested places, and the peers' tables cover every User and place."""
    world = rights_world()
    assert len(world.users) + len(world.places) + len(world.at) + len(world.attitudes) == 50
    assert len(world.rights) == 20
    assert max(len(world.chain(place)) for place in world.places) >= 3
    entities = [(each["uid"]["type"], each["uid"]["id"]) for each in cedar_entities(world)]
    assert {name for kind, name in entities if kind == "User"} == set(world.users)
    assert {name for kind, name in entities if kind == "Place"} == set(world.places)


@pytest.mark.parametrize("sort", SORTS, ids=lambda sort: str(sort.status))
def test_a_sort_of_statements_gets_its_status(sort: Sort) -> None:
    """Each statement another text, each with the PA Status that the row names."""
    scene = scene_of(facts_of(rights_world()))
    asked = asked_of(sort, scene, 15)
    assert len({each.text for each in asked}) == 15
    assert {outcome_of(scene, each).status for each in asked} == {sort.status}


@pytest.mark.parametrize("entities", [200, 1_000])
def test_a_town_has_about_the_entities_that_are_asked_for(entities: int) -> None:
    """And what is asked of it names households that are there."""
    facts = list(town(entities))
    subjects = {s for s, _, _ in facts}
    assert 0.9 * entities <= len(subjects) <= 1.3 * entities
    for popular in (False, True):
        for text in household_moves(entities, 20, popular=popular):
            assert {name for s in subjects if (name := s.rsplit("/", 1)[1]) in text.split()} >= {text.split()[0]}


def test_the_plan_of_friends_meet_is_read_whole() -> None:
    steps = plan()
    assert [number for number, _ in steps] == list(range(21))


def test_stages_are_shares_of_the_whole() -> None:
    """Those that are no part of another add up, with the rest, to the whole."""
    for found in shares(3, repeat=1).values():
        assert set(found) == {name for name, _ in STAGES} | {"the rest"}
        assert sum(share for name, share in found.items() if not name.startswith(" ")) == pytest.approx(1)
        assert found["parse the statement"] > 0
        assert found["rules, needs, Findings"] > 0


def test_contenders_take_turns() -> None:
    """Once each to warm up, then every one in every round, another first each time."""
    order: list[tuple[str, int]] = []

    def contender(name: str) -> Contender:
        def run(number: int) -> Round:
            order.append((name, number))
            return Round((1.0,), 1.0)

        return Contender(name, run)

    figures = race([contender("a"), contender("b")], 2)
    assert order == [("a", 0), ("b", 0), ("a", 1), ("b", 1), ("b", 2), ("a", 2)]
    assert [(figure.name, len(figure.rounds)) for figure in figures] == [("a", 2), ("b", 2)]


def test_a_figure_is_the_median_of_its_rounds() -> None:
    """One slow round does not move it; the p99 is of all operations."""
    rounds = (Round((1.0, 2.0, 3.0), 6.0), Round((2.0, 2.0, 2.0), 6.0), Round((50.0, 60.0, 70.0), 180.0))
    figure = Figure("f", rounds)
    assert figure.p50 == 2.0
    assert figure.per_second == 0.5
    assert figure.operations == 9
    assert figure.p99 == 70.0


def test_a_ratio_compares_what_met_the_same_machine() -> None:
    """Round by round: where the machine is slow in one round, both are, and the ratio stays."""
    slow = Figure("a", (Round((4.0,), 4.0), Round((40.0,), 40.0)))
    quick = Figure("b", (Round((2.0,), 2.0), Round((20.0,), 20.0)))
    assert ratio("a / b", slow, quick).value == 2.0
    many = Figure("c", (Round((2.0, 2.0), 2.0), Round((20.0, 20.0), 20.0)))
    assert ratio("c / b", many, quick).value == 1.0
    assert ratio_of_rates("c / b", many, quick).value == 0.5


def test_what_comes_before_an_operation_is_not_timed() -> None:
    calls: list[str] = []
    operations: list[Operation] = [lambda: calls.append("run"), lambda: calls.append("run")]
    found = timed(operations, before=lambda: calls.append("before"))
    assert calls == ["before", "run", "before", "run"]
    assert found.elapsed == sum(found.seconds)
    assert found.parted(2).seconds == tuple(s / 2 for s in found.seconds for _ in range(2))


@pytest.mark.parametrize(
    "values, percent, expected", [([3.0], 99, 3.0), ([5.0, 1.0, 9.0], 50, 5.0), ([2.0, 1.0], 99, 2.0)]
)
def test_a_percentile_is_one_of_the_values(values: list[float], percent: int, expected: float) -> None:
    assert percentile(values, percent) == expected
