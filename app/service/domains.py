"""The Domains of one Edition, each loaded once."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import Self

from app.edition import CORE, Edition
from app.rules import Domain
from app.rules import load as load_domain


class Domains:
    """Some packs -> their Domain. Thread-safe."""

    def __init__(self, edition: Edition, kept: Iterable[tuple[tuple[str, ...], Domain]] = ()) -> None:
        self.edition = edition
        self._loaded = dict(kept)
        self._lock = Lock()

    def __call__(self, packs: tuple[str, ...]) -> Domain:
        """The Domain of some packs. Raises PackError."""
        with self._lock:
            if packs not in self._loaded:
                self._loaded[packs] = load_domain(self.edition, packs)
            return self._loaded[packs]

    def under(self, edition: Edition) -> Self:
        """Those of another Edition: a Domain of which every pack lies where it lay is the same, loaded already."""
        with self._lock:
            held = tuple(self._loaded.items())
        if edition.rules_of(CORE) != self.edition.rules_of(CORE):
            held = ()
        return type(self)(edition, ((packs, domain) for packs, domain in held if _lies_in(domain, edition)))

    def covers(self, pack: str) -> bool:
        """Whether a Domain that is loaded has this pack."""
        with self._lock:
            return any(pack == each.name for domain in self._loaded.values() for each in domain.knowledge.packs)


def _lies_in(domain: Domain, edition: Edition) -> bool:
    return all(edition.folder(pack.name) == pack.folder for pack in domain.knowledge.packs)
