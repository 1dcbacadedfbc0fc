"""A tool call -> a Request of BKN-DAC -> the tool's answer. The dialogue is kept by the service, TurnIndex here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol

from app.errors import Code, DomainAccessError, Fault, MessageError, StateError
from app.exchange.asking import fresh_id, request_message, sent, session_members
from app.kinds import Kind
from app.model import PAStatus, Principal
from app.serve_mcp.arguments import Common, Where, members_of
from app.serve_mcp.results import ToolAnswer, answer_of

TRIES: Final = 8
"""Times a turn is tried anew because another of the same dialogue came first."""


class Answering(Protocol):
    """What the bridge needs of the service."""

    def answer(self, raw: bytes, principal: Principal) -> bytes:
        """The Response to a Request."""

    def explanation(self, query_id: str, principal: Principal) -> bytes:
        """Why a Response is as it is."""

    def set_session(self, session_id: str, raw: bytes, principal: Principal) -> bytes:
        """Say for whom a session asks."""

    def places(self, principal: Principal) -> Mapping[str, tuple[str, ...]]:
        """The M-Instances that the caller may see, each with its U-Environments."""

    def set_action_context(self, session_id: str, raw: bytes, principal: Principal) -> bytes:
        """Say what a session keeps to."""

    def commitments(
        self, m_instance: str, u_environment: str, session_id: str, dialog_id: str, principal: Principal
    ) -> Mapping[str, str]:
        """The commitments of a dialogue, each with its state."""

    def next_turn(self, m_instance: str, u_environment: str, session_id: str, dialog_id: str) -> int:
        """The TurnIndex that a dialogue would take next."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, and the dialogue that goes without saying, where the protocol's revision has a session."""

    principal: Principal
    dialogue: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a call is to be answered."""

    m_instance: str
    u_environment: str
    session: str
    dialogue: str
    begun: bool = True
    """Whether the dialogue may have turns already."""


class Bridge:
    """Answers tool calls. Thread-safe: it keeps nothing."""

    def __init__(self, service: Answering, m_instance: str = "") -> None:
        self._service = service
        self._m_instance = m_instance

    def call(self, kind: Kind[Any], given: Common, caller: Caller) -> ToolAnswer:
        """The answer of a Kind. Raises DomainAccessError."""
        place = self.place(given, caller)
        if given.user is not None:
            self._set_user(place, given.user, caller.principal)
        response = self._turn(place, kind.name, members_of(given), given.time, caller.principal)
        refused = any(step["PAStatus"] != PAStatus.ACK for step in response.get("Feasibility", {}).get("Steps", ()))
        explanation = json.loads(self.explanation(response["QueryID"], caller)) if refused else {}  # has the Repairs
        plan = getattr(given, "plan", None) or ()
        return answer_of(response, explanation, plan, place.dialogue, getattr(given, "offset", 0))

    def raw(self, message: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        """The Response to a whole BKN-DAC Request."""
        response: dict[str, Any] = json.loads(self._service.answer(sent(message), caller.principal))
        return response

    def explanation(self, query_id: str, caller: Caller) -> str:
        """Why an answer is as it is, as JSON."""
        return self._service.explanation(query_id, caller.principal).decode()

    def commitments(self, dialogue: str, caller: Caller) -> dict[str, str]:
        """What a dialogue of these tools retains, and what became of the rest."""
        place = self.place(Where(dialogue=dialogue), caller)
        return dict(self._service.commitments(*_key(place), caller.principal))

    def set_context(self, given: Where, context: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        """Bound the plans of a session, or of a dialogue of these tools; one of them must be named."""
        if not (given.session or given.dialogue or caller.dialogue):
            hint = "a SessionID of yours, given with later calls; or `dialogue` of an earlier answer"
            raise MessageError(Fault(Code.MISSING_MEMBER, "whose plans it bounds is not said", "/session", hint=hint))
        place = self.place(given, caller)
        members = {
            "MInstance": place.m_instance,
            "UEnvironment": place.u_environment,
            "SessionID": place.session,
            "ActionContext": context,
        }
        if given.user is not None:
            self._set_user(place, given.user, caller.principal)
        kept: dict[str, Any] = json.loads(
            self._service.set_action_context(place.session, sent(members), caller.principal)
        )
        return kept

    def m_instances(self, caller: Caller) -> tuple[str, ...]:
        """The M-Instances that the caller may see."""
        return tuple(self._service.places(caller.principal))

    def default_m_instance(self, caller: Caller) -> str:
        """The M-Instance that goes without saying."""
        return self.place(Where(), caller).m_instance

    def place(self, given: Where, caller: Caller) -> Place:
        """Where a call is to be answered: what it names, else what goes without saying. Raises StateError."""
        places = self._service.places(caller.principal)
        named = given.m_instance or self._m_instance or next(iter(places), "")
        if given.m_instance is None and named not in places:
            named = next(iter(places), named)
        environments = places.get(named, ())
        if not environments and not places:
            raise StateError(Fault(Code.UNKNOWN_M_INSTANCE, "no M-Instance is visible here", "/m_instance"))
        dialogue = given.dialogue or caller.dialogue or fresh_id()
        return Place(
            m_instance=named,
            u_environment=given.u_environment or next(iter(environments), ""),
            session=given.session or f"mcp-{dialogue}",
            dialogue=dialogue,
            begun=bool(given.dialogue or caller.dialogue),
        )

    def _set_user(self, place: Place, user: str, principal: Principal) -> None:
        self._service.set_session(
            place.session, sent(session_members(place.m_instance, place.u_environment, user)), principal
        )

    def _turn(
        self, place: Place, kind: str, members: Mapping[str, object], at: datetime | None, principal: Principal
    ) -> dict[str, Any]:
        """One turn of a dialogue; where another came first, the one after it."""
        query_id = fresh_id()
        for _ in range(TRIES):
            index = self._service.next_turn(*_key(place)) if place.begun else 0
            request = request_message(
                kind,
                place.m_instance,
                place.u_environment,
                place.session,
                members,
                dialogue=place.dialogue,
                turn_index=index,
                query_id=query_id,
                at=at,
            )
            try:
                response: dict[str, Any] = json.loads(self._service.answer(sent(request), principal))
            except DomainAccessError as error:
                if error.faults[0].code is not Code.TURN_NOT_NEW:
                    raise
            else:
                return response
        fault = Fault(Code.BUSY, "other turns of the dialogue keep coming first", "/dialogue")
        raise StateError(fault, retry_after_s=1)


def _key(place: Place) -> tuple[str, str, str, str]:
    """What names a dialogue."""
    return place.m_instance, place.u_environment, place.session, place.dialogue
