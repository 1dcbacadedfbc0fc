"""The store of turns: replay, order, races, isolation, schema, damage, and a process killed at any moment."""

import hashlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone

import pytest

from app.dialogue import DialogueKey, Dialogues, Head, Turn, body_hash, tables, turns
from app.errors import Code, StateError
from app.model import Commitment
from tests.databases import Database

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
KEY = DialogueKey("https://m.example/", "home", "session-1", "dialogue-1")
BODY = body_hash({"a": 1})


@pytest.fixture
def dialogues(database: Database) -> Iterator[Dialogues]:
    with Dialogues.open(database.url) as opened:
        yield opened


def a_turn(
    query_id: str,
    index: int,
    *,
    time: datetime = NOON,
    retained: Sequence[Commitment] = (),
    released: Sequence[str] = (),
    response_query_id: str | None = None,
) -> Turn:
    return Turn(
        query_id=query_id,
        body_hash=BODY,
        turn_index=index,
        response=b"response to " + query_id.encode("utf-8", "surrogatepass"),
        response_query_id=f"answer-{query_id}-{index}" if response_query_id is None else response_query_id,
        release="core@1",
        world_version="7",
        time=time,
        explanation=b"why " + query_id.encode("utf-8", "surrogatepass"),
        retained=tuple(retained),
        released=tuple(released),
    )


def head_of(dialogues: Dialogues, key: DialogueKey = KEY) -> Head:
    head = dialogues.head(key, "a QueryID nobody used", BODY)
    assert isinstance(head, Head)
    return head


def say(dialogues: Dialogues, turn: Turn, key: DialogueKey = KEY) -> None:
    assert dialogues.commit(key, head_of(dialogues, key), turn)


def code_of(error: pytest.ExceptionInfo[StateError]) -> Code:
    return error.value.faults[0].code


# --- replay, reuse, order


def test_an_unknown_dialogue_has_an_empty_head(dialogues: Dialogues) -> None:
    assert dialogues.head(KEY, "q1", BODY, 0) == Head(None, (), False)


def test_the_same_query_id_and_body_get_the_stored_bytes(dialogues: Dialogues) -> None:
    every_byte = bytes(range(256)) * 3
    turn = Turn("q1", BODY, 4, every_byte, "r1", "core@1", "7", NOON, every_byte[::-1])
    say(dialogues, turn)
    say(dialogues, a_turn("q2", 5))
    assert dialogues.head(KEY, "q1", BODY, 4) == every_byte
    assert dialogues.explanation("r1", lambda _: True) == every_byte[::-1]


def test_the_same_query_id_with_another_body_is_refused(dialogues: Dialogues) -> None:
    say(dialogues, a_turn("q1", 0))
    with pytest.raises(StateError, match="`q1` was used") as error:
        dialogues.head(KEY, "q1", body_hash({"a": 2}), 1)
    assert code_of(error) is Code.QUERY_ID_REUSED


@pytest.mark.parametrize("index", [-1, 0, 6, 7])
def test_an_old_turn_index_is_refused_before_and_at_commit(dialogues: Dialogues, index: int) -> None:
    say(dialogues, a_turn("q1", 7))
    with pytest.raises(StateError, match="last one, 7") as early:
        dialogues.head(KEY, "q2", BODY, index)
    with pytest.raises(StateError, match="last one, 7") as late:
        dialogues.commit(KEY, head_of(dialogues), a_turn("q2", index))
    assert (code_of(early), code_of(late)) == (Code.TURN_NOT_NEW, Code.TURN_NOT_NEW)
    assert head_of(dialogues).turn_index == 7


def test_gaps_and_a_first_turn_above_zero_are_served(dialogues: Dialogues) -> None:
    for index in (3, 4, 90, 2**53):
        say(dialogues, a_turn(f"q{index}", index))
    assert head_of(dialogues).turn_index == 2**53


def test_a_lost_race_writes_nothing(dialogues: Dialogues) -> None:
    say(dialogues, a_turn("q0", 0))
    stale = head_of(dialogues)
    say(dialogues, a_turn("q1", 1))
    lost = a_turn("q2", 2, retained=[Commitment("c", "Door1 is closed")])
    assert not dialogues.commit(KEY, stale, lost)
    assert head_of(dialogues) == Head(1, ())
    with pytest.raises(StateError):
        dialogues.explanation(lost.response_query_id, lambda _: True)


def test_a_first_turn_that_comes_second_has_lost_the_race(dialogues: Dialogues) -> None:
    assert dialogues.commit(KEY, Head(), a_turn("q1", 0))
    assert not dialogues.commit(KEY, Head(), a_turn("q2", 1))
    assert not dialogues.commit(KEY._replace(dialog_id="new"), Head(5), a_turn("q3", 6))


