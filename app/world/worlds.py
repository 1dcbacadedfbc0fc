"""Every M-Instance that is served: opened from the data folder, made, replaced, changed and deleted (DESIGN 4).

A change is worked out as facts to add and to remove, validated where it touches, and committed; a large one is made
in a new generation of the store, validated as a whole, and switched to. Either way nobody sees it before it is whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Final

import pyoxigraph as ox

from app.errors import Code, DomainAccessError, Fault, MessageError, PackError, StateError
from app.rules import Domain
from app.vocab import IDENTIFIER, M_INSTANCE, TYPE
from app.world import log
from app.world.blank import Said, skolemized
from app.world.described import MInstance, describe, described_in, needed_by
from app.world.effects import counted, effective, sought, stated
from app.world.formats import TURTLE, Format, read_triples
from app.world.gate import Gate
from app.world.loading import digest_of
from app.world.log import Entry
from app.world.making import NO_BASE, check_names, made, overlap, own_quads, same_m_instance
from app.world.queries import Queries
from app.world.report import Report, gathered
from app.world.scan import scan
from app.world.sparql import read_update
from app.world.store import RESTORE, Change, Generations, Store, copy_log, write_whole
from app.world.switching import DomainOf, Prepared, prepared
from app.world.terms import Terms, as_stored
from app.world.validate import Validator
from app.world.view import View
from app.world.world import World

SMALL_BYTES: Final = 4 * 2**20
"""A document up to this size is compared with the world; a larger one is loaded aside."""

SMALL_FACTS: Final = 100_000
"""Facts of a change that is committed as one update of Oxigraph, which holds it in memory."""

_PATIENCE_S: Final = 30.0
_IDENTITY: Final = "identity.json"
_NO_BASE: Final = NO_BASE + "//m-instance/"

Condition = Callable[[str | None], None]
"""Is given the version that a change would replace, None where there is no world; raises where it must not."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks for a change, when, and on which condition."""

    who: str
    time: datetime
    condition: Condition = lambda _: None


@dataclass(frozen=True, slots=True)
class Changed:
    """What came of it: the entry of the version that is there now, whether the world is new, and what was noticed."""

    entry: Entry
    created: bool = False
    report: Report = field(default_factory=Report)


