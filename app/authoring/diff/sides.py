"""OLD and NEW: where a state of the packs is found, and what lies there.

    a checkout            a folder with ontologies/ and, where it has core's rules, rules/
    a folder of packs     each pack a folder; what it lacks of core is taken from the packs in use
    a pack                one pack's folder, or that of a release of it; the others are the packs in use
    a git revision        of the repository in which the command runs, as `HEAD~1`, `v1.2` or `main:sub/folder`

What exists as a folder is no revision. A revision is read into a folder of its own; nothing is checked out.
"""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final

from app.edition import CORE, Edition
from app.errors import Code, Fault, PackError
from app.knowledge import read_pack

_EXPECTED: Final = "expected: a checkout, a folder of packs, a pack's or a release's folder, or a git revision"
_GIT_SECONDS: Final = 60
_LARGEST: Final = 500 * 2**20
"""Bytes of an archive that are read; more is no state of packs."""


@dataclass(frozen=True, slots=True)
class Side:
    """A state of the packs: how it was named, its Edition, and the packs that it is about; none where it has all."""

    name: str
    edition: Edition
    packs: tuple[str, ...] = ()


@contextmanager
def side(named: str, in_use: Edition, place: Path | None = None) -> Iterator[Side]:
    """What OLD or NEW names; `in_use` has the packs that are taken where it lacks some, `place` is where the command
    runs. What was read from a repository is gone afterwards. Raises PackError.
    """
    path = Path(named)
    if named and path.is_dir():
        yield replace(_in_folder(path.resolve(), in_use), name=named)
        return
    if named and path.exists():
        raise PackError(Fault(Code.PACK_UNREADABLE, "is no folder", where=named, hint=_EXPECTED))
    with TemporaryDirectory(prefix="domain-access-") as folder:
        where = _extract(named, Path(folder), place or Path.cwd())
        yield replace(_in_folder(where, in_use), name=named)


def _in_folder(folder: Path, in_use: Edition) -> Side:
    """What a folder holds."""
    if (folder / "pack.toml").is_file():
        return _of_pack(folder, in_use)
    for packs, rules in ((folder / "ontologies", folder / "rules"), (folder, folder.parent / "rules")):
        held = tuple(sorted(path.parent.name for path in packs.glob("*/pack.toml")))
        if CORE in held:
            own = packs / CORE / "rules"
            found = next((each for each in (own, rules) if _are_rules(each)), in_use.rules_of(CORE))
            return Side("", Edition(packs, found))
        if held:
            edition = in_use
            for name in held:
                edition = edition.with_placed(name, packs / name)
            return Side("", edition, held)
    raise PackError(Fault(Code.PACK_UNREADABLE, "holds no packs", where=str(folder), hint=_EXPECTED))


def _of_pack(folder: Path, in_use: Edition) -> Side:
    """One pack, among those in use and, for what these lack, its neighbours."""
    name = _name_of(folder)
    if name == CORE and not _are_rules(folder / "rules"):
        checkout = folder.parent.parent
        if folder != checkout / "ontologies" / CORE or not _are_rules(checkout / "rules"):
            hint = "name the checkout, or a release of core, which holds them"
            raise PackError(Fault(Code.PACK_UNREADABLE, "core's rules are not there", where=str(folder), hint=hint))
        return Side("", Edition(folder.parent, checkout / "rules"), (CORE,))
    edition = in_use.with_placed(name, folder)
    pending = list(read_pack(folder, name).requires)
    while pending:
        required = pending.pop()
        beside = folder.parent / required
        if required not in edition.names() and (beside / "pack.toml").is_file():
            edition = edition.with_placed(required, beside)
            pending += read_pack(beside, required).requires
    return Side("", edition, (name,))


def _name_of(folder: Path) -> str:
    """What a pack says it is called, wherever it lies."""
    try:
        read_pack(folder, folder.name)
    except PackError as error:
        if error.faults[0].message.startswith("the pack `"):
            return error.faults[0].message.split("`")[1]
        raise
    return folder.name


def _are_rules(folder: Path) -> bool:
    return (folder / "actions").is_dir()


def _extract(named: str, folder: Path, place: Path) -> Path:
    """Read the packs of a revision into a folder; the folder in which they then lie."""
    if not named or named.startswith("-") or any(c.isspace() or not c.isprintable() for c in named):
        raise PackError(_nothing(named))
    revision, _, inner = named.partition(":")
    found = _git(
        place, "rev-parse", "--verify", "--quiet", f"{revision}:{inner}" if inner else f"{revision}^{{tree}}"
    )
    sha = found.stdout.decode(errors="replace").strip()
    if found.returncode != 0 or not sha.isalnum():
        raise PackError(_nothing(named))
    held = _git(place, "ls-tree", "-r", "-z", "--name-only", sha).stdout.decode(errors="replace").split("\0")
    packs = [PurePosixPath(path).parent for path in held if PurePosixPath(path).name == "pack.toml"]
    tops = sorted({str(path.parent) if path.name else "" for path in packs})
    if not {"", ".", "ontologies"} & set(tops):
        hint = f"they lie elsewhere in it: `{revision}:{PurePosixPath(tops[0]).parent}`" if tops else _EXPECTED
        raise PackError(Fault(Code.PACK_UNREADABLE, "the revision holds no packs at its top", where=named, hint=hint))
    wanted = [name for name in ("ontologies", "rules") if any(path.startswith(f"{name}/") for path in held)]
    archive = _git(place, "archive", "--format=tar", sha, *(wanted if "ontologies" in wanted else []))
    if archive.returncode != 0 or len(archive.stdout) > _LARGEST:
        message = "the revision cannot be read"
        raise PackError(
            Fault(Code.PACK_UNREADABLE, message, where=named, hint=archive.stderr.decode(errors="replace"))
        )
    try:
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as packed:
            packed.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.4 and newer
            packed.extractall(folder)
    except (tarfile.TarError, OSError) as error:
        raise PackError(Fault(Code.PACK_UNREADABLE, f"the revision cannot be read: {error}", where=named)) from error
    return folder


def _git(place: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run git, which changes nothing: from the top of the repository, so that paths are those of its root."""
    try:
        top = subprocess.run(
            ["git", "rev-parse", "--show-toplevel"], cwd=place, capture_output=True, timeout=_GIT_SECONDS, check=False
        )
        where = top.stdout.decode(errors="surrogateescape").rstrip("\n") or str(place)
        return subprocess.run(["git", *arguments], cwd=where, capture_output=True, timeout=_GIT_SECONDS, check=False)
    except FileNotFoundError as error:
        message = "git is not there, so that no revision can be read"
        raise PackError(Fault(Code.PACK_UNREADABLE, message)) from error
    except subprocess.TimeoutExpired as error:
        raise PackError(Fault(Code.PACK_UNREADABLE, "git takes too long", hint=" ".join(arguments))) from error


def _nothing(named: str) -> Fault:
    return Fault(
        Code.PACK_UNREADABLE,
        "is neither a folder nor a git revision here",
        where=named if named.isprintable() and named else repr(named),
        hint=_EXPECTED,
    )
