"""The first page of a pack: what it is, where it comes from, what it requires, and the way to the rest."""

from __future__ import annotations

from app.authoring.doc.axioms import expression
from app.authoring.doc.classes import LINES, picture
from app.authoring.doc.frame import facts, section, sections
from app.authoring.doc.html import Child, Html, between, join, tag
from app.authoring.doc.site import Leaf
from app.authoring.doc.tree import Tree, parts


def overview_page(leaf: Leaf, tree: Tree, drawn: str) -> Html:
    """What a pack is. `drawn` names a picture file beside the page, empty where there is none."""
    subject = leaf.subject
    return join(
        tag("h1", subject.pack.title or subject.pack.name),
        tag("p", tag("code", subject.pack.source), class_="names"),
        facts(_facts(leaf)),
        section("What is in it", tag("ul", [_part(leaf, *each) for each in sections(subject)], class_="parts")),
        section("Its classes at a glance", _glance(leaf, tree, drawn)),
        section("What it says of the terms of other packs", _said_of_others(leaf)),
    )


def _facts(leaf: Leaf) -> list[tuple[Child, Child]]:
    subject = leaf.subject
    pages = {each.pack.name: f"{leaf.site.folders[each.pack.name]}/index.html" for each in leaf.site.subjects}
    required = [leaf.link(pages.get(name), name) for name in subject.pack.requires]
    sources = tag("ul", [tag("li", source) for source in subject.sources]) if subject.sources else "not stated"
    return [
        ("Version", subject.pack.version),
        ("Licence", subject.licence or "not stated"),
        ("Sources", sources),
        ("Requires", between(", ", required) if required else "nothing"),
    ]


def _part(leaf: Leaf, page: str, title: str, count: int) -> Html:
    folder = leaf.site.folders[leaf.subject.pack.name]
    counted = None if page == "graph" else tag("span", f" {count}", class_="count")
    return tag("li", tag("a", title, counted, href=leaf.href(f"{folder}/{page}.html")))


def _glance(leaf: Leaf, tree: Tree, drawn: str) -> Html | None:
    if drawn:
        alt = f"The classes of {leaf.subject.pack.title}, group by group; the page of classes says the same in words"
        return tag(
            "div", tag("img", src=drawn, alt=alt), class_="drawing card", tabindex=0, role="region", aria_label=alt
        )
    shown = parts(tree, LINES)
    if not shown:
        return None
    numbers = {top: f"part-{number}" for number, part in enumerate(shown, 1) for top in part.tops}
    folder = leaf.site.folders[leaf.subject.pack.name]
    rest = len(shown) - 1
    all_of_them = tag(
        "a", f"{rest} more pictures" if rest > 1 else "One more picture", href=leaf.href(f"{folder}/graph.html")
    )
    return join(picture(shown[0], tree, leaf, numbers), tag("p", all_of_them) if rest else None)


def _said_of_others(leaf: Leaf) -> Html | None:
    """Statements of the pack of which the subject is another's, with what they say."""
    subject = leaf.subject
    found: dict[str, list[Html]] = {}
    own = {iri for iris in subject.terms.values() for iri in iris}
    for (s, p, o), source in subject.stated.source.items():
        if source == subject.pack.source and "#" in s and s not in own and s in subject.knowledge.vocabulary:
            found.setdefault(s, []).append(join(leaf.term(p), " ", expression(o, leaf)))
    rows = [(leaf.term(s), between("; ", found[s])) for s in subject.by_name(found)]
    return facts(rows)
