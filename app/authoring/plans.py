"""Statements judged in a World directly, as the service does it but without a service (DESIGN 3: one Request)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final

from pydantic import ValidationError

from app.authoring.golden import Judged, Plan, PlanAnswer
from app.commitments import NO_AGREEMENT, Agreement, agree, in_its_words, mentioned
from app.errors import Code, Fault, PackError
from app.evaluate import PlanVerdicts, bounds_of, judge_plan, needs_of, read_steps
from app.exchange import ActionContext
from app.rules import Domain
from app.situation import Needs, until_known
from app.world import World

NOON: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
"""The evaluation time where no other is given: a test has the same answer every day."""


def judge_texts(
    texts: Iterable[tuple[int, str]],
    world: World,
    domain: Domain,
    user: str | None = None,
    now: datetime = NOON,
    *,
    context: ActionContext | None = None,
    commitments: Iterable[str] = (),
    seek_repairs: bool = True,
) -> PlanVerdicts:
    """The Verdicts of steps `(number, statement)`; `user` is the IRI of the session's A-User, if it has one, and
    `context` what its session keeps to.

    `commitments` are statements that the dialogue agreed on before, called 1, 2, ...
    What turns out to be missing is fetched, with all that any rule may walk from it, and judged anew.
    """
    agreement = agree_in(world, domain, user, commitments)
    domain, names = in_its_words(domain, world.names, agreement)
    steps = read_steps(texts, domain)
    bounds = bounds_of(context, domain, names)
    needs = bounds.needs(needs_of(steps, domain, names, user), domain)

    def judged(needs: Needs, may_fetch: bool) -> tuple[PlanVerdicts, Iterable[str]]:
        situation = world.situation(needs)
        plan = judge_plan(
            steps,
            domain,
            situation,
            names,
            user,
            now,
            bounds=bounds,
            agreed=agreement.agreed,
            may_fetch=may_fetch,
            seek_repairs=seek_repairs,
        )
        return plan, plan.outside

    return until_known(needs, domain, judged)


def answer_plan(plan: Plan, world: World, domain: Domain) -> PlanAnswer:
    """A golden plan, judged directly in the World it is written for."""
    user = world.names.iri(plan.user) if plan.user else None
    judged = judge_texts(plan.steps, world, domain, user, context=read_context(plan.context))
    return plan_answer(plan, judged)


def plan_answer(plan: Plan, judged: PlanVerdicts) -> PlanAnswer:
    """The Verdicts of a golden plan as it compares them."""
    steps = {v.step: Judged(v.status, v.reason) for v in judged.verdicts if v.status is not None}
    outcome = "answered" if len(steps) == len(plan.steps) else "partially_answered"
    return PlanAnswer(outcome, judged.overall, steps)


def read_context(members: Mapping[str, object]) -> ActionContext | None:
    """The ActionContext of a case or a plan; None where it states none. Raises PackError."""
    if not members:
        return None
    try:
        return ActionContext.model_validate(members)
    except ValidationError as error:
        found = error.errors()[0]
        where = "/".join(map(str, found["loc"]))
        raise PackError(Fault(Code.PACK_MEMBER, f"no ActionContext: {found['msg']}", where=where)) from None


def agree_in(world: World, domain: Domain, user: str | None, commitments: Iterable[str]) -> Agreement:
    """What a new dialogue agrees on with these statements, called 1, 2, ..."""
    submitted = [(str(number), said) for number, said in enumerate(commitments, 1)]
    if not submitted:
        return NO_AGREEMENT
    named = dict.fromkeys((*mentioned((said for _, said in submitted), world.names), *([user] if user else [])), ())
    situation = world.situation(Needs(named))
    return agree((), submitted, (), domain, world.names, situation, user)
