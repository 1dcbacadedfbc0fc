"""One statement -> what would happen to it: its Process Actions in order, all accepted or none (SEMANTICS 4, 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal

from app.evaluate import events
from app.evaluate.agreed import DIALOGUE, NOTHING_AGREED, Agreed
from app.evaluate.bounds import CONTEXT, NO_CONTEXT
from app.evaluate.decide import Findings, Unmet, find, prebound, raised
from app.evaluate.effects import confer, effect_of, made_by, made_name
from app.evaluate.events import Awaited, Done, Leaf
from app.evaluate.payment import Due, dues_of, pay, stated
from app.evaluate.resolve import Bound, bind
from app.evaluate.wording import Names
from app.facts import BoundReached, Facts, OutsideSituation, Slice
from app.model import (
    Deontic,
    Effect,
    Event,
    Finding,
    Layer,
    PAStatus,
    ProcessAction,
    RuleFailure,
    Statement,
    Term,
    Triple,
    UsedFact,
)
from app.rules import Domain
from app.rules.functions import ExpressionError
from app.vocab import dac

_UNREADABLE = (OutsideSituation, BoundReached, ExpressionError)
"""What a read can end in that says nothing of the World."""

_PLACE = dac("place")
STEP_IRI = "urn:domain-access:step:"


@dataclass(slots=True)
class State:
    """Where a plan stands: the facts as the accepted steps left them, what each made, what was performed.

    `unsure` holds what a step that could not be judged might have changed; `lost` says that even this is not known.
    `spent` is what each payer has paid in each currency; `place` counts the steps up to the one being judged.
    `unread` are Rules of the session that cannot be read.
    """

    facts: Facts
    domain: Domain
    names: Names
    user: str | None
    now: datetime
    agreed: Agreed = NOTHING_AGREED
    made: dict[int, Mapping[str, str] | None] = field(default_factory=dict)
    performed: list[Done] = field(default_factory=list)
    spent: dict[tuple[str, str], Decimal] = field(default_factory=dict)
    place: int = 0
    unread: tuple[RuleFailure, ...] = ()
    unsure: set[Term] = field(default_factory=set)
    lost: bool = False

    def fork(self) -> State:
        """A copy to try something on."""
        return replace(
            self,
            facts=self.facts.fork(),
            made=dict(self.made),
            performed=list(self.performed),
            spent=dict(self.spent),
            unsure=set(self.unsure),
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found of a statement. `status` is None where a rule that could not run might have decided."""

    status: PAStatus | None
    findings: tuple[Finding, ...] = ()
    permits: tuple[Finding, ...] = ()
    failures: tuple[RuleFailure, ...] = ()
    not_applicable: tuple[str, ...] = ()
    unmet: tuple[Unmet, ...] = ()
    values: Mapping[str, tuple[Term, ...]] = field(default_factory=dict)
    unknown: tuple[tuple[str, tuple[str, ...]], ...] = ()
    refused: int = 0
    effect: Effect = field(default_factory=Effect)
    notes: tuple[str, ...] = ()

    @property
    def outside(self) -> frozenset[str]:
        """Entities that would have to be fetched for the rules that could not run."""
        return frozenset[str]().union(*(failure.outside for failure in self.failures))


def judge(statement: Statement, step: int, state: State) -> Outcome:
    """Judge a statement and, if it is accepted, lay its effects on the state."""
    state.place += 1
    if (norm := _norm(statement, state.names)) is not None:
        finding = raised(state.domain.rules["no_request"], {"what": norm}, language=state.names.language)
        return Outcome(PAStatus.FAULTY_REQ, (finding,))
    alone, trial = len(statement.actions) == 1, state
    laid, noted, supposed = True, tuple[str, ...](), tuple[Leaf, ...]()
    try:
        if statement.event is not None:
            awaited = _awaited(statement.event, statement.actions[0], step, state)
            if isinstance(awaited, Outcome):
                state.made[step] = None
                return awaited
            laid, noted, supposed = awaited.occurred, (awaited.note,), awaited.supposed
        if not (alone and laid):
            trial = state.fork()
        for leaf in supposed:
            _suppose(leaf, trial)
    except _UNREADABLE as error:
        state.made[step], state.lost = None, True
        return Outcome(None, failures=(_could_not(statement.actions[0], error),))
    outcomes: list[Outcome] = []
    made: dict[str, str] = {}
    for i, pa in enumerate(statement.actions):
        outcome = _judge_one(pa, f"{STEP_IRI}{step}" + (f":{i}" if i else ""), trial)
        outcomes.append(outcome)
        if outcome.status is not PAStatus.ACK:
            state.made[step] = None
            state.unsure |= trial.unsure
            state.lost |= trial.lost
            return _refused(outcomes, i, noted, state.names)
        made |= made_by(outcome.effect)
    together = outcomes[0] if alone and statement.event is None else _together(outcomes, laid, noted)
    if laid:
        if not alone:
            state.facts, state.performed, state.spent = trial.facts, trial.performed, trial.spent
        state.made[step] = made
    else:
        state.made[step] = {}
    return together


