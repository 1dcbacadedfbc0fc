"""What things lend themselves to: the uses and Actions that their classes afford, and the statement that carries each
out (dac:affords, dac:requiresState, dac:leadsTo, dac:performedBy; ontologies/README.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app.errors import StatementError
from app.evaluate import Names
from app.evaluate.wording import fill
from app.facts import BoundReached, Facts, OutsideSituation
from app.kinds.as_known import one
from app.kinds.wording import Speech, narrowest
from app.knowledge import Knowledge
from app.model import (
    Complement,
    Preposition,
    ProcessAction,
    Statement,
    Text,
    Triple,
)
from app.rules import Action, Domain
from app.rules.forms import ComplementForm
from app.statement import format, parse
from app.vocab import AT, DEONTIC_VERB, HELD_BY, PROCESS_ACTION, SUB_CLASS, TYPE, dac, mmm

AFFORDS: Final = dac("affords")
PERFORMED_BY: Final = dac("performedBy")
REQUIRES: Final = dac("requiresState")
LEADS_TO: Final = dac("leadsTo")
STATE: Final = dac("state")
EXCLUDES: Final = dac("excludes")
PERSONA: Final = mmm("persona")
BY_STATE: Final = "Property Changes {item} With {state}"
"""What carries out a use that leads to a state and says nothing else."""


@dataclass(frozen=True, slots=True)
class Grant:
    """That a class, or a thing itself (`granted_by` is then the thing), affords a use; `action` where it is one."""

    use: str
    granted_by: str
    action: Action | None = None

    @property
    def axiom(self) -> Triple:
        """What is stated."""
        return (self.granted_by, AFFORDS, self.use)


@dataclass(frozen=True, slots=True)
class Hindrance:
    """Why the present state rules a use out: the state the thing is in, and the one it excludes or equals."""

    state: str
    against: str


def grants(thing: str, classes: tuple[str, ...], domain: Domain, facts: Facts) -> tuple[Grant, ...]:
    """What a thing, or one of some classes, affords; each use once, by the narrowest class that says so."""
    by_iri = {action.iri: action for action in domain.actions.values()}
    found: dict[str, list[str]] = {}
    stated = [(each, domain.vocabulary[each].out.get(AFFORDS, ())) for each in classes if each in domain.vocabulary]
    for each, uses in [(thing, facts.objects(thing, AFFORDS)), *stated] if thing else stated:
        for use in uses:
            if isinstance(use, str):
                found.setdefault(use, []).append(each)
    chosen = {use: _narrowest_of(givers, domain.knowledge) for use, givers in found.items()}
    return tuple(Grant(use, giver, by_iri.get(use)) for use, giver in sorted(chosen.items()))


def classes_of(thing: str, facts: Facts) -> tuple[str, ...]:
    """All classes of a thing, inferred ones included."""
    return tuple(sorted(c for c in facts.objects(thing, TYPE) if isinstance(c, str)))


def with_superclasses(classes: tuple[str, ...], knowledge: Knowledge) -> tuple[str, ...]:
    """Classes and all above them."""
    above = (c for each in classes for c in knowledge.schema.superclasses.get(each, ()))
    return tuple(dict.fromkeys((*classes, *above)))


def _narrowest_of(givers: list[str], knowledge: Knowledge) -> str:
    """The thing itself, else the first of the narrowest classes."""
    own = [each for each in givers if each not in knowledge.classes]
    return own[0] if own else min(narrowest(givers, knowledge))


def chain(thing_class: str, granting: str, knowledge: Knowledge) -> tuple[Triple, ...]:
    """The axioms by which a class is below the granting one."""
    return () if thing_class == granting else knowledge.closure.why((thing_class, SUB_CLASS, granting))


def hindrance(thing: str, use: str, facts: Facts) -> Hindrance | None:
    """The state that rules a use out now: one that excludes a required state, or the one it would lead to."""
    states = [s for s in facts.objects(thing, STATE) if isinstance(s, str)]
    for required in facts.objects(use, REQUIRES):
        for state in states:
            if isinstance(required, str) and required in facts.objects(state, EXCLUDES):
                return Hindrance(state, required)
    for reached in facts.objects(use, LEADS_TO):
        if isinstance(reached, str) and reached in states:
            return Hindrance(reached, reached)
    return None


def statements(
    grant: Grant, thing: str, domain: Domain, facts: Facts, names: Names, user: str | None
) -> list[Statement]:
    """The statements that would carry a use out; of an Action one for each way a held May names it, too.

    None where the pack's template is no statement: that use cannot be carried out by saying so.
    """
    if grant.action is None:
        found = statement_of(grant.use, thing, "", domain, facts, names, user)
        return [found] if found is not None else []
    form = form_for(grant.action, grant.granted_by, classes_of(thing, facts), domain.knowledge)
    if form is None:
        return []
    plain = ProcessAction(None, grant.action.name, (Complement(form.preposition, names.object(thing)),))
    return [Statement((pa,)) for pa in (plain, *_by_rights(grant.action, thing, facts, names, user))]


def statement_of(
    use: str, thing: str, asked_class: str, domain: Domain, facts: Facts, names: Names, user: str | None
) -> Statement | None:
    """The statement of a use for a thing, or for any of a class (`thing` empty)."""
    template = facts.value(use, PERFORMED_BY)
    state = next((s for s in facts.objects(use, LEADS_TO) if isinstance(s, str)), None)
    text = template.value if isinstance(template, Text) else BY_STATE if state else ""
    if not text:
        return None
    try:
        return parse(fill(text, _values(thing, asked_class, state, domain, facts, names, user)), domain.grammar)
    except StatementError:
        return None


def _values(
    thing: str, asked_class: str, state: str | None, domain: Domain, facts: Facts, names: Names, user: str | None
) -> dict[str, str]:
    """The placeholders of a template: what has no value is named by its class."""
    persona = one(user, PERSONA, facts)
    place = mmm("MLocation")
    values: dict[str, str | None] = {
        "item": thing or asked_class,
        "state": state,
        "place": one(thing, AT, facts) or place,
        "here": one(persona, AT, facts) or place,
        "persona": persona or mmm("Persona"),
        "user": user or mmm("User"),
    }
    return {name: _written(term, domain, names) for name, term in values.items() if term}


def _written(term: str, domain: Domain, names: Names) -> str:
    """A term as a statement names it: classes by label, other terms of the vocabulary by IRI."""
    if term in domain.knowledge.classes:
        return names.written(term)
    return f"<{term}>" if term in domain.vocabulary else names.written(term)


def form_for(action: Action, granting: str, classes: tuple[str, ...], knowledge: Knowledge) -> ComplementForm | None:
    """The complement of an Action that a thing fills: that whose kind is nearest above the granting class, required
    ones first.
    """

    def distance(form: ComplementForm) -> tuple[int, bool]:
        if granting in form.kinds:
            return (0, not form.required)
        return (1 if any(knowledge.is_a(granting, kind) for kind in form.kinds) else 2, not form.required)

    fitting = [form for form in action.complements if not form.type and form.kind_set.intersection(classes)]
    return min(fitting, key=distance, default=None)


def _by_rights(action: Action, thing: str, facts: Facts, names: Names, user: str | None) -> Iterator[ProcessAction]:
    """The Process Actions of the User's own Mays that name the thing: where the plain one is too little, they do."""
    if user is None:
        return
    try:
        for right in facts.subjects(HELD_BY, user):
            if mmm("May") not in facts.objects(right, DEONTIC_VERB):
                continue
            for pa in facts.objects(right, PROCESS_ACTION):
                if isinstance(pa, str) and action.iri in facts.objects(pa, mmm("action")):
                    parts = [
                        Complement(preposition, names.object(part))
                        for preposition in (p for p in Preposition if p not in (Preposition.BY, Preposition.INTO))
                        for part in facts.objects(pa, mmm(f"complement{preposition}"))
                        if isinstance(part, str)
                    ]
                    if any(part.object == names.object(thing) for part in parts):
                        yield ProcessAction(None, action.name, tuple(parts))
    except (OutsideSituation, BoundReached):
        return


def text_of(statement: Statement) -> str:
    """A statement as it is shown."""
    return format(statement)


def use_label(grant: Grant, speech: Speech) -> str:
    """An MMM Action name, else the verb of the domain."""
    return grant.action.name if grant.action is not None else speech.label(grant.use)
