"""What `domain-access diff` tells of changes that are data: tests/diff/changes, one file each, of the pack workshop.

title       what is changed, and what that must come to
[[edit]]    file; find and replace, or write, or remove = true; `core/...` is core's
[expect]    changes, follows (what is inferred otherwise), flips: all of them, in the order in which they are told
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.authoring.diff import Difference, compare
from app.authoring.diff.difference import MIRRORED, Change, FlipKind
from app.authoring.diff.responsible import ALONE, TOGETHER, UNDOING
from app.authoring.diff.written import because, grouped
from app.knowledge import local_name
from tests.diff_changes import CHANGES, Changed, states

VERDICTS = (FlipKind.REFUSED, FlipKind.ACCEPTED, FlipKind.STATUS, FlipKind.UNJUDGED, FlipKind.REASON)


def told(found: Difference) -> dict[str, list[str]]:
    """A Difference as the files expect it."""
    follows = [
        f"{local_name(c.narrow)} < {local_name(c.wide)} {'+' if c.appears else '-'}" for c in found.consequences
    ]
    flips = []
    for group in grouped(found.flips):
        flip = group.first
        answers = f": {flip.old} -> {flip.new}" if flip.kind in VERDICTS else ""
        cause = f"by {', '.join(map(str, flip.responsible))}" if flip.responsible else f"involved {flip.involved}"
        flips.append(
            f"{flip.kind.name} {flip.question}{answers} {cause}{' together' if flip.how == TOGETHER else ''}"
        )
    return {"changes": [change.title for change in found.changes], "follows": follows, "flips": flips}


@pytest.mark.parametrize("changed", [pytest.param(each, id=each.name) for each in CHANGES])
def test_a_change_is_told_with_what_flips(changed: Changed, tmp_path: Path) -> None:
    """Exactly the changes, consequences and flips that the file lists, each flip with the change responsible."""
    found = compare(*states(changed, tmp_path), ["workshop"], probes=0)
    assert told(found) == {"changes": [], "follows": [], "flips": [], **changed.members["expect"]}
    assert all(because(flip, found.changes) for flip in found.flips)
    assert found.asked.untried == 0
