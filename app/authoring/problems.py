"""What the commands of authors find: problems with their place, step by step (DESIGN 8).

A `Check` is one kind of thing that may be wrong; each stands with the code that looks for it. A `Step` is what was
done for one pack, or why it was not: nothing passes silently. A `Report` is what a command comes to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path


class Severity(StrEnum):
    """How bad it is: an error fails the command, a warning does where that is asked, a note never."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Check:
    """One kind of problem: its code, in snake case and stable; how bad; what is wrong, and why that matters."""

    code: str
    severity: Severity
    title: str
    why: str


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong. `line` and `column` count from 1, 0 where unknown; `term` is the IRI it is about,
    `excerpt` the line as it stands in the file, where seeing it helps.
    """

    check: Check
    message: str
    file: Path | None = None
    line: int = 0
    column: int = 0
    term: str = ""
    hint: str = ""
    excerpt: str = ""

    @property
    def where(self) -> str:
        """`file:line:column`, as far as it is known."""
        known = [shown_path(self.file)] if self.file else []
        return ":".join([*known, *(str(n) for n in (self.line, self.column) if n)])


def shown_path(path: Path) -> str:
    """A path as one would write it here: from the working folder, where it lies below that."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_absolute() and path.is_relative_to(here) else str(path)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing done for a pack: in how many seconds, what was counted, what is wrong; or why it was not done."""

    pack: str
    name: str
    seconds: float = 0.0
    problems: tuple[Problem, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    not_done: str = ""

    def problems_of(self, severity: Severity) -> tuple[Problem, ...]:
        """Those that are so bad."""
        return tuple(problem for problem in self.problems if problem.check.severity is severity)

    @property
    def passed(self) -> bool:
        """Whether it was done and found no error."""
        return not self.not_done and not self.problems_of(Severity.ERROR)


@dataclass(frozen=True, slots=True)
class Report:
    """What a command comes to."""

    command: str
    steps: tuple[Step, ...]

    @property
    def problems(self) -> Iterator[Problem]:
        """All of them, in the order of the steps."""
        return (problem for step in self.steps for problem in step.problems)

    def number(self, severity: Severity) -> int:
        """How many problems are so bad."""
        return sum(problem.check.severity is severity for problem in self.problems)

    @property
    def not_done(self) -> tuple[Step, ...]:
        """The steps that were not done."""
        return tuple(step for step in self.steps if step.not_done)