def test_of_two_turns_on_one_head_in_one_group_the_first_wins(database: Database) -> None:
    group = [turns.new_turn(KEY, Head(), a_turn("q1", 0)), turns.new_turn(KEY, Head(), a_turn("q2", 1))]
    with database.engine.begin() as connection:
        tables.metadata.create_all(connection)
        assert turns.write_turns(connection, group) == [1, 0]
        following = [turns.new_turn(KEY, Head(0), a_turn("q3", 2)), turns.new_turn(KEY, Head(2), a_turn("q4", 3))]
        assert turns.write_turns(connection, following) == [1, 1]


@pytest.mark.parametrize("twice", ["query_id", "response_query_id"])
def test_an_identifier_that_exists_undoes_the_whole_turn(dialogues: Dialogues, twice: str) -> None:
    say(dialogues, a_turn("q1", 0))
    again = a_turn("q1", 1) if twice == "query_id" else a_turn("q2", 1, response_query_id="answer-q1-0")
    assert not dialogues.commit(KEY, head_of(dialogues), again)
    assert head_of(dialogues).turn_index == 0


def test_a_time_without_a_zone_is_an_error_of_the_caller(dialogues: Dialogues) -> None:
    with pytest.raises(ValueError, match="without a zone"):
        dialogues.commit(KEY, Head(), a_turn("q1", 0, time=datetime(2026, 3, 1)))


# --- commitments


def test_commitments_keep_their_order_through_release_and_return(dialogues: Dialogues) -> None:
    one, two, three = (Commitment(f"c{n}", f"statement {n}", "triple") for n in (1, 2, 3))
    say(dialogues, a_turn("q0", 0, retained=[two, one]))
    say(dialogues, a_turn("q1", 1, retained=[three]))
    assert head_of(dialogues) == Head(1, (two, one, three), committed=True)
    say(dialogues, a_turn("q2", 2, released=["c2", "never there"]))
    say(dialogues, a_turn("q3", 3, retained=[two]))
    assert head_of(dialogues).commitments == (one, three, two)


def test_a_statement_is_replaced_when_its_id_is_released_in_the_same_turn(dialogues: Dialogues) -> None:
    say(dialogues, a_turn("q0", 0, retained=[Commitment("c", "old")]))
    say(dialogues, a_turn("q1", 1, retained=[Commitment("c", "new")], released=["c"]))
    assert head_of(dialogues).commitments == (Commitment("c", "new"),)


def test_a_commitment_named_again_is_kept_once(dialogues: Dialogues) -> None:
    again = Commitment("c", "Door1 is closed")
    say(dialogues, a_turn("q0", 0, retained=[again, again]))
    say(dialogues, a_turn("q1", 1, retained=[again]))
    assert head_of(dialogues).commitments == (again,)


def test_another_statement_for_a_retained_id_is_an_error_of_the_caller(dialogues: Dialogues) -> None:
    say(dialogues, a_turn("q0", 0, retained=[Commitment("c", "old")]))
    with pytest.raises(ValueError, match="`c` is retained"):
        dialogues.commit(KEY, head_of(dialogues), a_turn("q1", 1, retained=[Commitment("c", "new")]))


def test_a_dialogue_remembers_that_it_ever_had_commitments(dialogues: Dialogues) -> None:
    say(dialogues, a_turn("q0", 0))
    assert not head_of(dialogues).committed
    say(dialogues, a_turn("q1", 1, retained=[Commitment("c", "s")]))
    say(dialogues, a_turn("q2", 2, released=["c"]))
    assert head_of(dialogues) == Head(2, (), committed=True)


# --- closed dialogues, explanations, sessions


def test_a_closed_dialogue_answers_gone_and_keeps_nothing(dialogues: Dialogues) -> None:
    turn = a_turn("q0", 0, retained=[Commitment("c", "s")])
    say(dialogues, turn)
    other = KEY._replace(dialog_id="other")
    say(dialogues, a_turn("q0", 0, response_query_id="kept"), other)
    head = head_of(dialogues)
    assert dialogues.end(KEY, NOON)
    for call in (
        lambda: dialogues.head(KEY, "q0", BODY),
        lambda: dialogues.head(KEY, "q1", BODY, 1),
        lambda: dialogues.commit(KEY, head, a_turn("q1", 1)),
        lambda: dialogues.commit(KEY, Head(), a_turn("q1", 1)),
    ):
        with pytest.raises(StateError, match="closed or has expired") as error:
            call()
        assert code_of(error) is Code.DIALOGUE_CLOSED
    with pytest.raises(StateError):
        dialogues.explanation(turn.response_query_id, lambda _: True)
    assert dialogues.explanation("kept", lambda _: True) == b"why q0"
    assert head_of(dialogues, other).turn_index == 0
    assert not dialogues.end(KEY, NOON)
    assert not dialogues.end(KEY._replace(dialog_id="never there"), NOON)


