"""SHACL shapes as frozen values, read once when packs are loaded: what the Kinds tell of them (W3C SHACL, 2 to 4).

What validates a world is pySHACL on the files themselves (world/shapes.py); here nothing is checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from app.model import Term, Text, Triple, Typed
from app.vocab import OWL, RDF, RDFS, TYPE, XSD

SH: Final = "http://www.w3.org/ns/shacl#"
TARGET_CLASS: Final = SH + "targetClass"
TARGET_NODE: Final = SH + "targetNode"
TARGET_SUBJECTS: Final = SH + "targetSubjectsOf"
TARGET_OBJECTS: Final = SH + "targetObjectsOf"
TARGETS: Final = (TARGET_CLASS, TARGET_NODE, TARGET_SUBJECTS, TARGET_OBJECTS)
_CLASSES: Final = frozenset({RDFS + "Class", OWL + "Class"})
_TRUE: Final = Typed("true", XSD + "boolean")
_LISTED: Final = frozenset({"in", "languageIn"})
OF_SHAPES: Final = frozenset({"node", "not", "qualifiedValueShape"})
OF_LISTED_SHAPES: Final = frozenset({"and", "or", "xone"})
"""Components that are given a list of shapes; OF_SHAPES are given one."""
COMPONENTS: Final = (
    *("minCount", "maxCount", "class", "datatype", "nodeKind", "in", "hasValue", "minInclusive", "minExclusive"),
    *("maxInclusive", "maxExclusive", "minLength", "maxLength", "pattern", "languageIn", "uniqueLang", "equals"),
    *("disjoint", "lessThan", "lessThanOrEquals", "qualifiedMinCount", "qualifiedMaxCount", "qualifiedValueShape"),
    *("node", "not", "and", "or", "xone", "closed"),
)
"""The constraint components of SHACL Core, in the order in which they are told."""


@dataclass(frozen=True, slots=True)
class Limiting:
    """One constraint component, by the local name of its parameter; `values` are what it is given."""

    component: str
    values: tuple[Term | Shape, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """One node or property shape. `path` has the predicates that are walked, none for a node shape; `messages` are
    its author's words.
    """

    path: tuple[str, ...] = ()
    limits: tuple[Limiting, ...] = ()
    properties: tuple[Shape, ...] = ()
    messages: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Stated:
    """A shape with what it is about: `of` is one of the target predicates of SHACL, `target` a class, a node or a
    property. `source` is `pack@version`.
    """

    iri: str
    of: str
    target: str
    shape: Shape
    source: str


def read_shapes(triples: Iterable[Triple], source: str) -> Iterator[Stated]:
    """The shapes of one file that have a target and are in force, in the order of their names."""
    graph = _Graph(triples)
    for name in sorted(graph.out):
        targets = [(of, target) for of in TARGETS for target in graph.objects(name, of) if isinstance(target, str)]
        if not _CLASSES.isdisjoint(graph.objects(name, TYPE)):
            targets.append((TARGET_CLASS, name))
        if targets and (shape := graph.shape(name)) is not None:
            yield from (Stated(name, of, target, shape, source) for of, target in targets)


class _Graph:
    """The triples of a file by subject and predicate."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self.out: dict[str, dict[str, list[Term]]] = {}
        for s, p, o in triples:
            self.out.setdefault(s, {}).setdefault(p, []).append(o)

    def objects(self, subject: str, predicate: str) -> list[Term]:
        return self.out.get(subject, {}).get(predicate, [])

    def shape(self, name: str, within: frozenset[str] = frozenset()) -> Shape | None:
        """A shape; None where it is switched off, or is within itself."""
        if _TRUE in self.objects(name, SH + "deactivated") or name in within:
            return None
        inside = within | {name}
        limits = [Limiting(c, values) for c in COMPONENTS if (values := tuple(self._values(name, c, inside)))]
        inner = (self.shape(each, inside) for each in self.objects(name, SH + "property") if isinstance(each, str))
        return Shape(
            path=tuple(p for path in self.objects(name, SH + "path") for p in self._path(path)),
            limits=tuple(limits),
            properties=tuple(shape for shape in inner if shape is not None),
            messages=tuple(text for text in self.objects(name, SH + "message") if isinstance(text, Text)),
        )

    def _path(self, path: Term, within: frozenset[Term] = frozenset()) -> Iterator[str]:
        """The predicates of a path, in order; a longer one is a list, or a node that says how one is walked."""
        if not isinstance(path, str) or not path.startswith("_:"):
            yield from [path] if isinstance(path, str) else ()
            return
        held = self.out.get(path, {})
        inner = self._list(path) if RDF + "first" in held else (o for each in held.values() for o in each)
        for each in inner:
            if each not in within:
                yield from self._path(each, within | {path})

    def _values(self, name: str, component: str, within: frozenset[str]) -> Iterator[Term | Shape]:
        for value in self.objects(name, SH + component):
            if component in _LISTED:
                yield from self._list(value)
            elif component in OF_LISTED_SHAPES:
                yield from self._shapes(self._list(value), within)
            elif component in OF_SHAPES:
                yield from self._shapes([value], within)
            elif component not in ("closed", "uniqueLang") or value == _TRUE:
                yield value

    def _shapes(self, names: Iterable[Term], within: frozenset[str]) -> Iterator[Shape]:
        found = (self.shape(name, within) for name in names if isinstance(name, str))
        yield from (shape for shape in found if shape is not None)

    def _list(self, head: Term) -> Iterator[Term]:
        seen: set[Term] = set()
        while isinstance(head, str) and head != RDF + "nil" and head not in seen:
            seen.add(head)
            yield from self.objects(head, RDF + "first")[:1]
            head = next(iter(self.objects(head, RDF + "rest")), RDF + "nil")
