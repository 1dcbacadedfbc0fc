"""The worlds of both states as probes see them: which entities there are, of which classes, whose and where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from app.authoring.answering import Answering
from app.model import Text
from app.vocab import AT, IDENTIFIER, OWNER, TYPE, dac, mmm
from app.world import World, read_world


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity of a world: its IRI, its identifier, its classes with those above, its owner and place."""

    iri: str
    name: str
    classes: frozenset[str]
    owner: str = ""
    place: str = ""


@dataclass(frozen=True)
class Scene:
    """An M-Instance in both states together; `sessions` are those that it states."""

    m_instance: str
    pack: str
    u_environment: str
    sessions: tuple[str, ...]
    worlds: tuple[World, ...]
    entities: tuple[Entity, ...] = field(default=())

    def of_class(self, kinds: Iterable[str]) -> list[Entity]:
        """The entities of one of some classes, in the order of their identifiers."""
        wanted = set(kinds)
        return [each for each in self.entities if wanted & each.classes]

    @property
    def actors(self) -> list[Entity]:
        """Who can act: Users, where there are none any Process."""
        return self.of_class([mmm("User")]) or self.of_class([mmm("Process")])


def scenes(states: tuple[Answering, Answering], packs: Iterable[str]) -> Iterator[Scene]:
    """The worlds that some packs bring in either state. Raises PackError."""
    for pack in packs:
        files: dict[str, list[Answering]] = {}
        for state in states:
            if pack in state.edition.names():
                for path in state.edition.worlds_of(pack):
                    files.setdefault(path.stem, []).append(state)
        for m_instance in sorted(files):
            yield _scene(m_instance, pack, files[m_instance])


def _scene(m_instance: str, pack: str, states: list[Answering]) -> Scene:
    found: dict[str, Entity] = {}
    environments: set[str] = set()
    sessions: set[str] = set()
    worlds: list[World] = []
    for state in states:
        world = state.world(m_instance)
        worlds.append(world)
        environments |= world.m_instance.u_environments
        facts = read_world(next(p for p in state.edition.worlds_of(pack) if p.stem == m_instance))
        sessions |= {o.value for _, p, o in facts if p == dac("sessionID") and isinstance(o, Text)}
        for s, p, o in facts:
            if p == IDENTIFIER and isinstance(o, Text) and s != world.m_instance.base:
                entity = _entity(s, o.value, world)
                held = found.get(s)
                classes = entity.classes | held.classes if held else entity.classes
                owner, place = max(held.owner, entity.owner) if held else entity.owner, entity.place
                place = max(held.place, place) if held else place
                found[s] = Entity(s, o.value, classes, owner, place)
    entities = tuple(sorted(found.values(), key=lambda each: (each.name, each.iri)))
    return Scene(m_instance, pack, min(environments, default="UE1"), tuple(sorted(sessions)), tuple(worlds), entities)


def _entity(iri: str, name: str, world: World) -> Entity:
    said = world.slice_of(iri).out

    def named(predicate: str) -> str:
        return min((world.names.name(o) for o in said.get(predicate, ()) if isinstance(o, str)), default="")

    classes = frozenset(o for o in said.get(TYPE, ()) if isinstance(o, str))
    return Entity(iri, name, classes, named(OWNER), named(AT))
