"""Where in a TOML file a block stands: what is wrong is told with the line of its heading."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Heading:
    """A block `[[table]]`: the one whose `key` has a value; of several the
    `number`th, counted from 0.
    """

    table: str
    key: str = ""
    value: str | int = ""
    number: int = 0


def line_of(path: Path, *headings: Heading) -> int:
    """The line of the last heading, each sought after the one before it; from 1, 0 where it is not found."""
    line = 0
    for heading in headings:
        starts = [
            start for start in _blocks(path, path.stat().st_mtime_ns) if start.line > line and start.is_of(heading)
        ]
        if len(starts) <= heading.number:
            return 0
        line = starts[heading.number].line
    return line


@dataclass(frozen=True, slots=True)
class _Block:
    line: int
    table: str
    members: tuple[tuple[str, object], ...]

    def is_of(self, heading: Heading) -> bool:
        """Whether it is such a block, whatever its number."""
        return self.table == heading.table and (not heading.key or (heading.key, heading.value) in self.members)


@lru_cache(maxsize=64)
def _blocks(path: Path, _: int) -> tuple[_Block, ...]:
    """The blocks of a file as it was last changed."""
    return tuple(_read(path.read_text(encoding="utf-8")))


def _read(text: str) -> Iterator[_Block]:
    """Every block with those of its members that take one line; what stands within a longer text is no heading."""
    start, table, quote = 0, "", ""
    members: list[tuple[str, object]] = []
    for number, line in enumerate((*text.splitlines(), "[[]]"), 1):
        stripped = line.strip()
        if quote:
            quote = "" if quote in stripped else quote
        elif stripped.startswith("[[") and "]]" in stripped:
            if start:
                yield _Block(start, table, tuple(members))
            start, table, members = number, stripped[2:].split("]]")[0].strip(), []
        else:
            quote = next((q for q in ('"""', "'''") if stripped.count(q) % 2), "")
            members += _members(stripped) if "=" in stripped and not quote else []


def _members(line: str) -> list[tuple[str, object]]:
    try:
        found = tomllib.loads(line)
    except tomllib.TOMLDecodeError:  # a value of several lines
        return []
    return [(key, value) for key, value in found.items() if isinstance(value, str | int)]
