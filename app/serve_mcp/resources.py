"""Resources: what an agent may read before it asks, each within a stated size."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from mcp import types

from app.errors import Code, Fault, StateError
from app.model import Principal
from app.rules import Action
from app.serve_mcp.bridge import Bridge, Caller
from app.service.catalogue import Catalogue

SCHEME: Final = "domain-access://"
LEVELS: Final[Mapping[str, int]] = {"brief": 300, "medium": 1_500, "full": 5_000}
"""Overviews of classes, each with its size in tokens."""

VALUES: Final = 100
"""Values of one property of an entity that are told."""

GRAMMAR: Final = """\
A Process Action is one sentence:

    [Process] Action {complement} [At time] [If event]

- Without a Process the User of the session acts. An Action is a name of the catalogue, base or third person.
- A complement is an object alone (what is acted on), or after At, From, To, With, Of.
- An object is an identifier of the M-Instance, a class (the only instance the actor has), a quoted text, a number
  with its unit, an IRI in < >, or @6: what step 6 made; @6.Account says which of several.
- `X(Status=Model)` is a proposed X. `At 2026-12-01T10:00:00Z` is a time. `and` joins actions that succeed or fail
  together.
- If: NOT, AND, OR, NAND, NOR, XOR, XNOR over Process Actions, in parentheses.

Examples:
    Friend2 MM-Moves Persona2ID From MLocFriend2 To RoomID With SA6
    human1 Registers With Profile-human1
    MM-Sends MessageID To Friend1 With Message "hello"
    Seller Rights Changes Friend1 With Room_Rights
    MM-Adds Chair At RoomID With SA1 If Friend1 MM-Moves Persona1ID To RoomID
"""


@dataclass(frozen=True, slots=True)
class Source:
    """One resource, or a template of many: `{name}` stands for a part of the address."""

    address: str
    title: str
    description: str
    media_type: str
    read: Callable[[Reader, Mapping[str, str]], str]

    @property
    def is_template(self) -> bool:
        """Whether it stands for many."""
        return "{" in self.address

    def match(self, uri: str) -> dict[str, str] | None:
        """The parts of an address that this serves."""
        given, own = uri.split("/"), self.address.split("/")
        if len(given) != len(own):
            return None
        found: dict[str, str] = {}
        for part, pattern in zip(given, own, strict=True):
            if pattern.startswith("{"):
                found[pattern.strip("{}")] = unquote(part)
            elif part != pattern:
                return None
        return found


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads, from where."""

    catalogue: Catalogue
    bridge: Bridge
    caller: Caller
    m_instance: str

    @property
    def principal(self) -> Principal:
        """Who reads."""
        return self.caller.principal


def _actions(reader: Reader, _: Mapping[str, str]) -> str:
    actions = reader.catalogue.actions(reader.m_instance, reader.principal)
    return "\n".join(_action(action) for action in sorted(actions, key=lambda each: each.name))


def _action(action: Action) -> str:
    forms = []
    for form in action.complements:
        preposition = "" if form.preposition == "Nil" else f"{form.preposition} "
        kinds = "|".join(kind.rsplit("#", 1)[-1] for kind in form.kinds) or "anything"
        forms.append(f"{preposition}{kinds}" if form.required else f"[{preposition}{kinds}]")
    return f"{action.name} {' '.join(forms)}"


def _overview(reader: Reader, given: Mapping[str, str]) -> str:
    tokens = LEVELS.get(given["level"])
    if tokens is None:
        raise _not_found(f"there is no level `{given['level']}`", f"expected: {', '.join(LEVELS)}")
    return reader.catalogue.overview(given["m_instance"], tokens * 4 - 80, reader.principal)


def _class(reader: Reader, given: Mapping[str, str]) -> str:
    found = reader.catalogue.class_entry(given["m_instance"], given["name"], reader.principal)
    if found is None:
        near = reader.catalogue.complete(given["m_instance"], "class", given["name"], reader.principal)
        raise _not_found(f"no class is called `{given['name']}`", f"near: {', '.join(near[:5])}" if near else "")
    members = {"class": found.iri, "label": found.label, "definition": found.definition}
    return json.dumps({**members, "above": found.above, "below": found.below}, ensure_ascii=False)


