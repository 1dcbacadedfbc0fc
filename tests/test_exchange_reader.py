"""The JSON reader: what it refuses, where, and what it takes."""

from __future__ import annotations

import json

import pytest

from app.errors import Code
from app.exchange.reader import MAX_BYTES, MAX_DEPTH, MAX_STRING, parse, pointer
from tests.exchange_documents import refused

BROKEN = {
    "nothing": (b"", Code.NOT_JSON, ""),
    "an open object": (b'{"a": 1', Code.NOT_JSON, ""),
    "two texts": (b"{} {}", Code.NOT_JSON, ""),
    "no UTF-8": (b'{"a": "\xff"}', Code.NOT_JSON, ""),
    "an encoded surrogate": (b'"\xed\xa0\x80"', Code.NOT_JSON, ""),
    "a byte order mark": (b"\xef\xbb\xbf{}", Code.NOT_JSON, ""),
    "a control character": (b'"\x01"', Code.NOT_JSON, ""),
    "NaN": (b'{"a": [0, NaN]}', Code.NOT_JSON, "/a/1"),
    "Infinity": (b'{"a": -Infinity}', Code.NOT_JSON, "/a"),
    "half a surrogate pair": (b'{"a": ["\\ud800"]}', Code.NOT_JSON, "/a/0"),
    "half a surrogate pair in a name": (b'{"\\udc00": 1}', Code.NOT_JSON, "/\\udc00"),
    "a fraction beyond a double": (b'{"a": 1e400}', Code.OUT_OF_RANGE, "/a"),
    "a whole number beyond a double": (b'{"a": 1' + b"0" * 5000 + b"}", Code.OUT_OF_RANGE, "/a"),
    "a member twice": (b'{"a/b~": {"x": 1, "x": 1}}', Code.DUPLICATE_MEMBER, "/a~1b~0/x"),
    "a member twice by escape": (b'{"x": 1, "\\u0078": 1}', Code.DUPLICATE_MEMBER, "/x"),
    "too many bytes": (b" " * MAX_BYTES + b"{}", Code.TOO_LARGE, ""),
    "a string too long": (json.dumps({"a": "x" * (MAX_STRING + 1)}).encode(), Code.TOO_LARGE, "/a"),
    "a name too long": (
        json.dumps({"x" * (MAX_STRING + 1): 1}).encode(),
        Code.TOO_LARGE,
        "/" + "x" * (MAX_STRING + 1),
    ),
    "one level too deep": (b"[" * 33 + b"]" * 33, Code.TOO_LARGE, "/0" * 32),
    "a hundred thousand levels": (b"[" * 100_000, Code.TOO_LARGE, ""),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_text_no_reader_should_take_is_refused_with_its_place(name: str) -> None:
    raw, code, where = BROKEN[name]
    assert refused(raw) == [(code, where)]


def test_all_faults_of_a_text_are_told() -> None:
    assert refused(b'{"a": 1, "a": {"b": NaN, "b": 2, "c": [1e999]}, "d": "\\ud800"}') == [
        (Code.DUPLICATE_MEMBER, "/a"),
        (Code.DUPLICATE_MEMBER, "/a/b"),
        (Code.OUT_OF_RANGE, "/a/c/0"),
        (Code.NOT_JSON, "/d"),
    ]


def test_texts_at_the_limits_are_read() -> None:
    assert parse(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH) is not None
    assert parse(json.dumps("x" * MAX_STRING).encode()) == "x" * MAX_STRING
    assert parse(b" " * (MAX_BYTES - 2) + b"{}") == {}
    assert parse(b'"\\ud83d\\ude00"') == "\U0001f600"
    assert parse(b"1e308") == 1e308


def test_a_pointer_escapes_as_rfc_6901_says() -> None:
    assert pointer("a/b", 0, "m~n", "") == "/a~1b/0/m~0n/"
