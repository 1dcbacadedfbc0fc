"""The classes of a pack: as a tree to read and as pictures."""

from __future__ import annotations

from typing import Final

from app.authoring.doc.drawing import Box, draw
from app.authoring.doc.frame import filter_box, section
from app.authoring.doc.html import Html, in_language, join, tag
from app.authoring.doc.site import Leaf
from app.authoring.doc.subject import CLASSES
from app.authoring.doc.terms import DEFINITION
from app.authoring.doc.tree import MOST_BELOW, Part, Row, Tree, parts

LINES: Final = 44
"""About how many lines a picture has."""
_MOST_BESIDE: Final = 2


def classes_page(leaf: Leaf, tree: Tree) -> Html:
    """Every class, below each class that it is directly below."""
    count = len(leaf.subject.terms[CLASSES])
    return join(
        tag("h1", "Classes"),
        tag("p", f"{count} classes. Indented: narrower. Grey: a class of another pack.", class_="lead"),
        filter_box("classes"),
        _nested([*tree.rows()], leaf),
    )


def _nested(rows: list[Row], leaf: Leaf) -> Html:
    """Rows with their depth as lists within lists."""
    written: list[str] = []
    depth = -1
    for row in rows:
        if row.depth > depth:
            written.append('<ul class="tree">')
        else:
            written.append("</li>" + "</ul></li>" * (depth - row.depth))
        depth = row.depth
        written.append(f"<li data-item>{_line(row, leaf)}")
    written.append("</li>" + "</ul></li>" * depth + "</ul>" if rows else "")
    return Html("".join(written))


def _line(row: Row, leaf: Leaf) -> Html:
    subject = leaf.subject
    own = subject.is_own(row.iri)
    definition = next(iter(subject.texts(row.iri, DEFINITION)), None) if own and not row.again else None
    return tag(
        "div",
        leaf.term(row.iri),
        None if own else tag("small", f" {subject.short(row.iri).partition(':')[0]}"),
        tag("small", " (what is below it: see above)") if row.again else None,
        tag("span", in_language(definition), class_="said") if definition else None,
        class_="line" if own else "line other",
    )


def graph_page(leaf: Leaf, tree: Tree) -> Html:
    """The pictures of the classes: as many as it takes for each to be legible."""
    shown = parts(tree, LINES)
    numbers = {top: f"part-{number}" for number, part in enumerate(shown, 1) for top in part.tops}
    lead = (
        "From left to right: from wider to narrower. Dashed: a class of another pack. “+12”: twelve classes below "
        "it, drawn in a picture of their own. Beside a class: what else it is directly below."
    )
    figures = [
        tag(
            "section",
            tag(
                "h2",
                ", ".join(leaf.subject.name(top) for top in part.tops[:6]) + (" …" if len(part.tops) > 6 else ""),
            ),
            picture(part, tree, leaf, numbers),
            id=numbers[part.tops[0]],
        )
        for part in shown
    ]
    single = [tag("li", leaf.term(each)) for each in tree.single()]
    alone = section("None above, none below", tag("ul", single, class_="parts")) if single else None
    return join(tag("h1", "Pictures of the classes"), tag("p", lead, class_="lead"), figures, alone)


def picture(part: Part, tree: Tree, leaf: Leaf, numbers: dict[str, str]) -> Html:
    """One picture."""
    boxes = [_box(top, part, tree, leaf, numbers, "") for top in part.tops]
    label = "Classes below " + ", ".join(leaf.subject.name(top) for top in part.tops[:6])
    return tag("div", draw(boxes, label), class_="drawing", tabindex=0, role="region", aria_label=label)


def _box(iri: str, part: Part, tree: Tree, leaf: Leaf, numbers: dict[str, str], below: str) -> Box:
    place = leaf.site.terms.get(iri)
    own = leaf.subject.is_own(iri)
    others = [leaf.subject.name(c) for c in leaf.subject.direct.get(iri, ()) if c != below]
    box = Box(
        label=leaf.subject.name(iri),
        href=leaf.href(place) if place else None,
        kind="own" if own else "other",
        note=_also(others) if below else "",
    )
    narrower = tree.drawn_below(iri)
    if iri in part.opened:
        box.below = [_box(each, part, tree, leaf, numbers, iri) for each in narrower[:MOST_BELOW]]
        if len(narrower) > MOST_BELOW:
            box.below.append(Box(f"{len(narrower) - MOST_BELOW:,} more", box.href, "other"))
    elif narrower:
        box.more = _count(iri, tree)
        box.href = leaf.href(f"{leaf.path.rpartition('/')[0]}/graph.html#{numbers[iri]}")
    return box


def _also(others: list[str]) -> str:
    """The other superclasses, of many the first two."""
    more = f" +{len(others) - _MOST_BESIDE}" if len(others) > _MOST_BESIDE else ""
    return f"also {', '.join(others[:_MOST_BESIDE])}{more}" if others else ""


def _count(iri: str, tree: Tree) -> int:
    waiting, count = list(tree.drawn_below(iri)), 0
    while waiting:
        count += 1
        waiting += tree.drawn_below(waiting.pop())
    return count
