"""A pack to begin with: a copy of template/ under a name of its own, whole or not at all."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Final

from app.authoring.check.manifest import PACK_NAME
from app.edition import CORE, Edition
from app.errors import Code, Fault, PackError
from app.vocab import PREFIXES

TEMPLATE: Final = Path(str(files("app.authoring"))) / "template"

RESERVED: Final = frozenset({*PREFIXES, CORE, "sh", "dcterms", "cases", "rules", "ontologies"})
"""Names that files of packs have a meaning for already."""

LONGEST: Final = 40


def new_pack(edition: Edition, name: str, folder: Path, title: str = "") -> list[Path]:
    """Make `folder/name`; the files made, in order. Raises PackError where the name is taken or is none, or where
    the folder cannot be written.
    """
    fault = _fault(edition, name, folder)
    if fault:
        raise PackError(fault)
    elsewhere = "" if folder.resolve() == edition.ontologies.resolve() else f" --folder {shlex.quote(str(folder))}"
    filled = dict(_filled(name, " ".join(title.split()) or name.replace("_", " ").capitalize(), elsewhere))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        aside = Path(mkdtemp(prefix=f".{name}-", dir=folder))
        try:
            for path, text in filled.items():
                (aside / path).parent.mkdir(parents=True, exist_ok=True)
                (aside / path).write_text(text, encoding="utf-8")
            aside.chmod(0o755)
            aside.rename(folder / name)
        except BaseException:
            rmtree(aside, ignore_errors=True)
            raise
    except OSError as error:
        where = str(folder / name)
        reason = (error.strerror or "unknown").lower()
        raise PackError(Fault(Code.PACK_UNREADABLE, f"the pack cannot be written: {reason}", where=where)) from error
    return [folder / name / path for path in filled]


def _fault(edition: Edition, name: str, folder: Path) -> Fault | None:
    """Why a pack cannot be called so there, if it cannot."""
    hint = "small letters and digits, words joined by `_`, for instance `car_showroom`"
    if not PACK_NAME.fullmatch(name) or len(name) > LONGEST:
        limit = f" of at most {LONGEST} characters" if len(name) > LONGEST else ""
        return Fault(Code.PACK_MEMBER, f"`{name}` is no name of a pack{limit}", hint=hint)
    if name in RESERVED:
        return Fault(Code.PACK_MEMBER, f"`{name}` is reserved", hint=f"taken: {', '.join(sorted(RESERVED))}")
    if name in edition.names():
        return Fault(Code.PACK_MEMBER, f"there is a pack `{name}`", where=str(edition.folder(name)))
    if (folder / name).exists():
        return Fault(Code.PACK_MEMBER, "something lies there already", where=str(folder / name))
    return None


def _filled(name: str, title: str, elsewhere: str) -> Iterator[tuple[Path, str]]:
    """The files of the template, in order, with name and title put in, and the option that finds it `elsewhere`."""
    world = "".join(part.capitalize() for part in name.split("_")) + "1"
    said = {
        "__NAME__": name,
        "__LABEL__": _quoted(title),
        "__WORLD__": world,
        "__HOST__": world.lower(),
        "__FOLDER__": elsewhere,
    }
    for path in sorted(path for path in TEMPLATE.rglob("*") if path.is_file()):
        text = path.read_text(encoding="utf-8")
        text = text.replace('"__TITLE__"', _quoted(title)).replace("__TITLE__", title)
        place = str(path.relative_to(TEMPLATE))
        for mark, value in said.items():
            text, place = text.replace(mark, value), place.replace(mark, value)
        yield Path(place), text


def _quoted(text: str) -> str:
    """A text as TOML and Turtle both quote it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
