"""Releases of packs, activated in a service that runs (DESIGN 8).

What is active is a row of the dialogues' database. Whoever activates a set reads and loads it aside, checks the
worlds under it, writes the row, and switches: a process that is killed before the row is there starts with the old
set, one that is killed after it with the new one. The other processes of the database look at the row now and then.
"""

from __future__ import annotations

import gc
import logging
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from time import monotonic
from typing import Final

from app.dialogue import Active, Dialogues
from app.edition import Edition
from app.errors import AccessError, Code, DomainAccessError, Fault, StateError
from app.model import Principal, Scope
from app.releases import Found, edition_of, listed, newest, versions_of
from app.service.access import require
from app.service.domains import Domains
from app.service.sets import Activated, activated, confirm, in_names_of, load_all, merged, read_all, set_before
from app.settings import Settings
from app.world import Prepared, Worlds

Condition = Callable[[int], None]
"""Is given the generation that an activation would follow; raises where it must not."""

_PATIENCE_S: Final = 30.0
_END_S: Final = 5.0
_LONGEST_PAUSE_S: Final = 60.0
"""How long it takes at most until a set that could not be loaded is tried again."""


class Call(Enum):
    """What the thread that follows is asked for."""

    NEWEST = "activate the newest releases"
    END = "follow no longer"


Calls = SimpleQueue[Call]
"""May be put to from a handler of a signal."""

log = logging.getLogger("domain_access.releases")


@dataclass(frozen=True, slots=True)
class Running:
    """What this process answers from; `before` is what it did so far, kept because the way back should be short."""

    active: Active
    domains: Domains
    before: Domains | None = None


@dataclass(frozen=True, slots=True)
class Behind:
    """A set that is active and that this process cannot load: why, and when it is tried again (monotonic seconds)."""

    active: Active
    faults: tuple[Fault, ...]
    pause_s: float
    again: float


