"""Kind feasibility: would these Process Actions be accepted (BKN-DAC, Feasibility; SEMANTICS 3, 5)."""

from __future__ import annotations

from app.evaluate import Names, PlanVerdicts, Step, judge_plan, needs_of, read_steps
from app.evaluate.explain import explain
from app.exchange import Answer, Failure, Feasibility, OutcomeName, Request, StepFeasibility
from app.kinds.context import Answered, Context, Kind, Wanted
from app.model import PAStatus, RuleFailure, Verdict
from app.rules import Domain


def needs(request: Request, domain: Domain, names: Names, user: str | None) -> Wanted[tuple[Step, ...]]:
    """The statements, parsed once, and the entities they name."""
    submitted = ((int(each.Step), each.Statement) for each in request.ProcessActions or ())
    steps = read_steps(submitted, domain)
    return Wanted(needs_of(steps, domain, names, user), steps)


def answer(request: Request, steps: tuple[Step, ...], context: Context) -> Answered:
    """A PA Status and a Reason for each step that could be judged, and the result for the plan. The explanation names
    terms in English whatever the language.
    """
    names = context.names.in_language(context.spoken(request))
    plan = judge_plan(
        steps,
        context.domain,
        context.situation,
        names,
        context.user,
        context.now,
        bounds=context.bounds,
        agreed=context.agreement.agreed,
        may_fetch=context.may_fetch,
    )
    if plan.outside and context.may_fetch:
        return Answered("not_answered", outside=plan.outside)
    judged = [verdict for verdict in plan.verdicts if verdict.status is not None]
    failed = [failure for verdict in plan.verdicts if verdict.status is None for failure in verdict.failures]
    outcome: OutcomeName = "answered" if not failed else "partially_answered" if judged else "not_answered"
    return Answered(
        outcome,
        answer=Answer(Text=_text(plan, failed, names)),
        feasibility=Feasibility(
            Steps=tuple(
                StepFeasibility(Step=v.step, PAStatus=v.status, Reason=v.reason)
                for v in plan.verdicts
                if v.status is not None
            ),
            Overall=plan.overall,
        ),
        failure=_failure(failed[0]) if failed else None,
        explanation=explain(plan.verdicts, context.names, context.domain),
    )


def _failure(failed: RuleFailure) -> Failure:
    return Failure(
        Service=f"{failed.source}/{failed.rule}" if failed.source else failed.rule,
        Request=failed.message,
        Nature="transient" if failed.transient else "permanent",
    )


def _text(plan: PlanVerdicts, failed: list[RuleFailure], names: Names) -> str:
    """One sentence on the plan, one on what could not be judged."""
    accepted = [v for v in plan.verdicts if v.status is PAStatus.ACK]
    refused = [v for v in plan.verdicts if v.status not in (PAStatus.ACK, None)]
    said = [names.say("accepted", n=len(accepted), all=len(plan.verdicts))]
    if refused:
        said.append(names.say("refused", steps=", ".join(_named(v) for v in refused)))
    unjudged = [v for v in plan.verdicts if v.status is None]
    if unjudged:
        steps = ", ".join(str(v.step) for v in unjudged)
        why = "; ".join(dict.fromkeys(f"{failure.rule}: {failure.message}" for failure in failed))
        said.append(names.say("not_judged", steps=steps, why=why))
    return " ".join((*said, *plan.notes))


def _named(verdict: Verdict) -> str:
    return f"{verdict.step} ({verdict.status})"


KIND = Kind(
    "feasibility",
    "Would these Process Actions be accepted, and why not",
    needs,
    answer,
    takes=("ProcessActions",),
    guide=(
        "Use it before acting: it judges a plan step by step, each on what the accepted steps before it left. A "
        "statement is `[Process] Action Item {At|From|To|With|Of object}`, `{...}` as often as needed (MM-Move and "
        "MM-Moves are the same), of identifiers, texts in double quotes, and @0 for what step 0 made. What each "
        "Action takes is in domain-access://actions, the grammar in domain-access://grammar. "
        "Back come a PA Status (Ack, or why not) and a reason for each step, the overall result, and for a refused "
        "step repairs that were tried: edits after which it is accepted, and who can make them. "
        'Example: {"user": "Friend2", "plan": ["MM-Moves Persona2ID From MLocFriend2 To MVS", '
        '"MM-Moves Persona2ID From MVS To RoomID"]}'
    ),
)
