"""An update of SPARQL -> the facts it would remove and add."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph as ox

from app.world.blank import skolemized
from app.world.knowledge import KNOWLEDGE
from app.world.log import LOG
from app.world.queries import Queries
from app.world.sparql import Update, check_syntax, data_of
from app.world.store import Change, Store
from app.world.terms import in_graph


def stated(update: Update, store: Store) -> Change:
    """What INSERT DATA and DELETE DATA say. Raises MessageError `not_sparql`."""
    base = store.base
    check_syntax(update, base)
    removed: set[ox.Triple] = set()
    added: set[ox.Triple] = set()
    for operation in update.operations:
        gone = data_of(operation.deleted, operation.prologue, base)
        come = frozenset(skolemized(data_of(operation.inserted, operation.prologue, base), base, store.said))
        removed, added = (removed | gone) - come, (added - gone) | come
    return effective(Change(frozenset(removed), frozenset(added)), store)


def sought(text: str, store: Store, queries: Queries) -> Change:
    """What an update with a WHERE finds, evaluated by a child process on a checkpoint. Raises DomainAccessError."""
    checkpoint, output = queries.path("update"), queries.path("change")
    parts = [Path(f"{output}.{name}") for name in ("removed", "added")]
    try:
        store.opened.backup(str(checkpoint))
        stores = [str(checkpoint)]
        queries.run({"kind": "update", "stores": stores, "base": store.base, "text": text, "output": str(output)})
        gone, come = (frozenset(q.triple for q in ox.parse(path=p, format=ox.RdfFormat.N_TRIPLES)) for p in parts)
    finally:
        queries.forget(checkpoint, *parts)
    return effective(Change(gone, frozenset(skolemized(come, store.base, store.said))), store)


def effective(change: Change, store: Store) -> Change:
    """The same without what is so already."""
    held, graph = store.opened, store.graph
    return Change(
        frozenset(t for t in change.removed - change.added if in_graph(t, graph) in held),
        frozenset(t for t in change.added if in_graph(t, graph) not in held),
    )


def counted(store: Store) -> int:
    """The number of facts."""
    others = (LOG, ox.NamedNode(KNOWLEDGE))
    return len(store.opened) - sum(1 for g in others for _ in store.opened.quads_for_pattern(None, None, None, g))
