"""What stands in a document and where: one walk for every check that looks below the top."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from app.exchange.reader import pointer

Path: TypeAlias = tuple[Any, str | int] | None
"""The way from the document down: what is above, and the last step. A pointer is made of it only when needed."""


@dataclass(frozen=True, slots=True)
class Survey:
    """Every object, outer ones first, each with the way to it; and whether `null` stands anywhere."""

    objects: tuple[tuple[dict[str, Any], Path], ...]
    nulls: bool


def surveyed(document: object) -> Survey:
    """The survey of parsed JSON."""
    objects: list[tuple[dict[str, Any], Path]] = []
    nulls = document is None
    ahead: list[tuple[Any, Path]] = [(document, None)]
    for value, path in ahead:  # grows while it is walked
        if isinstance(value, dict):
            objects.append((value, path))
            entries: Iterable[tuple[str | int, Any]] = value.items()
        elif isinstance(value, list):
            entries = enumerate(value)
        else:
            continue
        for step, inner in entries:
            if type(inner) is dict or type(inner) is list:
                ahead.append((inner, (path, step)))
            elif inner is None:
                nulls = True
    return Survey(tuple(objects), nulls)


def where(path: Path, *steps: str | int) -> str:
    """The JSON pointer of a way, and of what lies below it."""
    while path is not None:
        path, step = path
        steps = (step, *steps)
    return pointer(*steps)


def items(value: Mapping[str, Any], name: str) -> list[Any]:
    """The entries of an array member; none where it is absent or no array."""
    entries = value.get(name)
    return entries if isinstance(entries, list) else []


def segments(survey: Survey) -> Iterator[tuple[dict[str, Any], int, Path]]:
    """Every segment of every SimpleTime whose FlagsByte can be read, with that."""
    for time, path in survey.objects:
        if time.get("Header") == "OSD-STM-V1.5":
            for index, segment in enumerate(items(time, "SimpleTimeData")):
                flags = segment.get("FlagsByte") if isinstance(segment, dict) else None
                if isinstance(flags, int | float) and flags in range(256):
                    yield segment, int(flags), ((path, "SimpleTimeData"), index)
