"""Two states of a world, or of shapes -> what is stated otherwise, by entity and property."""

from __future__ import annotations

from app.authoring.diff.difference import Act, Change, Part
from app.authoring.diff.statements import Statement
from app.authoring.diff.terms import States


def fact_changes(states: States, part: Part) -> list[Change]:
    """A change for each entity that comes or goes, and for each property of one that has other values.

    `about` is the property, or the name of the file for an entity as a whole.
    """
    before = {s.subject for s in states.spoken.values()}
    after = {s.subject for s in states.new.values()}
    gone, come = _by_subject(states.removed), _by_subject(states.added)
    changes: list[Change] = []
    for subject in sorted(gone.keys() | come.keys()):
        removed, added = gone.get(subject, []), come.get(subject, [])
        if subject and (subject not in before) != (subject not in after):
            act = Act.REMOVED if subject in before else Act.ADDED
            changes.append(states.change(part, act, subject, removed, added, about=states.path))
            continue
        for predicate in sorted({s.predicate for s in (*removed, *added)}):
            less = [s for s in removed if s.predicate == predicate]
            more = [s for s in added if s.predicate == predicate]
            about = states.new_says.iri(predicate) if predicate else states.path
            act = Act.CHANGED if less and more else Act.REMOVED if less else Act.ADDED
            changes.append(states.change(part, act, subject, less, more, about=about, values=bool(subject)))
    return changes


def _by_subject(held: list[Statement]) -> dict[str, list[Statement]]:
    found: dict[str, list[Statement]] = {}
    for statement in held:
        found.setdefault(statement.subject, []).append(statement)
    return found
