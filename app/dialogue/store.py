"""Dialogues: heads read, turns committed, explanations served, sessions' Users kept (SEMANTICS 2, 9, 10)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import NamedTuple, Self, TypeAlias, TypeVar

import rfc8785
from sqlalchemy import Connection, Engine, Update, and_, bindparam, delete, func, insert, select, update
from sqlalchemy.exc import DBAPIError, IntegrityError

from app.dialogue import tables
from app.dialogue.active import AS_SHIPPED, Active, read_active, write_active
from app.dialogue.database import connect, in_our_words, reading
from app.dialogue.tables import action_context, commitment, dialogue, digest, explanation, session, turn
from app.dialogue.turns import (
    DialogueKey,
    Head,
    NewTurn,
    Turn,
    dialogue_closed,
    new_turn,
    query_id_reused,
    turn_not_new,
    write_turns,
)
from app.dialogue.writer import Outcome, Writer
from app.errors import Code, Fault, StateError
from app.model import Commitment

Found = TypeVar("Found")
Work: TypeAlias = NewTurn | Callable[[Connection], int]


def body_hash(document: object) -> str:
    """SHA-256 (hex) of the canonical form (RFC 8785) of a JSON value: member order and spacing do not count.

    RFC 8785 has no form for integers beyond 2^53, infinities and half surrogate pairs. A document with one of these
    is hashed over Python's JSON text with sorted members: as deterministic, but there 1 and 1.0 make two documents.
    """
    try:
        canonical = rfc8785.dumps(document)  # type: ignore[arg-type]
    except ValueError:
        canonical = b"not RFC 8785 " + json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
    return hashlib.sha256(canonical).hexdigest()


_HEAD = (
    select(dialogue.c.turn_index, dialogue.c.closed, dialogue.c.committed, turn.c.body_hash, turn.c.response)
    .select_from(dialogue)
    .outerjoin(turn, and_(turn.c.dialogue == dialogue.c.id, turn.c.query == bindparam("query")))
    .where(dialogue.c.id == bindparam("name"))
)
_RETAINED = (
    select(commitment.c.commitment_id, commitment.c.statement, commitment.c.form, commitment.c.since)
    .where(commitment.c.dialogue == bindparam("name"), commitment.c.retained)
    .order_by(commitment.c.turn_index, commitment.c.place)
)
_DIALOGUE = select(dialogue).where(dialogue.c.id == bindparam("name"))
_TURNS = (
    select(
        turn.c.turn_index,
        turn.c.query_id,
        turn.c.response_query_id,
        turn.c.release,
        turn.c.world_version,
        turn.c.time,
    )
    .where(turn.c.dialogue == bindparam("name"))
    .order_by(turn.c.turn_index.desc())
    .limit(bindparam("most"))
)
_COUNT = select(func.count()).select_from(turn).where(turn.c.dialogue == bindparam("name"))
_END = (
    update(dialogue)
    .where(dialogue.c.id == bindparam("name"), dialogue.c.closed.is_(None))
    .values(closed=bindparam("now"))
)
_OLD = (
    select(dialogue.c.id)
    .where(dialogue.c.closed.is_(None), dialogue.c.latest < bindparam("before"))
    .order_by(dialogue.c.latest)
    .limit(bindparam("most"))
)
_EXPLANATION = select(explanation.c.m_instance, explanation.c.body).where(
    explanation.c.response_query_id == bindparam("given")
)
_CONTEXT = select(action_context.c.body).where(action_context.c.id == bindparam("name"))
_SET_CONTEXT = update(action_context).where(action_context.c.id == bindparam("name")).values(body=bindparam("new"))
_RECENT = (
    select(turn.c.response, explanation.c.body)
    .join(explanation, explanation.c.response_query_id == turn.c.response_query_id)
    .where(turn.c.dialogue == bindparam("name"))
    .order_by(turn.c.turn_index.desc())
    .limit(bindparam("most"))
)
_USER = select(session.c.user).where(session.c.id == bindparam("name"))
_SET_USER = (
    update(session)
    .where(session.c.id == bindparam("name"))
    .values(u_environment=bindparam("place"), user=bindparam("who"))
)


class TurnRecord(NamedTuple):
    """A turn without what was said in it."""

    turn_index: int
    query_id: str
    response_query_id: str
    release: str
    world_version: str
    time: datetime


@dataclass(frozen=True, slots=True)
class Record:
    """What a dialogue holds: when it was opened and last used, how many turns, the last of them, the newest first,
    and the commitments retained.
    """

    opened: datetime
    latest: datetime
    count: int
    turns: tuple[TurnRecord, ...]
    commitments: tuple[Commitment, ...]


class Dialogues:
    """The store. One per process and database; every method may be called from any thread.

    Every method may raise StateError `busy` (locked or full: nothing was written, try again) or `internal` (damaged).
    """

    def __init__(self, engine: Engine, place: str) -> None:
        self._engine = engine
        self._reads = reading(engine)
        self._writer: Writer[Work] = Writer(engine, _write)
        self._place = place

    @classmethod
    def open(cls, url: str, *, wait_s: float = 5.0) -> Self:
        """Open or create the store at a database URL (`sqlite:///` and a path, whose folder exists;
        `postgresql://user@host/database`).

        `wait_s` bounds the wait for another process that writes. Errors: StateError `internal` for a database that is
        no store of dialogues, is damaged or out of reach, or was written by a newer release.
        """
        engine, place = connect(url, wait_s)
        try:
            with in_our_words(place, opening=True):
                tables.prepare(engine, place)
        except BaseException:
            engine.dispose()
            raise
        return cls(engine, place)

    def close(self) -> None:
        """Give the connections back; a call still running keeps its own until it ends."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def head(self, key: DialogueKey, query_id: str, body_hash: str, turn_index: int | None = None) -> Head | bytes:
        """What a turn is to be evaluated on, or the Response already given to this very Request.

        With `turn_index` an old one is refused here, before anything is evaluated.
        Errors: StateError `dialogue_closed`, `query_id_reused`, `turn_not_new`, in this order.
        """
        name = digest(*key)

        def read(connection: Connection) -> Head | bytes:
            row = connection.execute(_HEAD, {"name": name, "query": digest(query_id)}).one_or_none()
            if row is None:
                return Head()
            if row.closed is not None:
                raise dialogue_closed(key)
            if row.body_hash is not None:
                if row.body_hash != body_hash:
                    raise query_id_reused(query_id)
                return bytes(row.response)
            if turn_index is not None and turn_index <= row.turn_index:
                raise turn_not_new(turn_index, row.turn_index)
            # Not in one transaction with the read above: commitments change with the head only, `commit` would notice
            retained = connection.execute(_RETAINED, {"name": name}).all() if row.committed else ()
            return Head(row.turn_index, tuple(Commitment(*found) for found in retained), row.committed)

        return self._read(read)

    def commit(self, key: DialogueKey, expected: Head, turn: Turn) -> bool:
        """Store a turn evaluated on `expected`; True once it is on disk.

        False: nothing was written, because the dialogue has moved on, has this QueryID, or the Response's QueryID
        exists; read the head again. Errors: StateError `turn_not_new`, `dialogue_closed`; ValueError for a time
        without a zone and for a retained CommitmentID that has another Statement already.
        """
        new = new_turn(key, expected, turn)
        with in_our_words(self._place):
            try:
                return bool(self._writer.submit(new))
            except IntegrityError:
                return False

    def record(self, key: DialogueKey, most: int = 100) -> Record | None:
        """What a dialogue holds, with at most so many turns; None if there is none. Errors: `dialogue_closed`."""
        given = {"name": digest(*key), "most": most}

        def read(connection: Connection) -> Record | None:
            found = connection.execute(_DIALOGUE, given).one_or_none()
            if found is None:
                return None
            if found.closed is not None:
                raise dialogue_closed(key)
            turns = tuple(TurnRecord(*row) for row in connection.execute(_TURNS, given))
            retained = tuple(Commitment(*row) for row in connection.execute(_RETAINED, given))
            return Record(found.opened, found.latest, connection.scalar(_COUNT, given) or 0, turns, retained)

        return self._read(read)

    def end(self, key: DialogueKey, time: datetime) -> bool:
        """Close a dialogue: its turns, commitments and explanations go, what remains is that it was there.

        False if there is no such dialogue, or it was closed before.
        """
        name = digest(*key)
        with in_our_words(self._place):
            return bool(self._writer.submit(lambda connection: _end(connection, name, time)))

    def expire(self, before: datetime, time: datetime, most: int = 100) -> int:
        """Close the dialogues whose last turn is older than `before`, the oldest first; how many were closed.

        At most `most` at once, so that turns do not wait for long: call again while it closes any.
        """

        old = self._read(lambda connection: connection.scalars(_OLD, {"before": before, "most": most}).all())
        if not old:
            return 0
        with in_our_words(self._place):
            aged = _END.where(dialogue.c.latest < before)  # one that has gone on since is not old any more
            return self._writer.submit(
                lambda connection: sum(_end(connection, name, time, aged) for name in sorted(old))
            )

    def explanation(self, response_query_id: str, visible: Callable[[str], bool]) -> bytes:
        """The explanation stored under a Response's QueryID, if its M-Instance is `visible` to the caller.

        Errors: StateError `unknown_answer`, the same whether there is none or it is not visible.
        """
        row = self._read(lambda c: c.execute(_EXPLANATION, {"given": response_query_id}).one_or_none())
        if row is None or not visible(row.m_instance):
            raise StateError(
                Fault(Code.UNKNOWN_ANSWER, f"no Response has the QueryID `{response_query_id}`", clause="SEMANTICS 5")
            )
        return bytes(row.body)

    def recent(self, key: DialogueKey, most: int) -> tuple[tuple[bytes, bytes], ...]:
        """The Responses of the last turns, each with its explanation, the newest first; none of a closed dialogue."""
        given = {"name": digest(*key), "most": most}
        found = self._read(lambda connection: connection.execute(_RECENT, given).all())
        return tuple((bytes(row.response), bytes(row.body)) for row in found)

    def user_of(self, m_instance: str, session_id: str) -> str | None:
        """The User set for a session (SEMANTICS 2), None if none was."""
        return self._read(lambda connection: connection.scalar(_USER, {"name": digest(m_instance, session_id)}))

    def set_user(self, m_instance: str, session_id: str, u_environment: str, user: str) -> None:
        """Set the User of a session; the last one set holds."""
        name = digest(m_instance, session_id)

        def write(connection: Connection) -> int:
            changed = connection.execute(_SET_USER, {"name": name, "place": u_environment, "who": user}).rowcount
            if not changed:
                row = {"m_instance": m_instance, "session_id": session_id, "u_environment": u_environment}
                connection.execute(insert(session), {"id": name, **row, "user": user})
            return 1

        with in_our_words(self._place):
            try:
                self._writer.submit(write)
            except IntegrityError:  # another process set one between our update and insert: now there is a row
                self._writer.submit(write)

    def context_of(self, m_instance: str, session_id: str) -> bytes | None:
        """The ActionContext set for a session (SEMANTICS 7), as it was stored; None if none was."""
        return self._read(lambda connection: connection.scalar(_CONTEXT, {"name": digest(m_instance, session_id)}))

    def set_context(self, m_instance: str, session_id: str, body: bytes) -> None:
        """Set what a session keeps to; the last one set holds."""
        name = digest(m_instance, session_id)

        def write(connection: Connection) -> int:
            if not connection.execute(_SET_CONTEXT, {"name": name, "new": body}).rowcount:
                row = {"m_instance": m_instance, "session_id": session_id}
                connection.execute(insert(action_context), {"id": name, **row, "body": body})
            return 1

        with in_our_words(self._place):
            try:
                self._writer.submit(write)
            except IntegrityError:  # as for Users
                self._writer.submit(write)

    def active(self, generation: int | None = None) -> Active:
        """The releases that are active, or were in an earlier generation. Where none ever was: as shipped."""
        return self._read(lambda connection: read_active(connection, generation)) or AS_SHIPPED

    def activate(self, after: int, new: Active) -> bool:
        """Make a set of releases the active one, `after` being the generation it is to follow; True once that is on
        disk. False: another came first, and nothing was written.
        """
        with in_our_words(self._place):
            try:
                return bool(self._writer.submit(lambda connection: write_active(connection, after, new)))
            except IntegrityError:  # another process wrote this generation at the same moment
                return False

    def _read(self, ask: Callable[[Connection], Found]) -> Found:
        """What is read over one connection; once more over a new one, where the server had ended the first."""
        with in_our_words(self._place):
            try:
                with self._reads.connect() as connection:
                    return ask(connection)
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
            with self._reads.connect() as connection:
                return ask(connection)


def _write(connection: Connection, group: Sequence[Work]) -> list[Outcome]:
    """Turns together, then the other work; the outcomes in the order of the group."""
    turns = iter(write_turns(connection, [work for work in group if isinstance(work, NewTurn)]))
    return [next(turns) if isinstance(work, NewTurn) else work(connection) for work in group]


def _end(connection: Connection, name: str, time: datetime, close: Update = _END) -> int:
    if connection.execute(close, {"name": name, "now": time}).rowcount == 0:
        return 0
    answers = select(turn.c.response_query_id).where(turn.c.dialogue == name)
    connection.execute(delete(explanation).where(explanation.c.response_query_id.in_(answers)))
    connection.execute(delete(turn).where(turn.c.dialogue == name))
    connection.execute(delete(commitment).where(commitment.c.dialogue == name))
    return 1
