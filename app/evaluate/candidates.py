"""Names that may have been meant where one names nothing (SEMANTICS 1)."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from rapidfuzz import fuzz, process

from app.evaluate.wording import Names
from app.facts import BoundReached, Facts
from app.rules.forms import ComplementForm
from app.vocab import OWNER, TYPE, mmm

_HIDDEN_BY = mmm("hiddenBy")

NEAREST_CUTOFF = 60.0
"""How alike a name must be to be proposed, of 100."""

NEAREST_SHOWN = 3


def shown(entity: str, actor: str | None, facts: Facts) -> bool:
    """Whether the actor may be told of an entity: no other Process has hidden it (MMM-TEC, Hide)."""
    by = facts.objects(entity, _HIDDEN_BY)
    return not by or actor in by


def candidates(facts: Facts, names: Names, actor: str | None, forms: tuple[ComplementForm, ...]) -> list[str]:
    """Names that may have been meant: of the Situation, and of what the actor owns; those of a fitting kind first."""
    known = dict.fromkeys(facts.entities())
    entities = dict.fromkeys((*known, *facts.mentioned()))
    if actor is not None:
        with suppress(BoundReached):  # of more than it reads, none is proposed
            entities.update(dict.fromkeys(facts.subjects(OWNER, actor)))
    kinds = {kind for form in forms for kind in form.kinds}
    rest = {entity for entity in known if kinds and kinds.isdisjoint(facts.objects(entity, TYPE))}

    inside = [e for e in entities if names.inside(e) and (e not in known or shown(e, actor, facts))]
    return [names.name(entity) for entity in sorted(inside, key=lambda e: (e in rest, e))]


def nearest(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """The most alike names, best first."""
    found = process.extract(
        name, list(known), scorer=fuzz.ratio, processor=str.casefold, limit=NEAREST_SHOWN, score_cutoff=NEAREST_CUTOFF
    )
    return tuple(match for match, _, _ in found)
