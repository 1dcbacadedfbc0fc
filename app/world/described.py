"""What a World says of its own M-Instance (SEMANTICS 1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pyoxigraph as ox

from app.errors import Code, Fault, PackError
from app.knowledge import read_turtle
from app.model import Text, Triple
from app.vocab import DAC, IDENTIFIER, M_INSTANCE, MMM, TYPE
from app.world.view import View


@dataclass(frozen=True, slots=True)
class MInstance:
    """An M-Instance as its World describes it; the IRI of every entity starts with `base`, which names the graph."""

    identifier: str
    base: str
    packs: tuple[str, ...]
    u_environments: frozenset[str]


def needed_by(m_instance: str, packs: tuple[str, ...], error: PackError) -> PackError:
    """The same with a hint which M-Instance needs a pack, where that is not there at all."""
    hint = f"the M-Instance `{m_instance}` needs it: DELETE /v1/worlds/{m_instance} first, or leave it active"
    return PackError(*(replace(fault, hint=hint) if fault.where in packs else fault for fault in error.faults))


def describe(triples: Iterable[Triple]) -> MInstance:
    """The one M-Instance that some facts are about. Raises PackError where there is none, or more than one."""
    facts = list(triples)
    bases = [s for s, p, o in facts if p == TYPE and o == M_INSTANCE]
    if len(bases) != 1:
        message = f"a world describes one mmm:MInstance, found {len(bases)}"
        raise PackError(Fault(Code.WORLD_INCONSISTENT, message))
    base = bases[0]

    def texts(entity: str, predicate: str) -> Iterator[str]:
        return (o.value for s, p, o in facts if s == entity and p == predicate and isinstance(o, Text))

    identifier = next(texts(base, IDENTIFIER), "")
    environments = [o for s, p, o in facts if s == base and p == MMM + "uEnvironment" and isinstance(o, str)]
    return MInstance(
        identifier=identifier,
        base=base,
        packs=tuple(sorted(set(texts(base, DAC + "usesPack")) - {"core"})),
        u_environments=frozenset(name for e in environments for name in texts(e, IDENTIFIER)),
    )


def read_world(path: Path) -> list[Triple]:
    """The facts of a world file."""
    return list(read_turtle(path))


def described_in(view: View, base: str) -> MInstance:
    """The same as `describe`, of the facts of a store: only what is said of the M-Instance itself is read."""
    own = list(view.out(ox.NamedNode(base)))
    environments = [t.object for t in own if t.predicate.value == MMM + "uEnvironment"]
    further = (t for e in environments if isinstance(e, ox.NamedNode) for t in view.out(e))
    typed = ox.NamedNode(TYPE), ox.NamedNode(M_INSTANCE)
    others = (ox.Triple(node, *typed) for node in view.having(*typed) if node.value != base)
    return describe(view.terms.triple(triple) for triple in (*own, *further, *others))
