"""What every Kind gets and gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Generic, TypeVar

from app.commitments import NO_AGREEMENT, Agreement
from app.evaluate import NO_BOUNDS, Bounds, Names, begin
from app.exchange import Answer, Failure, Feasibility, OutcomeName, Relation, Request
from app.facts import BoundReached, Facts, OutsideSituation
from app.kinds.wording import Speech, language_of
from app.model import Commitment, Principal
from app.rules import Domain
from app.situation import Needs, Situation

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Wanted(Generic[Read]):
    """What a Request wants to know of the World, and what was read of it on the way."""

    needs: Needs
    read: Read


@dataclass(frozen=True, slots=True)
class PastTurn:
    """An earlier turn of the dialogue: its Response and its explanation, as parsed JSON."""

    response: Mapping[str, Any]
    explanation: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Context:
    """All that an answer may depend on besides the Request: who asks, for whom, what is known, when, in which
    language, within which bounds. `commitments` are retained under the result of this Request, `agreement` is what
    they say; `user` is the IRI of the session's User; `may_fetch` says that asking for more is still possible; `past`
    has the last turns of the dialogue, the newest first, as many as the Kind remembers.
    """

    principal: Principal
    user: str | None
    domain: Domain
    names: Names
    situation: Situation
    commitments: tuple[Commitment, ...]
    now: datetime
    agreement: Agreement = NO_AGREEMENT
    language: str = "en"
    bounds: Bounds = NO_BOUNDS
    may_fetch: bool = True
    past: tuple[PastTurn, ...] = ()

    def speech(self, request: Request, facts: Facts | None = None) -> Speech:
        """How the answer speaks: in the language of the Question, of the facts given, else of the World with what the
        session keeps to.
        """
        if facts is None:
            facts = begin(self.domain, self.situation, self.names, self.user, self.now, self.bounds).facts
        language = self.spoken(request)
        return Speech(language, self.domain.knowledge, self.names.in_language(language), facts)

    def spoken(self, request: Request) -> str:
        """The language of the answer: that of the Question, else that of the settings."""
        return language_of(request.Question, self.language)


@dataclass(frozen=True, slots=True)
class Answered:
    """The members of a Response that a Kind decides, its explanation, and what it would fetch for another try."""

    outcome: OutcomeName
    answer: Answer | None = None
    feasibility: Feasibility | None = None
    failure: Failure | None = None
    explanation: Mapping[str, object] = field(default_factory=dict)
    outside: frozenset[str] = frozenset()

    def with_text(self, text: str) -> Answered:
        """The same, partial, with a sentence more in its Text."""
        before = self.answer or Answer()
        said = f"{before.Text} {text}" if before.Text else text
        outcome: OutcomeName = "partially_answered" if self.outcome == "answered" else self.outcome
        return replace(self, outcome=outcome, answer=before.model_copy(update={"Text": said}))

    def with_agreement(self, agreement: Agreement) -> Answered:
        """The same, with what became of the commitments said; partial where one of them had no effect."""
        if not agreement.remarks:
            return self
        before = self.answer or Answer()
        text = " ".join(each for each in (before.Text, *agreement.remarks) if each)
        met = tuple(Relation(Subject=s, Predicate=p, Object=o) for s, p, o in agreement.relations)
        relations = (*(before.Relations or ()), *met) or None
        partial = agreement.partial and self.outcome == "answered"
        return replace(
            self,
            outcome="partially_answered" if partial else self.outcome,
            answer=before.model_copy(update={"Text": text, "Relations": relations}),
        )


@dataclass(frozen=True, slots=True)
class Kind(Generic[Read]):
    """One Kind of BKN-DAC: `needs(request, domain, names, user)`, then `answer(request, read, context)`. `remembers`
    is how many earlier turns of the dialogue it wants to know. `takes` names the members of a Request that it reads,
    and `guide` says when to ask it, what comes back, and one example: interfaces derive themselves from both.
    """

    name: str
    title: str
    needs: Callable[[Request, Domain, Names, str | None], Wanted[Read]]
    answer: Callable[[Request, Read, Context], Answered]
    remembers: int = 0
    takes: tuple[str, ...] = ("Question", "Terms", "EntityIDs", "Space")
    guide: str = ""


Answering = Callable[[Request, Read, Context], Answered]


def fetching(answer: Answering[Read]) -> Answering[Read]:
    """An `answer` that asks for what it misses; what still is not there is a Failure, never read as an absence."""

    def complete(request: Request, read: Read, context: Context) -> Answered:
        try:
            return answer(request, read, context)
        except OutsideSituation as missed:
            if context.may_fetch:
                return Answered("not_answered", outside=frozenset({missed.entity}))
            return _bounded(str(missed))
        except BoundReached as reached:
            return _bounded(str(reached))

    return complete


def _bounded(message: str) -> Answered:
    failure = Failure(Service="world", Request=message, Nature="permanent")
    return Answered("not_answered", answer=Answer(Text=f"{message}."), failure=failure)
