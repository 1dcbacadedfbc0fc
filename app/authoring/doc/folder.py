"""The folder of a site: its files are listed in it, so that a later run knows which are ours, and touches no other.

The list is written before the first file: what is left of a run that was killed is ours, too.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from typing import Final

from app.errors import Code, Fault
from app.settings import SettingsError

LIST: Final = ".domain-access-doc"
_HEAD: Final = "# written by `domain-access doc`: the files that the next run may replace or remove"
_MOST_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class Written:
    """How many files the site has, how many of them were new or changed, and how many of an earlier run went."""

    files: int
    changed: int
    removed: int


def refuse_foreign(folder: Path) -> None:
    """Raise SettingsError where a folder is no place for a site: it holds other things, or is none."""
    if folder.exists() and not folder.is_dir():
        raise _error(f"`{folder}` is no folder")
    try:
        foreign = sorted(_present(folder) - _listed(folder) - {LIST}) + _linked(folder)
    except OSError as error:
        raise _error(f"`{folder}` cannot be read: {_why(error)}") from error
    if foreign:
        named = ", ".join(f"`{name}`" for name in foreign[:_MOST_NAMED])
        more = f" and {len(foreign) - _MOST_NAMED} more" if len(foreign) > _MOST_NAMED else ""
        hint = "name a new or empty folder, or one that holds nothing but what this command wrote"
        raise _error(f"`{folder}` holds other things: {named}{more}", hint)


def write(pages: Mapping[str, str], folder: Path) -> Written:
    """Put the pages into a folder, and remove those of an earlier run that are no more.

    Raises SettingsError where the folder holds other things, another run writes there, or it cannot be written.
    """
    refuse_foreign(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder):
            refuse_foreign(folder)
            before = _listed(folder)
            _list(folder, before | set(pages))
            changed = sum(_put(folder / path, text.encode()) for path, text in pages.items())
            stale = sorted(before - set(pages))
            removed = sum(_remove(folder, path) for path in stale)
            _list(folder, set(pages))
    except OSError as error:
        raise _error(f"`{folder}` cannot be written: {_why(error)}") from error
    return Written(len(pages), changed, removed)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Holds the list open and locked: two runs at once would each leave files that the other does not know."""
    made = not (folder / LIST).exists()
    with (folder / LIST).open("a", encoding="utf-8") as held:
        try:
            flock(held, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            raise _error(f"another run writes into `{folder}`", "try again when it has ended") from None
        if made and held.tell() == 0:
            held.write(f"{_HEAD}\n")
            held.flush()
        yield


def _listed(folder: Path) -> set[str]:
    """The files that runs before wrote or were about to write."""
    path = folder / LIST
    if path.is_symlink() or not path.is_file():
        return set()
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    if lines and lines[0] != _HEAD:
        raise _error(f"`{path}` is no list of ours", "name another folder")
    return set(lines[1:])


def _list(folder: Path, files: Iterable[str]) -> None:
    (folder / LIST).write_text("\n".join([_HEAD, *sorted(files)]) + "\n", encoding="utf-8")


def _present(folder: Path) -> set[str]:
    """Every file below a folder, as a path with slashes."""
    return {
        Path(inside, name).relative_to(folder).as_posix() for inside, _, names in os.walk(folder) for name in names
    }


def _linked(folder: Path) -> list[str]:
    """Links below a folder, to files or folders: what they lead to is not ours, though they bear a name of ours."""
    found = (Path(inside, name) for inside, folders, names in os.walk(folder) for name in (*folders, *names))
    return sorted(path.relative_to(folder).as_posix() for path in found if path.is_symlink())


def _put(path: Path, raw: bytes) -> bool:
    """Write a file where it is not so already; whether it was."""
    if path.is_file() and path.read_bytes() == raw:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw)
    return True


def _remove(folder: Path, name: str) -> bool:
    """Remove a file of ours, and the folders that it leaves empty; whether it was there."""
    path = folder / name
    if not _is_inside(name) or not path.is_file():
        return False
    path.unlink()
    for parent in path.parents:
        if parent == folder or any(parent.iterdir()):
            break
        parent.rmdir()
    return True


def _is_inside(name: str) -> bool:
    return not Path(name).is_absolute() and ".." not in Path(name).parts


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _error(message: str, hint: str = "") -> SettingsError:
    return SettingsError(Fault(Code.WRONG_VALUE, message, where="--output", hint=hint))
