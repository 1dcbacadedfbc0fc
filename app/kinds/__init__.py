"""The Kinds of BKN-DAC: one module each, and KINDS, the table from which every interface derives them.

A Kind is two pure functions: `needs` reads the Request once and says what it wants to know of the World; `answer`
answers from the Context. No clock, no I/O, no globals: the service fetches between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.exchange import Answer
from app.kinds import affordances, behavioural_expectations, commitment, constraints, feasibility, semantic_grounding
from app.kinds.context import Answered, Context, Kind, PastTurn, Wanted

KINDS: Mapping[str, Kind[Any]] = {
    "semantic_grounding": semantic_grounding.KIND,
    "affordances": affordances.KIND,
    "constraints": constraints.KIND,
    "behavioural_expectations": behavioural_expectations.KIND,
    "feasibility": feasibility.KIND,
    "commitment": commitment.KIND,
}
"""One line a Kind; a Kind of the exchange that is not here is answered with `not_answered`, saying so."""


def not_served(kind: str) -> Answered:
    """What is answered for a Kind that has no module yet."""
    served = ", ".join(KINDS)
    return Answered("not_answered", answer=Answer(Text=f"Kind {kind} is not served here; served: {served}."))


__all__ = ["KINDS", "Answered", "Context", "Kind", "PastTurn", "Wanted", "not_served"]
