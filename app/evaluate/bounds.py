"""What a session keeps to, as facts that rules read from `?context` (SEMANTICS 7): it only narrows.

The bounds hold for what the session's User does. A step that names another Process is judged without them, but for
the number of steps, which is the plan's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from app.errors import StatementError
from app.evaluate.wording import Names
from app.exchange import ActionContext
from app.facts import Facts, Slice
from app.knowledge import fold
from app.model import (
    Deontic,
    Iri,
    Layer,
    Number,
    Object,
    PAStatus,
    ProcessAction,
    Quoted,
    RuleFailure,
    Term,
    Text,
    Word,
)
from app.rules import Domain
from app.situation import Needs
from app.statement import is_word, parse
from app.vocab import DEONTIC_VERB, HELD_BY, PROCESS_ACTION, TYPE, dac, mmm

CONTEXT: Final = "urn:domain-access:context"
NO_CONTEXT: Final = "urn:domain-access:no-context"
NOTHING: Final = "urn:domain-access:nothing"
"""What a list that is stated and empty holds: stated bounds are exhaustive."""

_MAX_STEPS, _REPERTOIRE, _RULE, _RIGHT = dac("maxSteps"), dac("repertoire"), dac("keepsRule"), dac("countsRight")
_VOCABULARY, _STAYS_IN, _LIMIT = dac("vocabularyInUse"), dac("staysIn"), dac("walletLimit")
_VERBS = {Deontic.MAY: mmm("May"), Deontic.MAY_NOT: mmm("MayNot"), Deontic.MUST: mmm("Must")}


@dataclass(frozen=True, slots=True)
class Bounds:
    """The ActionContext of a session as slices, the one of CONTEXT first; what of it could not be read, and what is
    worth saying of it. `named` are the entities of the World that it speaks of, by the predicate that names them.
    """

    slices: tuple[Slice, ...] = (Slice(CONTEXT, Layer.SESSION, {}),)
    named: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    failures: tuple[RuleFailure, ...] = ()
    notes: tuple[str, ...] = ()

    def all_slices(self) -> tuple[Slice, ...]:
        """Those, and one for the steps of others."""
        held = self.slices[0].out
        out = {predicate: held[predicate] for predicate in (TYPE, _MAX_STEPS) if predicate in held}
        return (*self.slices, Slice(NO_CONTEXT, Layer.SESSION, out))

    def needs(self, needs: Needs, domain: Domain) -> Needs:
        """What a plan wants to know, and what these bounds want besides."""
        if not self.named:
            return needs
        starts = dict(needs.starts)
        for predicate, entities in self.named.items():
            walked = domain.context_reach.get(predicate)
            for entity in entities:
                starts[entity] = (*starts.get(entity, ()), *([walked] if walked is not None else ()))
        return Needs(starts, needs.foresee)

    def unread(self, facts: Facts, names: Names) -> tuple[RuleFailure, ...]:
        """The Rules that cannot be read, those of the World that do not exist included: a rule that cannot run lets
        nothing pass.
        """
        failures = list(self.failures)
        for rule in self.named.get(_RULE, ()):
            if not facts.known(rule):
                failures.append(_unreadable(names.name(rule), "nothing here is called so"))
            elif not facts.objects(rule, DEONTIC_VERB) or not facts.objects(rule, PROCESS_ACTION):
                failures.append(_unreadable(names.name(rule), "it states no deontic verb, or no Process Action"))
        return tuple(failures)

    def remarks(self, facts: Facts, names: Names, user: str | None) -> tuple[str, ...]:
        """What is ignored and should be known: Rights that are not held."""
        unheld = [right for right in self.named.get(_RIGHT, ()) if user not in facts.objects(right, HELD_BY)]
        said = ", ".join(f"`{names.name(right)}`" for right in unheld)
        note = names.say("unheld", names=said)
        return (*self.notes, note) if unheld else self.notes


NO_BOUNDS: Final = Bounds()
"""A session without ActionContext."""


@dataclass(slots=True)
class _Reading:
    """An ActionContext being read."""

    domain: Domain
    names: Names
    facts: dict[str, list[Term]] = field(default_factory=dict)
    nodes: list[Slice] = field(default_factory=list)
    named: dict[str, list[str]] = field(default_factory=dict)
    failures: list[RuleFailure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def state(self, predicate: str, terms: Iterable[Term]) -> None:
        """Facts of the context; of an empty list that nothing is meant."""
        self.facts[predicate] = list(terms) or [NOTHING]

    def name(self, predicate: str, identifiers: Iterable[str]) -> None:
        """Facts that name entities of the World."""
        entities = [self.names.iri(identifier) for identifier in identifiers]
        self.named[predicate] = entities
        self.state(predicate, entities)


def bounds_of(context: ActionContext | None, domain: Domain, names: Names) -> Bounds:
    """The bounds that an ActionContext sets."""
    if context is None:
        return NO_BOUNDS
    r = _Reading(domain, names, {TYPE: [dac("ActionContext")]})
    if context.MaxSteps is not None:
        r.state(_MAX_STEPS, [Decimal(int(context.MaxSteps))])
    if context.WalletLimit is not None:
        r.state(_LIMIT, [Decimal(str(context.WalletLimit))])
    if context.Vocabularies is not None:
        r.state(_VOCABULARY, map(Text, context.Vocabularies))
    if context.MLocations is not None:
        r.name(_STAYS_IN, context.MLocations)
    if context.RightsRefs is not None:
        r.name(_RIGHT, context.RightsRefs)
    if context.Repertoire is not None:
        r.state(_REPERTOIRE, [node for i, text in enumerate(context.Repertoire) for node in _choices(r, i, text)])
    if context.Rules is not None:
        r.state(_RULE, [rule for i, text in enumerate(context.Rules) for rule in _rules(r, i, text)])
    held = Slice(CONTEXT, Layer.SESSION, {predicate: tuple(terms) for predicate, terms in r.facts.items()})
    named = {predicate: tuple(entities) for predicate, entities in r.named.items()}
    return Bounds((held, *r.nodes), named, tuple(r.failures), tuple(r.notes))


def _choices(r: _Reading, i: int, text: str) -> Iterator[str]:
    """The nodes of one entry of the Repertoire: an Action's name, or a statement whose words may be classes."""
    try:
        statement = parse(text, r.domain.grammar)
        nodes = [_node(r, pa, f"{CONTEXT}:repertoire:{i}:{j}") for j, pa in enumerate(statement.actions)]
    except (StatementError, ValueError):
        r.notes.append(f"`{text}` of the Repertoire is neither an Action nor a statement, and so allows nothing.")
        return
    yield from nodes