class Worlds:
    """The worlds of one data folder. Thread-safe: changes of one world come one after another."""

    def __init__(self, folder: Path, domain_of: DomainOf, queries: Queries) -> None:
        self._folder = folder
        self._domain_of = domain_of
        self._queries = queries
        self._worlds: dict[str, World] = {}
        self._validators: dict[str, Validator] = {}
        self._deleted: dict[str, Store] = {}
        self._locks: dict[str, Lock] = {}
        self._lock = Lock()
        self._gate = Gate(_PATIENCE_S)
        self.progress: dict[str, tuple[str, int]] = {}

    def open(self, seeds: Iterable[Path], asked: Asked) -> None:
        """Open the worlds of the folder; load those of the packs that it never had. Raises PackError."""
        faults: list[Fault] = []
        for path in sorted(self._folder.glob(f"*/{_IDENTITY}")):
            self._open(path)
        for seed in seeds:
            try:
                described = describe_file(seed, TURTLE)
                if described.identifier not in self._worlds and described.identifier not in self._deleted:
                    self._make(described, (seed, TURTLE), asked, f"loaded from {'/'.join(seed.parts[-3:])}")
            except DomainAccessError as error:
                faults += [
                    Fault(f.code, f.message, ": ".join(filter(None, (str(seed), f.where))), f.clause, f.hint)
                    for f in error.faults
                ]
        if faults:
            raise PackError(*dict.fromkeys(faults))

    def close(self) -> None:
        """Let go of every store; what was answered is on disk already."""
        self._worlds = {}
        self._deleted.clear()

    def get(self, name: str) -> World | None:
        """The world of an M-Instance."""
        return self._worlds.get(name)

    def names(self) -> tuple[str, ...]:
        """The M-Instances served."""
        return tuple(sorted(self._worlds))

    def served(self) -> Mapping[str, World]:
        """The worlds at one moment, by M-Instance: all of them under one set of packs."""
        return self._worlds

    def prepare(self, domain_of: DomainOf) -> Prepared:
        """The worlds under other Domains, checked, not served yet. Raises DomainAccessError with every fault."""
        return prepared(self._worlds, domain_of, self._validator)

    def switch(self, prepared: Prepared, agreed: Callable[[], None]) -> None:
        """Serve the worlds under other Domains, all from one moment on. `agreed` is called when nothing is left that
        could go wrong, and raises where it shall not be done after all. No world changes meanwhile.
        """
        with self._gate.alone():
            current = prepared.with_current(self._worlds, self._validator)
            agreed()
            with self._lock:
                self._domain_of = current.domain_of
                fresh = {each.world.store.base: each.validator for each in current.worlds.values() if each.validator}
                self._validators = {**self._validators, **fresh}
                self._worlds = {name: aside.world for name, aside in current.worlds.items()}

    def put(self, name: str, document: Path, form: Format, asked: Asked) -> Changed:
        """Make a document the whole world."""
        with self._alone(name):
            world = self._worlds.get(name)
            asked.condition(world.version if world else None)
            scan(document, form)
            if world is None:
                described = describe_file(document, form)
                same_m_instance(described, name, described.base)
                check_names(described)
                return self._make(described, (document, form), asked, "PUT")
            if document.stat().st_size <= SMALL_BYTES:
                old = frozenset(islice(world.store.triples(), SMALL_FACTS + 1))
                if len(old) <= SMALL_FACTS:
                    new = _read(document, form, world.store)
                    return self._change(world, Change(old - new, new - old), asked, "PUT")
            return self._make(world.m_instance, (document, form), asked, "PUT")

    def post(self, name: str, document: Path, form: Format, asked: Asked) -> Changed:
        """Add the facts of a document to a world."""
        with self._alone(name):
            world = self._existing(name)
            asked.condition(world.version)
            scan(document, form)
            if document.stat().st_size > SMALL_BYTES:
                return self._make(world.m_instance, (document, form), asked, "POST", copied=world.store)
            come = _read(document, form, world.store, world.store.said)
            change = effective(Change(frozenset(), come), world.store)
            return self._change(world, change, asked, "POST")

    def update(self, name: str, text: str, asked: Asked) -> Changed:
        """Change a world by a SPARQL Update of its graph."""
        with self._alone(name):
            world = self._existing(name)
            asked.condition(world.version)
            update = read_update(text, world.store.base)
            change = stated(update, world.store) if update.is_data else sought(text, world.store, self._queries)
            return self._change(world, change, asked, "update")

    def delete(self, name: str, asked: Asked) -> Changed:
        """Serve a world no longer; its versions stay known, and a later one goes on counting."""
        with self._alone(name):
            world = self._existing(name)
            asked.condition(world.version)
            generations = self._generations(name)
            store = generations.begin(world.store.base)
            copy_log(world.store, store)
            store.conclude(
                [], store.newest.after(asked.time, asked.who, "DELETE", 0, counted(world.store), "deleted")
            )
            generations.switch(store)
            with self._lock:
                self._worlds = {other: served for other, served in self._worlds.items() if other != name}
                self._deleted[name] = store
            generations.discard(world.store)
            return Changed(store.newest)

    def check(self, name: str) -> Report:
        """What is wrong with a world as it is."""
        world = self._existing(name)
        return gathered(result for _, found in self._validator(world).of_store(world.store) for result in found)

    def entries(self, name: str, limit: int) -> list[Entry]:
        """The last changes of a world, the newest first; of one that was deleted, too."""
        world = self._worlds.get(name)
        store = world.store if world else self._deleted.get(name)
        return list(log.entries(store.opened, limit)) if store else []

    def _change(self, world: World, change: Change, asked: Asked, how: str) -> Changed:
        """Validate a change where it touches, and make it."""
        name = world.m_instance.identifier
        if not change:
            return Changed(world.store.newest)
        if len(change) > SMALL_FACTS or self._validator(world).concerns_all(world.store, change):
            return self._make(world.m_instance, None, asked, how, copied=world.store, change=change)
        try:
            described = described_in(View(world.store, change), world.store.base)
        except PackError as error:
            raise MessageError(*(Fault(Code.WORLD_REFUSED, each.message) for each in error.faults)) from error
        same_m_instance(described, name, world.store.base)
        if described.packs != world.m_instance.packs:  # what holds in it is another question now, for all of it
            return self._make(described, None, asked, how, copied=world.store, change=change)
        report = self._validator(world).of_change(world.store, change)
        if not report.conforms:
            raise report.error(world.names.name)
        added, removed = len(change.added), len(change.removed)
        entry = world.store.newest.after(asked.time, asked.who, how, added, removed, change.digest)
        world.change(change, entry, described)
        return Changed(entry, report=report)

    def _make(
        self,
        described: MInstance,
        add: tuple[Path, Format] | None,
        asked: Asked,
        how: str,
        copied: Store | None = None,
        change: Change | None = None,
    ) -> Changed:
        """Make a new generation and switch to it."""
        name, base = described.identifier, described.base
        world = self._worlds.get(name)
        before = world.store if world else self._deleted.get(name)
        if before is not None:
            same_m_instance(described, name, before.base)
        self._claim(name, base)
        generations = self._generations(name)
        store = generations.begin(base, copied)
        try:
            if copied is None and before is not None:
                copy_log(before, store)
            if change is not None:
                store.apply(change)
            found, domain, noticed = made(store, add, self._domain_of, partial(self._tell, name))
            same_m_instance(found, name, base)
        except BaseException:
            generations.discard(store, entirely=before is None)
            raise
        finally:
            self.progress.pop(name, None)
        digest = digest_of(add[0]) if add else change.digest if change else ""
        added, removed = _counts(before, store, change, is_copy=copied is not None)
        store.conclude(own_quads(store), store.newest.after(asked.time, asked.who, how, added, removed, digest))
        generations.switch(store)
        self._serve(found, store, domain)
        if before is not None:
            generations.discard(before)
        return Changed(store.newest, created=world is None, report=Report(noticed))

    def _open(self, identity: Path) -> None:
        """Open a world that the folder has."""
        try:
            said = json.loads(identity.read_bytes())
            name, base = str(said["m_instance"]), str(said["base"])
        except (ValueError, KeyError, TypeError) as error:
            message = f"`{identity}` does not say whose world the folder has"
            raise StateError(Fault(Code.STORE_UNUSABLE, message, hint=RESTORE)) from error
        store = Generations(identity.parent).open(base)
        if store is None:  # its first load was interrupted: it never was
            return
        if store.is_empty():
            self._deleted[name] = store
            return
        described = described_in(View(store), store.base)
        try:
            domain = self._domain_of(described.packs)
        except PackError as error:
            raise needed_by(described.identifier, described.packs, error) from error
        self._serve(described, store, domain)

    def _serve(self, described: MInstance, store: Store, domain: Domain) -> None:
        """Answer from these facts from now on."""
        name = described.identifier
        world = self._worlds.get(name)
        with self._lock:
            self._deleted.pop(name, None)
            if world is None:
                world = World(described, store, domain)
            else:
                world = world.under(domain)
                world.replace(store, described)
            self._worlds = {**self._worlds, name: world}  # another dict: who has this one sees one moment

    def _validator(self, world: World) -> Validator:
        """Made when it is first needed: a process that only answers needs none."""
        base = world.store.base
        validator = self._validators.get(base)
        if validator is None or validator.domain is not world.domain:
            validator = self._validators[base] = Validator(world.domain, base)
        return validator

    def _existing(self, name: str) -> World:
        world = self._worlds.get(name)
        if world is None:
            message = f"no M-Instance `{name}` is served"
            raise StateError(Fault(Code.UNKNOWN_M_INSTANCE, message, hint="PUT makes a new one"))
        return world

    @contextmanager
    def _alone(self, name: str) -> Iterator[None]:
        """One change of a world at a time. Raises StateError `busy` where one takes long."""
        with self._lock:
            lock = self._locks.setdefault(name, Lock())
        if not lock.acquire(timeout=_PATIENCE_S):
            message = f"another change of `{name}` is being made"
            raise StateError(Fault(Code.BUSY, message), retry_after_s=int(_PATIENCE_S))
        try:
            with self._gate.passing():
                yield
        finally:
            lock.release()

    def _generations(self, name: str) -> Generations:
        """The folder of a world: readable for an operator, and another for every identifier."""
        plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in name)[:40]
        return Generations(self._folder / f"{plain}-{sha256(name.encode()).hexdigest()[:12]}")

    def _claim(self, name: str, base: str) -> None:
        """Write down whose a folder is, before anything is in it; no two worlds share a base."""
        with self._lock:
            for other, world in self._worlds.items():
                if other != name and overlap(base, world.store.base):
                    message = f"the base <{base}> overlaps the one of another M-Instance"
                    raise MessageError(
                        Fault(Code.WRONG_GRAPH, message, hint="give each M-Instance a base of its own")
                    )
        folder = self._generations(name).folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        said = json.dumps({"m_instance": name, "base": base}).encode()
        if not (folder / _IDENTITY).is_file() or (folder / _IDENTITY).read_bytes() != said:
            write_whole(folder / _IDENTITY, said)

    def _tell(self, name: str, what: str, done: int) -> None:
        self.progress[name] = (what, done)


