"""The worlds of a pack: the list, and for each its entities with what they are."""

from __future__ import annotations

from app.authoring.doc.frame import facts, filter_box, table
from app.authoring.doc.html import Child, Html, between, join, tag
from app.authoring.doc.site import Leaf
from app.authoring.doc.worlds_read import Entity, WorldShown


def worlds_page(leaf: Leaf) -> Html:
    """The M-Instances that the pack brings."""
    rows = [
        [
            leaf.world(world.name),
            tag("code", world.instance.identifier),
            str(len(world.entities)),
            ", ".join(world.instance.packs),
        ]
        for world in leaf.subject.worlds
    ]
    lead = "M-Instances that the pack brings, to try and to serve."
    return join(
        tag("h1", "Worlds"), tag("p", lead, class_="lead"), table(("World", "M-Instance", "Entities", "Packs"), rows)
    )


def world_page(world: WorldShown, leaf: Leaf) -> Html:
    """Every entity of a world."""
    described: list[tuple[Child, Child]] = [
        ("M-Instance", tag("code", world.instance.identifier)),
        ("Base", tag("code", world.instance.base)),
        ("U-Environments", ", ".join(sorted(world.instance.u_environments)) or "none"),
    ]
    rows = [_row(entity, leaf) for entity in world.entities]
    return join(
        tag("h1", f"The world {world.name}"),
        facts(described),
        filter_box("entities"),
        table(("Entity", "Class", "At or within", "Owner"), rows, filtered=True),
    )


def _row(entity: Entity, leaf: Leaf) -> list[Child]:
    classes = between(", ", leaf.terms(entity.classes)) if entity.classes else "–"
    return [tag("code", entity.identifier, title=entity.iri), classes, entity.place or "–", entity.owner or "–"]
