"""What a turn is, and how a group of turns is written.

Three steps: read the heads of all (locked, where the database locks rows), decide about each in plain Python, write
those that stand with one statement per table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, insert, select, update

from app.dialogue.tables import commitment, dialogue, digest, explanation, turn
from app.dialogue.writer import Outcome
from app.errors import Code, Fault, StateError
from app.model import Commitment

CLAUSE = "SEMANTICS 10"


class DialogueKey(NamedTuple):
    """What a dialogue is known by; with any member different it is another dialogue."""

    m_instance: str
    u_environment: str
    session_id: str
    dialog_id: str


@dataclass(frozen=True, slots=True)
class Head:
    """What a turn is evaluated on: the last TurnIndex, None before the first turn, and the commitments retained.

    `committed`: a turn has retained a commitment once, whether or not one is left (SEMANTICS 9).
    """

    turn_index: int | None = None
    commitments: tuple[Commitment, ...] = ()
    committed: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """A Request that was answered. `response` and `explanation` are kept byte for byte; `time` has a zone.

    `released` (CommitmentIDs) go before `retained` are added; what is retained already need not be named again.
    `since` is set for CommitmentIDs retained before (model.Commitment).
    """

    query_id: str
    body_hash: str
    turn_index: int
    response: bytes
    response_query_id: str
    release: str
    world_version: str
    time: datetime
    explanation: bytes
    retained: tuple[Commitment, ...] = ()
    released: tuple[str, ...] = ()
    since: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A turn to write. `name` is the dialogue's digest; `fresh` are its commitments that are not retained yet."""

    key: DialogueKey
    name: str
    expected: Head
    turn: Turn
    fresh: tuple[Commitment, ...]


def new_turn(key: DialogueKey, expected: Head, turn: Turn) -> NewTurn:
    """A turn that may be written if `expected` is still the head.

    Errors: StateError `turn_not_new`; ValueError for a time without a zone and for a retained CommitmentID that has
    another Statement already: it is conflicting, and not the store's to settle (SEMANTICS 9).
    """
    if expected.turn_index is not None and turn.turn_index <= expected.turn_index:
        raise turn_not_new(turn.turn_index, expected.turn_index)
    if turn.time.tzinfo is None:
        raise ValueError(f"a time without a zone: {turn.time}")
    kept = {c.commitment_id: c.statement for c in expected.commitments if c.commitment_id not in turn.released}
    fresh: list[Commitment] = []
    for new in turn.retained:
        if new.commitment_id not in kept:
            kept[new.commitment_id] = new.statement
            fresh.append(new)
        elif kept[new.commitment_id] != new.statement:
            raise ValueError(f"`{new.commitment_id}` is retained with another Statement")
    return NewTurn(key, digest(*key), expected, turn, tuple(fresh))


HEADS = (
    select(dialogue.c.id, dialogue.c.turn_index, dialogue.c.closed)
    .where(dialogue.c.id.in_(bindparam("names", expanding=True)))
    .order_by(dialogue.c.id)  # one order for all processes, or they would wait for each other in a circle
    .with_for_update()
)
_MOVE = (
    update(dialogue)
    .where(dialogue.c.id == bindparam("name"))
    .values(turn_index=bindparam("next"), latest=bindparam("now"))
)
_COMMITTED = update(dialogue).where(dialogue.c.id == bindparam("name")).values(committed=True)
_RELEASE = (
    update(commitment)
    .where(commitment.c.dialogue == bindparam("name"), commitment.c.retained)
    .where(commitment.c.commitment_id == bindparam("given"))
    .values(retained=False)
)


_SINCE = (
    update(commitment)
    .where(commitment.c.dialogue == bindparam("name"), commitment.c.retained)
    .where(commitment.c.commitment_id == bindparam("given"))
    .values(since=bindparam("version"))
)


def write_turns(connection: Connection, group: Sequence[NewTurn]) -> list[Outcome]:
    """Write the turns whose head is still the expected one; per turn 1 (written), 0 (lost the race) or an error.

    IntegrityError undoes the group: a QueryID exists already, or another process began the dialogue.
    """
    if not group:
        return []
    found = connection.execute(HEADS, {"names": sorted({new.name for new in group})})
    heads = {row.id: (row.turn_index, row.closed is not None) for row in found}
    outcomes, standing = _decide(group, heads)
    _write(connection, standing)
    return outcomes


