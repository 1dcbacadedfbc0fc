"""A Scenario under kills: a server is started, talked to until it is gone, and what it left is checked."""

from __future__ import annotations

import random
import threading
from collections.abc import Mapping
from typing import Any, Protocol

from tests.soak.points import POINTS
from tests.soak.server import server

FROM_OUTSIDE = "at any moment"
"""A kill from outside, after a random time."""
PLACES = (*POINTS, FROM_OUTSIDE)
_LONGEST_S = 0.4
_MOST_PASSES: Mapping[str, int] = {"before a statement": 120}
_PASSES = 12  # a point is passed at most so often before the kill


class Scenario(Protocol):
    """What goes on under the kills. `talk` returns once the server is gone; `check` says in words what is wrong."""

    name: str

    @property
    def told(self) -> str:
        """What has been done so far, in words."""

    def settings(self) -> Mapping[str, Any]:
        """Settings of the server, `data` among them."""

    def talk(self, address: str, seed: int) -> None:
        """Talk to a server until it is gone, and note what it answered."""

    def check(self) -> list[str]:
        """Compare what was answered with what is stored."""


def kill(scenario: Scenario, seed: int) -> tuple[str, list[str]]:
    """One kill: where, and what is wrong afterwards. The seed gives the point, each in turn, the pass and all
    that is said.
    """
    dice = random.Random(seed)
    point = PLACES[seed % len(PLACES)]
    number = dice.randint(1, _MOST_PASSES.get(point, _PASSES))
    inside = point if point in POINTS else ""
    with server(scenario.settings(), inside, number) as (process, address):
        timer = threading.Timer(dice.random() * _LONGEST_S, process.kill)
        if not inside:
            timer.start()
        scenario.talk(address, seed)
        process.join(10)
        timer.cancel()
        if process.exitcode != -9:
            return point, [f"the server was not killed at `{point}`, pass {number}: exit code {process.exitcode}"]
    return f"{point}, pass {number}" if inside else point, scenario.check()
