"""What closing facts gives: Closure, Derivation, Clash."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from app.model import Triple

if TYPE_CHECKING:
    from app.reasoner.closing import Facts


class Derivation(NamedTuple):
    """The rule of the OWL 2 RL tables and the premises a fact was inferred from."""

    rule: str
    premises: tuple[Triple, ...]


class Clash(NamedTuple):
    """A rule whose premises contradict each other, and these premises.

    The rule `bound` stands for no contradiction: more follows from the premises than is written out (equals.LIMIT,
    lists.LIMIT). It is a Clash so that it cannot be overlooked.
    """

    rule: str
    premises: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class Closure:
    """Facts with what follows from them; `derivations` has an entry for each fact that was not asserted.

    Of an extension (`extend`), facts, derivations and clashes are those beyond its base. What the tables need
    and RDF does not have or say is found among the derivations only: a literal as a subject, a blank node as a
    predicate, that a term is below itself.
    """

    facts: frozenset[Triple]
    derivations: Mapping[Triple, Derivation]
    clashes: tuple[Clash, ...] = ()
    base: Closure | None = None
    _known: Facts | None = field(default=None, repr=False, compare=False)

    def tells(self, triple: Triple) -> bool:
        """Whether a fact is one of the facts, here or in the base."""
        level: Closure | None = self
        while level is not None:
            if triple in level.facts:
                return True
            level = level.base
        return False

    def holds(self, triple: Triple) -> bool:
        """Whether a fact was asserted or inferred, here or in the base."""
        level: Closure | None = self
        while level is not None:
            if triple in level.facts or triple in level.derivations:
                return True
            level = level.base
        return False

    def derivation(self, triple: Triple) -> Derivation | None:
        """What a fact was inferred from; None where it was asserted or does not hold."""
        level: Closure | None = self
        while level is not None:
            if triple in level.derivations:
                return level.derivations[triple]
            level = level.base
        return None

    def why(self, triple: Triple) -> tuple[Triple, ...]:
        """The asserted facts that a fact rests on, itself if it was asserted."""
        return self.why_all((triple,))

    def why_all(self, triples: Iterable[Triple]) -> tuple[Triple, ...]:
        """The asserted facts that several facts rest on, such as the premises of a Clash."""
        asserted: dict[Triple, None] = {}
        pending = list(triples)
        seen = set(pending)
        while pending:
            current = pending.pop()
            derivation = self.derivation(current)
            if derivation is None:
                asserted[current] = None
                continue
            for premise in derivation.premises:
                if premise not in seen:
                    seen.add(premise)
                    pending.append(premise)
        return tuple(asserted)
