"""What whoever runs an M-Instance does: read its world, change it, see its versions, query it (DESIGN 4, 7).

Scopes: read for reading and queries, write for changes, admin for making and deleting M-Instances.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from app.errors import Code, Fault, StateError
from app.model import Principal, Scope
from app.service.access import choices, require, visible, visible_world
from app.world import Asked, Changed, Condition, Entry, Format, Queries, Report, World, Worlds
from app.world.dump import dump
from app.world.knowledge import KNOWLEDGE, checkpoint_with_knowledge
from app.world.sparql import confine, dataset_of

Graphs = Sequence[str]


@dataclass(frozen=True, slots=True)
class Document:
    """Something written to a file, which whoever gets it removes: a dump, or the result of a query."""

    path: Path
    media_type: str
    version: str = ""


class Operator:
    """The worlds for those who run them. Thread-safe."""

    def __init__(self, worlds: Worlds, queries: Queries, clock: Callable[[], datetime]) -> None:
        self._worlds = worlds
        self._queries = queries
        self._clock = clock

    def listed(self, principal: Principal) -> list[dict[str, object]]:
        """The worlds that the caller may see, each with its packs, version, and what is being done with it."""
        require(principal, Scope.READ)
        found = []
        for name in visible(self._worlds, principal):
            world = self._worlds.get(name)
            if world is not None:
                found.append(self._listed(name, world))
        found += [
            {"m_instance": name, "doing": doing, "done": done}
            for name, (doing, done) in sorted(self._worlds.progress.items())
            if principal.sees(name) and self._worlds.get(name) is None
        ]
        return found

    def version(self, m_instance: str, principal: Principal) -> str:
        """The version of a world as it is."""
        require(principal, Scope.READ)
        return visible_world(self._worlds, m_instance, principal, "").version

    def read(self, m_instance: str, form: Format, principal: Principal) -> Document:
        """A world as a document."""
        require(principal, Scope.READ)
        world = visible_world(self._worlds, m_instance, principal, "")
        checkpoint, output = self._queries.path("checkpoint"), self._queries.path("dump")
        try:
            version = world.checkpoint(checkpoint)
            dump(checkpoint, world.store.base, form, output)
        finally:
            self._queries.forget(checkpoint)
        return Document(output, form.media_type, version)

    def admit(self, m_instance: str, method: str, principal: Principal) -> None:
        """Raises what `put` and `post` would raise of this caller, before a body is taken from it."""
        require(principal, Scope.WRITE)
        if method == "POST" or not principal.sees(m_instance):
            visible_world(self._worlds, m_instance, principal, "")
        if self._worlds.get(m_instance) is None:
            require(principal, Scope.ADMIN)

    def put(
        self, m_instance: str, document: Path, form: Format, condition: Condition, principal: Principal
    ) -> Changed:
        """Make a document the whole world; where there is none, a new M-Instance, for which admin is needed."""
        self.admit(m_instance, "PUT", principal)
        return self._worlds.put(m_instance, document, form, self._asked(principal, condition))

    def post(
        self, m_instance: str, document: Path, form: Format, condition: Condition, principal: Principal
    ) -> Changed:
        """Add the facts of a document."""
        self.admit(m_instance, "POST", principal)
        return self._worlds.post(m_instance, document, form, self._asked(principal, condition))

    def update(self, m_instance: str, text: str, condition: Condition, principal: Principal) -> Changed:
        """Change a world by a SPARQL Update."""
        self._require_write(m_instance, principal)
        return self._worlds.update(m_instance, text, self._asked(principal, condition))

    def delete(self, m_instance: str, condition: Condition, principal: Principal) -> Changed:
        """Serve a world no longer."""
        self._require_write(m_instance, principal)
        require(principal, Scope.ADMIN)
        return self._worlds.delete(m_instance, self._asked(principal, condition))

    def log(self, m_instance: str, limit: int, principal: Principal) -> list[Entry]:
        """The last changes of a world, the newest first."""
        require(principal, Scope.READ)
        found = self._worlds.entries(m_instance, limit) if principal.sees(m_instance) else []
        if not found:
            visible_world(self._worlds, m_instance, principal, "")
        return found

    def check(self, m_instance: str, principal: Principal) -> Report:
        """What is wrong with a world as it is."""
        require(principal, Scope.READ)
        visible_world(self._worlds, m_instance, principal, "")
        return self._worlds.check(m_instance)

    def name_of(self, m_instance: str, iri: str) -> str:
        """How a node or property is said in reports about a world."""
        world = self._worlds.get(m_instance)
        return world.names.name(iri) if world else iri

    def query(
        self, text: str, default: Graphs, named: Graphs, rows_type: str, graph_type: str, principal: Principal
    ) -> Document:
        """The result of a query over Knowledge and the worlds that the caller may see.

        `default` and `named` are the graphs that the protocol names; where it names none, those of the query's FROM;
        where that names none either, all. Raises MessageError, AccessError, and StateError `unknown_graph`.
        """
        require(principal, Scope.READ)
        found = confine(text)
        if not default and not named:
            default, named = dataset_of(text, found)
        worlds = {w.store.base: w for name, w in sorted(self._worlds.served().items()) if principal.sees(name)}
        every = (*worlds, KNOWLEDGE)
        for graph in (*default, *named):
            if graph not in every:
                message = f"no graph <{graph}> is visible here"
                raise StateError(Fault(Code.UNKNOWN_GRAPH, message, hint=choices(graph, every)))
        if not default and not named:
            default = named = every
        asked = [world for base, world in worlds.items() if base in (*default, *named)] or list(worlds.values())[:1]
        output = self._queries.path("result")
        with self._checkpoints(asked) as folders:
            job = {
                "kind": "query",
                "stores": folders,
                "text": text,
                "default": list(default),
                "named": list(named),
                "rows_type": rows_type,
                "graph_type": graph_type,
                "output": str(output),
            }
            try:
                answer = self._queries.run(job)
            except BaseException:
                self._queries.forget(output)
                raise
        return Document(output, str(answer["media_type"]))

    @contextmanager
    def _checkpoints(self, worlds: Sequence[World]) -> Iterator[list[str]]:
        """A checkpoint of each world, with Knowledge in it, for as long as a query runs."""
        paths = []
        try:
            for world in worlds:
                path = self._queries.path("checkpoint")
                paths.append(path)
                checkpoint_with_knowledge(world, path)
            yield [str(path) for path in paths]
        finally:
            self._queries.forget(*paths)

    def _listed(self, name: str, world: World) -> dict[str, object]:
        doing, done = self._worlds.progress.get(name, ("", 0))
        newest = world.store.newest
        return {
            "m_instance": name,
            "graph": world.store.base,
            "packs": list(world.domain.sources),
            "version": newest.version,
            "changed": newest.time.isoformat(),
            **({"doing": doing, "done": done} if doing else {}),
        }

    def _require_write(self, m_instance: str, principal: Principal) -> None:
        require(principal, Scope.WRITE)
        visible_world(self._worlds, m_instance, principal, "")

    def _asked(self, principal: Principal, condition: Condition) -> Asked:
        return Asked(principal.name, self._clock(), condition)
