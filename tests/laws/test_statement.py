"""Laws of the statement language (SEMANTICS 4): what is written reads back, no text does harm, time is linear."""

from __future__ import annotations

import gc
import time
import tomllib
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.errors import Code, StatementError
from app.model import (
    Complement,
    Deontic,
    Event,
    Iri,
    Number,
    Object,
    PAStatus,
    Preposition,
    ProcessAction,
    Quoted,
    Statement,
    StepRef,
    Word,
)
from app.statement import ActionForm, Grammar, format, is_word, parse, third_person
from app.statement.tokens import TOKEN, cut

DATA = tomllib.loads((Path(__file__).parents[1] / "statements" / "grammar.toml").read_text("utf-8"))
LABELS: list[str] = DATA["labels"]
NAMES: list[str] = list(DATA["actions"])
GRAMMAR = Grammar.of([ActionForm(name, tuple(older)) for name, older in DATA["actions"].items()], LABELS)

# Names that are words of the language elsewhere, the hard ones, beside any that `is_word` accepts.
HARD = [
    "Ack",
    "Post",
    "Posts",
    "Registers",
    "Property",
    "Changes",
    "Personal",
    "Point",
    "x.",
    "A,b",
    "Rights",
    "3D-x",
]
names = st.one_of(
    st.sampled_from(HARD + NAMES + [third_person(name) for name in NAMES]).filter(is_word),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=12).filter(is_word),
)
labels = st.sampled_from([label for label in LABELS if " " in label])
iris = st.from_regex(r"[a-z][a-z0-9+.-]{0,5}:[a-zA-Z0-9/#?.,()é%\"“”]*", fullmatch=True).filter(
    lambda s: '"' not in s
)
statuses: st.SearchStrategy[str | None] = st.sampled_from([None, "Model", "Final"])
words = st.builds(Word, names | labels, statuses)
units = st.just("") | st.from_regex(r"[a-zµ%°/²]{1,9}", fullmatch=True).filter(is_word)
numbers = st.builds(
    Number, st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9), units
)
steps = st.builds(StepRef, st.integers(0, 999_999_999), st.none() | names)
quotes = st.builds(Quoted, st.text(st.characters(codec="utf-8"), max_size=20), st.none() | names | labels)
objects: st.SearchStrategy[Object] = st.one_of(words, st.builds(Iri, iris), numbers, steps, quotes)
complements = st.builds(Complement, st.sampled_from(Preposition), objects)
processes = st.one_of(st.none(), st.builds(Word, names | labels), st.builds(Iri, iris), steps)
times = st.none() | st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31), timezones=st.just(UTC))


def is_readable(action: ProcessAction) -> bool:
    """Whether the value is one that a text can mean: two complements that run into a label are one object."""
    words = [w.lower() for w in format(Statement((action,))).replace("(", " ").split()]
    spelled = " ".join(words)
    named = [_name(c.object).lower() for c in action.complements] + [_name(action.process).lower()]
    return all(label.lower() not in spelled or label.lower() in named for label in LABELS)


def _name(value: Object | None) -> str:
    return value.name if isinstance(value, Word) else (value.type or "") if isinstance(value, Quoted) else ""


process_actions = st.builds(
    ProcessAction,
    processes,
    st.sampled_from(NAMES),
    st.lists(complements, max_size=5).map(tuple),
    st.none() | st.sampled_from(Deontic),
    times,
).filter(is_readable)
nots = st.just("NOT")
operators = st.sampled_from(["AND", "OR", "NAND", "NOR", "XOR", "XNOR"])
events: st.SearchStrategy[Event | ProcessAction] = st.recursive(
    process_actions,
    lambda inner: st.builds(Event, nots, st.tuples(inner)) | st.builds(Event, operators, st.tuples(inner, inner)),
    max_leaves=6,
)
statements = st.builds(
    Statement,
    st.lists(process_actions, min_size=1, max_size=3).map(tuple),
    st.none() | events.map(lambda e: e if isinstance(e, Event) else Event(None, (e,))),
    st.none() | st.sampled_from(PAStatus),
)
# Pieces of the language in any order: most are no statement, all come near one.
PIECES = [
    *["Friend1", "MM-Adds", "Post", "Posts", "Rights", "Changes", "May", "Not", "Must", "Personal", "Data", "Point"],
    *["At", "To", "With", "of", "Nil", "If", "and", "NOT", "OR", "XOR", "(", ")", "(Status=Model)", "Model", "View"],
    *["ModelRights", "3", "m", "3m", "@6", "@6.X", "@6a", '"hi"', '"', "“", "”", "\\", "<urn:x>", "<", ">", ",", "."],
    *["Ack", "2025-01-31T09:30:00Z", "2025-99-99T00", "Ünï", "部屋", "\t", "\n", "\ud800"],
]
soup = st.lists(st.sampled_from(PIECES), max_size=14)


@settings(max_examples=250, deadline=None)
@given(statements)
@example(Statement((ProcessAction(None, "Post", (Complement(Preposition.NIL, Word("Register")),)),)))
@example(Statement((ProcessAction(None, "Post", (Complement(Preposition.NIL, Word("Post Office")),)),)))
@example(Statement((ProcessAction(Word("Post"), "Register"),)))
def test_what_is_written_reads_back(statement: Statement) -> None:
    """parse(format(x)) == x, for every value of the language."""
    assert parse(format(statement), GRAMMAR) == statement


