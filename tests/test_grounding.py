"""Grounding: calibrated on labelled words, abstaining, told by clues; the weights in use are those fitted."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.kinds.calibration import FITTED
from app.kinds.grounding import THRESHOLD, Clues, ground
from tests.grounding.__main__ import FILE, written
from tests.grounding.fitting import bootstrap, calibration_error, fit
from tests.grounding.labelled import Labelled, class_iri, found, household, outcome, read_terms

WORDS = read_terms()
HELD_OUT = [each for each in WORDS if each.held_out]
POINTS = [outcome(each, FITTED) for each in HELD_OUT]
TRAPS = Counter(each.trap for each in WORDS)


def test_the_words_are_many_and_hard() -> None:
    """At least 300, a third held out, traps of every kind, each word once, each class one of the household's."""
    assert len(WORDS) >= 400
    assert len(WORDS) / 4 < len(HELD_OUT) < len(WORDS) / 2
    assert {"ambiguous", "absent", "near", "foreign", "foreign_absent", "context", "typing", "hint"} <= set(TRAPS)
    assert min(TRAPS[trap] for trap in ("ambiguous", "absent", "near", "context", "typing")) >= 20
    assert [key for key, n in Counter((each.text, each.clues) for each in WORDS).items() if n > 1] == []
    assert {c for each in WORDS for c in each.meant} <= set(household().classes)


def test_the_weights_in_use_are_those_fitted_on_the_other_two_thirds() -> None:
    """`python -m tests.grounding` would write the same file."""
    assert written(fit([each for each in WORDS if not each.held_out])) == FILE.read_text(encoding="utf-8")


def test_confidence_is_calibrated_on_the_words_held_out() -> None:
    """The expected calibration error is at most 0.1; its interval is told by the bench."""
    error = calibration_error(POINTS)
    low, high = bootstrap(POINTS, calibration_error)
    assert error <= 0.1
    assert low <= error + 0.02
    assert high < 0.2


def test_what_is_grounded_is_nearly_always_right() -> None:
    """Of the held-out words above the threshold nine in ten are right; more than half of all are grounded."""
    right = [each for confidence, each in POINTS if confidence >= THRESHOLD]
    assert sum(right) / len(right) >= 0.9
    assert len(right) / len(POINTS) >= 0.5


def test_it_abstains_where_nothing_is_meant() -> None:
    """Three in four of the words that mean nothing here, look-alikes included, are not grounded."""
    nothing = [point for each, point in zip(HELD_OUT, POINTS, strict=True) if not each.meant]
    assert len(nothing) >= 20
    assert sum(confidence < THRESHOLD for confidence, _ in nothing) / len(nothing) >= 0.75


def test_a_measure_that_finds_everything_right_is_not_fooled() -> None:
    """The error of what is always right at 0.6 is 0.4, of what is right as often as it says 0."""
    assert calibration_error([(0.6, 1.0)] * 10) == pytest.approx(0.4)
    assert calibration_error([(0.6, 1.0)] * 6 + [(0.6, 0.0)] * 4) == pytest.approx(0.0)


@given(st.sampled_from(WORDS))
def test_confidences_are_shares(each: Labelled) -> None:
    """Together at most 1, the highest first, and the same for the same question."""
    senses = ground(each.text, Clues(), household(), FITTED).senses
    assert sum(sense.confidence for sense in senses) <= 1.005
    assert [sense.confidence for sense in senses] == sorted((sense.confidence for sense in senses), reverse=True)
    assert senses == ground(each.text, Clues(), household(), FITTED).senses


@given(st.sampled_from([each for each in WORDS if len(found(each)) > 1]), st.data())
def test_a_clue_for_a_sense_never_lowers_it(each: Labelled, data: st.DataObject) -> None:
    """Neither a hint, nor a thing asked about, nor one that is there."""
    plain = ground(each.text, Clues(), household(), FITTED)
    sense = data.draw(st.sampled_from(plain.senses))
    own = frozenset((sense.term,))
    for clues in (Clues(hint=sense.term), Clues(asked=own), Clues(there=own), Clues(said=own)):
        told = ground(each.text, replace(clues), household(), FITTED)
        assert {s.term: s.confidence for s in told.senses}[sense.term] >= sense.confidence


@pytest.mark.parametrize("text", ["", " ", "\0", "x" * 10_000, "🦄", "bank" * 500])
def test_what_is_no_word_means_nothing(text: str) -> None:
    assert ground(text, Clues(), household(), FITTED).senses == ()


def test_a_hint_alone_grounds_nothing() -> None:
    """A word that nothing is called means nothing, whatever class it is thought to have."""
    assert ground("helicopter", Clues(hint=class_iri("Fridge")), household(), FITTED).senses == ()
