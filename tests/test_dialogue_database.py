"""The store of turns and its database: schema, versions, locks, damage, and a process killed at any moment."""

import hashlib
import random
import signal
import sqlite3
import subprocess
import sys
import time as clock
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, event, inspect, make_url, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from app.dialogue import AS_SHIPPED, Active, DialogueKey, Dialogues, Head, Turn, body_hash, store, tables, turns
from app.errors import Code, StateError
from app.model import Commitment
from tests.databases import Database, a_database, without_server

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
KEY = DialogueKey("https://m.example/", "home", "session-1", "dialogue-1")
BODY = body_hash({"a": 1})


def url_of(folder: Path) -> str:
    return f"sqlite:///{folder / 'dialogues.db'}"


def a_turn(query: str, index: int, answer: str = "", retained: tuple[Commitment, ...] = ()) -> Turn:
    response, why = f"response to {query}".encode(), f"why {query}".encode()
    return Turn(query, BODY, index, response, answer or f"answer-{query}", "core@1", "7", NOON, why, retained)


def head_of(dialogues: Dialogues, key: DialogueKey = KEY) -> Head:
    head = dialogues.head(key, "a QueryID nobody used", BODY)
    assert isinstance(head, Head)
    return head


def say(dialogues: Dialogues, turn: Turn, key: DialogueKey = KEY) -> None:
    assert dialogues.commit(key, head_of(dialogues, key), turn)


def code_of(error: pytest.ExceptionInfo[StateError]) -> Code:
    return error.value.faults[0].code


def test_what_was_committed_is_there_after_reopening(database: Database) -> None:
    with Dialogues.open(database.url) as dialogues:
        say(dialogues, a_turn("q0", 0, retained=(Commitment("c", "s"),)))
        dialogues.set_user("m", "s", "home", "Alice")
    with Dialogues.open(database.url) as dialogues:
        assert dialogues.head(KEY, "q0", BODY) == b"response to q0"
        assert head_of(dialogues) == Head(0, (Commitment("c", "s"),), committed=True)
        assert dialogues.explanation("answer-q0", lambda _: True) == b"why q0"
        assert dialogues.user_of("m", "s") == "Alice"


DURABLE: dict[str, dict[str, object]] = {
    "sqlite": {"PRAGMA journal_mode": "wal", "PRAGMA synchronous": 2, "PRAGMA foreign_keys": 1},
    "postgresql": {
        "SHOW synchronous_commit": "on",
        "SHOW fsync": "on",
        "SHOW transaction_isolation": "read committed",
        "SHOW idle_in_transaction_session_timeout": "10s",
        "SHOW lock_timeout": "5s",
    },
}


def test_every_live_connection_is_durable(database: Database) -> None:
    """Of all that a store holds at once, those it reads with and those it writes with."""
    with Dialogues.open(database.url) as dialogues, ExitStack() as held:
        live = [held.enter_context(dialogues._engine.connect()) for _ in range(8)]
        live += [held.enter_context(dialogues._reads.connect()) for _ in range(8)]
        for connection in live:
            wanted = DURABLE[database.kind]
            assert {said: connection.scalar(text(said)) for said in wanted} == wanted


@pytest.mark.parametrize("weaker", ["off", "local"])
@without_server
def test_a_server_set_to_answer_before_the_disk_is_overruled(tmp_path: Path, weaker: str) -> None:
    with a_database("postgresql", tmp_path) as database:
        url = make_url(database.url)
        lax = url.update_query_dict({"options": f"{url.query['options']} -csynchronous_commit={weaker}"})
        with (
            Dialogues.open(lax.render_as_string(hide_password=False)) as dialogues,
            dialogues._engine.connect() as connection,
        ):
            assert connection.scalar(text("SHOW synchronous_commit")) == "on"


def test_the_tables_change_only_with_their_version() -> None:
    """A new hash here goes with a new SCHEMA_VERSION, and a way to read the old one."""
    dialect = sqlite.dialect()
    ddl = [str(CreateTable(table).compile(dialect=dialect)) for table in tables.metadata.sorted_tables]
    ddl += [
        str(CreateIndex(index).compile(dialect=dialect))
        for table in tables.metadata.sorted_tables
        for index in sorted(table.indexes, key=lambda index: str(index.name))
    ]
    assert {tables.SCHEMA_VERSION: hashlib.sha256("".join(ddl).encode()).hexdigest()[:16]} == {3: "3cccf7157f201b47"}


