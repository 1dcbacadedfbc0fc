"""Two states of some packs -> every change of what they state, by pack."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from app.authoring.cases import WORLD_FILE
from app.authoring.diff.difference import Act, Change, Part
from app.authoring.diff.facts import fact_changes
from app.authoring.diff.files import file_changes, manifest_change
from app.authoring.diff.renames import renames
from app.authoring.diff.said import Sayer
from app.authoring.diff.statements import Statement, read_statements, renamed
from app.authoring.diff.terms import States, rename_change, term_changes
from app.authoring.diff.trials import Files
from app.edition import Edition
from app.errors import Fault, PackError

_ORDER = list(Part)


@dataclass(frozen=True)
class Stated:
    """The changes, in the order of packs and parts; the Turtle files of both states; and what terms of OLD are called
    in NEW.
    """

    changes: tuple[Change, ...]
    files: Files
    names: dict[str, str]


def stated(old: Edition, new: Edition, packs: Iterable[str]) -> Stated:
    """What some packs state otherwise. Raises PackError with every file that cannot be read."""
    named = list(packs)
    read = _Read(old, new)
    both = {(pack, path): read.file(pack, path) for pack in named for path in _turtle(old, new, pack)}
    if read.faults:
        raise PackError(*read.faults)
    ontologies = {pack: both[pack, "ontology.ttl"] for pack in named if (pack, "ontology.ttl") in both}
    found = {pack: renames(*sides) for pack, sides in ontologies.items()}
    names = {rename.old: rename.new for some in found.values() for rename in some}
    says = [Sayer.of(s for sides in both.values() for s in sides[side].values()) for side in (0, 1)]
    files = {
        (pack, path): States(pack, path, before, after, renamed(before, names), says[0], says[1])
        for (pack, path), (before, after) in both.items()
    }
    changes: list[Change] = []
    for pack in named:
        changes += sorted(_of_pack(pack, old, new, files), key=_place)
        changes += [rename_change(rename, files.values(), pack) for rename in found.get(pack, ())]
    return Stated(tuple(sorted(changes, key=lambda c: (named.index(c.pack), *_place(c)))), files, names)


def _of_pack(pack: str, old: Edition, new: Edition, files: Files) -> Iterable[Change]:
    before, after = pack in old.names(), pack in new.names()
    if before != after:
        yield Change(pack, Part.PACK, Act.ADDED if after else Act.REMOVED, pack, pack)
    elif change := manifest_change(pack, old.folder(pack) / "pack.toml", new.folder(pack) / "pack.toml"):
        yield change
    yield from file_changes(pack, old.rules_of(pack), new.rules_of(pack))
    for (owner, path), states in files.items():
        if owner != pack:
            continue
        if path == "ontology.ttl":
            yield from term_changes(states)
        else:
            yield from fact_changes(states, _part(path))


def _part(path: str) -> Part:
    if path.startswith("worlds/"):
        return Part.WORLD
    if path.startswith("rules/"):
        return Part.SMALL_WORLD
    return Part.SHAPE if path == "shapes.ttl" else Part.ALIGNMENT


def _place(change: Change) -> tuple[int, str, str, str, str, tuple[str, ...], tuple[str, ...]]:
    """Where a change stands: by what it is about, whichever state is OLD."""
    less, more = sorted((change.old, change.new))
    return (_ORDER.index(change.part), change.name, change.subject, change.about, change.language, less, more)


def _turtle(old: Edition, new: Edition, pack: str) -> list[str]:
    """The Turtle files of a pack in either state, by their paths; those of rules as they are in a release."""
    found: set[str] = set()
    for edition in (old, new):
        if pack not in edition.names():
            continue
        folder = edition.folder(pack)
        found |= {path.name for path in folder.glob("*.ttl")}
        found |= {f"worlds/{path.name}" for path in edition.worlds_of(pack)}
        if (edition.rules_of(pack) / WORLD_FILE).is_file():
            found.add(f"rules/{WORLD_FILE}")
    return sorted(found)


class _Read:
    """The files of both states, read once; those that cannot be are noted."""

    def __init__(self, old: Edition, new: Edition) -> None:
        self._sides = (old, new)
        self.faults: list[Fault] = []

    def file(self, pack: str, path: str) -> tuple[dict[str, Statement], dict[str, Statement]]:
        """The statements of a file in both states."""
        before, after = (self._one(_place_of(edition, pack, path)) for edition in self._sides)
        return before, after

    def _one(self, path: Path) -> dict[str, Statement]:
        try:
            return read_statements(path)
        except PackError as error:
            self.faults += error.faults
            return {}


def _place_of(edition: Edition, pack: str, path: str) -> Path:
    if path.startswith("rules/"):
        return edition.rules_of(pack) / path.removeprefix("rules/")
    return edition.folder(pack) / path
