"""The durable store of turns: what a dialogue has said stays said (SEMANTICS 10).

A dialogue is (MInstance, UEnvironment, SessionID, DialogID). Its head is the last TurnIndex with the commitments
retained so far. A turn is evaluated outside any transaction and then committed once, with its Response, commitments
and explanation, if the head is still the one it was evaluated on; `commit` returns when that is durable.

    tables.py     what is stored, and the schema version
    database.py   an engine for a URL, and its errors in our words
    sqlite.py     what is particular to SQLite, and postgresql.py to PostgreSQL
    writer.py     one writer: alone it commits at once, otherwise all who wait in one transaction
    turns.py      a turn, and how a group of turns is written
    active.py     which releases of packs are active, and were
    store.py      Dialogues

Contents are bytes and strings here: this package knows no exchange.
"""

from app.dialogue.active import AS_SHIPPED, Active
from app.dialogue.store import Dialogues, Record, TurnRecord, body_hash
from app.dialogue.turns import DialogueKey, Head, Turn, dialogue_closed

__all__ = [
    "AS_SHIPPED",
    "Active",
    "DialogueKey",
    "Dialogues",
    "Head",
    "Record",
    "Turn",
    "TurnRecord",
    "body_hash",
    "dialogue_closed",
]
