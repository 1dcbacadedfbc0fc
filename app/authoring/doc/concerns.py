"""Which properties concern a class: by range, axioms, shapes, and what the worlds of the pack state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from app.authoring.doc.stated import Stated
from app.authoring.doc.worlds_read import WorldShown
from app.vocab import ALT_LABEL, DOMAIN, LABEL, OWL, RANGE, SUB_CLASS, TYPE, dac

_DESCRIBING: Final = {LABEL, ALT_LABEL, TYPE, SUB_CLASS, dac("affords"), dac("norm"), dac("constraint"), dac("group")}
_DEEPEST: Final = 12


class Concern(NamedTuple):
    """How a property concerns a class; `world` is where, if it is the facts of one world that say so."""

    how: str
    world: str = ""


Concerns = Mapping[str, Mapping[str, tuple[Concern, ...]]]


def concerns(
    stated: Stated, classes: set[str], object_properties: set[str], worlds: tuple[WorldShown, ...]
) -> Concerns:
    """The properties that concern each class, and how."""
    found: dict[str, dict[str, dict[Concern, None]]] = {}

    def note(iri: str, path: str, concern: Concern) -> None:
        if iri in classes:
            found.setdefault(iri, {}).setdefault(path, {})[concern] = None

    for path, said in stated.out.items():
        for range_ in said.get(RANGE, ()):
            note(str(range_), path, Concern("its values are of this class"))
        for domain in said.get(DOMAIN, ()):
            note(str(domain), path, Concern("what has it is of this class"))
    for iri in classes:
        for predicate in (SUB_CLASS, OWL + "equivalentClass"):
            for node in stated.nodes(iri, predicate):
                for path, filler in _restricted(node, stated, 0):
                    note(iri, path, Concern("restricted for this class"))
                    note(filler, path, Concern("a restriction names this class"))
        for path, objects in stated.out.get(iri, {}).items():
            if path in object_properties and path not in _DESCRIBING:
                note(iri, path, Concern("said of the class itself"))
                for o in objects:
                    note(str(o), path, Concern("said of another class, with this one"))
        for kept in stated.shapes.get(iri, ()):
            if kept.path:
                note(iri, kept.path, Concern("a shape of the pack asks for it"))
    for node, said in stated.out.items():
        if node.startswith("_:") and said.get(SUB_CLASS):
            for path, filler in _restricted(node, stated, 0):
                for iri in stated.names(node, SUB_CLASS):
                    note(iri, path, Concern("whatever has it so is of this class"))
                note(filler, path, Concern("a restriction names this class"))
    for world in worlds:
        for how, by_class in (("members have it in", world.has), ("members are its values in", world.is_value)):
            for iri, paths in by_class.items():
                for path in paths:
                    note(iri, path, Concern(how, world.name))
    return {iri: {path: tuple(sorted(each)) for path, each in paths.items()} for iri, paths in found.items()}


def _restricted(node: str, stated: Stated, depth: int) -> Iterator[tuple[str, str]]:
    """The properties that an expression restricts, each with a class it is restricted to, empty where to none."""
    if depth > _DEEPEST:
        return
    fillers = [
        o
        for predicate in ("allValuesFrom", "someValuesFrom", "onClass")
        for o in stated.objects(node, OWL + predicate)
        if isinstance(o, str)
    ]
    for path in stated.names(node, OWL + "onProperty"):
        named = [o for o in fillers if not o.startswith("_:")]
        yield from ((path, filler) for filler in named or [""])
    further = [o for o in fillers if o.startswith("_:")]
    for predicate in ("intersectionOf", "unionOf"):
        for head in stated.objects(node, OWL + predicate):
            further += [m for m in stated.members(head) if isinstance(m, str) and m.startswith("_:")]
    further += stated.nodes(node, OWL + "complementOf")
    for each in further:
        yield from _restricted(each, stated, depth + 1)
