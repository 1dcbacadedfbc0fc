"""Where the time of a verdict goes: the functions of each stage under a profiler, as shares of the whole.

A profiler makes calls dearer than they are, so shares are to be compared, not times.
"""

from __future__ import annotations

from collections.abc import Callable
from cProfile import Profile
from pstats import Stats
from types import CodeType

from app.evaluate import decide, effects, resolve, screening, wording
from app.facts import Facts
from app.situation import Situation
from app.statement import parse
from tests.bench.verdicts import SORTS, asked_of, outcome_of
from tests.bench.worlds import facts_of, rights_world, scene_of

STAGES: tuple[tuple[str, Callable[..., object]], ...] = (
    ("parse the statement", parse),
    ("a view of the facts", Situation.facts),
    ("resolve the names", resolve.bind),
    ("state it among the facts", Facts.state),
    ("pre-bound values", decide.prebound),
    ("what it makes", effects.made_name),
    ("rules, needs, Findings", decide.find),
    ("  of these, rules screened", screening.rules_to_run),
    ("  of these, Findings worded", decide._finding),
    ("  of these, what is not permitted", decide._not_permitted),
    ("  of these, templates filled", wording.fill),
    ("effects", effects.effect_of),
    ("effects laid", Facts.lay),
    ("Rights conferred", effects.confer),
)
"""What a verdict calls, in order; the indented ones are parts of the one above."""


def shares(number: int, repeat: int = 5) -> dict[str, dict[str, float]]:
    """By sort of statement, the share of each stage; `the rest` is what lies between them."""
    scene = scene_of(facts_of(rights_world()))
    found: dict[str, dict[str, float]] = {}
    for sort in SORTS:
        asked = asked_of(sort, scene, number)
        profile = Profile()
        for _ in range(repeat):
            for each in asked:
                profile.runcall(outcome_of, scene, each)
        found[sort.name] = _shares(Stats(profile))
    return found


def _shares(stats: Stats) -> dict[str, float]:
    spent = {key: cumulative for key, (_, _, _, cumulative, _) in _raw(stats).items()}
    whole = spent[_key(outcome_of)]
    found = {name: spent.get(_key(function), 0.0) / whole for name, function in STAGES}
    found["the rest"] = 1.0 - sum(share for name, share in found.items() if not name.startswith(" "))
    return found


def _raw(stats: Stats) -> dict[tuple[str, int, str], tuple[int, int, float, float, object]]:
    raw: dict[tuple[str, int, str], tuple[int, int, float, float, object]] = vars(stats)["stats"]
    return raw


def _key(function: Callable[..., object]) -> tuple[str, int, str]:
    code: CodeType = getattr(function, "__code__")  # noqa: B009 - a Callable need not have one; these do
    return code.co_filename, code.co_firstlineno, code.co_name
