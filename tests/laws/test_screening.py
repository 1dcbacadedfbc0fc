"""A law of screening: whichever rules a screen lets through, what is found is what running every rule finds."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.authoring.golden import read_golden
from app.authoring.plans import judge_texts
from app.evaluate.decide import Findings, find
from app.evaluate.screening import rules_to_run
from app.model import Triple
from app.world import World, describe, read_world
from tests.laws.test_verdicts import ROOT, domain, plans
from tests.riches import rich_sketches
from tests.worlds import Sketch, statement

LAW = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck), max_examples=20)
GOLDEN = sorted(path for of in ("actions", "statuses") for path in (ROOT / "tests" / "golden" / of).glob("*.toml"))
"""Plans; the other golden cases ask other Kinds."""


Drawn = tuple[Sketch, list[tuple[str, ...]]]


@contextmanager
def compared() -> Iterator[Counter[str]]:
    """Every search for findings is made with a screen, made when it is asked for a second time, and without. Counts
    how many had one, and how many of all found something, or left rules aside.
    """
    counts: Counter[str] = Counter()
    judge = sys.modules["app.evaluate.judge"]

    def both(bound: Any, values: Any, known: Any, facts: Any, names: Any) -> Findings:
        slow = find(bound, values, known, facts, names, one_by_one=True)
        known_shape = rules_to_run(bound.action.name, values, known, facts) is not None
        known_shape = known_shape or rules_to_run(bound.action.name, values, known, facts) is not None
        assert find(bound, values, known, facts, names) == slow
        counts["screened"] += known_shape
        counts["found"] += bool(slow.blocking)
        counts["idle"] += bool(slow.not_applicable)
        return slow

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge, "find", both)
        yield counts


def judge_each(triples: Iterable[Triple], plans_of_it: Iterable[Iterable[str]]) -> None:
    world = World.of(triples, domain())
    for texts in plans_of_it:
        judge_texts(enumerate(texts), world, domain())


def test_a_screen_finds_what_the_rules_find_one_by_one() -> None:
    """In random Worlds, careful and wild, for random plans."""
    with compared() as counts:

        @LAW
        @given(plans(), plans(wild=True))
        def agree(careful: Drawn, wild: Drawn) -> None:
            for sketch, each_plan in (careful, wild):
                judge_each(sketch.triples, each_plan)

        agree()
    assert counts["screened"] > 150
    assert counts["found"] > 80


def test_a_screen_finds_the_same_in_worlds_with_limits_prices_and_geometry() -> None:
    with compared() as counts:

        @LAW
        @given(rich_sketches(), st.randoms(use_true_random=False))
        def agree(sketch: Sketch, random: Any) -> None:
            judge_each(sketch.triples, [[statement(sketch, random) for _ in range(3)] for _ in range(4)])

        agree()
    assert counts["screened"] > 150
    assert counts["found"] > 100
    assert counts["idle"] > 100


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}:{path.stem}")
def test_a_screen_finds_the_same_in_every_golden_plan(path: Path) -> None:
    """Of the 30 Actions, the complements of all their forms."""
    runs = read_golden(path)
    worlds = {}
    for ttl in sorted(path.parent.rglob("*.ttl")):
        facts = read_world(ttl)
        worlds[describe(facts).identifier] = World.of(facts, domain())
    with compared() as counts:
        for run in runs:
            judge_texts(run.plan.steps, worlds[run.plan.m_instance], domain())
    assert counts["screened"] > 0