def describe_file(document: Path, form: Format) -> MInstance:
    """The M-Instance that a document is about, its identifier and its base: what is read is not kept, and no more is
    read than that takes. Raises MessageError.
    """
    m_instance = ox.NamedNode(M_INSTANCE)
    base = next(
        (t.subject for t in _triples(document, form) if t.object == m_instance and t.predicate.value == TYPE), None
    )
    said = (t for t in _triples(document, form) if t.predicate.value == IDENTIFIER and t.subject == base)
    identifier = next(said, None) if base is not None else None
    try:
        facts = [ox.Triple(base, ox.NamedNode(TYPE), m_instance)] if isinstance(base, ox.NamedNode) else []
        return describe(map(Terms(_NO_BASE).triple, [*facts, identifier] if facts and identifier else facts))
    except PackError as error:
        raise MessageError(*(Fault(Code.WORLD_REFUSED, each.message) for each in error.faults)) from error


def _triples(document: Path, form: Format) -> Iterator[ox.Triple]:
    return read_triples(document, form, _NO_BASE, any_graph=True)


def _read(document: Path, form: Format, store: Store, beside: Said | None = None) -> frozenset[ox.Triple]:
    return frozenset(as_stored(skolemized(read_triples(document, form, store.base), store.base, beside)))


def _counts(before: Store | None, store: Store, change: Change | None, *, is_copy: bool) -> tuple[int, int]:
    """The facts that a generation added and removed; where it replaced all, all."""
    if change is not None:
        return len(change.added), len(change.removed)
    was, now = counted(before) if before is not None else 0, counted(store)
    return (now - was, 0) if is_copy else (now, was)
