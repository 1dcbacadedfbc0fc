"""What two states of the packs come to: changes of what is stated, and answers that flip. Frozen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

import pyoxigraph as ox


class Part(StrEnum):
    """What of a pack is changed."""

    PACK = "pack"
    TERM = "term"
    LABEL = "label"
    SYNONYM = "synonym"
    DEFINITION = "definition"
    AXIOM = "axiom"
    RULE = "rule"
    ACTION = "action"
    NEED = "need"
    PAYMENT = "payment"
    WORLD = "world"
    SMALL_WORLD = "small world"
    SHAPE = "shape"
    ALIGNMENT = "alignment"


class Act(StrEnum):
    """What became of it."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    RENAMED = "renamed"
    MOVED = "moved"
    DEPRECATED = "deprecated"
    REVIVED = "no longer deprecated"


MIRRORED = {
    Act.ADDED: Act.REMOVED,
    Act.REMOVED: Act.ADDED,
    Act.DEPRECATED: Act.REVIVED,
    Act.REVIVED: Act.DEPRECATED,
}
"""What an act is, seen from the other side; those not here are their own mirror."""


@dataclass(frozen=True, slots=True)
class Patch:
    """What a change is in one file of a pack, given by its path there: facts, or the bytes (None: no such file)."""

    pack: str
    path: str
    removed: tuple[ox.Triple, ...] = ()
    added: tuple[ox.Triple, ...] = ()
    old: bytes | None = None
    new: bytes | None = None

    @property
    def of_bytes(self) -> bool:
        """Whether the whole file is exchanged."""
        return self.old is not None or self.new is not None


@dataclass(frozen=True, slots=True)
class KeyChange:
    """A key of a TOML file and what it says before and after; empty where it is not there."""

    key: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Change:
    """One change of what a pack states.

    `subject` is the IRI of a term or an entity, or the name of a rule or an Action; `name` is its label; `old` and
    `new` are what is said of it, a line each; `about` is the property or the file it concerns; `evidence` is why a
    rename is taken for one. `patches` are what undoes it.
    """

    pack: str
    part: Part
    act: Act
    subject: str
    name: str
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    about: str = ""
    language: str = ""
    keys: tuple[KeyChange, ...] = ()
    evidence: str = ""
    patches: tuple[Patch, ...] = field(default=(), compare=False, repr=False)

    @property
    def what(self) -> str:
        """What it is, in a few words."""
        of_header = self.part is Part.PACK and bool(self.about)  # the pack itself is neither removed nor added then
        return f"{self.part} header {self.act}" if of_header else f"{self.part} {self.act}"

    @property
    def title(self) -> str:
        """The change in a line."""
        said = self.what
        if self.about.endswith(".ttl"):
            return f"{said}: {self.name} ({self.about}, {len(self.old or self.new)} facts)"
        if self.part is Part.AXIOM and self.act is not Act.CHANGED:
            return f"{said}: {'; '.join(self.old + self.new)}"
        if self.act in (Act.MOVED, Act.RENAMED):
            return f"{said}: {self.name}: {', '.join(self.old)} → {', '.join(self.new)}"
        about = f" {self.about}" if self.about else ""
        language = f" ({self.language})" if self.language else ""
        if self.keys:
            return f"{said}: {self.name}: {', '.join(each.key for each in self.keys)}"
        whole = (Part.TERM, Part.RULE, Part.ACTION, Part.NEED, Part.PAYMENT)
        if self.part in whole or not (self.old or self.new):
            return f"{said}: {self.name}"
        return f"{said}: {self.name}{about}{language}: {_quoted(self.old)} → {_quoted(self.new)}"

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """What it consists of, where the title does not say all: lines of OLD with `-`, of NEW with `+`."""
        keyed = [
            (m, f"{k.key}: {line}")
            for k in self.keys
            for m, v in (("-", k.old), ("+", k.new))
            for line in v.splitlines()
        ]
        whole = self.about.endswith(".ttl") or (self.part is Part.TERM and self.act not in (Act.MOVED, Act.RENAMED))
        said = [*(("-", line) for line in self.old), *(("+", line) for line in self.new)] if whole else []
        return (*keyed, *said)


def _quoted(said: tuple[str, ...]) -> str:
    return ", ".join(f"`{each}`" for each in said) or "nothing"


@dataclass(frozen=True, slots=True)
class Consequence:
    """A class that is below another in one state only, by inference; `because` numbers the changes that tell why."""

    narrow: str
    wide: str
    appears: bool
    because: tuple[int, ...] = ()


class FlipKind(StrEnum):
    """How an answer differs, the weightiest first."""

    REFUSED = "Ack becomes a refusal"
    ACCEPTED = "a refusal becomes Ack"
    UNJUDGED = "judged on one side only"
    STATUS = "another refusal"
    GROUNDING = "grounding"
    AFFORDANCE = "affordance"
    CONSTRAINT = "constraint"
    EXPECTATION = "behavioural expectation"
    ANSWER = "another answer"
    QUESTION = "competency question"
    REASON = "same PA Status for other reasons"
    REPAIR = "other Repairs"
    WORDING = "wording"

    @property
    def rank(self) -> int:
        """0 is told first."""
        return list(FlipKind).index(self)


@dataclass(frozen=True, slots=True)
class Flip:
    """One answer that differs.

    `source` is where the question is from (a golden plan, a case, a probe) and `place` in which world, or in which
    small world, it is asked. `rules` are those whose findings differ, `facts` what only one of the answers rests on.
    `responsible` numbers the changes found to make the difference, and `how` says by what trial; `involved` those
    that the findings point at, without proof.
    """

    kind: FlipKind
    source: str
    place: str
    question: str
    old: str
    new: str
    old_text: str = ""
    new_text: str = ""
    rules: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    responsible: tuple[int, ...] = ()
    how: str = ""
    involved: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """How much was asked of both sides, by kind of question; what could be asked of one side only; and the changed
    rules that no question came to.
    """

    counts: tuple[tuple[str, int], ...] = ()
    one_sided: tuple[str, ...] = ()
    not_reached: tuple[str, ...] = ()
    left_out: int = 0
    untried: int = 0


@dataclass(frozen=True, slots=True)
class Difference:
    """All that differs between two states. `changes` is by pack, in an order that depends on nothing else."""

    old: str
    new: str
    packs: tuple[str, ...]
    changes: tuple[Change, ...] = ()
    consequences: tuple[Consequence, ...] = ()
    flips: tuple[Flip, ...] = ()
    asked: Asked = Asked()

    def __bool__(self) -> bool:
        return bool(self.changes or self.consequences or self.flips)

    def changes_of(self, pack: str) -> Iterator[tuple[int, Change]]:
        """The changes of a pack with their numbers."""
        return ((n, change) for n, change in enumerate(self.changes) if change.pack == pack)

    @property
    def packs_changed(self) -> tuple[str, ...]:
        """The packs that state something otherwise, those that were only required included."""
        return tuple(dict.fromkeys(change.pack for change in self.changes))
