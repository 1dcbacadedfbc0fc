"""What there is to name: Actions, classes, entities; for readers and completion, never for verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from rapidfuzz import fuzz, process

from app.knowledge import Knowledge, fold, local_name
from app.model import Principal, Scope, Text
from app.rules import Action, Domain
from app.service.access import require, visible_world
from app.vocab import RDFS, SKOS
from app.world import World, Worlds

_COMMENT = RDFS + "comment"
_DEFINITION = SKOS + "definition"


@dataclass(frozen=True, slots=True)
class ClassEntry:
    """A class as readers see it: definition in English, direct superclasses and subclasses by name."""

    iri: str
    label: str
    definition: str
    above: tuple[str, ...]
    below: tuple[str, ...]


class Catalogue:
    """Reads what the packs and worlds declare. Thread-safe."""

    def __init__(self, worlds: Worlds) -> None:
        self._worlds = worlds
        self._below: WeakKeyDictionary[Knowledge, Mapping[str, list[str]]] = WeakKeyDictionary()

    def domain(self, m_instance: str, principal: Principal) -> Domain:
        """The Domain of an M-Instance. Raises StateError, AccessError."""
        return self._world(m_instance, principal).domain

    def actions(self, m_instance: str, principal: Principal) -> tuple[Action, ...]:
        """The Actions that a statement may name."""
        return tuple(self.domain(m_instance, principal).actions.values())

    def class_entry(self, m_instance: str, name: str, principal: Principal) -> ClassEntry | None:
        """A class by IRI, label, synonym or local name."""
        knowledge = self.domain(m_instance, principal).knowledge
        iri = name if name in knowledge.classes else next(iter(knowledge.class_names.get(fold(name), ())), None)
        return _entry(iri, knowledge, self._children(knowledge)) if iri is not None else None

    def overview(self, m_instance: str, characters: int, principal: Principal) -> str:
        """The classes of the packs as an indented tree, level by level, as far as there is room."""
        knowledge = self.domain(m_instance, principal).knowledge
        below = self._children(knowledge)
        narrower = {c for under in below.values() for c in under}
        roots = [c for c in knowledge.classes if c not in narrower and _is_named(c)]
        depth, text = 1, ""
        while True:
            lines = list(_tree(roots, below, knowledge, depth, 0))
            wider = "\n".join(lines)
            if len(wider) > characters or wider == text:
                break
            text, depth = wider, depth + 1
        shown = text.count("\n") + 1 if text else 0
        if not text:
            text = "\n".join(lines)[:characters].rpartition("\n")[0]
            shown = text.count("\n") + 1
        packs = ", ".join(pack.source for pack in knowledge.packs)
        left = len(knowledge.classes) - shown
        more = f"\n({left} narrower classes are left out)" if left > 0 else ""
        return f"{packs}: {len(knowledge.classes)} classes\n{text}{more}"

    def facts_of(self, m_instance: str, identifier: str, principal: Principal) -> dict[str, list[str]]:
        """What is said of an entity, by property label; empty where it is not there."""
        require(principal, Scope.ASK)
        world = self._world(m_instance, principal)
        held = world.slice_of(world.names.iri(identifier))
        return {
            world.names.name(p): sorted(world.names.name(value) for value in values)
            for p, values in sorted(held.out.items())
        }

    def complete(self, m_instance: str, kind: str, begun: str, principal: Principal) -> list[str]:
        """Names of Actions or classes, or identifiers, that begin so or nearly so; the best first, 100 at most."""
        world = self._world(m_instance, principal)
        domain = world.domain
        if kind == "action":
            names: Iterable[str] = domain.actions
        elif kind == "class":
            names = {domain.knowledge.label(iri) for iri in domain.knowledge.classes}
        else:
            names = world.identifiers(begun, 100) or world.identifiers("", 20_000)
        found = sorted(name for name in names if name.lower().startswith(begun.lower()))
        if not found and begun:
            found = [name for name, *_ in process.extract(begun, list(names), scorer=fuzz.WRatio, score_cutoff=70)]
        return found[:100]

    def _children(self, knowledge: Knowledge) -> Mapping[str, list[str]]:
        """The classes right below each class, worked out once for a Knowledge."""
        found = self._below.get(knowledge)
        if found is None:
            found = self._below[knowledge] = _children(knowledge)
        return found

    def _world(self, m_instance: str, principal: Principal) -> World:
        return visible_world(self._worlds, m_instance, principal, "/m_instance")


def _entry(iri: str, knowledge: Knowledge, children: Mapping[str, list[str]]) -> ClassEntry:
    said = knowledge.vocabulary[iri].out
    texts = [t for p in (_DEFINITION, _COMMENT) for t in said.get(p, ()) if isinstance(t, Text)]
    definition = next((t.value for t in texts if t.lang in {"", "en"}), "")
    return ClassEntry(
        iri=iri,
        label=knowledge.label(iri),
        definition=definition,
        above=tuple(sorted(knowledge.label(c) for c in _direct(iri, knowledge))),
        below=tuple(sorted(knowledge.label(c) for c in children.get(iri, ()))),
    )


def _direct(iri: str, knowledge: Knowledge) -> list[str]:
    """The superclasses that no other superclass lies between."""
    wider = [c for c in knowledge.schema.superclasses.get(iri, ()) if c in knowledge.classes and c != iri]
    return [c for c in wider if not any(c != d and knowledge.is_a(d, c) and not knowledge.is_a(c, d) for d in wider)]


def _children(knowledge: Knowledge) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for iri in knowledge.classes:
        for above in _direct(iri, knowledge):
            found.setdefault(above, []).append(iri)
    return found


def _is_named(iri: str) -> bool:
    return not iri.startswith("_:") and ":" in iri and local_name(iri) != "Thing"


def _tree(
    classes: Iterable[str], below: Mapping[str, list[str]], knowledge: Knowledge, depth: int, indent: int
) -> Iterable[str]:
    for iri in sorted(classes, key=knowledge.label):
        yield "  " * indent + knowledge.label(iri)
        if depth > 1:
            yield from _tree(below.get(iri, ()), below, knowledge, depth - 1, indent + 1)
