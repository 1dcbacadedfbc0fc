"""What a session keeps to, as facts that rules read from `?context` (SEMANTICS 7): it only narrows.

The bounds hold for what the session's User does. A step that names another Process is judged without them, but for
the number of steps, which is the plan's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.facts import Slice
from app.model import Layer
from app.vocab import TYPE, dac

CONTEXT: Final = "urn:domain-access:context"
NO_CONTEXT: Final = "urn:domain-access:no-context"
_MAX_STEPS: Final = dac("maxSteps")


@dataclass(frozen=True, slots=True)
class Bounds:
    """The ActionContext of a session as slices, the one of CONTEXT first; and what of it could not be used."""

    slices: tuple[Slice, ...] = (Slice(CONTEXT, Layer.SESSION, {}),)
    notes: tuple[str, ...] = ()

    def all_slices(self) -> tuple[Slice, ...]:
        """Those, and one for the steps of others."""
        held = self.slices[0].out
        out = {predicate: held[predicate] for predicate in (TYPE, _MAX_STEPS) if predicate in held}
        return (*self.slices, Slice(NO_CONTEXT, Layer.SESSION, out))


NO_BOUNDS: Final = Bounds()
"""A session without ActionContext."""
