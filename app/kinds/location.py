"""Where a SimpleLocation lies: in the smallest place that holds all its boxes, else in those that they overlap.

Metres, in the coordinates of the M-Instance; touching is not overlapping, tolerance 1 mm.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from app.exchange.space import SimpleLocation
from app.facts import Facts
from app.model import Typed
from app.vocab import TYPE, dac, mmm

EXTENT: Final = mmm("extent")
TOLERANCE_M: Final = Decimal("0.001")

Box = tuple[tuple[Decimal, ...], tuple[Decimal, ...]]


def boxes_of(location: SimpleLocation) -> list[Box]:
    """The boxes of a SimpleLocation, least and greatest corner each."""
    found: list[Box] = []
    for part in location.SimpleLocationData or ():
        if part.RightParallelepiped is None or not part.RightParallelepiped.vertices:
            continue
        corner, *others = [tuple(map(Decimal, map(str, vertex))) for vertex in part.RightParallelepiped.vertices]
        spans = [[each - own for each, own in zip(other, corner, strict=True)] for other in others]
        low = tuple(own + sum(min(span[i], Decimal(0)) for span in spans) for i, own in enumerate(corner))
        high = tuple(own + sum(max(span[i], Decimal(0)) for span in spans) for i, own in enumerate(corner))
        found.append((low, high))
    return found


def holds(place: str, boxes: list[Box], facts: Facts) -> bool:
    """Whether all boxes lie in a place; one without extent says nothing against it."""
    extent = _extent(place, facts)
    return extent is None or all(_lies_in(box, extent) for box in boxes)


def places_of(boxes: list[Box], facts: Facts) -> tuple[str, ...]:
    """The smallest M-Location of the Situation that holds all the boxes; else those that any of them overlaps, but
    none that is around another of them (SEMANTICS 6).
    """
    holding: list[tuple[Decimal, str]] = []
    overlapping: list[str] = []
    for entity in facts.entities():
        extent = _extent(entity, facts)
        if extent is None or mmm("MLocation") not in facts.objects(entity, TYPE):
            continue
        if all(_lies_in(box, extent) for box in boxes):
            holding.append((_volume(extent), entity))
        elif any(_overlaps(box, extent) for box in boxes):
            overlapping.append(entity)
    if holding:
        return (min(holding)[1],)
    outer = {o for each in overlapping for o in facts.walk(each, mmm("within"), inverse=False, least=1)}
    return tuple(sorted(each for each in overlapping if each not in outer))


def _extent(place: str, facts: Facts) -> Box | None:
    value = facts.value(place, EXTENT)
    if not isinstance(value, Typed) or value.datatype != dac("box"):
        return None
    numbers = tuple(Decimal(part) for part in value.lexical.split())
    return (numbers[:3], numbers[3:]) if len(numbers) == 6 else None


def _lies_in(box: Box, extent: Box) -> bool:
    (low, high), (least, most) = box, extent
    return all(a >= b - TOLERANCE_M for a, b in zip(low, least, strict=True)) and all(
        a <= b + TOLERANCE_M for a, b in zip(high, most, strict=True)
    )


def _overlaps(box: Box, extent: Box) -> bool:
    (low, high), (least, most) = box, extent
    shared = (min(a, b) - max(c, d) for a, b, c, d in zip(high, most, low, least, strict=True))
    return all(each > TOLERANCE_M for each in shared)


def _volume(extent: Box) -> Decimal:
    (x, y, z), (a, b, c) = extent
    return (a - x) * (b - y) * (c - z)
