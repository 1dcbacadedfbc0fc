"""Closing facts under OWL 2 RL beside owlrl and reasonable, in one run; and what a layer costs.

Ours and no other keeps a derivation for each fact. Loading is off the clock for all. owlrl is asked about more than
the packs once, in a process of its own that is ended after OWLRL_LIMIT. A peer that is not installed, or Brick 1.5
where the package brickschema is not, is said to be missing.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from threading import Timer
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
OURS, OWLRL, REASONABLE = "ours, with derivations", f"owlrl {version('owlrl')}", "reasonable"
OWLRL_LIMIT = 120.0
"""Seconds that owlrl is given once its facts are loaded."""
_TRIPLES_AN_ENTITY = 20
_TARGET = "20,000 triples within 1 s"
_ROUNDS_WITH_OWLRL = 3


def rows(scale: Scale) -> list[Row]:
    """The packs, a world of 20,000 triples at full scale, a layer, and Brick at full scale."""
    packs = _facts(sorted(ROOT.glob("ontologies/*/ontology.ttl")))
    world = _repeated(packs, scale.entities[0] * _TRIPLES_AN_ENTITY)
    found = [
        _row("the packs", packs, scale, together=True),
        _row("a world over the packs", world, scale, target=_TARGET),
        _layer(world, scale),
    ]
    if scale.rounds > _ROUNDS_WITH_OWLRL:
        found.append(_brick(scale))
    return found


def _brick(scale: Scale) -> Row:
    spec = find_spec("brickschema")
    if spec is None or spec.origin is None:
        return Row("closing Brick 1.5 under OWL 2 RL", (), (), ("NOT measured: brickschema is not installed",))
    return _row("Brick 1.5", _facts([Path(spec.origin).parent / "ontologies/1.5/Brick.ttl"]), scale)


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


def _row(what: str, facts: list[Triple], scale: Scale, *, together: bool = False, target: str = "") -> Row:
    """Where owlrl is quick enough it takes turns with the others (`together`); else it has one try of its own."""
    contenders = [Contender(OURS, _fresh(lambda: partial(close, facts)))]
    text = ox.serialize(
        (ox.Triple(to_subject(s), ox.NamedNode(p), to_rdf(o)) for s, p, o in facts), format=ox.RdfFormat.N_TRIPLES
    )
    assert text is not None
    if together:
        contenders.append(Contender(OWLRL, _fresh(lambda: _owlrl(text))))
    notes = [f"{len(facts):,} triples, {len(close(facts).facts):,} with what follows"]
    reasonable = _reasonable_of(text)
    if isinstance(reasonable, str):
        notes.append(reasonable)
    else:
        contenders.append(Contender(f"{REASONABLE} {version(REASONABLE)}", _fresh(reasonable)))
    figures = list(race(contenders, min(scale.rounds, _ROUNDS_WITH_OWLRL) if together else scale.rounds))
    ratios = [ratio(f"ours / {figure.name}", figures[0], figure) for figure in figures[1:]]
    if not together:
        seconds = owlrl_alone(text, OWLRL_LIMIT)
        if isinstance(seconds, str):
            notes.append(seconds)
        else:
            once = Figure(OWLRL, (Round((seconds,), seconds),))
            ratios.append(ratio(f"ours / {OWLRL}", Figure(OURS, figures[0].rounds[-1:]), once))
            figures.append(once)
    if target:
        notes.append(f"target: {target}; here {figures[0].p50:.2f} s")
    return Row(f"closing {what} under OWL 2 RL", tuple(figures), tuple(ratios), tuple(notes))


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


_ALONE = """
import sys
from time import perf_counter
from tests.bench.reasoning import _owlrl
operation = _owlrl(sys.stdin.buffer.read())
print("loaded", flush=True)
begun = perf_counter()
operation()
print(perf_counter() - begun)
"""


def owlrl_alone(text: bytes, limit: float) -> float | str:
    """Seconds owlrl takes for facts in N-Triples, in a process of its own; what to say where they exceed `limit`."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", _ALONE], cwd=ROOT, stdin=pipe, stdout=pipe) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(text)
        child.stdin.close()
        if child.stdout.readline() != b"loaded\n":
            raise RuntimeError("owlrl could not load the facts")
        ended = Timer(limit, child.kill)
        ended.start()
        told = child.stdout.read()
        ended.cancel()
    if told:
        return float(told)
    if child.returncode < 0:
        return f"{OWLRL}: not within {limit:g} s"
    raise RuntimeError("owlrl failed")


def _reasonable_of(text: bytes) -> Callable[[], Operation] | str:
    """What prepares reasonable for facts; what to say where it is not installed."""
    try:
        module = import_module(REASONABLE)
    except ImportError:
        return f"{REASONABLE} is NOT measured: it is not installed"

    def prepare() -> Operation:
        reasoner = module.PyReasoner()
        reasoner.from_graph(Graph().parse(data=text, format="nt"))
        operation: Operation = reasoner.reason
        return operation

    return prepare
