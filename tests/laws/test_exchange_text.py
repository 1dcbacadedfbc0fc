"""Laws of texts: canonical bytes, what is JSON, instants, URIs and dates, each beside another's code."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import rfc3987
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st
from rfc3339_validator import validate_rfc3339

from app.errors import MessageError
from app.exchange import Request, canonical, instant, simple_time
from app.exchange.parts import is_date_time, is_uri
from app.exchange.reader import parse
from tests.exchange_documents import request

KEYS = st.sampled_from(["a", "Z", "é", "\ue000", "\U0001f600", "\U00010000", "\uffff", '"', "\n", "\x7f", "\x1f", ""])
STRINGS = KEYS | st.text(max_size=8) | st.sampled_from(["at 12:30.5", ",1e5", ":1234567890123456"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    STRINGS,
    st.integers(-(2**70), 2**70),
    st.sampled_from([2**53, 2**53 + 1, 10**15 - 1, 10**15, 10**21, -1, 0]),
    st.floats(allow_nan=False, allow_infinity=False),
)
OPEN = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=8,
)


@given(st.dictionaries(KEYS, OPEN, max_size=4))
@settings(max_examples=150, deadline=None)
def test_the_canonical_form_is_that_of_rfc_8785(place: dict[str, Any]) -> None:
    """Whatever stands in an open object: an independent implementation writes the same bytes."""
    document = request(Space={"MLocation": place})
    assert canonical(Request.model_validate(document)) == rfc8785.dumps(doubles(document))


def doubles(value: Any) -> Any:
    """Every number as RFC 8785 takes it."""
    if isinstance(value, dict):
        return {name: doubles(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [doubles(inner) for inner in value]
    return float(value) if type(value) is int else value


@given(st.binary(max_size=60) | st.text('{}[]",:\\u0d8aNIe-1', max_size=40).map(str.encode))
@settings(max_examples=300, deadline=None)
def test_the_reader_takes_only_what_json_takes(raw: bytes) -> None:
    """Any bytes are a document, and the standard library's, or a MessageError; nothing else escapes."""
    try:
        document = parse(raw)
    except MessageError:
        return
    assert document == json.loads(raw)


@given(st.datetimes(timezones=st.just(UTC)))
def test_an_instant_survives_a_simple_time_to_the_millisecond(now: datetime) -> None:
    """`instant` undoes `simple_time`, rounding down."""
    assert instant(simple_time(now, "t")) == now.replace(microsecond=now.microsecond // 1000 * 1000)


DATES = st.from_regex(
    r"[0-9]{4}-[0-3][0-9]-[0-3][0-9][Tt][0-2][0-9]:[0-5][0-9]:[0-5][0-9](\.[0-9]+)?([Zz]|[+-][0-2]0:00)?"
)


@given(DATES | st.sampled_from(["2024-02-29T00:00:00Z", "2023-02-29T00:00:00Z", "0000-01-01T00:00:00Z"]))
@settings(max_examples=200, deadline=None)
def test_a_date_time_is_what_rfc_3339_says(text: str) -> None:
    """An independent implementation agrees (it knows no leap seconds, which are not asked of it here)."""
    assert is_date_time(text) == validate_rfc3339(text.upper())


URI_PARTS = [
    "https",
    "a",
    ":",
    "//",
    "/",
    "?",
    "#",
    "@",
    "[",
    "]",
    "::1",
    "v1.x",
    "%41",
    "%",
    "é",
    " ",
    "1.2.3.4",
    "|",
]


@given(st.lists(st.sampled_from(URI_PARTS), max_size=8).map("".join))
@settings(max_examples=400, deadline=None)
def test_a_uri_is_what_rfc_3986_says(text: str) -> None:
    """An independent implementation of the grammar agrees."""
    assert is_uri(text) == (rfc3987.match(text, rule="URI") is not None)
