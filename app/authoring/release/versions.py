"""Semantic versions of packs (semver.org 2.0.0): which one a change asks for."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Final

from app.authoring.diff.difference import Act, Change, Difference, Flip, FlipKind, Part
from app.releases import order


class Bump(IntEnum):
    """How much a change means to those who build on a pack."""

    NONE = 0
    PATCH = 1
    """Words only: labels, definitions, the wording of Reasons."""
    MINOR = 2
    """More than before: terms, rules and answers that are new."""
    MAJOR = 3
    """Other than before: a term is gone, an answer has flipped."""


def after(version: str, bump: Bump) -> str:
    """The least version that follows one by such a change. Before 1.0.0 a step smaller is enough (semver.org 4)."""
    if bump is Bump.NONE:
        return version
    major, minor, patch = order(version)
    size = max(Bump.PATCH, bump - 1) if major == 0 else bump
    if size == Bump.MAJOR:
        return f"{major + 1}.0.0"
    return f"{major}.{minor + 1}.0" if size == Bump.MINOR else f"{major}.{minor}.{patch + 1}"


STATUS_FLIPS: Final = frozenset({FlipKind.REFUSED, FlipKind.ACCEPTED, FlipKind.UNJUDGED, FlipKind.STATUS})
SLIGHT_FLIPS: Final = frozenset({FlipKind.REASON, FlipKind.REPAIR, FlipKind.WORDING})
_WORDS: Final = frozenset({Part.LABEL, Part.SYNONYM, Part.DEFINITION, Part.PACK, Part.SMALL_WORLD})


def asked_for(difference: Difference) -> tuple[Bump, tuple[str, ...]]:
    """Which step the differences ask for, and those that ask for it."""
    wanted: dict[Bump, list[str]] = {}
    for bump, why in _bumps(difference):
        wanted.setdefault(bump, []).append(why)
    bump = max(wanted, default=Bump.NONE)
    return bump, tuple(dict.fromkeys(wanted.get(bump, ())))


def _bumps(difference: Difference) -> Iterator[tuple[Bump, str]]:
    for change in difference.changes:
        yield _of_change(change), change.title
    for flip in difference.flips:
        yield _of_flip(flip), f"{flip.kind}: {flip.question}"


def _of_change(change: Change) -> Bump:
    if change.part is Part.TERM and change.act in (Act.REMOVED, Act.RENAMED):
        return Bump.MAJOR
    return Bump.PATCH if change.part in _WORDS else Bump.MINOR


def _of_flip(flip: Flip) -> Bump:
    if flip.kind in STATUS_FLIPS:
        return Bump.MAJOR
    return Bump.PATCH if flip.kind in SLIGHT_FLIPS else Bump.MINOR
