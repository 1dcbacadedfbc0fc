"""What an accepted Process Action would change: the effects of its file, and Rights conferred or withdrawn.

Conferring (SEMANTICS 5): a Right that is carried becomes held only if everything it names is the actor's after the
step, or is named or transacted by this very statement; else anyone could carry the Right it lacks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from app.evaluate.decide import Values, solutions
from app.evaluate.resolve import Bound
from app.evaluate.wording import Names, placeholders, say
from app.facts import Facts
from app.knowledge import fold, local_name
from app.model import Effect, Term, Text, Triple
from app.rules import Action
from app.rules.functions import number
from app.rules.syntax import Constant, Match, Node
from app.vocab import DEONTIC_VERB, FINAL, HELD_BY, IDENTIFIER, MODEL, OWNER, PROCESS_ACTION, STATUS, TYPE, mmm

_OPPOSITE = {mmm("May"): mmm("MayNot"), mmm("MayNot"): mmm("May"), mmm("Must"): mmm("MayNot")}
_PARTS = tuple(mmm("complement" + p) for p in ("Nil", "At", "From", "To", "With", "Of"))
_ASSET = mmm("asset")


def made_name(action: Action, values: Values, facts: Facts, names: Names) -> str | None:
    """The IRI of what the Action makes, by the first name of its file whose words are known; None where it makes
    nothing.
    """
    if not action.made_names:
        return None
    try:
        found: Mapping[str, Term] = {name: terms[0] for name, terms in values.items()}
        if action.made_when is not None:
            found = next((bindings for bindings, _ in solutions(action.made_when, values, facts)), {})
    except LookupError:
        return None
    for template in action.made_names:
        if placeholders(template) <= found.keys():
            return names.iri(say(template, found, names, facts))
    return None


def effect_of(bound: Bound, values: Values, facts: Facts, names: Names) -> Effect:
    """The triples the Action's file adds and removes; whatever is new gets its identifier. Raises ExpressionError
    where what should be counted is no number.
    """
    added: dict[Triple, None] = {}
    removed: dict[Triple, None] = {}
    changed: dict[tuple[str, str], Decimal] = {}
    known = values.keys()
    for form in bound.action.effects:
        if (
            form.wanted <= known
            and form.without.isdisjoint(known)
            and (not form.written or bound.written in form.written)
        ):
            form.apply(facts, values, added, removed, changed)
    for (s, p), by in changed.items():
        before = facts.objects(s, p)
        if before:  # what nobody counts stays uncounted
            removed.update(dict.fromkeys((s, p, o) for o in before))
            added[s, p, sum(map(number, before), by)] = None
    for s, p, _ in tuple(added):
        if p == TYPE and not facts.objects(s, IDENTIFIER):
            added[s, IDENTIFIER, Text(names.name(s))] = None
    return Effect(
        tuple(t for t in added if t[2] not in facts.objects(t[0], t[1]) or t in removed),
        tuple(t for t in removed if t not in added),
    )


def made_by(effect: Effect) -> dict[str, str]:
    """What a step made, by folded class name, and under the empty name where it is one thing."""
    made = {fold(local_name(c)): s for s, p, c in effect.added if p == TYPE and isinstance(c, str)}
    things = set(made.values())
    return {**made, "": things.pop()} if len(things) == 1 else made


def confer(bound: Bound, facts: Facts, names: Names) -> tuple[Effect, list[str]]:
    """What becomes held and what is withdrawn, after the effects are laid; and what is not conferred, as notes."""
    added: list[Triple] = []
    removed: list[Triple] = []
    notes: list[str] = []
    holders = (bound.actor,) if bound.action.rights_to == "actor" else bound.values.get(bound.action.rights_to, ())
    for right in bound.values.get("rights", ()) if bound.action.rights_to else ():
        if not isinstance(right, str):
            continue
        obstacle = _obstacle(right, bound, facts, names)
        if obstacle and not bound.action.withdraws:
            notes.append(names.say("not_conferred", right=names.name(right), why=obstacle))
            continue
        for holder in holders:
            if not isinstance(holder, str):
                continue
            added.append((right, HELD_BY, holder))
            if bound.action.withdraws:
                removed += _withdrawn(right, holder, facts)
        if facts.holds(right, STATUS, MODEL):
            removed.append((right, STATUS, MODEL))
            added.append((right, STATUS, FINAL))
    held = tuple(t for t in added if t[2] not in facts.objects(t[0], t[1]))
    return Effect(held, tuple(removed)), notes


def instantiate(matches: Iterable[Match], bindings: Mapping[str, Term]) -> tuple[Triple, ...]:
    """Template triples under a finding's bindings."""
    triples = ((_value(m.s, bindings), m.path.links[0].predicate, _value(m.o, bindings)) for m in matches)
    return tuple((s, p, o) for s, p, o in triples if isinstance(s, str))


def _value(node: Node, bindings: Mapping[str, Term]) -> Term:
    return node.term if isinstance(node, Constant) else bindings[node.name]


def _obstacle(right: str, bound: Bound, facts: Facts, names: Names) -> str:
    """Why the actor cannot confer a Right, empty if it can."""
    assets = {a for t in bound.values.get("transaction", ()) for a in facts.objects(t, _ASSET)}
    said_here = bound.named | assets
    named = [
        part
        for pa in facts.objects(right, PROCESS_ACTION)
        for predicate in _PARTS
        for part in facts.objects(pa, predicate)
    ]
    if not named:
        return names.say("names_nothing")
    for part in named:
        if part not in said_here and bound.actor not in facts.objects(part, OWNER):
            return names.say("names_other", part=names.name(part), actor=names.name(bound.actor or ""))
    return ""


def _withdrawn(right: str, holder: str, facts: Facts) -> list[Triple]:
    """The held Rights of the opposite verb on the same Process Actions."""
    opposite = _OPPOSITE.get(str(facts.value(right, DEONTIC_VERB)))
    covered = _process_actions(right, facts)
    withdrawn: list[Triple] = []
    for held in facts.subjects(HELD_BY, holder):
        named = _process_actions(held, facts)
        if facts.value(held, DEONTIC_VERB) == opposite and named and named <= covered:
            withdrawn.append((held, HELD_BY, holder))
    return withdrawn


def _process_actions(right: str, facts: Facts) -> set[tuple[tuple[Term, ...], ...]]:
    return {
        tuple(tuple(sorted(facts.objects(pa, p), key=str)) for p in (mmm("action"), *_PARTS))
        for pa in facts.objects(right, PROCESS_ACTION)
    }
