"""Places: what is in them, and what is around them."""

from __future__ import annotations

from typing import Final

from app.facts import BoundReached, Facts, OutsideSituation
from app.vocab import AT, TYPE, mmm

PLACE: Final = mmm("Place")
WITHIN: Final = mmm("within")


def contents(space: str, facts: Facts) -> tuple[list[str], bool]:
    """What is placed in a Space or in a place within it, those places included; whether the list was cut short."""
    places, held, cut = [space], dict[str, None](), False
    for place in places:
        for predicate in (WITHIN, AT):
            found, more = facts.some_subjects(predicate, place)
            cut = cut or more
            for each in found:
                if each not in held and each != space:
                    held[each] = None
                    if PLACE in facts.objects(each, TYPE):
                        places.append(each)
    return list(held), cut


def around(place: str, facts: Facts) -> tuple[str, ...]:
    """A place and those around it, the nearest first."""
    try:
        return tuple(p for p in facts.walk(place, WITHIN, inverse=False, least=0) if isinstance(p, str))
    except (OutsideSituation, BoundReached):
        return (place,)
