"""The Domains of one Edition, each loaded once."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock

from app.edition import Edition
from app.errors import Code, Fault, PackError
from app.releases import Release
from app.rules import Domain
from app.rules import load as load_domain


class Domains:
    """Some packs -> their Domain, by the packs as shipped and some releases in their places. Thread-safe.

    A Domain that others of the same shipped packs have loaded from the same releases is the same: it is taken over.
    """

    def __init__(self, edition: Edition, releases: Iterable[Release] = (), others: Iterable[Domains] = ()) -> None:
        self._edition = edition
        self._releases = {release.name: release for release in releases}
        self._lock = Lock()
        self._loaded: dict[tuple[str, ...], Domain] = {}
        for other in others:
            self._loaded |= {packs: domain for packs, domain in other._held() if self._makes(domain, other)}

    def __call__(self, packs: tuple[str, ...]) -> Domain:
        """The Domain of some packs. Raises PackError."""
        with self._lock:
            if packs not in self._loaded:
                _admit(packs, self._edition)
                self._loaded[packs] = load_domain(self._edition, packs)
            return self._loaded[packs]

    def covers(self, pack: str) -> bool:
        """Whether a Domain that is loaded has this pack."""
        return any(pack == each.name for _, domain in self._held() for each in domain.knowledge.packs)

    def _held(self) -> tuple[tuple[tuple[str, ...], Domain], ...]:
        with self._lock:
            return tuple(self._loaded.items())

    def _makes(self, domain: Domain, other: Domains) -> bool:
        """Whether every pack of a Domain is here as it is there."""
        return all(self._releases.get(p.name) == other._releases.get(p.name) for p in domain.knowledge.packs)


def _admit(packs: tuple[str, ...], edition: Edition) -> None:
    """Raises PackError with every pack that is not there."""
    there = edition.names()
    faults = [not_there(name) for name in packs if name not in there]
    if faults:
        raise PackError(*faults)


def not_there(name: str, hint: str = "") -> Fault:
    """A pack is named of which at most releases are there that are not active."""
    return Fault(Code.PACK_UNREADABLE, f"no pack `{name}` is active or shipped", where=name, hint=hint)
