"""The versions of a world: one entry for each change, kept in the store beside the facts (DESIGN 4).

An entry is written by the same atomic update as its change, so neither is ever there without the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Final

import pyoxigraph as ox

LOG: Final = ox.NamedNode("urn:domain-access:log")
"""The graph of the entries and of what else a store says of itself; no request reads it."""

KEPT: Final = 10_000
"""Entries kept; older ones go as new ones come."""

_HEAD: Final = ox.NamedNode(LOG.value + "#head")
_OWN_IRI: Final = ox.NamedNode(LOG.value + "#ownIri")
_MEMBERS: Final = ("version", "time", "who", "how", "added", "removed")


@dataclass(frozen=True, slots=True)
class Entry:
    """One change: its number from 1, the version it made, when, by whom, how, and how many facts it
    added and removed.
    """

    number: int
    version: str
    time: datetime
    who: str
    how: str
    added: int
    removed: int

    def after(self, time: datetime, who: str, how: str, added: int, removed: int, digest: str) -> Entry:
        """The next entry. `digest` stands for what was changed: equal histories have equal versions."""
        number = self.number + 1
        chained = sha256(f"{self.version}\n{digest}".encode()).hexdigest()
        return Entry(number, f"{number}-{chained[:8]}", time, who, how, added, removed)

    @property
    def node(self) -> ox.NamedNode:
        """What stands for the entry in the store."""
        return _entry(self.number)

    def quads(self) -> Iterator[ox.Quad]:
        """The entry as facts of the log."""
        texts = (self.version, self.time.isoformat(), self.who, self.how, str(self.added), str(self.removed))
        for member, text in zip(_MEMBERS, texts, strict=True):
            yield ox.Quad(self.node, _member(member), ox.Literal(text), LOG)

    def head(self) -> ox.Quad:
        """The fact that this entry is the newest."""
        return ox.Quad(_HEAD, _HEAD, self.node, LOG)

    def as_json(self) -> dict[str, object]:
        """The wire form."""
        return {
            "number": self.number,
            "version": self.version,
            "time": self.time.isoformat(),
            "who": self.who,
            "how": self.how,
            "added": self.added,
            "removed": self.removed,
        }


NOTHING: Final = Entry(0, "0", datetime.min, "", "", 0, 0)
"""Before the first change."""


def newest(store: ox.Store) -> Entry:
    """The last change of a store."""
    for quad in store.quads_for_pattern(_HEAD, _HEAD, None, LOG):
        return _read(store, ox.NamedNode(_value(quad.object)))
    return NOTHING


def entries(store: ox.Store, limit: int) -> Iterator[Entry]:
    """The last changes of a store, the newest first."""
    last = newest(store).number
    for number in range(last, max(0, last - min(limit, KEPT)), -1):
        node = _entry(number)
        if any(store.quads_for_pattern(node, None, None, LOG)):
            yield _read(store, node)


def outdated(store: ox.Store, entry: Entry) -> list[ox.Quad]:
    """The facts of the log that an entry replaces: the head before it, and the entry that is too old now."""
    return [
        *store.quads_for_pattern(_HEAD, _HEAD, None, LOG),
        *store.quads_for_pattern(_entry(entry.number - KEPT), None, None, LOG),
    ]


def own_iri(iri: ox.NamedNode, identifier: str) -> ox.Quad:
    """The fact that an entity's operator chose its IRI."""
    return ox.Quad(iri, _OWN_IRI, ox.Literal(identifier), LOG)


def own_iris(store: ox.Store) -> dict[str, str]:
    """The IRIs that operators chose, by identifier."""
    said = store.quads_for_pattern(None, _OWN_IRI, None, LOG)
    return {_value(quad.object): _value(quad.subject) for quad in said}


def _read(store: ox.Store, node: ox.NamedNode) -> Entry:
    said = {q.predicate.value: _value(q.object) for q in store.quads_for_pattern(node, None, None, LOG)}
    version, time, who, how, added, removed = (said[_member(member).value] for member in _MEMBERS)
    number = int(node.value.rsplit("#", 1)[-1])
    return Entry(number, version, datetime.fromisoformat(time), who, how, int(added), int(removed))


def _value(term: ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple) -> str:
    return "" if isinstance(term, ox.Triple) else term.value


def _entry(number: int) -> ox.NamedNode:
    return ox.NamedNode(f"{LOG.value}#{number}")


def _member(name: str) -> ox.NamedNode:
    return ox.NamedNode(f"{LOG.value}#{name}")
