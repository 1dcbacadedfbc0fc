"""Where the packs lie: one state of them all, as a checkout holds it or as releases make it up.

    ontologies/NAME/    a pack         ontologies/NAME/rules/    rules of its own
    rules/              core's rules, Actions, needs and payments: true in every domain

A release holds all of its pack, core's the rules of core, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

CORE: Final = "core"
"""The pack that every other stands on."""


@dataclass(frozen=True, slots=True)
class Edition:
    """The folder of packs and that of core's rules; `placed` are packs that lie elsewhere, by name."""

    ontologies: Path
    rules: Path
    placed: tuple[tuple[str, Path], ...] = ()

    def folder(self, name: str) -> Path:
        """Where a pack lies, whether it is there or not."""
        return dict(self.placed).get(name, self.ontologies / name)

    def rules_of(self, name: str) -> Path:
        """Where a pack's rules lie, if it has some."""
        return self.rules if name == CORE and CORE not in dict(self.placed) else self.folder(name) / "rules"

    def worlds_of(self, name: str) -> tuple[Path, ...]:
        """The files of the worlds that a pack brings, each called as its M-Instance."""
        return tuple(sorted((self.folder(name) / "worlds").glob("*.ttl")))

    def names(self) -> tuple[str, ...]:
        """The packs there are, in the order of their names."""
        held = {path.parent.name for path in self.ontologies.glob("*/pack.toml")}
        return tuple(sorted(held | dict(self.placed).keys()))

    def with_placed(self, name: str, folder: Path) -> Edition:
        """The same with one pack from elsewhere."""
        return Edition(self.ontologies, self.rules, tuple(sorted({**dict(self.placed), name: folder}.items())))


def in_order(names: Iterable[str], required_by: Callable[[str], Iterable[str]]) -> tuple[str, ...]:
    """Packs with all that they require, each once and after what it requires. Where packs require each other, which a
    loader refuses, one of them comes first.
    """
    found: dict[str, None] = {}

    def add(name: str, path: tuple[str, ...]) -> None:
        if name not in found and name not in path:
            for required in required_by(name):
                add(required, (*path, name))
            found[name] = None

    for name in names:
        add(name, ())
    return tuple(found)
