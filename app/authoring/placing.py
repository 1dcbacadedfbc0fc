"""Packs that lie elsewhere than the settings say: a pack's own folder, a folder of packs, or a whole checkout."""

from __future__ import annotations

from pathlib import Path

from app.edition import CORE, Edition


def placed(edition: Edition, folder: Path) -> tuple[Edition, tuple[str, ...]]:
    """An Edition in which the packs of a folder stand, before any of the same name; and their names, in order.

    A checkout (`ontologies/` with core, and `rules/`) stands for itself alone. No names where there is no pack.
    """
    if (folder / "ontologies" / CORE / "pack.toml").is_file() and (folder / "rules").is_dir():
        own = Edition(folder / "ontologies", folder / "rules")
        return own, own.names()
    if (folder / "pack.toml").is_file():
        folder = folder.resolve()
        return edition.with_placed(folder.name, folder), (folder.name,)
    names = tuple(sorted(path.parent.name for path in folder.glob("*/pack.toml")))
    for name in names:
        edition = edition.with_placed(name, folder / name)
    return edition, names
