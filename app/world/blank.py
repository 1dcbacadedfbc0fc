"""Names for blank nodes: the same facts get the same names, whatever their author called them.

A node's name is a digest of what is said of it and of what points at it, refined over its neighbours as in colour
refinement; nodes that this cannot tell apart are numbered as they come. Canonical labelling (RDFC-1.0) would tell
more of them apart, at a cost that a hostile graph makes exponential; ours is bounded by rounds and statements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Final

import pyoxigraph as ox

from app.errors import Code, Fault, MessageError
from app.world.terms import GENID

ROUNDS: Final = 8
STATEMENTS: Final = 200_000
"""Facts with a blank node that one graph may have."""


def skolemized(triples: Iterable[ox.Triple], base: str) -> Iterator[ox.Triple]:
    """The triples with a Skolem IRI for each blank node. Raises MessageError `too_large` beyond STATEMENTS."""
    held: list[ox.Triple] = []
    for triple in triples:
        if isinstance(triple.subject, ox.BlankNode) or isinstance(triple.object, ox.BlankNode):
            held.append(triple)
            if len(held) > STATEMENTS:
                message = f"more than {STATEMENTS:,} facts have a blank node"
                raise MessageError(Fault(Code.TOO_LARGE, message, hint="give entities an IRI and an identifier"))
        else:
            yield triple
    names = _names(held)
    for triple in held:
        yield ox.Triple(_named(triple.subject, names, base), triple.predicate, _named(triple.object, names, base))


def _named(term: object, names: dict[str, str], base: str) -> ox.NamedNode:
    if isinstance(term, ox.BlankNode):
        return ox.NamedNode(base + GENID + names[term.value])
    return term  # type: ignore[return-value]  # a literal in the object's place


def _names(triples: list[ox.Triple]) -> dict[str, str]:
    """A name for each blank node."""
    around: dict[str, list[tuple[str, object]]] = {}
    for s, p, o in triples:
        if isinstance(s, ox.BlankNode):
            around.setdefault(s.value, []).append((f">{p}", o))
        if isinstance(o, ox.BlankNode):
            around.setdefault(o.value, []).append((f"<{p}", s))
    colours = dict.fromkeys(around, "")
    apart = 1
    for _ in range(ROUNDS):
        colours = {node: _colour(said, colours) for node, said in around.items()}
        now = len(set(colours.values()))
        if now == apart:
            break
        apart = now
    alike: dict[str, int] = {}
    names: dict[str, str] = {}
    for node, colour in colours.items():
        alike[colour] = alike.get(colour, 0) + 1
        names[node] = colour if alike[colour] == 1 else f"{colour}-{alike[colour]}"
    return names


def _colour(said: list[tuple[str, object]], colours: dict[str, str]) -> str:
    """A digest of what is said of a node, in any order."""
    parts = sorted(f"{p} {colours[o.value] if isinstance(o, ox.BlankNode) else o}" for p, o in said)
    return blake2b("\n".join(parts).encode(), digest_size=10).hexdigest()
