"""States of the small pack `workshop`, each changed as a file of tests/diff/changes says."""

from __future__ import annotations

import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.edition import Edition
from tests.packs import ROOT

FOLDER = ROOT / "tests" / "diff"
WORKSHOP = FOLDER / "workshop"


@dataclass(frozen=True)
class Changed:
    """A change as data: what is edited, and what must be told of it."""

    name: str
    members: dict[str, Any]

    @property
    def of_core(self) -> bool:
        return any(edit["file"].startswith("core/") for edit in self.members["edit"])


CHANGES = [Changed(p.stem, tomllib.loads(p.read_text("utf-8"))) for p in sorted((FOLDER / "changes").glob("*.toml"))]


def states(changed: Changed, place: Path) -> tuple[Edition, Edition]:
    """The Edition with the pack as it is, and with the pack as it is changed."""
    return edition_in(place / "old", changed.of_core), _edited(edition_in(place / "new", changed.of_core), changed)


def edition_in(place: Path, with_core: bool = False) -> Edition:
    """The pack in a folder of its own, beside core; core, too, where it is to be changed."""
    shutil.copytree(WORKSHOP, place / "workshop")
    edition = Edition(ROOT / "ontologies", ROOT / "rules").with_placed("workshop", place / "workshop")
    if not with_core:
        return edition
    shutil.copytree(ROOT / "ontologies" / "core", place / "core")
    shutil.copytree(ROOT / "rules", place / "core" / "rules")
    return edition.with_placed("core", place / "core")


def _edited(edition: Edition, changed: Changed) -> Edition:
    place = edition.folder("workshop").parent
    for edit in changed.members["edit"]:
        in_core = edit["file"].startswith("core/")
        path = place / edit["file"] if in_core else place / "workshop" / edit["file"]
        if edit.get("remove"):
            path.unlink()
        elif "write" in edit:
            path.write_text(edit["write"], encoding="utf-8")
        else:
            text = path.read_text(encoding="utf-8")
            assert text.count(edit["find"]) == 1, f"{changed.name}: {edit['find']}"
            path.write_text(text.replace(edit["find"], edit["replace"]), encoding="utf-8")
    return edition
