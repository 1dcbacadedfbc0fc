"""The same rights question for cedarpy (Cedar) and regorus (Rego), in the fastest form each of them offers.

Neither can say "the nearest enclosing place that has an owner or a flag" and neither walks nested places as its own
data has them, so both get tables worked out beforehand from the same facts: for each place those around it and what
opens it, for each User what it holds, keyed by Item. A change of one fact would have to work them out anew; ours
reads the facts themselves. Both are also told the Action and the complements; ours reads a statement.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import version
from typing import Any, TypeAlias

from tests.bench.worlds import MOVE, Question, RightsWorld

Answer: TypeAlias = Callable[[], bool]
Document: TypeAlias = dict[str, Any]

CEDAR_POLICIES = """
permit(principal, action == Action::"MM-Move", resource) when {
  (
    principal.owns.contains(context.item) ||
    principal.mayItems.contains(context.item) ||
    (principal.hasTag(context.item) && resource in principal.getTag(context.item))
  ) && (
    resource.public ||
    (resource has owner && resource.owner == principal) ||
    principal.mayPlaces.containsAny(resource.opened) ||
    (principal.hasTag(context.item) && principal.getTag(context.item).containsAny(resource.opened))
  )
};
forbid(principal, action == Action::"MM-Move", resource) when {
  principal.mayNotItems.contains(context.item) ||
  resource in principal.mayNotPlaces ||
  (principal.mayNot.hasTag(context.item) && resource in principal.mayNot.getTag(context.item))
};
"""
"""Of the forms tried this is the fastest: entities named by type and id, and a context of one text."""

REGO_POLICY = """
package access

default allow := false

allow if { owned; opened; not refused }

owned if data.owner[input.item] == input.actor
owned if data.mayItems[input.actor][input.item]
owned if { some place, _ in data.may[input.actor][input.item]; data.around[input.to][place] }

opened if data.public[input.to]
opened if data.placeOwner[input.to] == input.actor
opened if { some place, _ in data.mayPlaces[input.actor]; data.opened[input.to][place] }
opened if { some place, _ in data.may[input.actor][input.item]; data.opened[input.to][place] }

