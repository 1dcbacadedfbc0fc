"""Knowledge beside the facts of a world, so that one query can ask both: classes, labels, all that is inferred."""

from __future__ import annotations

from typing import Final

import pyoxigraph as ox

from app.world.log import LOG
from app.world.terms import to_rdf, to_subject
from app.world.world import World

KNOWLEDGE: Final = "https://w3id.org/domain-access/knowledge"
"""The graph of what the packs of a world state and of what follows from it."""

_GRAPH: Final = ox.NamedNode(KNOWLEDGE)
_KEPT: Final = ox.NamedNode(LOG.value + "#knowledge")


def keep_knowledge(world: World) -> None:
    """Write the Knowledge of a world into its store, where that has it not, or another."""
    closure = world.domain.knowledge.closure
    with world.exclusive() as store:
        kept = ox.Quad(_KEPT, _KEPT, ox.Literal(world.knowledge_digest), LOG)
        if kept in store.opened:
            return
        for quad in [
            *store.opened.quads_for_pattern(_KEPT, _KEPT, None, LOG),
            *store.opened.quads_for_pattern(None, None, None, _GRAPH),
        ]:
            store.opened.remove(quad)
        facts = (ox.Quad(to_subject(s), ox.NamedNode(p), to_rdf(o), _GRAPH) for s, p, o in closure.facts)
        store.opened.bulk_extend(facts)
        store.opened.add(kept)
