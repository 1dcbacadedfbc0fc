"""Where each thing has its place in a site, and the links that lead there; what has no page gets no link."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from posixpath import dirname, relpath
from typing import Final
from urllib.parse import quote

from app.authoring.doc.html import Child, Html, prose, tag
from app.authoring.doc.named import NAMED, expanded
from app.authoring.doc.subject import CLASSES, DATATYPES, INDIVIDUALS, PROPERTIES, Subject
from app.knowledge import local_name
from app.rules import Rule

_TAKEN: Final = (
    "content",
    "count",
    "filter",
    "index",
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{d}{n}" for d in ("com", "lpt") for n in range(10)),
)
"""Names that pages use themselves, and those of devices, which no file can have everywhere."""
NEED: Final = "need "
"""Tells the place of a need from that of an Action."""
_UNFIT: Final = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST: Final = 80


class Names:
    """File names and anchors: safe everywhere, and no two alike even where case does not count."""

    def __init__(self) -> None:
        self._taken = set(_TAKEN)

    def of(self, text: str) -> str:
        """A name for a text; the same texts in the same order get the same names."""
        base = _UNFIT.sub("-", text).strip("-")[:_LONGEST] or "unnamed"
        name, number = base, 1
        while name.casefold() in self._taken:
            number += 1
            name = f"{base}-{number}"
        self._taken.add(name.casefold())
        return name


@dataclass(frozen=True, slots=True)
class Site:
    """The packs shown, and where their things are: the path of a page from the root, perhaps with an anchor.

    `narrower` are the classes of all packs shown that are directly below a class, each with its pack.
    """

    subjects: tuple[Subject, ...]
    folders: dict[str, str]
    terms: dict[str, str]
    owners: dict[str, Subject]
    rules: dict[tuple[str, str], str]
    actions: dict[str, str]
    worlds: dict[tuple[str, str], str]
    narrower: dict[str, tuple[tuple[Subject, str], ...]]

    @classmethod
    def of(cls, subjects: Iterable[Subject]) -> Site:
        """The site of some packs."""
        shown = tuple(subjects)
        names = Names()
        folders = {subject.pack.name: names.of(subject.pack.name) for subject in shown}
        site = cls(shown, folders, {}, {}, {}, {}, {}, {})
        narrower: dict[str, list[tuple[Subject, str]]] = {}
        for subject in shown:
            folder = folders[subject.pack.name]
            site.terms.update(_term_places(subject, folder))
            site.owners.update((iri, subject) for iris in subject.terms.values() for iri in iris)
            site.rules.update(_rule_places(subject, folder))
            site.actions.update(_action_places(subject, folder))
            site.worlds.update(_world_places(subject, folder))
            for iri in subject.terms[CLASSES]:
                for above in subject.direct[iri]:
                    narrower.setdefault(above, []).append((subject, iri))
        site.narrower.update((iri, tuple(found)) for iri, found in narrower.items())
        return site


@lru_cache(maxsize=100_000)
def _relative(page: str, folder: str) -> str:
    """A page as seen from a folder."""
    return quote(relpath(page, folder or "."))


def _term_places(subject: Subject, folder: str) -> Iterator[tuple[str, str]]:
    """A page for each class; an anchor on the page of its kind for each other term."""
    for page, kinds in (
        (CLASSES, (CLASSES,)),
        (PROPERTIES, (PROPERTIES, DATATYPES)),
        *((k, (k,)) for k in INDIVIDUALS),
    ):
        names = Names()
        iris = (iri for kind in kinds for iri in subject.terms[kind])
        for iri in sorted(iris, key=lambda iri: (local_name(iri), iri)):
            name = names.of(local_name(iri))
            yield iri, f"{folder}/class/{name}.html" if page == CLASSES else f"{folder}/{page}.html#{name}"


def _rule_places(subject: Subject, folder: str) -> Iterator[tuple[tuple[str, str], str]]:
    names = Names()
    for rule in subject.own_rules:
        yield (rule.source, rule.id), f"{folder}/rule/{names.of(rule.id)}.html"


def _action_places(subject: Subject, folder: str) -> Iterator[tuple[str, str]]:
    """Anchors on one page for the Actions, and after them for the needs."""
    names = Names()
    for action in subject.own_actions:
        yield action.name, f"{folder}/actions.html#{names.of(action.name)}"
    for need in subject.own_needs if subject.own_actions else ():
        yield NEED + need.name, f"{folder}/actions.html#{names.of(NEED + need.name)}"


def _world_places(subject: Subject, folder: str) -> Iterator[tuple[tuple[str, str], str]]:
    names = Names()
    for world in subject.worlds:
        yield (subject.pack.name, world.name), f"{folder}/world/{names.of(world.name)}.html"


@dataclass(frozen=True, slots=True)
class Leaf:
    """A page being written: of which pack, and where; it makes the links."""

    site: Site
    subject: Subject
    path: str

    def link(self, place: str | None, *children: Child, **attributes: str) -> Html:
        """A link to a place; without one the children as they are."""
        if place is None:
            return tag("span", *children, **attributes)
        return tag("a", *children, href=self.href(place), **attributes)

    def href(self, place: str) -> str:
        """A place as seen from this page."""
        page, _, anchor = place.partition("#")
        there = _relative(page, dirname(self.path))
        if page == self.path and anchor:
            return f"#{anchor}"
        return f"{there}#{anchor}" if anchor else there

    def term(self, iri: str) -> Html:
        """A term by its name; Actions are terms, too."""
        place = self.site.terms.get(iri)
        if place is None:
            action = next((each for each in self.subject.domain.actions.values() if each.iri == iri), None)
            if action is not None:
                return self.action(action.name)
        owner = self.site.owners.get(iri, self.subject)
        return self.link(place, owner.name(iri), title=owner.short(iri), class_="term")

    def terms(self, iris: Iterable[str]) -> list[Html]:
        """Terms in the order of their names."""
        return [self.term(iri) for iri in self.subject.by_name(iris)]

    def action(self, name: str) -> Html:
        """An Action of MMM-TEC."""
        return self.link(self.site.actions.get(name), name, class_="term action")

    def need(self, name: str) -> Html:
        """What an Action can need."""
        need = self.subject.domain.needs.get(name)
        return self.link(self.site.actions.get(NEED + name), tag("code", name), title=need.title if need else "")

    def rule(self, rule: Rule) -> Html:
        """A rule by its id."""
        return self.link(self.site.rules.get((rule.source, rule.id)), tag("code", rule.id), title=rule.title)

    def world(self, name: str) -> Html:
        """A world of the pack."""
        return self.link(self.site.worlds.get((self.subject.pack.name, name)), name)

    def pattern(self, text: str) -> Html:
        """A pattern, Turtle or SPARQL, its terms linked."""
        said: list[Child] = []
        at = 0
        for found in NAMED.finditer(text):
            iri = expanded(found, self.subject.knowledge.prefixes)
            place = self.site.terms.get(iri) if iri else None
            if place is not None:
                said += [text[at : found.start()], self.link(place, found[0], title=self.subject.name(iri))]
                at = found.end()
        return tag("code", *said, text[at:])

    def block(self, text: str) -> Html:
        """The same on lines of its own."""
        return tag("pre", self.pattern(text.strip("\n")))

    def said(self, text: str) -> Html:
        """A sentence of an author."""
        return prose(text)
