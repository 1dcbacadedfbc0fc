"""Where a key of a TOML file stands: faults name it by table and number, no reader of TOML keeps its line."""

from __future__ import annotations

import re
from typing import Final

_PART: Final = re.compile(r"(?P<table>[A-Za-z_]+) (?P<number>\d+)")
_IN_PATTERN: Final = re.compile(r", line (\d+) of the pattern, column (\d+)$")
_NAMED: Final = ("name", "ask", "step")


def place_of(text: str, key: str) -> tuple[int, int]:
    """Line and column of a key such as `case 2`, `repair 1.when`, `when, line 3 of the pattern, column 5`, or the
    name of a block (`name = "..."`, `ask = "..."`, step 4); 0, 0 where it cannot be told.
    """
    within = _IN_PATTERN.search(key)
    at = _offset(text, key[: within.start()] if within else key)
    if at < 0:
        return 0, 0
    line = text.count("\n", 0, at) + 1
    if not within:
        return line, 0
    opening = re.match(r"[^\n]*?=\s*(?:'''|\"\"\")(\n?)", text[at:])
    further = int(within[1]) - 1
    if opening is None:
        return line, 0
    return line + further + (1 if opening[1] else 0), int(within[2]) if opening[1] or further else 0


def _offset(text: str, key: str) -> int:
    """Where a key begins, -1 where it is not found."""
    at, start = 0, 0
    pieces = re.split(r"(,\s+|\.(?=[A-Za-z_]+$))", key)
    while start < len(pieces):
        for end in range(start + 1, len(pieces) + 1, 2):  # a name may have a comma itself
            found = _within(text, "".join(pieces[start:end]).strip(), at)
            if found >= 0:
                break
        else:
            return at if at else -1
        at, start = found, end + 1
    return at


def _within(text: str, part: str, start: int) -> int:
    """Where one part of a key begins at or after a place."""
    numbered = _PART.fullmatch(part)
    if numbered and numbered["table"] == "step":
        found = re.compile(rf"^\s*step\s*=\s*{numbered['number']}\b", re.MULTILINE).search(text, start)
        if found is None:
            found = re.compile(rf"\bstep\s*=\s*{numbered['number']}\b").search(text, start)
        return _begin(text, found)
    if numbered:
        tables = [m.start() for m in re.finditer(rf"^\s*\[\[{numbered['table']}\]\]", text, re.MULTILINE)]
        number = int(numbered["number"]) - (numbered["table"] != "turn")  # turns are counted from 0
        return _skipped(text, tables[number]) if number < len(tables) else -1
    name = re.sub(r"^(?:variant|turn|case) (?=.)", "", part)
    for member in _NAMED:
        pattern = rf"^\s*(?:\[\[.*\]\]\s*)?{member}\s*=\s*([\"']){re.escape(name)}\1"
        if found := re.compile(pattern, re.MULTILINE).search(text, start):
            return _begin(text, found)
    pattern = rf"^\s*(?:{re.escape(part)}\s*=|\[+[\w.]*\b{re.escape(part)}\]+)"
    found = re.compile(pattern, re.MULTILINE).search(text, start) or re.search(
        rf"[{{,]\s*{re.escape(part)}\s*=", text[start:]
    )
    return _begin(text, found, 0 if found is None or found.re.flags & re.MULTILINE else start)


def _begin(text: str, found: re.Match[str] | None, offset: int = 0) -> int:
    return -1 if found is None else _skipped(text, offset + found.start())


def _skipped(text: str, at: int) -> int:
    """Past blanks and line ends before a key."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at
