"""Laws of Verdicts, over random Worlds and statements (SEMANTICS 5, DESIGN 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from app.authoring.plans import NOON, judge_texts
from app.evaluate import PlanVerdicts, judge_plan, needs_of, read_steps
from app.facts import Slice
from app.knowledge import read_turtle
from app.model import Layer, PAStatus, Triple, Verdict
from app.rules import Domain, Rule, action_iri, load
from app.situation import Situation
from app.world import World
from tests.oracle import Access
from tests.packs import EDITION
from tests.worlds import NEW, Sketch, about, iri, sketches, statement

ROOT = Path(__file__).resolve().parents[2]
PLANS_IN_A_WORLD = 4
LAW = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))


@cache
def domain() -> Domain:
    return load(EDITION, [])


@st.composite
def plans(draw: st.DrawFn, *, most: int = 3, wild: bool = False) -> tuple[Sketch, list[tuple[str, ...]]]:
    """A World and some plans of a few statements about it."""
    sketch = draw(sketches(wild=wild))
    random = Random(draw(st.integers(0, 2**32)))
    return sketch, [
        tuple(statement(sketch, random) for _ in range(random.randint(1, most))) for _ in range(PLANS_IN_A_WORLD)
    ]


def judged(triples: Iterable[Triple], texts: Iterable[str], known: Domain | None = None) -> tuple[Verdict, ...]:
    known = known or domain()
    return judge_texts(enumerate(texts), World.of(triples, known), known).verdicts


def what_was_found(verdict: Verdict) -> tuple[object, ...]:
    """Status, rules that fired in their order, and effect; not the words, which may propose other names."""
    return (
        verdict.status,
        [finding.rule for finding in verdict.findings],
        sorted(verdict.failures, key=str),
        set(verdict.effect.added),
        set(verdict.effect.removed),
    )


@settings(LAW, max_examples=30)
@given(plans(wild=True), st.integers(0, 2**32))
def test_the_order_of_the_facts_changes_nothing(drawn: tuple[Sketch, list[tuple[str, ...]]], seed: int) -> None:
    """The same facts in any order give the same Verdicts to the letter."""
    sketch, each_plan = drawn
    mixed = Random(seed).sample(sketch.triples, len(sketch.triples))
    for texts in each_plan:
        assert judged(mixed, texts) == judged(sketch.triples, texts)


@settings(LAW, max_examples=30)
@given(plans(wild=True), st.integers(0, 2**32))
def test_the_order_of_the_rules_changes_nothing(drawn: tuple[Sketch, list[tuple[str, ...]]], seed: int) -> None:
    """Statuses, findings, effects and Repairs are the same whatever rule is tried first."""
    random = Random(seed)

    def mixed(rules: Mapping[str, tuple[Rule, ...]]) -> dict[str, tuple[Rule, ...]]:
        return {name: tuple(random.sample(each, len(each))) for name, each in rules.items()}

    sketch, each_plan = drawn
    other = replace(domain(), blocking=mixed(domain().blocking), permitting=mixed(domain().permitting))
    for texts in each_plan:
        found, expected = judged(sketch.triples, texts, other), judged(sketch.triples, texts)
        assert list(map(what_was_found, found)) == list(map(what_was_found, expected))
        assert [{r.text for r in v.repairs} for v in found] == [{r.text for r in v.repairs} for v in expected]


def everything(sketch: Sketch, texts: Iterable[str]) -> Situation:
    """Every entity of the World, every name that a statement might make or mention."""
    world = World.of(sketch.triples, domain())
    entities = {term for s, _, o in sketch.triples for term in (s, o) if isinstance(term, str)}
    words = {word.split("(")[0] for text in texts for word in text.split()}  # without `(Status=Final)`
    entities |= {iri(name + end) for name in {*words, *NEW} for end in ("", "-Stream")}
    entities |= {iri(f"RItem-{name}") for name in words} | {iri(f"Account-{name}") for name in sketch.all_names()}
    slices = {entity: world.slice_of(entity) for entity in entities if entity not in domain().vocabulary}
    return Situation(slices, world.version)


def judged_in(situation: Situation, sketch: Sketch, texts: Iterable[str]) -> PlanVerdicts:
    names = World.of(sketch.triples, domain()).names
    return judge_plan(read_steps(enumerate(texts), domain()), domain(), situation, names, None, NOON)


@settings(LAW, max_examples=40)
@given(plans())
def test_what_is_fetched_is_enough(drawn: tuple[Sketch, list[tuple[str, ...]]]) -> None:
    """The Situation gathered for a plan gives the Verdicts that the whole World gives."""
    sketch, each_plan = drawn
    for texts in each_plan:
        whole = judged_in(everything(sketch, texts), sketch, texts).verdicts
        gathered = judged(sketch.triples, texts)
        assert [failure for verdict in whole for failure in verdict.failures] == [], texts
        assert list(map(what_was_found, gathered)) == list(map(what_was_found, whole)), texts
        event(f"{sum(v.status is PAStatus.ACK for v in gathered)} of {len(gathered)} Ack")


@settings(LAW, max_examples=40)
@given(plans())
def test_what_is_fetched_at_first_is_enough_to_judge(drawn: tuple[Sketch, list[tuple[str, ...]]]) -> None:
    """What rules walk is derived from them: no step is left unjudged for want of a fact (Repairs may want more)."""
    sketch, each_plan = drawn
    world = World.of(sketch.triples, domain())
    for texts in each_plan:
        steps = read_steps(enumerate(texts), domain())
        situation = world.situation(needs_of(steps, domain(), world.names, None))
        found = judge_plan(steps, domain(), situation, world.names, None, NOON).verdicts
        assert [(v.statement, v.failures) for v in found if v.status is None] == []


@settings(LAW, max_examples=40)
@given(plans(most=2), st.integers(0, 2**32))
def test_what_was_not_fetched_never_looks_absent(drawn: tuple[Sketch, list[tuple[str, ...]]], seed: int) -> None:
    """Without the slices of some entities a step keeps its PA Status, or is left unjudged."""
    sketch, each_plan = drawn
    random = Random(seed)
    world = World.of(sketch.triples, domain())
    for texts in each_plan:
        steps = read_steps(enumerate(texts), domain())
        fetched = dict(world.situation(needs_of(steps, domain(), world.names, None)).slices)
        complete = [verdict.status for verdict in judged(sketch.triples, texts)]
        for _ in range(3):
            gone = set(random.sample(sorted(fetched), min(len(fetched), random.randint(1, 3))))
            left = Situation({entity: held for entity, held in fetched.items() if entity not in gone}, world.version)
            found = [verdict.status for verdict in judged_in(left, sketch, texts).verdicts]
            assert [(a, b) for a, b in zip(found, complete, strict=True) if a not in (b, None)] == [], (gone, texts)


@settings(LAW, max_examples=40)
@given(plans(most=4))
def test_a_refused_step_changes_nothing(drawn: tuple[Sketch, list[tuple[str, ...]]]) -> None:
    """Without the steps that are refused, the others get the same Verdicts."""
    sketch, each_plan = drawn
    world = World.of(sketch.triples, domain())
    for texts in each_plan:
        verdicts = judged(sketch.triples, texts)
        assert all(verdict.status is not None for verdict in verdicts)
        accepted = [verdict for verdict in verdicts if verdict.status is PAStatus.ACK]
        again = judge_texts([(v.step, v.statement) for v in accepted], world, domain()).verdicts
        assert list(again) == accepted
        assert not any(v.effect.added or v.effect.removed for v in verdicts if v.status is not PAStatus.ACK)


@settings(LAW, max_examples=40)
@given(plans(most=2))
def test_a_repair_that_is_shown_works(drawn: tuple[Sketch, list[tuple[str, ...]]]) -> None:
    """Its statements before, then its own statement, in place of the refused step: Ack."""
    sketch, each_plan = drawn
    for texts in each_plan:
        for i, verdict in enumerate(judged(sketch.triples, texts)):
            for repair in verdict.repairs:
                event(" ".join(edit.kind for edit in repair.edits))
                if any(edit.kind == "world" for edit in repair.edits):
                    continue
                before = [edit.statement for edit in repair.edits if edit.kind.startswith("insert")]
                repaired = judged(sketch.triples, [*texts[:i], *before, repair.statement])
                assert [v.status for v in repaired[i:]] == [PAStatus.ACK] * (len(before) + 1), (texts, repair)


@settings(LAW, max_examples=40)
@given(sketches(), st.integers(0, 2**32))
def test_needs_access_and_rights_are_as_plainly_stated(sketch: Sketch, seed: int) -> None:
    """Moving, adding, animating, capturing and actuating are InsRights for exactly the reasons of SEMANTICS 5."""
    random = Random(seed)
    access = Access(sketch.triples)
    world = World.of(sketch.triples, domain())
    for _ in range(40):
        text, actor, action, item, entered, parts = acting(sketch, random)
        (verdict,) = judge_texts([(0, text)], world, domain()).verdicts
        forbidden = access.forbidden_by(actor, action, parts)
        unmet = {place for place in entered if not access.may_enter(actor, action, place, parts)}
        if item is not None and not access.may_dispose(actor, action, item, parts):
            unmet.add(item)
        refused = {f.bindings["target"] for f in verdict.findings if f.rule == "not_permitted"}
        assert refused == unmet, text
        assert {f.bindings["right"] for f in verdict.findings if f.rule == "may_not_held"} == forbidden, text
        allowed = (PAStatus.INS_RIGHTS,) if unmet or forbidden else (PAStatus.ACK, PAStatus.CLASH)
        assert verdict.status in allowed, text
        for finding in (*verdict.permits, *verdict.findings):
            event(finding.rule)


def acting(
    sketch: Sketch, random: Random
) -> tuple[str, str, str, str | None, list[str], Mapping[str, tuple[str, ...]]]:
    """A statement without fault; who acts, what is done, the Item to be owned, places entered, and all it names."""
    known = about(sketch, random)

    def one(sort: str) -> str:
        return random.choice((random.random() < 0.8 and known.get(sort)) or sketch.names[sort])

    actor, item, place, u_location = one("user"), one("item"), one("place"), one("u_location")
    source = f" From {one('place')}" if random.random() < 0.5 else ""
    stream = sketch.names["stream"][:1]
    action, said, entered = random.choice(
        [
            ("MM-Move", f"MM-Moves Nil {item}{source} To {place}", [place]),
            ("MM-Move", f"MM-Moves Nil {item}{source} To {place}", [place]),
            ("MM-Add", f"MM-Adds Nil {item} At {place}", [place]),
            ("MU-Actuate", f"MU-Actuates Nil {item} At {u_location}", [u_location]),
            ("UM-Capture", f"UM-Captures Nil {NEW[0]} At {u_location}", [u_location]),
            ("Property Change", f"PropertyChanges Nil {item}", []),
            *[("MM-Animate", f"MM-Animates Nil {item} With {name}", list[str]()) for name in stream],
        ]
    )
    words = said.split()[1:]
    parts = {part: (iri(name),) for part, name in zip(words[::2], words[1::2], strict=True)}
    owned = None if action == "UM-Capture" else iri(item)
    return f"{actor} {said}", iri(actor), action_iri(action), owned, [iri(name) for name in entered], parts


WORDS = """Alice Ball Hall New0 alice Sale BallToStudy MM-Moves MM-Sends Registers Transacts If and NOT ( ) At To With
May|Not @0 @9.Stream 3|m "hi" <https://cases.example/Ball> <https://cases.example/> <urn:x> Rights Item Message
2026-01-01T00:00:00Z BallToStudy(Status=Final) Ack . Profile-carol Identifies Shot"""
A_WORD = st.sampled_from([word.replace("|", " ") for word in WORDS.split()])


@settings(LAW, max_examples=200)
@given(st.lists(st.one_of(st.text(max_size=30), st.lists(A_WORD, max_size=9).map(" ".join)), max_size=3))
def test_any_text_gets_a_verdict(texts: list[str]) -> None:
    """Whatever is written, each step has a Verdict; no exception but the project's own."""
    verdicts = judge_texts(enumerate(texts), small_world(), domain()).verdicts
    assert [verdict.step for verdict in verdicts] == list(range(len(texts)))
    assert all(verdict.status is not None or verdict.failures for verdict in verdicts)
    assert all(verdict.reason for verdict in verdicts)


@cache
def small_world() -> World:
    return World.of(read_turtle(ROOT / "rules" / "cases.ttl"), domain())


def test_a_slice_without_a_fact_is_no_slice_of_the_world() -> None:
    """What the law of fetching rests on: an entity that was fetched and has no facts is known not to exist."""
    empty = Slice(iri("Nobody"), Layer.WORLD, {})
    facts = Situation({empty.entity: empty}, "0").facts(domain())
    assert not facts.known(empty.entity)
