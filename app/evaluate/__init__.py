"""A plan -> Verdicts: read the statements, say what they need, judge them in order (SEMANTICS 4, 5).

resolve   words -> terms          decide   rules and needs -> Findings, the decision table
effects   what an Ack changes     judge    one statement, its Process Actions all or none
repair    what would make a refused step Ack             wording   how it is said
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from app.errors import Fault, StatementError
from app.evaluate.agreed import NOTHING_AGREED, Agreed
from app.evaluate.bounds import NO_BOUNDS, Bounds, bounds_of
from app.evaluate.decide import raised
from app.evaluate.effects import made_name
from app.evaluate.judge import STEP_IRI, Outcome, State, judge
from app.evaluate.repair import NOT_SOUGHT, PLAN_TRIALS, TRIALS, Repairs, repair
from app.evaluate.resolve import bind
from app.evaluate.wording import Names, placeholders
from app.facts import BoundReached, OutsideSituation
from app.knowledge import fold
from app.model import (
    Event,
    Iri,
    Object,
    Overall,
    PAStatus,
    ProcessAction,
    Statement,
    Verdict,
    Word,
)
from app.rules import Domain
from app.rules.compiled import Reach
from app.rules.forms import VARIABLE_OF
from app.situation import Needs, Situation
from app.statement import parse

__all__ = [
    "NO_BOUNDS",
    "Bounds",
    "Names",
    "PlanVerdicts",
    "Step",
    "begin",
    "bounds_of",
    "judge_plan",
    "needs_of",
    "read_steps",
]


AT_ONCE = 64
"""Steps judged before what was missed is fetched: a long plan is not judged as a whole for each fetch."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a plan: its statement, or why the text is none."""

    number: int
    text: str
    statement: Statement | None = None
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class PlanVerdicts:
    """The Verdicts in order of Step; `outside` names what should be fetched for another try, `notes` says what of the
    session's bounds is ignored.
    """

    verdicts: tuple[Verdict, ...]
    overall: Overall
    outside: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


def read_steps(texts: Iterable[tuple[int, str]], domain: Domain) -> tuple[Step, ...]:
    """Parse each statement once, in order of Step."""
    steps: list[Step] = []
    for number, text in sorted(texts):
        try:
            steps.append(Step(number, text, parse(text, domain.grammar)))
        except StatementError as error:
            steps.append(Step(number, text, fault=error.faults[0]))
    return tuple(steps)


def needs_of(steps: Iterable[Step], domain: Domain, names: Names, user: str | None) -> Needs:
    """The names whose facts the plan wants, each with what its role lets rules walk."""
    starts: dict[str, dict[int, Reach]] = {names.base: {}}
    for step in steps:
        event = step.statement.event if step.statement is not None else None
        for pa in (*step.statement.actions, *_of_event(event)) if step.statement is not None else ():
            for entity, reach in _starts(pa, domain, names, user):
                walks = starts.setdefault(entity, {})
                if reach is not None:
                    walks[id(reach)] = reach
        for pa in _of_event(event):
            actor = user if pa.process is None else _iri(pa.process, names)
            if actor is not None:
                starts.setdefault(actor, {})[id(domain.event_reach)] = domain.event_reach
    return Needs({e: tuple(walks.values()) for e, walks in starts.items()}, _foresight(steps, domain, names))


def _of_event(event: Event | ProcessAction | None) -> Iterator[ProcessAction]:
    """The Process Actions of an Event."""
    if isinstance(event, ProcessAction):
        yield event
    elif event is not None:
        for operand in event.operands:
            yield from _of_event(operand)


def _foresight(
    steps: Iterable[Step], domain: Domain, names: Names
) -> Callable[[Situation], dict[str, tuple[Reach, ...]]] | None:
    """What the steps will make whose names follow from facts, not from the words alone; None if there is no such."""
    making = [
        pa
        for step in steps
        for pa in (step.statement.actions if step.statement is not None else ())
        if domain.actions[pa.action].made_when is not None
    ]
    if not making:
        return None

    def foresee(situation: Situation) -> dict[str, tuple[Reach, ...]]:
        facts = situation.facts(domain)
        found: dict[str, tuple[Reach, ...]] = {}
        for pa in making:
            try:
                bound = bind(pa, STEP_IRI, domain, facts, names, {}, None)
                made = made_name(bound.action, bound.values, facts, names)
            except (OutsideSituation, BoundReached):
                continue  # judging will miss it, and say so
            if made is not None:
                found[made] = (domain.reach[pa.action].get("made", Reach()),)
        return found

    return foresee


def begin(
    domain: Domain,
    situation: Situation,
    names: Names,
    user: str | None,
    now: datetime,
    bounds: Bounds = NO_BOUNDS,
    agreed: Agreed = NOTHING_AGREED,
) -> State:
    """Where a plan starts: a fresh view of the facts, with what the session keeps to and what the dialogue agreed on
    among them. Raises OutsideSituation where the session names what was not fetched.
    """
    facts = situation.facts(domain)
    for held in (*bounds.all_slices(), *agreed.slices()):
        facts.state(held)
    return State(facts, domain, names, user, now, agreed, unread=bounds.unread(facts, names))


