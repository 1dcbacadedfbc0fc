"""A dialogue as it is told to whoever asks for it."""

from __future__ import annotations

import json
from datetime import datetime

from app.dialogue import DialogueKey, Record
from app.errors import Code, Fault, StateError


def described(key: DialogueKey, record: Record, expires: datetime) -> bytes:
    """What a dialogue holds, as JSON."""
    described = {
        **dict(zip(("MInstance", "UEnvironment", "SessionID", "DialogID"), key, strict=True)),
        "opened": record.opened.isoformat(),
        "latest": record.latest.isoformat(),
        "expires": expires.isoformat(),
        "commitments": [
            {"CommitmentID": c.commitment_id, "Statement": c.statement, "form": c.form} for c in record.commitments
        ],
        "turn_count": record.count,
        "turns": [
            {
                "TurnIndex": turn.turn_index,
                "RequestID": turn.query_id,
                "QueryID": turn.response_query_id,
                "sources": turn.release,
                "world_version": turn.world_version,
                "time": turn.time.isoformat(),
            }
            for turn in record.turns
        ],
    }
    return json.dumps(described, ensure_ascii=False).encode("utf-8", "replace")


def unknown_dialogue(key: DialogueKey) -> StateError:
    """There is none, or none that the caller may see: the same to hear."""
    message = f"there is no dialogue `{key.dialog_id}` of this M-Instance, U-Environment and session"
    return StateError(Fault(Code.UNKNOWN_DIALOGUE, message, clause="SEMANTICS 10"))
