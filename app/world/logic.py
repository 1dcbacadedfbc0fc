"""Do facts contradict what the vocabulary says? OWL 2 RL on the nodes that a change touches (DESIGN 4).

A node is closed with its own facts and the classes of what it points at.
"""

from __future__ import annotations

from collections.abc import Iterator

from app.reasoner import extend
from app.rules import Domain
from app.world.report import Result
from app.world.view import Facts, View, with_types


class Logic:
    """The contradictions with one Domain's Knowledge. Thread-safe."""

    def __init__(self, domain: Domain) -> None:
        self._closure = domain.knowledge.closure

    def check(self, facts: Facts, types: Facts, view: View) -> Iterator[Result]:
        """The contradictions of some nodes, each with the asserted facts that it rests on. `types` has what is said
        of the classes of each node that they point at.
        """
        triples = [view.terms.triple(each) for each in with_types(facts, types)]
        extended = extend(self._closure, triples)
        own = set(triples)
        for clash in extended.clashes:
            because = extended.why_all(clash.premises)
            at = next((s for s, p, o in because if (s, p, o) in own), because[0][0] if because else "")
            told = "; ".join(f"{s} {p} {_said(o)}" for s, p, o in because)
            yield Result(
                at, "", "", "contradiction", f"it contradicts the vocabulary (OWL 2 RL, {clash.rule}): {told}"
            )


def _said(term: object) -> str:
    return str(term) if isinstance(term, str) else str(getattr(term, "value", getattr(term, "lexical", term)))
