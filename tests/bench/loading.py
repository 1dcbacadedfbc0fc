"""From files to readiness: packs and rules, a World, and a server in a process of its own."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import pyoxigraph as ox

from app.rules import load
from app.world import World, read_world, to_rdf, to_subject
from tests.bench.measure import Contender, Round, Row, Scale, race, ratio, timed
from tests.bench.processes import OURS, run_s, serving
from tests.bench.worlds import PACK, ROOT, domain, town
from tests.packs import EDITION


def rows(scale: Scale) -> list[Row]:
    """What is loaded in this process; facts by number; and a server."""
    return [_packs(scale), _facts(scale), _server(scale)]


def _packs(scale: Scale) -> Row:
    path = ROOT / "ontologies" / PACK / "worlds" / "MI1.ttl"

    def world() -> World:
        return World.of(read_world(path), domain())

    figures = race(
        [
            Contender(
                f"rules, core and {PACK}",
                lambda _: timed([partial(load, EDITION, [PACK])]),
            ),
            Contender("the World MI1", lambda _: timed([world])),
        ],
        scale.rounds,
    )
    return Row("loading packs and worlds", figures)


def _facts(scale: Scale) -> Row:
    facts = list(town(scale.entities[0] * 5))

    def store() -> ox.Store:
        graph = ox.DefaultGraph()
        made = ox.Store()
        made.bulk_extend(ox.Quad(to_subject(s), ox.NamedNode(p), to_rdf(o), graph) for s, p, o in facts)
        return made

    figures = race(
        [
            Contender("a World, a triple", lambda _: timed([lambda: World.of(facts, domain())]).parted(len(facts))),
            Contender("Oxigraph alone, a triple", lambda _: timed([store]).parted(len(facts))),
        ],
        scale.rounds,
    )
    return Row(
        f"loading {len(facts):,} facts in memory",
        figures,
        (ratio("a World / Oxigraph alone", figures[0], figures[1]),),
        ("target: 300,000 triples/s in memory", "a World has canonical blank nodes and a version besides"),
    )


def _server(scale: Scale) -> Row:
    with TemporaryDirectory(prefix="bench-") as folder:

        def ready(_: int) -> Round:
            with serving(OURS, Path(folder) / str(uuid4())) as server:
                return Round((server.ready_s,), server.ready_s)

        def bare(_: int) -> Round:
            seconds = run_s("-c", "pass")
            return Round((seconds,), seconds)

        figures = race([Contender("domain-access serve", ready), Contender("python -c pass", bare)], scale.starts)
    return Row(
        "from the start of a process until it is ready",
        figures,
        (ratio("serve / an empty process", figures[0], figures[1]),),
        ("target: ready in 2 s with all packs",),
    )
