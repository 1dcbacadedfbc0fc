"""`python -m tests.soak [KILLS] [SEED]`: so many kills, shared among the Scenarios in each database."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from tests.databases import SERVER, VARIABLE, Database, a_database
from tests.soak.kills import Scenario, kill
from tests.soak.turns import Turns

SCENARIOS: tuple[Callable[[Database, Path], Scenario], ...] = (Turns,)
_IN_ONE_DATABASE = 40


def main(kills: int = 1_000, seed: int = 0) -> int:
    """0 where nothing is wrong."""
    kinds = ["sqlite", *(["postgresql"] if SERVER else [])]
    if not SERVER:
        print(f"without PostgreSQL: {VARIABLE} names no server")
    rounds = [(scenario, kind) for scenario in SCENARIOS for kind in kinds]
    failed = 0
    for number, (scenario, kind) in enumerate(rounds):
        share = kills // len(rounds) + (number < kills % len(rounds))
        failed += _run(scenario, kind, share, seed + number * 1_000_000)
    print("nothing is wrong" if not failed else f"{failed} kills left something wrong")
    return 1 if failed else 0


def _run(made: Callable[[Database, Path], Scenario], kind: str, kills: int, seed: int) -> int:
    begun, failed = perf_counter(), 0
    points: Counter[str] = Counter()
    for first in range(seed, seed + kills, _IN_ONE_DATABASE):
        with TemporaryDirectory(prefix="soak-") as folder, a_database(kind, Path(folder)) as database:
            scenario = made(database, Path(folder))
            for number in range(first, min(first + _IN_ONE_DATABASE, seed + kills)):
                where, wrong = kill(scenario, number)
                points[where.partition(",")[0]] += 1
                if wrong:
                    failed += 1
                    print(f"{kind}, seed {number}, {where}:", *wrong, sep="\n    ", flush=True)
        print(f"{kind}: {points.total()} kills, {scenario.told}", flush=True)
    told = ", ".join(f"{count} {point}" for point, count in sorted(points.items()))
    print(f"{scenario.name}, {kind}: {kills} kills in {perf_counter() - begun:.0f} s ({told})", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
