"""Rules, Actions and needs as data, loaded once: a Domain is what one set of packs knows and decides by.

rules/actions/*.toml     one Action each          rules/pa_status/*.toml   one rule each
rules/needs/*.toml       one need each            rules/payments/*.toml    one reason to pay each
ontologies/PACK/rules/   the same folders, for that pack alone
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from app.edition import Edition
from app.errors import Code, Fault, PackError
from app.facts import Slice
from app.knowledge import Knowledge
from app.knowledge import load as load_knowledge
from app.model import Layer, PAStatus, Text
from app.rules.compiled import Compiled, Reach
from app.rules.compiler import compile_pattern
from app.rules.files import action_iri, read_action, read_need, read_rule, roles_of
from app.rules.forms import PREBOUND, VARIABLE_OF, Action, Need, Payment, Rule
from app.rules.pattern import parse
from app.rules.payments import read_payment
from app.shapes import TARGET_OBJECTS
from app.statement import ActionForm, Grammar
from app.vocab import ALT_LABEL, LABEL, PREFIXES, TYPE, mmm

T = TypeVar("T")

BUILTIN = frozenset(
    {
        "unparsable", "no_request", "complement_missing", "complement_repeated", "complement_not_taken", "wrong_kind",
        "unknown_name", "no_actor", "ambiguous_class", "nothing_made", "not_permitted",
        "commitment_excludes",
    }
)  # fmt: skip
"""The rules that reading a statement and deciding raise themselves; their files hold status, wording and cases."""

_ENGINE_READS = """
?actor ^mmm:owner ?own .
?item a ?item_class . ?at a ?at_class . ?from a ?from_class . ?to a ?to_class . ?with a ?with_class .
?of a ?of_class . ?by a ?by_class . ?into a ?into_class . ?made a ?made_class . ?actor a ?actor_class .
"""
"""What resolving names reads, whatever the Action: classes, and what the actor owns."""

_CLASS_READS = """
?actor ^mmm:owner ?own . ?own a ?own_class .
?at ^mmm:at ?there . ?there a ?there_class . ?from ^mmm:at ?here . ?here a ?here_class . ?to ^mmm:at ?yonder .
?yonder a ?yonder_class .
"""
"""What a class name that stands for a thing reads besides (SEMANTICS 1)."""

_EVENT_READS = "?actor ^mmm:process ?pa . ?pa mmm:happenedAt ?time ; mmm:action ?done ; mmm:complement ?part ."
"""What tells whether a Process performed what an Event names."""

_CONFERRING_READS = """
?{rights} mmm:processAction ?pa . ?pa mmm:complement ?named . ?named mmm:owner ?owner . ?pa mmm:action ?done .
?{rights} mmm:heldBy ?with_holder ; mmm:deonticVerb ?verb . ?with mmm:asset ?asset .
"""
_WITHDRAWING_READS = """
?{holder} ^mmm:heldBy ?held . ?held mmm:deonticVerb ?verb . ?held mmm:processAction ?pa . ?pa mmm:complement ?part .
?pa mmm:action ?done .
"""

_RULED = " ?rule . ?rule mmm:processAction ?ruled . ?ruled mmm:complement/a ?kind ."
_KIND_READS = (
    "?m_instance mmm:rule" + _RULED,
    "?item mmm:at/mmm:within*/mmm:rule" + _RULED,
    "?item mmm:within*/mmm:rule" + _RULED,
    "?item mmm:within*/mmm:mEnvironment/mmm:rule" + _RULED,
    "?actor mmm:persona/mmm:at/mmm:within*/mmm:rule" + _RULED,
    "?item a ?kind ; dac:norm ?norm ; dac:constraint ?limit . ?norm a ?norm_kind . ?limit a ?limit_kind .",
    "?item mmm:at/mmm:within* ?around . ?around a ?around_kind ; mmm:owner ?owner . ?owner a ?owner_kind .",
    "?item mmm:at/mmm:within*/^dac:heldAt ?occasion . ?occasion a ?occasion_kind .",
    "?item mmm:at/mmm:within* ?around . ?around dac:norm|^dac:inPlace ?norm . ?norm a ?norm_kind .",
    "?item mmm:within* ?outer . ?outer a ?outer_kind ; mmm:owner ?owner . ?owner a ?owner_kind .",
    "?item mmm:within*/^dac:heldAt ?occasion . ?occasion a ?occasion_kind .",
    "?item mmm:within* ?outer . ?outer dac:norm|^dac:inPlace ?norm . ?norm a ?norm_kind .",
    "?item ^dac:towards ?norm . ?norm a ?norm_kind .",
    "?item mmm:owner ?owner ; mmm:licence ?licence . ?owner a ?owner_kind . ?licence a ?licence_kind .",
    "?item mmm:pricing/mmm:price/mmm:currency ?currency . ?currency a ?currency_kind .",
    "?item ^mmm:complement ?named . ?named ^mmm:processAction ?right . ?right mmm:heldBy ?holder .",
    "?item ^mmm:complement ?named . ?named mmm:complement ?other .",
    "?at mmm:within* ?outer . ?at ^mmm:within* ?inner . ?inner a ?inner_kind ; ^mmm:at ?there . ?there a ?kind .",
    "?actor a ?kind . ?actor mmm:persona/mmm:at/mmm:within* ?here . ?here a ?here_kind .",
    "?actor ^mmm:heldBy ?held . ?held mmm:processAction ?pa . ?pa mmm:complement ?part .",
    "?actor ^dac:forRole ?norm . ?norm a ?norm_kind .",
    "?m_instance dac:norm ?norm . ?norm a ?norm_kind .",
    "?actor ^mmm:process ?done . ?done mmm:happenedAt ?time ; mmm:action ?what ; mmm:complement/a ?kind .",
    "?actor ^mmm:heldBy/mmm:processAction/mmm:condition ?event . ?event mmm:happenedAt ?then .",
    "?m_instance mmm:rule/mmm:processAction/mmm:condition ?event . ?event mmm:happenedAt ?then .",
)
"""What the Kinds of knowledge read of a thing (`item`), of a Space (`at`), of the User and of the M-Instance."""


_NAMED_BY = {
    **{mmm("complement" + preposition): (variable,) for preposition, variable in VARIABLE_OF.items()},
    mmm("complement"): tuple(VARIABLE_OF.values()),
    mmm("process"): ("actor",),
}
"""What a rule walks from the statement, it walks from what stands there."""


@dataclass(frozen=True)
class Domain:
    """Core and some packs: Knowledge, the rules over it, and what each Action's rules read. Immutable.

    `reach` is what judging walks, by Action and variable; `class_reach` what a class name that stands for a thing
    adds; `event_reach` what is walked from the Process of an Event, `context_reach` from what an ActionContext
    names; `any_reach` all that anything walks, Repairs included: for what turns up in a role not foreseen.
    `kind_reach` is what the Kinds other than feasibility read, by what it is read of.
    """

    knowledge: Knowledge
    actions: Mapping[str, Action]
    rules: Mapping[str, Rule]
    needs: Mapping[str, Need]
    payments: Mapping[str, tuple[Payment, ...]]
    grammar: Grammar
    vocabulary: Mapping[str, Slice]
    blocking: Mapping[str, tuple[Rule, ...]]
    permitting: Mapping[str, tuple[Rule, ...]]
    reach: Mapping[str, Mapping[str, Reach]]
    class_reach: Mapping[str, Reach]
    event_reach: Reach
    any_reach: Reach
    kind_reach: Mapping[str, Reach]
    context_reach: Mapping[str, Reach]
    inverses: frozenset[str]

    @cached_property
    def screens(self) -> dict[object, object]:
        """What is made of the rules while judging (evaluate/screening.py); another Domain has its own."""
        return {}

    @property
    def sources(self) -> tuple[str, ...]:
        """`pack@version` of every pack used."""
        return tuple(pack.source for pack in self.knowledge.packs)


def load(edition: Edition, packs: Iterable[str]) -> Domain:
    """Everything for one set of packs. Raises PackError with every fault found in any file."""
    knowledge = load_knowledge(edition, packs)
    folders = [(edition.rules_of(pack.name), pack.source) for pack in knowledge.packs]
    faults: list[Fault] = []
    roles = frozenset[str]().union(*(roles_of(path) for path, _ in _files(folders, "actions")))
    actions = _read_all(_files(folders, "actions"), read_action, knowledge, roles, faults)
    found = _read_all(_files(folders, "pa_status"), read_rule, knowledge, roles, faults)
    needs = {n.name: n for n in _read_all(_files(folders, "needs"), read_need, knowledge, roles, faults)}
    payments = _read_all(_files(folders, "payments"), read_payment, knowledge, roles, faults)
    named = {action.name: action for action in actions}
    ruled: dict[str, Rule] = {}
    for rule in found:
        if rule.id in ruled:
            faults.append(Fault(Code.PACK_MEMBER, f"two rules are called `{rule.id}`", where=rule.where))
        ruled[rule.id] = rule
    faults += _references(named, ruled, needs, payments)
    if faults:
        raise PackError(*faults)
    blocking = {name: _blocking(action, ruled.values()) for name, action in named.items()}
    paying = {name: _paying(action, payments) for name, action in named.items()}
    permitting = {need: _cheapest_first(rule for rule in ruled.values() if rule.need == need) for need in needs}
    own, by_class, by_event, *for_kinds = (
        _reads(text, knowledge)
        for text in (_ENGINE_READS, _CLASS_READS, _EVENT_READS, *_KIND_READS, *_shape_reads(knowledge))
    )
    by_kind: dict[str, Reach] = {}
    for reads in for_kinds:
        for name, walked in reads.items():
            by_kind.setdefault(name, Reach()).merge(walked)
    reach: dict[str, dict[str, Reach]] = {}
    for name, action in named.items():
        engine = [own]
        if action.rights_to:
            engine += [_reads(_CONFERRING_READS.format(rights=v), knowledge) for v in action.variables("rights")]
        if action.withdraws:
            held = action.variables(action.rights_to)
            engine += [_reads(_WITHDRAWING_READS.format(holder=v), knowledge) for v in held]
        reach[name] = _reach(action, blocking[name], paying[name], permitting, needs, engine)
    context = Reach()
    for roots in reach.values():
        context.merge(roots.get("context", Reach()))
    seeking = (repair.when.reach for rule in ruled.values() for repair in rule.repairs if repair.when is not None)
    every = Reach()
    for root in (root for roots in (*reach.values(), *seeking) for root in roots.values()):
        every.merge(root)
    return Domain(
        knowledge=knowledge,
        actions=MappingProxyType(named),
        rules=MappingProxyType(ruled),
        needs=MappingProxyType(needs),
        payments=MappingProxyType(paying),
        grammar=Grammar.of(
            (ActionForm(action.name, action.older) for action in actions),
            (name for name in _class_names(knowledge) if " " in name),
        ),
        vocabulary=MappingProxyType({**_action_terms(actions, knowledge), **knowledge.vocabulary}),
        blocking=MappingProxyType(blocking),
        permitting=MappingProxyType(permitting),
        reach=MappingProxyType(reach),
        class_reach=MappingProxyType(by_class),
        event_reach=by_event["actor"],
        any_reach=every,
        kind_reach=MappingProxyType(by_kind),
        context_reach={link.predicate: further for links, further in context.links.items() for link in links},
        inverses=frozenset(
            p for root in (every, *by_class.values(), *by_event.values(), *by_kind.values()) for p in _inverses(root)
        ),
    )


def _class_names(knowledge: Knowledge) -> Iterable[str]:
    """Every label and synonym of a class, in every language: what a statement may name by several words."""
    for iri in knowledge.classes:
        for predicate in (LABEL, ALT_LABEL):
            for text in knowledge.vocabulary[iri].out.get(predicate, ()):
                if isinstance(text, Text):
                    yield text.value


def _reads(text: str, knowledge: Knowledge) -> dict[str, Reach]:
    """What the engine itself walks, written as a pattern."""
    return compile_pattern(parse(text, PREFIXES), PREBOUND, knowledge.hierarchical, "engine").reach


def _shape_reads(knowledge: Knowledge) -> Iterable[str]:
    """Whether a thing is what a shape is about."""
    named = dict.fromkeys(shape.target for shape in knowledge.shapes if shape.of == TARGET_OBJECTS)
    return (f"?item ^<{predicate}> ?of_shape ." for predicate in named)


def _cheapest_first(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """One rule that meets a need is enough: those with the least to match come first."""

    def size(rule: Rule) -> tuple[int, str]:
        pattern = rule.pattern
        return (len(pattern.positive) + len(pattern.negative) if pattern is not None else 0, rule.id)

    return tuple(sorted(rules, key=size))


def _files(folders: list[tuple[Path, str]], kind: str) -> list[tuple[Path, str]]:
    return [(path, source) for folder, source in folders for path in sorted((folder / kind).glob("*.toml"))]


def _read_all(
    files: list[tuple[Path, str]],
    read: Callable[[Path, Knowledge, str, frozenset[str]], T],
    knowledge: Knowledge,
    roles: frozenset[str],
    faults: list[Fault],
) -> list[T]:
    found: list[T] = []
    for path, source in files:
        try:
            found.append(read(path, knowledge, source, roles))
        except PackError as error:
            faults.extend(error.faults)
    return found


def _references(
    actions: Mapping[str, Action], rules: Mapping[str, Rule], needs: Mapping[str, Need], payments: Iterable[Payment]
) -> list[Fault]:
    """Names that no file defines; statuses no Action may receive; builtin rules that are absent."""
    faults: list[Fault] = []
    for action in actions.values():
        for form in action.complements:
            if form.need and form.need not in needs:
                message = f"`{action.name}` has a need `{form.need}` that no file of needs/ describes"
                faults.append(Fault(Code.PACK_MEMBER, message, where=action.name))
    concerning = [(rule.actions, rule.where) for rule in rules.values()] + [(p.actions, p.where) for p in payments]
    for names, where in concerning:
        for name in sorted(names - set(actions)):
            faults.append(Fault(Code.PACK_MEMBER, f"there is no Action `{name}`", where=where))
    for rule in rules.values():
        concerned = [action for action in actions.values() if _concerns(rule, action)]
        if concerned and not any(action.receives(rule.status) for action in concerned) and not rule.builtin:
            message = f"no Action of this rule may receive {rule.status}"
            faults.append(Fault(Code.STATUS_NOT_RECEIVABLE, message, where=rule.where))
        for action in (actions[n] for n in sorted(rule.actions) if n in actions):
            if not action.receives(rule.status):
                message = f"`{action.name}` may not receive {rule.status}: list it under `ours` with the reason"
                faults.append(Fault(Code.STATUS_NOT_RECEIVABLE, message, where=rule.where))
        own = [action for name, action in actions.items() if name in rule.actions]
        foreign = _roles(actions.values()) - _roles(own)
        for name in sorted(foreign.intersection(rule.pattern.parameters if rule.pattern and rule.actions else ())):
            message = f"`?{name}` is a role that no Action of the rule has: it would never apply"
            faults.append(Fault(Code.PACK_MEMBER, message, where=rule.where, hint="call the variable otherwise"))
        if rule.need and rule.need not in needs:
            faults.append(Fault(Code.PACK_MEMBER, f"there is no need `{rule.need}`", where=rule.where))
        if rule.builtin and rule.id not in BUILTIN:
            faults.append(Fault(Code.PACK_MEMBER, f"nothing raises a builtin rule `{rule.id}`", where=rule.where))
    for name in sorted(BUILTIN - {rule.id for rule in rules.values() if rule.builtin}):
        faults.append(Fault(Code.PACK_MEMBER, f"the builtin rule `{name}` has no file in pa_status/"))
    return faults


def _roles(actions: Iterable[Action]) -> set[str]:
    return {form.role for action in actions for form in action.complements} - PREBOUND - {""}


def _blocking(action: Action, rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules that can refuse an Action: those for it whose variables it can give a value."""
    return tuple(rule for rule in rules if not rule.builtin and not rule.need and _concerns(rule, action))


