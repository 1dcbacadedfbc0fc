"""Kinds of knowledge asked of a World directly: what the service answers, without its stores.

An Edition that is only tried, for one change undone, is asked a few questions and forgotten: to open a service for it
would cost more than all its answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from app.authoring.answers import Case
from app.commitments import Agreement, in_its_words
from app.errors import Code, Fault, StateError
from app.evaluate import bounds_of
from app.exchange import Request, instant, read_request, simple_time
from app.exchange.asking import request_message, sent
from app.kinds import KINDS, Answered, Context, PastTurn, not_served
from app.kinds.agreement import agreement_needs, agreement_of
from app.model import LOCAL, Commitment
from app.situation import Needs, until_known
from app.world import World

MORNING: Final = datetime(2026, 3, 4, 9, tzinfo=UTC)
"""When a Kind is asked where its case says no time."""


@dataclass(frozen=True, slots=True)
class _Spoken:
    """What a dialogue holds so far."""

    commitments: tuple[Commitment, ...] = ()
    committed: bool = False
    past: tuple[PastTurn, ...] = ()


def ask(case: Case, world: World) -> Mapping[str, Any]:
    """What of a Response a Kind decides, for the last Request of a case. Raises DomainAccessError."""
    if case.u_environment not in world.m_instance.u_environments:
        message = f"the M-Instance `{case.m_instance}` has no U-Environment `{case.u_environment}`"
        raise StateError(Fault(Code.UNKNOWN_U_ENVIRONMENT, message, "/UEnvironment"))
    spoken = _Spoken()
    response: Mapping[str, Any] = {}
    for turn, asked in enumerate((*case.before, case.ask)):
        said = asked.get("at", case.at)
        now = datetime.fromisoformat(str(said)) if said else MORNING
        request = _request(case, {name: value for name, value in asked.items() if name != "at"}, turn, now)
        user = world.user_of(case.session)
        agreement = _agreement(request, world, spoken, user)
        answered = _answered(request, world, spoken, agreement, user, now).with_agreement(agreement)
        response = _response(request, answered, agreement)
        explanation = {"Kind": request.Kind, "Question": request.Question, "Outcome": answered.outcome}
        turned = PastTurn(response, {**explanation, "TurnIndex": turn, **answered.explanation})
        spoken = _Spoken(agreement.kept, spoken.committed or bool(agreement.retained), (turned, *spoken.past))
    return response


def _request(case: Case, members: Mapping[str, Any], turn: int, now: datetime) -> Request:
    name = f"turn-{turn}"
    time = simple_time(now, f"{name}-time").model_dump(mode="json", exclude_none=True)
    whole = {**members, "QueryTime": time}
    message = request_message(
        case.kind, case.m_instance, case.u_environment, case.session, whole,
        dialogue="dialogue", turn_index=turn, query_id=name,
    )  # fmt: skip
    return read_request(sent({**message, "Kind": members.get("Kind", case.kind)}))


def _agreement(request: Request, world: World, spoken: _Spoken, user: str | None) -> Agreement:
    situation = world.situation(agreement_needs(request, spoken.commitments, world.names, user))
    before, ever = spoken.commitments, spoken.committed
    return agreement_of(request, before, ever, world.domain, world.names, situation, user)


def _answered(
    request: Request, world: World, spoken: _Spoken, agreement: Agreement, user: str | None, now: datetime
) -> Answered:
    kind = KINDS.get(request.Kind)
    if kind is None:
        return not_served(request.Kind)
    domain, names = in_its_words(world.domain, world.names, agreement)
    bounds = bounds_of(None, domain, names)
    wanted = kind.needs(request, domain, names, user)

    def answer(needs: Needs, may_fetch: bool) -> tuple[Answered, Iterable[str]]:
        context = Context(
            principal=LOCAL,
            user=user,
            domain=domain,
            names=names,
            situation=world.situation(needs),
            commitments=agreement.kept,
            now=instant(request.QueryTime) or now,
            agreement=agreement,
            bounds=bounds,
            may_fetch=may_fetch,
            past=spoken.past[: kind.remembers],
        )
        answered = kind.answer(request, wanted.read, context)
        return answered, answered.outside

    return until_known(bounds.needs(wanted.needs, domain), domain, answer)


def _response(request: Request, answered: Answered, agreement: Agreement) -> Mapping[str, Any]:
    """The members of a Response that depend on nothing else than the Request and what is known."""
    response: dict[str, Any] = {"Kind": request.Kind, "TurnIndex": request.TurnIndex, "Outcome": answered.outcome}
    for name, part in (
        ("Answer", answered.answer),
        ("Feasibility", answered.feasibility),
        ("Failure", answered.failure),
    ):
        if part is not None:
            response[name] = part.model_dump(mode="json", exclude_none=True)
    if agreement.statuses:
        response["CommitmentStatus"] = [
            {"CommitmentID": name, "Status": str(state)} for name, state in agreement.statuses
        ]
    return response
