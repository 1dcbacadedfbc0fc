"""What is asked of both states: every case that either of them brings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from app.authoring import collected
from app.authoring.answering import Answering
from app.authoring.diff.queries import OfKind, OfPlan, OfQuestion, OfRuleCase, Query

Progress = Callable[[str], None]


def cases_of(states: tuple[Answering, Answering], packs: Iterable[str]) -> list[Query]:
    """The cases of some packs in both states, those that ask the same once, in the order of their identifiers.

    Raises PackError where a file of cases cannot be read.
    """
    named = list(packs)
    found: dict[object, Query] = {}
    for state in states:
        here = [pack for pack in named if pack in state.edition.names()]
        for case in collected.cases_of(state.edition, here, state):
            query = _query(case)
            same = found.get(query.content)
            if same is None or query.id < same.id:
                found[query.content] = query
    return sorted(found.values(), key=lambda query: query.id)


def rules_reached(queries: Iterable[Query]) -> Iterator[str]:
    """The rules that have a case among the queries."""
    return (query.id.split(":")[1] for query in queries if isinstance(query, OfRuleCase))


def _query(case: collected.AnyCase) -> Query:
    if isinstance(case, collected.OfRule):
        return OfRuleCase(case.id, case.pack, case.case)
    if isinstance(case, collected.OfQuestion):
        return OfQuestion(case.id, case.pack, case.question)
    if isinstance(case, collected.OfPlan):
        return OfPlan(case.id, case.pack, case.golden.plan)
    assert isinstance(case, collected.OfKind)
    return OfKind(case.id, case.pack, case.case)
