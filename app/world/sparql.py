"""SPARQL as text: its tokens, the graphs a query names, the operations of an update and what leads out of a world.

Oxigraph parses and evaluates; this tells only as much of the structure as is needed to confine it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import pyoxigraph as ox

from app.errors import AccessError, Code, Fault, MessageError

_CLAUSE: Final = "SPARQL 1.1 Update"
_TOKEN: Final = re.compile(
    r"""
    (?P<space>\s+|\#[^\r\n]*)
    |(?P<iri><[^<>"{}|^`\\\x00-\x20]*>)
    |(?P<string>\"{3}(?:(?:"|"")?(?:[^"\\]|\\.))*\"{3}|'{3}(?:(?:'|'')?(?:[^'\\]|\\.))*'{3}
       |"(?:[^"\\\n\r]|\\.)*"|'(?:[^'\\\n\r]|\\.)*')
    |(?P<variable>[?$]\w+)
    |(?P<name>(?:[\w][\w.\-]*)?:(?:[\w:%.\-]|\\.)*)
    |(?P<language>@[A-Za-z]+(?:-[A-Za-z0-9]+)*)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<mark>.)
    """,
    re.VERBOSE | re.DOTALL,
)
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
    its braces; DATA has no `where`. `clears` removes every fact of the world.
    """

    deleted: str = ""
    inserted: str = ""
    where: str = ""
    clears: bool = False


@dataclass(frozen=True, slots=True)
class Update:
    """The operations of an update, and the prefixes they are written with."""

    prologue: str
    operations: tuple[Operation, ...]

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


def confine(text: str) -> None:
    """Refuse what would lead out: SERVICE and LOAD, however they are written. Raises AccessError."""
    for reading in (text, _ESCAPE.sub(_unescaped, text)):
        for token in tokens(reading):
            if token.kind == "word" and token.text in {"SERVICE", "LOAD"}:
                line = reading.count("\n", 0, token.start) + 1
                message = f"{token.text} is not served: what is asked is answered from this service alone"
                raise AccessError(Fault(Code.REFUSED_OPERATION, message, where=f"{line}", clause=_CLAUSE))


def dataset_of(query: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The graphs that FROM and FROM NAMED of a query name, in its own words."""
    default: list[str] = []
    named: list[str] = []
    prologue, rest = _prologue(query, tokens(query))
    depth = 0
    for index, token in enumerate(rest):
        depth += (token.text == "{") - (token.text == "}")
        if depth == 0 and token.kind == "word" and token.text == "FROM":
            following = rest[index + 1 : index + 3]
            is_named = bool(following) and following[0].text == "NAMED"
            for each in following[int(is_named) : int(is_named) + 1]:
                (named if is_named else default).append(_resolved(each.text, prologue))
    return tuple(default), tuple(named)


def read_update(text: str, base: str) -> Update:
    """The operations of an update of the graph that `base` names.

    Raises MessageError `not_sparql` or `wrong_graph`, AccessError `refused_operation`.
    """
    confine(text)
    prologue = ""
    operations: list[Operation] = []
    for part in _parts(text):
        before, part_tokens = _prologue(text, part)
        prologue += before
        if part_tokens:
            operations.append(_operation(text, part_tokens, prologue, base))
    return Update(prologue, tuple(operations))


def data_of(template: str, prologue: str, base: str) -> frozenset[ox.Triple]:
    """The triples of quad data. Raises MessageError `not_sparql`."""
    try:
        quads = ox.parse(f"{prologue}\n{{ {template} }}".encode(), ox.RdfFormat.TRIG, base_iri=base)
        return frozenset(quad.triple for quad in quads)
    except SyntaxError as error:
        raise _no_update(f"no data: {error.msg}") from error


def query_error(error: SyntaxError, kind: str) -> MessageError:
    """A syntax error that Oxigraph found, with its place."""
    said = re.sub(r"^error at \d+:\d+: ", "", str(error.msg or error))
    place = re.search(r"(\d+):(\d+)", str(error.msg or error))
    where = place[0] if place else ""
    message = f"no {kind}: {said}" + (f" (line {place[1]}, column {place[2]})" if place else "")
    return MessageError(Fault(Code.NOT_SPARQL, message, where=where, clause="SPARQL 1.1"))


def _parts(text: str) -> Iterator[list[Token]]:
    """The tokens between semicolons outside all braces."""
    part: list[Token] = []
    depth = 0
    for token in tokens(text):
        depth += (token.text == "{") - (token.text == "}")
        if token.text == ";" and depth == 0:
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _prologue(text: str, part: Sequence[Token]) -> tuple[str, list[Token]]:
    """BASE and PREFIX declarations as they stand, and the tokens after them."""
    at = 0
    while at < len(part) and part[at].kind == "word" and part[at].text in {"BASE", "PREFIX"}:
        at += 2 if part[at].text == "BASE" else 3
    declared = text[part[0].start : part[at - 1].end] + "\n" if 0 < at <= len(part) else ""
    return declared, list(part[at:])


def _operation(text: str, part: list[Token], prologue: str, base: str) -> Operation:
    words, blocks = _shape(text, part)
    match words:
        case ["INSERT", "DATA", "{}"]:
            return Operation(inserted=_confined(blocks[0], prologue, base))
        case ["DELETE", "DATA", "{}"]:
            return Operation(deleted=_confined(blocks[0], prologue, base))
        case ["DELETE", "WHERE", "{}"]:
            return Operation(deleted=_confined(blocks[0], prologue, base), where=blocks[0])
        case ["CLEAR" | "DROP", *rest]:
            return Operation(clears=_clears(rest, prologue, base), where="{}")
        case ["CREATE", *_]:
            return Operation()
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
    return Operation(deleted, inserted, blocks[0])


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
    named = _resolved(term, prologue)
    if named != base:
        message = f"the graph {term} is not this world's, which is <{base}>"
        raise MessageError(Fault(Code.WRONG_GRAPH, message, where=line, clause=_CLAUSE, hint="name no graph at all"))


def _resolved(term: str, prologue: str) -> str:
    """An IRI or prefixed name as a full IRI; anything else is itself."""
    try:
        quads = list(ox.parse(f"{prologue}\n{term} a <urn:x> .".encode(), ox.RdfFormat.TURTLE))
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