class Releases:
    """The releases of one service. Thread-safe."""

    def __init__(
        self,
        settings: Settings,
        shipped: Edition,
        running: Running,
        dialogues: Dialogues,
        worlds: Worlds,
        clock: Callable[[], datetime],
    ) -> None:
        self._root = settings.releases_folder
        self._every_s = settings.release_seconds
        self._shipped = shipped
        self._running = running
        self._dialogues = dialogues
        self._worlds = worlds
        self._clock = clock
        self._behind: Behind | None = None
        self._activating = Lock()
        self._closed = Event()
        self._calls: Calls = SimpleQueue()
        self._follower: Thread | None = None

    @property
    def active(self) -> Active:
        """The set that this process answers from."""
        return self._running.active

    def described(self, principal: Principal) -> dict[str, object]:
        """What there is, what is valid of it, and what is active. Raises AccessError."""
        require(principal, Scope.READ)
        told = described(self._root, self._shipped, self._dialogues.active())
        return {**told, "this_process": self.state(principal)}

    def state(self, principal: Principal) -> dict[str, object]:
        """What this process answers from, and what it could not load; why, for those who may see every M-Instance."""
        behind = self._behind
        told = self._running.active.as_json()
        if behind is None:
            return told
        why = [fault.as_json() for fault in behind.faults] if principal.m_instances is None else []
        return {**told, "not_loaded": {**behind.active.as_json(), **({"errors": why} if why else {})}}

    def activate(
        self, wanted: Mapping[str, str | None], principal: Principal, condition: Condition = lambda _: None
    ) -> Activated:
        """Make these releases active, None being the pack as shipped; what is not named stays as it is.

        Raises AccessError, and DomainAccessError with every fault; then nothing has changed.
        """
        _admit(principal)
        with self._alone():
            before = self._dialogues.active()
            condition(before.generation)
            packs = merged(before.packs, wanted, self._shipped)
            return self._told(before, self._follow_with(before, packs, principal.name, "activate"))

    def roll_back(self, principal: Principal, condition: Condition = lambda _: None) -> Activated:
        """Make the set before the active one active, as a new generation. Raises as `activate`; `nothing_before`."""
        _admit(principal)
        with self._alone():
            before = self._dialogues.active()
            condition(before.generation)
            packs = set_before(before, self._dialogues)
            return self._told(before, self._follow_with(before, packs, principal.name, "rollback"))

    def activate_newest(self, who: str) -> Active:
        """Make the newest valid release of each pack active that the folder has. Raises as `activate`."""
        with self._alone():
            found = listed(self._root)
            for each in found:
                if each.release is None:
                    log.warning("passed over %s@%s: %s", each.name, each.version, _lines(each.faults))
            before = self._dialogues.active()
            wanted = newest(each.release for each in found if each.release is not None)
            return self._follow_with(before, merged(before.packs, wanted, self._shipped), who, "signal")

    def follow(self) -> None:
        """Answer from what is active, if that is another set by now; what cannot be loaded is tried again later."""
        if self._dialogues.active().generation == self._running.active.generation:
            self._behind = None
            return
        with self._alone():
            active = self._dialogues.active()  # as it is now: this process itself may have activated another
            behind = self._behind if self._behind is not None and self._behind.active == active else None
            if active.generation == self._running.active.generation or (behind and monotonic() < behind.again):
                return
            try:
                self._take(active)
            except DomainAccessError as error:
                pause_s = min(behind.pause_s * 2, _LONGEST_PAUSE_S) if behind else self._every_s
                self._behind = Behind(active, error.faults, pause_s, monotonic() + pause_s)
                log.error("generation %d cannot be loaded: %s", active.generation, _lines(error.faults))

    def start_following(self, calls: Calls | None = None) -> None:
        """Look at what is active now and then, and do what calls ask for, in a thread of its own until `close`."""
        self._calls = self._calls if calls is None else calls
        self._follower = Thread(target=self._keep_following, name="releases", daemon=True)
        self._follower.start()

    def close(self) -> None:
        """Follow no longer."""
        self._closed.set()
        if self._follower is not None:
            self._calls.put(Call.END)
            self._follower.join(_END_S)

    def _keep_following(self) -> None:
        while not self._closed.is_set():
            try:
                call = self._calls.get(timeout=self._every_s)
            except Empty:
                call = None
            try:
                if call is None:
                    self.follow()
                elif call is Call.NEWEST:
                    self.activate_newest("SIGHUP")
            except DomainAccessError as error:
                doing = "looking at what is active" if call is None else "activating the newest releases"
                log.error("%s failed: %s", doing, _lines(error.faults))
            except Exception:
                log.exception("following failed")

    def _follow_with(self, before: Active, packs: Mapping[str, str], who: str, how: str) -> Active:
        """Write and serve the set that follows one; where it is the same set, that one."""
        if packs == before.packs:
            if before.generation != self._running.active.generation:
                self._take(before)
            return before
        new = Active(before.generation + 1, dict(packs), self._clock(), who, how)

        def agreed() -> None:
            if not self._dialogues.activate(before.generation, new):
                raise StateError(Fault(Code.BUSY, "other releases were activated meanwhile"), retry_after_s=1)

        self._switch(new, agreed)
        return new

    def _told(self, before: Active, active: Active) -> Activated:
        return activated(before, active, self._root, self._shipped, self._worlds.names())

    def _take(self, active: Active) -> None:
        """Serve a set that is active."""

        def agreed() -> None:
            if self._closed.is_set():
                raise StateError(Fault(Code.BUSY, "the service is being closed"), retry_after_s=1)

        self._switch(active, agreed)

    def _switch(self, active: Active, agreed: Callable[[], None]) -> None:
        with _taking_turns():
            domains, prepared = self._prepared(active.packs)
        self._worlds.switch(prepared, agreed)
        self._running = Running(active, domains, self._running.domains)
        self._behind = None
        log.info("generation %d by %s: %s", active.generation, active.who, _said(active))

    def _prepared(self, packs: Mapping[str, str]) -> tuple[Domains, Prepared]:
        """Everything that a set asks for, loaded and checked aside. Raises DomainAccessError with every fault."""
        releases = read_all(self._root, packs)
        running = self._running
        others = (running.domains,) if running.before is None else (running.before, running.domains)
        domains = Domains(edition_of(self._shipped, releases), releases, others)
        with in_names_of(releases):
            with _without_collecting():
                load_all(
                    domains, {world.m_instance.packs: name for name, world in self._worlds.served().items()}, packs
                )
            prepared = self._worlds.prepare(domains)
        confirm(releases)
        return domains, prepared

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One activation at a time. Raises StateError `busy`."""
        if not self._activating.acquire(timeout=_PATIENCE_S):
            message = "other releases are being activated"
            raise StateError(Fault(Code.BUSY, message), retry_after_s=int(_PATIENCE_S))
        try:
            yield
        finally:
            self._activating.release()


@contextmanager
def _taking_turns() -> Iterator[None]:
    """Long work that requests shall not notice: they get the interpreter ten times as often. One at a time."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(interval / 10)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)


@contextmanager
def _without_collecting() -> Iterator[None]:
    """What is made here stays: nothing stops all threads to look through it. For seconds; garbage stays, too."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def described(root: Path, shipped: Edition, active: Active) -> dict[str, object]:
    """What a folder of releases holds, what is valid of it, and what is active."""
    releases = [_listed(found, active) for found in listed(root)]
    return {**active.as_json(), "shipped": versions_of(shipped), "releases": releases}


def _admit(principal: Principal) -> None:
    require(principal, Scope.ADMIN)
    if principal.m_instances is not None:
        message = f"releases concern every M-Instance, and `{principal.name}` is for some"
        raise AccessError(Fault(Code.FORBIDDEN, message))


def _listed(found: Found, active: Active) -> dict[str, object]:
    release = found.release
    told: dict[str, object] = {"name": found.name, "version": found.version, "valid": release is not None}
    told["active"] = active.packs.get(found.name) == found.version
    if release is None:
        return {**told, "errors": [fault.as_json() for fault in found.faults]}
    members = {"version_iri": release.version_iri, "licence": release.licence, "sources": list(release.sources)}
    return {**told, **members, "requires": dict(release.requires)}


def _said(active: Active) -> str:
    return ", ".join(f"{name}@{version}" for name, version in sorted(active.packs.items())) or "packs as shipped"


def _lines(faults: tuple[Fault, ...]) -> str:
    return "; ".join(f"{fault.where}: {fault.message}" if fault.where else fault.message for fault in faults)
