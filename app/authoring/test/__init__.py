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

from app.authoring.answering import answering
from app.authoring.problems import Report, Step
from app.authoring.test.covered import NOTHING_DECLARED, Declared, coverage, declared_by
from app.authoring.test.removed import removals
from app.authoring.test.running import Tried, read_all, run_all
from app.authoring.test.touched import NOTHING_TOUCHED, Touched, touched_by
from app.edition import Edition
from app.errors import PackError


@dataclass(frozen=True, slots=True)
class Wanted:
    """How packs are tested: `filter` is a part of the ids of what is run, upper and lower case alike; without one all
    is run, and only then coverage is told: `uncovered` tells each term that no case touches, too, and `least` is the
    percentage of all terms of a pack that its cases must touch.
    """

    mutate: bool = True
    filter: str = ""
    uncovered: bool = False
    least: float = 0.0

    def runs(self, name: str) -> bool:
        """Whether a case or a removal called so is run."""
        return self.filter.casefold() in name.casefold()


ALL = Wanted()


@dataclass(frozen=True, slots=True)
class _Tested:
    """What came of one pack; the cases of all packs together cover its terms."""

    pack: str
    steps: tuple[Step, ...]
    touched: Touched = NOTHING_TOUCHED
    declared: Declared = NOTHING_DECLARED


def test(
    edition: Edition,
    packs: Iterable[str],
    *,
    mutate: bool = True,  # noqa: PT028 - no test of pytest's
    progress: Callable[[str], None] = lambda _: None,  # noqa: PT028
    wanted: Wanted = ALL,  # noqa: PT028
    jobs: int = 1,  # noqa: PT028
) -> Report:
    """Run every case of some packs, and take each of their rules away once.

    `progress` is told what was done; with several `jobs` packs are tested side by side in processes of their own, and
    it is told each that is done. A pack or a file that cannot be read is an error of its Step; the others are tested.
    """
    named = tuple(dict.fromkeys(packs))
    wanted = Wanted(mutate and wanted.mutate, wanted.filter, wanted.uncovered, wanted.least)
    if jobs > 1 and len(named) > 1:
        tested = _side_by_side(edition, named, wanted, progress, jobs)
    else:
        tested = {pack: _test_pack(edition, pack, named, wanted, progress) for pack in named}
    touched = NOTHING_TOUCHED
    for each in tested.values():
        touched |= each.touched
    steps: list[Step] = []
    for pack in named:
        steps += tested[pack].steps
        if not wanted.filter and tested[pack].declared is not NOTHING_DECLARED:
            steps.append(coverage(pack, tested[pack].declared, touched, wanted.least, wanted.uncovered))
    return Report("test", tuple(steps))


def _side_by_side(
    edition: Edition, packs: tuple[str, ...], wanted: Wanted, progress: Callable[[str], None], jobs: int
) -> dict[str, _Tested]:
    # spawned: a fork would take over locks of threads that it has not
    with ProcessPoolExecutor(min(jobs, len(packs)), get_context("spawn")) as pool:
        futures = [pool.submit(_test_pack, edition, pack, packs, wanted) for pack in packs]
        done: dict[str, _Tested] = {}
        for future in as_completed(futures):
            tested = future.result()
            done[tested.pack] = tested
            progress(f"{len(done)}/{len(packs)} packs: {tested.pack} is done, {len(tested.steps)} steps")
        return done


def _test_pack(
    edition: Edition,
    pack: str,
    packs: tuple[str, ...],
    wanted: Wanted,
    progress: Callable[[str], None] = lambda _: None,
) -> _Tested:
    with answering(edition, [pack]) as answers:
        cases, faulty = read_all(edition, pack, answers)
        steps = list(faulty)
        run = [case for case in cases if wanted.runs(case.id)]
        tried: list[Tried] = []
        for each in run_all(run, answers):
            tried.append(each)
            steps.append(each.step)
            progress(f"{pack}: {len(tried)}/{len(run)} cases")
        try:
            domain = answers.domain((pack,))
        except PackError:
            return _Tested(pack, tuple(steps))
        if wanted.mutate:

            def others() -> Iterator[Tried]:
                for other in packs:
                    if other != pack:
                        found, _ = read_all(edition, other, answers)
                        yield from run_all((case for case in found if case.judges), answers)

            # a rule may be noticed by any case, whichever were asked for
            judged = [case for case in cases if case.judges and not wanted.runs(case.id)] if wanted.filter else []
            taken = [rule for rule in domain.rules if wanted.runs(f"removed:{rule}")]
            known = [*tried, *(run_all(judged, answers) if taken else ())]
            for done, step in enumerate(removals(edition, pack, taken, known, others, answers), 1):
                steps.append(step)
                progress(f"{pack}: {done} rules taken away")
        touched = NOTHING_TOUCHED
        for each in tried:
            touched |= touched_by(each, answers)
        if not cases and not faulty:
            steps.append(Step(pack, "cases", not_done="the pack brings no case"))
        return _Tested(pack, tuple(steps), touched, declared_by(edition, pack, domain))
