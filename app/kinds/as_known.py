"""What is known so far of a thing: what was not fetched is passed over.

For what only helps to find or to say something; whoever judges reads the facts themselves, where it is a failure.
"""

from __future__ import annotations

from app.facts import Facts, OutsideSituation
from app.vocab import TYPE


def exists(iri: str, facts: Facts) -> bool:
    """Whether anything is known of it."""
    try:
        return facts.known(iri)
    except OutsideSituation:
        return False


def one(subject: str | None, predicate: str, facts: Facts) -> str | None:
    """The thing that a property leads to, the first of several."""
    try:
        found = facts.value(subject, predicate) if subject else None
    except OutsideSituation:
        return None
    return found if isinstance(found, str) else None


def classes_known(thing: str, facts: Facts) -> frozenset[str]:
    """Its classes, inferred ones included."""
    try:
        return frozenset(c for c in facts.objects(thing, TYPE) if isinstance(c, str))
    except OutsideSituation:
        return frozenset()
