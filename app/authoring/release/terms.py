"""Terms that were released stay: others use them (ontologies/README: never deleted or given another meaning)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from app.authoring.answers import short
from app.authoring.diff.difference import Act, Change, Difference, Part
from app.authoring.problems import Check, Problem, Severity

GONE: Final = Check(
    "released_term_gone",
    Severity.ERROR,
    "a released term is deleted or renamed",
    "what others wrote with a term must go on meaning what it meant",
)
MEANING_NOT_TOLD: Final = Check(
    "definition_not_told",
    Severity.ERROR,
    "the definition of a released term is another one, and the changelog of the pack does not say so",
    "whoever uses a term must know where it may mean something else, and a term that does is another term",
)


def gone_problems(difference: Difference) -> Iterator[Problem]:
    """A problem for each term that only the release before has."""
    for change in difference.changes:
        if change.part is not Part.TERM or change.act not in (Act.REMOVED, Act.RENAMED):
            continue
        is_renamed = change.act is Act.RENAMED
        old = change.old[0] if is_renamed else short(change.subject)
        by = short(change.subject) if is_renamed else "the term that takes its place, if one does"
        message = f"`{old}` was released, and is " + (f"called `{by}` now" if is_renamed else "gone")
        hint = f"keep it with its type and label, and add: owl:deprecated true ; dcterms:isReplacedBy {by}"
        yield Problem(GONE, message, term=change.subject, hint=hint)


def meaning_changes(difference: Difference) -> tuple[Change, ...]:
    """The definitions that say something else than in the release before, or nothing any more."""
    return tuple(
        change for change in difference.changes if change.part is Part.DEFINITION and change.act is not Act.ADDED
    )
