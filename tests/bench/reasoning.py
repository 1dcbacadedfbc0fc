"""Closing facts under OWL 2 RL beside owlrl and, where it is installed, reasonable; and what a layer costs.

Ours and no other keeps a derivation for each fact. Loading is off the clock for all. Brick 1.5 is measured where the
package brickschema is installed; owlrl is asked about the packs alone, for it would take minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import owlrl
import pyoxigraph as ox
from rdflib import Graph

from app.knowledge import read_turtle
from app.model import Term, Text, Triple
from app.reasoner import close, extend
from app.vocab import IDENTIFIER, TYPE, mmm
from app.world import to_rdf, to_subject
from tests.bench.measure import Contender, Figure, Operation, Round, Row, Scale, race, ratio, timed

ROOT = Path(__file__).parents[2]
OURS, OWLRL, REASONABLE = "ours, with derivations", "owlrl", "reasonable"
_ROUNDS = 3
_TRIPLES_AN_ENTITY = 20
_TARGET = "20,000 triples within 1 s"


def rows(scale: Scale) -> list[Row]:
    """The packs, a world of 20,000 triples at full scale, Brick, and a layer."""
    packs = _facts(sorted(ROOT.glob("ontologies/*/ontology.ttl")))
    world = _repeated(packs, scale.entities[0] * _TRIPLES_AN_ENTITY)
    found = [
        _row("the packs", packs, scale, with_owlrl=True),
        _row("a world over the packs", world, scale, target=_TARGET),
        _layer(world, scale),
    ]
    spec = find_spec("brickschema")
    if spec is not None and spec.origin is not None and scale.rounds > _ROUNDS:
        brick = _facts([Path(spec.origin).parent / "ontologies/1.5/Brick.ttl"])
        found.append(_row("Brick 1.5", brick, scale))
    return found


def _facts(paths: Iterable[Path]) -> list[Triple]:
    return list(dict.fromkeys(triple for path in paths for triple in read_turtle(path)))


def _repeated(packs: list[Triple], size: int) -> list[Triple]:
    """The packs with the world MI1 so often, each time with entities of its own, that there are `size` triples."""
    world = _facts([ROOT / "ontologies/friends_meet/worlds/MI1.ttl"])
    own = {s for s, _, _ in world}
    found = dict.fromkeys(packs)
    for copy in count():

        def renamed(term: Term, copy: int = copy) -> Any:
            return f"{term}-{copy}" if term in own else term

        for s, p, o in world:
            named = Text(f"{o.value}-{copy}") if p == IDENTIFIER and isinstance(o, Text) else renamed(o)
            found[renamed(s), p, named] = None
            if len(found) >= size:
                return list(found)
    raise AssertionError("count has no end")


def _row(what: str, facts: list[Triple], scale: Scale, *, with_owlrl: bool = False, target: str = "") -> Row:
    contenders = [Contender(OURS, _fresh(lambda: partial(close, facts)))]
    text = ox.serialize(
        (ox.Triple(to_subject(s), ox.NamedNode(p), to_rdf(o)) for s, p, o in facts), format=ox.RdfFormat.N_TRIPLES
    )
    if with_owlrl:
        contenders.append(Contender(OWLRL, _fresh(lambda: _owlrl(text or b""))))
    notes = [f"{len(facts):,} triples, {len(close(facts).facts):,} with what follows"]
    if find_spec("reasonable") is None:
        notes.append("reasonable is not installed")
    else:
        contenders.append(Contender(REASONABLE, _fresh(lambda: _reasonable(text or b""))))
    figures = race(contenders, min(scale.rounds, _ROUNDS) if with_owlrl else scale.rounds)
    ratios = tuple(ratio(f"ours / {figure.name}", figures[0], figure) for figure in figures[1:])
    if target:
        notes.append(f"target: {target}; here {figures[0].p50:.2f} s")
    return Row(f"closing {what} under OWL 2 RL", figures, ratios, tuple(notes))


def _layer(facts: list[Triple], scale: Scale) -> Row:
    base = close(facts)
    more: list[Triple] = [("urn:new", TYPE, mmm("User"))]
    contenders = (
        Contender("a layer of one fact", _fresh(lambda: partial(extend, base, more))),
        Contender("closing all again", _fresh(lambda: partial(close, [*facts, *more]))),
    )
    figures: tuple[Figure, ...] = race(contenders, scale.rounds)
    return Row(
        "one fact more",
        figures,
        (ratio("layer / all again", figures[0], figures[1]),),
        (f"over {len(base.facts):,} facts",),
    )


def _fresh(prepare: Callable[[], Operation]) -> Callable[[int], Round]:
    """A round of one operation on something new."""
    return lambda _: timed([prepare()])


def _owlrl(text: bytes) -> Operation:
    graph = Graph().parse(data=text, format="nt")
    operation: Operation = owlrl.OWLRL_Semantics(graph, False, False, False).closure
    return operation


def _reasonable(text: bytes) -> Operation:
    from reasonable import PyReasoner

    reasoner = PyReasoner()
    reasoner.from_graph(Graph().parse(data=text, format="nt"))
    operation: Operation = reasoner.reason
    return operation
