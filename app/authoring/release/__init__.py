"""A pack as others get it: checked, tested, compared with the release before, and never changed again (DESIGN 8).

canonical.py  Turtle in one form      closure.py    what follows from it
versions.py   which step a change asks for          changelog.py  what the author says of it
terms.py      terms that others use stay            making.py     the folder
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Final

from app.authoring.answers import short
from app.authoring.check import check
from app.authoring.diff import compare
from app.authoring.diff.difference import Change, Difference, Flip
from app.authoring.problems import Check, Problem, Report, Severity, Step
from app.authoring.release.changelog import named, section
from app.authoring.release.making import is_released, make, publish
from app.authoring.release.terms import GONE, MEANING_NOT_TOLD, gone_problems, meaning_changes
from app.authoring.release.versions import SLIGHT_FLIPS, Bump, after, asked_for
from app.authoring.test import test
from app.edition import Edition
from app.errors import PackError
from app.knowledge import read_pack
from app.releases import Release, edition_of, listed, order

UNFIT: Final = Check(
    "release_refused", Severity.ERROR, "no release can be made of the pack", "a release is read whole or not at all"
)
VERSION_TOO_LOW: Final = Check(
    "version_too_low",
    Severity.ERROR,
    "the version does not tell what has changed",
    "who builds on a pack sees from its version whether answers are other ones",
)
NOT_TOLD: Final = Check(
    "flip_not_told",
    Severity.ERROR,
    "an answer flips, and the changelog of the pack does not say so",
    "whoever takes the release must know which answers change before they do",
)
CHECKS: Final = (UNFIT, VERSION_TOO_LOW, NOT_TOLD, GONE, MEANING_NOT_TOLD)
CHANGELOG: Final = "CHANGELOG.md"
_SHOWN: Final = 5

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Released:
    """What came of it: the release, where all is well, and whether it is (or would be) new; why not, in the Report.

    `before` is the version that it follows, `least` the version that the differences ask for at least.
    """

    report: Report
    before: str | None
    least: str
    release: Release | None = None
    is_new: bool = False


def release(
    edition: Edition, pack: str, root: Path, *, dry_run: bool = False, progress: Progress = lambda _: None
) -> Released:
    """Make a release of a pack in a folder of releases, if it passes. Raises PackError where there is no pack."""
    version = read_pack(edition.folder(pack), pack).version
    before = _before(root, pack, version)
    steps = [*check(edition, [pack], progress=progress).steps, *test(edition, [pack], progress=progress).steps]
    begun = perf_counter()
    progress(f"{pack}: comparing with {before.source}" if before else f"{pack}: nothing to compare with")
    difference = compare(edition_of(edition, [before]), edition, [pack]) if before else None
    least = _least(before, difference, version)
    told = [*_version_problems(version, least, difference), *(gone_problems(difference) if difference else ())]
    told += changelog_problems(edition, pack, max(version, least, key=order), difference)
    flips = {"answers that flip": len(difference.flips)} if difference else {}
    steps.append(Step(pack, "version and changelog", perf_counter() - begun, tuple(told), flips))
    found = Released(Report("release", tuple(steps)), before.version if before else None, least)
    if not all(step.passed for step in steps):
        return found
    progress(f"{pack}: making {pack}@{version}")
    return _made(found, edition, pack, root, dry_run=dry_run)


def _made(found: Released, edition: Edition, pack: str, root: Path, *, dry_run: bool) -> Released:
    begun = perf_counter()
    try:
        with _no_empty_folder_left(root):
            made, aside = make(edition, pack, found.before, root)
            try:
                is_new = not is_released(made, root) if dry_run else publish(made, root)
            finally:
                shutil.rmtree(aside, ignore_errors=True)
    except PackError as error:
        problems = tuple(Problem(UNFIT, fault.message, term=fault.where, hint=fault.hint) for fault in error.faults)
        report = Report("release", (*found.report.steps, Step(pack, "release", perf_counter() - begun, problems)))
        return Released(report, found.before, found.least)
    step = Step(pack, "release", perf_counter() - begun, counts={"files": len(made.files)})
    return Released(Report("release", (*found.report.steps, step)), found.before, found.least, made, is_new)


@contextmanager
def _no_empty_folder_left(root: Path) -> Iterator[None]:
    """Take away again what was made of the folder of releases, where nothing came into it."""
    missing = [folder for folder in (root, *root.parents) if not folder.exists()]
    try:
        yield
    finally:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()


def _before(root: Path, pack: str, version: str) -> Release | None:
    """The newest release before this version, of this pack. Raises PackError where it is damaged."""
    earlier = [each for each in listed(root) if each.name == pack and order(each.version) < order(version)]
    if not earlier:
        return None
    newest = earlier[-1]
    if newest.release is None:
        raise PackError(*newest.faults)
    return newest.release


def _least(before: Release | None, difference: Difference | None, version: str) -> str:
    if before is None or difference is None:
        return version
    return after(before.version, max(Bump.PATCH, asked_for(difference)[0]))


def _version_problems(version: str, least: str, difference: Difference | None) -> Iterator[Problem]:
    if difference is None or order(version) >= order(least):
        return
    why = asked_for(difference)[1]
    more = f" and {len(why) - _SHOWN} more" if len(why) > _SHOWN else ""
    hint = f"`version` in pack.toml must be {least} or higher, for: {'; '.join(why[:_SHOWN])}{more}"
    yield Problem(VERSION_TOO_LOW, f"{version} is too low a version for what has changed", hint=hint)


def changelog_problems(edition: Edition, pack: str, version: str, difference: Difference | None) -> Iterator[Problem]:
    """Each flip that the section of this version does not name, by its question, a rule or a change responsible; and
    each definition that is another one, by its term.
    """
    if difference is None:
        return
    weighty = [flip for flip in difference.flips if flip.kind not in SLIGHT_FLIPS]
    to_tell = [
        (NOT_TOLD, f"{flip.kind}: {flip.question}: {flip.old} → {flip.new}", _names_of(flip, difference))
        for flip in weighty
    ]
    to_tell += [(MEANING_NOT_TOLD, change.title, _names_of_change(change)) for change in meaning_changes(difference)]
    if not to_tell:
        return
    path = edition.folder(pack) / CHANGELOG
    said = section(path.read_text(encoding="utf-8"), version) if path.exists() else None
    if said is None:
        for check, what in ((NOT_TOLD, "answers that flip"), (MEANING_NOT_TOLD, "definitions that changed")):
            each_first = [names[0] for of, _, names in to_tell if of is check]
            if each_first:
                first = ", ".join(f"`{name}`" for name in dict.fromkeys(each_first))
                hint = f"add `## {version}` to {CHANGELOG}, naming each of: {first}"
                yield Problem(check, f"{CHANGELOG} has no `## {version}`; {what}: {len(each_first)}", path, hint=hint)
        return
    known = named(said)
    for check, message, names in to_tell:
        if known.isdisjoint(names):
            hint = f"name one of these below `## {version}`: {', '.join(f'`{name}`' for name in names)}"
            yield Problem(check, message, path, hint=hint)


def _names_of(flip: Flip, difference: Difference) -> tuple[str, ...]:
    """What a changelog may call a flip: a change that makes it, a rule that fires otherwise, or what is asked."""
    changes = (difference.changes[number] for number in (*flip.responsible, *flip.involved))
    named_by = (name for each in changes for name in _names_of_change(each))
    return tuple(dict.fromkeys(filter(None, (*named_by, *flip.rules, flip.source, flip.question))))


def _names_of_change(change: Change) -> tuple[str, ...]:
    """What a changelog may call a change: the label of its term or its rule, with prefix, as IRI."""
    return tuple(dict.fromkeys((change.name.strip("'"), short(change.subject), change.subject)))
