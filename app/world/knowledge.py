"""Knowledge beside the facts of a world, so that one query can ask both: classes, labels, all that is inferred."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pyoxigraph as ox

from app.world.log import LOG
from app.world.store import Store
from app.world.terms import to_rdf, to_subject
from app.world.world import World

KNOWLEDGE: Final = "https://w3id.org/domain-access/knowledge"
"""The graph of what the packs of a world state and of what follows from it."""

_GRAPH: Final = ox.NamedNode(KNOWLEDGE)
_KEPT: Final = ox.NamedNode(LOG.value + "#knowledge")


def checkpoint_with_knowledge(world: World, folder: Path) -> None:
    """Make a checkpoint of a world in which its Knowledge is, too. The store keeps it until another one is asked for:
    a query that began before other releases were activated must not find theirs.
    """
    with world.exclusive() as store:
        _keep(world, store)
        store.opened.backup(str(folder))


def _keep(world: World, store: Store) -> None:
    """Write the Knowledge of a world into its store, where that has it not, or another."""
    kept = ox.Quad(_KEPT, _KEPT, ox.Literal(world.knowledge_digest), LOG)
    if kept in store.opened:
        return
    for quad in [
        *store.opened.quads_for_pattern(_KEPT, _KEPT, None, LOG),
        *store.opened.quads_for_pattern(None, None, None, _GRAPH),
    ]:
        store.opened.remove(quad)
    closure = world.domain.knowledge.closure
    facts = (ox.Quad(to_subject(s), ox.NamedNode(p), to_rdf(o), _GRAPH) for s, p, o in closure.facts)
    store.opened.bulk_extend(facts)
    store.opened.add(kept)