@settings(max_examples=400, deadline=None)
@given(soup, st.sampled_from([" ", ""]))
def test_a_text_near_the_language_is_a_statement_or_one_fault(pieces: list[str], between: str) -> None:
    """Nothing but a StatementError is raised, it has one Fault with a place in the text; and what was read,
    written and read again is the same.
    """
    text = between.join(pieces)
    try:
        statement = parse(text, GRAMMAR)
    except StatementError as error:
        _check_fault(error, text)
    else:
        assert parse(format(statement), GRAMMAR) == statement


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_a_statement_or_one_fault(text: str) -> None:
    """The same for texts of any characters, halves of surrogate pairs included."""
    for tried in (text, f"Friend1 Posts {text}", f"Friend1 Posts X If {text}"):
        try:
            parse(tried, GRAMMAR)
        except StatementError as error:
            _check_fault(error, tried)


def _check_fault(error: StatementError, text: str) -> None:
    (fault,) = error.faults
    start, end = map(int, fault.where.split("-"))
    assert fault.code is Code.NO_STATEMENT
    assert 0 <= start <= end <= len(text)
    assert len(fault.hint.split("\n")) == 2
    (fault.hint + fault.message).encode("utf-8")


@settings(max_examples=150, deadline=None)
@given(statements, st.sampled_from([" ", "  ", "\t", "\n", " \u00a0"]))
def test_white_space_and_the_full_stop_mean_nothing(statement: Statement, space: str) -> None:
    """Around a statement and before its full stop there may be any white space."""
    text = format(statement)
    assert parse(f"{space}{text}{'' if text.endswith('.') else space + '.'}{space}", GRAMMAR) == statement


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(["a", "b.c", "MM-Add", "é", "@6", " ", "  ", "\t", "\u2003", "\x1f", "'"])))
def test_splitting_gives_the_tokens_of_the_pattern(pieces: list[str]) -> None:
    """The quick way through a text of words alone cuts it as the pattern does."""
    text = "".join(pieces)
    found = list(TOKEN.finditer(text))
    assert cut(text, len(text)) == ([m.lastindex for m in found], [m[0] for m in found], [m.start() for m in found])


HOSTILE: dict[str, Callable[[int], str]] = {
    "many and": lambda n: "A Posts X" + " and A Posts X" * (n // 14),
    "many complements": lambda n: "A Posts" + " With Rights(Status=Model)" * (n // 26),
    "one long word": lambda n: "A" * n,
    "one long second word": lambda n: "A Posts X " + "With" * (n // 4),
    "many words": lambda n: "A Posts " + "May " * (n // 4),
    "many verbs": lambda n: "Post Register " * (n // 14),
    "many begins of a label": lambda n: "A Posts " + "With Point Of " * (n // 14),
    "parentheses before an object": lambda n: "A Posts " + "(" * n,
    "parentheses in an Event": lambda n: "A Posts If " + "(" * n,
    "spaced parentheses": lambda n: "A Posts X " + "(   " * (n // 4),
    "NOT": lambda n: "A Posts If " + "NOT " * (n // 4),
    "operators": lambda n: "A Posts If B Posts" + " AND B Posts" * (n // 12),
    "unclosed quotes": lambda n: "A Posts " + "“" * n,
    "unclosed quotes with escapes": lambda n: 'A Posts "' + '\\"' * (n // 2),
    "unclosed quotes with backslashes": lambda n: 'A Posts "' + "\\" * (n // 2 * 2 + 1),
    "unclosed IRIs": lambda n: "A Posts X " + "<a:b" * (n // 4),
    "commas": lambda n: "A Posts X" + "," * n + "(",
    "commas and words": lambda n: "A Posts X" + ",a" * (n // 2) + '"',
    "white space": lambda n: "A Posts" + " " * n + '"',
    "digits": lambda n: "A Posts " + "1" * n + "x9",
    "a number": lambda n: "A Posts " + "1" * n,
    "a step": lambda n: "A Posts @" + "1" * n,
    "full stops": lambda n: "A Posts X" + "." * n,
}


@pytest.mark.parametrize("hostile", HOSTILE)
def test_time_grows_with_the_length_and_no_faster(hostile: str) -> None:
    """Eight times the text takes about eight times as long; a quadratic reader would take 64 times."""
    make = HOSTILE[hostile]
    assert seconds(make(64_000)) < 24 * max(seconds(make(8_000)), 2e-5)


def seconds(text: str) -> float:
    """The shortest of several runs: what the machine does besides only ever adds."""
    shortest = float("inf")
    gc.disable()
    try:
        for _ in range(5):
            begun = time.thread_time()
            with suppress(StatementError):
                parse(text, GRAMMAR)
            shortest = min(shortest, time.thread_time() - begun)
    finally:
        gc.enable()
    return shortest


def test_decimal_places_are_kept_exactly() -> None:
    """A number is a decimal, never a binary fraction."""
    (complement,) = parse("A Posts 0.1", GRAMMAR).actions[0].complements
    assert complement.object == Number(Decimal("0.1"))
