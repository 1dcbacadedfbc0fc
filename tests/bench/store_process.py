"""One generated world on disk, measured in a process of its own, so that its memory is its own.

    python -m tests.bench.store_process FOLDER ENTITIES OPERATIONS

Prints one JSON object: seconds of each operation, bytes on disk and in memory.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from time import perf_counter

from app.authoring.plans import NOON
from app.evaluate import judge_plan, needs_of, read_steps
from app.model import PAStatus
from app.rules import load
from app.vocab import mmm
from app.world import Asked, Limits, Queries, World, Worlds
from app.world.effects import counted
from app.world.formats import BY_SUFFIX
from app.world.loading import load_file
from app.world.store import Generations
from tests.bench.generated import write_world
from tests.bench.worlds import BASE, PACK, household_moves
from tests.packs import EDITION

NAME = "Measured"
PLAN = 10


def main() -> None:
    """Measure, and print what was measured."""
    folder, entities, operations = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    document = folder / "world.nt"
    facts = write_world(document, entities)
    found: dict[str, object] = {"facts": facts, "document_bytes": document.stat().st_size}
    found["load_s"] = _load(folder / "bare", document)
    worlds, asked = _worlds(folder), Asked("bench", datetime.now(UTC))
    worlds.open([], asked)
    found["put_s"] = _timed(lambda: worlds.put(NAME, document, BY_SUFFIX[".nt"], asked))
    found["disk_bytes"] = sum(p.stat().st_size for p in (folder / "worlds").rglob("*") if p.is_file())
    found["load_memory_bytes"] = _memory()
    worlds.close()
    again = _worlds(folder)
    found["restart_s"] = _timed(lambda: again.open([], asked))
    world = again.get(NAME)
    assert world is not None
    assert counted(world.store) == facts
    found["situation_s"], found["verdict_s"] = _plans(world, entities, operations)
    found["update_s"] = _updates(again, world, entities, operations)
    found["memory_bytes"] = _memory()
    print(json.dumps(found))


def _load(folder: Path, document: Path) -> float:
    """Oxigraph's own part of a load: facts into a store on disk, nothing validated."""
    store = Generations(folder).begin(BASE)
    return _timed(lambda: load_file(document, BY_SUFFIX[".nt"], store, lambda *_: None))


def _plans(world: World, entities: int, number: int) -> tuple[list[float], list[float]]:
    """Plans of ten accepted steps within a household: fetched, then with their verdicts; each asked once before."""
    moves = dict.fromkeys(household_moves(entities, number * PLAN * 3, popular=False))
    by_item = {move.split(" From ")[0]: move for move in moves}  # none is moved twice: each step is accepted
    texts = list(by_item.values())[: number * PLAN]
    plans = [read_steps(enumerate(texts[at : at + PLAN]), world.domain) for at in range(0, len(texts), PLAN)]
    situations: list[float] = []
    verdicts: list[float] = []
    for steps in plans:
        world.situation(needs_of(steps, world.domain, world.names, None))
    for steps in plans:
        begun = perf_counter()
        situation = world.situation(needs_of(steps, world.domain, world.names, None))
        situations.append(perf_counter() - begun)
        judged = judge_plan(steps, world.domain, situation, world.names, None, NOON)
        verdicts.append(perf_counter() - begun)
        assert all(verdict.status is PAStatus.ACK for verdict in judged.verdicts)
    return situations, verdicts


def _updates(worlds: Worlds, world: World, entities: int, number: int) -> list[float]:
    """From the moment an update is sent until a verdict that needs it is there: a house is opened, then closed."""
    random, asked = Random(5), Asked("bench", datetime.now(UTC))
    households = max(2, entities // 20)
    found: list[float] = []
    for _ in range(number):
        house = random.randrange(households)
        guest = (house + random.randrange(1, households)) % households
        moves = f"User{guest} MM-Moves Item{guest}-5 From Room{guest} To House{house} With Attitude{guest}"
        steps = read_steps([(0, moves)], world.domain)
        fact = f"<{BASE}House{house}> <{mmm('public')}> true"
        for verb, expected in (("INSERT", PAStatus.ACK), ("DELETE", PAStatus.INS_RIGHTS)):
            begun = perf_counter()
            worlds.update(NAME, f"{verb} DATA {{ {fact} }}", asked)
            situation = world.situation(needs_of(steps, world.domain, world.names, None))
            judged = judge_plan(steps, world.domain, situation, world.names, None, NOON)
            found.append(perf_counter() - begun)
            assert judged.verdicts[0].status is expected
    return found


def _worlds(folder: Path) -> Worlds:
    domain = load(EDITION, [PACK])
    return Worlds(folder / "worlds", lambda _: domain, Queries(folder / "queries", Limits(10, 1_000, 2**30)))


def _timed(operation: Callable[[], object]) -> float:
    begun = perf_counter()
    operation()
    return perf_counter() - begun


def _memory() -> int:
    """The most memory this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
