"""Which classes come to be below others by inference, or cease to be, and the changes from which that follows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pyoxigraph as ox

from app.authoring.diff.difference import Change, Consequence, Part
from app.knowledge import Knowledge, from_rdf
from app.model import Triple
from app.vocab import SUB_CLASS


def consequences(
    old: Knowledge, new: Knowledge, changes: Sequence[Change], names: Mapping[str, str]
) -> list[Consequence]:
    """The pairs of named classes, both known to both states, that only one of them infers. `names` is what a term of
    OLD is called in NEW.
    """
    was, now = _pairs(old, names), _pairs(new, {})
    known = {names.get(iri, iri) for iri in old.classes} & set(new.classes)
    back = {new_name: old_name for old_name, new_name in names.items()}
    asserted_old = {(names.get(s, s), names.get(str(o), str(o))) for s, p, o in old.origin if p == SUB_CLASS}
    asserted_new = {(s, str(o)) for s, p, o in new.origin if p == SUB_CLASS}
    found: list[Consequence] = []
    for narrow, wide in sorted(was ^ now):
        appears = (narrow, wide) in now
        if not {narrow, wide} <= known or (narrow, wide) in (asserted_new if appears else asserted_old):
            continue
        knowledge = new if appears else old
        said = (narrow, SUB_CLASS, wide) if appears else (back.get(narrow, narrow), SUB_CLASS, back.get(wide, wide))
        premises = knowledge.closure.why_all([said])
        found.append(Consequence(narrow, wide, appears, _because(premises, changes, appears)))
    return found


def _pairs(knowledge: Knowledge, names: Mapping[str, str]) -> set[tuple[str, str]]:
    classes = knowledge.classes
    return {
        (names.get(narrow, narrow), names.get(wide, wide))
        for narrow, above in knowledge.schema.superclasses.items()
        for wide in above
        if narrow in classes and wide in classes and not narrow.startswith("_:") and narrow != wide
    }


def _because(premises: Iterable[Triple], changes: Sequence[Change], appears: bool) -> tuple[int, ...]:
    """The changes that state one of the premises; of a premise with blank nodes, those about the same subject."""
    rests = list(premises)
    plain = {fact for fact in rests if not _blank(fact)}
    about = {fact[0] for fact in rests if _blank(fact) and not fact[0].startswith("_:")}
    found: list[int] = []
    for number, change in enumerate(changes):
        if change.part not in (Part.TERM, Part.AXIOM):
            continue
        triples = [t for patch in change.patches for t in (patch.added if appears else patch.removed)]
        facts = {_fact(t) for t in triples if not isinstance(t.object, ox.Triple)}
        whole = any(_blank(fact) for fact in facts) and any(fact[0] in about for fact in facts)
        if facts & plain or whole:
            found.append(number)
    return tuple(found)


def _fact(triple: ox.Triple) -> Triple:
    return str(from_rdf(triple.subject)), triple.predicate.value, from_rdf(triple.object)


def _blank(fact: Triple) -> bool:
    return fact[0].startswith("_:") or (isinstance(fact[2], str) and fact[2].startswith("_:"))
