"""SQLite: WAL with synchronous=FULL (a commit that returned is on disk), and the write lock taken when a writing
transaction begins, so that it never has to be given up half-way.
"""

from __future__ import annotations

import sqlite3
import time
from typing import Any, Final

from sqlalchemy import Connection, Engine
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
from sqlalchemy.exc import DBAPIError, OperationalError

from app.dialogue.durable import NotDurableError

REMEDY: Final = "restore the file from a backup, or name another one"

_POOL: Final = 16
_OVERFLOW: Final = 64
_PAUSE_S: Final = 0.01
_LOCKED: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_PASSES: Final = _LOCKED | {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM}


def options(wait_s: float) -> dict[str, Any]:
    """How an engine connects."""
    return {"connect_args": {"timeout": wait_s}, "pool_size": _POOL, "max_overflow": _OVERFLOW}


def make_durable(connection: DBAPIConnection, wait_s: float) -> None:
    """Set and check what a new connection must have. Raises NotDurableError where it cannot."""
    connection.isolation_level = None  # the driver begins nothing by itself: `begin` does
    cursor = connection.cursor()
    try:
        journal = _write_ahead(cursor, wait_s)
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("PRAGMA synchronous")
        synchronous = cursor.fetchone()
    finally:
        cursor.close()
    if journal != ("wal",) or synchronous != (2,):
        raise NotDurableError(f"journal_mode {journal}, synchronous {synchronous}")


def begin(connection: Connection) -> None:
    """Take the write lock."""
    # not by an event of the engine: with a listener every statement pays for all the events there are
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def lock_tables(_: Connection) -> None:
    """The write lock, taken already, is all there is."""


def reads(engine: Engine) -> Engine:
    """No transaction is begun for a read: `isolation_level = None` above."""
    return engine


def passes(error: DBAPIError) -> bool:
    """Whether it may be otherwise the next time: locked or full, not damaged."""
    code = _code(error)
    return code in _PASSES if code is not None else isinstance(error, OperationalError)


def is_locked(error: DBAPIError) -> bool:
    """Whether another process has the write lock."""
    return _code(error) in _LOCKED


def is_undone(_: DBAPIError) -> bool:
    """With one write lock no transaction is undone for another."""
    return False


def is_unreachable(_: DBAPIError) -> bool:
    """A file is no server."""
    return False


def said(error: DBAPIError) -> str:
    """The cause, for the caller."""
    return str(error.orig)


def _code(error: DBAPIError) -> int | None:
    """The primary result code, None if the error has none."""
    code = getattr(error.orig, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else None


def _write_ahead(cursor: DBAPICursor, wait_s: float) -> object:
    """Switch to WAL. SQLite's own wait does not cover two processes that switch a new file at the same moment."""
    pauses = int(wait_s / _PAUSE_S)
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return cursor.fetchone()
        except sqlite3.OperationalError as error:
            if not pauses or error.sqlite_errorcode & 0xFF not in _LOCKED:
                raise
        pauses -= 1
        time.sleep(_PAUSE_S)
