"""A new generation of a world: made aside, validated as a whole, then switched to."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pyoxigraph as ox

from app.errors import Code, Fault, MessageError, PackError
from app.evaluate import Names
from app.rules import Domain
from app.vocab import IDENTIFIER, PREFIXES
from app.world.described import MInstance, described_in
from app.world.formats import Format
from app.world.loading import Progress, load_file
from app.world.report import SHOWN, Result, gathered
from app.world.store import Store
from app.world.switching import DomainOf
from app.world.validate import Validator
from app.world.view import View
from app.world.world import own_iris

PATHS: Final = ("/log", "/check", "/update")
"""How the paths of a world end for something else than its facts."""

NO_BASE: Final = "no-base:"
"""With what the names of a document begin that are relative to nothing."""

_RESERVED: Final = ("urn:domain-access:", "https://w3id.org/domain-access/", NO_BASE)


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
        raise report.error(Names(store.base, domain.knowledge).name)
    return described, domain, report.results


def same_m_instance(described: MInstance, identifier: str, base: str) -> None:
    """Raises MessageError where facts describe another M-Instance than the one they are for."""
    if (described.identifier, described.base) != (identifier, base):
        message = f"the facts describe the M-Instance `{described.identifier}` at <{described.base}>"
        hint = f"expected: `{identifier}` at <{base}>"
        raise MessageError(Fault(Code.WRONG_GRAPH, message, hint=hint))


def check_names(described: MInstance) -> None:
    """Raises MessageError where a new M-Instance could not be asked for, or its base is none of its own."""
    name, base = described.identifier, described.base
    faults: list[Fault] = []
    if not name.strip() or not name.isprintable() or name.endswith(PATHS):
        hint = f"one line of text that does not end with {', '.join(PATHS)}"
        faults.append(Fault(Code.WORLD_REFUSED, f"no path could name an M-Instance called `{name}`", hint=hint))
    if any(overlap(base, other) for other in (*PREFIXES.values(), *_RESERVED)):
        message = f"the M-Instance has no IRI of its own, but <{base}>"
        hint = "an absolute IRI that neither a vocabulary nor another M-Instance begins with"
        faults.append(Fault(Code.WRONG_GRAPH, message, hint=hint))
    if faults:
        raise MessageError(*faults)


def overlap(base: str, other: str) -> bool:
    """Whether one could be taken for a part of the other."""
    return base.startswith(other) or other.startswith(base)


def own_quads(store: Store) -> list[ox.Quad]:
    """What the log holds of the IRIs that an operator chose."""
    named = store.opened.quads_for_pattern(None, ox.NamedNode(IDENTIFIER), None, store.graph)
    return own_iris((quad.triple for quad in named), store.base)
