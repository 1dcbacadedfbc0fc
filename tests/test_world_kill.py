"""Thirty kills while worlds change (DESIGN 9: killed at any moment, nothing that was answered is lost)."""

from __future__ import annotations

from pathlib import Path

from tests.kill import kills

KILLS = 30


def test_what_was_answered_is_there_and_nothing_is_half_there(tmp_path: Path) -> None:
    found = list(kills(tmp_path, KILLS, seed=2026))
    assert len(found) == KILLS
    assert [(seed, wrong) for seed, wrong in found if wrong] == []
