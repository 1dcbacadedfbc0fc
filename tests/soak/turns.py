"""Dialogues under kills: every Response that left has its turn and commitments, and no turn is half there."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from app.dialogue import DialogueKey, Dialogues
from app.exchange import canonical, read_request
from tests.databases import Database
from tests.rig import JSON, request

_CALLERS = 3
_MOVE = "Friend2 MM-Moves Persona2ID From MLocFriend2 To MVS"
_WHOLE = {
    "a turn has its explanation": """
        SELECT t.query_id FROM turn t LEFT JOIN explanation e ON e.response_query_id = t.response_query_id
        WHERE e.body IS NULL""",
    "an explanation has its turn": """
        SELECT e.response_query_id FROM explanation e LEFT JOIN turn t ON t.response_query_id = e.response_query_id
        WHERE t.query IS NULL""",
    "the head is the last turn": """
        SELECT d.id FROM dialogue d
        WHERE d.turn_index <> (SELECT max(t.turn_index) FROM turn t WHERE t.dialogue = d.id)""",
    "a dialogue has turns": """
        SELECT d.id FROM dialogue d LEFT JOIN turn t ON t.dialogue = d.id WHERE t.query IS NULL""",
    "a commitment has the turn that retained it": """
        SELECT c.commitment_id FROM commitment c
        LEFT JOIN turn t ON t.dialogue = c.dialogue AND t.turn_index = c.turn_index WHERE t.query IS NULL""",
    "a turn is there once": """
        SELECT t.dialogue FROM turn t GROUP BY t.dialogue, t.turn_index HAVING count(*) > 1""",
}
"""What is whole, each with a query for what is not."""


@dataclass
class Caller:
    """One who talks in a dialogue of its own: each turn retains a commitment and releases the one before."""

    base: dict[str, Any]
    turn: int = 0
    pending: dict[str, Any] | None = None
    said: list[tuple[dict[str, Any], bytes]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def next(self, dice: random.Random) -> dict[str, Any]:
        """The next Request, or the one that got no answer."""
        if self.pending is None:
            asked = {**self.base, "TurnIndex": self.turn, "QueryID": f"q{self.turn}-{dice.random()}"}
            kept = {
                "CommitmentID": f"c{self.turn}",
                "Statement": f"Friend2 May Not MM-Move Persona2ID To <x:{self.turn}>",
            }
            asked["Commitments"] = [kept]
            asked["ReleasedCommitmentIDs"] = [f"c{self.turn - 1}"] if self.turn else []
            if dice.random() < 0.5:
                asked["Kind"] = "commitment"
                del asked["ProcessActions"]
            self.pending = asked
        return self.pending

    def heard(self, asked: dict[str, Any], status: int, body: bytes) -> None:
        """Note an answer that left, and that it says what it should."""
        if status != 200:
            self.wrong.append(f"{status}: {body.decode()}")
            return
        expected = {f"c{self.turn}": "retained"} | ({f"c{self.turn - 1}": "released"} if self.turn else {})
        found = {each["CommitmentID"]: each["Status"] for each in json.loads(body).get("CommitmentStatus", ())}
        if found != expected:
            self.wrong.append(f"turn {self.turn}: expected {expected}, found {found}")
        self.said.append((asked, body))
        self.pending = None
        self.turn += 1

    @property
    def key(self) -> DialogueKey:
        """Its dialogue."""
        return DialogueKey(*(self.base[name] for name in ("MInstance", "UEnvironment", "SessionID", "DialogID")))


class Turns:
    """The Scenario: callers that go on where the kill before left them."""

    name = "turns"

    def __init__(self, database: Database, folder: Path) -> None:
        self._database = database
        self._folder = folder
        self._callers = [Caller(request(_MOVE)) for _ in range(_CALLERS)]

    def settings(self) -> Mapping[str, Any]:
        """Settings of the server."""
        return {"data": self._folder, "database": self._database.url}

    def talk(self, address: str, seed: int) -> None:
        """All at once, until no answer comes."""
        threads = [
            threading.Thread(target=_talk, args=(caller, address, random.Random(f"{seed} {number}")))
            for number, caller in enumerate(self._callers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def check(self) -> list[str]:
        """What was answered is stored; what is stored is whole; at most what was pending is there besides."""
        wrong = [each for caller in self._callers for each in caller.wrong]
        with Dialogues.open(self._database.url) as dialogues:
            for caller in self._callers:
                wrong += _compare(caller, dialogues)
        for what, query in _WHOLE.items():
            wrong += [f"not so: {what}: {row}" for row in self._database.rows(query)]
        if self._database.kind == "sqlite":
            wrong += [str(row) for row in self._database.rows("PRAGMA integrity_check") if row != ("ok",)]
        return wrong

    @property
    def told(self) -> str:
        """How many Responses left."""
        return f"{sum(len(caller.said) for caller in self._callers)} Responses checked"


def _talk(caller: Caller, address: str, dice: random.Random) -> None:
    host, _, port = address.removeprefix("http://").rpartition(":")
    while not caller.wrong:
        asked = caller.next(dice)
        connection = HTTPConnection(host, int(port), timeout=30)
        try:
            connection.request("POST", "/v1/bkn-dac", json.dumps(asked).encode(), JSON)
            response = connection.getresponse()
            body = response.read()
        except (OSError, HTTPException):
            return
        finally:
            connection.close()
        if response.status != 503:  # 503: still loading
            caller.heard(asked, response.status, body)


def _compare(caller: Caller, dialogues: Dialogues) -> list[str]:
    wrong: list[str] = []
    for asked, body in caller.said:
        if dialogues.head(caller.key, asked["QueryID"], _digest(asked)) != body:
            wrong.append(f"the Response to `{asked['QueryID']}` is not what left")
    record = dialogues.record(caller.key)
    count = record.count if record is not None else 0
    unheard = caller.pending is not None and count == len(caller.said) + 1
    if count != len(caller.said) and not unheard:
        wrong.append(f"{len(caller.said)} Responses left, {count} turns are there")
    if record is not None:
        kept = [each.commitment_id for each in record.commitments]
        if kept != [f"c{count - 1}"]:
            wrong.append(f"after {count} turns {kept} are retained")
    return wrong


def _digest(asked: dict[str, Any]) -> str:
    return sha256(canonical(read_request(json.dumps(asked).encode()))).hexdigest()
