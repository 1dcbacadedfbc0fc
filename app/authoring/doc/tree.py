"""The classes of a pack as a tree: at the top what they hang on, classes of other packs included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from app.authoring.doc.subject import CLASSES, Subject

MOST_BELOW: Final = 60
"""How many classes are drawn below one; its page lists them all."""
_COLUMNS: Final = 7
"""How many columns of classes a picture has at most."""


class Row(NamedTuple):
    """A line of the tree. `again`: what is below the class was shown where it came first."""

    iri: str
    depth: int
    again: bool


@dataclass(frozen=True, slots=True)
class Tree:
    """`below` names the pack's classes directly below each class; `tops` have none above them here; `bare` are
    those of other packs.

    `first` is the place of a class where there is one only, as in a picture: below its main superclass.
    """

    tops: tuple[str, ...]
    bare: frozenset[str]
    below: Mapping[str, tuple[str, ...]]
    first: Mapping[str, str]

    @classmethod
    def of(cls, subject: Subject) -> Tree:
        """The tree of a pack's classes."""
        own = set(subject.terms[CLASSES])
        below: dict[str, list[str]] = {}
        first: dict[str, str] = {}
        for iri in subject.terms[CLASSES]:
            above = subject.direct[iri]
            for each in above:
                below.setdefault(each, []).append(iri)
            if above:
                first[iri] = subject.main(iri, above)
        tops = [iri for iri in subject.terms[CLASSES] if not subject.direct[iri]]
        bare = frozenset(iri for iri in below if iri not in own)
        return cls(
            tuple(subject.by_name([*tops, *bare])), bare, {iri: tuple(found) for iri, found in below.items()}, first
        )

    def rows(self) -> Iterator[Row]:
        """Every class below each of those it is directly below, from the top; a subtree is written out once."""
        shown: set[str] = set()
        waiting = [(iri, 0) for iri in reversed(self.tops)]
        while waiting:
            iri, depth = waiting.pop()
            narrower = self.below.get(iri, ())
            again = iri in shown and bool(narrower)
            yield Row(iri, depth, again)
            if not again:
                waiting += [(each, depth + 1) for each in reversed(narrower)]
            shown.add(iri)

    def single(self) -> list[str]:
        """The classes of the pack with none above and none drawn below."""
        return [top for top in self.tops if top not in self.bare and not self.drawn_below(top)]

    def drawn_below(self, iri: str) -> tuple[str, ...]:
        """The classes of which this is the one place."""
        return tuple(each for each in self.below.get(iri, ()) if self.first.get(each) == iri)


@dataclass(frozen=True, slots=True)
class Part:
    """What fits into one picture: some tops, and which classes are drawn with those below them."""

    tops: tuple[str, ...]
    opened: frozenset[str]


def parts(tree: Tree, most: int) -> tuple[Part, ...]:
    """Pictures of about `most` lines at most; what has no room in one has a picture of its own, what hangs together
    with nothing has none.
    """
    found: list[Part] = []
    waiting = [top for top in tree.tops if tree.drawn_below(top)]
    tops: list[str] = []
    opened: set[str] = set()
    lines = 0
    while waiting:
        top = waiting.pop(0)
        part, size, closed = _open(tree, top, most)
        if tops and lines + size > most:
            found.append(Part(tuple(tops), frozenset(opened)))
            tops, opened, lines = [], set(), 0
        tops.append(top)
        opened |= part
        lines += size
        waiting[:0] = closed
    if tops:
        found.append(Part(tuple(tops), frozenset(opened)))
    return tuple(found)


def _open(tree: Tree, top: str, most: int) -> tuple[set[str], int, list[str]]:
    """Which classes to draw with those below them, level by level while there is room; the lines this takes; and the
    classes that stay closed.
    """
    opened: set[str] = set()
    closed: list[str] = []
    lines, level = 1, [top]
    for depth in range(_COLUMNS):
        following: list[str] = []
        for iri in level:
            narrower = tree.drawn_below(iri)
            shown = narrower[:MOST_BELOW]
            if not narrower:
                continue
            if iri == top or (depth < _COLUMNS - 1 and lines + len(shown) - 1 <= most):
                opened.add(iri)
                lines += len(shown) - 1
                following += shown
                closed += [each for each in narrower[MOST_BELOW:] if tree.drawn_below(each)]
            else:
                closed.append(iri)
        level = following
    return opened, lines, closed
