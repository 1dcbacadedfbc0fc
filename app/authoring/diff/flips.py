"""Both states asked the same: what they answer otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pyoxigraph as ox

from app.authoring.answering import Answering
from app.authoring.diff.answer import Answer, flip_of, told
from app.authoring.diff.asked import Progress
from app.authoring.diff.difference import Change, Flip, Part
from app.authoring.diff.queries import AbsentError, OfKind, OfPlan, OfQuestion, OfRuleCase, Query
from app.authoring.diff.responsible import Found
from app.knowledge import from_rdf
from app.model import Triple

_MOST_FACTS = 8
_OFTEN = 50
_TERMS = frozenset({Part.TERM, Part.AXIOM, Part.WORLD, Part.LABEL, Part.SYNONYM})


@dataclass
class Asking:
    """What was asked of both states, and what came of it."""

    found: list[Found] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    one_sided: set[str] = field(default_factory=set)
    fired: set[str] = field(default_factory=set)

    def ask(self, queries: Iterable[Query], states: tuple[Answering, Answering], progress: Progress) -> None:
        """Ask both states. Raises PackError where a state cannot be loaded."""
        every = list(queries)
        for number, query in enumerate(every):
            if number % _OFTEN == 0:
                progress(f"asking {number + 1} of {len(every)}")
            given = self._given(query, states, whole=not is_probe(query))
            if (
                given
                and is_probe(query)
                and any(flip_of(a, given[1][p]) for p, a in given[0].items() if p in given[1])
            ):
                given = self._given(query, states, whole=True)
            if given:
                self._compare(query, *given)

    def _given(
        self, query: Query, states: tuple[Answering, Answering], *, whole: bool
    ) -> tuple[Mapping[str, Answer], Mapping[str, Answer]] | None:
        """The answers of both states; None where one cannot be asked, which is noted."""
        given: list[Mapping[str, Answer]] = []
        for state in states:
            try:
                given.append(query.answers(state, whole))
            except AbsentError as absent:
                self.one_sided.add(str(absent))
        return (given[0], given[1]) if len(given) == 2 else None

    def _compare(self, query: Query, old: Mapping[str, Answer], new: Mapping[str, Answer]) -> None:
        for part in [*old, *(part for part in new if part not in old)]:
            self.counts[sort_of(query)] += 1
            if part not in old or part not in new:
                continue
            before, after = old[part], new[part]
            self.fired |= before.rules | after.rules
            kind = flip_of(before, after)
            if kind is not None:
                self.found.append(Found(query, part, kind, before, after))


def sort_of(query: Query) -> str:
    """How questions are counted."""
    probe = is_probe(query)
    if isinstance(query, OfPlan):
        return "probes" if probe else "golden steps"
    if isinstance(query, OfRuleCase):
        return "rule cases"
    if isinstance(query, OfQuestion):
        return "competency questions"
    assert isinstance(query, OfKind)
    return "probes of the Kinds" if probe else "Kind cases"


def is_probe(query: Query) -> bool:
    """Whether nobody wrote the question down."""
    return query.id.startswith("probe:")


def involved(found: Found, changes: Sequence[Change]) -> tuple[int, ...]:
    """The changes that the two answers point at: of a rule whose findings differ, of a fact that only one rests on,
    of a term or an entity that it names.
    """
    old, new = found.old, found.new
    rules = (old.rules ^ new.rules) or (old.rules | new.rules)
    facts = old.triples ^ new.triples
    about = {term for fact in facts for term in (fact[0], fact[2]) if isinstance(term, str)} or (
        old.about | new.about
    )
    numbers: list[int] = []
    for number, change in enumerate(changes):
        by_rule = change.part is Part.RULE and change.subject in rules
        by_term = change.part in _TERMS and (change.subject in about or bool(_facts(change) & facts))
        if by_rule or by_term:
            numbers.append(number)
    return tuple(numbers)


def as_flip(found: Found) -> Flip:
    """A flip as it is told, without the questions and answers that it was found by."""
    old, new = found.old, found.new
    only_old = [f"OLD: {fact}" for fact in sorted(old.facts - new.facts)]
    only_new = [f"NEW: {fact}" for fact in sorted(new.facts - old.facts)]
    return Flip(
        kind=found.kind,
        source=found.query.name(found.part),
        place=found.query.place,
        question=found.query.said(found.part),
        old=told(old, new),
        new=told(new, old),
        old_text=old.text,
        new_text=new.text,
        rules=tuple(sorted(old.rules ^ new.rules)),
        facts=(*only_old[:_MOST_FACTS], *only_new[:_MOST_FACTS]),
        responsible=found.responsible,
        how=found.how,
        involved=() if found.responsible else found.involved,
    )


def _facts(change: Change) -> frozenset[Triple]:
    """The facts that a change adds or removes."""
    triples = (t for patch in change.patches for t in (*patch.removed, *patch.added))
    return frozenset(
        (str(from_rdf(t.subject)), t.predicate.value, from_rdf(t.object))
        for t in triples
        if not isinstance(t.object, ox.Triple)
    )
