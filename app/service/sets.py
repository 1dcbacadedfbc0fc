"""Which releases make up a set, and whether it could be served: what every way to activate one has in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from app.dialogue import Active, Dialogues
from app.edition import CORE, Edition
from app.errors import Code, Fault, PackError, StateError
from app.exchange.reader import pointer
from app.knowledge import read_pack
from app.nearest import did_you_mean
from app.releases import Release, edition_of, listed, newest, read_release, release_of
from app.service.domains import Domains, not_there
from app.world import needed_by


@dataclass(frozen=True, slots=True)
class Activated:
    """A set that is active now, and the worlds that stay as they are although a release brings another one: each
    M-Instance with the file of the release.
    """

    active: Active
    worlds_kept: tuple[tuple[str, Path], ...] = ()

    def as_json(self) -> dict[str, object]:
        """The set as it is told; the worlds where there are some."""
        kept = [{"m_instance": name, "file": str(file)} for name, file in self.worlds_kept]
        return {**self.active.as_json(), **({"worlds_kept": kept} if kept else {})}


def activated(before: Active, active: Active, root: Path, shipped: Edition, served: Iterable[str]) -> Activated:
    """A set that followed another, with the served worlds of which its packs bring another than those before."""
    old, new = (_placed(each.packs, root, shipped) for each in (before, active))
    changed = [name for name in new.names() if new.folder(name) != old.folder(name)]
    there = {path.stem: path for name in changed for path in new.worlds_of(name)}
    earlier = {path.stem: path.read_bytes() for name in changed for path in old.worlds_of(name)}
    kept = [name for name in sorted(served) if name in there and there[name].read_bytes() != earlier.get(name)]
    return Activated(active, tuple((name, there[name]) for name in kept))


def _placed(packs: Mapping[str, str], root: Path, shipped: Edition) -> Edition:
    edition = shipped
    for name, version in packs.items():
        edition = edition.with_placed(name, root / name / version)
    return edition


def merged(active: Mapping[str, str], wanted: Mapping[str, str | None], shipped: Edition) -> dict[str, str]:
    """What would be active. Raises PackError for a pack that is to be as shipped and never was."""
    known = {*active, *shipped.names()}
    faults = [
        Fault(
            Code.UNKNOWN_RELEASE,
            f"no pack `{name}` is active or shipped",
            pointer("packs", name),
            hint=did_you_mean(name, known, f"known: {', '.join(sorted(known))}"),
        )
        for name, version in wanted.items()
        if version is None and name not in known
    ]
    if faults:
        raise PackError(*faults)
    return {name: version for name, version in {**active, **wanted}.items() if version is not None}


def set_before(active: Active, dialogues: Dialogues) -> Mapping[str, str]:
    """The packs of the generation before. Raises StateError `nothing_before`."""
    if active.generation == 0:
        raise StateError(Fault(Code.NOTHING_BEFORE, "nothing but the packs as shipped was ever active"))
    return dialogues.active(active.generation - 1).packs


def edition_at(active: Active, root: Path, shipped: Edition) -> tuple[list[Release], Edition]:
    """The Edition with which a process starts, and the releases of it.

    Raises PackError: who starts has nothing older to go on with, and must not answer from something else unasked.
    """
    try:
        releases = read_all(root, active.packs)
        return releases, edition_of(shipped, releases)
    except PackError as error:
        message = f"the releases that are active (generation {active.generation}) cannot be loaded from `{root}`"
        hint = "put them back, or see `domain-access releases --help` for how to activate others"
        raise PackError(Fault(Code.PACK_UNREADABLE, message, hint=hint), *error.faults) from error


def read_all(root: Path, packs: Mapping[str, str]) -> list[Release]:
    """The releases of a set. Raises PackError with every fault of each."""
    found: list[Release] = []
    faults: list[Fault] = []
    for name, version in sorted(packs.items()):
        try:
            found.append(release_of(root, name, version))
        except PackError as error:
            at = pointer("packs", name)
            faults += (replace(f, where=at) if f.code is Code.UNKNOWN_RELEASE else f for f in error.faults)
    if faults:
        raise PackError(*faults)
    return found


def load_all(domains: Domains, used: Mapping[tuple[str, ...], str], active: Mapping[str, str]) -> None:
    """Load the Domains that worlds use, each given with one M-Instance that uses it, then those with active releases
    that none of them has. Raises PackError.
    """
    faults: list[Fault] = []

    def load(packs: tuple[str, ...], m_instance: str = "") -> None:
        try:
            domains(packs)
        except PackError as error:
            faults.extend(needed_by(m_instance, packs, error).faults if m_instance else error.faults)

    for packs in sorted(used):
        load(packs, used[packs])
    for name in sorted(active):
        if not domains.covers(name):
            load(() if name == CORE else (name,))
    if faults:
        raise PackError(*dict.fromkeys(faults))


def confirm(releases: list[Release]) -> None:
    """Read the checksums once more: what was loaded is what was released. Raises PackError."""
    for release in releases:
        if read_release(release.folder) != release:
            raise PackError(Fault(Code.RELEASE_DAMAGED, "it changed while it was loaded", release.source))


def world_files(packs: Iterable[str], edition: Edition, root: Path) -> Iterator[Path]:
    """The files of the worlds that some packs bring. Raises PackError, for a pack of which there are only releases
    with the newest of them.
    """
    for name in packs:
        if name not in edition.names():
            found = newest(each.release for each in listed(root) if each.release and each.name == name)
            activate = f"`domain-access releases activate {name}@{found[name]}` first" if found else ""
            raise PackError(not_there(name, activate or did_you_mean(name, edition.names())))
        read_pack(edition.folder(name), name)
        files = edition.worlds_of(name)
        if not files:
            raise PackError(Fault(Code.PACK_UNREADABLE, f"the pack `{name}` brings no world to serve", where=name))
        yield from files


@contextmanager
def in_names_of(releases: list[Release]) -> Iterator[None]:
    """Tell what is wrong with packs as a refused release, at the name of the release and not where it lies."""
    try:
        yield
    except PackError as error:
        raise PackError(*(_renamed(fault, releases) for fault in error.faults)) from error


def _renamed(fault: Fault, releases: list[Release]) -> Fault:
    where, message = fault.where, fault.message
    for release in releases:
        where = where.replace(str(release.folder), release.source)
        message = message.replace(str(release.folder), release.source)
    code = fault.code if fault.code.http_status else Code.RELEASE_REFUSED
    return replace(fault, code=code, where=where, message=message)
