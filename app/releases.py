"""Releases of packs: immutable folders, read whole or not at all (DESIGN 8).

    RELEASES/NAME/VERSION/    a pack folder as it was released; core's has core's rules/ in it
        release.toml          name, version, version_iri, licence, sources, requires, the SHA-256 of every other file

Folders whose name begins with a dot are being written, and passed over: who writes one renames it when it is whole.
What is active is no affair of this module; it says what there is, whether it is whole, and which Edition it makes.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, Final

from app.edition import CORE, Edition
from app.errors import Code, Fault, PackError
from app.knowledge import read_pack
from app.nearest import did_you_mean

RELEASE_FILE: Final = "release.toml"

Versions = Mapping[str, str]
"""Packs by name, each with its version."""

_VERSION: Final = re.compile(r"(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_TEXTS: Final = ("name", "version", "version_iri", "licence")
_MEMBERS: Final = (*_TEXTS, "sources", "requires", "files")
_NEEDED: Final = ("pack.toml", "ontology.ttl")
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Release:
    """A release that is whole. `requires` are the exact versions it was made with; `files` have their SHA-256."""

    name: str
    version: str
    version_iri: str
    licence: str
    sources: tuple[str, ...]
    requires: tuple[tuple[str, str], ...]
    files: tuple[tuple[str, str], ...]
    folder: Path

    @property
    def source(self) -> str:
        """How answers name it: `name@version`."""
        return f"{self.name}@{self.version}"


@dataclass(frozen=True, slots=True)
class Found:
    """What lies where a release should: the release, or why it is none."""

    name: str
    version: str
    release: Release | None
    faults: tuple[Fault, ...] = ()


def listed(root: Path) -> tuple[Found, ...]:
    """All that a folder of releases holds, by name and then by version; nothing where the folder is not there."""
    places = [
        folder
        for folder in root.glob("*/*")
        if folder.is_dir() and not folder.name.startswith(".") and not folder.parent.name.startswith(".")
    ]
    return tuple(_found(folder) for folder in sorted(places, key=lambda each: (each.parent.name, order(each.name))))


def release_of(root: Path, name: str, version: str) -> Release:
    """The release of a pack. Raises PackError `unknown_release` with the nearest, else with all that is wrong."""
    there = [f"{each.parent.name}@{each.name}" for each in root.glob("*/*") if _VERSION.fullmatch(each.name)]
    if f"{name}@{version}" not in there:
        held = ", ".join(f"`{each}`" for each in sorted(there)[:20])
        hint = did_you_mean(f"{name}@{version}", there, f"there: {held or 'none'}")
        raise PackError(Fault(Code.UNKNOWN_RELEASE, f"there is no release `{name}@{version}`", name, hint=hint))
    return read_release(root / name / version)


def read_release(folder: Path) -> Release:
    """A release, every file of it compared with its checksum. Raises PackError with all that is wrong."""
    try:
        members = tomllib.loads((folder / RELEASE_FILE).read_text(encoding="utf-8"))
    except OSError as error:
        message = f"{RELEASE_FILE} cannot be read: {error.strerror}"
        raise PackError(_fault(folder, message, RELEASE_FILE)) from error
    except ValueError as error:  # no TOML, or no UTF-8
        raise PackError(_fault(folder, f"no TOML: {error}", RELEASE_FILE)) from error
    faults = list(_member_faults(folder, members))
    if not faults:
        faults += _file_faults(folder, members["files"])
        faults += _pack_faults(folder, members)
    if faults:
        raise PackError(*faults)
    return Release(
        name=members["name"],
        version=members["version"],
        version_iri=members["version_iri"],
        licence=members["licence"],
        sources=tuple(members["sources"]),
        requires=tuple(sorted(members["requires"].items())),
        files=tuple(sorted(members["files"].items())),
        folder=folder,
    )


def write_release_toml(
    folder: Path, name: str, *, version_iri: str, licence: str, sources: Iterable[str], requires: Versions
) -> None:
    """Write the `release.toml` of a folder that is otherwise complete, wherever it lies until it is renamed. Raises
    PackError where it holds no pack of this name.

    What is written depends on the files and the arguments alone: equal folders give equal bytes.
    """
    pack = read_pack(folder, name)
    members = {"name": pack.name, "version": pack.version, "version_iri": version_iri, "licence": licence}
    lines = [f"{member} = {_quoted(value)}" for member, value in members.items()]
    lines += ["sources = [", *(f"    {_quoted(each)}," for each in sources), "]"]
    lines += ["", "[requires]", *(f"{_quoted(each)} = {_quoted(of)}" for each, of in sorted(requires.items()))]
    lines += ["", "[files]", *(f"{_quoted(file)} = {_quoted(of)}" for file, of in checksums(folder).items())]
    (folder / RELEASE_FILE).write_text("\n".join(lines) + "\n", encoding="utf-8")


def checksums(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file of a release but `release.toml`, by its path with `/`, in the order of paths.

    A link is no file of a release: it is left out, and so found to be one too many.
    """
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if _is_file(path)}
    return {name: _digest(files[name]) for name in sorted(files) if name != RELEASE_FILE}


def order(version: str) -> tuple[int, ...]:
    """What versions are sorted by; one that is none comes first."""
    found = _VERSION.fullmatch(version)
    return tuple(map(int, found.groups())) if found else (-1,)


def newest(releases: Iterable[Release]) -> dict[str, str]:
    """The newest version of each pack."""
    return {release.name: release.version for release in sorted(releases, key=lambda each: order(each.version))}