refused if data.mayNotItems[input.actor][input.item]
refused if { some place, _ in data.mayNotPlaces[input.actor]; data.around[input.to][place] }
refused if { some place, _ in data.mayNot[input.actor][input.item]; data.around[input.to][place] }
"""
_RULE = "data.access.allow"


@dataclass(frozen=True, slots=True)
class Form:
    """A way of asking a peer: `answers` makes, from questions, what answers each of them.

    `whole` answers all of them in one call, where the peer can. A `slow` one is timed on a part of them.
    """

    name: str
    answers: Callable[[Sequence[Question]], list[Answer]]
    whole: Callable[[Sequence[Question]], Callable[[], list[bool]]] | None = None
    slow: bool = False


@dataclass(frozen=True, slots=True)
class Peer:
    """A peer that is installed, and its forms, the fastest for one question first."""

    name: str
    version: str
    lacks: str
    forms: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Missing:
    """A peer that is not installed."""

    name: str
    package: str

    @property
    def said(self) -> str:
        """What the output says of it."""
        return f"{self.name} is NOT in this comparison: `{self.package}` is not installed (the group `bench`)"


def cedar(world: RightsWorld) -> Peer | Missing:
    """Cedar, policies and entities parsed once; and as one call for all questions; and as text with every call."""
    name, package = "cedarpy", "cedarpy"
    try:
        module = import_module(name)
    except ImportError:
        return Missing(name, package)
    document = cedar_entities(world)
    text = json.dumps(document)
    policies, entities = module.PolicySet.from_str(CEDAR_POLICIES), module.Entities.from_json_str(text)

    def one(request: Document, policies: Any, entities: Any) -> bool:
        result = module.is_authorized(request, policies, entities)
        assert not result.diagnostics.errors, result.diagnostics.errors
        return bool(result.allowed)

    def parsed(questions: Sequence[Question]) -> list[Answer]:
        return [partial(one, cedar_request(each), policies, entities) for each in questions]

    def as_text(questions: Sequence[Question]) -> list[Answer]:
        return [partial(one, cedar_request(each), CEDAR_POLICIES, text) for each in questions]

    def whole(questions: Sequence[Question]) -> Callable[[], list[bool]]:
        requests = [cedar_request(each) for each in questions]
        return lambda: [each.allowed for each in module.is_authorized_batch(requests, policies, entities)]

    return Peer(
        name,
        version(package),
        "reads no statement, names policies instead of a Reason, has no effects of an accepted step and no Repairs",
        (Form("parsed before", parsed, whole), Form("as text", as_text, slow=True)),
    )


def rego(world: RightsWorld) -> Peer | Missing:
    """Rego in regorus: its interpreter, and its virtual machine with the policy compiled."""
    name, package = "regorus", "gordon-to-regorus"
    try:
        module = import_module(name)
    except ImportError:
        return Missing(name, package)
    data = json.dumps(rego_data(world))
    engine = module.Engine()
    engine.add_policy("access.rego", REGO_POLICY)
    engine.add_data_json(data)
    machine = module.Rvm()
    machine.load_program(module.Program.compile_from_modules(data, [("access.rego", REGO_POLICY)], [_RULE]))
    machine.set_data_json(data)

    def interpreted(given: str) -> bool:
        engine.set_input_json(given)
        return bool(engine.eval_rule(_RULE))

    def compiled(given: str) -> bool:
        machine.set_input_json(given)
        return bool(json.loads(machine.execute()))

    def answers(ask: Callable[[str], bool], questions: Sequence[Question]) -> list[Answer]:
        return [partial(ask, rego_input(each)) for each in questions]

    return Peer(
        name,
        version(package),
        "reads no statement, gives no Reason, has no effects of an accepted step and no Repairs",
        (Form("interpreter", partial(answers, interpreted)), Form("virtual machine", partial(answers, compiled))),
    )


def cedar_entities(world: RightsWorld) -> list[Document]:
    """The facts as Cedar entities: Users with what they own and hold, and places; a tag is an Item."""
    held = _held(world)
    found: list[Document] = []
    for user in world.users:
        attributes: Document = {
            "owns": [item for item, owner in world.owner.items() if owner == user],
            "mayItems": list(held["mayItems"].get(user, ())),
            "mayNotItems": list(held["mayNotItems"].get(user, ())),
            "mayPlaces": _places(held["mayPlaces"].get(user, ())),
            "mayNotPlaces": _places(held["mayNotPlaces"].get(user, ())),
            "mayNot": {"__entity": {"type": "MayNot", "id": user}},
        }
        for kind, given, verb in (("User", attributes, "may"), ("MayNot", {}, "mayNot")):
            tags = {item: _places(places) for item, places in held[verb].get(user, {}).items()}
            found.append(_cedar(kind, user, given, tags=tags))
    for place in world.places:
        public, owner = _access(world, place)
        attributes = {"public": public, "opened": _places(world.opened_by(place))}
        attributes |= {"owner": {"__entity": {"type": "User", "id": owner}}} if owner else {}
        found.append(
            _cedar("Place", place, attributes, parents=[world.within[place]] if place in world.within else [])
        )
    return found


def cedar_request(question: Question) -> Document:
    """A question to Cedar; the context is encoded already."""
    return {
        "principal": {"type": "User", "id": question.actor},
        "action": {"type": "Action", "id": MOVE},
        "resource": {"type": "Place", "id": question.to},
        "context": json.dumps({"item": question.item}),
    }


def rego_data(world: RightsWorld) -> Document:
    """The facts as Rego data; a set is an object whose values are true."""
    held = _held(world)
    access = {place: _access(world, place) for place in world.places}
    found: Document = {
        "owner": dict(world.owner),
        "around": {place: dict.fromkeys(world.chain(place), True) for place in world.places},
        "opened": {place: dict.fromkeys(world.opened_by(place), True) for place in world.places},
        "public": {place: public for place, (public, _) in access.items()},
        "placeOwner": {place: owner for place, (_, owner) in access.items() if owner},
    }
    return found | held


def rego_input(question: Question) -> str:
    """A question to Rego."""
    return json.dumps({"actor": question.actor, "item": question.item, "to": question.to})


def _held(world: RightsWorld) -> dict[str, Document]:
    """What each User holds: by verb and shape; a Right that names an Item and a place is kept by Item."""
    found: dict[str, Document] = {
        name: {} for name in ("may", "mayNot", "mayItems", "mayPlaces", "mayNotItems", "mayNotPlaces")
    }
    for right in world.rights:
        verb = "may" if right.may else "mayNot"
        if right.item and right.to:
            found[verb].setdefault(right.holder, {}).setdefault(right.item, {})[right.to] = True
        else:
            kind = "Items" if right.item else "Places"
            found[verb + kind].setdefault(right.holder, {})[right.item or right.to] = True
    return found


def _access(world: RightsWorld, place: str) -> tuple[bool, str]:
    """Flag and owner of the nearest place around, or the place itself, that has one."""
    decides = world.opened_by(place)[-1]
    return world.public.get(decides, False), world.place_owner.get(decides, "")


def _places(names: Iterable[str]) -> list[Document]:
    return [{"__entity": {"type": "Place", "id": name}} for name in names]


def _cedar(
    kind: str, name: str, attributes: Document, *, parents: Sequence[str] = (), tags: Document | None = None
) -> Document:
    return {
        "uid": {"type": kind, "id": name},
        "attrs": attributes,
        "parents": [{"type": kind, "id": parent} for parent in parents],
        "tags": tags or {},
    }
