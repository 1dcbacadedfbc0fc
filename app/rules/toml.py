"""A TOML file being read: what it holds, and its faults, each with the file and the key."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.errors import Code, Fault, PackError
from app.model import PAStatus
from app.nearest import did_you_mean


class TomlFile:
    """One file: its members, and the faults noted so far. Raises PackError where it is no TOML."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.faults: list[Fault] = []
        try:
            self.members: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
            raise PackError(Fault(Code.PACK_UNREADABLE, f"no TOML: {error}", where=str(path))) from error

    def fault(self, code: Code, message: str, key: str = "", hint: str = "") -> None:
        """Note a fault at a key."""
        self.faults.append(Fault(code, message, where=f"{self.path}: {key}" if key else str(self.path), hint=hint))

    def keys(self, members: Mapping[str, Any], known: set[str], key: str) -> None:
        """Note keys that nothing reads, with the nearest that would be."""
        for name in sorted(set(members) - known):
            hint = did_you_mean(name, sorted(known), f"known: {', '.join(sorted(known))}")
            self.fault(Code.PACK_MEMBER, f"nothing reads `{name}`", key, hint)

    def tables(self, members: Mapping[str, Any], name: str, key: str = "") -> list[dict[str, Any]]:
        """The tables `[[name]]`; none where there are none, and a fault where it is something else."""
        found = members.get(name, [])
        if isinstance(found, list) and all(isinstance(each, dict) for each in found):
            return found
        self.fault(Code.PACK_MEMBER, f"`{name}` must be tables, `[[{name}]]`", key)
        return []

    def status(self, name: object, key: str) -> PAStatus:
        """A PA Status by name."""
        try:
            return PAStatus(str(name))
        except ValueError:
            hint = did_you_mean(str(name), PAStatus, f"known: {', '.join(PAStatus)}")
            self.fault(Code.PACK_MEMBER, f"`{name}` is no PA Status", key, hint)
            return PAStatus.FAULTY_REQ

    def refuse(self) -> None:
        """Raise PackError where a fault was noted, with all of them."""
        if self.faults:
            raise PackError(*self.faults)
