"""What the OWL 2 RL rules do not infer, by the construct that OWL 2 RL does not have (W3C OWL 2 Profiles, 4.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from app.vocab import OWL

if TYPE_CHECKING:
    from pyhornedowl.profile import Violation

LOST: Final = {
    "super ObjectSomeValuesFrom": "that there is such a thing is not inferred",
    "super DataSomeValuesFrom": "that there is such a value is not inferred",
    "super ObjectMinCardinality": "that there are so many is not inferred",
    "super DataMinCardinality": "that there are so many values is not inferred",
    "super ObjectExactCardinality": "that there are so many is not inferred, nor that there are no more",
    "super DataExactCardinality": "that there are so many values is not inferred, nor that there are no more",
    "super ObjectMaxCardinality": "of a number above 1 nothing is inferred",
    "super DataMaxCardinality": "of a number above 1 nothing is inferred",
    "super ObjectUnionOf": "reasoning by cases is not done",
    "super ObjectOneOf": "that it is one of these is not inferred",
    "super ObjectHasSelf": "that it is so related to itself is not inferred",
    "super DataOneOf": "values outside the list contradict nothing",
    "sub ObjectAllValuesFrom": "nothing is ever inferred to be in it",
    "sub DataAllValuesFrom": "nothing is ever inferred to be in it",
    "sub ObjectComplementOf": "nothing is ever inferred to be in it",
    "sub ObjectMinCardinality": "what has so many is not inferred to be in it",
    "sub ObjectMaxCardinality": "nothing is ever inferred to be in it",
    "sub ObjectExactCardinality": "nothing is ever inferred to be in it",
    "sub DataMinCardinality": "what has so many is not inferred to be in it",
    "sub DataMaxCardinality": "nothing is ever inferred to be in it",
    "sub DataExactCardinality": "nothing is ever inferred to be in it",
    "sub ObjectHasSelf": "what is so related to itself is not inferred to be in it",
    "super Class": "owl:Thing has no place there; nothing is lost by that",
    "sub Class": "that everything is in a class is not inferred",
    "axiom DisjointUnion": "that a member is in one of the parts is not inferred",
    "axiom ReflexiveObjectProperty": "that everything is so related to itself is not inferred",
    "axiom DatatypeDefinition": "which values the datatype has is not inferred",
    "axiom DataRange": "values outside the range contradict nothing",
}
"""What the rules do not infer, by where a construct stands and which it is."""

NOT_ALL: Final = "not all that it implies is inferred"
_PARTS: Final = {
    "super": {"ObjectIntersectionOf": "super", "ObjectAllValuesFrom": "super", "ObjectComplementOf": "sub"},
    "sub": {"ObjectIntersectionOf": "sub", "ObjectUnionOf": "sub", "ObjectSomeValuesFrom": "sub"},
}
"""Expressions that OWL 2 RL has on a side as far as it has their parts, and on which side these then stand."""
_SIDES: Final = {"UseOfNonSuperClassExpression": "super", "UseOfNonSubClassExpression": "sub"}


def lost(violation: Violation) -> str:
    """What the rules do not infer of an axiom that OWL 2 RL does not have; nothing where it has it."""
    kind = type(violation).__name__
    if kind in _SIDES:
        found = sorted(set(_lost_in(violation.ce, _SIDES[kind])))  # type: ignore[attr-defined]
        return "; ".join(found) or NOT_ALL
    if kind == "UseOfIllegalAxiomKind":
        component = type(violation.axiom.component).__name__  # type: ignore[attr-defined]
        return LOST.get(f"axiom {component}", LOST["axiom DataRange"])
    if kind in {"UseOfIllegalClassExpression", "UseOfNonAtomicClassExpression"}:
        return NOT_ALL
    return ""


def _lost_in(expression: Any, side: str) -> Iterator[str]:
    """What is lost by an expression, or by those of its parts that OWL 2 RL does not have."""
    kind = type(expression).__name__
    if kind in _PARTS[side]:
        inner = expression.bce if hasattr(expression, "bce") else expression.first
        for part in inner if isinstance(inner, list) else [inner]:
            yield from _lost_in(part, _PARTS[side][kind])
    elif kind != "Class" or str(expression.first) == OWL + "Thing":
        known = LOST.get(f"{side} {kind}")
        if known:
            yield known
