"""`domain-access test`: whether packs answer as their cases say, and whether the cases would notice if they did not.

running.py   every case is asked, and what is not as expected told with its line
removed.py   each rule is taken away once: a case must notice
touched.py   what a case touches of the vocabulary      covered.py   what of a pack no case touches

Each case is a Step called as its id, each rule taken away a Step `removed:RULE`; `coverage` is the last of a pack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context

from app.authoring.answering import Answering, answering
from app.authoring.collected import AnyCase
from app.authoring.problems import Report, Step
from app.authoring.test.covered import Declared, coverage, declared_by
from app.authoring.test.removed import removals
from app.authoring.test.running import Tried, read_all, run_all
from app.authoring.test.touched import NOTHING_TOUCHED, Touched, touched_by
from app.edition import Edition
from app.errors import PackError
from app.rules import Domain


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which part of the tests, and what is told: `filter` is a part of the ids of what is run, upper and lower case
    alike; without one all is run, and only then coverage is told. `uncovered` tells each term that no case touches,
    too; `least` is the percentage of the terms of a pack that cases must touch.
    """

    filter: str = ""
    uncovered: bool = False
    least: float = 0.0

    def runs(self, name: str) -> bool:
        """Whether a case or a removal called so is run."""
        return self.filter.casefold() in name.casefold()


ALL = Wanted()


@dataclass(frozen=True, slots=True)
class _Tested:
    """What came of one pack; nothing is declared by one that cannot be loaded."""

    pack: str
    steps: tuple[Step, ...]
    touched: Touched = NOTHING_TOUCHED
    declared: Declared | None = None


@dataclass(frozen=True, slots=True)
class _Task:
    """One pack to be tested, among all `packs` that are: theirs are the cases that may miss a rule, too."""

    edition: Edition
    pack: str
    packs: tuple[str, ...]
    mutate: bool
    wanted: Wanted


def test(
    edition: Edition,
    packs: Iterable[str],
    *,
    mutate: bool = True,  # noqa: PT028 - no test of pytest's
    progress: Callable[[str], None] = lambda _: None,  # noqa: PT028
    wanted: Wanted = ALL,  # noqa: PT028
    jobs: int = 1,  # noqa: PT028
) -> Report:
    """Run every case of some packs and, unless not to `mutate`, take each of their rules away once.

    `progress` is told what was done; with several `jobs` packs are tested side by side in processes of their own, and
    it is told each that is done. A pack or a file that cannot be read is an error of its Step; the others are tested.
    """
    named = tuple(dict.fromkeys(packs))
    tasks = [_Task(edition, pack, named, mutate, wanted) for pack in named]
    tested = _side_by_side(tasks, progress, jobs) if jobs > 1 and len(tasks) > 1 else _one_by_one(tasks, progress)
    touched = NOTHING_TOUCHED
    for each in tested.values():
        touched |= each.touched
    steps: list[Step] = []
    for pack in named:
        steps += tested[pack].steps
        declared = tested[pack].declared
        if declared is not None and not wanted.filter:
            steps.append(coverage(pack, declared, touched, wanted.least, wanted.uncovered))
    return Report("test", tuple(steps))


def _one_by_one(tasks: Iterable[_Task], progress: Callable[[str], None]) -> dict[str, _Tested]:
    return {task.pack: _tested(task, progress) for task in tasks}


def _side_by_side(tasks: list[_Task], progress: Callable[[str], None], jobs: int) -> dict[str, _Tested]:
    # spawned: a fork would take over locks of threads that it has not
    with ProcessPoolExecutor(min(jobs, len(tasks)), get_context("spawn")) as pool:
        futures = [pool.submit(_tested, task) for task in tasks]
        done: dict[str, _Tested] = {}
        try:
            for future in as_completed(futures):
                tested = future.result()
                done[tested.pack] = tested
                progress(f"{len(done)}/{len(tasks)} packs: {tested.pack} is done, {len(tested.steps)} steps")
        finally:
            pool.shutdown(cancel_futures=True)
        return done


def _tested(task: _Task, progress: Callable[[str], None] = lambda _: None) -> _Tested:
    pack, wanted = task.pack, task.wanted
    with answering(task.edition, [pack]) as answers:
        cases, faulty = read_all(task.edition, pack, answers)
        steps = list(faulty)
        try:
            domain = answers.domain((pack,))
        except PackError:  # told once, where it is: each case would only say it again
            undone = ("cases", *(("removed",) if task.mutate else ()), "coverage")
            steps += (Step(pack, name, not_done="the pack cannot be loaded") for name in undone)
            return _Tested(pack, tuple(steps))
        tried: list[Tried] = []
        run = [case for case in cases if wanted.runs(case.id)]
        for each in run_all(run, answers):
            tried.append(each)
            steps.append(each.step)
            progress(f"{pack}: {len(tried)}/{len(run)} cases")
        if task.mutate:
            for done, step in enumerate(_removals(task, domain, cases, tried, answers), 1):
                steps.append(step)
                progress(f"{pack}: {done} rules taken away")
        touched = NOTHING_TOUCHED
        for each in tried:
            touched |= touched_by(each, answers)
        if not cases and not faulty:
            steps.append(Step(pack, "cases", not_done="the pack brings no case"))
        return _Tested(pack, tuple(steps), touched, declared_by(task.edition, pack, domain))


def _removals(
    task: _Task, domain: Domain, cases: Iterable[AnyCase], tried: Iterable[Tried], answers: Answering
) -> Iterator[Step]:
    """The rules that are asked for, each taken away; any case may miss it, whichever were asked for."""
    rules = [rule for rule in domain.rules if task.wanted.runs(f"removed:{rule}")]
    if not rules:
        return
    ran = {each.case.id for each in tried}
    left = run_all((case for case in cases if case.judges and case.id not in ran), answers)

    def others() -> Iterator[Tried]:
        for other in task.packs:
            if other != task.pack:
                found, _ = read_all(task.edition, other, answers)
                yield from run_all((case for case in found if case.judges), answers)

    yield from removals(task.edition, task.pack, rules, (*tried, *left), others, answers)
