"""Fits the weights of grounding by coordinate ascent on the log-likelihood of two thirds of the labelled words."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from math import log

from app.kinds.grounding import Calibration, weigh
from tests.grounding.labelled import Labelled, found

FACTORS = ("synonym", "fits_hint", "misfits_hint", "asked_about", "is_place", "is_there", "was_said", "shares_words")
START = Calibration({}, 0.3, 10.0, 0.3, 10.0, 5.0, 5.0, 5.0, 2.0)
STEPS = (0.5, 0.8, 0.9, 1.1, 1.25, 2.0)
ROUNDS = 12
LEAST, MOST = 0.02, 0.98
"""No kind of evidence is never right, nor always: what few words say is drawn towards the middle."""
PRIOR = (1.0, 1.0)


def loss(words: Iterable[Labelled], calibration: Calibration) -> float:
    """Minus the log-likelihood of what is meant, "none" included; of several that nobody can tell, each its share."""
    whole = 0.0
    for each in words:
        senses = {sense.term: sense.confidence for sense in weigh(found(each), calibration)}
        if not senses:
            continue
        none = max(1 - sum(senses.values()), 0.001)
        for meant in each.meant or ("",):
            whole -= log(max(senses.get(meant, none), 0.001)) / max(len(each.meant), 1)
    return whole


def penalised(words: Sequence[Labelled], calibration: Calibration) -> float:
    """The loss, and a little for weights that few words would drive to an extreme."""
    kinds = sum(-PRIOR[0] * log(p) - PRIOR[1] * log(1 - p) for p in calibration.right.values())
    factors = sum(0.1 * log(getattr(calibration, name)) ** 2 for name in FACTORS)
    return loss(words, calibration) + kinds + factors


def fit(words: Sequence[Labelled]) -> Calibration:
    """The weights for some labelled words; the same for the same words."""
    keys = sorted({each.key for word in words for each in found(word)})
    best = START._replace(right=dict.fromkeys(keys, 0.7))
    value = penalised(words, best)

    def attempt(changed: Calibration) -> bool:
        nonlocal best, value
        now = penalised(words, changed)
        if now < value - 1e-6:
            best, value = changed, now
            return True
        return False

    for _ in range(ROUNDS):
        better = False
        for key in keys:
            odds = best.right[key] / (1 - best.right[key])
            for step in STEPS:
                p = min(max(odds * step / (1 + odds * step), LEAST), MOST)
                better |= attempt(best._replace(right={**best.right, key: p}))
        for name in FACTORS:
            for step in STEPS:
                better |= attempt(best._replace(**{name: getattr(best, name) * step}))
        if not better:
            break
    rounded = {key: round(p, 3) for key, p in best.right.items()}
    return best._replace(right=rounded, **{name: round(getattr(best, name), 3) for name in FACTORS})


def calibration_error(points: Sequence[tuple[float, float]], bins: int = 10) -> float:
    """Expected calibration error: how far Confidence is from how often it is right, over equal bins."""
    points = [point for point in points if point[0] > 0]
    whole = 0.0
    for i in range(bins):
        inside = [p for p in points if min(int(p[0] * bins), bins - 1) == i]
        if inside:
            whole += abs(sum(c for c, _ in inside) - sum(r for _, r in inside))
    return whole / max(len(points), 1)


def bootstrap(
    points: Sequence[tuple[float, float]], measure: Callable[[Sequence[tuple[float, float]]], float]
) -> tuple[float, float]:
    """The 95 % interval of a measure over 2,000 resamples."""
    chance = random.Random(8)
    values = sorted(measure(chance.choices(points, k=len(points))) for _ in range(2000))
    return values[50], values[1949]
