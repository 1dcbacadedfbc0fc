"""A world as it is shown: its entities, each with what it is and where, and which properties its things have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.authoring.doc.stated import Stated
from app.knowledge import local_name
from app.model import Text
from app.vocab import AT, IDENTIFIER, OWNER, TYPE, mmm
from app.world import MInstance, describe, read_world


@dataclass(frozen=True, slots=True)
class Entity:
    """One entity; `place` and `owner` are identifiers, empty where none is stated."""

    identifier: str
    iri: str
    classes: tuple[str, ...]
    place: str
    owner: str


@dataclass(frozen=True, slots=True)
class WorldShown:
    """An M-Instance of a pack. `has` and `is_value`: the properties by the class of what has them, of their value."""

    name: str
    instance: MInstance
    entities: tuple[Entity, ...]
    has: Mapping[str, frozenset[str]]
    is_value: Mapping[str, frozenset[str]]


def read_shown(path: Path) -> WorldShown:
    """A world file. Raises PackError."""
    triples = read_world(path)
    stated = Stated.of(dict.fromkeys(triples, ""), ())
    identifiers = {s: o.value for s, p, o in triples if p == IDENTIFIER and isinstance(o, Text)}

    def named(entity: str, predicate: str) -> str:
        found = (identifiers.get(o, local_name(o)) for o in stated.names(entity, predicate))
        return ", ".join(dict.fromkeys(found))

    entities = [
        Entity(
            identifier=identifier,
            iri=iri,
            classes=stated.names(iri, TYPE),
            place=named(iri, AT) or named(iri, mmm("within")),
            owner=named(iri, OWNER),
        )
        for iri, identifier in identifiers.items()
    ]
    has: dict[str, set[str]] = {}
    is_value: dict[str, set[str]] = {}
    for s, p, o in triples:
        if p != TYPE:
            for kind in stated.names(s, TYPE):
                has.setdefault(kind, set()).add(p)
            for kind in stated.names(o, TYPE) if isinstance(o, str) else ():
                is_value.setdefault(kind, set()).add(p)
    return WorldShown(
        name=path.stem,
        instance=describe(triples),
        entities=tuple(sorted(entities, key=lambda each: (each.identifier.casefold(), each.iri))),
        has={kind: frozenset(found) for kind, found in has.items()},
        is_value={kind: frozenset(found) for kind, found in is_value.items()},
    )