def judge_plan(
    steps: Iterable[Step],
    domain: Domain,
    situation: Situation,
    names: Names,
    user: str | None,
    now: datetime,
    *,
    bounds: Bounds = NO_BOUNDS,
    agreed: Agreed = NOTHING_AGREED,
    may_fetch: bool = False,
    seek_repairs: bool = True,
) -> PlanVerdicts:
    """Judge every step on what the accepted ones before it left; nothing reaches the World. What the dialogue
    `agreed` on restricts every step.

    With `may_fetch` it ends at the first entity that judging misses, and no Repairs are shown where seeking them
    missed some: the caller will fetch them and ask again. Without `seek_repairs` only PA Status and findings are
    wanted, and no Reason says what would pass.
    """
    try:
        state = begin(domain, situation, names, user, now, bounds, agreed)
        notes = bounds.remarks(state.facts, names, user)
    except OutsideSituation as error:
        return PlanVerdicts((), Overall.INFEASIBLE, frozenset({error.entity}))
    verdicts: list[Verdict] = []
    outside: set[str] = set()
    tried = 0
    for step in steps:
        if step.statement is None:
            state.made[step.number] = None
            state.place += 1
            verdicts.append(_unparsable(step, domain, now))
            continue
        outcome = judge(step.statement, step.number, state)
        outside |= outcome.outside
        repairs = Repairs()
        if may_fetch and outcome.outside:
            break
        if outcome.status not in (PAStatus.ACK, None):
            left = PLAN_TRIALS - tried
            repairs = NOT_SOUGHT
            if left > 0 and seek_repairs:
                repairs = repair(step.statement, step.number, outcome, state, min(TRIALS, left))
            tried += max(repairs.trials, 1)
        outside |= repairs.outside
        if may_fetch and outside and len(verdicts) >= AT_ONCE:
            break
        verdicts.append(_verdict(step, outcome, repairs, now))
    return PlanVerdicts(tuple(verdicts), overall(verdicts), frozenset(outside), notes)


def overall(verdicts: Iterable[Verdict]) -> Overall:
    """All Ack feasible, no Ack infeasible, else partially feasible; never feasible with a step not judged."""
    statuses = [verdict.status for verdict in verdicts]
    if statuses and all(status is PAStatus.ACK for status in statuses):
        return Overall.FEASIBLE
    return Overall.PARTIALLY_FEASIBLE if PAStatus.ACK in statuses else Overall.INFEASIBLE


def _starts(pa: ProcessAction, domain: Domain, names: Names, user: str | None) -> Iterator[tuple[str, Reach | None]]:
    roots = domain.reach[pa.action]
    objects: list[tuple[str, Object]] = [(VARIABLE_OF[c.preposition], c.object) for c in pa.complements]
    actor = _iri(pa.process, names) if pa.process is not None else user
    classes = domain.knowledge.class_names
    words = [written for written in (*(o for _, o in objects), pa.process) if isinstance(written, Word)]
    by_class = any(fold(word.name) in classes for word in words)
    for name in [actor] if actor is not None else []:
        yield name, roots.get("actor")
        if by_class:
            yield name, domain.class_reach.get("actor")
    for variable, written in objects:
        iri = _iri(written, names)
        if iri is None:
            continue
        yield iri, roots.get(variable)
        if by_class:
            yield iri, domain.class_reach.get(variable)
    yield names.base, roots.get("m_instance")
    for made in _may_make(pa, domain, names):
        yield made, roots.get("made")


def _iri(written: object, names: Names) -> str | None:
    if isinstance(written, Word):
        return names.iri(written.name)
    return written.iri if isinstance(written, Iri) else None


def _may_make(pa: ProcessAction, domain: Domain, names: Names) -> Iterator[str]:
    """The names of what the Action makes, where they follow from one word of the statement alone."""
    action = domain.actions[pa.action]
    for template in action.made_names if action.made_when is None else ():
        (name,) = placeholders(template)
        for preposition, forms in action.by_preposition.items():
            if VARIABLE_OF[preposition] == name or any(form.role == name for form in forms):
                for written in pa.objects(preposition):
                    if isinstance(written, Word):
                        yield names.iri(template.replace(f"{{{name}}}", written.name))


def _unparsable(step: Step, domain: Domain, now: datetime) -> Verdict:
    assert step.fault is not None
    finding = raised(domain.rules["unparsable"], {"message": step.fault.message})
    pointer = f"\n{step.fault.hint}" if step.fault.hint else ""
    reason = f"{finding.text} [{finding.rule}]{pointer}"
    return Verdict(step.number, step.text, finding.status, reason, (finding,), time=now)


def _verdict(step: Step, outcome: Outcome, repairs: Repairs, now: datetime) -> Verdict:
    assert step.statement is not None
    return Verdict(
        step=step.number,
        statement=step.text,
        status=outcome.status,
        reason=_reason(outcome, repairs),
        findings=outcome.findings,
        permits=outcome.permits,
        failures=outcome.failures,
        effect=outcome.effect,
        repairs=repairs.found,
        repairs_complete=repairs.complete,
        not_applicable=outcome.not_applicable,
        notes=outcome.notes,
        time=step.statement.actions[0].at_time or now,
    )


def _reason(outcome: Outcome, repairs: Repairs) -> str:
    """What is wrong, by which rule, and what would make it pass; of an Ack, what permits it."""
    if outcome.status is None:
        said = [f"could not be judged: {failure.message} [{failure.rule}]" for failure in outcome.failures]
    elif outcome.status is PAStatus.ACK:
        permits = [f"{permit.text} [{permit.rule}]" for permit in outcome.permits]
        said = ["; ".join(dict.fromkeys(permits)) or "nothing stands against it and nothing more is needed"]
    else:
        said = [f"{finding.text} [{finding.rule}]" for finding in outcome.findings]
        found = [each.text for each in repairs.found]
        said.append(f"It would pass: {'; or '.join(found)}" if found else _none_known(repairs))
    return ". ".join([*dict.fromkeys(said), *outcome.notes])


def _none_known(repairs: Repairs) -> str:
    if not repairs.sought:
        return "No repair was sought: the steps before took all the trials of a plan"
    return "No repair is known" if repairs.complete else "No repair was found before the search was cut short"