def _decide(group: Sequence[NewTurn], heads: Mapping[str, tuple[int, bool]]) -> tuple[list[Outcome], list[NewTurn]]:
    """The outcome of each turn, and those to write: of several on one head the first wins."""
    last = {name: turn_index for name, (turn_index, _) in heads.items()}
    outcomes: list[Outcome] = []
    standing: list[NewTurn] = []
    for new in group:
        if new.name in heads and heads[new.name][1]:
            outcomes.append(dialogue_closed(new.key))
        elif last.get(new.name) != new.expected.turn_index:
            outcomes.append(0)
        else:
            last[new.name] = new.turn.turn_index
            standing.append(new)
            outcomes.append(1)
    return outcomes, standing


def _write(connection: Connection, standing: Sequence[NewTurn]) -> None:
    """One statement per table. Dialogues begin before they move on: a group may hold both for one."""
    in_order = sorted(standing, key=lambda new: new.name)  # as HEADS: no two processes wait in a circle
    begun = [_dialogue_row(new) for new in in_order if new.expected.turn_index is None]
    moved = [
        {"name": new.name, "next": new.turn.turn_index, "now": new.turn.time}
        for new in standing
        if new.expected.turn_index is not None
    ]
    released = [{"name": new.name, "given": given} for new in standing for given in new.turn.released]
    changed = [
        {"name": new.name, "given": given, "version": version}
        for new in standing
        for given, version in new.turn.since
    ]
    first = [{"name": new.name} for new in standing if new.fresh and not new.expected.committed]
    for statement, rows in (
        (insert(dialogue), begun),
        (_MOVE, moved),
        (insert(turn), [_turn_row(new) for new in standing]),
        (insert(explanation), [_explanation_row(new) for new in standing]),
        (_RELEASE, released),
        (_SINCE, changed),
        (insert(commitment), [row for new in standing for row in _commitment_rows(new)]),
        (_COMMITTED, first),
    ):
        if rows:
            connection.execute(statement, rows)


def _dialogue_row(new: NewTurn) -> dict[str, object]:
    return {
        "id": new.name,
        **new.key._asdict(),
        "turn_index": new.turn.turn_index,
        "committed": False,
        "opened": new.turn.time,
        "latest": new.turn.time,
    }


def _turn_row(new: NewTurn) -> dict[str, object]:
    return {
        "dialogue": new.name,
        "query": digest(new.turn.query_id),
        "query_id": new.turn.query_id,
        "body_hash": new.turn.body_hash,
        "turn_index": new.turn.turn_index,
        "response": new.turn.response,
        "response_query_id": new.turn.response_query_id,
        "release": new.turn.release,
        "world_version": new.turn.world_version,
        "time": new.turn.time,
    }


def _explanation_row(new: NewTurn) -> dict[str, object]:
    return {
        "response_query_id": new.turn.response_query_id,
        "m_instance": new.key.m_instance,
        "body": new.turn.explanation,
    }


def _commitment_rows(new: NewTurn) -> Iterable[dict[str, object]]:
    for place, retained in enumerate(new.fresh):
        yield {
            "dialogue": new.name,
            "turn_index": new.turn.turn_index,
            "place": place,
            "commitment_id": retained.commitment_id,
            "statement": retained.statement,
            "form": retained.form,
            "retained": True,
            "since": retained.since,
        }


def turn_not_new(given: int, last: int) -> StateError:
    """An old TurnIndex."""
    return StateError(
        Fault(
            Code.TURN_NOT_NEW,
            f"the TurnIndex `{given}` does not exceed the last one, {last}",
            where="/TurnIndex",
            clause=CLAUSE,
            hint=f"the next is {last + 1}",
        )
    )


def query_id_reused(query_id: str) -> StateError:
    """A QueryID that came before with another body."""
    return StateError(
        Fault(
            Code.QUERY_ID_REUSED,
            f"the QueryID `{query_id}` was used in this dialogue for another Request",
            where="/QueryID",
            clause=CLAUSE,
            hint="give a new Request a QueryID of its own; an old one, repeated unchanged, gets its Response again",
        )
    )


def dialogue_closed(key: DialogueKey) -> StateError:
    """A dialogue that has ended."""
    return StateError(
        Fault(
            Code.DIALOGUE_CLOSED,
            f"the dialogue `{key.dialog_id}` was closed or has expired",
            where="/DialogID",
            clause=CLAUSE,
            hint="begin another with a new DialogID",
        )
    )
