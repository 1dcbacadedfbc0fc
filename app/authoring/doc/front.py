"""The first page of a site: the packs shown."""

from __future__ import annotations

from app.authoring.doc.frame import sections
from app.authoring.doc.html import Html, join, tag
from app.authoring.doc.site import Site


def front_page(site: Site) -> Html:
    """The packs, each with what it holds."""
    return join(
        tag("h1", "Packs of Domain Access"),
        tag(
            "p",
            "What words mean in each domain, what its things lend themselves to, and which rules hold.",
            class_="lead",
        ),
        [_pack(site, number) for number in range(len(site.subjects))],
    )


def _pack(site: Site, number: int) -> Html:
    subject = site.subjects[number]
    folder = site.folders[subject.pack.name]
    parts = [
        tag("li", tag("a", title, tag("span", f" {count}", class_="count"), href=f"{folder}/{page}.html"))
        for page, title, count in sections(subject)
        if page != "graph"
    ]
    return tag(
        "article",
        tag("h2", tag("a", subject.pack.title or subject.pack.name, href=f"{folder}/index.html")),
        tag("p", tag("code", subject.pack.source), class_="names"),
        tag("ul", parts, class_="parts"),
        class_="item",
    )
