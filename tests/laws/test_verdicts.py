"""Laws of Verdicts, over random Worlds and statements (SEMANTICS 5, DESIGN 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, assume, event, given, settings
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
from tests.worlds import NEW, Sketch, abouts, iri, sketches, statements

ROOT = Path(__file__).resolve().parents[2]
LAW = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))


@cache
def domain() -> Domain:
    return load(ROOT / "rules", ROOT / "ontologies", [])


@st.composite
def plans(draw: st.DrawFn, *, most: int = 3, wild: bool = False) -> tuple[Sketch, tuple[str, ...]]:
    """A World and some statements about it."""
    sketch = draw(sketches(wild=wild))
    return sketch, tuple(draw(statements(sketch)) for _ in range(draw(st.integers(1, most))))


def judged(triples: Iterable[Triple], texts: Iterable[str], known: Domain | None = None) -> tuple[Verdict, ...]:
    known = known or domain()
    return judge_texts(enumerate(texts), World.of(triples, known), known).verdicts


def what_was_found(verdict: Verdict) -> tuple[object, ...]:
    """Status, rules that fired and how often, and effect; not the words, which may propose other names."""
    return (
        verdict.status,
        sorted(finding.rule for finding in verdict.findings),
        sorted(verdict.failures, key=str),
        set(verdict.effect.added),
        set(verdict.effect.removed),
    )


@settings(LAW, max_examples=60)
@given(plans(wild=True), st.randoms(use_true_random=False))
def test_the_order_of_the_facts_changes_nothing(plan: tuple[Sketch, tuple[str, ...]], random: Random) -> None:
    """The same facts in any order give the same Verdicts to the letter."""
    sketch, texts = plan
    mixed = list(sketch.triples)
    random.shuffle(mixed)
    assert judged(mixed, texts) == judged(sketch.triples, texts)


@settings(LAW, max_examples=60)
@given(plans(wild=True), st.randoms(use_true_random=False))
def test_the_order_of_the_rules_changes_nothing(plan: tuple[Sketch, tuple[str, ...]], random: Random) -> None:
    """Statuses, findings, effects and Repairs are the same whatever rule is tried first."""

    def mixed(rules: Mapping[str, tuple[Rule, ...]]) -> dict[str, tuple[Rule, ...]]:
        return {name: tuple(random.sample(each, len(each))) for name, each in rules.items()}

    sketch, texts = plan
    other = replace(domain(), blocking=mixed(domain().blocking), permitting=mixed(domain().permitting))
    found, expected = judged(sketch.triples, texts, other), judged(sketch.triples, texts)
    assert list(map(what_was_found, found)) == list(map(what_was_found, expected))
    assert [{r.text for r in v.repairs} for v in found] == [{r.text for r in v.repairs} for v in expected]


def everything(sketch: Sketch, texts: Iterable[str]) -> Situation:
    """Every entity of the World, every name that a statement might make or mention."""
    world = World.of(sketch.triples, domain())
    entities = {term for s, _, o in sketch.triples for term in (s, o) if isinstance(term, str)}
    words = {word for text in texts for word in text.split()}
    entities |= {iri(name + end) for name in {*words, *NEW} for end in ("", "-Stream")}
    entities |= {iri(f"RItem-{name}") for name in words} | {iri(f"Account-{name}") for name in sketch.all_names()}
    slices = {entity: world.slice_of(entity) for entity in entities if entity not in domain().vocabulary}
    return Situation(slices, world.version)


def judged_in(situation: Situation, sketch: Sketch, texts: Iterable[str]) -> PlanVerdicts:
    names = World.of(sketch.triples, domain()).names
    return judge_plan(read_steps(enumerate(texts), domain()), domain(), situation, names, None, NOON)


@settings(LAW, max_examples=120)
@given(plans())
def test_what_is_fetched_is_enough(plan: tuple[Sketch, tuple[str, ...]]) -> None:
    """The Situation gathered for a plan gives the Verdicts that the whole World gives."""
    sketch, texts = plan
    whole = judged_in(everything(sketch, texts), sketch, texts).verdicts
    gathered = judged(sketch.triples, texts)
    assert [failure for verdict in whole for failure in verdict.failures] == []
    assert list(map(what_was_found, gathered)) == list(map(what_was_found, whole))
    event(f"{sum(v.status is PAStatus.ACK for v in gathered)} of {len(gathered)} Ack")


@settings(LAW, max_examples=100)
@given(plans(most=2), st.randoms(use_true_random=False))
def test_what_was_not_fetched_never_looks_absent(plan: tuple[Sketch, tuple[str, ...]], random: Random) -> None:
    """Without the slices of some entities a step keeps its PA Status, or is left unjudged."""
    sketch, texts = plan
    world = World.of(sketch.triples, domain())
    steps = read_steps(enumerate(texts), domain())
    fetched = dict(world.situation(needs_of(steps, domain(), world.names, None)).slices)
    complete = [verdict.status for verdict in judged(sketch.triples, texts)]
    for _ in range(4):
        gone = set(random.sample(sorted(fetched), min(len(fetched), random.randint(1, 3))))
        left = Situation({entity: held for entity, held in fetched.items() if entity not in gone}, world.version)
        found = [verdict.status for verdict in judged_in(left, sketch, texts).verdicts]
        assert [(a, b) for a, b in zip(found, complete, strict=True) if a not in (b, None)] == [], gone


@settings(LAW, max_examples=100)
@given(plans(most=4))
def test_a_refused_step_changes_nothing(plan: tuple[Sketch, tuple[str, ...]]) -> None:
    """Without the steps that are refused, the others get the same Verdicts."""
    sketch, texts = plan
    verdicts = judged(sketch.triples, texts)
    assume(all(verdict.status is not None for verdict in verdicts))
    accepted = [verdict for verdict in verdicts if verdict.status is PAStatus.ACK]
    world = World.of(sketch.triples, domain())
    again = judge_texts([(v.step, v.statement) for v in accepted], world, domain()).verdicts
    assert list(again) == accepted
    assert all(not (v.effect.added or v.effect.removed) for v in verdicts if v.status is not PAStatus.ACK)


@settings(LAW, max_examples=150)
@given(plans(most=2))
def test_a_repair_that_is_shown_works(plan: tuple[Sketch, tuple[str, ...]]) -> None:
    """Its statements before, then its own statement, in place of the refused step: Ack."""
    sketch, texts = plan
    for i, verdict in enumerate(judged(sketch.triples, texts)):
        for repair in verdict.repairs:
            event(" ".join(edit.kind for edit in repair.edits))
            if any(edit.kind == "world" for edit in repair.edits):
                continue
            before = [edit.statement for edit in repair.edits if edit.kind.startswith("insert")]
            repaired = judged(sketch.triples, [*texts[:i], *before, repair.statement])
            assert [v.status for v in repaired[i:]] == [PAStatus.ACK] * (len(before) + 1), (texts[i], repair)


@settings(LAW, max_examples=150)
@given(sketches(), st.data())
def test_needs_access_and_rights_are_as_plainly_stated(sketch: Sketch, data: st.DataObject) -> None:
    """Moving, adding, animating, capturing and actuating are InsRights for exactly the reasons of SEMANTICS 5."""
    known = data.draw(abouts(sketch))

    def one(sort: str) -> str:
        pool = known.get(sort, ()) if data.draw(st.integers(0, 9)) else ()
        return data.draw(st.sampled_from(pool or sketch.names[sort]))

    actor, item, place, u_location = one("user"), one("item"), one("place"), one("u_location")
    source = one("place") if data.draw(st.booleans()) else None
    streams = sketch.names["stream"]
    forms: list[tuple[str, str, Mapping[str, str | None], dict[str, str]]] = [
        ("MM-Move", "MM-Moves {Nil} From {From} To {To}", {"Nil": item, "From": source, "To": place}, {"To": place}),
        ("MM-Add", "MM-Adds {Nil} At {At}", {"Nil": item, "At": place}, {"At": place}),
        ("MU-Actuate", "MU-Actuates {Nil} At {At}", {"Nil": item, "At": u_location}, {"At": u_location}),
        ("UM-Capture", "UM-Captures {Nil} At {At}", {"Nil": "New0", "At": u_location}, {"At": u_location}),
        ("Property Change", "Property Changes {Nil}", {"Nil": item}, {}),
    ]
    if streams:
        forms.append(("MM-Animate", "MM-Animates {Nil} With {With}", {"Nil": item, "With": streams[0]}, {}))
    action, template, parts, entered = data.draw(st.sampled_from(forms))
    text = f"{actor} {template}".format_map({name: part or "" for name, part in parts.items()}).replace("From  ", "")
    (verdict,) = judged(sketch.triples, [text])

    access = Access(sketch.triples)
    who, what = iri(actor), action_iri(action)
    step = {name: (iri(part),) for name, part in parts.items() if part is not None}
    forbidden = access.forbidden_by(who, what, step)
    unmet = {iri(place) for place in entered.values() if not access.may_enter(who, what, iri(place), step)}
    if action != "UM-Capture" and not access.may_dispose(who, what, iri(item), step):
        unmet.add(iri(item))
    found = {str(f.bindings["target"]) for f in verdict.findings if f.rule == "not_permitted"}
    assert found == unmet
    assert {str(f.bindings["right"]) for f in verdict.findings if f.rule == "may_not_held"} == forbidden
    if unmet or forbidden:
        assert verdict.status is PAStatus.INS_RIGHTS
    else:
        assert verdict.status in (PAStatus.ACK, PAStatus.CLASH)
    event(f"{action} {verdict.status}")
    for permit in verdict.permits:
        event(permit.rule)


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
