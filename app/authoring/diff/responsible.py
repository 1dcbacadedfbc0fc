"""Which change makes an answer flip: found by undoing changes, one at a time, and asking again (DESIGN 8).

A change is responsible where NEW without it answers as OLD does, or where OLD with it alone answers as NEW does.
Where no single one is, a least set is sought whose undoing restores the answer. The trials are bounded by number,
never by time, so that two runs say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from app.authoring.answering import Answering
from app.authoring.diff.answer import Answer, flip_of
from app.authoring.diff.asked import Progress
from app.authoring.diff.difference import Change, FlipKind
from app.authoring.diff.files import alters_answers
from app.authoring.diff.queries import AbsentError, OfPlan, Query
from app.authoring.diff.trials import Files, alone, undone
from app.edition import Edition
from app.errors import DomainAccessError

MOST_TRIALS: Final = 48
"""States that are tried for one comparison."""
MOST_ASKED: Final = 4_000
"""Steps and questions asked again, in all of them."""

UNDOING: Final = "undone, the old answer is back"
ALONE: Final = "alone, it brings the new answer"
BOTH: Final = "undone, the old answer is back; alone, it brings the new one"
TOGETHER: Final = "undone together, the old answer is back"


@dataclass
class Found:
    """A flip whose cause is being sought."""

    query: Query
    part: str
    kind: FlipKind
    old: Answer
    new: Answer
    involved: tuple[int, ...] = ()
    undoing: list[int] = field(default_factory=list)
    alone: list[int] = field(default_factory=list)
    together: tuple[int, ...] = ()
    asked: bool = False

    @property
    def responsible(self) -> tuple[int, ...]:
        """The changes that make the difference, by the strongest trial that succeeded."""
        return tuple(sorted({*self.undoing, *self.alone})) or self.together

    @property
    def how(self) -> str:
        """By which trial they were found."""
        if self.together:
            return TOGETHER
        if self.undoing and set(self.undoing) == set(self.alone):
            return BOTH
        return UNDOING if self.undoing else ALONE if self.alone else ""

    def restored(self, answer: Answer) -> bool:
        """Whether an answer differs from OLD's less than NEW's does."""
        return _lesser(flip_of(self.old, answer), self.kind)

    def brought(self, answer: Answer) -> bool:
        """Whether an answer differs from NEW's less than OLD's does."""
        return _lesser(flip_of(answer, self.new), self.kind)


@dataclass
class Trials:
    """The trials of one comparison, as long as the bounds allow."""

    old: Edition
    new: Edition
    changes: Sequence[Change]
    files: Files
    progress: Progress
    tried: int = 0
    asked: int = 0

    def seek(self, found: Sequence[Found]) -> None:
        """Find the changes responsible for each flip."""
        numbers = [n for n, change in enumerate(self.changes) if alters_answers(change) and change.patches]
        if len(numbers) == 1 and sum(map(alters_answers, self.changes)) == 1:
            for each in found:  # without the one change that can matter, NEW is OLD, which was asked
                each.undoing, each.alone, each.asked = [*numbers], [*numbers], True
            return
        often = {n: sum(n in each.involved for each in found) for n in numbers}
        for n in sorted(numbers, key=lambda n: (-often[n], n)):
            self.progress(f"trying without change {n + 1} of {len(self.changes)}")
            for each, answer in self._answers(found, [n], backwards=True):
                if each.restored(answer):
                    each.undoing.append(n)
            for each, answer in self._answers(found, [n], backwards=False):
                if each.brought(answer):
                    each.alone.append(n)
        groups: dict[tuple[int, ...], list[Found]] = {}
        for each in found:
            if each.asked and not each.responsible:
                groups.setdefault(each.involved, []).append(each)
        for involved, some in sorted(groups.items()):
            self._together(some, involved, numbers)

    def _together(self, found: list[Found], involved: tuple[int, ...], numbers: list[int]) -> None:
        """Seek a least set of changes that restores the first flip, and see which others it restores."""
        while found:
            first, *others = found
            whole = next((s for s in (list(involved), numbers) if len(s) > 1 and self._restores(s, first)), None)
            least = self._least(whole, first) if whole is not None else None
            if least is not None:
                first.together = tuple(sorted(least))
                for each, answer in self._answers(others, least, backwards=True):
                    if each.restored(answer):
                        each.together = first.together
            found = [each for each in others if not each.together]

    def _restores(self, some: list[int], found: Found) -> bool:
        return any(each.restored(answer) for each, answer in self._answers([found], some, backwards=True))

    def _least(self, some: list[int], found: Found) -> list[int] | None:
        """A set no member of which can be left out, by delta debugging (Zeller and Hildebrandt 2002); None where the
        bound was reached before.
        """
        parts = 2
        while len(some) > 1:
            size = -(-len(some) // parts)
            pieces = [some[at : at + size] for at in range(0, len(some), size)]
            rests = [[n for n in some if n not in piece] for piece in pieces]
            for smaller in (*pieces, *(rests if parts > 2 else ())):
                if self._spent():
                    return None
                if self._restores(smaller, found):
                    some, parts = smaller, max(2, parts - 1 if len(smaller) > size else 2)
                    break
            else:
                if parts >= len(some):
                    return some
                parts = min(len(some), parts * 2)
        return some

    def _answers(
        self, found: Sequence[Found], numbers: list[int], *, backwards: bool
    ) -> Iterable[tuple[Found, Answer]]:
        """What the flipped questions come to with some changes undone, or with only these made; none where such a
        state cannot be, or the bound is reached.
        """
        if self._spent():
            return []
        self.tried += 1
        changes = [self.changes[n] for n in numbers]
        answers: list[tuple[Found, Answer]] = []
        by_query: dict[int, list[Found]] = {}
        for each in found:
            by_query.setdefault(id(each.query), []).append(each)
        try:
            made = undone(self.new, changes, self.files) if backwards else alone(self.old, changes, self.files)
            with made as state:
                for some in by_query.values():
                    if self.asked >= MOST_ASKED:
                        break
                    got = self._ask(some, state)
                    answers += [(each, got[each.part]) for each in some if each.part in got]
        except DomainAccessError:
            return []  # what is left is no state of packs: nothing is learnt from it
        return answers

    def _ask(self, some: list[Found], state: Answering) -> Mapping[str, Answer]:
        query = some[0].query
        if isinstance(query, OfPlan):
            query = query.upto({each.part for each in some})
            self.asked += len(query.plan.steps)
        else:
            self.asked += 1
        for each in some:
            each.asked = True
        try:
            return query.answers(state, any(each.kind.rank > FlipKind.REASON.rank for each in some))
        except AbsentError:
            return {}

    def _spent(self) -> bool:
        return self.tried >= MOST_TRIALS or self.asked >= MOST_ASKED


def _lesser(flip: FlipKind | None, than: FlipKind) -> bool:
    return flip is None or flip.rank > than.rank
