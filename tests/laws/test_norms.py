"""Which of two Norms is more specific is an order, and what gives way is the more general one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.facts import Facts
from app.kinds.norms import Circumstances, Norm, standing
from tests.grounding.labelled import household

KNOWLEDGE = household()
FACTS = Facts({}, vocabulary=KNOWLEDGE.vocabulary, schema=KNOWLEDGE.schema, inverses=frozenset())
CLASSES = sorted(KNOWLEDGE.classes)
VERBS = [f"https://w3id.org/domain-access/mmm#{verb}" for verb in ("May", "MayNot", "Must")]
CONDITIONS = st.dictionaries(
    st.sampled_from(("place", "role", "occasion", "thing")),
    st.lists(st.sampled_from(CLASSES), min_size=1, max_size=2, unique=True).map(tuple),
    max_size=3,
)
NORMS = st.lists(
    st.builds(
        Norm, st.integers(0, 999).map(str), st.sampled_from(VERBS), st.sampled_from(("laugh", "run")), CONDITIONS
    ),
    max_size=6,
    unique_by=lambda norm: norm.iri,
)
EVERYWHERE = Circumstances(
    {name: frozenset(CLASSES) for name in ("place", "role", "occasion", "thing")}, things=("x",)
)


@given(NORMS)
def test_every_norm_that_holds_is_told_once(norms: list[Norm]) -> None:
    """Where every condition holds, each Norm stands or is withdrawn, never both."""
    found = standing(norms, EVERYWHERE, KNOWLEDGE, FACTS)
    told = [norm.iri for norm in found.norms] + [gone.norm.iri for gone in found.withdrawn]
    assert sorted(told) == sorted(norm.iri for norm in norms)


@given(NORMS)
def test_what_gives_way_contradicts_what_stands_and_is_not_narrower(norms: list[Norm]) -> None:
    found = standing(norms, EVERYWHERE, KNOWLEDGE, FACTS)
    standing_iris = {norm.iri for norm in found.norms}
    for gone in found.withdrawn:
        assert gone.to.iri in standing_iris
        assert gone.norm.contradicts(gone.to)
        assert set(gone.norm.conditions) <= set(gone.to.conditions)


@given(NORMS)
def test_undecided_contradictions_are_told(norms: list[Norm]) -> None:
    """No two that stand contradict each other without being said to."""
    found = standing(norms, EVERYWHERE, KNOWLEDGE, FACTS)
    told = {frozenset((one.iri, other.iri)) for one, other in found.contradicting}
    for one in found.norms:
        for other in found.norms:
            assert not one.contradicts(other) or frozenset((one.iri, other.iri)) in told


@given(NORMS, st.randoms())
def test_the_order_of_reading_does_not_matter(norms: list[Norm], chance: object) -> None:
    shuffled = list(norms)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert standing(norms, EVERYWHERE, KNOWLEDGE, FACTS) == standing(shuffled, EVERYWHERE, KNOWLEDGE, FACTS)


@given(NORMS)
def test_where_nothing_holds_only_what_is_unconditional_does(norms: list[Norm]) -> None:
    found = standing(norms, Circumstances({}), KNOWLEDGE, FACTS)
    told = {norm.iri for norm in found.norms} | {gone.norm.iri for gone in found.withdrawn}
    assert told == {norm.iri for norm in norms if not norm.conditions}
