"""SPARQL as text: its tokens, the graphs a query names, the operations of an update and what leads out of a world.

Oxigraph parses and evaluates; this tells only as much of the structure as is needed to confine it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import pyoxigraph as ox

from app.errors import AccessError, Code, Fault, MessageError
from app.world.terms import as_stored

_CLAUSE: Final = "SPARQL 1.1 Update"
_BASE: Final = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_VARIABLE: Final = _BASE + "_0-9\u00b7\u0300-\u036f\u203f-\u2040"
_CHARACTERS: Final = _VARIABLE + r"\-"
_ESCAPED: Final = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?\#@%]"
_TOKEN: Final = re.compile(
    rf"""
    (?P<space>\s+|\#[^\r\n]*)
    |(?P<iri><(?:[^<>"{{}}|^`\\\x00-\x20]|\\u[0-9A-Fa-f]{{4}}|\\U[0-9A-Fa-f]{{8}})*>)
    |(?P<string>\"{{3}}(?:(?:"|"")?(?:[^"\\]|\\.))*\"{{3}}|'{{3}}(?:(?:'|'')?(?:[^'\\]|\\.))*'{{3}}
       |"(?:[^"\\\n\r]|\\.)*"|'(?:[^'\\\n\r]|\\.)*')
    |(?P<variable>[?$][{_BASE}_0-9][{_VARIABLE}]*+)
    |(?P<name>(?:_|[{_BASE}][{_CHARACTERS}]*+(?:\.++[{_CHARACTERS}]++){{0,20}})?:
       (?:(?:[{_BASE}_:0-9]|{_ESCAPED})(?:\.*(?:[{_CHARACTERS}:]|{_ESCAPED}))*)?)
    |(?P<language>@[A-Za-z]+(?:-[A-Za-z0-9]+)*)
    |(?P<word>[{_BASE}_][{_CHARACTERS}]*+)
    |(?P<mark>.)
    """,
    re.VERBOSE | re.DOTALL,
)
"""The terminals of SPARQL 1.1, to the letter: where Oxigraph saw another end of a token than we do, a keyword could
hide. Each is read in linear time. No group is possessive: before Python 3.11.5 it keeps what it took where it fails.
"""
_LEAD_OUT: Final = ("SERVICE", "LOAD")
NESTING: Final = 100
"""Brackets within brackets; Oxigraph parses them by recursion, and a stack that overflows ends the process."""
_ESCAPE: Final = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")


class Token(NamedTuple):
    """A piece of a text: its kind, itself (a word in upper case), and where it is."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of an update. `deleted` and `inserted` are quad templates or data, `where` a group pattern with
    its braces; DATA has no `where`. `clears` removes every fact of the world. `prologue` are the prefixes and bases
    declared up to it; a later operation may declare them anew.
    """

    prologue: str
    deleted: str = ""
    inserted: str = ""
    where: str = ""
    clears: bool = False


@dataclass(frozen=True, slots=True)
class Update:
    """The operations of an update. `texts` say the same in a form that Oxigraph parses, each line where it was: it
    knows no prologue after the first operation, which SPARQL 1.1 allows and clients write.
    """

    operations: tuple[Operation, ...]
    texts: tuple[str, ...]

    @property
    def is_data(self) -> bool:
        """Whether nothing has to be sought: INSERT DATA and DELETE DATA alone."""
        return all(not operation.where for operation in self.operations)


def tokens(text: str) -> list[Token]:
    """The tokens of a query or update, without space and comments."""
    found = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind != "space":
            said = match[0].upper() if kind == "word" else match[0]
            found.append(Token(kind, said, match.start(), match.end()))
    return found


def confine(text: str) -> list[Token]:
    """Refuse what would lead out: SERVICE and LOAD, however they are written. Oxigraph needs no space around a
    keyword (`SERVICESILENT<...>`, `SERVICE:x`), so a word or a prefix that contains one is refused, too.
    Returns the tokens of the text.

    Raises AccessError, and MessageError `too_large` beyond NESTING.
    """
    read = {reading: tokens(reading) for reading in (text, _ESCAPE.sub(_unescaped, text))}
    for reading, found in read.items():
        depth = 0
        before = ""
        for token in found:
            said = token.text.upper() if token.kind in {"word", "name"} else ""
            keyword = next((word for word in _LEAD_OUT if word in said.partition(":")[0]), "")
            line = reading.count("\n", 0, token.start) + 1 if keyword or depth > NESTING else 0
            if keyword:
                message = f"{keyword} is not served: what is asked is answered from this service alone"
                hint = "give the prefix another name" if token.kind == "name" else ""
                raise AccessError(Fault(Code.REFUSED_OPERATION, message, where=f"{line}", clause=_CLAUSE, hint=hint))
            if depth > NESTING:
                message = f"brackets nest more than {NESTING} deep (line {line})"
                raise MessageError(Fault(Code.TOO_LARGE, message, where=f"{line}"))
            if token.kind == "mark":
                depth += _deeper(token.text, before)
            before = token.text
    return read[text]


def _deeper(mark: str, before: str) -> int:
    """By how much brackets nest deeper after a mark; `<<` and `>>` are two marks."""
    if mark in "{[(" or mark == before == "<":
        return 1
    return -1 if mark in "}])" or mark == before == ">" else 0


def dataset_of(query: str, found: Sequence[Token]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The graphs that FROM and FROM NAMED of a query name, by its tokens. Raises MessageError `not_sparql`."""
    default: list[str] = []
    named: list[str] = []
    prologue, rest = _prologue(found)
    depth = 0
    for index, token in enumerate(rest):
        depth += (token.text == "{") - (token.text == "}")
        if depth == 0 and token.kind in {"word", "name"} and _runs_on(token.text):
            message = f"no query: is `{token.text}` FROM?"
            raise MessageError(
                Fault(Code.NOT_SPARQL, message, where=_line(query, [token]), hint="put a space after it")
            )
        if depth == 0 and token.kind == "word" and token.text == "FROM":
            following = rest[index + 1 : index + 3]
            is_named = bool(following) and following[0].text == "NAMED"
            for each in following[int(is_named) : int(is_named) + 1]:
                (named if is_named else default).append(_resolved(each.text, prologue))
    return tuple(default), tuple(named)


def _runs_on(text: str) -> bool:
    """Whether Oxigraph could read FROM or NAMED in a longer word: a clause that is overlooked would be ignored."""
    word, colon, _ = text.upper().partition(":")
    return word in {"FROM", "NAMED", "FROMNAMED"} if colon else word == "FROMNAMED"


def read_update(text: str, base: str) -> Update:
    """The operations of an update of the graph that `base` names.

    Raises MessageError `not_sparql` or `wrong_graph`, AccessError `refused_operation`.
    """
    declared: list[str] = []
    found: list[tuple[list[Token], str]] = []
    for part in _parts(confine(text)):
        before, rest = _prologue(part)
        declared.append(before)
        if rest:
            found.append((rest, "".join(declared)))
    return Update(
        operations=tuple(_operation(text, part, prologue, base) for part, prologue in found),
        texts=tuple(_in_place(text, *each) for each in found) if any(declared[1:]) else (text,),
    )


def check_syntax(update: Update, base: str) -> None:
    """Have Oxigraph parse an update. Raises MessageError `not_sparql` with the place in the text as it was sent."""
    for text in update.texts:
        try:
            ox.Store().update(text, base_iri=base)
        except SyntaxError as error:
            raise query_error(error, "update") from error
        except RuntimeError:  # what is wrong on an empty store need not be so on another
            pass


def data_of(template: str, prologue: str, base: str) -> frozenset[ox.Triple]:
    """The triples of quad data. Raises MessageError `not_sparql`."""
    try:
        text = f"{prologue}\n{{ {template}\n}}".encode()
        quads = ox.parse(text, ox.RdfFormat.TRIG, base_iri=base, rename_blank_nodes=True)
        return frozenset(as_stored(plain(quad.triple) for quad in quads))
    except SyntaxError as error:
        raise _no_update(f"no data: {error.msg}") from error


def plain(triple: ox.Triple) -> ox.Triple:
    """The triple itself, unless its object is one: no fact of a world is about a fact. Raises MessageError."""
    if isinstance(triple.object, ox.Triple):
        raise _no_update(f"the value of {triple.predicate} is a triple, which no fact here can be")
    return triple


def query_error(error: SyntaxError, kind: str) -> MessageError:
    """A syntax error that Oxigraph found, with its place."""
    said = re.sub(r"^error at \d+:\d+: ", "", str(error.msg or error))
    place = re.search(r"(\d+):(\d+)", str(error.msg or error))
    where = place[0] if place else ""
    message = f"no {kind}: {said}" + (f" (line {place[1]}, column {place[2]})" if place else "")
    return MessageError(Fault(Code.NOT_SPARQL, message, where=where, clause="SPARQL 1.1"))


def _parts(found: Iterable[Token]) -> Iterator[list[Token]]:
    """The tokens between semicolons outside all braces."""
    part: list[Token] = []
    depth = 0
    for token in found:
        depth += (token.text == "{") - (token.text == "}")
        if token.text == ";" and depth == 0:
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _prologue(part: Sequence[Token]) -> tuple[str, list[Token]]:
    """BASE and PREFIX declarations, in one line, and the tokens after them."""
    at = 0
    while at < len(part) and part[at].kind == "word" and part[at].text in {"BASE", "PREFIX"}:
        at += 2 if part[at].text == "BASE" else 3
    return "".join(f"{token.text} " for token in part[:at]), list(part[at:])


def _in_place(text: str, part: Sequence[Token], prologue: str) -> str:
    """One operation with its prologue, on the lines where it is; on the first line, further to the right."""
    start = part[0].start
    lines = text.count("\n", 0, start)
    column = start - text.rfind("\n", 0, start) - 1 if lines else 0
    return prologue + "\n" * lines + " " * column + text[start : part[-1].end]


def _operation(text: str, part: list[Token], prologue: str, base: str) -> Operation:
    words, blocks = _shape(text, part)
    match words:
        case ["INSERT", "DATA", "{}"]:
            return Operation(prologue, inserted=_confined(blocks[0], prologue, base))
        case ["DELETE", "DATA", "{}"]:
            return Operation(prologue, deleted=_confined(blocks[0], prologue, base))
        case ["DELETE", "WHERE", "{}"]:
            return Operation(prologue, deleted=_confined(blocks[0], prologue, base), where=blocks[0])
        case ["CLEAR" | "DROP", *rest]:
            return Operation(prologue, clears=_clears(rest, prologue, base), where="{}")
        case ["CREATE", *_]:
            return Operation(prologue)
        case ["COPY" | "MOVE" | "ADD", *_]:
            message = f"{words[0]} is not served: a world is one graph"
            raise AccessError(Fault(Code.REFUSED_OPERATION, message, where=_line(text, part), clause=_CLAUSE))
    deleted = inserted = ""
    if words[:1] == ["WITH"]:
        _must_be_world(words[1], prologue, base, _line(text, part))
        words = words[2:]
    if words[:2] == ["DELETE", "{}"]:
        deleted, blocks, words = _confined(blocks[0], prologue, base), blocks[1:], words[2:]
    if words[:2] == ["INSERT", "{}"]:
        inserted, blocks, words = _confined(blocks[0], prologue, base), blocks[1:], words[2:]
    while words[:1] == ["USING"]:
        named = words[1:2] == ["NAMED"]
        _must_be_world("".join(words[1 + named : 2 + named]), prologue, base, _line(text, part))
        words = words[2 + named :]
    if words != ["WHERE", "{}"] or not (deleted or inserted):
        hint = "expected: INSERT DATA, DELETE DATA, DELETE WHERE, or DELETE and INSERT with WHERE"
        raise _no_update("no operation of SPARQL Update", _line(text, part), hint)
    return Operation(prologue, deleted, inserted, blocks[0])


def _shape(text: str, part: list[Token]) -> tuple[list[str], list[str]]:
    """The words outside braces with `{}` for each block, and the blocks."""
    words: list[str] = []
    blocks: list[str] = []
    depth = begun = 0
    for token in part:
        if token.text == "{":
            begun = token.start if depth == 0 else begun
            depth += 1
        elif token.text == "}":
            depth -= 1
            if depth == 0:
                words.append("{}")
                blocks.append(text[begun : token.end])
            elif depth < 0:
                raise _no_update("a `}` without its `{`", _line(text, [token]))
        elif depth == 0:
            words.append(token.text)
    if depth:
        raise _no_update("a `{` without its `}`", _line(text, part[-1:]))
    return words, blocks


def _confined(block: str, prologue: str, base: str) -> str:
    """A template without its braces and without GRAPH around what belongs to the world."""
    found = tokens(block)[1:-1]
    segments: list[list[Token]] = [[]]
    inside: list[bool] = []
    at = 0
    while at < len(found):
        token = found[at]
        opens = [each.text for each in found[at : at + 3]]
        if token.kind == "word" and opens[0] == "GRAPH" and opens[2:] == ["{"]:
            _must_be_world(opens[1], prologue, base, "")
            segments.append([])
            inside.append(True)
            at += 3
            continue
        if token.text == "{":
            inside.append(False)
        if token.text == "}" and inside and inside.pop():
            segments.append([])
        else:
            segments[-1].append(token)
        at += 1
    return " . ".join(filter(None, (_without_dots(block, segment) for segment in segments)))


def _without_dots(block: str, segment: list[Token]) -> str:
    while segment and segment[-1].text == ".":
        segment = segment[:-1]
    while segment and segment[0].text == ".":
        segment = segment[1:]
    return block[segment[0].start : segment[-1].end] if segment else ""


def _clears(words: list[str], prologue: str, base: str) -> bool:
    match [word for word in words if word != "SILENT"]:
        case ["DEFAULT" | "NAMED" | "ALL"]:
            return True
        case ["GRAPH", graph]:
            _must_be_world(graph, prologue, base, "")
            return True
    raise _no_update("what is to be cleared?", "", "expected: CLEAR DEFAULT, or CLEAR GRAPH with the world's IRI")


def _must_be_world(term: str, prologue: str, base: str, line: str) -> None:
    named = _resolved(term, prologue, base)
    if named != base:
        message = f"the graph {term} is not this world's, which is <{base}>"
        raise MessageError(Fault(Code.WRONG_GRAPH, message, where=line, clause=_CLAUSE, hint="name no graph at all"))


def _resolved(term: str, prologue: str, base: str | None = None) -> str:
    """An IRI or prefixed name as a full IRI; anything else is itself."""
    try:
        text = f"{prologue}\n{term} a <urn:x> .".encode()
        quads = list(ox.parse(text, ox.RdfFormat.TURTLE, base_iri=base))
    except SyntaxError:
        return term
    return str(quads[0].subject.value) if quads else term


def _line(text: str, part: Sequence[Token]) -> str:
    return str(text.count("\n", 0, part[0].start) + 1) if part else ""


def _no_update(message: str, where: str = "", hint: str = "") -> MessageError:
    said = f"no update: {message}" + (f" (line {where})" if where else "")
    return MessageError(Fault(Code.NOT_SPARQL, said, where=where, clause=_CLAUSE, hint=hint))


def _unescaped(match: re.Match[str]) -> str:
    code = int(match[1] or match[2], 16)
    return chr(code) if code <= 0x10FFFF else " "
