"""What packs state, forwards and backwards, in the order of their files: what a page shows is what was written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from app.model import Term, Text, Triple
from app.vocab import OWL, RDF, TYPE

_SH: Final = "http://www.w3.org/ns/shacl#"
_TARGET, _PROPERTY, _PATH, _MESSAGE = _SH + "targetClass", _SH + "property", _SH + "path", _SH + "message"


@dataclass(frozen=True, slots=True)
class Kept:
    """What a SHACL shape makes every world keep of things of a class; `path` is empty where it is no property."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Stated:
    """The statements of a pack and of what it requires, and the shapes of the pack by the class they are for."""

    out: Mapping[str, Mapping[str, tuple[Term, ...]]]
    into: Mapping[str, Mapping[str, tuple[str, ...]]]
    source: Mapping[Triple, str]
    shapes: Mapping[str, tuple[Kept, ...]]
    apart: Mapping[str, tuple[tuple[Term, ...], ...]]
    """The lists of classes stated to be all disjoint, by member."""

    @classmethod
    def of(cls, origin: Mapping[Triple, str], shapes: Iterable[Triple]) -> Stated:
        """From statements, each with the pack it is of, and from a file of shapes."""
        out, into = _index(origin)
        stated = cls(out, into, origin, _kept(_index(shapes)[0]), {})
        return replace(stated, apart=stated._apart())

    def objects(self, s: str, p: str) -> tuple[Term, ...]:
        """All that is stated of a term by a property."""
        return self.out.get(s, {}).get(p, ())

    def names(self, s: str, p: str) -> tuple[str, ...]:
        """The IRIs among them."""
        return tuple(o for o in self.objects(s, p) if isinstance(o, str) and not o.startswith("_:"))

    def nodes(self, s: str, p: str) -> tuple[str, ...]:
        """The nodes without a name among them."""
        return tuple(o for o in self.objects(s, p) if isinstance(o, str) and o.startswith("_:"))

    def subjects(self, p: str, o: str) -> tuple[str, ...]:
        """All of which a term is stated by a property."""
        return self.into.get(o, {}).get(p, ())

    def members(self, head: Term) -> Iterator[Term]:
        """The members of an RDF list, of a malformed one as far as it goes."""
        seen: set[Term] = set()
        while isinstance(head, str) and head != RDF + "nil" and head not in seen:
            seen.add(head)
            yield from self.objects(head, RDF + "first")[:1]
            rest = self.objects(head, RDF + "rest")
            head = rest[0] if rest else RDF + "nil"

    def _apart(self) -> dict[str, tuple[tuple[Term, ...], ...]]:
        found: dict[str, list[tuple[Term, ...]]] = {}
        for node in self.subjects(TYPE, OWL + "AllDisjointClasses"):
            for head in self.objects(node, OWL + "members"):
                members = tuple(self.members(head))
                for member in dict.fromkeys(members):
                    found.setdefault(str(member), []).append(members)
        return {member: tuple(lists) for member, lists in found.items()}


_Forwards = dict[str, dict[str, tuple[Term, ...]]]
_Backwards = dict[str, dict[str, tuple[str, ...]]]


def _index(triples: Iterable[Triple]) -> tuple[_Forwards, _Backwards]:
    out: dict[str, dict[str, list[Term]]] = {}
    into: dict[str, dict[str, list[str]]] = {}
    for s, p, o in triples:
        out.setdefault(s, {}).setdefault(p, []).append(o)
        if isinstance(o, str):
            into.setdefault(o, {}).setdefault(p, []).append(s)
    return (
        {s: {p: tuple(objects) for p, objects in said.items()} for s, said in out.items()},
        {o: {p: tuple(subjects) for p, subjects in said.items()} for o, said in into.items()},
    )


def _kept(out: _Forwards) -> dict[str, tuple[Kept, ...]]:
    """The messages of the shapes of each target class, those of its property shapes with their path."""
    found: dict[str, list[Kept]] = {}
    for shape, said in out.items():
        for target in said.get(_TARGET, ()):
            for node in (shape, *said.get(_PROPERTY, ())):
                held = out.get(node, {}) if isinstance(node, str) else {}
                path = next((o for o in held.get(_PATH, ()) if isinstance(o, str) and not o.startswith("_:")), "")
                messages = [text.value for text in held.get(_MESSAGE, ()) if isinstance(text, Text)]
                if path and not messages:
                    messages = [""]
                found.setdefault(str(target), []).extend(Kept(path, message) for message in messages)
    return {target: tuple(kept) for target, kept in found.items()}