def _concerns(rule: Rule, action: Action) -> bool:
    """Whether a rule may ever apply to an Action."""
    if rule.actions and action.name not in rule.actions:
        return False
    parameters = rule.pattern.parameters if rule.pattern is not None else ()
    return action.gives.union({"target"} if rule.need else ()).issuperset(parameters)


def _paying(action: Action, payments: Iterable[Payment]) -> tuple[Payment, ...]:
    """The reasons to pay that an Action can have."""
    return tuple(
        payment
        for payment in payments
        if (not payment.actions or action.name in payment.actions)
        and payment.pattern is not None
        and action.gives.issuperset(payment.pattern.parameters)
    )


def _reach(
    action: Action,
    blocking: Iterable[Rule],
    paying: Iterable[Payment],
    permitting: Mapping[str, tuple[Rule, ...]],
    needs: Mapping[str, Need],
    engine: Iterable[Mapping[str, Reach]],
) -> dict[str, Reach]:
    """What judging an Action walks, from each pre-bound variable: every pattern that may run, and what the engine
    itself reads, merged.
    """
    roots: dict[str, Reach] = {}

    def take(pattern: Compiled | None, target: str = "") -> None:
        if pattern is None:
            return
        for name, reach in pattern.reach.items():
            for start in (target,) if name == "target" else action.variables(name):
                roots.setdefault(start, Reach()).merge(reach)

    for rule in blocking:
        take(rule.pattern)
        take(rule.given)
    for payment in paying:
        take(payment.pattern)
    for effect in action.effects:
        take(effect.when)
    take(action.made_when)
    for form in action.complements:
        if form.need:
            variable = VARIABLE_OF[form.preposition]
            take(needs[form.need].about, variable)
            for rule in permitting[form.need]:
                take(rule.pattern, variable)
    for reads in engine:
        for name, reach in reads.items():
            roots.setdefault(name, Reach()).merge(reach)
    for links, further in roots.pop("step", Reach()).links.items():
        for variable in (v for link in links for v in _NAMED_BY.get(link.predicate, ())):
            roots.setdefault(variable, Reach()).merge(further)
    return roots


def _inverses(reach: Reach) -> set[str]:
    found: set[str] = set()
    for links, further in reach.links.items():
        found |= {link.predicate for link in links if link.inverse} | _inverses(further)
    return found


def _action_terms(actions: Iterable[Action], knowledge: Knowledge) -> dict[str, Slice]:
    """The Actions as individuals of mmm:Action: their files declare them."""
    return {
        action.iri: Slice.of(
            action.iri, Layer.KNOWLEDGE, [(TYPE, mmm("Action")), (LABEL, Text(action.name))], {}, knowledge.schema
        )
        for action in actions
    }


__all__ = ["Action", "Domain", "Need", "PAStatus", "Rule", "action_iri", "load"]
