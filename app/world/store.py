"""Where the facts of one M-Instance are: an Oxigraph of its own, in memory or in a folder (DESIGN 4).

    <folder>/current        the name of the generation that counts
    <folder>/g000001/       an Oxigraph: the facts in the graph that the base names, the log beside them

A small change is one update of Oxigraph, which is atomic, with its log entry in it; the write-ahead log is then
synced, so what was answered outlives a loss of power. A large one is made in a new generation, a copy by hard links
or an empty one, which nobody reads until `current` names it: replacing that file is what commits it.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final, Self

import pyoxigraph as ox

from app.errors import Code, Fault, StateError
from app.world import log
from app.world.log import Entry
from app.world.terms import Terms, in_graph

CURRENT: Final = "current"
_GENERATION: Final = re.compile("g[0-9]{6,}")
_MADE: Final = re.compile(_GENERATION.pattern + r"(?:\.tmp)?")
"""A generation, or a copy that Oxigraph had begun to make of one."""

RESTORE: Final = "restore the folder from a copy; to begin anew, move it away"
"""What can be done about a folder that is damaged; nothing of it is cleared away."""


@dataclass(frozen=True, slots=True)
class Change:
    """Facts to remove and facts to add; nothing is in both."""

    removed: frozenset[ox.Triple]
    added: frozenset[ox.Triple]

    def __bool__(self) -> bool:
        return bool(self.removed or self.added)

    def __len__(self) -> int:
        return len(self.removed) + len(self.added)

    @property
    def digest(self) -> str:
        """Equal changes have equal digests."""
        lines = sorted([f"- {t}" for t in self.removed] + [f"+ {t}" for t in self.added])
        return sha256("\n".join(lines).encode()).hexdigest()


class Store:
    """The facts of one M-Instance. Thread-safe for readers; who changes it sees to it that nobody else does."""

    def __init__(self, base: str, opened: ox.Store, folder: Path | None = None) -> None:
        self.base = base
        self.graph = ox.NamedNode(base)
        self.terms = Terms(base)
        self.folder = folder
        self.opened = opened
        self.newest = log.newest(opened)

    @classmethod
    def in_memory(cls, base: str) -> Self:
        """An empty one that lasts as long as the process."""
        return cls(base, ox.Store())

    @property
    def version(self) -> str:
        """The version of the facts as they are."""
        return self.newest.version

    def commit(self, change: Change, own: Iterable[ox.Quad], gone: Iterable[ox.Quad], entry: Entry) -> None:
        """Make a change with its entry, whole or not at all, and lasting. `own` and `gone` are what else the store
        says of itself from now on, and no longer.
        """
        removed = [in_graph(triple, self.graph) for triple in change.removed]
        added = [in_graph(triple, self.graph) for triple in change.added]
        removed += [*log.outdated(self.opened, entry), *gone]
        added += [*entry.quads(), entry.head(), *own]
        delete, insert = _data(removed), _data(added)
        self.opened.update(f"DELETE DATA {{ {delete} }} ; INSERT DATA {{ {insert} }}")
        self.sync()
        self.newest = entry

    def conclude(self, own: Iterable[ox.Quad], entry: Entry) -> None:
        """Write the entry of a change that a new generation holds already, and all of it to disk."""
        for quad in log.outdated(self.opened, entry):
            self.opened.remove(quad)
        self.opened.extend([*entry.quads(), entry.head(), *own])
        self.opened.flush()
        self.newest = entry

    def apply(self, change: Change) -> None:
        """Lay a change over a generation that nobody reads yet."""
        for triple in change.removed:
            self.opened.remove(in_graph(triple, self.graph))
        self.opened.bulk_extend(in_graph(triple, self.graph) for triple in change.added)

    def triples(self) -> Iterator[ox.Triple]:
        """Every fact."""
        return (quad.triple for quad in self.opened.quads_for_pattern(None, None, None, self.graph))

    def said(self, node: ox.NamedNode) -> set[ox.Triple]:
        """All that is said of a node."""
        return {quad.triple for quad in self.opened.quads_for_pattern(node, None, None, self.graph)}

    def sync(self) -> None:
        """Have what was written reach the disk: Oxigraph leaves its write-ahead log to the system's cache."""
        if self.folder is None:
            return
        for path in self.folder.glob("*.log"):
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.fdatasync(descriptor)
            finally:
                os.close(descriptor)

    def is_empty(self) -> bool:
        """Whether there is no fact: no world, or one that was deleted."""
        return not any(self.opened.quads_for_pattern(None, None, None, self.graph))


