"""Requests made here, each in a dialogue of its own, conforming with BKN-DAC."""

from __future__ import annotations

from collections.abc import Iterable

from app.exchange.asking import fresh_id, request_message, sent, session_members


def plan_request(steps: Iterable[tuple[int, str]], m_instance: str, u_environment: str, session: str) -> bytes:
    """A Request of Kind feasibility for (Step, Statement) pairs: the first turn of a new dialogue, asked now."""
    actions = [{"Step": step, "Statement": statement} for step, statement in steps]
    return request("feasibility", m_instance, u_environment, session, ProcessActions=actions)


def request(kind: str, m_instance: str, u_environment: str, session: str, **members: object) -> bytes:
    """A Request of any Kind with these members: the first turn of a new dialogue, asked now."""
    message = request_message(
        kind, m_instance, u_environment, session, members, dialogue=fresh_id(), query_id=fresh_id()
    )
    return sent(message)


def session_body(m_instance: str, u_environment: str, user: str) -> bytes:
    """What PUT /v1/sessions/{SessionID} takes."""
    return sent(session_members(m_instance, u_environment, user))


__all__ = ["fresh_id", "plan_request", "request", "session_body"]
