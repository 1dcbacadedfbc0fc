"""A tree as a picture: from left to right, a line for each leaf; SVG that takes its colours from the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final
from unicodedata import east_asian_width

from app.authoring.doc.html import Html, join, tag

_LINE, _BOX, _GAP, _PAD, _BESIDE, _MARGIN = 30, 22, 44, 9, 8, 2
_BEND: Final = 6
_LONGEST: Final = 38
"""How many letters of a name are drawn; the whole is its title."""
_NARROW: Final = frozenset("iljtfrI.,:;'|!()[] -")
_WIDE: Final = frozenset("mwMWOQGD@%&<>=+~^#…")


@dataclass(slots=True)
class Box:
    """A node of the tree. `more` counts the classes below that are drawn elsewhere; `note` stands beside it.

    `kind` is a class of the style sheet: `own`, `other` (of another pack), `here`.
    """

    label: str
    href: str | None = None
    kind: str = "own"
    more: int = 0
    note: str = ""
    below: list[Box] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Placed:
    box: Box
    depth: int
    y: float
    below: tuple[_Placed, ...]


def draw(boxes: Sequence[Box], label: str) -> Html:
    """The picture of some trees, one below the other. Its text can be read, and its links followed by keyboard."""
    placed: list[_Placed] = []
    lines = 0
    for box in boxes:
        one, lines = _place(box, 0, lines)
        placed.append(one)
    every = [each for root in placed for each in _all(root)]
    widths: dict[int, float] = {}
    for each in every:
        taken = _end(each.box) if each.below else _box_width(each.box)
        widths[each.depth] = max(widths.get(each.depth, 0), taken)
    lefts: dict[int, float] = {}
    left: float = _MARGIN
    for depth in sorted(widths):
        lefts[depth] = left
        left += widths[depth] + _GAP
    ends = [lefts[each.depth] + _end(each.box) for each in every]
    width, height = round(max(ends, default=1)) + _MARGIN, lines * _LINE + _MARGIN
    body = [_edges(each, lefts) for each in every] + [_node(each, lefts) for each in every]
    return tag(
        "svg", body, xmlns="http://www.w3.org/2000/svg", width=width, height=height,
        viewBox=f"0 0 {width} {height}", role="group", aria_label=label,
    )  # fmt: skip


def _place(box: Box, depth: int, lines: int) -> tuple[_Placed, int]:
    """Leaves one below the other, each other box beside the first of those below it: a top is seen at once."""
    below: list[_Placed] = []
    for each in box.below:
        placed, lines = _place(each, depth + 1, lines)
        below.append(placed)
    if below:
        return _Placed(box, depth, below[0].y, tuple(below)), lines
    return _Placed(box, depth, lines * _LINE + _LINE / 2, ()), lines + 1


def _all(placed: _Placed) -> Iterable[_Placed]:
    yield placed
    for each in placed.below:
        yield from _all(each)


def _edges(placed: _Placed, lefts: dict[int, float]) -> Html:
    start = lefts[placed.depth] + _end(placed.box)
    found = []
    drawn_to = placed.y
    for each in placed.below:
        end = lefts[each.depth]
        trunk = end - _GAP / 2
        way = f"M{start:.0f},{placed.y:.1f} H{end:.0f}"
        if each.y != placed.y:
            way = f"M{trunk:.0f},{drawn_to:.1f} V{each.y - _BEND:.1f} q0,{_BEND} {_BEND},{_BEND} H{end:.0f}"
            drawn_to = each.y - _BEND
        found.append(tag("path", d=way))
    return join(found)


def _node(placed: _Placed, lefts: dict[int, float]) -> Html:
    box, x, y = placed.box, lefts[placed.depth], placed.y
    drawn = [
        tag("title", box.label) if len(box.label) > _LONGEST else None,
        tag("rect", x=f"{x:.0f}", y=f"{y - _BOX / 2:.1f}", width=f"{_box_width(box):.0f}", height=_BOX, rx=5),
        tag("text", _said(box), x=f"{x + _PAD:.0f}", y=f"{y + 4:.1f}"),
    ]
    named = tag("a", drawn, href=box.href) if box.href else join(drawn)
    beside = f"{x + _box_width(box) + _BESIDE:.0f}"
    note = tag("text", box.note, class_="note", x=beside, y=f"{y + 4:.1f}") if box.note else None
    return tag("g", named, note, class_=box.kind + (" closed" if box.more else ""))


def _said(box: Box) -> str:
    label = box.label if len(box.label) <= _LONGEST else box.label[: _LONGEST - 1] + "…"
    return f"{label} +{box.more}" if box.more else label


def _box_width(box: Box) -> float:
    return _width(_said(box)) + 2 * _PAD


def _end(box: Box) -> float:
    """How far a box reaches with its note."""
    return _box_width(box) + (_BESIDE + _width(box.note) if box.note else 0)


def _width(text: str) -> float:
    """About how wide a text of 13 px is, rather too wide than too narrow: nobody knows the reader's font."""
    return sum(map(_letter, text))


def _letter(c: str) -> float:
    if east_asian_width(c) in "WF":
        return 13.5
    if c in _NARROW:
        return 4.8
    if c in _WIDE:
        return 11.5
    return 8.8 if c.isupper() or c.isdigit() else 7.5