def _awaited(event: Event, first: ProcessAction, step: int, state: State) -> Awaited | Outcome:
    """What the Event of a statement means for it, or the refusal of one that names what nothing has."""
    iri, now = f"{STEP_IRI}{step}:if", first.at_time or state.now
    condition = events.resolve(
        event, lambda pa: bind(pa, iri, state.domain, state.facts, state.names, state.made, state.user)
    )
    for bound in (leaf.bound for leaf in events.leaves(condition)):
        if bound.raised:
            spoken = state.names.language
            blocking = [raised(state.domain.rules[rule], words, near, spoken) for rule, words, near in bound.raised]
            blocking.sort(key=lambda finding: finding.status.rank)
            note = state.names.say("of_event")
            return Outcome(blocking[0].status, tuple(blocking), unknown=bound.unknown, notes=(note,))

    return events.weigh(condition, lambda leaf: _is_done(leaf, now, state), state.names)


def _is_done(leaf: Leaf, now: datetime, state: State) -> bool:
    """Whether a Process Action of an Event has been performed: by an earlier step, or in the World."""
    return any(done.fulfils(leaf.done) for done in state.performed) or events.happened_in_world(
        leaf.done, state.facts, now
    )


def _has_occurred(event: Event, now: datetime, state: State) -> bool:
    """Whether the Event of a norm that was agreed on has occurred; one that names nothing cannot have."""
    condition = events.resolve(
        event, lambda pa: bind(pa, f"{STEP_IRI}norm", state.domain, state.facts, state.names, state.made, state.user)
    )
    if any(leaf.bound.raised for leaf in events.leaves(condition)):
        return False
    return events.occurred(condition, lambda leaf: _is_done(leaf, now, state))


def _suppose(leaf: Leaf, state: State) -> None:
    """Lay what a Process Action of an Event would change, whether or not it would be accepted."""
    values = prebound(leaf.bound, f"{STEP_IRI}if", state.names.base, NO_CONTEXT, leaf.pa.at_time or state.now)
    made = made_name(leaf.bound.action, values, state.facts, state.names)
    if made is not None:
        values["made"] = (made,)
    state.facts.lay(effect_of(leaf.bound, values, state.facts, state.names))
    state.facts.lay(confer(leaf.bound, state.facts, state.names)[0])


def _judge_one(pa: ProcessAction, step_iri: str, state: State) -> Outcome:
    values: dict[str, tuple[Term, ...]] = {}
    try:
        bound = bind(pa, step_iri, state.domain, state.facts, state.names, state.made, state.user)
        assert bound.slice is not None
        step = Slice(step_iri, Layer.STATEMENT, {**bound.slice.out, _PLACE: (Decimal(state.place),)})
        state.facts.state(step)
        now = pa.at_time or state.now
        context = CONTEXT if bound.actor is None or bound.actor == state.user else NO_CONTEXT
        values = prebound(bound, step_iri, state.names.base, context, now)
        if state.agreed.norms:
            values["dialogue"] = (DIALOGUE,)
            for held in state.agreed.conditional(lambda event: _has_occurred(event, now, state)):
                state.facts.state(held)
        made = made_name(bound.action, values, state.facts, state.names)
        if made is not None:
            values["made"] = (made,)
        dues = dues_of(state.domain.payments[bound.action.name], values, state.facts)
        for node in stated(step, dues, state.spent) if dues else ():
            state.facts.state(node)
        found = find(bound, values, state.domain, state.facts, state.names)
        if state.unread and context == CONTEXT:
            found = replace(found, failures=(*found.failures, *state.unread))
        if state.agreed.origin and found.status not in (PAStatus.FAULTY_REQ, PAStatus.INC_ID):
            found = _with_excluded(found, effect_of(bound, values, state.facts, state.names), state)
    except _UNREADABLE as error:
        state.lost = True
        return Outcome(None, failures=(_could_not(pa, error),), values=values)
    status = found.status
    doubt = _doubt(bound, state)
    if doubt is not None and status is not PAStatus.FAULTY_REQ:
        status = None
        found = replace(found, failures=(*found.failures, doubt))
    if status is None:
        _unsettle(bound, values, state)
    if status is not PAStatus.ACK:
        return _outcome(status, found, bound, values, Effect(), _notes(pa, bound, state))
    try:
        effect = effect_of(bound, values, state.facts, state.names)
        state.facts.lay(effect)
        conferred, notes = confer(bound, state.facts, state.names)
        state.facts.lay(conferred)
        paid = pay(dues, state.facts, state.spent)
    except _UNREADABLE as error:
        state.lost = True  # effects may be half laid: no later step is judged on them
        return Outcome(None, failures=(_could_not(pa, error),), values=values)
    state.performed.append(Done.of(bound))
    whole = Effect(effect.added + conferred.added + paid.added, effect.removed + conferred.removed + paid.removed)
    said = (*_notes(pa, bound, state), *notes, *_prices(dues, state.names))
    return _outcome(status, found, bound, values, whole, said)


