"""What is stored, in portable SQL, and the version of it.

Names come from callers and may be anything JSON can write: long, with NUL, with half a surrogate pair. Keys are
therefore digests, and names are stored escaped (`Name`); PostgreSQL takes neither NUL nor long index entries.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Dialect,
    Engine,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    inspect,
    select,
    text,
)
from sqlalchemy.exc import OperationalError, ProgrammingError

from app.dialogue.database import lock_tables, writing
from app.errors import Code, Fault, StateError

SCHEMA_VERSION = 3
"""Raised with every change of the tables below."""

_PART = "dialogue"


class Name(TypeDecorator[str]):
    """Any Python string as printable ASCII, reversible: a backslash, control and non-ASCII characters are escaped."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Escape."""
        return None if value is None else value.encode("unicode_escape").decode("ascii")

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Restore."""
        return None if value is None else value.encode("ascii").decode("unicode_escape")


class Moment(TypeDecorator[datetime]):
    """An aware time as ISO 8601 in UTC with microseconds: of one width, so it sorts as text in every database."""

    impl = String(32)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Write in UTC; a time without a zone is a ValueError."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a time without a zone: {value}")
        return value.astimezone(UTC).isoformat(timespec="microseconds")

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Read."""
        return None if value is None else datetime.fromisoformat(value)


def digest(*parts: str) -> str:
    """A key for names of any length and content; no two lists of parts share one."""
    sha = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        sha.update(len(encoded).to_bytes(8, "big"))
        sha.update(encoded)
    return sha.hexdigest()


metadata = MetaData()
_KEY = String(64)

meta = Table(
    "meta",
    metadata,
    Column("part", String(32), primary_key=True),
    Column("version", Integer, nullable=False),
)

dialogue = Table(
    "dialogue",
    metadata,
    Column("id", _KEY, primary_key=True),
    Column("m_instance", Name, nullable=False),
    Column("u_environment", Name, nullable=False),
    Column("session_id", Name, nullable=False),
    Column("dialog_id", Name, nullable=False),
    Column("turn_index", BigInteger, nullable=False),
    Column("committed", Boolean, nullable=False),
    Column("opened", Moment, nullable=False),
    Column("latest", Moment, nullable=False),
    Column("closed", Moment),
)

turn = Table(
    "turn",
    metadata,
    Column("dialogue", _KEY, ForeignKey(dialogue.c.id), primary_key=True),
    Column("query", _KEY, primary_key=True),
    Column("query_id", Name, nullable=False),
    Column("body_hash", _KEY, nullable=False),
    Column("turn_index", BigInteger, nullable=False),
    Column("response", LargeBinary, nullable=False),
    Column("response_query_id", Name, nullable=False),
    Column("release", Name, nullable=False),
    Column("world_version", Name, nullable=False),
    Column("time", Moment, nullable=False),
)

# A commitment that is released and retained again is a new row: (turn_index, place) is its place in the order.
commitment = Table(
    "commitment",
    metadata,
    Column("dialogue", _KEY, ForeignKey(dialogue.c.id), primary_key=True),
    Column("turn_index", BigInteger, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("commitment_id", Name, nullable=False),
    Column("statement", Name, nullable=False),
    Column("form", Name, nullable=False),
    Column("retained", Boolean, nullable=False),
    Column("since", Name, nullable=False, server_default=text("''")),
)

explanation = Table(
    "explanation",
    metadata,
    Column("response_query_id", Name, primary_key=True),
    Column("m_instance", Name, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

session = Table(
    "session",
    metadata,
    Column("id", _KEY, primary_key=True),
    Column("m_instance", Name, nullable=False),
    Column("session_id", Name, nullable=False),
    Column("u_environment", Name, nullable=False),
    Column("user", Name, nullable=False),
)

action_context = Table(
    "action_context",
    metadata,
    Column("id", _KEY, primary_key=True),
    Column("m_instance", Name, nullable=False),
    Column("session_id", Name, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

# The row of the highest generation says what is active, the others what was; without any, packs are as shipped.
active_release = Table(
    "active_release",
    metadata,
    Column("generation", BigInteger, primary_key=True, autoincrement=False),
    Column("packs", Text, nullable=False),
    Column("since", Moment, nullable=False),
    Column("who", Name, nullable=False),
    Column("how", Name, nullable=False),
)


def _from_1_to_2(connection: Connection) -> None:
    connection.exec_driver_sql("ALTER TABLE commitment ADD COLUMN since TEXT NOT NULL DEFAULT ''")
    action_context.create(connection)


def _from_2_to_3(connection: Connection) -> None:
    active_release.create(connection)


MIGRATIONS: Mapping[int, Callable[[Connection], None]] = {1: _from_1_to_2, 2: _from_2_to_3}
"""What makes a database of a version one of the next; a version that is not here cannot be read any more."""


def prepare(engine: Engine, place: str) -> None:
    """Create the tables in an empty database, or check that those found are ours and of this version.

    What leads from an older version to this one is done first. Under the write lock: two processes that start
    together do this in turn.
    """
    with writing(engine) as connection:
        lock_tables(connection)
        found = set(inspect(connection).get_table_names())
        if not found:
            metadata.create_all(connection, checkfirst=False)
            connection.execute(meta.insert(), {"part": _PART, "version": SCHEMA_VERSION})
            return
        try:
            version = connection.scalar(select(meta.c.version).where(meta.c.part == _PART))
        except (OperationalError, ProgrammingError) as error:
            raise _not_ours(place) from error
        if version is None:
            raise _not_ours(place)
        while version in MIGRATIONS:
            MIGRATIONS[version](connection)
            version += 1
            connection.execute(meta.update().where(meta.c.part == _PART).values(version=version))
        if version == SCHEMA_VERSION and not set(metadata.tables) <= set(inspect(connection).get_table_names()):
            raise _not_ours(place)
    if version != SCHEMA_VERSION:
        raise StateError(
            Fault(
                Code.STORE_UNUSABLE,
                f"the dialogues in `{place}` have schema version {version}, this release reads {SCHEMA_VERSION}",
                where=place,
                hint="run the release that wrote them" if version > SCHEMA_VERSION else "no migration is known",
            )
        )


def _not_ours(place: str) -> StateError:
    return StateError(
        Fault(
            Code.STORE_UNUSABLE,
            f"`{place}` is a database, but not one of dialogues",
            where=place,
            hint="name a database of its own, or a file that does not exist yet",
        )
    )
