"""A call of a tool over MCP, in this process, beside a tool of the SDK that does nothing (DESIGN 9)."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from mcp.server import MCPServer

from app.exchange.asking import fresh_id, request_message, sent
from app.model import LOCAL
from app.serve_mcp import create_server
from app.service import Service
from tests.bench.measure import Contender, Figure, Round, Row, Scale, race, ratio, timed
from tests.mcp_rig import MODES, Session, connected
from tests.rig import open_rig

PLAN = ["Friend2 MM-Moves Persona2ID From MLocFriend2 To MVS With SA6"]
_TARGET = "under 1.5"


def rows(scale: Scale) -> list[Row]:
    """One row for each revision of the protocol: the newest, and one with a handshake."""
    with TemporaryDirectory() as folder, open_rig(Path(folder)) as rig:
        return [_row(mode, rig.service, scale) for mode in MODES]


def empty_tool() -> MCPServer:
    """A server whose one tool takes a plan, as ours does, and gives back nothing."""
    server: MCPServer = MCPServer("empty")

    @server.tool()
    def feasibility(plan: list[str]) -> dict[str, Any]:
        """Nothing."""
        return {"overall": "feasible"} if plan else {}

    return server


def _row(mode: str, service: Service, scale: Scale) -> Row:
    with (
        connected(empty_tool(), mode) as empty,
        connected(create_server(lambda: service, "1"), mode) as ours,
    ):
        assert empty.ask("feasibility", plan=PLAN)["overall"] == ours.ask("feasibility", plan=PLAN)["overall"]
        figures = race(
            [
                Contender("the SDK's empty tool", partial(_calls, empty, scale.requests)),
                Contender("`feasibility`, one step", partial(_calls, ours, scale.requests)),
                Contender("the service alone, its durable turn included", partial(_answers, service, scale.requests)),
            ],
            scale.rounds,
        )
    nothing, tool, alone = figures
    return Row(
        f"a call over MCP in process, {_revision(mode)}",
        figures,
        (
            ratio("`feasibility` / the SDK's empty tool", tool, nothing, _TARGET),
            ratio("the service alone / the SDK's empty tool", alone, nothing),
        ),
        _notes(figures),
    )


def _revision(mode: str) -> str:
    return "newest revision" if mode == "auto" else "a revision with a handshake"


def _notes(figures: tuple[Figure, ...]) -> tuple[str, ...]:
    _, tool, alone = figures
    return (
        "included in ours: the Request, its verdict, the turn written through to the disk, the plain answer",
        f"of which the bridge, by the medians: {(tool.p50 - alone.p50) * 1e6:,.0f} µs with the SDK",
    )


def _calls(session: Session, number: int, _: int) -> Round:
    """So many calls one after the other, timed where the client runs: no thread is changed within the time."""

    async def calls(call: Callable[[], Awaitable[Any]]) -> Round:
        seconds = []
        for _ in range(number):
            begun = perf_counter()
            await call()
            seconds.append(perf_counter() - begun)
        return Round(tuple(seconds), sum(seconds))

    found: Round = session.portal.call(calls, partial(session.client.call_tool, "feasibility", {"plan": PLAN}))
    return found


def _answers(service: Service, number: int, _: int) -> Round:
    """The same Requests answered by the function."""
    steps = {"ProcessActions": [{"Step": n, "Statement": said} for n, said in enumerate(PLAN)]}

    def answer() -> Any:
        asked = request_message("feasibility", "MI1", "UE1", "s", steps, dialogue=fresh_id(), query_id=fresh_id())
        return json.loads(service.answer(sent(asked), LOCAL))

    return timed([answer] * number)
