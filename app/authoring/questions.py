"""The runner of competency questions: what a pack must be able to answer, with the answer expected (DESIGN 8).

`ontologies/PACK/questions/*.toml` holds blocks of

    [[question]]
    ask      the question in words, unique in its file
    world    the M-Instance whose facts it is asked of too; absent: the vocabulary alone
    query    SPARQL 1.1 SELECT over the closure, inferred facts included; the prefixes of rules need no declaration
    rows     the rows expected, in any order: `prefix:Name` for a term, the identifier for an entity, else the text

Rows are compared as they stand, so that a question is missed where one row is lacking or one too many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import pyoxigraph as ox

from app.edition import Edition
from app.errors import Code, Fault, PackError
from app.knowledge import Knowledge, load
from app.model import Text
from app.reasoner import close
from app.rules.toml import TomlFile
from app.vocab import IDENTIFIER
from app.world import read_world, to_rdf, to_subject

_KEYS: Final = {"ask", "world", "query", "rows"}

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A competency question and the rows it must give."""

    edition: Edition
    pack: str
    ask: str
    query: str
    rows: tuple[Row, ...]
    world: str = ""

    def of(self, edition: Edition) -> Question:
        """The same, asked of another edition."""
        return replace(self, edition=edition)

    def mismatches(self) -> list[str]:
        """What is lacking and what is too much, in words; empty where the answer is the one expected.

        Raises PackError where the query is no SPARQL SELECT, or the pack or its world cannot be read.
        """
        return self.compared(self.answer())

    def compared(self, rows: Iterable[Row]) -> list[str]:
        """What of these rows is lacking and what is too much, in words."""
        expected, found = Counter(self.rows), Counter(rows)
        return [
            *(f"lacking: {_said(row)}" for row in sorted((expected - found).elements())),
            *(f"too much: {_said(row)}" for row in sorted((found - expected).elements())),
        ]

    def answer(self) -> list[Row]:
        """The rows the pack gives now."""
        closed = _closed(self.edition, self.pack, self.world)
        try:
            solutions = closed.store.query(self.query, prefixes=dict(closed.prefixes))
        except SyntaxError as error:
            raise PackError(self._fault(f"no SPARQL: {error}")) from error
        if not isinstance(solutions, ox.QuerySolutions):
            raise PackError(self._fault("the query must be a SELECT"))
        return [tuple(closed.written(value) for value in solution) for solution in solutions]

    def _fault(self, message: str) -> Fault:
        return Fault(Code.PACK_MEMBER, message, where=f"{self.edition.folder(self.pack) / 'questions'}: {self.ask}")


@dataclass(frozen=True, slots=True)
class _Closed:
    """A pack, perhaps with a world, with all that follows."""

    store: ox.Store
    prefixes: Mapping[str, str]
    identifiers: Mapping[str, str]

    def written(self, value: ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple | None) -> str:
        """How a row says a value: shortest first, so that a reader needs no IRIs."""
        if value is None:
            return ""
        if isinstance(value, ox.Triple):
            raise TypeError(f"a triple term is no value here: {value}")
        if not isinstance(value, ox.NamedNode):
            return str(value.value)
        if value.value in self.identifiers:
            return self.identifiers[value.value]
        for name, namespace in self.prefixes.items():
            if value.value.startswith(namespace):
                return f"{name}:{value.value.removeprefix(namespace)}"
        return value.value


def questions(path: Path, edition: Edition, pack: str) -> list[Question]:
    """The questions of a file, asked of a pack. Raises PackError with every fault."""
    file = TomlFile(path)
    if set(file.members) != {"question"}:
        file.fault(Code.PACK_MEMBER, "a file of questions holds `[[question]]` blocks")
    blocks = file.tables(file.members, "question")
    found = [question for block in blocks if (question := _question(file, block, edition, pack))]
    for ask, count in Counter(question.ask for question in found).items():
        if count > 1:
            file.fault(Code.PACK_MEMBER, f"`{ask}` is asked {count} times")
    file.refuse()
    return found


def _question(file: TomlFile, block: Mapping[str, Any], edition: Edition, pack: str) -> Question | None:
    key, before = str(block.get("ask", "question")), len(file.faults)
    file.keys(block, _KEYS, key)
    for name in ("ask", "query"):
        if not isinstance(block.get(name), str):
            file.fault(Code.PACK_MEMBER, f"`{name}` must be a text", key)
    rows = block.get("rows")
    if not isinstance(rows, list) or not all(
        isinstance(row, list) and all(isinstance(cell, str) for cell in row) for row in rows
    ):
        file.fault(Code.PACK_MEMBER, "`rows` must be a list of lists of texts", key)
    world = block.get("world", "")
    if world and not (edition.folder(pack) / "worlds" / f"{world}.ttl").exists():
        file.fault(Code.PACK_MEMBER, f"the pack has no world `{world}`", key)
    if len(file.faults) > before or not isinstance(rows, list):
        return None
    return Question(edition, pack, block["ask"], block["query"], tuple(tuple(row) for row in rows), world)


@cache
def _closed(edition: Edition, pack: str, world: str) -> _Closed:
    knowledge = _knowledge(edition, pack)
    closure, identifiers = knowledge.closure, dict[str, str]()
    if world:
        facts = [*knowledge.origin, *read_world(edition.folder(pack) / "worlds" / f"{world}.ttl")]
        identifiers = {s: o.value for s, p, o in facts if p == IDENTIFIER and isinstance(o, Text)}
        closure = close(facts)
    store = ox.Store()
    store.bulk_extend(ox.Quad(to_subject(s), ox.NamedNode(p), to_rdf(o)) for s, p, o in closure.facts)
    return _Closed(store, knowledge.prefixes, identifiers)


@cache
def _knowledge(edition: Edition, pack: str) -> Knowledge:
    return load(edition, [pack])


def _said(row: Row) -> str:
    return " | ".join(row)
