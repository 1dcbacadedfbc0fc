"""Form 2: a commitment that is a Turtle triple, or one node with what hangs on it.

    Ball mmm:at Hall          is written   <Ball> mmm:at <Hall> .

Prefixes: those of Domain Access and one for each pack by its name; relative IRIs are identifiers of the M-Instance.
What it may say is bounded: facts with declared properties, classes of things, and these notions of OWL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from app.commitments.forms import Form, Meaning, Reading
from app.commitments.names import Scope
from app.errors import PackError
from app.knowledge import read_turtle
from app.model import Triple
from app.vocab import OWL, PREFIXES, RDF, RDFS, SUB_CLASS, TYPE

_LOOKS: Final = re.compile(
    r"\s*(?:<[^<>\s]*>|_:\w+|\[\s*\]|[A-Za-z][\w-]*:[^\s/]\S*)\s+(?:a|<[^<>\s]*>|[\w-]+:\S+)\s+\S"
)
_MOST: Final = 24  # triples of one commitment
_PACK: Final = "https://w3id.org/domain-access/{}#"
_SETTING: Final = Path("commitment")

ABOUT_CLASSES: Final = frozenset({SUB_CLASS, OWL + "disjointWith", OWL + "equivalentClass"})
_IDENTITY: Final = frozenset({OWL + "sameAs", OWL + "differentFrom"})
_BUILDING: Final = frozenset(
    OWL + name
    for name in (
        "onProperty", "someValuesFrom", "allValuesFrom", "hasValue", "maxCardinality", "complementOf", "onClass",
        "maxQualifiedCardinality", "sourceIndividual", "assertionProperty", "targetIndividual", "targetValue",
    )
)  # fmt: skip
_BUILT: Final = frozenset({OWL + "Restriction", OWL + "NegativePropertyAssertion", OWL + "Class"})


def read_triples(text: str, scope: Scope, node: str) -> Reading | None:
    """The reading of what looks like Turtle, None for what does not. `node` distinguishes its blank nodes."""
    if not _LOOKS.match(text):
        return None
    closed = text if text.rstrip().endswith(".") else text + " ."
    try:
        found = list(read_turtle(_SETTING, _header(scope) + closed, scope.names.base))
    except PackError as error:
        return Reading(Form.TEXT, remark=f"it looks like Turtle, but is {error.faults[0].message}")
    fault = _fault(found, scope)
    if fault:
        return Reading(Form.TEXT, remark=fault)
    return Reading(Form.TRIPLE, Meaning(facts=tuple(_renamed(found, node))))


def _header(scope: Scope) -> str:
    packs = {pack.name: _PACK.format(pack.name) for pack in scope.domain.knowledge.packs}
    return "".join(f"@prefix {name}: <{iri}> . " for name, iri in {**packs, **PREFIXES}.items())


def _fault(found: list[Triple], scope: Scope) -> str:
    """What may not be said, or names nothing; empty where all is well."""
    if not found:
        return "it holds no triple"
    if len(found) > _MOST:
        return f"it holds {len(found)} triples; at most {_MOST} are read"
    for s, p, o in found:
        if p == TYPE:
            fault = _class_fault(s, o, scope)
        elif p in ABOUT_CLASSES:
            fault = next((f for f in (_class_name(s, scope), _class_name(o, scope)) if f), "")
        elif p in _IDENTITY:
            fault = next((f for f in (_thing(s, scope), _thing(o, scope)) if f), "")
        elif p in _BUILDING:
            fault = "" if s.startswith("_:") else f"`{scope.names.name(s)}` may not be defined anew"
        elif p in scope.properties:
            fault = _thing(s, scope) or (_thing(o, scope) if isinstance(o, str) and not o.startswith("_:") else "")
        else:
            fault = f"no vocabulary declares the property `{_short(p)}`{scope.nearest(_local(p), things=False)}"
        if fault:
            return fault
    return ""


def _class_fault(s: str, o: object, scope: Scope) -> str:
    if o in _BUILT:
        return "" if s.startswith("_:") else f"`{scope.names.name(s)}` may not be defined anew"
    return _class_name(o, scope) or _thing(s, scope)


def _class_name(term: object, scope: Scope) -> str:
    if not isinstance(term, str):
        return "a literal is no class"
    if term.startswith("_:") or term in scope.domain.knowledge.classes:
        return ""
    return f"no vocabulary declares the class `{_short(term)}`{scope.nearest(_local(term), things=False)}"


def _thing(term: object, scope: Scope) -> str:
    """An entity of the M-Instance that is there, or an individual of the vocabulary."""
    if not isinstance(term, str) or term.startswith("_:") or term in scope.individuals:
        return ""
    if scope.names.inside(term) and scope.known(term):
        return ""
    name = scope.names.name(term) if scope.names.inside(term) else _short(term)
    return f"`{name}` names nothing here{scope.nearest(name)}"


def _renamed(found: Iterable[Triple], node: str) -> Iterable[Triple]:
    """Blank nodes named for the commitment: those of another, or of the packs, are other nodes."""
    numbers: dict[str, int] = {}

    def named(term: object) -> object:
        if isinstance(term, str) and term.startswith("_:"):
            return f"_:{node}.{numbers.setdefault(term, len(numbers))}"
        return term

    for s, p, o in found:
        yield str(named(s)), p, named(o)  # type: ignore[misc]


def _short(iri: str) -> str:
    for name, start in (*PREFIXES.items(), ("rdf", RDF), ("rdfs", RDFS)):
        if iri.startswith(start):
            return f"{name}:{iri[len(start) :]}"
    return iri


def _local(iri: str) -> str:
    return iri.rsplit("#", 1)[-1].rsplit("/", 1)[-1]
