"""The weights of grounding, fitted on labelled words; `python -m tests.grounding` writes this file."""

from __future__ import annotations

from typing import Final

from app.kinds.grounding import Calibration

FITTED: Final = Calibration(
    right={
        "derived": 0.808,
        "derived, foreign": 0.344,
        "exact": 0.928,
        "inflected": 0.936,
        "inflected, foreign": 0.675,
        "normalised": 0.98,
        "normalised, foreign": 0.837,
        "partial, some": 0.512,
        "partial, some, foreign": 0.344,
        "typing, long": 0.808,
        "typing, long, foreign": 0.344,
        "typing, short": 0.762,
        "words": 0.824,
    },
    synonym=0.267,
    fits_hint=10.781,
    misfits_hint=0.256,
    asked_about=3.063,
    is_place=0.99,
    is_there=9.9,
    was_said=2.08,
    shares_words=16.471,
)
