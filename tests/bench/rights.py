"""The rights question: may this User MM-Move this Item there, by ownership, access and held Rights? In three engines.

Each answers the same 1,000 questions about the same 50 entities and 20 Rights, and must give the same answers. The
verdict of ours is the whole of it; `rights only` is the part that the others do: the rules that permit and the one
that refuses, on a statement read and bound before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from app.authoring.plans import NOON
from app.evaluate.bounds import CONTEXT, NO_BOUNDS
from app.evaluate.decide import prebound
from app.evaluate.judge import STEP_IRI
from app.evaluate.resolve import bind
from app.facts import Facts
from app.model import PAStatus, Term
from app.rules import Rule
from app.statement import parse
from tests.bench.measure import Contender, Figure, Ratio, Row, Scale, race, ratio, timed
from tests.bench.peers import Form, Missing, Peer, cedar, rego
from tests.bench.shacl import shacl
from tests.bench.verdicts import Asked, judged, outcome_of
from tests.bench.worlds import Question, Scene, facts_of, rights_world, scene_of

_VERDICT, _ALONE = "ours: the whole verdict with its Reason", "ours: rights only"
_TARGET = {"cedarpy": "a tenth of cedarpy's time (0.1)", "regorus": "ahead of a Rego interpreter (below 1)"}


@dataclass(frozen=True, slots=True)
class Held:
    """A statement bound to its facts, and the rules that decide about Rights."""

    facts: Facts
    values: Mapping[str, tuple[Term, ...]]
    permitting: tuple[tuple[Term, tuple[Rule, ...]], ...]
    refusing: Rule


def rows(scale: Scale) -> list[Row]:
    """One row. Asserts that all engines give the same answers."""
    world = rights_world()
    scene = scene_of(facts_of(world))
    questions = world.questions(scale.questions, seed=3)
    asked = asked_of(scene, questions)
    peers = (cedar(world), rego(world), shacl(world))
    expected = [outcome_of(scene, each).status is PAStatus.ACK for each in asked]
    assert_agreement(expected, {_ALONE: [allowed(bound(scene, each)) for each in asked], **answers(peers, questions)})

    contenders = [
        Contender(_VERDICT, lambda _: timed([partial(judged, scene, each) for each in asked])),
        Contender(_ALONE, lambda _: timed([partial(allowed, bound(scene, each)) for each in asked])),
    ]
    for peer in peers:
        if isinstance(peer, Peer):
            contenders += [contender for form in peer.forms for contender in _of_form(peer, form, questions)]
    figures = race(contenders, scale.rounds)
    return [
        Row(
            "the rights question: may a User MM-Move an Item to a place, in a world of 50 entities and 20 Rights",
            figures,
            tuple(_ratios(figures, peers)),
            (
                f"{sum(expected)} of {len(expected)} are allowed; every engine gave the same answers",
                "the peers get the request ready made, and tables worked out before: around, opened by, held by Item",
                "ours reads the facts as they are, through a fresh view for each question",
                *(f"{peer.name}: {peer.lacks}" for peer in peers if isinstance(peer, Peer)),
                *(peer.said for peer in peers if isinstance(peer, Missing)),
            ),
        )
    ]


def asked_of(scene: Scene, questions: Sequence[Question]) -> list[Asked]:
    """The questions as statements, each with its Situation."""
    return [Asked(question.text, scene.situation(scene.steps(question.text))) for question in questions]


def bound(scene: Scene, asked: Asked) -> Held:
    """A statement read and bound: what remains is the rights question."""
    (action,) = parse(asked.text, scene.domain.grammar).actions
    facts = asked.situation.facts(scene.domain)
    found = bind(action, f"{STEP_IRI}0", scene.domain, facts, scene.names, {}, None)
    assert found.slice is not None
    for stated in (found.slice, *NO_BOUNDS.all_slices()):
        facts.state(stated)
    values = prebound(found, f"{STEP_IRI}0", scene.names.base, CONTEXT, NOON)
    permitting = tuple((target, scene.domain.permitting[need]) for need, target in found.needs)
    return Held(facts, values, permitting, scene.domain.rules["may_not_held"])


def allowed(held: Held) -> bool:
    """No May Not that is held refuses, and each need is met."""
    if _fires(held.refusing, held.facts, held.values):
        return False
    for target, rules in held.permitting:
        values = {**held.values, "target": (target,)}
        if not any(_fires(rule, held.facts, values) for rule in rules):
            return False
    return True


def answers(peers: Sequence[Peer | Missing], questions: Sequence[Question]) -> dict[str, list[bool]]:
    """What each form of each peer answers."""
    found: dict[str, list[bool]] = {}
    for peer in peers:
        for form in peer.forms if isinstance(peer, Peer) else ():
            found[f"{peer.name}, {form.name}"] = [answer() for answer in form.answers(questions)]
            if form.whole is not None:
                found[f"{peer.name}, {form.name}, in one call"] = form.whole(questions)()
    return found


def assert_agreement(expected: Sequence[bool], found: Mapping[str, Sequence[bool]]) -> None:
    """All engines give the answers that are expected, and these are not all alike."""
    assert {True, False} == set(expected), "the questions are all answered alike"
    for name, given in found.items():
        wrong = [i for i, (a, b) in enumerate(zip(expected, given, strict=True)) if a != b]
        assert not wrong, f"{name} answers {len(wrong)} questions differently, the first is number {wrong[0]}"


def _fires(rule: Rule, facts: Facts, values: Mapping[str, tuple[Term, ...]]) -> bool:
    assert rule.pattern is not None
    return bool(rule.pattern.every(facts, values))


def _of_form(peer: Peer, form: Form, questions: Sequence[Question]) -> list[Contender]:
    name = f"{peer.name} {peer.version}, {form.name}"
    one = form.answers(questions[: len(questions) // 10] if form.slow else questions)
    found = [Contender(name, lambda _: timed(one))]
    if form.whole is not None:
        whole = form.whole(questions)
        found.append(
            Contender(f"{name}, {len(questions):,} in one call", lambda _: timed([whole]).parted(len(questions)))
        )
    return found


def _ratios(figures: Sequence[Figure], peers: Sequence[Peer | Missing]) -> list[Ratio]:
    ours = figures[:2]
    return [
        ratio(f"{mine.name} / {theirs.name}", mine, theirs, _TARGET.get(peer.name, ""))
        for peer in peers
        for theirs in figures[2:]
        if theirs.name.startswith(peer.name)
        for mine in ours
    ]
