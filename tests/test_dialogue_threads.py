"""The store of turns under many threads: group commit, races, none lost and none doubled."""

import signal
import threading
import time as clock
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, create_engine, text

from app.dialogue import DialogueKey, Dialogues, Head, Turn, body_hash
from app.dialogue.writer import Outcome, Writer
from app.model import Commitment
from tests.databases import Database

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
KEY = DialogueKey("https://m.example/", "home", "session-1", "dialogue-1")
BODY = body_hash({"a": 1})


@pytest.fixture
def dialogues(database: Database) -> Iterator[Dialogues]:
    with Dialogues.open(database.url) as opened:
        yield opened


def a_turn(query: str, index: int, answer: str = "", retained: tuple[Commitment, ...] = ()) -> Turn:
    response, why = f"response to {query}".encode(), f"why {query}".encode()
    return Turn(query, BODY, index, response, answer or f"answer-{query}", "core@1", "7", NOON, why, retained)


def head_of(dialogues: Dialogues, key: DialogueKey = KEY) -> Head:
    head = dialogues.head(key, "a QueryID nobody used", BODY)
    assert isinstance(head, Head)
    return head


def test_sixteen_threads_lose_and_double_nothing(dialogues: Dialogues, database: Database) -> None:
    """16 threads, 50 turns each, two to a dialogue: every turn once, in one order that the commitments show too."""
    keys = [KEY._replace(dialog_id=f"d{number}") for number in range(8)]

    def talk(thread: int) -> int:
        lost, key = 0, keys[thread % 8]
        for number in range(50):
            query = f"t{thread}-{number}"
            while True:
                head = dialogues.head(key, query, BODY)
                assert isinstance(head, Head)
                index = 0 if head.turn_index is None else head.turn_index + 1
                if dialogues.commit(key, head, a_turn(query, index, retained=(Commitment(query, query),))):
                    break
                lost += 1
        return lost

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(talk, range(16)))
    for number, key in enumerate(keys):
        expected = {f"t{thread}-{turn}" for thread in (number, number + 8) for turn in range(50)}
        head = head_of(dialogues, key)
        named = [c.commitment_id for c in head.commitments]
        assert head.turn_index == 99
        assert len(named) == 100
        assert set(named) == expected
        for thread in (number, number + 8):
            mine = [name for name in named if name.startswith(f"t{thread}-")]
            assert mine == [f"t{thread}-{turn}" for turn in range(50)]
        for query in expected:
            assert dialogues.head(key, query, BODY) == f"response to {query}".encode()
    assert (database.count("turn"), database.count("explanation")) == (800, 800)


def test_of_many_turns_on_one_head_exactly_one_is_written(dialogues: Dialogues) -> None:
    for attempt in range(20):
        head = head_of(dialogues)
        together = threading.Barrier(6)

        def contend(
            number: int, attempt: int = attempt, head: Head = head, start: threading.Barrier = together
        ) -> bool:
            start.wait()
            return dialogues.commit(KEY, head, a_turn(f"q{attempt}-{number}", attempt))

        with ThreadPoolExecutor(6) as pool:
            assert sum(pool.map(contend, range(6))) == 1


def await_waiting(waiting: Sequence[object], number: int) -> None:
    deadline = clock.monotonic() + 10
    while len(waiting) < number:
        assert clock.monotonic() < deadline, "the callers never came to wait"
        clock.sleep(0.001)


class Gate:
    """Writes lists of numbers; the first write waits at the gate, so that the others have to wait for it."""

    def __init__(self) -> None:
        self.opened = threading.Event()
        self.groups: list[list[int]] = []

    def write(self, connection: Connection, group: Sequence[int]) -> list[Outcome]:
        if not self.groups:
            self.groups.append([])
            self.opened.wait()
        connection.execute(text("CREATE TABLE IF NOT EXISTS seen (number INTEGER)"))
        for number in group:
            connection.execute(text("INSERT INTO seen VALUES (:number)"), {"number": number})
            if number < 0:
                raise ZeroDivisionError(number)
        self.groups.append(list(group))
        return [number * 10 for number in group]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = create_engine(f"sqlite:///{tmp_path / 'writer.db'}")
    yield engine
    engine.dispose()


def test_who_waits_is_written_in_one_group_and_fails_alone(engine: Engine) -> None:
    """Nine callers wait for the first; one item of theirs fails, the eight others are each written once."""
    gate = Gate()
    writer = Writer(engine, gate.write)
    with ThreadPoolExecutor(10) as pool:
        first = pool.submit(writer.submit, 100)
        while not gate.groups:
            clock.sleep(0.001)
        rest = {number: pool.submit(writer.submit, number) for number in (1, 2, 3, 4, -5, 6, 7, 8, 9)}
        await_waiting(writer._waiting, 9)
        gate.opened.set()
        assert first.result() == 1000
        with pytest.raises(ZeroDivisionError):
            rest.pop(-5).result()
        assert {number: done.result() for number, done in rest.items()} == {n: n * 10 for n in rest}
    with engine.connect() as connection:
        assert sorted(connection.scalars(text("SELECT number FROM seen"))) == [1, 2, 3, 4, 6, 7, 8, 9, 100]


def test_waiting_callers_share_one_transaction(engine: Engine) -> None:
    gate = Gate()
    writer = Writer(engine, gate.write)
    with ThreadPoolExecutor(6) as pool:
        first = pool.submit(writer.submit, 100)
        while not gate.groups:
            clock.sleep(0.001)
        rest = [pool.submit(writer.submit, number) for number in range(5)]
        await_waiting(writer._waiting, 5)
        gate.opened.set()
        assert [done.result() for done in (first, *rest)] == [1000, 0, 10, 20, 30, 40]
    assert [sorted(group) for group in gate.groups] == [[], [100], [0, 1, 2, 3, 4]]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers on this system")
def test_an_interrupted_waiter_does_not_stop_the_others(engine: Engine) -> None:
    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    gate = Gate()
    writer = Writer(engine, gate.write)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(writer.submit, 1)
            while not gate.groups:
                clock.sleep(0.001)
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with pytest.raises(KeyboardInterrupt):
                writer.submit(2)
            second = pool.submit(writer.submit, 3)
            gate.opened.set()
            assert (first.result(), second.result()) == (10, 30)
            assert writer.submit(4) == 40
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_turn_that_fails_in_a_group_takes_no_other_with_it(database: Database) -> None:
    """The database is held by another connection until eight turns wait, one with a Response QueryID that exists."""
    with Dialogues.open(database.url, wait_s=20) as dialogues, ThreadPoolExecutor(10) as pool:
        assert dialogues.commit(KEY, Head(), a_turn("q", 0, "taken"))
        with database.held():
            tasks = [pool.submit(dialogues.commit, KEY._replace(dialog_id="first"), Head(), a_turn("first", 0))]
            while not dialogues._writer._busy:
                clock.sleep(0.001)
            for number in range(8):
                turn = a_turn(f"q{number}", 0, "taken" if number == 3 else "")
                tasks.append(pool.submit(dialogues.commit, KEY._replace(dialog_id=f"d{number}"), Head(), turn))
            await_waiting(dialogues._writer._waiting, 8)
        assert [task.result() for task in tasks] == [number != 4 for number in range(9)]
        assert head_of(dialogues, KEY._replace(dialog_id="d3")) == Head()
