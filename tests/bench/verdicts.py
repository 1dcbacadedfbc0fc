"""A verdict with its Reason: one statement parsed and judged by all rules on a Situation that is there already."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from app.authoring.plans import NOON
from app.evaluate import begin, judge_plan, read_steps
from app.evaluate.judge import Outcome, judge
from app.model import PAStatus
from app.situation import Situation
from app.statement import parse
from tests.bench.measure import Contender, Operation, Row, Scale, race, ratio, timed
from tests.bench.worlds import MOVE, Question, RightsWorld, Scene, facts_of, rights_world, scene_of

_DRAWN = 3_000
_WORDING = "verdict with Reason, p50 50 µs and p99 500 µs"


@dataclass(frozen=True, slots=True)
class Asked:
    """A statement, and the Situation that holds all that judging it reads."""

    text: str
    situation: Situation


@dataclass(frozen=True, slots=True)
class Sort:
    """Statements that get one PA Status."""

    name: str
    status: PAStatus
    vary: Callable[[Question, RightsWorld], Question | None]


def rows(scale: Scale) -> list[Row]:
    """One row: four sorts of statements, each judged, and judged with Repairs sought."""
    scene = scene_of(facts_of(rights_world()))
    contenders: list[Contender] = []
    for sort in SORTS:
        asked = asked_of(sort, scene, scale.operations)
        contenders.append(_contender(f"{sort.name}", asked, partial(judged, scene)))
        if sort.status is not PAStatus.ACK:
            some = asked[: -(-len(asked) // 5)]
            contenders.append(_contender(f"{sort.name}, Repairs sought", some, partial(repaired, scene)))
    figures = race(contenders, scale.rounds)
    accepted, *others = figures
    texts = ", ".join(str(figure.operations // scale.rounds) for figure in figures)
    return [
        Row(
            "verdict with Reason on a prepared Situation",
            figures,
            tuple(ratio(f"{each.name} / {accepted.name}", each, accepted) for each in others),
            (
                f"target: {_WORDING}",
                f"{len(scene.domain.blocking[MOVE])} rules can refuse the Action, and two needs must be met",
                "included: a fresh view of the facts, parsing, names, all rules, effects, Reason",
                f"every statement of a round has a text of its own; there are {texts} in a round",
            ),
        )
    ]


def judged(scene: Scene, asked: Asked) -> str:
    """Parse, judge, and say why."""
    outcome = outcome_of(scene, asked)
    return ". ".join([f"{found.text} [{found.rule}]" for found in outcome.findings or outcome.permits])


def outcome_of(scene: Scene, asked: Asked) -> Outcome:
    """Parse and judge."""
    statement = parse(asked.text, scene.domain.grammar)
    return judge(statement, 0, begin(scene.domain, asked.situation, scene.names, None, NOON))


def repaired(scene: Scene, asked: Asked) -> PAStatus | None:
    """The same as a plan of one step: with Repairs, tried anew each."""
    steps = read_steps([(0, asked.text)], scene.domain)
    return judge_plan(steps, scene.domain, asked.situation, scene.names, None, NOON).verdicts[0].status


def asked_of(sort: Sort, scene: Scene, number: int) -> tuple[Asked, ...]:
    """Statements of a sort, each checked to get its PA Status. Fewer than wanted only if the world has no more."""
    world = rights_world()
    varied = (sort.vary(question, world) for question in world.questions(_DRAWN, seed=7))
    texts = dict.fromkeys(question.text for question in varied if question is not None)
    fetched = (Asked(text, scene.fetched(scene.steps(text))) for text in texts)
    fitting = (each.text for each in fetched if outcome_of(scene, each).status is sort.status)
    found = tuple(Asked(text, scene.situation(scene.steps(text))) for text in islice(fitting, number))
    assert {outcome_of(scene, each).status for each in found} == {sort.status}
    return found


def _contender(name: str, asked: Sequence[Asked], judge_one: Callable[[Asked], object]) -> Contender:
    prepared: list[Operation] = [partial(judge_one, each) for each in asked]
    return Contender(name, lambda _: timed(prepared))


def _elsewhere(question: Question, world: RightsWorld) -> Question | None:
    """From a place where the Item is not, to one that is open to its owner."""
    owner = world.owner.get(question.item)
    wrong = next(place for place in world.places if place not in (question.place, question.to))
    decides = world.opened_by(question.to)[-1]
    is_open = world.public.get(decides, False) or world.place_owner.get(decides) == owner
    return replace(question, place=wrong) if owner == question.actor and is_open else None


def _misspelt(question: Question, _: RightsWorld) -> Question:
    """An Item whose name lacks a letter."""
    return replace(question, item=question.item.replace("te", "e"))


SORTS = (
    Sort("an accepted move", PAStatus.ACK, lambda question, _: question),
    Sort("refused: InsRights", PAStatus.INS_RIGHTS, lambda question, _: question),
    Sort("refused: Clash", PAStatus.CLASH, _elsewhere),
    Sort("refused: IncID", PAStatus.INC_ID, _misspelt),
)