class Generations:
    """The folder of one M-Instance's store. One process owns it: Oxigraph locks each generation."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def open(self, base: str) -> Store | None:
        """The generation that counts, if there is one; what an interrupted change left is removed."""
        current = self.folder / CURRENT
        name = current.read_bytes().decode(errors="replace").strip() if current.is_file() else ""
        if current.is_file() and not (_GENERATION.fullmatch(name) and (self.folder / name / "CURRENT").is_file()):
            message = f"`{current}` names `{name}`, and there is no such generation of the world"
            raise StateError(Fault(Code.STORE_UNUSABLE, message, hint=RESTORE))
        store = self._store(base, self.folder / name) if name else None  # first: it tells whether another is at work
        self._sweep(base, name)
        return store

    def begin(self, base: str, copied: Store | None = None) -> Store:
        """A new generation that nobody reads yet: empty but for the log, or a copy of the facts as they are."""
        last = max((int(path.name.removesuffix(".tmp")[1:]) for path in self._all()), default=0)
        path = self.folder / f"g{last + 1:06d}"
        self.folder.mkdir(parents=True, exist_ok=True)
        if copied is not None:
            copied.opened.backup(str(path))
        return self._store(base, path)

    def switch(self, store: Store) -> None:
        """From now on this generation counts, even if the process dies at once."""
        assert store.folder is not None
        write_whole(self.folder / CURRENT, store.folder.name.encode())

    def discard(self, store: Store, *, entirely: bool = False) -> None:
        """Remove a generation that does not count; readers that still have it keep it until they are done.
        `entirely`: with the folder of the world, which never was.
        """
        assert store.folder is not None
        shutil.rmtree(self.folder if entirely else store.folder, ignore_errors=True)

    def _store(self, base: str, path: Path) -> Store:
        try:
            return Store(base, ox.Store(str(path)), path)
        except (OSError, RuntimeError) as error:  # either, where files are missing or damaged
            if "lock" in str(error).replace(str(path), "").lower():
                message = f"another process uses the worlds in `{self.folder.parent}`"
                hint = "a server that runs is asked instead; give a second one its own DOMAIN_ACCESS_DATA"
                raise StateError(Fault(Code.DATA_FOLDER_IN_USE, message, hint=hint)) from error
            message = f"the world in `{path}` cannot be opened: {error}"
            raise StateError(Fault(Code.STORE_UNUSABLE, message)) from error

    def _all(self) -> list[Path]:
        return [path for path in self.folder.glob("g*") if _MADE.fullmatch(path.name)]

    def _sweep(self, base: str, current: str) -> None:
        """Remove what does not count. Raises StateError where another process is just making it."""
        for path in self._all():
            if path.name == current:
                continue
            try:
                self._store(base, path)
            except StateError as error:
                if error.faults[0].code is Code.DATA_FOLDER_IN_USE:
                    raise
            shutil.rmtree(path, ignore_errors=True)


def write_whole(path: Path, content: bytes) -> None:
    """Write a small file so that it is there whole or as it was, even after a loss of power."""
    replacement = path.with_name(f"{path.name}.new")
    with replacement.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    replacement.replace(path)
    descriptor = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def copy_log(source: Store, target: Store) -> None:
    """Carry the versions of a world over to a new generation."""
    target.opened.extend(source.opened.quads_for_pattern(None, None, None, log.LOG))
    target.newest = source.newest


def _data(quads: Iterable[ox.Quad]) -> str:
    """Quads as the data of an update."""
    return " ".join(f"GRAPH {quad.graph_name} {{ {quad.subject} {quad.predicate} {quad.object} }}" for quad in quads)