def _prices(dues: tuple[Due, ...], names: Names) -> tuple[str, ...]:
    """What an accepted step costs whom (SEMANTICS 6)."""
    return tuple(
        names.say("pays", payer=names.name(due.payer), amount=due.amount, currency=names.name(due.currency))
        for due in dues
        if due.amount
    )


def _with_excluded(found: Findings, effect: Effect, state: State) -> Findings:
    """What was found, and that a commitment excludes what the step would change."""
    rule = state.domain.rules["commitment_excludes"]
    blocking = list(found.blocking)
    for commitments, facts in state.agreed.excluded(effect):
        words = {
            "commitment": state.names.listing((f"`{each}`" for each in commitments), "and"),
            "facts": "; ".join(_fact(fact, state.names) for fact in facts if fact in state.agreed.origin),
            "change": "; ".join(_fact(fact, state.names) for fact in facts if fact in effect.added)
            or state.names.say("would_not_be"),
        }
        used = tuple(UsedFact(f, Layer.COMMITMENT if f in state.agreed.origin else Layer.PLAN) for f in facts)
        blocking.append(replace(raised(rule, words, language=state.names.language), used=used))
    blocking.sort(key=lambda f: (f.status.rank, f.rule, f.text))
    return replace(found, blocking=tuple(blocking))


def _fact(fact: Triple, names: Names) -> str:
    return " ".join(f"`{names.name(term)}`" for term in fact)


def _outcome(
    status: PAStatus | None,
    found: Findings,
    bound: Bound,
    values: Mapping[str, tuple[Term, ...]],
    effect: Effect,
    notes: tuple[str, ...],
) -> Outcome:
    return Outcome(
        status,
        found.blocking,
        found.permits,
        found.failures,
        found.not_applicable,
        found.unmet,
        values,
        bound.unknown,
        effect=effect,
        notes=notes,
    )


def _norm(statement: Statement, names: Names) -> str | None:
    """What makes a statement a norm or a Response, if anything does."""
    for pa in statement.actions:
        if pa.deontic in (Deontic.MAY_NOT, Deontic.MUST):
            return names.say("verb", verb=pa.deontic)
    return names.say("pa_status", status=statement.status) if statement.status is not None else None


def _could_not(pa: ProcessAction, error: Exception) -> RuleFailure:
    """What the Action itself reads could not be read: nothing can be said of the step."""
    outside = frozenset({error.entity}) if isinstance(error, OutsideSituation) else frozenset[str]()
    return RuleFailure(f"actions/{pa.action}", PAStatus.FAULTY_REQ, str(error), outside=outside)


def _doubt(bound: Bound, state: State) -> RuleFailure | None:
    """A step that touches what a step of unknown outcome might have changed is of unknown outcome too."""
    if state.lost:
        message = "an earlier step could not be judged, and what it might have changed is not known"
        return RuleFailure("earlier_step", PAStatus.FAULTY_REQ, message)
    touched = state.unsure & {*bound.named, bound.actor} if state.unsure else None
    if not touched:
        return None
    said = ", ".join(sorted(f"`{state.names.name(term)}`" for term in touched if term is not None))
    return RuleFailure(
        "earlier_step", PAStatus.FAULTY_REQ, f"an earlier step that could not be judged concerns {said}"
    )


def _unsettle(bound: Bound, values: Mapping[str, tuple[Term, ...]], state: State) -> None:
    """Note all that a step of unknown outcome names or would change."""
    state.unsure |= {*bound.named, *values.get("made", ())}
    if bound.actor is not None:
        state.unsure.add(bound.actor)
    try:
        effect = effect_of(bound, values, state.facts, state.names)
    except _UNREADABLE:
        state.lost = True
        return
    state.unsure |= {s for s, _, _ in (*effect.added, *effect.removed)}


def _notes(pa: ProcessAction, bound: Bound, state: State) -> tuple[str, ...]:
    notes: list[str] = []
    if pa.written_action:
        notes.append(state.names.say("read_as", written=pa.written_action, action=pa.action))
    if state.user is not None and bound.actor not in (None, state.user):
        notes.append(state.names.say("by_other", process=state.names.name(str(bound.actor))))
    return tuple(notes)


def _refused(outcomes: list[Outcome], i: int, noted: tuple[str, ...], names: Names) -> Outcome:
    """The refusal of one Process Action refuses those joined to it, and takes their effects back."""
    last = outcomes[-1]
    notes = (*last.notes, *noted)
    if len(outcomes) > 1 or i:
        notes = (names.say("joined", n=i), *notes)
    return replace(last, refused=i, notes=notes)


def _together(outcomes: list[Outcome], laid: bool, noted: tuple[str, ...]) -> Outcome:
    effect = Effect(
        tuple(t for o in outcomes for t in o.effect.added), tuple(t for o in outcomes for t in o.effect.removed)
    )
    return replace(
        outcomes[-1],
        permits=tuple(f for o in outcomes for f in o.permits),
        effect=effect if laid else Effect(),
        notes=(*(note for outcome in outcomes for note in outcome.notes), *noted),
    )