def test_the_sql_is_portable() -> None:
    """Everything compiles for PostgreSQL, and there the heads of a group are locked."""
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    ddl = {table.name: str(CreateTable(table).compile(dialect=dialect)) for table in tables.metadata.sorted_tables}
    assert {name for name, statement in ddl.items() if "BYTEA" in statement} == {
        "turn",
        "explanation",
        "action_context",
    }
    statements = [
        store._HEAD,
        store._RETAINED,
        store._END,
        store._OLD,
        store._EXPLANATION,
        store._USER,
        store._SET_USER,
        store._CONTEXT,
        store._SET_CONTEXT,
    ]
    for statement in (*statements, turns._MOVE, turns._COMMITTED, turns._RELEASE):
        assert str(statement.compile(dialect=dialect))
    assert "FOR UPDATE" in str(turns.HEADS.compile(dialect=dialect))
    assert "FOR UPDATE" not in str(turns.HEADS.compile(dialect=sqlite.dialect()))


@pytest.mark.parametrize(
    "damage, message",
    [
        ("UPDATE meta SET version = 4", "schema version 4, this release reads 3"),
        ("UPDATE meta SET version = 0", "schema version 0, this release reads 3"),
        ("DELETE FROM meta", "not one of dialogues"),
        ("DROP TABLE commitment", "not one of dialogues"),
        ("ALTER TABLE meta RENAME COLUMN version TO edition", "not one of dialogues"),
    ],
)
def test_a_store_of_another_version_or_kind_is_refused(database: Database, damage: str, message: str) -> None:
    Dialogues.open(database.url).close()
    database.rows(damage)
    with pytest.raises(StateError, match=message) as error:
        Dialogues.open(database.url)
    assert code_of(error) is Code.STORE_UNUSABLE
    assert error.value.faults[0].where.startswith(database.kind)


@pytest.mark.parametrize("version", [1, 2])
def test_a_store_of_an_older_version_is_brought_to_this_one(database: Database, version: int) -> None:
    with Dialogues.open(database.url) as dialogues:
        say(dialogues, a_turn("q0", 0, retained=(Commitment("c", "s", "english"),)))
    database.rows("DROP TABLE active_release")
    if version == 1:
        database.rows("ALTER TABLE commitment DROP COLUMN since")
        database.rows("DROP TABLE action_context")
    database.rows(f"UPDATE meta SET version = {version}")
    for _ in range(2):
        with Dialogues.open(database.url) as dialogues:
            assert head_of(dialogues) == Head(0, (Commitment("c", "s", "english"),), committed=True)
            assert dialogues.active() == AS_SHIPPED
    assert database.rows("SELECT version FROM meta") == [(3,)]


def test_a_set_of_releases_follows_the_one_it_was_made_for(database: Database) -> None:
    first = Active(1, {"museum_tour": "0.2.0"}, NOON, "op\0\ud800", "activate")
    with Dialogues.open(database.url) as dialogues, Dialogues.open(database.url) as other:
        assert (dialogues.active(), dialogues.active(0)) == (AS_SHIPPED, AS_SHIPPED)
        assert dialogues.activate(0, first)
        assert other.active() == first
        assert not other.activate(0, first)
        assert not other.activate(7, first)
        with ThreadPoolExecutor(8) as pool:
            second = Active(2, {}, NOON, "op", "rollback")
            won = list(pool.map(lambda n: (dialogues, other)[n % 2].activate(1, second), range(8)))
        assert sum(won) == 1
        assert (other.active(), dialogues.active(1), database.count("active_release")) == (second, first, 2)


def test_a_foreign_database_is_refused_and_left_alone(database: Database) -> None:
    database.rows("CREATE TABLE invoice (number INTEGER)")
    with pytest.raises(StateError, match="a database, but not one of dialogues"):
        Dialogues.open(database.url)
    assert inspect(database.engine).get_table_names() == ["invoice"]


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dialogues.db").write_bytes(b"this is a letter, not a database " * 200)
    with pytest.raises(StateError, match="cannot be used: file is not a database") as error:
        Dialogues.open(url_of(tmp_path))
    assert code_of(error) is Code.STORE_UNUSABLE


def test_damage_found_while_serving_is_said_clearly(tmp_path: Path) -> None:
    with Dialogues.open(url_of(tmp_path)) as dialogues:
        for number in range(50):
            say(dialogues, a_turn(f"q{number}", number))
    path = tmp_path / "dialogues.db"
    whole = path.read_bytes()
    size = 4096
    path.write_bytes(whole[: 2 * size] + b"\xff" * (len(whole) - 2 * size))
    with (
        pytest.raises(StateError, match=r"cannot be used: .*malformed") as error,
        Dialogues.open(url_of(tmp_path)) as d,
    ):
        d.head(KEY, "q1", BODY)
    assert code_of(error) is Code.STORE_UNUSABLE


