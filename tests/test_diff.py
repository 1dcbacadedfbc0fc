"""What `domain-access diff` tells of changes that are data: tests/diff/changes, one file each, of the pack workshop.

title       what is changed, and what that must come to
[[edit]]    file; find and replace, or write, or remove = true; `core/...` is core's
[expect]    changes, follows (what is inferred otherwise), flips, of_one_state (worlds that the other lacks): all of
            them, in the order in which they are told
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.authoring.diff import Difference, compare
from app.authoring.diff.difference import MIRRORED, Change, FlipKind
from app.authoring.diff.responsible import ALONE, TOGETHER, UNDOING
from app.authoring.diff.written import because, grouped
from app.errors import PackError
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
    of_one = list(found.asked.one_sided)
    return {"changes": [c.title for c in found.changes], "follows": follows, "flips": flips, "of_one_state": of_one}


@pytest.mark.parametrize("changed", [pytest.param(each, id=each.name) for each in CHANGES])
def test_a_change_is_told_with_what_flips(changed: Changed, tmp_path: Path) -> None:
    """Exactly the changes, consequences and flips that the file lists, each flip with the change responsible."""
    found = compare(*states(changed, tmp_path), ["workshop"], probes=0)
    assert told(found) == {"changes": [], "follows": [], "flips": [], "of_one_state": [], **changed.members["expect"]}
    assert all(because(flip, found.changes) for flip in found.flips)
    assert found.asked.untried == 0


def test_the_changes_are_all_there() -> None:
    """As many as were written, each with an expectation, and every kind of change and of flip among them."""
    assert len(CHANGES) >= 34
    assert [each.name for each in CHANGES if "expect" not in each.members] == []
    every = [line for each in CHANGES for lines in each.members["expect"].values() for line in lines]
    for word in ("renamed", "moved", "deprecated", "added", "removed", "changed"):
        assert any(f" {word}: " in line for line in every)
    kinds = {line.split()[0] for line in every if line.split()[0].isupper()}
    assert kinds >= {"REFUSED", "ACCEPTED", "STATUS", "WORDING", "GROUNDING", "AFFORDANCE", "CONSTRAINT", "QUESTION"}


@pytest.mark.parametrize("name, probes", [("two_causes", 0), ("entity_removed", 30)])
def test_a_difference_is_the_mirror_of_the_difference_the_other_way(name: str, probes: int, tmp_path: Path) -> None:
    """OLD and NEW exchanged: what was added is removed, what was refused is accepted, by the same changes."""
    (changed,) = (each for each in CHANGES if each.name == name)
    old, new = states(changed, tmp_path)
    one, other = (compare(*sides, ["workshop"], probes=probes) for sides in ((old, new), (new, old)))
    assert [mirrored(change) for change in one.changes] == list(other.changes)
    kinds = {FlipKind.REFUSED: FlipKind.ACCEPTED, FlipKind.ACCEPTED: FlipKind.REFUSED}
    hows = {UNDOING: ALONE, ALONE: UNDOING}
    there = {(f.source, f.kind, f.old, f.new, f.rules, f.responsible, f.how) for f in other.flips}
    back = {
        (f.source, kinds.get(f.kind, f.kind), f.new, f.old, f.rules, f.responsible, hows.get(f.how, f.how))
        for f in one.flips
    }
    assert back == there != set()
    assert one.asked == other.asked


def mirrored(change: Change) -> Change:
    """A change as it is told from the other side."""
    keys = tuple(replace(each, old=each.new, new=each.old) for each in change.keys)
    act = MIRRORED.get(change.act, change.act)
    return replace(change, act=act, old=change.new, new=change.old, keys=keys)


def test_nothing_is_run_where_nothing_changed(tmp_path: Path) -> None:
    """Equal files are seen by their digests: nothing is asked, nothing even parsed."""
    (changed,) = (each for each in CHANGES if each.name == "reformatted_turtle")
    old, _ = states(changed, tmp_path)
    steps: list[str] = []
    found = compare(old, old, [], progress=steps.append)
    assert (bool(found), steps) == (False, [])
    assert found.packs[0] == "core"


def test_what_cannot_be_read_is_told_with_its_place(tmp_path: Path) -> None:
    """A file of one state that is no Turtle, and one that is no TOML: both at once are not needed, each is told."""
    (changed,) = (each for each in CHANGES if each.name == "rule_reworded")
    old, new = states(changed, tmp_path)
    (new.folder("workshop") / "ontology.ttl").write_text("workshop:Tool a", encoding="utf-8")
    with pytest.raises(PackError, match=r"ontology\.ttl:1: no Turtle"):
        compare(old, new, ["workshop"])
    with pytest.raises(PackError, match="neither state has a pack `workshpo`") as caught:
        compare(old, new, ["workshpo"])
    assert caught.value.faults[0].hint == "did you mean `workshop`?"
