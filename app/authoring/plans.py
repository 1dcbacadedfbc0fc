"""Statements judged in a World directly, as the service does it but without a service (DESIGN 3: one Request)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from app.evaluate import PlanVerdicts, judge_plan, needs_of, read_steps
from app.rules import Domain
from app.situation import FETCHES
from app.world import World

NOON: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
"""The evaluation time where no other is given: a test has the same answer every day."""


def judge_texts(
    texts: Iterable[tuple[int, str]], world: World, domain: Domain, user: str | None = None, now: datetime = NOON
) -> PlanVerdicts:
    """The Verdicts of steps `(number, statement)`; `user` is the IRI of the session's A-User, if it has one.

    What turns out to be missing is fetched, with all that any rule may walk from it, and judged anew.
    """
    steps = read_steps(texts, domain)
    names = world.names
    needs = needs_of(steps, domain, names, user)
    plan = judge_plan(steps, domain, world.situation(needs), names, user, now, may_fetch=True)
    for fetches_left in reversed(range(FETCHES)):
        if not plan.outside:
            break
        needs = needs.with_more(plan.outside, (domain.any_reach,))
        plan = judge_plan(steps, domain, world.situation(needs), names, user, now, may_fetch=fetches_left > 0)
    return plan
