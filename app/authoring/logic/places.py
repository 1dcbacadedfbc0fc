"""Where each triple of a Turtle file stands, for a message that points at it.

The file was read before by the parser of the packs, which knows what Turtle is; this only finds places again, so it
takes for granted that the syntax is right. A triple stands where its object begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Final, NamedTuple
from urllib.parse import urljoin

import pyoxigraph as ox

from app.vocab import RDF, XSD

_TOKEN: Final = re.compile(
    r"""(?P<skip>[\s]+|\#[^\n]*)
    |(?P<iri><[^<>"{}|^`\s]*>)
    |(?P<text>\"{3}(?:\"{0,2}(?:[^"\\]|\\.))*\"{3}|'{3}(?:'{0,2}(?:[^'\\]|\\.))*'{3}|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<directive>@prefix|@base|(?i:prefix|base)(?=[\s<]))
    |(?P<language>@[A-Za-z]+(?:-[A-Za-z0-9]+)*)
    |(?P<type>\^\^)
    |(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)[eE][+-]?\d+|[+-]?\d*\.\d+|[+-]?\d+)
    |(?P<blank>_:[\w](?:[\w.\-·]*[\w\-·])?)
    |(?P<name>(?:[^\W\d_](?:[\w.\-]*[\w\-])?)?:(?:(?:[\w:\-·]|%[0-9A-Fa-f]{2}|\\.|\.(?=[\w:%\\.\-]))*))
    |(?P<word>a(?=[\s<\[_"'(])|true|false)
    |(?P<mark>[\[\](),;.])""",
    re.VERBOSE | re.DOTALL,
)
_ABSOLUTE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_ESCAPED: Final = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}
_FIRST, _REST, _NIL = (ox.NamedNode(RDF + name) for name in ("first", "rest", "nil"))

Node = ox.NamedNode | ox.BlankNode
Term = ox.NamedNode | ox.BlankNode | ox.Literal


class Placed(NamedTuple):
    """A triple, and where its object begins: line and column from 1."""

    triple: ox.Triple
    line: int
    column: int


class _Token(NamedTuple):
    kind: str
    text: str
    line: int
    column: int


def placed_triples(text: str, base: str = "") -> Iterator[Placed]:
    """The triples of a Turtle text with their places, up to where it is not understood."""
    reader = _Reader(list(_tokens(text)), base)
    with suppress(IndexError, KeyError, ValueError):  # what follows has no place
        reader.document()
    yield from reader.found


def _tokens(text: str) -> Iterator[_Token]:
    position, line, start = 0, 1, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            return
        kind, said = str(match.lastgroup), match.group()
        if kind != "skip":
            yield _Token(kind, said, line, position - start + 1)
        newlines = said.count("\n")
        if newlines:
            line += newlines
            start = position + said.rindex("\n") + 1
        position = match.end()


class _Reader:
    """The tokens of one document, read once from the first to the last."""

    def __init__(self, tokens: list[_Token], base: str) -> None:
        self.tokens = tokens
        self.at = 0
        self.base = base
        self.prefixes: dict[str, str] = {}
        self.nodes: dict[str, ox.BlankNode] = {}
        self.found: list[Placed] = []

    def document(self) -> None:
        """All statements, into `found`."""
        while self.at < len(self.tokens):
            if self.tokens[self.at].kind == "directive":
                self._directive()
                continue
            bare = self.tokens[self.at].text == "["
            subject = self._term()
            if not isinstance(subject, Node):
                raise ValueError("a literal is no subject")
            if not (bare and self.tokens[self.at].text == "."):
                self._properties(subject)
            self._take()

    def _take(self) -> _Token:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def _directive(self) -> None:
        word = self._take().text
        if word.lower().endswith("prefix"):
            name = self._take().text
            self.prefixes[name[:-1]] = self._iri(self._take().text)
        else:
            self.base = self._iri(self._take().text)
        if word.startswith("@"):
            self._take()

    def _properties(self, subject: Node) -> None:
        while self.tokens[self.at].text not in {".", "]"}:
            if self.tokens[self.at].text == ";":
                self.at += 1
                continue
            predicate = self._term()
            while True:
                token = self.tokens[self.at]
                mark = len(self.found)
                object_ = self._term()
                assert isinstance(predicate, ox.NamedNode)
                self.found.insert(mark, Placed(ox.Triple(subject, predicate, object_), token.line, token.column))
                if self.tokens[self.at].text != ",":
                    break
                self.at += 1

    def _term(self) -> Term:
        token = self._take()
        kind, said = token.kind, token.text
        if kind == "iri":
            return ox.NamedNode(self._iri(said))
        if kind == "name":
            prefix, _, local = said.partition(":")
            return ox.NamedNode(self.prefixes[prefix] + re.sub(r"\\(.)", r"\1", local))
        if kind == "blank":
            return self.nodes.setdefault(said, ox.BlankNode())
        if kind == "text":
            return self._literal(said)
        if kind == "number":
            kind = "double" if "e" in said.lower() else "decimal" if "." in said else "integer"
            return ox.Literal(said, datatype=ox.NamedNode(XSD + kind))
        if kind == "word":
            if said == "a":
                return ox.NamedNode(RDF + "type")
            return ox.Literal(said, datatype=ox.NamedNode(XSD + "boolean"))
        if said == "[":
            node = ox.BlankNode()
            self._properties(node)
            self.at += 1
            return node
        if said == "(":
            return self._list()
        raise ValueError(f"`{said}` is no term")

    def _list(self) -> Node:
        members: list[tuple[Term, _Token]] = []
        while self.tokens[self.at].text != ")":
            token = self.tokens[self.at]
            members.append((self._term(), token))
        self.at += 1
        rest: Node = _NIL
        for member, token in reversed(members):
            cell = ox.BlankNode()
            self.found.append(Placed(ox.Triple(cell, _FIRST, member), token.line, token.column))
            self.found.append(Placed(ox.Triple(cell, _REST, rest), token.line, token.column))
            rest = cell
        return rest

    def _literal(self, said: str) -> ox.Literal:
        quotes = 3 if said[:3] in {'"""', "'''"} else 1
        value = _unescaped(said[quotes:-quotes])
        kind = self.tokens[self.at].kind if self.at < len(self.tokens) else ""
        if kind == "language":
            return ox.Literal(value, language=self._take().text[1:])
        if kind == "type":
            self.at += 1
            datatype = self._term()
            assert isinstance(datatype, ox.NamedNode)
            return ox.Literal(value, datatype=datatype)
        return ox.Literal(value)

    def _iri(self, written: str) -> str:
        iri = _unescaped(written[1:-1])
        if _ABSOLUTE.match(iri):
            return iri
        # urljoin drops an empty fragment, which namespaces end with
        return urljoin(self.base, iri) + ("#" if iri.endswith("#") else "")


def _unescaped(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        short, long, character = match.groups()
        return _ESCAPED.get(character, character) if character else chr(int(short or long, 16))

    return _ESCAPE.sub(one, text) if "\\" in text else text
