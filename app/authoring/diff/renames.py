"""Terms that have another IRI now: found by what is said of them, told with that evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import pyoxigraph as ox
from rapidfuzz import fuzz

from app.authoring.diff.statements import Statement, Statements, renamed
from app.knowledge import local_name
from app.vocab import LABEL, RDFS, SKOS, TYPE

DEFINITION: Final = SKOS + "definition"
COMMENT: Final = RDFS + "comment"
DEFINED_BY: Final = RDFS + "isDefinedBy"
_ANNOTATING: Final = frozenset({LABEL, DEFINITION, COMMENT, DEFINED_BY, SKOS + "altLabel", SKOS + "notation"})


@dataclass(frozen=True, slots=True)
class Rename:
    """A term of OLD and what it is called in NEW; `evidence` says why that is believed."""

    old: str
    new: str
    evidence: str


def declared(held: Statements) -> dict[str, frozenset[str]]:
    """The terms that an ontology gives a type, each with its types; the ontology itself is none."""
    found: dict[str, set[str]] = {}
    for statement in held.values():
        triple = statement.plain
        if triple is not None and triple.predicate.value == TYPE and isinstance(triple.object, ox.NamedNode):
            found.setdefault(statement.subject, set()).add(triple.object.value)
    ontology = "http://www.w3.org/2002/07/owl#Ontology"
    return {iri: frozenset(types) for iri, types in found.items() if ontology not in types}


def renames(old: Statements, new: Statements) -> list[Rename]:
    """The renames between two states of an ontology, in the order of the old IRIs: each term once, those with the
    best evidence first. The same is found from the other side.
    """
    before, after = declared(old), declared(new)
    gone, come = sorted(before.keys() - after.keys()), sorted(after.keys() - before.keys())
    mine, theirs = _by_subject(old.values(), gone), _by_subject(new.values(), come)
    found: list[tuple[int, float, tuple[str, ...], Rename]] = []
    for one in gone:
        for other in come:
            if before[one] == after[other]:
                strength, evidence = _alike(one, mine[one], other, theirs[other])
                if evidence:
                    likeness = fuzz.ratio(local_name(one), local_name(other))
                    pair = tuple(sorted((one, other)))
                    found.append((-strength, -likeness, pair, Rename(one, other, evidence)))
    taken: set[str] = set()
    chosen: list[Rename] = []
    for _, _, _, rename in sorted(found, key=lambda each: each[:3]):
        if not taken & {rename.old, rename.new}:
            taken |= {rename.old, rename.new}
            chosen.append(rename)
    return sorted(chosen, key=lambda each: each.old)


def _by_subject(held: Iterable[Statement], terms: Iterable[str]) -> Mapping[str, list[Statement]]:
    found: dict[str, list[Statement]] = {term: [] for term in terms}
    for statement in held:
        if statement.subject in found:
            found[statement.subject].append(statement)
    return found


def _alike(one: str, mine: list[Statement], other: str, theirs: list[Statement]) -> tuple[int, str]:
    """How strong the evidence is that two terms are one, and what it is; empty where it is not enough."""
    spoken = renamed({each.key: each for each in mine}, {one: other})
    axioms = {k for k, s in spoken.items() if s.predicate not in _ANNOTATING}
    same_axioms = axioms == {s.key for s in theirs if s.predicate not in _ANNOTATING}
    same: list[str] = []
    for word, predicates in (("label", {LABEL}), ("definition", {DEFINITION, COMMENT})):
        ours = {k for k, s in spoken.items() if s.predicate in predicates}
        shared = ours & {s.key for s in theirs if s.predicate in predicates}
        if shared:
            same.append(word if len(ours) == len(shared) else f"{word} in one language")
    said = (["axioms"] if same_axioms else []) + same
    enough = len(same) == 2 or (same_axioms and bool(same))
    return len(said), f"same {', '.join(said[:-1])} and {said[-1]}" if enough else ""
