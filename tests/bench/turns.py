"""Durable turns: read the head, commit, from many threads; beside what the database takes for a row on disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Barrier
from time import perf_counter
from uuid import uuid4

from app.authoring.plans import NOON
from app.dialogue import DialogueKey, Dialogues, Head, Turn
from tests.bench.measure import Contender, Round, Row, Scale, race, ratio, ratio_of_rates
from tests.databases import SERVER, Database, a_database

_THREADS = 16
_BODY = b"x" * 3_000
_WAIT_S = 60.0


def rows(scale: Scale) -> list[Row]:
    """One row a database."""
    return [_in_sqlite(scale), *([_in_postgresql(scale)] if SERVER else [])]


def _in_sqlite(scale: Scale) -> Row:
    with (
        TemporaryDirectory(prefix="bench-") as folder,
        Dialogues.open(f"sqlite:///{Path(folder) / 'dialogues.sqlite'}", wait_s=_WAIT_S) as dialogues,
        _bare(Path(folder) / "bare.sqlite") as bare,
    ):
        return _row("SQLite (WAL, synchronous=FULL)", "sqlite3", dialogues, partial(_insert, bare), scale)


def _in_postgresql(scale: Scale) -> Row:
    with (
        a_database("postgresql", Path()) as database,
        Dialogues.open(database.url, wait_s=_WAIT_S) as dialogues,
    ):
        database.rows("CREATE TABLE kept (body BYTEA)")
        row = _row("PostgreSQL (synchronous_commit=on)", "psycopg", dialogues, partial(_put, database), scale)
        database.rows("DROP TABLE kept")
        return row


def _row(title: str, driver: str, dialogues: Dialogues, bare: Callable[[int], list[float]], scale: Scale) -> Row:
    turns = scale.turns
    figures = race(
        [
            Contender(f"turns, {_THREADS} threads", lambda _: _talk(dialogues, _THREADS, turns)),
            Contender("turns, 1 thread", lambda _: _talk(dialogues, 1, turns)),
            Contender(f"a row each by {driver}, 1 thread", lambda _: together(1, lambda _: bare(turns))),
            Contender(
                f"a row each by {driver}, {_THREADS} threads", lambda _: together(_THREADS, lambda _: bare(turns))
            ),
        ],
        scale.rounds,
    )
    many, alone, bare_alone, bare_many = figures
    return Row(
        f"durable turns on {title}",
        figures,
        (
            ratio("a turn / a row, 1 thread", alone, bare_alone),
            ratio_of_rates(f"one more turn / one more row, {_THREADS} threads", many, bare_many),
        ),
        (
            "target: 2,000 turns/s from 16 callers, p99 20 ms",
            f"a turn: its head read, then a Response and an explanation of {len(_BODY):,} bytes each",
            f"a row: {len(_BODY):,} bytes in a transaction of its own",
            "every thread has a dialogue of its own",
        ),
    )


def together(threads: int, run: Callable[[int], list[float]]) -> Round:
    """The same in many threads at once."""
    start = Barrier(threads + 1)

    def one(number: int) -> list[float]:
        start.wait()
        return run(number)

    with ThreadPoolExecutor(threads) as pool:
        running = [pool.submit(one, number) for number in range(threads)]
        start.wait()
        begun = perf_counter()
        seconds = tuple(chain.from_iterable(each.result() for each in running))
        return Round(seconds, perf_counter() - begun)


def _talk(dialogues: Dialogues, threads: int, turns: int) -> Round:
    return together(threads, lambda _: _dialogue(dialogues, turns))


def _dialogue(dialogues: Dialogues, turns: int) -> list[float]:
    key = DialogueKey("MI1", "UE1", "measured", str(uuid4()))
    seconds: list[float] = []
    for index in range(turns):
        query_id, answer = str(uuid4()), str(uuid4())
        turn = Turn(query_id, "0" * 64, index, _BODY, answer, "core@1", "1", NOON, _BODY)
        begun = perf_counter()
        head = dialogues.head(key, query_id, turn.body_hash, index)
        assert isinstance(head, Head)
        assert dialogues.commit(key, head, turn)
        seconds.append(perf_counter() - begun)
    return seconds


@contextmanager
def _bare(path: Path) -> Iterator[Path]:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE kept (body BLOB)")
    try:
        yield path  # as long as one connection is open, WAL is not written back with every close
    finally:
        connection.close()


def _insert(path: Path, rows: int) -> list[float]:
    connection = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)
    connection.execute("PRAGMA synchronous = FULL")
    seconds: list[float] = []
    for _ in range(rows):
        begun = perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO kept VALUES (?)", (_BODY,))
        connection.execute("COMMIT")
        seconds.append(perf_counter() - begun)
    connection.close()
    return seconds


def _put(database: Database, rows: int) -> list[float]:
    seconds: list[float] = []
    with database.engine.connect() as connection:
        raw = connection.connection.driver_connection
        assert raw is not None
        for _ in range(rows):
            begun = perf_counter()
            raw.execute("INSERT INTO kept VALUES (%s)", (_BODY,))
            raw.commit()
            seconds.append(perf_counter() - begun)
    return seconds
