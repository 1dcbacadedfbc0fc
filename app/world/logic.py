"""Do facts contradict what the vocabulary says? OWL 2 RL on the nodes that a change touches (DESIGN 4).

A node is closed with its own facts and the classes of what it points at.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyoxigraph as ox

from app.knowledge import LIST_CELLS, from_rdf
from app.model import Term
from app.reasoner import extend
from app.reasoner.closure import Closure
from app.rules import Domain
from app.world.report import Result
from app.world.view import Facts, View, with_types


class Logic:
    """The contradictions with one Domain's Knowledge. Thread-safe."""

    def __init__(self, domain: Domain) -> None:
        self._closure = domain.knowledge.closure

    def check(self, node: ox.NamedNode, facts: Facts, types: Facts, view: View) -> Iterator[Result]:
        """The contradictions of a node, each with the asserted facts that it rests on. `types` has what is said of
        the classes of each node that it points at; what those contradict without it is told of them.
        """
        extended = self._extended({node: facts[node]}, types)
        for clash in extended.clashes:
            because = [fact for fact in extended.why_all(clash.premises) if fact[1] not in LIST_CELLS]
            told = "; ".join(f"{view.shown(s)} {p} {_said(o, view)}" for s, p, o in because)
            message = f"it contradicts the vocabulary (OWL 2 RL, {clash.rule}): {told}"
            subjects = [s for s, _, _ in because]
            near = (
                [s for s in subjects if not s.startswith("_:") and ox.NamedNode(s) in types]
                if node.value not in subjects
                else []
            )
            yield Result(view.shown(near[0] if near else node.value), "", None, "contradiction", message)

    def is_consistent(self, facts: Facts, types: Facts) -> bool:
        """Whether nodes contradict nothing all at once: then none does by itself, and each need not be looked at."""
        return not self._extended(facts, types).clashes

    def _extended(self, facts: Facts, types: Facts) -> Closure:
        """A node without identifier keeps its Skolem IRI here: blank nodes of packs have names, too."""
        said = with_types(facts, types)
        return extend(self._closure, [(t.subject.value, t.predicate.value, from_rdf(t.object)) for t in said])  # type: ignore[union-attr]


def _said(term: Term, view: View) -> str:
    if isinstance(term, str):
        return view.shown(term)
    return str(getattr(term, "value", getattr(term, "lexical", term)))
