"""An engine for a database URL, and the database's errors in our words.

What is particular to SQLite or PostgreSQL is in the module of that name; all else is one code path.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Final

from sqlalchemy import URL, Connection, Engine, QueuePool, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from app.dialogue import postgresql, sqlite
from app.dialogue.durable import NotDurableError
from app.errors import Code, Fault, StateError

RETRY_AFTER_S: Final = 1

_PARTICULAR: Final[dict[str, ModuleType]] = {"sqlite": sqlite, "postgresql": postgresql}
"""What each database has of its own: `options`, `make_durable`, `begin`, `lock_tables`, `reads`, `passes`,
`is_locked`, `is_undone` and `said`."""


def connect(url: str, wait_s: float) -> tuple[Engine, str]:
    """An engine, and the URL without its password. A connection reads each statement as it finds the database.

    `wait_s` bounds the wait for a connection and for another process's lock.
    Errors: StateError (internal) for what is no database URL, has no driver, or is no database served here.
    """
    try:
        parsed = _with_driver(url)
        place = parsed.difference_update_query(["password"]).render_as_string(hide_password=True)
        particular = _PARTICULAR.get(parsed.get_backend_name())
        if particular is None:
            name, hint = parsed.get_backend_name(), "served: sqlite and postgresql"
            raise _unusable(place, f"`{name}` is no database served here, so it has no driver", hint)
        if particular is sqlite and parsed.database in {None, "", ":memory:"}:
            raise _unusable(place, "dialogues last, so they need a file", "write `sqlite:///` and the path of a file")
        engine = create_engine(
            parsed,
            poolclass=QueuePool,
            pool_timeout=wait_s,
            hide_parameters=True,
            **particular.options(wait_s),
        )
    except (ArgumentError, ImportError, ValueError) as error:
        hint = "for a file, write `sqlite:///` and its path; for PostgreSQL, `postgresql://user@host/database`"
        raise _unusable(url.partition("://")[0], f"no database URL, or no driver for it: {error}", hint) from error
    event.listen(engine, "connect", lambda connection, _: particular.make_durable(connection, wait_s))
    return engine, place


def reading(engine: Engine) -> Engine:
    """The engine as it reads: each statement by itself."""
    reads: Engine = _particular(engine).reads(engine)
    return reads


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """One transaction that writes, committed at the end."""
    with engine.begin() as connection:
        _particular(engine).begin(connection)
        yield connection


def lock_tables(connection: Connection) -> None:
    """Make every other process that prepares the tables wait until this transaction ends."""
    _particular(connection.engine).lock_tables(connection)


@contextmanager
def in_our_words(place: str, *, opening: bool = False) -> Iterator[None]:
    """Turn database errors into StateError: `busy` for what passes, `internal` for a database that cannot be used.

    IntegrityError goes through: it says that someone else was first, which the caller knows how to read. While
    `opening`, a server that does not answer cannot be used, and the operator is told why.
    """
    try:
        yield
    except IntegrityError:
        raise
    except NotDurableError as error:
        raise _unusable(place, str(error), error.hint) from error
    except PoolTimeoutError as error:
        raise _busy("every connection to them is in use") from error
    except DBAPIError as error:
        particular = _raised_by(error)
        if particular.passes(error) and not (opening and particular.is_unreachable(error)):
            raise _busy(particular.said(error)) from error
        raise _unusable(place, str(error.orig), particular.REMEDY) from error


def is_locked(error: BaseException) -> bool:
    """Whether another process holds the one write lock: then no other turn could be written now either."""
    return isinstance(error, DBAPIError) and bool(_raised_by(error).is_locked(error))


def is_undone(error: BaseException) -> bool:
    """Whether a transaction was undone for no fault of its own: the same again will do."""
    return isinstance(error, DBAPIError) and bool(_raised_by(error).is_undone(error))


def _with_driver(url: str) -> URL:
    parsed = make_url(url)
    if parsed.drivername in {"postgresql", "postgres"}:
        return parsed.set(drivername="postgresql+psycopg")
    return parsed


def _particular(engine: Engine) -> ModuleType:
    return _PARTICULAR[engine.dialect.name]


def _raised_by(error: DBAPIError) -> ModuleType:
    return sqlite if type(error.orig).__module__ == "sqlite3" else postgresql


def _busy(why: str) -> StateError:
    fault = Fault(Code.BUSY, f"the dialogues cannot be reached now: {why}", clause="SEMANTICS 10")
    return StateError(fault, retry_after_s=RETRY_AFTER_S)


def _unusable(place: str, why: str, hint: str) -> StateError:
    return StateError(
        Fault(Code.STORE_UNUSABLE, f"the dialogues in `{place}` cannot be used: {why}", where=place, hint=hint)
    )
