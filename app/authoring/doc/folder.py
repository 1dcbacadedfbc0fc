"""The folder of a site: a list in it says which files are ours, each as we wrote it; no other is touched.

The list is there before the first file, and every file is put as a whole: what a killed run leaves is ours, too.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_NB, flock
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Final

from app.errors import Code, Fault
from app.settings import SettingsError

LIST: Final = ".domain-access-doc"
_PART: Final = LIST + ".part"
"""A file that is being written, before it takes its place."""
_HEAD: Final = (
    "# written by `domain-access doc`: SHA-256 and name of each file that its next run may replace or remove"
)
_MOST_NAMED: Final = 5

_Listed = set[tuple[str, str]]
"""Digest and name of files."""


@dataclass(frozen=True, slots=True)
class Written:
    """How many files the site has, how many of them were new or changed, and how many of an earlier run went."""

    files: int
    changed: int
    removed: int


def refuse_foreign(folder: Path) -> None:
    """Raise SettingsError where a folder is no place for a site: it is none, or holds what we did not write so."""
    if folder.exists() and not folder.is_dir():
        raise _error(f"`{folder}` is no folder")
    try:
        foreign = list(islice(_foreign(folder, _listed(folder)), _MOST_NAMED + 1))
    except OSError as error:
        raise _error(f"`{folder}` cannot be read: {_why(error)}") from error
    if foreign:
        named = ", ".join(f"`{name}`" for name in foreign[:_MOST_NAMED])
        more = " and more" if len(foreign) > _MOST_NAMED else ""
        hint = "name a new or empty folder, or one in which everything is as this command wrote it"
        raise _error(f"`{folder}` holds other things: {named}{more}", hint)


def write(pages: Mapping[str, str], folder: Path) -> Written:
    """Put the pages into a folder, and remove those of an earlier run that are no more.

    Raises SettingsError where the folder holds other things, another run writes there, or it cannot be written.
    """
    files = {name: text.encode() for name, text in pages.items()}
    refuse_foreign(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder):
            refuse_foreign(folder)
            before, now = _listed(folder), {(_digest(raw), name) for name, raw in files.items()}
            _list(folder, before | now)
            changed = sum(_put(folder, name, raw) for name, raw in files.items())
            removed = sum(_remove(folder, name) for name in sorted({name for _, name in before} - set(files)))
            _list(folder, now)
            (folder / _PART).unlink(missing_ok=True)
    except OSError as error:
        raise _error(f"`{folder}` cannot be written: {_why(error)}") from error
    return Written(len(pages), changed, removed)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Holds the folder: two runs at once would each leave files that the other does not know."""
    held = os.open(folder, os.O_RDONLY)
    try:
        try:
            flock(held, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            raise _error(f"another run writes into `{folder}`", "try again when it has ended") from None
        yield
    finally:
        os.close(held)


def _listed(folder: Path) -> _Listed:
    """The files that runs before wrote or were about to write."""
    path = folder / LIST
    if path.is_symlink() or not path.is_file():
        return set()
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    if not lines or lines[0] != _HEAD:
        raise _error(f"`{path}` is no list of ours", "name another folder")
    pairs = (line.partition(" ") for line in lines[1:])
    return {(digest, name) for digest, _, name in pairs}


def _list(folder: Path, files: Iterable[tuple[str, str]]) -> None:
    lines = [_HEAD, *(f"{digest} {name}" for digest, name in sorted(files, key=lambda each: each[::-1]))]
    _put(folder, LIST, ("\n".join(lines) + "\n").encode())


def _foreign(folder: Path, listed: _Listed) -> Iterator[str]:
    """What is below a folder and not ours: links, whatever they lead to, and files that are not as we wrote them."""
    known = {name for _, name in listed}
    for inside, folders, names in os.walk(folder):
        folders.sort()
        for path in (Path(inside, name) for name in sorted((*folders, *names))):
            name = path.relative_to(folder).as_posix()
            if path.is_symlink():
                yield name
            elif path.is_dir() or (path.is_file() and name in {LIST, _PART}):
                continue
            elif name not in known or not path.is_file() or (_digest(path.read_bytes()), name) not in listed:
                yield name


def _put(folder: Path, name: str, raw: bytes) -> bool:
    """Write a file, as a whole or not at all, where it is not so already; whether it was written."""
    path = folder / name
    if path.is_file() and path.read_bytes() == raw:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    part = folder / _PART
    part.write_bytes(raw)
    part.replace(path)
    return True


def _remove(folder: Path, name: str) -> bool:
    """Remove a file of ours, and the folders that it leaves empty; whether it was there."""
    path = folder / name
    if Path(name).is_absolute() or ".." in Path(name).parts or not path.is_file():
        return False
    path.unlink()
    for parent in path.parents:
        if parent == folder or any(parent.iterdir()):
            break
        parent.rmdir()
    return True


def _digest(raw: bytes) -> str:
    return sha256(raw).hexdigest()


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _error(message: str, hint: str = "") -> SettingsError:
    return SettingsError(Fault(Code.WRONG_VALUE, message, where="--output", hint=hint))