def edition_of(shipped: Edition, releases: Iterable[Release]) -> Edition:
    """The packs as shipped, these releases in their places.

    Raises PackError `requirement_not_met` for each release that was made with another version of a pack.
    """
    edition = shipped
    releases = tuple(releases)
    for release in releases:
        edition = edition.with_placed(release.name, release.folder)
    faults = [fault for release in releases for fault in _unmet(release, edition)]
    if faults:
        raise PackError(*faults)
    return edition


def versions_of(edition: Edition) -> dict[str, str]:
    """The version of every pack of an Edition; one that cannot be read is left out."""
    return {name: version for name in edition.names() if (version := _version_of(edition, name))}


def _found(folder: Path) -> Found:
    name, version = folder.parent.name, folder.name
    try:
        return Found(name, version, read_release(folder))
    except PackError as error:
        return Found(name, version, None, error.faults)


def _unmet(release: Release, edition: Edition) -> Iterable[Fault]:
    for name, wanted in release.requires:
        there = _version_of(edition, name)
        if there != wanted:
            has = f"`{name}@{there}` is" if there else f"no `{name}` is"
            message = f"`{release.source}` was made with `{name}@{wanted}`, and {has} what would be active"
            hint = f"activate `{name}@{wanted}` with it, or a release made with what is active"
            yield Fault(Code.REQUIREMENT_NOT_MET, message, release.name, hint=hint)


def _version_of(edition: Edition, name: str) -> str | None:
    try:
        return read_pack(edition.folder(name), name).version
    except PackError:
        return None


def _member_faults(folder: Path, members: Mapping[str, Any]) -> Iterable[Fault]:
    for name in members:
        if name not in _MEMBERS:
            hint = did_you_mean(name, _MEMBERS, f"known: {', '.join(_MEMBERS)}")
            yield _fault(folder, f"nothing reads `{name}`", RELEASE_FILE, hint)
    for name in _TEXTS:
        if not isinstance(members.get(name), str) or not members[name]:
            yield _fault(folder, f"`{name}` is no text", RELEASE_FILE)
    for name, part in (("name", folder.parent.name), ("version", folder.name)):
        if isinstance(members.get(name), str) and members[name] != part:
            yield _fault(folder, f"it says `{name}` is `{members[name]}`, the folder says `{part}`", RELEASE_FILE)
    if not _VERSION.fullmatch(folder.name):
        yield _fault(folder, f"`{folder.name}` is no version", hint="expected: MAJOR.MINOR.PATCH")
    sources = members.get("sources")
    if not isinstance(sources, list) or not all(isinstance(each, str) for each in sources):
        yield _fault(folder, "`sources` is no list of texts", RELEASE_FILE)
    requires = members.get("requires")
    if not isinstance(requires, dict) or not all(_is_version(each) for each in requires.values()):
        yield _fault(folder, "`requires` does not give packs with their versions", RELEASE_FILE)
    files = members.get("files")
    if not isinstance(files, dict) or not all(isinstance(d, str) and _DIGEST.fullmatch(d) for d in files.values()):
        yield _fault(folder, "`files` does not give each file its SHA-256", RELEASE_FILE)
        return
    for name in files:
        if not _is_inside(name):
            yield _fault(folder, f"`{name}` is no path inside the release", RELEASE_FILE)


def _file_faults(folder: Path, stated: Versions) -> Iterable[Fault]:
    """What is missing, changed or one too many."""
    links = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_symlink()}
    try:
        there = checksums(folder)
    except OSError as error:
        yield _fault(folder, f"a file cannot be read: {error.strerror}", str(error.filename))
        return
    for name in sorted({*stated, *there, *links}):
        if name in links:
            yield _fault(folder, "a link, which no release has", name)
        elif name not in there:
            yield _fault(folder, "the file is missing", name)
        elif name not in stated:
            yield _fault(folder, f"{RELEASE_FILE} does not name this file", name)
        elif there[name] != stated[name]:
            yield _fault(folder, "the file is not as it was released", name)
    for name in _NEEDED:
        if name not in stated:
            yield _fault(folder, f"a release has a {name}", RELEASE_FILE)


def _pack_faults(folder: Path, members: Mapping[str, Any]) -> Iterable[Fault]:
    """Whether pack.toml agrees; what is wrong with it alone is told as a fault of the release."""
    try:
        pack = read_pack(folder, folder.parent.name)
    except PackError as error:
        yield from (_fault(folder, each.message, "pack.toml", each.hint) for each in error.faults)
        return
    if pack.version != members["version"]:
        yield _fault(folder, f"it is of version `{pack.version}`, the release of `{members['version']}`", "pack.toml")
    for name in pack.requires:
        if name not in members["requires"]:
            yield _fault(folder, f"`requires` has no version of `{name}`, which pack.toml requires", RELEASE_FILE)
    if pack.name == CORE and not (folder / "rules" / "actions").is_dir():
        yield _fault(folder, "a release of core has the rules of core in it", "rules/actions")


def _fault(folder: Path, message: str, file: str = "", hint: str = "") -> Fault:
    where = "/".join(filter(None, (folder.parent.name, folder.name, file)))
    return Fault(Code.RELEASE_DAMAGED, message, where, hint=hint)


def _is_file(path: Path) -> bool:
    return not path.is_symlink() and path.is_file()


def _is_version(value: object) -> bool:
    return isinstance(value, str) and _VERSION.fullmatch(value) is not None


def _is_inside(name: str) -> bool:
    """Whether a path leads to a file below the folder, written in the one way there is."""
    path = PurePosixPath(name)
    return name == path.as_posix() and not path.is_absolute() and ".." not in path.parts and name not in {".", ""}


def _digest(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _quoted(text: str) -> str:
    """A text as a basic string of TOML, which is one of JSON but for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
