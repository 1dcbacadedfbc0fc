"""What is around every page: head, navigation, foot; and the few lines that make a filter box work."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from app.authoring.doc.html import Child, Html, join, tag
from app.authoring.doc.site import Leaf, Site
from app.authoring.doc.subject import CLASSES, NORMS, OTHERS, PROPERTIES, STATES, USES, Subject

STYLE: Final = Path(__file__).with_name("style.css")
_FILTER: Final = """
(function () {
  var box = document.getElementById("filter");
  if (!box) return;
  var items = Array.prototype.slice.call(document.querySelectorAll("[data-item]"));
  var texts = items.map(function (item) { return item.textContent.toLowerCase(); });
  var count = document.getElementById("count");
  box.parentNode.hidden = false;
  box.addEventListener("input", function () {
    var words = box.value.toLowerCase().split(/\\s+/).filter(Boolean), shown = 0;
    items.forEach(function (item, i) {
      item.hidden = !words.every(function (word) { return texts[i].indexOf(word) >= 0; });
      if (!item.hidden) shown += 1;
    });
    count.textContent = words.length && !shown ? "Nothing has these words." : "";
  });
})();
"""


def document(site: Site, path: str, title: str, content: Html, leaf: Leaf | None = None) -> str:
    """A whole page. `leaf` is that of a pack's page."""
    root = "../" * path.count("/")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("title", title),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("link", rel="stylesheet", href=root + "style.css"),
    )
    filtered = 'id="filter"' in content
    body = tag(
        "body",
        tag("a", "Skip to the content", href="#content", class_="skip"),
        tag("header", _packs(site, path, root, leaf), _contents(leaf) if leaf else None, class_="site"),
        tag("main", content, id="content", tabindex=-1),
        tag("footer", tag("p", _foot(leaf))),
        tag("script", Html(_FILTER)) if filtered else None,
    )
    return "<!DOCTYPE html>\n" + tag("html", "\n", head, "\n", body, "\n", lang="en") + "\n"


def _packs(site: Site, path: str, root: str, leaf: Leaf | None) -> Html:
    """The way to the front page and to each pack."""
    found: list[Child] = [
        tag("li", tag("a", "Packs", href=f"{root}index.html", aria_current="page" if path == "index.html" else None))
    ]
    for subject in site.subjects:
        here = leaf is not None and leaf.subject is subject
        href = f"{root}{site.folders[subject.pack.name]}/index.html"
        current = "page" if path == href.removeprefix(root) else "true" if here else None
        found.append(tag("li", tag("a", subject.pack.title or subject.pack.name, href=href, aria_current=current)))
    return tag("nav", tag("ul", found), class_="packs", aria_label="Packs")


def sections(subject: Subject) -> list[tuple[str, str, int]]:
    """The pages of a pack that list something, each with its title and how many it lists; empty ones are not made."""
    terms = subject.terms
    counted = [
        (CLASSES, "Classes", len(terms[CLASSES])),
        ("graph", "Pictures", len(terms[CLASSES])),
        (PROPERTIES, "Properties", len(terms[PROPERTIES]) + len(terms["datatypes"])),
        (USES, "Uses", len(terms[USES])),
        (STATES, "States", len(terms[STATES])),
        (NORMS, "Norms and limits", len(terms[NORMS])),
        (OTHERS, "Individuals", len(terms[OTHERS])),
        ("actions", "Actions", len(subject.own_actions)),
        ("rules", "Rules", len(subject.own_rules)),
        ("worlds", "Worlds", len(subject.worlds)),
        ("questions", "Questions", sum(map(len, subject.questions.values()))),
        ("plans", "Plans", len(subject.plans)),
    ]
    return [each for each in counted if each[2]]


_WITHIN: Final = {"class": CLASSES, "rule": "rules", "world": "worlds"}


def _contents(leaf: Leaf) -> Html:
    """The pages of the pack."""
    folder = leaf.site.folders[leaf.subject.pack.name]
    inside = leaf.path.removeprefix(f"{folder}/")
    part = _WITHIN.get(inside.partition("/")[0], inside.removesuffix(".html"))
    found: list[Child] = [_entry(leaf, f"{folder}/index.html", "Overview", None, part == "index")]
    for page, title, count in sections(leaf.subject):
        shown = None if page == "graph" else count
        found.append(_entry(leaf, f"{folder}/{page}.html", title, shown, part == page))
    return tag("nav", tag("ul", found), class_="contents", aria_label="Pages of the pack")


def _entry(leaf: Leaf, place: str, title: str, count: int | None, here: bool) -> Html:
    counted = tag("span", str(count), class_="count") if count is not None else None
    current = ("page" if leaf.path == place else "true") if here else None
    return tag("li", tag("a", title, counted, href=leaf.href(place), aria_current=current))


def _foot(leaf: Leaf | None) -> Html:
    if leaf is None:
        return join("Made by ", tag("code", "domain-access doc"), " from the files of the packs.")
    return join(
        "Made by ", tag("code", "domain-access doc"), " from the files of ", tag("code", leaf.subject.pack.source)
    )


def filter_box(what: str) -> Html:
    """A box that hides what does not hold the words typed; nothing is lost without it."""
    label = tag("label", f"Filter {what}", for_="filter")
    box = tag("input", type="search", id="filter", autocomplete="off")
    return tag("p", label, " ", box, " ", tag("span", id="count", role="status"), class_="filter", hidden=True)


def table(headings: Sequence[str], rows: Sequence[Sequence[Child]], *, filtered: bool = False) -> Html:
    """A table that scrolls on its own where it is too wide."""
    head = tag("thead", tag("tr", [tag("th", heading, scope="col") for heading in headings]))
    body = tag("tbody", [tag("tr", [tag("td", cell) for cell in row], data_item=filtered) for row in rows])
    return tag(
        "div", tag("table", head, body), class_="wide", tabindex=0, role="region", aria_label=", ".join(headings)
    )


def facts(rows: Sequence[tuple[Child, Child]]) -> Html | None:
    """Some facts, each with what it is of."""
    if not rows:
        return None
    return tag("dl", [[tag("dt", name), tag("dd", value)] for name, value in rows])


def section(title: str, *children: Child) -> Html | None:
    """A part of a page under its heading; None where it would be empty."""
    body = join(*children)
    return tag("section", tag("h2", title), body) if body else None
