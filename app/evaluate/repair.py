"""Refused -> Repairs: edits from the templates of the rules that refused, each tried before it is shown.

At most two edits, at most 64 trials of the step; only what ends in Ack is shown (SEMANTICS 5).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, islice

from app.errors import StatementError
from app.evaluate.decide import Values, solutions
from app.evaluate.effects import instantiate
from app.evaluate.judge import Outcome, State, judge
from app.evaluate.wording import Names, fill, placeholders, say
from app.facts import BoundReached, OutsideSituation
from app.model import (
    Complement,
    Edit,
    Effect,
    Iri,
    PAStatus,
    Repair,
    Statement,
    Term,
    Word,
)
from app.rules.forms import RepairForm
from app.rules.functions import ExpressionError
from app.statement import format as format_statement
from app.statement import parse

TRIALS = 64
PLAN_TRIALS = 512
"""Trials for all the steps of a plan together: a long plan that is refused throughout is answered in time."""
SHOWN = 3
INSERTED = -1
"""The Step of a statement put before: no `@n` refers to it, nor loses what another step made."""
INSTANCES = 8
"""Bindings tried of one template."""


@dataclass(frozen=True, slots=True)
class _Change:
    """An edit that can be applied: the step's statement anew, a statement before it, or facts of the World."""

    edit: Edit
    statement: Statement | None = None
    before: Statement | None = None
    effect: Effect | None = None


@dataclass(frozen=True, slots=True)
class Repairs:
    """The Repairs found; `complete` is false when a bound or something not fetched cut the search short, `sought`
    where none was left to be tried. `trials` is how many were.
    """

    found: tuple[Repair, ...] = ()
    complete: bool = True
    outside: frozenset[str] = frozenset()
    sought: bool = True
    trials: int = 0


NOT_SOUGHT = Repairs(complete=False, sought=False)


def repair(
    statement: Statement,
    step: int,
    refusal: Outcome,
    state: State,
    most: int = TRIALS,
    may_fetch: bool = False,
) -> Repairs:
    """Seek Repairs of a refused statement by at most so many trials; the state is not changed.

    Where templates read what was not fetched, the others are tried all the same, unless it may be fetched: all that
    they missed is told at once.
    """
    unread = _Unread()
    changes = sorted(dict.fromkeys(_changes(statement, refusal, state, unread)), key=_order)
    if unread.entities and may_fetch:
        return Repairs((), False, frozenset(unread.entities))
    found: list[Repair] = []
    outside = set(unread.entities)
    singles: list[tuple[_Change, ...]] = [(change,) for change in changes]
    trial = 0
    for attempt in chain(singles, combinations(changes, 2)):
        if len(found) == SHOWN or (found and len(attempt) > 1):
            break
        if trial == most:
            return Repairs(tuple(found), False, frozenset(outside), trials=trial)
        trial += 1
        outcome, edited = _try(attempt, statement, step, state)
        if outcome.outside:  # with all that is put before it, which judging misses one by one
            outside |= outcome.outside.union(*(_named(change.before, state) for change in attempt))
        if outcome.status is PAStatus.ACK:
            edits = tuple(change.edit for change in attempt)
            said = state.names.listing((edit.text for edit in edits), "then")
            found.append(Repair(edits, format_statement(edited), said))
    return Repairs(tuple(found), not (outside or unread.bounded), frozenset(outside), trials=trial)


@dataclass(slots=True)
class _Unread:
    """What templates could not read: entities to be fetched, and whether a bound was reached."""

    entities: set[str] = field(default_factory=set)
    bounded: bool = False


def _order(change: _Change) -> tuple[int, str]:
    """What the actor can do itself first, then what another must, then what only the World can bring about."""
    return ("replace", "insert", "insert_by_other", "world").index(change.edit.kind), change.edit.text


def _try(attempt: tuple[_Change, ...], statement: Statement, step: int, state: State) -> tuple[Outcome, Statement]:
    trial = state.fork()
    edited = statement
    for change in attempt:
        if change.effect is not None:
            try:
                trial.facts.lay(change.effect)
            except OutsideSituation:
                return Outcome(None), statement
        if change.before is not None:
            first = judge(change.before, INSERTED, trial)
            if first.status is not PAStatus.ACK:
                return replace(first, status=None), statement
        if change.statement is not None:
            edited = change.statement
    return judge(edited, step, trial), edited


def _named(statement: Statement | None, state: State) -> set[str]:
    """What a statement names."""
    actions = statement.actions if statement is not None else ()
    objects = [written for action in actions for written in (action.process, *(c.object for c in action.complements))]
    names = {state.names.iri(written.name) for written in objects if isinstance(written, Word)}
    return names | {written.iri for written in objects if isinstance(written, Iri)}


