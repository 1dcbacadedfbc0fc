"""Releases activated where no server runs: in the database and the data folder themselves.

The set that is active need not be loadable for that: this is the way out when it is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime

from app.dialogue import Active, Dialogues
from app.errors import Code, Fault, MessageError, StateError
from app.releases import edition_of
from app.service.domains import Domains
from app.service.releases import described
from app.service.sets import activated, confirm, in_names_of, load_all, merged, read_all, set_before
from app.settings import Settings
from app.world import Asked, Limits, Queries, Worlds

WHO = "local"


class AtRest:
    """The releases of settings that nobody serves now."""

    def __init__(self, settings: Settings, dialogues: Dialogues) -> None:
        self._settings = settings
        self._dialogues = dialogues

    def described(self) -> dict[str, object]:
        """What there is, what is valid of it, and what is active."""
        return described(self._settings.releases_folder, self._settings.edition, self._dialogues.active())

    def activate(self, wanted: Mapping[str, str | None]) -> dict[str, object]:
        """As Releases.activate, with every world of the data folder checked: no fault of one is passed over."""
        before = self._dialogues.active()
        return self._follow_with(before, merged(before.packs, wanted, self._settings.edition), "activate")

    def roll_back(self) -> dict[str, object]:
        """As Releases.roll_back."""
        before = self._dialogues.active()
        return self._follow_with(before, set_before(before, self._dialogues), "rollback")

    def _follow_with(self, before: Active, packs: Mapping[str, str], how: str) -> dict[str, object]:
        if packs == before.packs:
            return before.as_json()
        served = self._check(packs)
        new = Active(before.generation + 1, dict(packs), datetime.now(UTC), WHO, how)
        if not self._dialogues.activate(before.generation, new):
            raise StateError(Fault(Code.BUSY, "other releases were activated meanwhile"), retry_after_s=1)
        settings = self._settings
        return activated(before, new, settings.releases_folder, settings.edition, served).as_json()

    def _check(self, packs: Mapping[str, str]) -> tuple[str, ...]:
        """The M-Instances there are, none of which the set makes invalid. Raises DomainAccessError."""
        settings = self._settings
        releases = read_all(settings.releases_folder, packs)
        domains = Domains(edition_of(settings.edition, releases), releases)
        limits = Limits(settings.query_seconds, settings.query_rows, settings.query_mib * 2**20)
        with in_names_of(releases), closing(Queries(settings.queries, limits)) as queries:
            load_all(domains, {(): ""}, packs)
            with closing(Worlds(settings.data / "worlds", domains, queries)) as worlds:
                worlds.open((), Asked("start", datetime.now(UTC)))
                served = worlds.names()
                faults = [fault for name in served for fault in _faults(worlds, name)]
        if faults:
            raise MessageError(*faults)
        confirm(releases)
        return served


@contextmanager
def at_rest(settings: Settings) -> Iterator[AtRest]:
    """The releases of settings that nobody serves. Raises StateError, `data_folder_in_use` where somebody does."""
    settings.make_data_folder()
    with Dialogues.open(settings.database_url) as dialogues:
        yield AtRest(settings, dialogues)


def _faults(worlds: Worlds, name: str) -> Iterator[Fault]:
    report, world = worlds.check(name), worlds.served()[name]
    if not report.conforms:
        for fault in report.error(world.names.name).faults:
            yield Fault(fault.code, fault.message, f"{name}: {fault.where}", hint=fault.hint)
