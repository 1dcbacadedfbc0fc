"""A word grounded with its clues, beside the lexicon's first hit: coverage against precision, over the threshold.

On the third of the labelled words that nothing was fitted on. Coverage is the part of all words that are grounded,
precision the part of these that are right; abstaining is right where nothing is meant, or nobody can tell what.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, TypeAlias

from app.kinds.calibration import FITTED
from app.kinds.grounding import ground
from tests.bench.measure import Contender, Row, Scale, race, ratio, timed
from tests.grounding.fitting import bootstrap, calibration_error
from tests.grounding.labelled import Labelled, clues_of, household, outcome, read_terms

THRESHOLDS: Final = (0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
Points: TypeAlias = Sequence[tuple[float, float]]


def rows(scale: Scale) -> list[Row]:
    """One row: the time of a word, and the curve in its notes."""
    knowledge = household()
    words = [each for each in read_terms() if each.held_out]
    asked = [(each.text, clues_of(each, knowledge)) for each in words][: scale.operations]
    ours = [partial(ground, text, clues, knowledge, FITTED) for text, clues in asked]
    plain = [partial(knowledge.lexicon.find, text, among=knowledge.classes) for text, _ in asked]
    contenders = [Contender(_OURS, lambda _: timed(ours)), Contender(_PLAIN, lambda _: timed(plain))]
    figures = race(contenders, scale.rounds)
    points = [outcome(each, FITTED) for each in words]
    low, high = bootstrap(points, calibration_error)
    notes = [
        f"{len(words)} words held out",
        f"expected calibration error {calibration_error(points):.3f}, 95 %: {low:.3f} to {high:.3f}",
        "threshold: coverage / precision in %",
        f"with clues: {curve(points)}",
        f"first hit of the lexicon, by its score: {curve([first_hit(each) for each in words])}",
    ]
    ratios = (ratio("ours / lexicon alone", figures[0], figures[1]),)
    return [Row("a word grounded with its clues", figures, ratios, tuple(notes))]


_OURS, _PLAIN = "ground", "lexicon alone"


def first_hit(each: Labelled) -> tuple[float, float]:
    """The score of the lexicon's first hit, and whether it is right."""
    knowledge = household()
    hits = knowledge.lexicon.find(each.text, among=knowledge.classes)
    if not hits:
        return (0.0, 0.0)
    return (hits[0].score, 1 / len(each.meant) if hits[0].term in each.meant else 0.0)


def curve(points: Points) -> str:
    """Coverage and precision at each threshold."""
    return ", ".join(f"{threshold}: {_at(points, threshold)}" for threshold in THRESHOLDS)


def _at(points: Points, threshold: float) -> str:
    grounded = [right for confidence, right in points if confidence >= threshold]
    precision = f"{100 * sum(grounded) / len(grounded):.0f}" if grounded else "-"
    return f"{100 * len(grounded) / len(points):.0f}/{precision}"
