"""A Turtle file as statements that are compared by content: blank nodes by what they say, never by their labels.

A statement is one triple of IRIs and literals, or all the triples that share blank nodes: a restriction with the
axiom it stands in, a list, the parts of a Process Action. The same content has the same key in every file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

import pyoxigraph as ox

from app.errors import Code, Fault, PackError

_EXACT: Final = 8
"""Blank nodes up to which a tangle that refinement cannot tell apart is put in canonical form (its cost doubles)."""

Node = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple


@dataclass(frozen=True, slots=True)
class Statement:
    """What is said as a whole: its triples, those that say it again included; `subject` is the IRI it is about."""

    key: str
    subject: str
    triples: tuple[ox.Triple, ...]

    @property
    def plain(self) -> ox.Triple | None:
        """The triple of a statement without blank nodes."""
        (first, *further) = self.triples
        blank = isinstance(first.subject, ox.BlankNode) or isinstance(first.object, ox.BlankNode)
        return None if further or blank else first

    @property
    def predicate(self) -> str:
        """The property by which the subject is spoken of; empty where there is no one subject."""
        said = {t.predicate.value for t in self.triples if isinstance(t.subject, ox.NamedNode)}
        return said.pop() if len(said) == 1 else ""

    def mentions(self, iri: str) -> bool:
        """Whether a triple of it names an IRI."""
        node = ox.NamedNode(iri)
        return any(node in (t.subject, t.predicate, t.object) for t in self.triples)


Statements = Mapping[str, Statement]


def read_statements(path: Path) -> dict[str, Statement]:
    """The statements of a Turtle file by key; none where there is no file. Raises PackError with file and line."""
    if not path.exists():
        return {}
    try:
        quads = ox.parse(path.read_text(encoding="utf-8"), format=ox.RdfFormat.TURTLE, rename_blank_nodes=True)
        return statements(quad.triple for quad in quads)
    except SyntaxError as error:
        raise PackError(
            Fault(Code.PACK_UNREADABLE, f"no Turtle: {error.msg}", where=f"{path}:{error.lineno or 0}")
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise PackError(Fault(Code.PACK_UNREADABLE, f"cannot be read: {error}", where=str(path))) from error


def statements(triples: Iterable[ox.Triple]) -> dict[str, Statement]:
    """Triples as statements by key, in the order of their keys."""
    parts: dict[str, list[ox.Triple]] = {}
    for group in _connected(dict.fromkeys(triples)):
        parts.setdefault(_key(group), []).extend(group)
    return {key: Statement(key, _subject(parts[key]), tuple(parts[key])) for key in sorted(parts)}


def renamed(held: Statements, names: Mapping[str, str]) -> dict[str, Statement]:
    """Statements in which IRIs stand for others; the triples stay what they are, only keys and subjects change."""
    if not names:
        return dict(held)
    found: dict[str, Statement] = {}
    for statement in held.values():
        spoken = [_renamed(triple, names) for triple in statement.triples]
        if spoken != list(statement.triples):
            # a statement that is said again has several groups of triples: one of them is its content
            key = _key(next(iter(_connected(dict.fromkeys(spoken)))))
            statement = Statement(key, names.get(statement.subject, statement.subject), statement.triples)
        found[statement.key] = statement
    return found


def _renamed(triple: ox.Triple, names: Mapping[str, str]) -> ox.Triple:
    def other(node: Node) -> Node:
        return ox.NamedNode(names[node.value]) if isinstance(node, ox.NamedNode) and node.value in names else node

    return ox.Triple(other(triple.subject), other(triple.predicate), other(triple.object))  # type: ignore[arg-type]


def _connected(triples: Iterable[ox.Triple]) -> Iterable[list[ox.Triple]]:
    """The triples, those together that share blank nodes."""
    leader: dict[ox.BlankNode, ox.BlankNode] = {}

    def lead(node: ox.BlankNode) -> ox.BlankNode:
        leader.setdefault(node, node)
        while leader[node] != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    groups: dict[ox.BlankNode, list[ox.Triple]] = {}
    entangled: list[tuple[ox.BlankNode, ox.Triple]] = []
    for triple in triples:
        blank = [node for node in (triple.subject, triple.object) if isinstance(node, ox.BlankNode)]
        if not blank:
            yield [triple]
            continue
        leader[lead(blank[0])] = lead(blank[-1])
        entangled.append((blank[0], triple))
    for node, triple in entangled:
        groups.setdefault(lead(node), []).append(triple)
    yield from groups.values()


def _key(triples: list[ox.Triple]) -> str:
    """What some connected triples say, whatever their blank nodes are called."""
    colours = _colours(triples)
    if len(set(colours.values())) < len(colours) <= _EXACT:
        dataset = ox.Dataset(ox.Quad(t.subject, t.predicate, t.object) for t in triples)
        dataset.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
        return "\n".join(sorted(f"{q.subject} {q.predicate} {q.object}" for q in dataset))
    written = (f"{_seen(t.subject, colours)} {t.predicate} {_seen(t.object, colours)}" for t in triples)
    return "\n".join(sorted(written))


def _colours(triples: list[ox.Triple]) -> dict[ox.BlankNode, str]:
    """Each blank node by what is said of it and by it, refined until nothing more is told apart."""
    nodes = {n for t in triples for n in (t.subject, t.object) if isinstance(n, ox.BlankNode)}
    around: dict[ox.BlankNode, list[tuple[str, str, Node]]] = {node: [] for node in nodes}
    for t in triples:
        if isinstance(t.subject, ox.BlankNode):
            around[t.subject].append((">", t.predicate.value, t.object))
        if isinstance(t.object, ox.BlankNode):
            around[t.object].append(("<", t.predicate.value, t.subject))
    colours = dict.fromkeys(nodes, "")
    told = 1 if nodes else 0
    for _ in range(len(nodes)):
        colours = {
            node: sha256(
                "\n".join(sorted(f"{way} {p} {_seen(o, colours)}" for way, p, o in said)).encode()
            ).hexdigest()
            for node, said in around.items()
        }
        if (now := len(set(colours.values()))) == told and told > 1:
            break
        told = now
    return colours


def _seen(node: Node, colours: Mapping[ox.BlankNode, str]) -> str:
    return f"_:{colours[node]}" if isinstance(node, ox.BlankNode) else str(node)


def _subject(triples: Iterable[ox.Triple]) -> str:
    named = {t.subject.value for t in triples if isinstance(t.subject, ox.NamedNode)}
    return min(named, default="")
