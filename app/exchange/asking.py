"""Requests that are made here, for whoever asks in plain words: the command line, an agent's tool."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from app.exchange.time import simple_time


def fresh_id() -> str:
    """An identifier that nothing has yet."""
    return str(uuid4())


def request_message(
    kind: str,
    m_instance: str,
    u_environment: str,
    session: str,
    members: Mapping[str, object],
    *,
    dialogue: str,
    turn_index: int = 0,
    query_id: str,
    at: datetime | None = None,
) -> dict[str, Any]:
    """A BKN-DAC Request of a Kind, asked now or `at` a time: its envelope, and the members that the Kind takes."""
    time = simple_time(at or datetime.now(UTC), f"{query_id}-time")
    return {
        "Header": "PGM-KDA-V1.0",
        "Mode": "RQ",
        "MInstance": m_instance,
        "UEnvironment": u_environment,
        "SessionID": session,
        "QueryID": query_id,
        "QueryTime": time.model_dump(mode="json", exclude_none=True),
        "DialogID": dialogue,
        "TurnIndex": turn_index,
        "Kind": kind,
        **members,
        "DataXMData": {
            "Header": "PTF-DEM-V1.0",
            "DataID": query_id,
            "DataType": "PGM-KDA-V1.0",
            "Source": [{"AIMID": "PGM-BKN-V1.0"}],
        },
    }


def session_members(m_instance: str, u_environment: str, user: str) -> dict[str, str]:
    """What PUT /v1/sessions/{SessionID} takes."""
    return {"MInstance": m_instance, "UEnvironment": u_environment, "User": user}


def sent(document: Mapping[str, Any]) -> bytes:
    """A document as it is sent; what is no character stays what it was, for the reader to refuse."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