def _changes(statement: Statement, refusal: Outcome, state: State, unread: _Unread) -> Iterator[_Change]:
    for finding in refusal.findings:
        rule = state.domain.rules[finding.rule]
        values: Values = {**refusal.values, **{name: (term,) for name, term in finding.bindings.items()}}
        for form in rule.repairs:
            yield from _of_form(form, values, statement, refusal.refused, state, unread)
    for name, nearest in refusal.unknown:
        for near in nearest:
            yield from _renamed(name, near, statement, refusal.refused, state.names)
    for unmet in refusal.unmet:
        values = {**refusal.values, "target": (unmet.target,)}
        for rule in state.domain.permitting[unmet.need]:
            for form in rule.repairs:
                yield from _of_form(form, values, statement, refusal.refused, state, unread)


def _of_form(
    form: RepairForm, values: Values, statement: Statement, i: int, state: State, unread: _Unread
) -> Iterator[_Change]:
    """The changes that a template stands for, as far as it can be read."""
    try:
        yield from _instances(form, values, statement, i, state)
    except OutsideSituation as error:  # where its walk starts is named, too: one fetch then has all of it
        parameters = form.when.parameters if form.when is not None else ()
        starts = (term for name in parameters for term in values.get(name, ()))
        unread.entities.update({error.entity, *(term for term in starts if isinstance(term, str))})
    except BoundReached:
        unread.bounded = True


def _instances(form: RepairForm, values: Values, statement: Statement, i: int, state: State) -> Iterator[_Change]:
    base = {name: terms[0] for name, terms in values.items()}
    given: Iterable[Mapping[str, Term]] = [{}]
    if form.when is not None:
        try:
            given = [b for b, _ in islice(solutions(form.when, values, state.facts), INSTANCES)]
        except (LookupError, ExpressionError):
            return
    for bindings in given:
        change = _instance(form, {**base, **bindings}, statement, i, state)
        if change is not None:
            yield change


def _instance(
    form: RepairForm, bindings: Mapping[str, Term], statement: Statement, i: int, state: State
) -> _Change | None:
    names = state.names
    if form.replace is not None:
        term = bindings.get(form.by.strip("{}"))
        if not isinstance(term, str):
            return None
        new = names.object(term)
        complements = tuple(
            Complement(c.preposition, new) if c.preposition is form.replace else c
            for c in statement.actions[i].complements
        )
        text = names.say("say_object", preposition=form.replace, name=names.name(term))
        return _Change(Edit("replace", text), statement=_with(statement, i, complements))
    if form.insert:
        written = {name: names.written(bindings[name]) for name in placeholders(form.insert) if name in bindings}
        try:
            before = parse(fill(form.insert, written), state.domain.grammar)
        except StatementError:
            return None
        actor = bindings.get("actor")
        process = before.actions[0].process
        by = process.name if isinstance(process, Word) else process.iri if isinstance(process, Iri) else ""
        own = isinstance(actor, str) and by in (names.name(actor), actor)
        line = format_statement(before)
        text = names.say("first", line=line) if own else names.say("does_first", process=by, line=line)
        edit = Edit("insert", text, line) if own else Edit("insert_by_other", text, line, needs=by)
        return _Change(edit, before=before)
    effect = Effect(instantiate(form.facts, bindings), instantiate(form.remove, bindings))
    who = names.name(bindings[form.who], state.facts) if form.who in bindings else ""
    edit = Edit("world", say(form.text.of(names.language), bindings, names, state.facts), needs=who, effect=effect)
    return _Change(edit, effect=effect)


def _renamed(name: str, near: str, statement: Statement, i: int, names: Names) -> Iterator[_Change]:
    """The statement with the name that named nothing replaced by a near one, wherever it stands."""
    refused = statement.actions[i]
    process = refused.process
    if isinstance(process, Word) and process.name == name:
        actions = list(statement.actions)
        actions[i] = replace(refused, process=Word(near))
        edit = Edit("replace", names.say("say", name=near))
        yield _Change(edit, statement=replace(statement, actions=tuple(actions)))
    complements = tuple(
        Complement(c.preposition, replace(c.object, name=near))
        if isinstance(c.object, Word) and c.object.name == name
        else c
        for c in refused.complements
    )
    if complements != refused.complements:
        yield _Change(Edit("replace", names.say("say", name=near)), statement=_with(statement, i, complements))


def _with(statement: Statement, i: int, complements: tuple[Complement, ...]) -> Statement:
    actions = list(statement.actions)
    actions[i] = replace(actions[i], complements=complements)
    return replace(statement, actions=tuple(actions))
