"""A site -> its pages, each by its path: the same packs give the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from app.authoring.doc.actions import actions_page
from app.authoring.doc.class_page import class_page
from app.authoring.doc.classes import classes_page, graph_page
from app.authoring.doc.frame import STYLE, document, sections
from app.authoring.doc.front import front_page
from app.authoring.doc.html import Html
from app.authoring.doc.individuals import norms_page, others_page, states_page, uses_page
from app.authoring.doc.overview import overview_page
from app.authoring.doc.plans import plans_page
from app.authoring.doc.properties import properties_page
from app.authoring.doc.questions import questions_page
from app.authoring.doc.rules import rule_page, rules_page
from app.authoring.doc.site import Leaf, Site
from app.authoring.doc.subject import CLASSES, NORMS, OTHERS, PROPERTIES, STATES, USES, Subject
from app.authoring.doc.tree import Tree
from app.authoring.doc.worlds import world_page, worlds_page
from app.authoring.picture import picture as picture_of_core
from app.edition import CORE
from app.errors import PackError

_LISTS: Final[dict[str, Callable[[Leaf], Html]]] = {
    PROPERTIES: properties_page,
    USES: uses_page,
    STATES: states_page,
    NORMS: norms_page,
    OTHERS: others_page,
    "actions": actions_page,
    "rules": rules_page,
    "worlds": worlds_page,
    "questions": questions_page,
    "plans": plans_page,
}


def count(subjects: Iterable[Subject]) -> int:
    """About how many files a site of these packs has: for who waits."""
    return 2 + sum(
        14 + len(subject.terms[CLASSES]) + len(subject.own_rules) + len(subject.worlds) for subject in subjects
    )


def pages(subjects: Iterable[Subject]) -> Iterator[tuple[str, str]]:
    """Every file of the site of some packs: its path from the root, and what it holds."""
    site = Site.of(subjects)
    yield "style.css", STYLE.read_text(encoding="utf-8")
    yield "index.html", document(site, "index.html", "Packs of Domain Access", front_page(site))
    for subject in site.subjects:
        yield from _of_pack(subject, site)


def _of_pack(subject: Subject, site: Site) -> Iterator[tuple[str, str]]:
    folder, title = site.folders[subject.pack.name], subject.pack.title or subject.pack.name
    tree = Tree.of(subject)

    def made(path: str, name: str, write: Callable[[Leaf], Html]) -> tuple[str, str]:
        leaf = Leaf(site, subject, path)
        whole = f"{name} – {title}" if name else title
        return path, document(site, path, whole, write(leaf), leaf)

    drawn = _drawn(subject)
    if drawn:
        yield f"{folder}/classes.svg", drawn
    yield made(f"{folder}/index.html", "", lambda leaf: overview_page(leaf, tree, "classes.svg" if drawn else ""))
    lists = {
        CLASSES: lambda leaf: classes_page(leaf, tree),
        "graph": lambda leaf: graph_page(leaf, tree),
        **_LISTS,
    }
    for page, name, _ in sections(subject):
        yield made(f"{folder}/{page}.html", name, lists[page])
    for iri in subject.terms[CLASSES]:
        yield made(site.terms[iri], subject.name(iri), lambda leaf, iri=iri: class_page(iri, leaf))  # type: ignore[misc]
    for rule in subject.own_rules:
        place = site.rules[rule.source, rule.id]
        yield made(place, rule.id, lambda leaf, rule=rule: rule_page(rule, leaf))  # type: ignore[misc]
    for world in subject.worlds:
        place = site.worlds[subject.pack.name, world.name]
        yield made(place, world.name, lambda leaf, world=world: world_page(world, leaf))  # type: ignore[misc]


def _drawn(subject: Subject) -> str:
    """The picture of the core vocabulary; empty for every other pack, and for a core it does not fit."""
    if subject.pack.name != CORE:
        return ""
    try:
        return picture_of_core(subject.knowledge)
    except PackError:
        return ""
