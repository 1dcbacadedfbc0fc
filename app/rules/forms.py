"""What a rule file, an Action file and a need file hold, as frozen values (DESIGN 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

from app.model import PAStatus, Preposition
from app.rules.compiled import Apply, Compiled
from app.rules.syntax import Match

PREBOUND = frozenset(
    {"actor", "action", "step", "target", "made", "m_instance", "now", "context", "dialogue"}
) | frozenset({"item", "at", "from", "to", "with", "of", "by", "into"})
"""Variables that have their value from the statement; the Action files add the names of their roles."""

VARIABLE_OF = {
    Preposition.NIL: "item",
    Preposition.AT: "at",
    Preposition.FROM: "from",
    Preposition.TO: "to",
    Preposition.WITH: "with",
    Preposition.OF: "of",
    Preposition.BY: "by",
    Preposition.INTO: "into",
}


@dataclass(frozen=True, eq=False)
class ComplementForm:
    """A complement an Action takes. `kinds` are class IRIs, or `text` and `number`; `role` names its own pre-bound
    variable, which several complements may share: each fills it, and one is enough; `unless` names a role that makes
    a required one dispensable; `need` what must be met for it; `introduces` that it may name what does not exist yet;
    `type` that a class is wanted rather than one of its instances; `units` the units of a number, each with what one
    of it is in the first; without units a number is bare.
    """

    preposition: Preposition
    kinds: tuple[str, ...]
    source: str
    role: str = ""
    required: bool = False
    unless: str = ""
    repeatable: bool = False
    need: str = ""
    introduces: bool = False
    type: bool = False
    units: Mapping[str, Decimal] = field(default_factory=dict)

    @cached_property
    def kind_set(self) -> frozenset[str]:
        """The kinds, to be compared with the classes of an entity."""
        return frozenset(self.kinds)


@dataclass(frozen=True, slots=True)
class EffectForm:
    """What an Ack changes: `apply` puts the triples to add, those to remove and what numbers change by into three
    dicts, for each solution of `when`. `wanted` are the pre-bound variables it uses: without a value for each it does
    not apply; nor with a value for one of `without`; nor where the Action was written otherwise than in `written`.
    """

    when: Compiled | None
    apply: Apply
    wanted: frozenset[str]
    without: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    says: Mapping[str, tuple[Match, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Action:
    """One Action of MMM-TEC."""

    name: str
    iri: str
    service: str
    clause: str
    complements: tuple[ComplementForm, ...]
    published: tuple[PAStatus, ...]
    ours: Mapping[PAStatus, str]
    effects: tuple[EffectForm, ...]
    older: tuple[str, ...] = ()
    made_names: tuple[str, ...] = ()
    made_when: Compiled | None = None
    rights_to: str = ""
    withdraws: bool = False
    source: str = ""

    @cached_property
    def by_preposition(self) -> Mapping[Preposition, tuple[ComplementForm, ...]]:
        """The complements it takes after each preposition."""
        return {p: tuple(form for form in self.complements if form.preposition is p) for p in Preposition}

    @cached_property
    def gives(self) -> frozenset[str]:
        """The pre-bound variables that a statement of the Action can give a value."""
        given = {name for form in self.complements for name in (VARIABLE_OF[form.preposition], form.role) if name}
        return frozenset(
            {"actor", "action", "step", "m_instance", "now", "context", "dialogue", *given}
            | {*(("made",) if self.made_names else ())}
        )

    def variables(self, name: str) -> tuple[str, ...]:
        """The variables of the prepositions under which a role is given; a variable that is no role is itself."""
        given = [VARIABLE_OF[form.preposition] for form in self.complements if form.role == name]
        return tuple(dict.fromkeys(given)) or (name,)

    def receives(self, status: PAStatus) -> bool:
        """Whether the Action may receive a PA Status, by MMM-TEC or for a reason of ours."""
        return status is PAStatus.ACK or status in self.published or status in self.ours


@dataclass(frozen=True, slots=True)
class Wording:
    """A template in English, and in further languages where its file has it in them."""

    english: str = ""
    others: Mapping[str, str] = field(default_factory=dict)

    def of(self, language: str) -> str:
        """The template in a language, in English where there is none."""
        return self.others.get(language, self.english) if self.others else self.english

    def __bool__(self) -> bool:
        return bool(self.english)


@dataclass(frozen=True, slots=True)
class RepairForm:
    """A way to make a refused step Ack: `replace` a preposition's object by `by`, `insert` a statement before it, or
    bring about World facts (`facts` to add, `remove` to withdraw); `when` finds further values; `text` says it.
    """

    when: Compiled | None
    replace: Preposition | None = None
    by: str = ""
    insert: str = ""
    facts: tuple[Match, ...] = ()
    remove: tuple[Match, ...] = ()
    who: str = ""
    text: Wording = Wording()


@dataclass(frozen=True, slots=True)
class Case:
    """A test of one rule: a statement in a small world, and whether the rule fires; `user` is that of the session,
    `context` its ActionContext.
    """

    name: str
    statement: str
    fires: bool
    before: tuple[str, ...] = ()
    add: str = ""
    remove: str = ""
    status: PAStatus | None = None
    reason: tuple[str, ...] = ()
    user: str = ""
    context: Mapping[str, object] = field(default_factory=dict)
    commitments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """One reason for a PA Status; with status Ack, one way to meet a need. A `builtin` rule is raised by the reader
    of statements or the decision itself, and its file says how. Without a solution of `given` (coordinates, say) the
    rule is not applicable.
    """

    id: str
    title: Wording
    clause: str
    status: PAStatus
    explain: Wording
    pattern: Compiled | None
    actions: frozenset[str] = frozenset()
    given: Compiled | None = None
    need: str = ""
    missing: Wording = Wording()
    repairs: tuple[RepairForm, ...] = ()
    cases: tuple[Case, ...] = ()
    builtin: bool = False
    source: str = ""
    where: str = ""


@dataclass(frozen=True, slots=True)
class Payment:
    """What a step costs whom: `pattern` binds `?payer`, the Value `?price`, where known `?payee` and `?wallet`."""

    name: str
    title: str
    clause: str
    pattern: Compiled | None
    actions: frozenset[str] = frozenset()
    source: str = ""
    where: str = ""


@dataclass(frozen=True, slots=True)
class Need:
    """What an Action needs for a complement: `about` finds whose the target is, to say it in the Reason."""

    name: str
    title: Wording
    clause: str
    explain: Wording
    about: Compiled | None
    about_text: Wording = Wording()
    source: str = ""
    where: str = field(default="", compare=False)