def test_the_oldest_dialogues_expire_first_and_young_ones_stay(dialogues: Dialogues) -> None:
    keys = [KEY._replace(dialog_id=f"d{hours}") for hours in range(5)]
    for hours, key in enumerate(keys):
        zone = timezone(timedelta(hours=hours - 2))  # the same instants, written in other zones
        say(dialogues, a_turn(f"q{hours}", 0, time=(NOON + timedelta(hours=hours)).astimezone(zone)), key)
    before = NOON + timedelta(hours=3)
    assert dialogues.expire(before, NOON, most=2) == 2
    with pytest.raises(StateError):
        head_of(dialogues, keys[1])
    assert head_of(dialogues, keys[2]).turn_index == 0
    assert (dialogues.expire(before, NOON), dialogues.expire(before, NOON)) == (1, 0)
    assert [head_of(dialogues, key).turn_index for key in keys[3:]] == [0, 0]


def test_an_explanation_is_served_only_where_its_m_instance_is_visible(dialogues: Dialogues) -> None:
    say(dialogues, a_turn("q0", 0, response_query_id="r0"))
    assert dialogues.explanation("r0", lambda m_instance: m_instance == KEY.m_instance) == b"why q0"
    with pytest.raises(StateError) as hidden:
        dialogues.explanation("r0", lambda _: False)
    with pytest.raises(StateError) as absent:
        dialogues.explanation("r1", lambda _: True)
    assert code_of(hidden) is code_of(absent) is Code.UNKNOWN_ANSWER
    assert str(hidden.value).replace("r0", "r1") == str(absent.value)


def test_the_last_user_set_for_a_session_holds(dialogues: Dialogues) -> None:
    assert dialogues.user_of("m", "s") is None
    dialogues.set_user("m", "s", "home", "Alice")
    dialogues.set_user("m", "s", "office", "Bøb \x00")
    dialogues.set_user("m", "t", "home", "Carol")
    assert [dialogues.user_of("m", s) for s in ("s", "t", "u")] == ["Bøb \x00", "Carol", None]


# --- isolation

LONG = "x" * 10_000
CRAFTED = [
    "",
    "'",
    "'; DROP TABLE turn; --",
    '"',
    "a\x00b",
    "a\x00",
    "a",
    "A",
    "\\x00",
    "🙂",
    "\ud83d",
    LONG,
    LONG + "y",
]


def test_crafted_keys_never_meet(dialogues: Dialogues) -> None:
    """Every pair of crafted names as neighbours in the key is a dialogue of its own, shifted by one too."""
    keys = [DialogueKey("m", "u", first, second) for first in CRAFTED for second in CRAFTED]
    keys += [DialogueKey("m", first, "u", second) for first in CRAFTED for second in ("", "a")]
    for number, key in enumerate(keys):
        assert head_of(dialogues, key) == Head(), key
        kept = Commitment(key.dialog_id, key.session_id)
        assert dialogues.commit(key, Head(), a_turn("q", number, response_query_id=str(number), retained=[kept]))
    for number, key in enumerate(keys):
        assert head_of(dialogues, key) == Head(number, (Commitment(key.dialog_id, key.session_id),), committed=True)
        assert dialogues.head(key, "q", BODY) == b"response to q"


@pytest.mark.parametrize("name", CRAFTED, ids=range(len(CRAFTED)))
def test_crafted_query_ids_and_names_come_back(dialogues: Dialogues, name: str) -> None:
    say(dialogues, a_turn(name, 0, response_query_id=name, retained=[Commitment(name, name, "text")]))
    assert dialogues.head(KEY, name, BODY) == b"response to " + name.encode("utf-8", "surrogatepass")
    assert head_of(dialogues).commitments == (Commitment(name, name, "text"),)
    assert dialogues.explanation(name, lambda _: True).startswith(b"why ")
    say(dialogues, a_turn("next", 1, released=[name]))
    assert head_of(dialogues).commitments == ()


# --- body_hash


def test_a_body_is_its_canonical_json() -> None:
    assert body_hash({}) == hashlib.sha256(b"{}").hexdigest()
    assert body_hash({"b": [1.0, "é"], "a": None}) == hashlib.sha256('{"a":null,"b":[1,"é"]}'.encode()).hexdigest()


@pytest.mark.parametrize("odd", [2**53, -(2**60), 10**30, float("inf"), "\ud800"], ids=range(5))
def test_a_body_without_canonical_form_has_a_hash_all_the_same(odd: object) -> None:
    assert body_hash({"a": odd, "b": 1}) == body_hash({"b": 1, "a": odd})
    assert body_hash({"a": odd}) != body_hash({"a": 1})
    assert len(body_hash(odd)) == 64
