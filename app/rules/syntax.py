"""A rule's pattern as a tree: what pattern.py reads and compiler.py turns into code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from app.model import Term


class Var(NamedTuple):
    """A variable, without its question mark."""

    name: str


class Link(NamedTuple):
    """One step of a path: a predicate, forwards or inverse, once or, with `least` 0 or 1, any number of times."""

    predicate: str
    inverse: bool = False
    least: int | None = None


class Path(NamedTuple):
    """Links one after the other; `alternative` says that one of them is meant instead."""

    links: tuple[Link, ...]
    alternative: bool = False


Node: TypeAlias = "Var | Constant"


class Constant(NamedTuple):
    """A term written in the pattern."""

    term: Term


class Match(NamedTuple):
    """Facts to be found: subject, path, object."""

    s: Node
    path: Path
    o: Node


class Op(NamedTuple):
    """An operator or a registered function over expressions."""

    name: str
    args: tuple[Expr, ...]


Expr: TypeAlias = "Var | Constant | Op"


class Filter(NamedTuple):
    """A condition on a solution."""

    expr: Expr


class Exists(NamedTuple):
    """FILTER [NOT] EXISTS."""

    negated: bool
    pattern: Pattern


class Bind(NamedTuple):
    """A value given to a new variable."""

    expr: Expr
    var: Var


class Union(NamedTuple):
    """Alternatives; with one branch, a group of its own."""

    branches: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A group: its elements in the order written."""

    elements: tuple[Match | Filter | Exists | Bind | Union, ...]


def variables(item: object) -> set[str]:
    """Every variable of an element, a pattern or an expression, nested ones included."""
    if isinstance(item, Var):
        return {item.name}
    if isinstance(item, Pattern):
        return set().union(*(variables(element) for element in item.elements))
    if isinstance(item, Constant | Link | Path | str):
        return set()
    if isinstance(item, tuple):
        return set().union(*(variables(part) for part in item))
    return set()


def is_bound(node: Node, bound: set[str]) -> bool:
    """Whether a node has its value: a term, or one of these variables."""
    return isinstance(node, Constant) or node.name in bound


def is_plain(element: Exists) -> bool:
    """Whether an EXISTS asks for single facts: that is cheap, and best asked first."""
    return all(isinstance(part, Match) and len(part.path.links) == 1 for part in element.pattern.elements)
