"""Every case that the packs of an Edition bring, whatever its sort, as values: read once, run in any Edition.

    rule        rules/pa_status/*.toml    `[[case]]`           rule:RULE:NAME
    question    questions/*.toml          `[[question]]`       question:PACK:ASKED
    plan        golden/*.toml             `[[turn]]`, variants golden:PACK[:FILE][:TURN][:VARIANT]
    kind        answers/*.toml            `[[case]]`           answer:PACK:FILE:NAME

    with answering(other) as answers:
        for case in cases_of(edition, ["household"]):
            ran = case.run(answers)

`run` asks the Edition of the Answering, which need not be the one that the case was read from.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar

from app.authoring.answering import Answering
from app.authoring.answers import Case as KindCase
from app.authoring.answers import mismatches, read_cases
from app.authoring.cases import case_facts, case_verdicts, compared, small_world
from app.authoring.golden import Run, read_golden, run_plan
from app.authoring.places import Heading, line_of
from app.authoring.plans import plan_answer
from app.authoring.questions import Question, Row, questions
from app.edition import Edition
from app.errors import Code, Fault, PackError
from app.model import Verdict
from app.nearest import did_you_mean
from app.rules import Domain, Rule, load
from app.rules.forms import Case


class Sort(StrEnum):
    """What is asked by a case."""

    RULE = "rule"
    QUESTION = "question"
    PLAN = "plan"
    KIND = "kind"


@dataclass(frozen=True, slots=True)
class Wrong:
    """One thing that is not as the case says: expected and found, in words, and the line that expects it."""

    message: str
    line: int


@dataclass(frozen=True, slots=True)
class Ran:
    """What a case came to: the answer, by its sort, and what of it is wrong.

    `verdicts` are those of a plan or of a rule case (what goes before included); `rows` those of a question;
    `response` and `explanation` those of a Kind.
    """

    wrong: tuple[Wrong, ...]
    verdicts: tuple[Verdict, ...] = ()
    rows: tuple[Row, ...] = ()
    response: Mapping[str, Any] = field(default_factory=dict)
    explanation: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class AnyCase(ABC):
    """A case of any sort. `id` is unique in its pack; `place` is the block of `file` that states it."""

    sort: ClassVar[Sort]
    id: str
    pack: str
    file: Path
    place: tuple[Heading, ...]

    @property
    def line(self) -> int:
        """Where in its file it begins."""
        return line_of(self.file, *self.place)

    @abstractmethod
    def run(self, answers: Answering) -> Ran:
        """Ask, and compare. Raises PackError where it cannot be asked there."""

    @property
    def judges(self) -> bool:
        """Whether its answer is Verdicts."""
        return self.sort in (Sort.RULE, Sort.PLAN)

    def wrong(self, messages: Iterable[str]) -> tuple[Wrong, ...]:
        """These are not as the case says, at the line where it begins."""
        return tuple(Wrong(message, self.line) for message in messages)


@dataclass(frozen=True)
class OfRule(AnyCase):
    """A case of a rule, in the small world of its pack; the Domain is that of the pack alone."""

    sort = Sort.RULE
    rule: str
    case: Case
    world_text: str

    def run(self, answers: Answering) -> Ran:
        """Judge its statements; a change of the small world that changes nothing is wrong, too."""
        facts, idle = case_facts(self.case, self.world_text)
        if idle:
            return Ran(self.wrong(idle))
        verdicts = case_verdicts(self.case, facts, answers.domain((self.pack,)))
        return Ran(self.wrong(compared(self.rule, self.case, verdicts)), verdicts)


@dataclass(frozen=True)
class OfQuestion(AnyCase):
    """A competency question."""

    sort = Sort.QUESTION
    question: Question

    def run(self, answers: Answering) -> Ran:
        """Ask it of the vocabulary and, where it names one, of a world."""
        asked = self.question.of(answers.edition)
        rows = tuple(asked.answer())
        return Ran(self.wrong(asked.compared(rows)), rows=rows)


@dataclass(frozen=True)
class OfPlan(AnyCase):
    """A golden plan as it stands, or a variant of it."""

    sort = Sort.PLAN
    golden: Run

    def run(self, answers: Answering) -> Ran:
        """Judge it; a step that the plan itself states has its own line."""
        plan = self.golden.plan
        here = answers.world(plan.m_instance).m_instance.u_environments
        if plan.u_environment not in here:
            hint = did_you_mean(plan.u_environment, here, f"known: {', '.join(sorted(here))}")
            raise PackError(Fault(Code.PACK_MEMBER, f"no U-Environment `{plan.u_environment}`", hint=hint))
        judged = answers.judge(plan)
        wrong: list[Wrong] = []
        for check in run_plan(self.golden, lambda _: plan_answer(plan, judged)):
            at = "" if check.step is None else f"step {check.step}: "
            wrong += [Wrong(f"{at}{each}", self._line_of(check.step)) for each in check.mismatches]
        return Ran(tuple(wrong), judged.verdicts)

    def _line_of(self, step: int | None) -> int:
        if step is None or self.golden.variant:
            return self.line
        return line_of(self.file, *self.place, Heading("turn.step", "step", step)) or self.line


@dataclass(frozen=True)
class OfKind(AnyCase):
    """A question of a Kind of knowledge, golden in what of its answer is stated."""

    sort = Sort.KIND
    case: KindCase

    def run(self, answers: Answering) -> Ran:
        """Ask it of the service, in a dialogue of its own."""
        response, explanation = answers.ask(self.case)
        return Ran(self.wrong(mismatches(self.case, response)), response=response, explanation=explanation)


@dataclass(frozen=True, slots=True)
class CaseFile:
    """A file of cases, not read yet."""

    edition: Edition
    sort: Sort
    pack: str
    path: Path

    def cases(self) -> tuple[AnyCase, ...]:
        """Those of a file of questions, plans or answers. Raises PackError with every fault of the file."""
        if self.sort is Sort.QUESTION:
            asked = questions(self.path, self.edition, self.pack)
            return tuple(self._question(each) for each in asked)
        if self.sort is Sort.PLAN:
            runs = read_golden(self.path)
            self._has_worlds(run.plan.m_instance for run in runs)
            return tuple(self._plan(run) for run in runs)
        found = read_cases(self.path)
        self._has_worlds(case.m_instance for case in found)
        return tuple(self._kind(case) for case in found)

    def _question(self, question: Question) -> OfQuestion:
        place = (Heading("question", "ask", question.ask),)
        return OfQuestion(f"question:{self.pack}:{question.ask}", self.pack, self.path, place, question)

    def _plan(self, run: Run) -> OfPlan:
        place: tuple[Heading, ...] = (Heading("turn", number=run.turn),)
        place += (Heading("turn.variant", "name", run.name),) if run.variant else ()
        file = f":{self.path.stem}" if self.path.stem != "plan" else ""
        turn = f":{run.turn_name}" if run.turn_name != "turn" else ""
        variant = f":{run.name}" if run.variant else ""
        return OfPlan(f"golden:{self.pack}{file}{turn}{variant}", self.pack, self.path, place, run)

    def _kind(self, case: KindCase) -> OfKind:
        place = (Heading("case", "name", case.name),)
        return OfKind(f"answer:{self.pack}:{self.path.stem}:{case.name}", self.pack, self.path, place, case)

    def _has_worlds(self, named: Iterable[str]) -> None:
        """Raise PackError for each M-Instance that the pack does not bring."""
        brought = [path.stem for path in self.edition.worlds_of(self.pack)]
        faults = [
            Fault(
                Code.PACK_MEMBER,
                f"the pack brings no world `{name}`",
                where=f"{self.path}: m_instance",
                hint=did_you_mean(name, brought, f"known: {', '.join(brought) or 'none'}"),
            )
            for name in sorted(set(named) - set(brought))
        ]
        if faults:
            raise PackError(*faults)


_FOLDERS = ((Sort.QUESTION, "questions"), (Sort.PLAN, "golden"), (Sort.KIND, "answers"))


def files_of(edition: Edition, pack: str) -> Iterator[CaseFile]:
    """The files of cases that a pack brings, those of its rules left out."""
    for sort, name in _FOLDERS:
        for path in sorted((edition.folder(pack) / name).glob("*.toml")):
            yield CaseFile(edition, sort, pack, path)


def rules_of(edition: Edition, pack: str, domain: Domain) -> Iterator[Rule]:
    """The rules that a pack brings itself, out of those of its Domain."""
    folder = edition.rules_of(pack)
    return (rule for rule in domain.rules.values() if Path(rule.where).is_relative_to(folder))


def rule_cases_of(edition: Edition, pack: str, domain: Domain) -> Iterator[OfRule]:
    """The cases of the rules that a pack brings itself."""
    world_text = small_world(edition, pack)
    for rule in rules_of(edition, pack, domain):
        for case in rule.cases:
            place = (Heading("case", "name", case.name),)
            yield OfRule(f"rule:{rule.id}:{case.name}", pack, Path(rule.where), place, rule.id, case, world_text)


def cases_of(edition: Edition, packs: Iterable[str], answers: Answering | None = None) -> Iterator[AnyCase]:
    """Every case of some packs, in order. Raises PackError where a pack or a file cannot be read.

    With `answers` of the same Edition its Domains are not loaded anew.
    """
    for pack in packs:
        domain = answers.domain((pack,)) if answers is not None else load(edition, [pack])
        yield from rule_cases_of(edition, pack, domain)
        for file in files_of(edition, pack):
            yield from file.cases()
