"""Worlds under another set of packs: made and checked aside, before any of them is served (DESIGN 8).

A set that would make a served world invalid is refused. What was wrong with a world before is no reason: it would bar
every way, the way back as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice

from app.errors import DomainAccessError, Fault, MessageError, PackError
from app.rules import Domain
from app.world.report import SHOWN, Report, Result, gathered
from app.world.store import Store
from app.world.validate import Validator
from app.world.world import World

DomainOf = Callable[[tuple[str, ...]], Domain]


@dataclass(frozen=True, slots=True)
class Aside:
    """A World as it will be served, the one it replaces, and the version at which it was checked."""

    world: World
    replaced: World
    version: str
    validator: Validator | None = None

    def is_of(self, world: World) -> bool:
        """Whether it was made of this World as it is now."""
        return self.replaced is world and self.version == world.version


@dataclass(frozen=True, slots=True)
class Prepared:
    """Worlds that could be served, by M-Instance, and whence the Domains of later ones come."""

    domain_of: DomainOf
    worlds: Mapping[str, Aside]

    def with_current(self, worlds: Mapping[str, World], validator_of: Callable[[World], Validator]) -> Prepared:
        """The same of the worlds as they are now: those that came or changed meanwhile are prepared anew.

        Raises MessageError with all that is newly wrong.
        """
        old = {
            name: found for name, world in worlds.items() if (found := self.worlds.get(name)) and found.is_of(world)
        }
        fresh = {name: world for name, world in worlds.items() if name not in old}
        return Prepared(self.domain_of, {**old, **prepared(fresh, self.domain_of, validator_of).worlds})


def prepared(
    worlds: Mapping[str, World], domain_of: DomainOf, validator_of: Callable[[World], Validator]
) -> Prepared:
    """These worlds under other Domains; one whose Domain stays the same is left as it is.

    `validator_of` gives the Validator of a World as it is served. Raises MessageError with all that is newly wrong,
    and PackError with all that is wrong with the packs.
    """
    domains = _loaded({world.m_instance.packs for world in worlds.values()}, domain_of)
    found: dict[str, Aside] = {}
    unreadable: list[Fault] = []
    faults: list[Fault] = []
    for name, world in worlds.items():
        domain, version = domains[world.m_instance.packs], world.version
        if domain is world.domain:
            found[name] = Aside(world, world, version)
            continue
        under = world.under(domain)
        try:
            validator = Validator(domain, world.store.base)
            report = newly_wrong(world.store, validator, partial(validator_of, world))
        except PackError as error:
            unreadable += error.faults
            continue
        if not report.conforms:
            told = report.error(under.names.name).faults
            faults += (Fault(f.code, f.message, f"{name}: {f.where}", hint=f.hint) for f in told)
        found[name] = Aside(under, world, version, validator)
    if unreadable:
        raise PackError(*dict.fromkeys(unreadable))
    if faults:
        raise MessageError(*faults)
    return Prepared(domain_of, found)


def newly_wrong(store: Store, now: Validator, before: Callable[[], Validator]) -> Report:
    """What a Validator refuses of a world that the one before did not."""
    if next(_refusing(now, store), None) is None:
        return Report()
    known = {_key(result) for result in _refusing(before(), store)}
    fresh = (result for result in _refusing(now, store) if _key(result) not in known)
    return gathered(islice(fresh, SHOWN + 1))


def _loaded(wanted: set[tuple[str, ...]], domain_of: DomainOf) -> dict[tuple[str, ...], Domain]:
    found: dict[tuple[str, ...], Domain] = {}
    faults: list[Fault] = []
    for packs in sorted(wanted):
        try:
            found[packs] = domain_of(packs)
        except DomainAccessError as error:
            faults += error.faults
    if faults:
        raise PackError(*dict.fromkeys(faults))
    return found


def _refusing(validator: Validator, store: Store) -> Iterator[Result]:
    return (result for _, found in validator.of_store(store) for result in found if not result.is_warning)


def _key(result: Result) -> tuple[str, str, str, str]:
    return result.focus, result.path, result.shape, result.message
