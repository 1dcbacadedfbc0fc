"""Frozen values that pass between the stages; no framework, no I/O.

Terms (facts.py): an IRI is an interned `str`; a literal is one of `Text`, `Decimal`, `datetime`, `Typed`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Literal, NamedTuple, TypeAlias


class Text(NamedTuple):
    """A plain literal; `lang` is a lower-case language tag or empty (xsd:string)."""

    value: str
    lang: str = ""


class Typed(NamedTuple):
    """A literal of any datatype without a form of its own, booleans included (`true` is not the number 1)."""

    lexical: str
    datatype: str


Term: TypeAlias = str | Text | Decimal | datetime | Typed
Triple: TypeAlias = tuple[str, str, Term]


class PAStatus(StrEnum):
    """The ten PA Status values of BKN-DAC in the order in which they decide (SEMANTICS 5)."""

    FAULTY_REQ = "FaultyReq"
    INC_ID = "IncID"
    INC_DQ = "IncDQ"
    QUAL_NS = "QualNS"
    INS_RIGHTS = "InsRights"
    LOC_OOR = "LocOOR"
    CLASH = "Clash"
    INS_VALUE = "InsValue"
    POST_REF = "PostRef"
    ACK = "Ack"

    @property
    def rank(self) -> int:
        """0 decides before 1."""
        return _RANK[self]


_RANK = {status: rank for rank, status in enumerate(PAStatus)}


class Overall(StrEnum):
    """The result for a whole plan (BKN-DAC Feasibility)."""

    FEASIBLE = "feasible"
    PARTIALLY_FEASIBLE = "partially_feasible"
    INFEASIBLE = "infeasible"


class Preposition(StrEnum):
    """What precedes a complement; `NIL`, the direct object, is not written (MMM-TEC V2.2; Of V2.0; By, Into V1)."""

    NIL = "Nil"
    AT = "At"
    FROM = "From"
    TO = "To"
    WITH = "With"
    OF = "Of"
    BY = "By"
    INTO = "Into"


class Deontic(StrEnum):
    """The deontic verbs of MMM-TEC Rights and Rules."""

    MAY = "May"
    MAY_NOT = "May Not"
    MUST = "Must"


Span: TypeAlias = tuple[int, int]
"""Characters `[from, to)` of the statement."""


@dataclass(frozen=True, slots=True)
class Word:
    """A name: an identifier, a class name or label, with the Status it claims, e.g. `Rights(Status=Model)`."""

    name: str
    status: Literal["Model", "Final"] | None = None
    span: Span = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Iri:
    """An absolute IRI written in angle brackets."""

    iri: str
    span: Span = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Quoted:
    """Free text in quotation marks; `type` is the class written before it, if any (`Message "hi"`)."""

    text: str
    type: str | None = None
    span: Span = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its unit, empty if none was written."""

    value: Decimal
    unit: str = ""
    span: Span = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class StepRef:
    """`@6` or `@6.Account`: what step 6 made, or the result of that class."""

    step: int
    result: str | None = None
    span: Span = field(default=(0, 0), compare=False)


Object: TypeAlias = Word | Iri | Quoted | Number | StepRef


@dataclass(frozen=True, slots=True)
class Complement:
    """A preposition and its object."""

    preposition: Preposition
    object: Object


@dataclass(frozen=True, slots=True)
class ProcessAction:
    """One Process Action. `action` is the canonical name of an Action file; `written_action` the word read for it
    where an older name was used. `process` is None when the statement names none.
    """

    process: Word | Iri | StepRef | None
    action: str
    complements: tuple[Complement, ...] = ()
    deontic: Deontic | None = None
    at_time: datetime | None = None
    written_action: str = field(default="", compare=False)
    span: Span = field(default=(0, 0), compare=False)

    def objects(self, preposition: Preposition) -> tuple[Object, ...]:
        """The objects after one preposition, in the order written."""
        return tuple(c.object for c in self.complements if c.preposition is preposition)


@dataclass(frozen=True, slots=True)
class Event:
    """`If` condition: a Process Action, or an operator over Events (NOT has one operand, the others two)."""

    operator: Literal["NOT", "AND", "OR", "NAND", "NOR", "XOR", "XNOR"] | None
    operands: tuple[Event | ProcessAction, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """A whole statement: Process Actions joined by `and`, an optional Event and a written PA Status."""

    actions: tuple[ProcessAction, ...]
    event: Event | None = None
    status: PAStatus | None = None
    text: str = field(default="", compare=False)


class Layer(StrEnum):
    """Where a fact comes from; later layers lie over earlier ones."""

    KNOWLEDGE = "knowledge"
    WORLD = "world"
    COMMITMENT = "commitment"
    SESSION = "session"
    STATEMENT = "statement"
    PLAN = "plan"


@dataclass(frozen=True, slots=True)
class UsedFact:
    """A fact a Finding rests on. `because` names what an inferred one follows from."""

    triple: Triple
    layer: Layer
    because: tuple[Triple, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule that fired, with its bindings: the unit of explanation."""

    rule: str
    status: PAStatus
    bindings: Mapping[str, Term] = field(default_factory=dict)
    text: str = ""
    used: tuple[UsedFact, ...] = ()
    missing: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class RuleFailure:
    """A rule that could not run: it never lets anything pass."""

    rule: str
    status: PAStatus
    message: str
    source: str = ""
    transient: bool = False
    outside: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Effect:
    """What an Ack'ed step would change."""

    added: tuple[Triple, ...] = ()
    removed: tuple[Triple, ...] = ()


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of a Repair: replace a complement, insert a Process Action before, or bring about World facts."""

    kind: Literal["replace", "insert", "insert_by_other", "world"]
    text: str
    statement: str = ""
    needs: str = ""
    effect: Effect = Effect()


@dataclass(frozen=True, slots=True)
class Repair:
    """Edits that were re-run and make the step Ack; `text` is a sentence for the Reason."""

    edits: tuple[Edit, ...]
    statement: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The PA Status of one step, decided from its Findings. `status` is None when a rule failed that could have
    decided otherwise (SEMANTICS 5: a rule that cannot run never passes).
    """

    step: int
    statement: str
    status: PAStatus | None
    reason: str
    findings: tuple[Finding, ...] = ()
    permits: tuple[Finding, ...] = ()
    failures: tuple[RuleFailure, ...] = ()
    effect: Effect = field(default_factory=Effect)
    repairs: tuple[Repair, ...] = ()
    repairs_complete: bool = True
    not_applicable: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Commitment:
    """A semantic commitment of a dialogue (SEMANTICS 9). `since`: the versions of packs and World from which on it
    conflicts with them, empty where it does not.
    """

    commitment_id: str
    statement: str
    form: str = "text"
    since: str = ""


class Scope(StrEnum):
    """What a token allows."""

    READ = "read"
    ASK = "ask"
    WRITE = "write"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Principal:
    """Who calls. `m_instances` is None where every M-Instance may be seen."""

    name: str
    scopes: frozenset[Scope]
    m_instances: frozenset[str] | None = None

    def sees(self, m_instance: str) -> bool:
        """Whether this M-Instance exists for the caller (SEMANTICS 2)."""
        return self.m_instances is None or m_instance in self.m_instances


LOCAL = Principal("local", frozenset(Scope))
"""The caller on the loopback interface while no tokens are configured: every scope (SEMANTICS 2)."""
