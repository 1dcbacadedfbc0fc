"""An engine for a database URL, and the database's errors in our words.

What is particular to SQLite is here: WAL with synchronous=FULL (a commit that returned is on disk), and the write
lock taken when a writing transaction begins, so that it never has to be given up half-way.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection, Engine, QueuePool, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from app.errors import Code, Fault, StateError

RETRY_AFTER_S: Final = 1
_POOL: Final = 16
_OVERFLOW: Final = 64
_PAUSE_S: Final = 0.01

_LOCKED: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_PASSES: Final = _LOCKED | {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM}


def connect(url: str, wait_s: float) -> tuple[Engine, str]:
    """An engine, and the URL without its password. A connection reads each statement as it finds the database.

    `wait_s` bounds the wait for a connection and for another process's write lock.
    Errors: StateError (internal) for what is no database URL or has no driver.
    """
    try:
        parsed = make_url(url)
        place = parsed.render_as_string(hide_password=True)
        sqlite = parsed.get_backend_name() == "sqlite"
        if sqlite and parsed.database in {None, "", ":memory:"}:
            raise _unusable(url, "dialogues last, so they need a file", "write `sqlite:///` and the path of a file")
        engine = create_engine(
            parsed,
            connect_args={"timeout": wait_s} if sqlite else {},
            poolclass=QueuePool,
            pool_size=_POOL,
            max_overflow=_OVERFLOW,
            pool_timeout=wait_s,
            hide_parameters=True,
        )
    except (ArgumentError, ImportError, ValueError) as error:
        hint = "for a file, write `sqlite:///` and its path"
        raise _unusable(url.partition("://")[0], f"no database URL, or no driver for it: {error}", hint) from error
    if sqlite:
        event.listen(engine, "connect", lambda connection, _: _make_durable(connection, wait_s, place))
    return engine, place


def _make_durable(connection: DBAPIConnection, wait_s: float, place: str) -> None:
    connection.isolation_level = None  # the driver begins nothing by itself: `writing` does
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
        raise _unusable(place, f"no durable commits: journal_mode {journal}, synchronous {synchronous}", "")


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


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """One transaction that writes, committed at the end; on SQLite it holds the write lock from its beginning."""
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            # not by an event of the engine: with a listener every statement pays for all the events there are
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        yield connection


@contextmanager
def in_our_words(place: str) -> Iterator[None]:
    """Turn database errors into StateError: `busy` for what passes, `internal` for a database that cannot be used.

    IntegrityError goes through: it says that someone else was first, which the caller knows how to read.
    """
    try:
        yield
    except IntegrityError:
        raise
    except (DBAPIError, PoolTimeoutError) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        if _passes(error):
            fault = Fault(Code.BUSY, f"the dialogues cannot be reached now: {cause}", clause="SEMANTICS 10")
            raise StateError(fault, retry_after_s=RETRY_AFTER_S) from error
        hint = "restore the file from a backup, or name another one" if isinstance(cause, sqlite3.Error) else ""
        raise _unusable(place, str(cause), hint) from error


def is_locked(error: BaseException) -> bool:
    """Whether another process holds the write lock: then no other turn could be written now either."""
    return isinstance(error, DBAPIError) and _sqlite_code(error) in _LOCKED


def _passes(error: DBAPIError | PoolTimeoutError) -> bool:
    if isinstance(error, PoolTimeoutError):
        return True
    code = _sqlite_code(error)
    return code in _PASSES if code is not None else isinstance(error, OperationalError)


def _sqlite_code(error: DBAPIError) -> int | None:
    """The primary result code, None if the error is not SQLite's."""
    code = getattr(error.orig, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else None


def _unusable(place: str, why: str, hint: str) -> StateError:
    return StateError(
        Fault(Code.STORE_UNUSABLE, f"the dialogues in `{place}` cannot be used: {why}", where=place, hint=hint)
    )
