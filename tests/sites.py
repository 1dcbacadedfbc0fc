"""A site as its readers' programs meet it: its pages parsed, its links followed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from html.parser import HTMLParser
from posixpath import dirname, join, normpath
from urllib.parse import unquote, urlsplit

import html5rdf  # type: ignore[import-untyped]

from app.authoring.doc import pages, read_subject
from app.edition import Edition
from tests.packs import PACKS, ROOT

EDITION = Edition(ROOT / "ontologies", ROOT / "rules")
NAMES = [path.name for path in PACKS]
VOID = {"meta", "link", "input", "img", "br", "hr"}
Site = Mapping[str, str]


class Page(HTMLParser):
    """A page as a reader's program meets it: its ids, links, elements and text; every element must be closed."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.elements = Counter[str]()
        self.words: list[str] = []
        self.scripts: list[str] = []
        self.open: list[str] = []
        self.feed(source)
        self.close()
        assert self.open == []
        self.text = " ".join("".join(self.words).split())

    def handle_starttag(self, name: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[name] += 1
        if name not in VOID:
            self.open.append(name)
        for key, value in attrs:
            self.attributes.append((name, key, value or ""))
            if key == "id":
                self.ids.append(value or "")
            if key in {"href", "src"}:
                self.links.append(value or "")

    def handle_endtag(self, name: str) -> None:
        assert self.open.pop() == name
        if name in {"td", "th"}:
            self.words.append(" ")

    def handle_data(self, data: str) -> None:
        (self.scripts if self.open and self.open[-1] == "script" else self.words).append(data)


def site_of(edition: Edition, *names: str) -> dict[str, str]:
    return dict(pages([read_subject(edition, name) for name in names]))


@cache
def whole() -> dict[str, str]:
    """The site of all packs, core first."""
    return site_of(EDITION, *sorted(NAMES, key=lambda name: (name != "core", name)))


@cache
def parsed() -> dict[str, Page]:
    """Its pages."""
    return parse(whole())


def parse(site: Site) -> dict[str, Page]:
    return {path: Page(text) for path, text in site.items() if path.endswith(".html")}


def faults(site: Site, read_pages: Mapping[str, Page]) -> Iterator[str]:
    """What is wrong with links, anchors and ids; a link leads nowhere but into the site."""
    for path, page in read_pages.items():
        yield from (f"{path}: the id {i} is there {n} times" for i, n in Counter(page.ids).items() if n > 1)
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                yield f"{path}: {link} leads out of the site"
                continue
            target = normpath(join(dirname(path), unquote(parts.path))) if parts.path else path
            if target not in site:
                yield f"{path}: nothing is at {link}"
            elif parts.fragment and unquote(parts.fragment) not in read_pages[target].ids:
                yield f"{path}: {link} has no such anchor"


def html_faults(source: str) -> list[str]:
    parser = html5rdf.HTMLParser()
    parser.parse(source)
    return [f"{place}: {code} {data}" for place, code, data in parser.errors]
