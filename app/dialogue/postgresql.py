"""PostgreSQL: synchronous_commit=on over fsync=on (a commit that returned is on disk), rows locked as they are
needed, and no lock that outlives a process which stands still.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, Engine, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError, OperationalError

from app.dialogue.durable import NotDurableError

REMEDY: Final = "see the log of the PostgreSQL server"

_POOL: Final = 16
"""Connections a process holds at most; PostgreSQL serves 100 unless told otherwise."""
_STILL_S: Final = 10
"""How long a transaction may do nothing before the server ends it, and with it its locks."""
_TABLES: Final = 0x646F6D61696E  # "domain": the advisory lock under which tables are made
_PASSES: Final = ("08", "25P03", "40", "53", "55P03", "57", "58")
"""Connection lost, undone for another, resources short, lock not had, server stopping, files failing."""
_UNDONE: Final = ("40P01", "40001")
_SET: Final = """
SELECT set_config('synchronous_commit', 'on', false),
       set_config('default_transaction_isolation', 'read committed', false),
       set_config('idle_in_transaction_session_timeout', %s, false),
       set_config('lock_timeout', %s, false)
"""
_CHECK: Final = "SELECT current_setting('synchronous_commit'), current_setting('fsync')"


def options(wait_s: float) -> dict[str, Any]:
    """How an engine connects."""
    return {
        "connect_args": {"connect_timeout": max(2, round(wait_s)), "application_name": "domain-access"},
        "pool_size": _POOL,
        "max_overflow": 0,
    }


def make_durable(connection: DBAPIConnection, wait_s: float) -> None:
    """Set and check what a new connection must have. Raises NotDurableError where it cannot."""
    cursor = connection.cursor()
    try:
        cursor.execute(_SET, (f"{_STILL_S}s", f"{max(1, round(wait_s * 1000))}ms"))
        cursor.execute(_CHECK)
        found = cursor.fetchone()
    finally:
        cursor.close()
    connection.commit()  # or the settings would be undone with the transaction
    if found != ("on", "on"):
        assert found is not None
        raise NotDurableError("synchronous_commit {}, fsync {}".format(*found), "set `fsync = on` in postgresql.conf")


def begin(_: Connection) -> None:
    """Rows are locked as they are read (`FOR UPDATE`)."""


def lock_tables(connection: Connection) -> None:
    """Wait for every other process that prepares tables in this database."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:name)"), {"name": _TABLES})


def reads(engine: Engine) -> Engine:
    """Each read by itself: one way to the server and back, and no transaction left open."""
    return engine.execution_options(isolation_level="AUTOCOMMIT")


def passes(error: DBAPIError) -> bool:
    """Whether it may be otherwise the next time."""
    state = _state(error)
    if not state:
        return error.connection_invalidated or isinstance(error, OperationalError)
    return state.startswith(_PASSES)


def is_locked(_: DBAPIError) -> bool:
    """A lock is one of a dialogue: other turns can be written."""
    return False


def is_undone(error: DBAPIError) -> bool:
    """Whether it was undone only because of another one, or the server had ended the connection.

    If it was committed just before that, the heads have moved on and nothing is written twice.
    """
    return error.connection_invalidated or _state(error) in _UNDONE


def is_unreachable(error: DBAPIError) -> bool:
    """Whether no server was there that let us in."""
    return not _state(error)


def said(error: DBAPIError) -> str:
    """The cause, for the caller: no address, no name of the database."""
    diagnosis = getattr(error.orig, "diag", None)
    primary = getattr(diagnosis, "message_primary", None)
    return primary if isinstance(primary, str) and _state(error) else "no connection to their server"


def _state(error: DBAPIError) -> str:
    """The SQLSTATE; empty where the server said none, as when there is no connection."""
    return getattr(error.orig, "sqlstate", None) or ""
