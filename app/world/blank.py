"""Names for blank nodes: the same facts get the same names, whatever their author called them.

Blank nodes that facts connect are named together, so that what is said elsewhere changes no name. A node's name is a
digest of what is said of it and of what points at it, refined over its neighbours as in colour refinement; nodes that
this cannot tell apart are numbered as they come. Canonical labelling (RDFC-1.0) would tell more of them apart, at a
cost that a hostile graph makes exponential; ours is bounded by rounds and statements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Final

import pyoxigraph as ox

from app.errors import Code, Fault, MessageError
from app.world.terms import GENID, as_stored

ROUNDS: Final = 8
STATEMENTS: Final = 200_000
"""Facts with a blank node that one graph may have."""

Said = Callable[[ox.NamedNode], set[ox.Triple]]
"""What is said of a node already."""

_Around = Mapping[str, list[tuple[str, object]]]


def skolemized(triples: Iterable[ox.Triple], base: str, beside: Said | None = None) -> Iterator[ox.Triple]:
    """The triples with a Skolem IRI for each blank node. Raises MessageError `too_large` beyond STATEMENTS.

    `beside` are facts that the triples are added to: a node that was changed after it was named is another one.
    """
    held: list[ox.Triple] = []
    for triple in triples:
        if isinstance(triple.subject, ox.BlankNode) or isinstance(triple.object, ox.BlankNode):
            held.append(triple)
            if len(held) > STATEMENTS:
                message = f"more than {STATEMENTS:,} facts have a blank node"
                raise MessageError(Fault(Code.TOO_LARGE, message, hint="give entities an IRI and an identifier"))
        else:
            yield triple
    yield from _named(as_stored(held), base + GENID, beside)


def _named(triples: list[ox.Triple], start: str, beside: Said | None) -> Iterator[ox.Triple]:
    around: dict[str, list[tuple[str, object]]] = {}
    for s, p, o in triples:
        if isinstance(s, ox.BlankNode):
            around.setdefault(s.value, []).append((f">{p}", o))
        if isinstance(o, ox.BlankNode):
            around.setdefault(o.value, []).append((f"<{p}", s))
    names: dict[str, ox.NamedNode] = {}
    alike: dict[str, int] = {}
    for component in _components(around):
        colours = _refined(component, around)
        key = _digest(sorted(colours.values()))
        alike[key] = alike.get(key, 0) + 1
        ends = [f"-{alike[key]}" if alike[key] > 1 else ""]
        while True:
            found = {node: ox.NamedNode(f"{start}b{name}{ends[-1]}") for node, name in _apart(colours, key).items()}
            if beside is None or all(_is_free(node, found, around, beside) for node in component):
                break
            ends.append(f"{ends[0]}-v{len(ends) + 1}")
        names |= found
    for triple in triples:
        yield ox.Triple(_renamed(triple.subject, names), triple.predicate, _renamed(triple.object, names))


def _components(around: _Around) -> Iterator[list[str]]:
    """The nodes that facts connect with each other, in the order in which they come."""
    seen: set[str] = set()
    for node in around:
        if node in seen:
            continue
        seen.add(node)
        component = [node]
        for each in component:  # which grows meanwhile
            for _, other in around[each]:
                if isinstance(other, ox.BlankNode) and other.value not in seen:
                    seen.add(other.value)
                    component.append(other.value)
        yield component


def _refined(component: list[str], around: _Around) -> dict[str, str]:
    """A digest for each node; equal only where ROUNDS cannot tell two nodes apart."""
    colours = dict.fromkeys(component, "")
    apart = 1
    for _ in range(ROUNDS):
        colours = {
            node: _digest(
                sorted(f"{p} {colours[o.value] if isinstance(o, ox.BlankNode) else o}" for p, o in around[node])
            )
            for node in component
        }
        now = len(set(colours.values()))
        if now == apart:
            break
        apart = now
    return colours


def _apart(colours: Mapping[str, str], key: str) -> dict[str, str]:
    """A name of its own for each node of a component."""
    alike: dict[str, int] = {}
    names: dict[str, str] = {}
    for node, colour in colours.items():
        alike[colour] = alike.get(colour, 0) + 1
        names[node] = _digest([key, colour, str(alike[colour])])
    return names


def _is_free(node: str, names: Mapping[str, ox.NamedNode], around: _Around, beside: Said) -> bool:
    """Whether nothing is said yet of what would have this name, or just the same."""
    held = beside(names[node])
    said = {(p[1:], str(_renamed(o, names))) for p, o in around[node] if p.startswith(">")}
    return not held or {(str(p), str(o)) for _, p, o in held} == said


def _renamed(term: object, names: Mapping[str, ox.NamedNode]) -> ox.NamedNode:
    return names[term.value] if isinstance(term, ox.BlankNode) else term  # type: ignore[return-value]


def _digest(parts: Iterable[str]) -> str:
    return blake2b("\n".join(parts).encode(), digest_size=10).hexdigest()