def _rules(r: _Reading, i: int, text: str) -> Iterator[str]:
    """One entry of the Rules: a Rule's identifier, or a deontic statement."""
    try:
        statement = parse(text, r.domain.grammar)
    except StatementError as error:
        if is_word(text):
            rule = r.names.iri(text)
            r.named.setdefault(_RULE, []).append(rule)
            yield rule
        else:
            r.failures.append(_unreadable(text, error.faults[0].message))
        return
    if statement.event is not None or any(pa.deontic is None for pa in statement.actions):
        why = "it depends on an Event" if statement.event is not None else "it says neither May, May Not nor Must"
        r.failures.append(_unreadable(text, why))
        return
    for j, pa in enumerate(statement.actions):
        node = f"{CONTEXT}:rule:{i}:{j}"
        assert pa.deontic is not None
        try:
            action = _node(r, pa, f"{node}:pa")
        except ValueError as error:
            r.failures.append(_unreadable(text, str(error)))
            return
        out: dict[str, tuple[Term, ...]] = {
            TYPE: (mmm("Rule"),),
            DEONTIC_VERB: (_VERBS[pa.deontic],),
            PROCESS_ACTION: (action,),
        }
        r.nodes.append(Slice(node, Layer.SESSION, out))
        yield node


def _node(r: _Reading, pa: ProcessAction, node: str) -> str:
    """A Process Action as facts. Raises ValueError for a part that stands for nothing."""
    out: dict[str, tuple[Term, ...]] = {
        TYPE: (mmm("ProcessAction"),),
        mmm("action"): (r.domain.actions[pa.action].iri,),
    }
    if pa.process is not None:
        out[mmm("process")] = (_term(r, pa.process),)
    if pa.at_time is not None:
        out[mmm("time")] = (pa.at_time,)
    for complement in pa.complements:
        predicate = mmm("complement" + complement.preposition)
        out[predicate] = (*out.get(predicate, ()), _term(r, complement.object))
    r.nodes.append(Slice(node, Layer.SESSION, out))
    return node


def _term(r: _Reading, written: Object) -> Term:
    """A class of the vocabulary, meaning any of its things, or an entity, a text, a number."""
    if isinstance(written, Word):
        classes = r.domain.knowledge.class_names.get(fold(written.name), ())
        return classes[0] if classes else r.names.iri(written.name)
    if isinstance(written, Iri):
        return written.iri
    if isinstance(written, Quoted):
        return Text(written.text)
    if isinstance(written, Number):
        return written.value
    raise ValueError("it refers to what a step makes")


def _unreadable(text: str, why: str) -> RuleFailure:
    message = f"the Rule `{text}` of the ActionContext cannot be read: {why}"
    return RuleFailure("action_context", PAStatus.INS_RIGHTS, message)