def _entity(reader: Reader, given: Mapping[str, str]) -> str:
    facts = reader.catalogue.facts_of(given["m_instance"], given["identifier"], reader.principal)
    if not facts:
        near = reader.catalogue.complete(given["m_instance"], "entity", given["identifier"], reader.principal)
        hint = f"near: {', '.join(near[:5])}" if near else ""
        raise _not_found(f"nothing is said of `{given['identifier']}`", hint)
    return json.dumps({name: _some(values) for name, values in facts.items()}, ensure_ascii=False)


def _some(values: list[str]) -> list[str]:
    """The first values, and how many there are besides."""
    return values if len(values) <= VALUES else [*values[:VALUES], f"... and {len(values) - VALUES} more"]


def _explanation(reader: Reader, given: Mapping[str, str]) -> str:
    return reader.bridge.explanation(given["query_id"], reader.caller)


def _commitments(reader: Reader, given: Mapping[str, str]) -> str:
    return json.dumps(reader.bridge.commitments(given["dialogue"], reader.caller), ensure_ascii=False)


SOURCES: Final = (
    Source(
        f"{SCHEME}actions", "Action catalogue", "Every Action with the complements it takes.", "text/plain", _actions
    ),
    Source(
        f"{SCHEME}grammar",
        "How a Process Action is written",
        "The statement grammar with examples, about 400 tokens.",
        "text/plain",
        lambda *_: GRAMMAR,
    ),
    Source(
        SCHEME + "worlds/{m_instance}/classes/overview/{level}",
        "Classes of an M-Instance",
        "The class tree of its packs; level brief, medium or full: about 300, 1,500 or 5,000 tokens.",
        "text/plain",
        _overview,
    ),
    Source(
        SCHEME + "worlds/{m_instance}/classes/{name}",
        "One class",
        "Its definition, and the classes above and below.",
        "application/json",
        _class,
    ),
    Source(
        SCHEME + "worlds/{m_instance}/entities/{identifier}",
        "One entity",
        "What the M-Instance says of it now.",
        "application/json",
        _entity,
    ),
    Source(
        SCHEME + "answers/{query_id}",
        "Why an answer is as it is",
        "The whole explanation, so as long as the plan: rules, facts used and missing, effects, Repairs.",
        "application/json",
        _explanation,
    ),
    Source(
        SCHEME + "dialogues/{dialogue}/commitments",
        "What a dialogue retains",
        "The commitments of a dialogue begun by these tools, with the state of each.",
        "application/json",
        _commitments,
    ),
)


def read(uri: str, reader: Reader) -> tuple[str, str]:
    """The text of a resource and its media type. Raises StateError `not_found`."""
    for source in SOURCES:
        given = source.match(uri)
        if given is not None:
            return source.read(reader, given), source.media_type
    raise _not_found(f"there is no resource `{uri}`", f"served: {', '.join(source.address for source in SOURCES)}")


def listed(m_instances: Mapping[str, object]) -> list[types.Resource]:
    """The resources with an address of their own, an overview of each M-Instance among them."""
    found = [
        types.Resource(
            name=source.title, uri=source.address, description=source.description, mime_type=source.media_type
        )
        for source in SOURCES
        if not source.is_template
    ]
    return found + [
        types.Resource(
            name=f"Classes of {name} ({level})",
            uri=f"{SCHEME}worlds/{name}/classes/overview/{level}",
            description=f"The class tree of its packs, about {tokens:,} tokens.",
            mime_type="text/plain",
        )
        for name in m_instances
        for level, tokens in LEVELS.items()
    ]


def templates() -> list[types.ResourceTemplate]:
    """The templates."""
    return [
        types.ResourceTemplate(
            name=source.title,
            uri_template=source.address,
            description=source.description,
            mime_type=source.media_type,
        )
        for source in SOURCES
        if source.is_template
    ]


def _not_found(message: str, hint: str) -> StateError:
    return StateError(Fault(Code.NOT_FOUND, message, hint=hint))
