"""Servers killed at seeded points while they answer; `make soak` goes on where this stops."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.databases import DATABASES, a_database
from tests.soak.kills import PLACES, kill
from tests.soak.turns import Caller, Turns

SEEDS = range(15)  # in each of two databases


@pytest.fixture(scope="module", params=DATABASES)
def turns(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Turns]:
    """Dialogues that go on from kill to kill."""
    folder = tmp_path_factory.mktemp("killed")
    with a_database(request.param, folder) as database:
        yield Turns(database, folder)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_kill_loses_and_halves_nothing(turns: Turns, seed: int) -> None:
    where, wrong = kill(turns, seed)
    assert wrong == [], where


def test_the_seeds_reach_every_point() -> None:
    assert len(SEEDS) * 2 >= 30
    assert {PLACES[seed % len(PLACES)] for seed in SEEDS} == set(PLACES)


def test_a_lost_response_would_be_noticed(turns: Turns) -> None:
    """Responses that left but are not stored, and turns too few, are both told. They are two: one turn may be stored
    whose Response did not leave.
    """
    kill(turns, 1)
    caller: Caller = turns._callers[0]
    lost = [({**caller.base, "QueryID": f"never stored {i}", "TurnIndex": 10**6 + i}, b"{}") for i in range(2)]
    caller.said += lost
    try:
        assert any("is not what left" in each for each in turns.check())
        assert any("turns are there" in each for each in turns.check())
    finally:
        del caller.said[-len(lost) :]
    assert turns.check() == []
