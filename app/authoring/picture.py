"""The picture of the core vocabulary: `ontologies/core/core.svg`, written anew from its ontology.

    python -m app.authoring.picture

Above, the few things that everything hangs on; below, every class in the tree of its group (`dac:group`), with the
members of the closed lists. The same ontology gives the same bytes.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

from app.edition import CORE, Edition
from app.errors import Code, Fault, PackError
from app.knowledge import Knowledge, load, local_name
from app.model import Text
from app.vocab import OWL, SUB_CLASS, TYPE, dac, mmm

WIDTH: Final = 1200
COLUMNS: Final = 4
_MARGIN, _GAP, _LINE, _INDENT, _HEADING = 20, 16, 17, 14, 26
_COLUMN: Final = (WIDTH - 2 * _MARGIN - (COLUMNS - 1) * _GAP) // COLUMNS
_LETTERS: Final = 38
"""How many letters of the smallest type fit into a column."""
_GROUP: Final = dac("group")
_INDIVIDUAL: Final = OWL + "NamedIndividual"
_ORDER: Final = (
    *("Metaverse and Universe", "Processes", "Services", "Places", "General", "Human & User", "Process Interaction"),
    *("Service Access", "Finance", "Perception", "Internal State", "Space & Time", "Closed lists", "Domain Access"),
)
_COLOURS: Final = {"Domain Access": "#7a4b00", "Closed lists": "#555555"}
_STYLE: Final = """text { font: 12.5px "DejaVu Sans", Verdana, sans-serif; fill: #1b1b1b }
.title { font-size: 20px; font-weight: bold } .note { font-size: 11px; fill: #555555 }
.heading { font-weight: bold; fill: #ffffff } .box { fill: #ffffff; stroke: #b8c2cc }
.thing { fill: #eaf1f8; stroke: #24557a; stroke-width: 1.5 } .strong { font-weight: bold }
.arrow { stroke: #24557a; stroke-width: 1.5; fill: none; marker-end: url(#tip) }
.twig { stroke: #b8c2cc; fill: none }"""
_TIP: Final = """<defs>
<marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
<path d="M0,0 L8,4 L0,8 z" fill="#24557a"/></marker></defs>"""
_NOTE: Final = (
    "What everything hangs on; below, every class in the tree of its group. "
    "Indented: narrower. Grey below: individuals of a closed list. Grey at the right: the class above, elsewhere."
)


class _Thing(NamedTuple):
    """A box of the overview: its class, and the place of its centre."""

    name: str
    x: int
    y: int


class _Arrow(NamedTuple):
    """A property between two boxes; the label stands `dx`, `dy` from the middle of the arrow."""

    name: str
    start: str
    end: str
    dx: int = 0
    dy: int = -6


_BOX_WIDTH, _BOX_HEIGHT = 132, 34
_TOP: Final = 96
_THINGS: Final = (
    _Thing("Human", 100, _TOP),
    _Thing("User", 330, _TOP),
    _Thing("Rights", 575, _TOP),
    _Thing("ProcessAction", 870, _TOP),
    _Thing("Action", 1100, _TOP),
    _Thing("Wallet", 100, _TOP + 100),
    _Thing("Persona", 330, _TOP + 100),
    _Thing("MLocation", 575, _TOP + 100),
    _Thing("Item", 870, _TOP + 100),
    _Thing("PAStatus", 1100, _TOP + 100),
)
_ARROWS: Final = (
    _Arrow("human", "User", "Human"),
    _Arrow("heldBy", "Rights", "User"),
    _Arrow("processAction", "Rights", "ProcessAction"),
    _Arrow("action", "ProcessAction", "Action"),
    _Arrow("paStatus", "ProcessAction", "PAStatus", 48, -2),
    _Arrow("complement", "ProcessAction", "Item", 46, 4),
    _Arrow("persona", "User", "Persona", 42, 4),
    _Arrow("wallet", "User", "Wallet", -36, -6),
    _Arrow("at", "Persona", "MLocation"),
    _Arrow("at", "Item", "MLocation"),
    _Arrow("owner", "MLocation", "User", 32, 2),
)


def picture(knowledge: Knowledge) -> str:
    """The SVG of a vocabulary. Raises PackError where a class has no known group or the overview lacks a term."""
    trees = _trees(knowledge)
    _check(knowledge, trees)
    body, height = _columns(knowledge, trees, _TOP + 145)
    size = f'width="{WIDTH}" height="{height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {WIDTH} {height}">',
            f"<title>The core vocabulary, {escape(knowledge.packs[0].version)}</title>",
            f"<style>{_STYLE}</style>",
            _TIP,
            f'<rect {size} fill="#f7f9fb"/>',
            f'<text class="title" x="{_MARGIN}" y="38">The core vocabulary</text>',
            f'<text class="note" x="{_MARGIN}" y="58">{_NOTE}</text>',
            *_overview(knowledge),
            *body,
            "</svg>\n",
        ]
    )


def _trees(knowledge: Knowledge) -> Mapping[str, list[str]]:
    """The classes of core by group, in the order of their labels."""
    trees: dict[str, list[str]] = {}
    for iri in sorted(knowledge.classes, key=lambda c: (knowledge.label(c).casefold(), c)):
        for group in knowledge.vocabulary[iri].out.get(_GROUP, ()):
            if isinstance(group, Text):
                trees.setdefault(group.value, []).append(iri)
    return trees


def _check(knowledge: Knowledge, trees: Mapping[str, list[str]]) -> None:
    grouped = {iri for members in trees.values() for iri in members}
    named = [mmm(each.name) for each in (*_THINGS, *_ARROWS)]
    wrong = [
        *(f"the class `{local_name(iri)}` has no dac:group" for iri in knowledge.classes if iri not in grouped),
        *(f"the picture has no group `{group}`" for group in trees if group not in _ORDER),
        *(f"core has no `{local_name(iri)}` to show" for iri in named if iri not in knowledge.vocabulary),
    ]
    if wrong:
        raise PackError(*(Fault(Code.PACK_MEMBER, message) for message in wrong))


def _overview(knowledge: Knowledge) -> Iterator[str]:
    places = {thing.name: thing for thing in _THINGS}
    for arrow in _ARROWS:
        yield from _arrow(arrow, places[arrow.start], places[arrow.end], knowledge.label(mmm(arrow.name)))
    for thing in _THINGS:
        x, y = thing.x - _BOX_WIDTH // 2, thing.y - _BOX_HEIGHT // 2
        label = escape(knowledge.label(mmm(thing.name)))
        yield f'<rect class="thing" x="{x}" y="{y}" width="{_BOX_WIDTH}" height="{_BOX_HEIGHT}" rx="6"/>'
        yield f'<text class="strong" x="{thing.x}" y="{thing.y + 5}" text-anchor="middle">{label}</text>'


def _arrow(arrow: _Arrow, start: _Thing, end: _Thing, label: str) -> Iterator[str]:
    """A straight line from edge to edge: between sides in a row, else from bottom or top."""
    if start.y == end.y:
        way = 1 if end.x > start.x else -1
        x1, y1 = start.x + way * _BOX_WIDTH // 2, start.y
        x2, y2 = end.x - way * _BOX_WIDTH // 2, end.y
    else:
        way = 1 if end.y > start.y else -1
        x1, y1 = start.x, start.y + way * _BOX_HEIGHT // 2
        x2, y2 = end.x, end.y - way * _BOX_HEIGHT // 2
    yield f'<path class="arrow" d="M{x1},{y1} L{x2},{y2}"/>'
    x, y = (x1 + x2) // 2 + arrow.dx, (y1 + y2) // 2 + arrow.dy
    yield f'<text class="note" x="{x}" y="{y}" text-anchor="middle">{escape(label)}</text>'


def _columns(knowledge: Knowledge, trees: Mapping[str, list[str]], top: int) -> tuple[list[str], int]:
    """Each group's box under the shortest column so far, the largest first; and the height of it all."""
    blocks = {group: _rows(knowledge, trees[group]) for group in _ORDER if group in trees}
    heights = [top] * COLUMNS
    body: list[str] = []
    for group in sorted(blocks, key=lambda g: (-len(blocks[g]), _ORDER.index(g))):
        column = heights.index(min(heights))
        drawn, height = _block(group, blocks[group], _MARGIN + column * (_COLUMN + _GAP), heights[column])
        body += drawn
        heights[column] += height + _GAP
    return body, max(heights) - _GAP + _MARGIN


class _Row(NamedTuple):
    """A line of a group's box: its depth, its text, whether it names individuals, the class above elsewhere."""

    depth: int
    text: str
    individuals: bool = False
    above: str = ""


def _rows(knowledge: Knowledge, members: list[str]) -> list[_Row]:
    """The tree of a group: each class below its direct superclasses that are in the group, else at the root."""
    inside = set(members)
    above = {iri: [o for o in _direct(knowledge, iri) if o in inside] for iri in members}
    elsewhere = {iri: ", ".join(map(knowledge.label, _direct(knowledge, iri))) for iri in members if not above[iri]}
    rows: list[_Row] = []

    def grow(iri: str, depth: int) -> None:
        rows.append(_Row(depth, knowledge.label(iri), above=elsewhere.get(iri, "")))
        names = _individuals(knowledge, iri)
        wrapped = textwrap.wrap(", ".join(names), _LETTERS - 2 * (depth + 1), break_on_hyphens=False)
        rows.extend(_Row(depth + 1, line, individuals=True) for line in wrapped)
        for narrower in members:
            if iri in above[narrower]:
                grow(narrower, depth + 1)

    for iri in members:
        if not above[iri]:
            grow(iri, 0)
    return rows


def _direct(knowledge: Knowledge, iri: str) -> Iterable[str]:
    return (o for s, p, o in knowledge.origin if s == iri and p == SUB_CLASS and isinstance(o, str))


def _individuals(knowledge: Knowledge, iri: str) -> list[str]:
    """The individuals declared to be of a class, in the order of the file."""
    return [
        knowledge.label(s)
        for s, p, o in knowledge.origin
        if p == TYPE and o == iri and (s, TYPE, _INDIVIDUAL) in knowledge.origin
    ]


def _block(group: str, rows: list[_Row], x: int, y: int) -> tuple[list[str], int]:
    height = _HEADING + len(rows) * _LINE + 10
    colour = _COLOURS.get(group, "#24557a")
    drawn = [
        f'<rect class="box" x="{x}" y="{y}" width="{_COLUMN}" height="{height}" rx="4"/>',
        f'<rect fill="{colour}" x="{x}" y="{y}" width="{_COLUMN}" height="{_HEADING}" rx="4"/>',
        f'<text class="heading" x="{x + 10}" y="{y + 18}">{escape(group)}</text>',
    ]
    last: dict[int, int] = {}
    for number, row in enumerate(rows):
        left, base = x + 10 + row.depth * _INDENT, y + _HEADING + (number + 1) * _LINE
        if row.depth and not row.individuals:
            drawn.append(f'<path class="twig" d="M{left - 9},{last[row.depth - 1] + 4} V{base - 4} H{left - 2}"/>')
        kind = ' class="note"' if row.individuals else ""
        drawn.append(f'<text{kind} x="{left}" y="{base}">{escape(row.text)}</text>')
        if row.above:
            right = x + _COLUMN - 10
            drawn.append(f'<text class="note" x="{right}" y="{base}" text-anchor="end">{escape(row.above)}</text>')
        last[row.depth] = base
    return drawn, height


def main() -> None:
    """Write the picture beside the ontology of the folder this runs in."""
    edition = Edition(Path("ontologies"), Path("rules"))
    (edition.folder(CORE) / "core.svg").write_text(picture(load(edition, [])), encoding="utf-8")


if __name__ == "__main__":
    main()
