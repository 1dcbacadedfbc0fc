"""Laws of the store of turns: it is a dictionary that lasts, and a body is its content."""

import json
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from app.dialogue import DialogueKey, Dialogues, Head, Turn, body_hash
from app.dialogue.tables import digest
from app.errors import Code, StateError
from app.model import Commitment
from tests.databases import a_database, without_server

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
KEYS = [DialogueKey("m", "u", "s", "d"), DialogueKey("m", "u", "s", "d2"), DialogueKey("m2", "u", "s", "d")]


@dataclass
class Told:
    """What one dialogue should hold."""

    index: int | None = None
    answers: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    commitments: dict[str, Commitment] = field(default_factory=dict)
    committed: bool = False
    closed: bool = False

    @property
    def head(self) -> Head:
        return Head(self.index, tuple(self.commitments.values()), self.committed)


class StoreOfTurns(RuleBasedStateMachine):
    """Any sequence of turns, replays, closings and reopenings agrees with plain dictionaries."""

    kind = "sqlite"

    def __init__(self) -> None:
        super().__init__()
        self.held = ExitStack()
        folder = self.held.enter_context(tempfile.TemporaryDirectory())
        self.url = self.held.enter_context(a_database(self.kind, Path(folder))).url
        self.store = Dialogues.open(self.url)
        self.told = {key: Told() for key in KEYS}
        self.count = 0

    def teardown(self) -> None:
        self.store.close()
        self.held.close()

    def expect(self, key: DialogueKey, query: str, body: str, index: int) -> Head | bytes | Code:
        told = self.told[key]
        if told.closed:
            return Code.DIALOGUE_CLOSED
        if query in told.answers:
            known, response = told.answers[query]
            return response if known == body else Code.QUERY_ID_REUSED
        if told.index is not None and index <= told.index:
            return Code.TURN_NOT_NEW
        return told.head

    @rule(
        key=st.sampled_from(KEYS),
        query=st.sampled_from("pqrst"),
        body=st.sampled_from("ab"),
        index=st.integers(0, 12),
        response=st.binary(max_size=50),
        retained=st.dictionaries(st.sampled_from("xyz"), st.text(max_size=3), max_size=2),
        released=st.sets(st.sampled_from("xyz")),
        stale=st.booleans(),
    )
    def turn(
        self,
        key: DialogueKey,
        query: str,
        body: str,
        index: int,
        response: bytes,
        retained: Mapping[str, str],
        released: set[str],
        stale: bool,
    ) -> None:
        expected = self.expect(key, query, body, index)
        try:
            found: Head | bytes | Code = self.store.head(key, query, body, index)
        except StateError as error:
            found = error.faults[0].code
        assert found == expected
        if not isinstance(found, Head):
            return
        told = self.told[key]
        kept = {name: c for name, c in told.commitments.items() if name not in released}
        fresh = {name: Commitment(name, statement) for name, statement in retained.items() if name not in kept}
        self.count += 1
        answer = str(self.count)
        new = Turn(
            query, body, index, response, answer, "1", "1", NOON, response, tuple(fresh.values()), tuple(released)
        )
        if stale:
            wrong = Head(-1) if found.turn_index is None else Head()
            assert not self.store.commit(key, wrong, new)
            return
        assert self.store.commit(key, found, new)
        assert self.store.explanation(answer, lambda m_instance: m_instance == key.m_instance) == response
        told.index = index
        told.answers[query] = (body, response)
        told.commitments = kept | fresh
        told.committed |= bool(fresh)

    @rule(key=st.sampled_from(KEYS))
    def end(self, key: DialogueKey) -> None:
        told = self.told[key]
        assert self.store.end(key, NOON) == (told.index is not None and not told.closed)
        told.closed = told.index is not None

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = Dialogues.open(self.url)

    @invariant()
    def no_dialogue_sees_another(self) -> None:
        for key, told in self.told.items():
            if not told.closed:
                assert self.store.head(key, "unused", "a") == told.head


class StoreOfTurnsInPostgreSQL(StoreOfTurns):
    """The same there."""

    kind = "postgresql"


STEPS = settings(max_examples=20, stateful_step_count=25, deadline=None)
StoreOfTurns.TestCase.settings = StoreOfTurnsInPostgreSQL.TestCase.settings = STEPS
TestStoreOfTurns = StoreOfTurns.TestCase
TestStoreOfTurnsInPostgreSQL = without_server(StoreOfTurnsInPostgreSQL.TestCase)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def turned_round(value: object) -> object:
    """The same JSON value with the members of every object in reverse order."""
    if isinstance(value, dict):
        return {name: turned_round(value[name]) for name in reversed(value)}
    return [turned_round(inner) for inner in value] if isinstance(value, list) else value


@settings(max_examples=100, deadline=None)
@given(json_values)
def test_member_order_does_not_change_a_body(value: object) -> None:
    assert body_hash(value) == body_hash(turned_round(value))


@settings(max_examples=100, deadline=None)
@given(json_values)
def test_a_body_written_and_read_again_is_the_same(value: object) -> None:
    assert body_hash(json.loads(json.dumps(value))) == body_hash(value)


@settings(max_examples=100, deadline=None)
@given(json_values, json_values)
def test_different_bodies_differ(one: object, other: object) -> None:
    """Python's JSON text with sorted members says when bodies are the same, its equality when they are not."""
    if json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True):
        assert body_hash(one) == body_hash(other)
    elif _plain(one) != _plain(other):
        assert body_hash(one) != body_hash(other)


def _plain(value: object) -> object:
    """Comparable as JSON compares: `true` is not 1, while 1.0 is."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return ("boolean", value) if isinstance(value, bool) else value


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=3), max_size=4), st.lists(st.text(max_size=3), max_size=4))
def test_only_equal_keys_share_a_digest(one: list[str], other: list[str]) -> None:
    assert (digest(*one) == digest(*other)) == (one == other)
