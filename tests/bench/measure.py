"""How things are measured: contenders take turns, so that what else the machine does meets all of them alike."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from statistics import median
from time import perf_counter
from typing import TypeAlias

Operation: TypeAlias = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Round:
    """One turn of one contender: the seconds of each operation, and of the whole."""

    seconds: tuple[float, ...]
    elapsed: float

    def parted(self, parts: int) -> Round:
        """The same where each operation did so many alike: each of these gets its share of the time."""
        return Round(tuple(s / parts for s in self.seconds for _ in range(parts)), self.elapsed)


@dataclass(frozen=True, slots=True)
class Contender:
    """Something measured: `run` is given the number of the round, prepares off the clock and times its operations."""

    name: str
    run: Callable[[int], Round]


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured of one contender."""

    name: str
    rounds: tuple[Round, ...]

    @property
    def p50(self) -> float:
        """Seconds: the median over the rounds of each round's median."""
        return median(median(each.seconds) for each in self.rounds)

    @property
    def p99(self) -> float:
        """Seconds, of all operations together."""
        return percentile([s for each in self.rounds for s in each.seconds], 99)

    @property
    def per_second(self) -> float:
        """Operations a second: the median over the rounds."""
        return median(len(each.seconds) / each.elapsed for each in self.rounds)

    @property
    def operations(self) -> int:
        """How many were timed."""
        return sum(len(each.seconds) for each in self.rounds)


@dataclass(frozen=True, slots=True)
class Ratio:
    """How one figure stands to another. `target` says what is aimed at (DESIGN 9), empty where nothing is."""

    name: str
    value: float
    target: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One question answered by measuring: its figures side by side, their ratios, and what must be said besides."""

    title: str
    figures: tuple[Figure, ...]
    ratios: tuple[Ratio, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is measured."""

    rounds: int
    operations: int
    """Of one contender in one round; where they are slow, a part of it."""
    questions: int
    """Of the rights question, in one round."""
    entities: tuple[int, ...]
    """Sizes of the generated worlds in memory, the smallest first."""
    stores: tuple[int, ...]
    """Sizes of those on disk."""
    requests: int
    """Of all callers in one round."""
    turns: int
    """Of one thread in one round."""
    starts: int
    """Of a process."""


FULL = Scale(
    rounds=5,
    operations=400,
    questions=1_000,
    entities=(1_000, 100_000),
    stores=(1_000, 10_000, 100_000),
    requests=80,
    turns=40,
    starts=5,
)
LARGE = replace(FULL, stores=(1_000, 10_000, 100_000, 1_000_000))
QUICK = Scale(
    rounds=2, operations=20, questions=60, entities=(200, 1_000), stores=(200, 1_000), requests=8, turns=3, starts=1
)


def race(contenders: Sequence[Contender], rounds: int) -> tuple[Figure, ...]:
    """Every contender once a round, first another in each round. What is loaded is frozen, as a server freezes it."""
    for each in contenders:
        each.run(0)
    gc.collect()
    gc.freeze()
    found: dict[str, list[Round]] = {each.name: [] for each in contenders}
    try:
        for number in range(rounds):
            first = number % len(contenders)
            for each in (*contenders[first:], *contenders[:first]):
                found[each.name].append(each.run(number + 1))
    finally:
        gc.unfreeze()
    return tuple(Figure(name, tuple(kept)) for name, kept in found.items())


def timed(operations: Iterable[Operation], before: Operation | None = None) -> Round:
    """Run prepared operations one after the other; `before` each of them something that is not timed."""
    seconds: list[float] = []
    for operation in tuple(operations):
        if before is not None:
            before()
        begun = perf_counter()
        operation()
        seconds.append(perf_counter() - begun)
    return Round(tuple(seconds), sum(seconds))


def ratio(name: str, over: Figure, under: Figure, target: str = "") -> Ratio:
    """The median over the rounds of one's median to the other's: both met the same machine in a round."""
    pairs = zip(over.rounds, under.rounds, strict=True)
    return Ratio(name, median(median(a.seconds) / median(b.seconds) for a, b in pairs), target)


def ratio_of_rates(name: str, over: Figure, under: Figure, target: str = "") -> Ratio:
    """The same of the time in which one more is done: what counts where many are under way at once."""
    pairs = zip(over.rounds, under.rounds, strict=True)
    per_operation = ((a.elapsed / len(a.seconds)) / (b.elapsed / len(b.seconds)) for a, b in pairs)
    return Ratio(name, median(per_operation), target)


def percentile(values: Sequence[float], percent: int) -> float:
    """The least of the values that at least `percent` of them do not exceed (nearest rank)."""
    return sorted(values)[ceil(len(values) * percent / 100) - 1]
