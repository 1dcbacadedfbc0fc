"""A commitment turn through the whole service, durable: alone, beside many open dialogues, from many callers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any
from uuid import uuid4

from app.model import LOCAL
from app.service import Service
from app.settings import Settings
from tests.bench.measure import Contender, Operation, Round, Row, Scale, race, ratio, timed
from tests.bench.turns import together
from tests.databases import SERVER, a_database
from tests.rig import request

_CALLERS = 16
_MOVE = "Friend2 MM-Moves Persona2ID From MLocFriend2 To MVS"
_SAID = "Friend2 May Not MM-Move Persona2ID To <x:{}>"


class Talk:
    """A dialogue in which each turn retains one commitment and releases the one before."""

    def __init__(self, service: Service, kind: str = "commitment") -> None:
        self._service = service
        self._base: dict[str, Any] = {**request(_MOVE), "Kind": kind}
        if kind == "commitment":
            del self._base["ProcessActions"]
        self._turn = 0

    def say(self, *, committing: bool = True) -> None:
        """The next turn."""
        asked = {**self._base, "TurnIndex": self._turn, "QueryID": str(uuid4())}
        if committing:
            asked["Commitments"] = [{"CommitmentID": f"c{self._turn}", "Statement": _SAID.format(self._turn)}]
            asked["ReleasedCommitmentIDs"] = [f"c{self._turn - 1}"] if self._turn else []
        self._turn += 1
        self._service.answer(json.dumps(asked).encode(), LOCAL)


def rows(scale: Scale) -> list[Row]:
    """One row a database."""
    return [_row(kind, scale) for kind in ("sqlite", *(["postgresql"] if SERVER else []))]


def _row(kind: str, scale: Scale) -> Row:
    many, turns = scale.entities[0], scale.turns
    with ExitStack() as held:
        folder = Path(held.enter_context(TemporaryDirectory(prefix="bench-")))
        database = held.enter_context(a_database(kind, folder))
        service = held.enter_context(Service.open(Settings(data=folder, database=database.url)))
        one, plain, judging = Talk(service), Talk(service), Talk(service, "feasibility")
        figures = list(
            race(
                [
                    Contender("a commitment turn, 1 open dialogue", lambda _: timed([one.say] * turns)),
                    Contender("the same without commitments", lambda _: timed(_without(plain, turns))),
                    Contender("feasibility of a step under one", lambda _: timed([judging.say] * turns)),
                ],
                scale.rounds,
            )
        )
        opened = [Talk(service) for _ in range(many)]
        for talk in opened:
            talk.say()
        going: Iterator[Talk] = cycle(opened)
        figures += race(
            [
                Contender(f"a commitment turn, {many:,} open dialogues", lambda _: timed(_each(going, turns))),
                Contender(f"the same, {_CALLERS} callers", lambda _: _callers(service, turns)),
            ],
            scale.rounds,
        )
    alone, without, _, beside, _ = figures
    return Row(
        f"commitment turns, {kind}",
        tuple(figures),
        (
            ratio("with a commitment / without", alone, without),
            ratio(f"{many:,} open dialogues / 1", beside, alone),
        ),
        ("each turn retains a commitment, releases the one before, and is on disk before it is answered",),
    )


def _without(talk: Talk, turns: int) -> list[Operation]:
    return [partial(talk.say, committing=False)] * turns


def _each(going: Iterator[Talk], turns: int) -> list[Operation]:
    return [next(going).say for _ in range(turns)]


def _callers(service: Service, turns: int) -> Round:
    talks = [Talk(service) for _ in range(_CALLERS)]

    def talk(number: int) -> list[float]:
        seconds = []
        for _ in range(turns):
            begun = perf_counter()
            talks[number].say()
            seconds.append(perf_counter() - begun)
        return seconds

    return together(_CALLERS, talk)
