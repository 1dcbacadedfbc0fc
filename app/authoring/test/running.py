"""Cases are read, asked and compared: a Step each, which never ends the others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Final

from app.authoring.answering import Answering
from app.authoring.check.toml_places import place_of
from app.authoring.collected import AnyCase, Ran, files_of, rule_cases_of
from app.authoring.problems import Check, Problem, Severity, Step
from app.edition import Edition
from app.errors import DomainAccessError, Fault, PackError

CASE_FAILED: Final = Check(
    "case_failed",
    Severity.ERROR,
    "A case does not get what it expects",
    "The pack answers otherwise than its author said that it must: the pack or the case is wrong.",
)
CASE_NOT_RUN: Final = Check(
    "case_not_run",
    Severity.ERROR,
    "A case cannot be asked",
    "What cannot be asked tests nothing.",
)
CASE_REPEATED: Final = Check(
    "case_repeated",
    Severity.ERROR,
    "Two cases have one name",
    "A report names a case by its name: of two with one name nobody knows which failed.",
)
UNREADABLE: Final = Check(
    "unreadable",
    Severity.ERROR,
    "A file cannot be read as what it should be",
    "None of its cases is run.",
)

_PLACE: Final = re.compile(r"(?P<file>.*\.(?:toml|ttl))(?::(?P<line>\d+)$|: (?P<key>.*))?")
_TOML_PLACE: Final = re.compile(r"\(at line (\d+), column (\d+)\)$")


@dataclass(frozen=True, slots=True)
class Tried:
    """A case that was run, and its Step; what could not be asked has no answer."""

    case: AnyCase
    step: Step
    ran: Ran


def read_all(edition: Edition, pack: str, answers: Answering) -> tuple[list[AnyCase], list[Step]]:
    """The cases of a pack; and a Step for each file that cannot be read and each name that two cases have."""
    cases: list[AnyCase] = []
    steps: list[Step] = []
    try:
        cases += rule_cases_of(edition, pack, answers.domain((pack,)))
    except PackError as error:
        steps.append(Step(pack, "load", problems=_unreadable(error)))
    for file in files_of(edition, pack):
        problems: tuple[Problem, ...] = ()
        try:
            found = file.cases()
            cases += found
            if not found:
                problems = (Problem(UNREADABLE, "the file holds no case", file.path),)
        except PackError as error:
            problems = _unreadable(error)
        if problems:
            steps.append(Step(pack, f"read:{file.path.parent.name}/{file.path.name}", problems=problems))
    seen: dict[str, AnyCase] = {}
    for case in cases:
        first = seen.setdefault(case.id, case)
        if first is not case:
            problem = Problem(CASE_REPEATED, f"a second case is called `{case.id}`", case.file, case.line)
            steps.append(Step(pack, f"name:{case.id}", problems=(problem,)))
    return list(seen.values()), steps


def run_all(cases: Iterable[AnyCase], answers: Answering) -> Iterator[Tried]:
    """Each case with what it came to."""
    for case in cases:
        begun, ran = perf_counter(), Ran(())
        try:
            ran = case.run(answers)
            problems = tuple(Problem(CASE_FAILED, wrong.message, case.file, wrong.line) for wrong in ran.wrong)
        except DomainAccessError as error:
            problems = tuple(
                Problem(CASE_NOT_RUN, _said(fault), case.file, case.line, hint=fault.hint) for fault in error.faults
            )
        yield Tried(case, Step(case.pack, case.id, perf_counter() - begun, problems), ran)


def _unreadable(error: PackError) -> tuple[Problem, ...]:
    problems = []
    for fault in error.faults:
        place = _PLACE.fullmatch(fault.where)
        if place is None:
            problems.append(Problem(UNREADABLE, _said(fault), hint=fault.hint))
            continue
        message = f"{place['key']}: {fault.message}" if place["key"] else fault.message
        at = _TOML_PLACE.search(fault.message)
        line, column = (int(at[1]), int(at[2])) if at else (int(place["line"] or 0), 0)
        path = Path(place["file"])
        if place["key"] and path.is_file():
            line, column = place_of(path.read_text(encoding="utf-8", errors="replace"), place["key"])
        problems.append(Problem(UNREADABLE, message, path, line, column, hint=fault.hint))
    return tuple(problems)


def _said(fault: Fault) -> str:
    return f"{fault.where}: {fault.message}" if fault.where else fault.message