@pytest.mark.parametrize(
    "url, message",
    [
        ("sqlite://", "need a file"),
        ("sqlite:///:memory:", "need a file"),
        ("sqlite:///file:x?mode=memory&uri=true", "no durable commits"),
        ("dialogues.db", "no database URL"),
        ("postgresql://host:port/db", "no database URL"),
        ("nonesuch://user:secret@host/db", "no driver"),
        ("mysql+pymysql://user:secret@host/db", "so it has no driver"),
        ("postgresql://user:secret@127.0.0.1:1/db", "onnection refused"),
        ("postgresql://127.0.0.1:1/db?password=secret", "onnection refused"),
        ("sqlite:////nonesuch/folder/dialogues.db", "unable to open"),
    ],
)
def test_a_place_that_cannot_be_opened_is_refused(url: str, message: str) -> None:
    with pytest.raises(StateError, match=message) as error:
        Dialogues.open(url)
    assert "secret" not in str(error.value)
    assert code_of(error) is Code.STORE_UNUSABLE


def test_a_lock_held_too_long_is_busy_and_passes(tmp_path: Path) -> None:
    with Dialogues.open(url_of(tmp_path), wait_s=0.05) as dialogues:
        raw = sqlite3.connect(tmp_path / "dialogues.db", isolation_level=None)
        raw.execute("BEGIN IMMEDIATE")
        with pytest.raises(StateError, match="database is locked") as error:
            dialogues.commit(KEY, Head(), a_turn("q0", 0))
        assert (code_of(error), error.value.retry_after_s) == (Code.BUSY, 1)
        assert dialogues.head(KEY, "q0", BODY) == Head()  # reading goes on
        raw.execute("COMMIT")
        raw.close()
        assert dialogues.commit(KEY, Head(), a_turn("q0", 0))


@without_server
def test_a_dialogue_held_too_long_is_busy_while_others_go_on(tmp_path: Path) -> None:
    """In PostgreSQL a lock is one of a dialogue; it ends with the transaction of a process that stands still."""
    other = KEY._replace(dialog_id="other")
    with a_database("postgresql", tmp_path) as database, Dialogues.open(database.url, wait_s=0.3) as dialogues:
        say(dialogues, a_turn("q0", 0))
        with database.engine.connect() as holder:
            holder.exec_driver_sql("SELECT * FROM dialogue FOR UPDATE")
            with ThreadPoolExecutor(2) as pool:
                stuck = pool.submit(dialogues.commit, KEY, Head(0), a_turn("q1", 1))
                assert pool.submit(dialogues.commit, other, Head(), a_turn("q0", 0, "other")).result()
                with pytest.raises(StateError, match="lock timeout") as error:
                    stuck.result()
            assert (code_of(error), error.value.retry_after_s) == (Code.BUSY, 1)
            assert head_of(dialogues).turn_index == 0  # reading goes on
        assert dialogues.commit(KEY, Head(0), a_turn("q1", 1))


@without_server
def test_transactions_that_wait_in_a_circle_are_tried_again(tmp_path: Path) -> None:
    """PostgreSQL undoes one of two that wait for each other; what was undone so is written after all."""
    first, second = sorted((KEY, KEY._replace(dialog_id="other")), key=lambda key: tables.digest(*key))
    with a_database("postgresql", tmp_path) as database, Dialogues.open(database.url, wait_s=20) as dialogues:
        for key in (first, second):
            say(dialogues, a_turn("q0", 0, f"{key.dialog_id}-0"), key)
        names = [tables.digest(*key) for key in (first, second)]
        lock = text("SELECT 1 FROM dialogue WHERE id = :name FOR UPDATE")

        def both(connection: Connection) -> int:
            for name in names:
                connection.execute(lock, {"name": name})
            return 1

        with database.engine.connect() as rival, ThreadPoolExecutor(1) as pool:
            rival.exec_driver_sql("SET deadlock_timeout = '1h'")  # only the other side looks for circles
            rival.execute(lock, {"name": names[1]})
            waiting = pool.submit(dialogues._writer.submit, both)
            while not database.rows("SELECT 1 FROM pg_locks WHERE NOT granted"):
                clock.sleep(0.005)
            rival.execute(lock, {"name": names[0]})
            rival.rollback()
            assert waiting.result() == 1


@without_server
def test_a_server_that_ended_the_connections_is_found_again(tmp_path: Path) -> None:
    with a_database("postgresql", tmp_path) as database, Dialogues.open(database.url) as dialogues:
        say(dialogues, a_turn("q0", 0))
        with ExitStack() as held:  # connections of this store alone: other tests use the server, too
            pool = [held.enter_context(dialogues._engine.connect()) for _ in range(3)]
            served = [connection.scalar(text("SELECT pg_backend_pid()")) for connection in pool]
        for each in served:
            database.rows(f"SELECT pg_terminate_backend({each}, 5000)")
        dialogues._writer.submit(lambda _: 1)
        for each in [row[0] for row in database.rows("SELECT pid FROM pg_stat_activity")]:
            assert each not in served
        say(dialogues, a_turn("q1", 1))
        assert head_of(dialogues).turn_index == 1


