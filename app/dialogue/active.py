"""Which releases of packs are active: one row for each set there has been, so that all processes see the same.

A generation is the number of a set; each activation, a rollback too, makes the next. Generation 0 is no row: packs as
they were shipped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, bindparam, func, insert, select

from app.dialogue.tables import active_release


@dataclass(frozen=True, slots=True)
class Active:
    """A set of releases: packs by name, each with its version; a pack that is not named is as shipped.

    `since` is None where nothing was ever activated; `how` is `activate`, `rollback` or `signal`.
    """

    generation: int = 0
    packs: Mapping[str, str] = field(default_factory=dict)
    since: datetime | None = None
    who: str = ""
    how: str = ""

    def as_json(self) -> dict[str, object]:
        """The set as it is told."""
        since = self.since.isoformat() if self.since else None
        told = {"generation": self.generation, "active": dict(self.packs), "since": since}
        return {**told, "by": self.who, "how": self.how}


AS_SHIPPED: Final = Active()

_NEWEST: Final = select(active_release).order_by(active_release.c.generation.desc()).limit(1)
_ONE: Final = select(active_release).where(active_release.c.generation == bindparam("given"))
_LAST: Final = select(func.max(active_release.c.generation))


def read_active(connection: Connection, generation: int | None) -> Active | None:
    """The newest set, or that of a generation."""
    found = connection.execute(_NEWEST if generation is None else _ONE, {"given": generation}).one_or_none()
    return Active(found.generation, json.loads(found.packs), found.since, found.who, found.how) if found else None


def write_active(connection: Connection, after: int, new: Active) -> int:
    """Write the set that follows a generation: 1, or 0 where that is not the newest any more.

    IntegrityError: another process writes it, too.
    """
    if (connection.scalar(_LAST) or 0) != after:
        return 0
    row = {"generation": after + 1, "packs": json.dumps(dict(new.packs), sort_keys=True)}
    connection.execute(insert(active_release), row | {"since": new.since, "who": new.who, "how": new.how})
    return 1
