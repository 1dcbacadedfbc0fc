"""The databases in which dialogues are stored, each test with one of its own.

PostgreSQL is the server that `DOMAIN_ACCESS_TEST_DATABASE` names; a test has a schema of its own there. Without the
variable its tests are skipped, except in CI, where they must run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, make_url, text

VARIABLE = "DOMAIN_ACCESS_TEST_DATABASE"
SERVER = os.environ.get(VARIABLE, "")

without_server = pytest.mark.skipif(not SERVER and not os.environ.get("CI"), reason=f"{VARIABLE} names no PostgreSQL")
DATABASES = ["sqlite", pytest.param("postgresql", marks=without_server)]


@dataclass(frozen=True)
class Database:
    """An empty database, and a way into it beside the store."""

    kind: str
    url: str
    engine: Engine

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        with self.engine.begin() as connection:
            found = connection.execute(text(sql))
            return [tuple(row) for row in found] if found.returns_rows else []

    def count(self, table: str) -> int:
        [[number]] = self.rows(f"SELECT count(*) FROM {table}")
        assert isinstance(number, int)
        return number

    @contextmanager
    def held(self) -> Iterator[Connection]:
        """Nobody else writes as long as this is open."""
        with self.engine.connect() as connection:
            if self.kind == "sqlite":
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            else:
                connection.exec_driver_sql("LOCK TABLE dialogue IN EXCLUSIVE MODE")
            yield connection
            connection.rollback()


@contextmanager
def a_database(kind: str, folder: Path) -> Iterator[Database]:
    """A database that is gone afterwards."""
    if kind == "sqlite":
        url = f"sqlite:///{folder / 'dialogues.db'}"
        engine = create_engine(url, poolclass=NullPool)
        yield Database(kind, url, engine)
        engine.dispose()
        return
    schema = f"test_{uuid4().hex}"
    server = create_engine(_server(), poolclass=NullPool)
    with server.begin() as connection:
        connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
    inside = _server().update_query_dict({"options": f"-csearch_path={schema}"})
    engine = create_engine(inside, poolclass=NullPool)
    yield Database(kind, inside.render_as_string(hide_password=False), engine)
    engine.dispose()
    with server.begin() as connection:
        connection.exec_driver_sql(f"DROP SCHEMA {schema} CASCADE")


def _server() -> URL:
    assert SERVER, f"{VARIABLE} is not set"
    return make_url(SERVER).set(drivername="postgresql+psycopg")
