"""Requests made here, each in a dialogue of its own, conforming with BKN-DAC."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from uuid import uuid4

from app.exchange import simple_time


def fresh_id() -> str:
    """An identifier that nothing has yet."""
    return str(uuid4())


def plan_request(steps: Iterable[tuple[int, str]], m_instance: str, u_environment: str, session: str) -> bytes:
    """A Request of Kind feasibility for (Step, Statement) pairs: the first turn of a new dialogue, asked now."""
    actions = [{"Step": step, "Statement": statement} for step, statement in steps]
    return request("feasibility", m_instance, u_environment, session, ProcessActions=actions)


def request(kind: str, m_instance: str, u_environment: str, session: str, **members: object) -> bytes:
    """A Request of any Kind with these members: the first turn of a new dialogue, asked now."""
    query_id = fresh_id()
    message = {
        "Header": "PGM-KDA-V1.0",
        "Mode": "RQ",
        "MInstance": m_instance,
        "UEnvironment": u_environment,
        "SessionID": session,
        "QueryID": query_id,
        "QueryTime": simple_time(datetime.now(UTC), f"{query_id}-time").model_dump(mode="json", exclude_none=True),
        "DialogID": fresh_id(),
        "TurnIndex": 0,
        "Kind": kind,
        **members,
        "DataXMData": {
            "Header": "PTF-DEM-V1.0",
            "DataID": query_id,
            "DataType": "PGM-KDA-V1.0",
            "Source": [{"AIMID": "PGM-BKN-V1.0"}],
        },
    }
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def session_body(m_instance: str, u_environment: str, user: str) -> bytes:
    """What PUT /v1/sessions/{SessionID} takes."""
    members = {"MInstance": m_instance, "UEnvironment": u_environment, "User": user}
    return json.dumps(members, ensure_ascii=False).encode("utf-8", "surrogatepass")
