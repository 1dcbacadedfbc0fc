"""Words -> terms: what each name of a Process Action names, and which complement of the Action it fills.

Raises nothing: what names nothing, or is of the wrong kind, is a finding (SEMANTICS 1, 4, 5: FaultyReq, IncID).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from app.evaluate.candidates import candidates, nearest, shown
from app.evaluate.wording import Names
from app.facts import Facts, Slice
from app.knowledge import fold
from app.model import (
    Complement,
    Iri,
    Layer,
    Number,
    Object,
    PAStatus,
    Preposition,
    ProcessAction,
    Quoted,
    StepRef,
    Term,
    Text,
    Word,
)
from app.rules import Action, Domain
from app.rules.forms import VARIABLE_OF, ComplementForm
from app.vocab import AT, CLAIMS_FINAL, OWNER, TYPE, mmm

_PROCESS_ACTION, _ACTION, _PROCESS = mmm("ProcessAction"), mmm("action"), mmm("process")
PREDICATE_OF = tuple((variable, mmm("complement" + preposition)) for preposition, variable in VARIABLE_OF.items())
"""Each preposition's variable, and the property by which a Process Action names what stands after it."""

Raised = tuple[str, dict[str, str], tuple[str, ...]]
"""A builtin rule, the words for its template, and names that would have been right."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A Process Action whose names have their values."""

    action: Action
    actor: str | None
    values: Mapping[str, tuple[Term, ...]]
    written: str = ""
    needs: tuple[tuple[str, Term], ...] = ()
    named: frozenset[Term] = frozenset()
    raised: tuple[Raised, ...] = ()
    slice: Slice | None = None

    @property
    def unknown(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The names that named nothing, each with those that are near."""
        return tuple((words["name"], near) for rule, words, near in self.raised if rule == "unknown_name")


@dataclass(slots=True)
class _Reading:
    """One Process Action being resolved."""

    pa: ProcessAction
    action: Action
    domain: Domain
    facts: Facts
    names: Names
    made: Mapping[int, Mapping[str, str] | None]
    actor: str | None = None
    raised: list[Raised] = field(default_factory=list)
    unknown: dict[Preposition, int] = field(default_factory=dict)
    misfits: set[Preposition] = field(default_factory=set)


def bind(
    pa: ProcessAction,
    step_iri: str,
    domain: Domain,
    facts: Facts,
    names: Names,
    made: Mapping[int, Mapping[str, str] | None],
    user: str | None,
) -> Bound:
    """The values of every name in a Process Action; `made` tells what each earlier step made (None: refused)."""
    r = _Reading(pa, domain.actions[pa.action], domain, facts, names, made)
    r.actor = _actor(r, user)
    values: dict[str, list[Term]] = {}
    needs: list[tuple[str, Term]] = []
    final: list[str] = []
    filled: dict[ComplementForm, int] = {}
    for complement in pa.complements:
        forms = r.action.by_preposition[complement.preposition]
        term, is_new = _term(r, complement, forms)
        if not forms:
            _raise(r, "complement_not_taken", preposition=_said(r, complement.preposition), wanted=_takes(r))
        if term is None or not forms:
            continue
        form = _choose(r, complement.object, term, is_new, forms, filled)
        if form is None:
            continue
        filled[form] = filled.get(form, 0) + 1
        if isinstance(complement.object, Number) and complement.object.unit:
            term = complement.object.value * form.units[complement.object.unit]
        values.setdefault(VARIABLE_OF[complement.preposition], []).append(term)
        if form.role:
            values.setdefault(form.role, []).append(term)
        if form.need:
            needs.append((form.need, term))
        if isinstance(complement.object, Word) and complement.object.status == "Final" and isinstance(term, str):
            final.append(term)
    _missing(r, filled)
    return Bound(
        action=r.action,
        actor=r.actor,
        values={
            name: tuple(terms) if len(terms) < 2 else tuple(dict.fromkeys(terms)) for name, terms in values.items()
        },
        written=pa.written_action or pa.action,
        needs=tuple(needs),
        named=frozenset(chain.from_iterable(values.values())),
        raised=tuple(r.raised),
        slice=_statement(step_iri, r, values, final, domain),
    )


def _statement(
    step_iri: str, r: _Reading, values: Mapping[str, list[Term]], final: list[str], domain: Domain
) -> Slice:
    """The Process Action itself as facts, so that rules can compare it with what Rights name."""
    out: dict[str, tuple[Term, ...]] = {TYPE: (_PROCESS_ACTION,), _ACTION: (r.action.iri,)}
    if r.actor is not None:
        out[_PROCESS] = (r.actor,)
    for variable, predicate in PREDICATE_OF:
        terms = values.get(variable)
        if terms:
            out[predicate] = tuple(terms)
            for wider in domain.knowledge.schema.superproperties.get(predicate, ()):
                out[wider] = (*out.get(wider, ()), *terms)
    if final:
        out[CLAIMS_FINAL] = tuple(final)
    return Slice(step_iri, Layer.STATEMENT, out)


def _actor(r: _Reading, user: str | None) -> str | None:
    if r.pa.process is None:
        if user is None:
            _raise(r, "no_actor")
        return user
    term, _ = _name(r, r.pa.process, ())
    return term if isinstance(term, str) else None


def _term(r: _Reading, complement: Complement, forms: tuple[ComplementForm, ...]) -> tuple[Term | None, bool]:
    """The term an object stands for, and whether the statement introduces it."""
    written = complement.object
    if isinstance(written, Quoted):
        if r.names.phrase(written.text) is None or any("text" in form.kinds for form in forms):
            return Text(written.text), False
        written = Word(written.text)
    if isinstance(written, Number):
        return written.value, False
    term, is_new = _name(r, written, forms)
    if term is None:
        r.unknown[complement.preposition] = r.unknown.get(complement.preposition, 0) + 1
    return term, is_new


def _name(r: _Reading, written: Word | Iri | StepRef, forms: tuple[ComplementForm, ...]) -> tuple[Term | None, bool]:
    if isinstance(written, StepRef):
        return _step(r, written), False
    if isinstance(written, Iri):
        return _iri(r, written.iri, forms)
    iri = r.names.iri(written.name)
    if iri in r.domain.knowledge.classes:  # by a phrase of the dialogue
        wanted = _type(r, (iri,), forms)
        return (wanted if wanted is not None else _class(r, written.name, (iri,))), False
    if r.facts.known(iri):
        return iri, False
    classes = r.domain.knowledge.class_names.get(fold(written.name), ())
    if (wanted := _type(r, classes, forms)) is not None:
        return wanted, False
    if any(form.introduces for form in forms):  # here a class names a new thing of it, too
        return iri, True
    if classes:
        return _class(r, written.name, classes), False
    near = nearest(written.name, candidates(r.facts, r.names, r.actor, forms))
    _raise(r, "unknown_name", near, name=written.name, nearest=_or_near(r, near))
    return None, False


def _iri(r: _Reading, iri: str, forms: tuple[ComplementForm, ...]) -> tuple[Term | None, bool]:
    """An IRI names an entity of this M-Instance or a term of its packs, nothing else (SEMANTICS 1)."""
    if iri in r.domain.vocabulary:
        is_class = iri in r.domain.knowledge.classes
        return (_type(r, (iri,), forms) or _class(r, iri, (iri,)) if is_class else iri), False
    if r.names.inside(iri):
        if r.facts.known(iri):
            return iri, False
        if any(form.introduces for form in forms):
            return iri, True
    near = nearest(r.names.name(iri), candidates(r.facts, r.names, r.actor, forms)) if r.names.inside(iri) else ()
    _raise(r, "unknown_name", near, name=iri, nearest=_or_near(r, near))
    return None, False


def _type(r: _Reading, classes: tuple[str, ...], forms: tuple[ComplementForm, ...]) -> str | None:
    """The class that is meant where a type is wanted (SEMANTICS 1)."""
    is_a = r.domain.knowledge.is_a
    for form in forms if classes else ():
        for found in classes if form.type else ():
            if any(is_a(found, kind) for kind in form.kinds):
                return found
    return None


def _class(r: _Reading, name: str, classes: tuple[str, ...]) -> Term | None:
    """The one thing that a class can stand for (SEMANTICS 1)."""
    own = _instances(r, classes, () if r.actor is None else r.facts.subjects(OWNER, r.actor))
    if len(own) == 1:
        return own[0]
    places = [c.object for c in r.pa.complements if c.preposition in (Preposition.AT, Preposition.FROM)]
    around: list[str] = []
    for place in places:
        iri = r.names.iri(place.name) if isinstance(place, Word) else getattr(place, "iri", "")
        if iri and r.facts.known(iri):
            around += _instances(r, classes, r.facts.subjects(AT, iri))
    if not own and len(around) == 1:
        return around[0]
    several = own or around
    said = ", ".join(f"`{r.names.name(entity)}`" for entity in several[:10])
    why = r.names.say("any_of", names=said) if several else r.names.say("none_of")
    _raise(r, "ambiguous_class", tuple(r.names.name(entity) for entity in several), name=name, candidates=why)
    return None


def _instances(r: _Reading, classes: tuple[str, ...], entities: Iterable[str]) -> list[str]:
    found = [entity for entity in entities if any(c in r.facts.objects(entity, TYPE) for c in classes)]
    return [entity for entity in found if shown(entity, r.actor, r.facts)]


def _step(r: _Reading, written: StepRef) -> str | None:
    name = f"@{written.step}" + (f".{written.result}" if written.result else "")
    made = r.made.get(written.step, "later")
    why = r.names.say("empty_step", step=written.step)
    if made == "later":
        why = r.names.say("later_step", step=written.step)
    elif made is None:
        why = r.names.say("refused_step", step=written.step)
    elif isinstance(made, Mapping):
        if written.result is None and len(made) > 1:
            results = ", ".join(f"@{written.step}.{key}" for key in sorted(made) if key)
            why = r.names.say("which_result", names=results)
        for key, iri in made.items():
            if key == (fold(written.result) if written.result else ""):
                return iri
    _raise(r, "nothing_made", name=name, why=why)
    return None


def _choose(
    r: _Reading,
    written: Object,
    term: Term,
    is_new: bool,
    forms: tuple[ComplementForm, ...],
    filled: Mapping[ComplementForm, int],
) -> ComplementForm | None:
    """The form a term fills: the first free one of its kind."""
    taken: ComplementForm | None = None
    for form in forms:
        if _fits(r, written, term, is_new, form):
            if form.repeatable or not _is_filled(form, filled):
                return form
            taken = taken or form
    name = r.names.name(term)
    if taken is not None:
        _raise(r, "complement_repeated", wanted=_wanted(r, taken), name=name)
        return None
    kinds = tuple(dict.fromkeys(kind for form in forms for kind in form.kinds))
    preposition = forms[0].preposition
    direct = preposition is Preposition.NIL
    where = r.names.say("as_direct_object") if direct else r.names.say("after", preposition=preposition)
    found = _what(r, written, term, forms)
    _raise(r, "wrong_kind", where=where, wanted=r.names.kinds(kinds), name=name, found=found)
    r.misfits.add(preposition)
    return None


def _what(r: _Reading, written: Object, term: Term, forms: tuple[ComplementForm, ...]) -> str:
    """What kind of thing was given."""
    say = r.names.say
    if isinstance(term, str):
        if term in r.domain.vocabulary:
            return say("a_class")
        named = r.names.class_of(term, r.facts)
        return say("of_class", name=named) if named else say("of_no_class")
    if isinstance(written, Number) and written.unit:
        units = r.names.listing(unit for form in forms for unit in form.units)
        return say("number_not_in" if units else "number_no_unit", unit=written.unit, units=units)
    return say("text" if isinstance(term, Text) else "number")


def _is_filled(form: ComplementForm, filled: Mapping[ComplementForm, int]) -> bool:
    return bool(filled) and (form in filled or bool(form.role and any(each.role == form.role for each in filled)))


def _fits(r: _Reading, written: Object, term: Term, is_new: bool, form: ComplementForm) -> bool:
    if isinstance(term, str) and not is_new and term not in r.domain.vocabulary:
        return not form.kind_set.isdisjoint(r.facts.objects(term, TYPE))
    if isinstance(written, Quoted):
        typed = r.domain.knowledge.class_names.get(fold(written.type), ()) if written.type else ()
        is_a = r.domain.knowledge.is_a
        return "text" in form.kinds and (
            not written.type or any(is_a(c, kind) for c in typed for kind in form.kinds if kind != "text")
        )
    if isinstance(written, Number):
        return "number" in form.kinds and (not written.unit or written.unit in form.units)
    if is_new:
        return form.introduces
    if not isinstance(term, str):
        return False
    is_a = r.domain.knowledge.is_a
    # a class where a type is wanted, or an individual of the vocabulary, as a State is
    return (form.type and any(is_a(term, kind) for kind in form.kinds)) or not form.kind_set.isdisjoint(
        r.facts.objects(term, TYPE)
    )


def _missing(r: _Reading, filled: Mapping[ComplementForm, int]) -> None:
    """Required complements without a value; one whose name is unknown is presumed filled by it. A role is filled by
    any of the complements that share it.
    """
    unknown = r.unknown
    roles = {form.role for form in filled}
    for form in r.action.complements:
        if not form.required or form in filled or (form.role and form.role in roles) or form.unless in roles - {""}:
            continue
        alike = [each for each in r.action.complements if each is form or (form.role and each.role == form.role)]
        presumed = next((each.preposition for each in alike if unknown.get(each.preposition, 0) > 0), None)
        if presumed is not None:
            unknown[presumed] -= 1
        elif r.misfits.isdisjoint(each.preposition for each in alike):
            _raise(r, "complement_missing", wanted=_wanted(r, form))


def _wanted(r: _Reading, form: ComplementForm) -> str:
    kinds = r.names.kinds(form.kinds)
    return kinds if form.preposition is Preposition.NIL else f"{form.preposition} {kinds}"


def _takes(r: _Reading) -> str:
    return ", ".join(dict.fromkeys(_wanted(r, form) for form in r.action.complements))


def _said(r: _Reading, preposition: Preposition) -> str:
    return r.names.say("direct_object") if preposition is Preposition.NIL else preposition.value


def _or_near(r: _Reading, near: tuple[str, ...]) -> str:
    return r.names.say("near", names=r.names.listing(f"`{name}`" for name in near)) if near else ""


def _raise(r: _Reading, rule: str, near: tuple[str, ...] = (), **words: str) -> None:
    status = r.domain.rules[rule].status
    assert status in (PAStatus.FAULTY_REQ, PAStatus.INC_ID)
    r.raised.append((rule, {"action": r.action.name, **words}, near))
