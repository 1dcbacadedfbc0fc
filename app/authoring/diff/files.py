"""Two states of TOML files -> what rules, Actions, needs, payments and `pack.toml` say otherwise, by key."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from app.authoring.diff.difference import Act, Change, KeyChange, Part, Patch
from app.errors import Code, Fault, PackError

FOLDERS: Final = {
    "actions": Part.ACTION,
    "pa_status": Part.RULE,
    "needs": Part.NEED,
    "payments": Part.PAYMENT,
}
"""The folders of rules, and what a file of each is."""

_PATTERNS: Final = frozenset({"when", "given", "about", "add", "remove", "increase", "decrease", "facts"})
_NAMED: Final = {"case": "name", "complement": "preposition"}
_WORDING: Final = frozenset({"title", "clause", "explain", "missing", "about_text"})
_IDLE: Final = frozenset({"version", "title", "licence", "sources"})

Members = Mapping[str, Any]


def file_changes(pack: str, old: Path, new: Path) -> list[Change]:
    """The changes between two folders of rules. Raises PackError with every file that is no TOML."""
    changes: list[Change] = []
    faults: list[Fault] = []
    for folder, part in FOLDERS.items():
        names = sorted({path.name for side in (old, new) for path in (side / folder).glob("*.toml")})
        for name in names:
            path = f"rules/{folder}/{name}"
            try:
                change = _file_change(pack, part, path, old / folder / name, new / folder / name)
            except PackError as error:
                faults += error.faults
                continue
            if change is not None:
                changes.append(change)
    if faults:
        raise PackError(*faults)
    return changes


def manifest_change(pack: str, old: Path, new: Path) -> Change | None:
    """What `pack.toml` says otherwise."""
    return _file_change(pack, Part.PACK, "pack.toml", old, new)


def alters_answers(change: Change) -> bool:
    """Whether a change can alter an answer: cases, shapes, alignments and what a pack says of itself cannot."""
    if change.part in (Part.SHAPE, Part.ALIGNMENT):
        return False
    if change.part is Part.PACK and change.act is Act.CHANGED:
        return any(each.key not in _IDLE for each in change.keys)
    if change.keys and change.act is Act.CHANGED:
        return any(not each.key.startswith("case") for each in change.keys)
    return True


def is_wording(change: Change) -> bool:
    """Whether a file is changed only in what it says to readers."""
    keys = {each.key for each in change.keys if not each.key.startswith("case")}
    return change.act is Act.CHANGED and bool(keys) and keys <= _WORDING


def _file_change(pack: str, part: Part, path: str, old: Path, new: Path) -> Change | None:
    before, after = _bytes(old), _bytes(new)
    if before == after:
        return None
    was, is_now = _members(before, old), _members(after, new)
    keys = tuple(_keys(was, is_now)) if before is not None and after is not None else ()
    if before is not None and after is not None and not keys:
        return None
    act = Act.ADDED if before is None else Act.REMOVED if after is None else Act.CHANGED
    name = pack if part is Part.PACK else new.stem
    told = is_now or was
    return Change(
        pack,
        part,
        act,
        name,
        name,
        (str(told.get("title", "")),) if act is Act.REMOVED else (),
        (str(told.get("title", "")),) if act is Act.ADDED else (),
        keys=keys,
        patches=(Patch(pack, path, old=before, new=after),),
    )


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PackError(Fault(Code.PACK_UNREADABLE, f"cannot be read: {error}", where=str(path))) from error


def _members(held: bytes | None, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(held.decode("utf-8")) if held is not None else {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PackError(Fault(Code.PACK_UNREADABLE, f"no TOML: {error}", where=str(path))) from error


def _keys(old: Members, new: Members) -> list[KeyChange]:
    """The keys with another value; a block of several that has a name of its own is a key."""
    before, after = _flat(old), _flat(new)
    return [
        KeyChange(key, _said(before.get(key)), _said(after.get(key)))
        for key in [*before, *(key for key in after if key not in before)]
        if before.get(key) != after.get(key)
    ]


def _flat(members: Members) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in members.items():
        if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
            for number, block in enumerate(value, 1):
                name = str(block.get(_NAMED.get(key, ""), number))
                name = f"{key} {name}"
                while name in found:
                    name += "'"
                found[name] = _comparable(block)
        else:
            found[key] = _comparable(value, key)
    return found


def _comparable(value: Any, key: str = "") -> Any:
    """A value without what no reader sees: how a pattern is laid out in lines."""
    if isinstance(value, dict):
        return {name: _comparable(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [_comparable(each, key) for each in value]
    if isinstance(value, str) and key in _PATTERNS:
        return "\n".join(line.strip() for line in value.splitlines() if line.strip())
    return value


def _said(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
