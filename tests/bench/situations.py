"""What a request fetches of a World: the needs of its statements, then slices; those kept, or those read anew.

Worlds of the same shape in several sizes: what is asked of one household should cost the same in any of them. And
what is asked of a place that all the others name, too: that one grows until a bound is reached (DESIGN 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from app.authoring.plans import NOON
from app.evaluate import Step, judge_plan
from app.model import PAStatus
from tests.bench.measure import Contender, Figure, Round, Row, Scale, race, ratio, timed
from tests.bench.worlds import Scene, friends_meet, household_moves, plan, scene_of, town

_TARGETS = {"warm, with the verdict": "below 1.2 to 1,000,000 entities"}
_WAYS = ("warm", "warm, with the verdict", "cold")
_SLOW = 10
"""Where one operation takes milliseconds, a round has one in so many."""


def rows(scale: Scale) -> list[Row]:
    """The plan of friends_meet; towns of growing size, asked of a household and of the place that all know."""
    towns = {entities: scene_of(list(town(entities))) for entities in scale.entities}
    return [
        _of_plan(scale),
        _of_towns("Situation of one step in a generated World, within a household", towns, scale, popular=False),
        _of_towns("the same, to a place that a Right of every household names", towns, scale, popular=True),
    ]


def _of_plan(scale: Scale) -> Row:
    scene = friends_meet()
    steps = scene.steps(*(text for _, text in plan()))
    fetches = [partial(scene.fetched, steps)] * max(2, scale.operations // _SLOW)
    figures = race(
        [
            Contender("warm", lambda _: timed(fetches).parted(len(steps))),
            Contender("cold", lambda _: timed(fetches, before=scene.world.forget).parted(len(steps))),
        ],
        scale.rounds,
    )
    slices = len(scene.fetched(steps).slices)
    return Row(
        f"Situation of the friends_meet plan: of one step, {len(steps)} asked together",
        figures,
        (ratio("cold / warm", figures[1], figures[0]),),
        ("target: 10 µs a step, warm", f"{slices} slices; the needs of the statements are worked out each time"),
    )


def _of_towns(title: str, towns: dict[int, Scene], scale: Scale, *, popular: bool) -> Row:
    contenders: list[Contender] = []
    notes: list[str] = []
    number = max(2, scale.operations // (2 * _SLOW if popular else 1))
    for entities, scene in towns.items():
        asked = [scene.steps(text) for text in household_moves(entities, number, popular=popular)]
        assert {_verdict(scene, steps) for steps in asked} == {PAStatus.ACK}
        slices = sorted(len(scene.fetched(steps).slices) for steps in asked)
        notes.append(f"{entities:,} entities: a Situation has {slices[0]} to {slices[-1]} slices")
        contenders += _contenders(scene, f"{entities:,} entities", asked)
    figures = race(contenders, scale.rounds)
    of_size: list[Sequence[Figure]] = [figures[i : i + len(_WAYS)] for i in range(0, len(figures), len(_WAYS))]
    ratios = [
        ratio(f"{way}: {size:,} / {scale.entities[0]:,} entities", large, small, _TARGETS.get(way, ""))
        for size, found in zip(scale.entities[1:], of_size[1:], strict=True)
        for way, small, large in zip(_WAYS, of_size[0], found, strict=True)
    ]
    return Row(title, figures, tuple(ratios), tuple(notes))


def _contenders(scene: Scene, size: str, asked: Sequence[Sequence[Step]]) -> list[Contender]:
    fetches = [partial(scene.fetched, steps) for steps in asked]
    verdicts = [partial(_verdict, scene, steps) for steps in asked]

    def cold(_: int) -> Round:
        found = timed(fetches[: -(-len(fetches) // _SLOW)], before=scene.world.forget)
        timed(fetches)  # whoever comes next finds the slices kept
        return found

    runs = (lambda _: timed(fetches), lambda _: timed(verdicts), cold)
    return [Contender(f"{size}, {way}", run) for way, run in zip(_WAYS, runs, strict=True)]


def _verdict(scene: Scene, steps: Sequence[Step]) -> PAStatus | None:
    return judge_plan(steps, scene.domain, scene.fetched(steps), scene.names, None, NOON).verdicts[0].status
