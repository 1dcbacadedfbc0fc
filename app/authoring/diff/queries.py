"""What is asked of both states: each question with its place, and how one state answers it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.authoring.answering import Answering
from app.authoring.answers import Case as KindCase
from app.authoring.cases import case_facts, case_verdicts, small_world
from app.authoring.diff.answer import Answer, not_asked, of_response, of_rows, of_verdict
from app.authoring.diff.kinds_asked import ask
from app.authoring.golden import Plan
from app.authoring.questions import Question
from app.errors import DomainAccessError
from app.rules.forms import Case
from app.world import World


class AbsentError(Exception):
    """What a question needs, a world or a pack, is not in this state."""


@dataclass(frozen=True)
class Query(ABC):
    """A question. `id` says where it is from, `place` where it is asked, `pack` whose answer it is."""

    id: str
    pack: str

    @property
    @abstractmethod
    def place(self) -> str:
        """The M-Instance or the small world in which it is asked."""

    @property
    @abstractmethod
    def content(self) -> object:
        """What is asked: two questions that ask the same are one."""

    @abstractmethod
    def answers(self, state: Answering, whole: bool = True, /) -> Mapping[str, Answer]:
        """The answers by part: the number of a step, else the empty text. Where not the `whole` is wanted, Verdicts
        come without Repairs, at less than half the cost. Raises AbsentError.
        """

    @abstractmethod
    def said(self, part: str, /) -> str:
        """What is asked, for a reader."""

    def name(self, part: str) -> str:
        """The identifier of a part."""
        return f"{self.id}:{part}" if part else self.id


@dataclass(frozen=True)
class OfPlan(Query):
    """A plan; each step has its answer."""

    plan: Plan
    single: bool = False

    @property
    def place(self) -> str:
        """Where it is asked."""
        return self.plan.m_instance

    @property
    def content(self) -> object:
        """All that an answer depends on."""
        plan = self.plan
        return ("plan", plan.m_instance, plan.u_environment, plan.steps, plan.user, repr(plan.context))

    def answers(self, state: Answering, whole: bool = True, /) -> Mapping[str, Answer]:
        """Judge it."""
        world = world_of(state, self.plan.m_instance)
        try:
            judged = state.judge(self.plan, seek_repairs=whole).verdicts
        except DomainAccessError as error:
            return {self._part(n): not_asked("verdict", str(error)) for n, _ in self.plan.steps}
        return {self._part(verdict.step): of_verdict(verdict, world.names) for verdict in judged}

    def said(self, part: str, /) -> str:
        """The statement of a step."""
        return next(text for number, text in self.plan.steps if self._part(number) == part)

    def upto(self, parts: set[str]) -> OfPlan:
        """The plan without what comes after the last of some steps."""
        steps = self.plan.steps
        last = max(at for at, (number, _) in enumerate(steps) if self._part(number) in parts)
        return replace(self, plan=replace(self.plan, steps=steps[: last + 1]))

    def _part(self, number: int) -> str:
        return "" if self.single else str(number)


@dataclass(frozen=True)
class OfRuleCase(Query):
    """The statement of a rule's case, in the small world that the state has for it."""

    case: Case

    @property
    def place(self) -> str:
        """Where it is asked."""
        return f"{self.pack}, small world"

    @property
    def content(self) -> object:
        """All that an answer depends on."""
        asked = replace(self.case, name="", fires=False, status=None, reason=())
        return ("rule", self.pack, repr(asked))

    def answers(self, state: Answering, _: bool = True, /) -> Mapping[str, Answer]:
        """Ask it."""
        if self.pack not in state.edition.names():
            raise AbsentError(self.pack)
        domain = state.domain((self.pack,))
        try:
            text = small_world(state.edition, self.pack)
            facts, _idle = case_facts(self.case, text)
            verdict = case_verdicts(self.case, facts, domain)[-1]
            names = World.of(facts, domain).names
        except (DomainAccessError, FileNotFoundError) as error:
            return {"": not_asked("verdict", str(error))}
        return {"": of_verdict(verdict, names)}

    def said(self, _: str, /) -> str:
        """What is asked."""
        return self.case.statement


@dataclass(frozen=True)
class OfQuestion(Query):
    """A competency question."""

    question: Question

    @property
    def place(self) -> str:
        """Where it is asked."""
        return self.question.world or self.pack

    @property
    def content(self) -> object:
        """All that an answer depends on."""
        return ("question", self.pack, self.question.world, self.question.query)

    def answers(self, state: Answering, _: bool = True, /) -> Mapping[str, Answer]:
        """Ask it."""
        world, edition = self.question.world, state.edition
        if self.pack not in edition.names():
            raise AbsentError(self.pack)
        if world and not (edition.folder(self.pack) / "worlds" / f"{world}.ttl").exists():
            raise AbsentError(world)
        try:
            return {"": of_rows(tuple(self.question.of(edition).answer()))}
        except DomainAccessError as error:
            return {"": not_asked("question", str(error))}

    def said(self, _: str, /) -> str:
        """What is asked."""
        return self.question.ask


@dataclass(frozen=True)
class OfKind(Query):
    """A question of a Kind of knowledge, with what comes before it in its dialogue."""

    case: KindCase

    @property
    def place(self) -> str:
        """Where it is asked."""
        return self.case.m_instance

    @property
    def content(self) -> object:
        """All that an answer depends on."""
        return ("kind", repr(replace(self.case, name="", expect={}, file="")))

    def answers(self, state: Answering, _: bool = True, /) -> Mapping[str, Answer]:
        """Ask it."""
        world = world_of(state, self.case.m_instance)
        try:
            return {"": of_response(self.case.kind, ask(self.case, world))}
        except DomainAccessError as error:
            return {"": not_asked(self.case.kind, str(error))}

    def said(self, _: str, /) -> str:
        """What is asked."""
        asked = self.case.ask
        words = [f"`{term.get('Text', '')}`" for term in asked.get("Terms", ())]
        words += [f"`{name}`" for name in asked.get("EntityIDs", ())]
        words += [str(asked["Question"])] if "Question" in asked else []
        words += [f"in `{asked['Space'].get('SpaceID', '')}`"] if "Space" in asked else []
        words += [f"`{step['Statement']}`" for step in asked.get("ProcessActions", ())]
        words += [f"keep `{each['Statement']}`" for each in asked.get("Commitments", ())]
        return f"{self.case.kind}: {', '.join(words) or self.case.name}"


def world_of(state: Answering, m_instance: str) -> World:
    """The World of an M-Instance. Raises AbsentError where this state has none, PackError where it cannot be read."""
    held = {path.stem for name in state.edition.names() for path in state.edition.worlds_of(name)}
    if m_instance not in held:
        raise AbsentError(m_instance)
    return state.world(m_instance)
