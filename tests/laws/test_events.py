"""Laws of Events: what has to be supposed makes them true, and nothing is possible where nothing is supposed."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from app.evaluate.events import Condition, Done, Leaf, Node, leaves, occurred, to_happen, weigh
from app.evaluate.resolve import Bound
from app.evaluate.wording import Names
from app.knowledge import load
from app.model import ProcessAction
from app.rules import Action
from tests.packs import EDITION

NAMES = Names("urn:x/", load(EDITION, ()))
HIDE = Action("Hide", "urn:hide", "", "", (), (), {}, ())


def leaf(name: str) -> Leaf:
    return Leaf(
        ProcessAction(None, "Hide"),
        Bound(HIDE, name, {}),
        Done(name, "urn:hide", frozenset({("item", f"urn:{name}")})),
    )


operators = st.sampled_from(["AND", "OR", "NAND", "NOR", "XOR", "XNOR"])


@st.composite
def conditions(draw: st.DrawFn, depth: int = 4) -> Condition:
    """A tree whose Process Actions are all different."""
    count = 0

    def tree(left: int) -> Condition:
        nonlocal count
        shape = draw(st.integers(0, 3)) if left else 0
        if shape == 0:
            count += 1
            return leaf(f"p{count}")
        if shape == 1:
            return Node(draw(st.sampled_from([None, "NOT"])), (tree(left - 1),))
        return Node(draw(operators), (tree(left - 1), tree(left - 1)))

    return tree(depth)


@given(conditions(), st.integers(0, 2**16), st.booleans())
def test_what_is_supposed_makes_it_so_and_is_found_wherever_something_does(
    condition: Condition, mask: int, wanted: bool
) -> None:
    """Against all ways there are to go on from what was performed."""
    all_of_it = list(leaves(condition))
    done = {each.done for i, each in enumerate(all_of_it) if mask >> i & 1}
    found = to_happen(condition, wanted, lambda each: each.done in done)
    if found is not None:
        after = done | {each.done for each in found}
        assert not done & {each.done for each in found}
        assert occurred(condition, lambda each: each.done in after) is wanted
    else:
        rest = [each.done for each in all_of_it if each.done not in done][:8]
        for number in range(len(rest) + 1):
            for more in combinations(rest, number):
                after = done | set(more)
                assert occurred(condition, lambda each, after=after: each.done in after) is not wanted  # type: ignore[misc]


@given(conditions(), st.integers(0, 2**16))
def test_nothing_is_supposed_of_what_has_occurred(condition: Condition, mask: int) -> None:
    """And the note says which."""
    done = {each.done for i, each in enumerate(leaves(condition)) if mask >> i & 1}
    awaited = weigh(condition, lambda each: each.done in done, NAMES)
    assert awaited.occurred is occurred(condition, lambda each: each.done in done)
    assert ("has occurred" in awaited.note) is awaited.occurred
    assert not (awaited.occurred and awaited.supposed)


@given(st.sets(st.sampled_from("abcde")), st.sets(st.sampled_from("abcde")))
def test_an_event_may_name_a_part(named: set[str], done: set[str]) -> None:
    """What was performed fulfils whatever names no more than it does."""

    def acts(parts: set[str]) -> Done:
        return Done("p", "urn:hide", frozenset(("item", f"urn:{part}") for part in parts))

    assert acts(done).fulfils(acts(named)) is (named <= done)
    assert not Done("q", "urn:hide", frozenset()).fulfils(acts(set()))
    assert not Done("p", "urn:show", frozenset()).fulfils(acts(set()))
