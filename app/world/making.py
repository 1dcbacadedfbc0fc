"""A new generation of a world: made aside, validated as a whole, then switched to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyoxigraph as ox

from app.errors import Code, Fault, MessageError, PackError
from app.rules import Domain
from app.vocab import IDENTIFIER
from app.world.described import MInstance, described_in
from app.world.formats import Format
from app.world.loading import Progress, load_file
from app.world.report import SHOWN, Result, gathered
from app.world.store import Store
from app.world.validate import Validator
from app.world.view import View
from app.world.world import own_iris

DomainOf = Callable[[tuple[str, ...]], Domain]


def made(
    store: Store, add: tuple[Path, Format] | None, domain_of: DomainOf, progress: Progress
) -> tuple[MInstance, Domain, tuple[Result, ...]]:
    """Fill a generation and validate it: what it describes, and what was noticed. Raises DomainAccessError."""
    if add is not None:
        load_file(*add, store, progress)
    try:
        described = described_in(View(store), store.base)
        domain = domain_of(described.packs)
    except PackError as error:
        raise MessageError(*(Fault(Code.WORLD_REFUSED, each.message) for each in error.faults)) from error
    results: list[Result] = []
    for seen, found in Validator(domain, store.base).of_store(store):
        progress("validating", seen)
        results += found
        if sum(not result.is_warning for result in results) > SHOWN:
            break
    report = gathered(results)
    if not report.conforms:
        raise report.error(lambda iri: iri.removeprefix(store.base) or iri)
    return described, domain, report.results


def same_m_instance(described: MInstance, identifier: str, base: str) -> None:
    """Raises MessageError where facts describe another M-Instance than the one they are for."""
    if (described.identifier, described.base) != (identifier, base):
        message = f"the facts describe the M-Instance `{described.identifier}` at <{described.base}>"
        hint = f"expected: `{identifier}` at <{base}>"
        raise MessageError(Fault(Code.WRONG_GRAPH, message, hint=hint))


def own_quads(store: Store) -> list[ox.Quad]:
    """What the log holds of the IRIs that an operator chose."""
    named = store.opened.quads_for_pattern(None, ox.NamedNode(IDENTIFIER), None, store.graph)
    return own_iris((quad.triple for quad in named), store.base)