def test_a_full_disk_is_busy_and_leaves_no_half_turn(tmp_path: Path) -> None:
    """SQLite is given a limit of pages: a turn beyond it fails whole, a small one before and after is stored."""

    def limit(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA max_page_count = 40")

    event.listen(Engine, "connect", limit)
    try:
        with Dialogues.open(url_of(tmp_path)) as dialogues:
            say(dialogues, a_turn("q0", 0))
            large = Turn("q1", BODY, 1, b"x" * 400_000, "r1", "core@1", "7", NOON, b"why")
            with pytest.raises(StateError, match="full") as error:
                dialogues.commit(KEY, head_of(dialogues), large)
            assert (code_of(error), error.value.retry_after_s) == (Code.BUSY, 1)
            assert head_of(dialogues).turn_index == 0
            say(dialogues, a_turn("q2", 1))
    finally:
        event.remove(Engine, "connect", limit)


# --- other processes

ROOT = Path(__file__).parents[1]

OPENER = """
import sys
from app.dialogue import Dialogues
sys.stdin.readline()
with Dialogues.open(sys.argv[1]) as dialogues:
    dialogues.set_user("m", sys.argv[2], "home", "Alice")
"""

COMMITTER = """
import sys, threading
from datetime import UTC, datetime
from app.dialogue import AS_SHIPPED, Active, DialogueKey, Dialogues, Head, Turn
from app.model import Commitment

dialogues = Dialogues.open(sys.argv[1])
printing = threading.Lock()

def talk(thread):
    key, head = DialogueKey("m", "u", "s", thread), Head()
    for index in range(100_000):
        query = f"{thread}-{index}"
        body = query.encode() * 500
        turn = Turn(query, "h", index, body, "r" + query, "core@1", "7", datetime.now(UTC), body[::-1],
                    (Commitment(query, query),), (f"{thread}-{index - 1}",))
        assert dialogues.commit(key, head, turn)
        with printing:
            sys.stdout.write(query + "\\n")
            sys.stdout.flush()
        head = Head(index, (Commitment(query, query),), True)

for name in "abcd":
    threading.Thread(target=talk, args=(name,), daemon=True).start()
threading.Event().wait()
"""


def start(script: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_processes_that_start_together_share_a_new_store(database: Database) -> None:
    children = [start(OPENER, database.url, str(number)) for number in range(4)]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    for child in children:
        child.communicate(timeout=60)
    assert [child.returncode for child in children] == [0] * 4
    with Dialogues.open(database.url) as dialogues:
        assert [dialogues.user_of("m", str(number)) for number in range(4)] == ["Alice"] * 4


@pytest.mark.parametrize("seed", range(10))
def test_a_turn_that_was_reported_survives_a_kill(database: Database, seed: int) -> None:
    """Four threads commit and report; killed at a seeded moment, every turn reported is there, whole, explained."""
    moment = random.Random(seed)
    with start(COMMITTER, database.url) as child:
        assert child.stdout is not None
        reported = [child.stdout.readline() for _ in range(moment.randint(1, 120))]
        clock.sleep(moment.random() * 0.01)
        child.kill()
        reported += child.stdout.readlines()
    assert child.returncode == -signal.SIGKILL
    whole = [line.strip() for line in reported if line.endswith("\n")]
    assert whole
    last: dict[str, int] = {}
    with Dialogues.open(database.url) as dialogues:
        for query in whole:
            thread, _, number = query.partition("-")
            last[thread] = max(int(number), last.get(thread, 0))
            body = query.encode() * 500
            assert dialogues.head(DialogueKey("m", "u", "s", thread), query, "h") == body
            assert dialogues.explanation("r" + query, lambda m_instance: m_instance == "m") == body[::-1]
        for thread, index in last.items():
            key = DialogueKey("m", "u", "s", thread)
            head = head_of(dialogues, key)
            assert head.turn_index in (index, index + 1)  # one more may be on disk and not yet reported
            query = f"{thread}-{head.turn_index}"
            assert head.commitments == (Commitment(query, query),)
            assert dialogues.head(key, query, "h") == query.encode() * 500
            say(dialogues, a_turn(f"after-{thread}", 200_000), key)
    assert database.count("turn") == database.count("explanation")
    if database.kind == "sqlite":
        assert database.rows("PRAGMA integrity_check") == [("ok",)]
