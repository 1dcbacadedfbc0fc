"""Form 1: a Process Action statement with May, May Not or Must; and when two norms oppose each other.

A deed overlaps another if one act could be both: the same Action, processes and parts that can be the same thing. A
part left out is any; a class is each of its instances; where an Action takes several objects after a preposition, two
different ones there can be those of one act.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from app.commitments.forms import Form, Meaning, Reading
from app.commitments.names import Scope
from app.errors import StatementError
from app.evaluate.agreed import ANYONE, Deed, Norm
from app.model import (
    Deontic,
    Iri,
    Number,
    Object,
    Preposition,
    Quoted,
    Statement,
    StepRef,
    Term,
    Text,
    Word,
)
from app.rules import Domain
from app.statement import parse
from app.vocab import mmm

Fits = Callable[[Term, Term], bool]
"""Whether two terms can be the same thing: equal, or one a class of the other."""

_OPPOSED: Final = (frozenset({Deontic.MAY, Deontic.MAY_NOT}), frozenset({Deontic.MUST, Deontic.MAY_NOT}))


def read_norm(text: str, scope: Scope) -> Reading | None:
    """The reading of a statement with a deontic verb; None where the text is no statement or has no such verb."""
    try:
        statement = parse(text, scope.domain.grammar)
    except StatementError:
        return None
    if all(pa.deontic is None for pa in statement.actions):
        return None
    return norm_of(statement, scope, Form.STATEMENT, scope.user or ANYONE)


def norm_of(statement: Statement, scope: Scope, form: Form, actor: str) -> Reading:
    """The reading of a parsed norm; `actor` is who acts where the statement names no Process."""
    if statement.status is not None:
        return Reading(Form.TEXT, remark=f"a norm has no PA Status, this one says `{statement.status}`")
    norms: list[Norm] = []
    unknown: dict[str, None] = {}
    deontic = statement.actions[0].deontic
    for pa in statement.actions:
        deontic = pa.deontic or deontic
        if deontic is None:
            return Reading(Form.TEXT, remark=f"what does `{pa.action}` stand under? expected May, May Not or Must")
        process = actor if pa.process is None else _term(pa.process, scope, unknown)
        parts: dict[str, list[Term]] = {}
        for complement in pa.complements:
            if not scope.domain.actions[pa.action].by_preposition[complement.preposition]:
                return Reading(Form.TEXT, remark=f"{pa.action} takes nothing after {complement.preposition}")
            term = _term(complement.object, scope, unknown)
            if term is None:
                return Reading(Form.TEXT, remark="a norm cannot speak of the steps of a plan (`@`)")
            parts.setdefault(_predicate(complement.preposition), []).append(term)
        if not isinstance(process, str):
            return Reading(Form.TEXT, remark="a norm cannot speak of the steps of a plan (`@`)")
        deed = Deed(process, scope.domain.actions[pa.action].iri, {p: tuple(t) for p, t in parts.items()}, pa.at_time)
        norms.append(Norm(deontic, deed, statement.event))
    remark = f"{', '.join(f'`{name}`' for name in unknown)} names nothing yet" if unknown else ""
    return Reading(form, Meaning(norms=tuple(norms)), remark)


def entering(place: Term, process: str, deontic: Deontic, scope: Scope) -> tuple[Norm, ...]:
    """The norms on entering a place: one for each Action and preposition that has the need `enter` and takes it."""
    return tuple(
        Norm(deontic, Deed(process, action.iri, {_predicate(complement.preposition): (place,)}))
        for action in scope.domain.actions.values()
        for complement in action.complements
        if complement.need == "enter" and scope.can_be(place, complement.kinds)
    )


def opposed(one: Norm, other: Norm, domain: Domain, fits: Fits) -> bool:
    """Whether two norms contradict each other on some act."""
    if {one.deontic, other.deontic} not in _OPPOSED:
        return False
    if one.event is not None and other.event is not None and one.event != other.event:
        return False  # whether both events can be at once, logic alone does not say
    return overlap(one.deed, other.deed, domain, fits)


def overlap(one: Deed, other: Deed, domain: Domain, fits: Fits) -> bool:
    """Whether one act could be both."""
    if one.action != other.action or (one.time is not None and other.time is not None and one.time != other.time):
        return False
    if ANYONE not in (one.process, other.process) and not fits(one.process, other.process):
        return False
    return all(
        _several(one.action, predicate, domain) or any(fits(a, b) for a in terms for b in other.parts[predicate])
        for predicate, terms in one.parts.items()
        if predicate in other.parts
    )


def _several(action: str, predicate: str, domain: Domain) -> bool:
    """Whether an Action takes more than one object there."""
    for each in domain.actions.values():
        if each.iri == action:
            forms = [form for form in each.complements if _predicate(form.preposition) == predicate]
            return len(forms) > 1 or any(form.repeatable for form in forms)
    return False


def _predicate(preposition: Preposition) -> str:
    return mmm("complement" + preposition)


def _term(written: Object | Word | Iri | StepRef, scope: Scope, unknown: dict[str, None]) -> Term | None:
    """An entity that is there, else a class, else the name it would have: a plan may bring it about."""
    if isinstance(written, StepRef):
        return None
    if isinstance(written, Quoted):
        return scope.thing(written.text) or Text(written.text)
    if isinstance(written, Number):
        return written.value
    if isinstance(written, Iri):
        return written.iri
    found = scope.thing(written.name) or scope.kind(written.name)
    if found is None:
        unknown[written.name] = None
        found = scope.names.iri(written.name)
    return found
