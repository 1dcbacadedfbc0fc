"""BKN-DAC (PGM-KDA V1.0): what Basic Knowledge asks of Domain Access, and what it gets.

`BknDac` is the published structure, which leaves Mode open; `Request` and `Response` are what each Mode means in the
prose. Rules marked (ours) are not the standard's: Kind feasibility needs ProcessActions, a Step is not repeated, and
the sizes that are served.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias

import rfc8785
from pydantic import Field, Strict, ValidationError

from app.errors import Code, Fault, MessageError
from app.exchange.conformance import Conformance, conformance, prose_faults
from app.exchange.message import Correlation, Dialogue, Exchange, Identification, Metadata, OutcomeName, members
from app.exchange.parts import Index, Items, Part, Share, Uri, data_type
from app.exchange.reader import first_faults, parse, pointer, quoted
from app.exchange.remarks import repetitions
from app.exchange.space import SimpleLocation
from app.exchange.survey import items
from app.model import Overall as OverallValue
from app.model import PAStatus as PAStatusValue

KindName: TypeAlias = Literal[
    "semantic_grounding",
    "affordances",
    "constraints",
    "behavioural_expectations",
    "feasibility",
    "clarification",
    "commitment",
]
CommitmentState: TypeAlias = Literal["retained", "released", "conflicting"]

MAX_ITEMS: Final = 1_000
"""Entries of ProcessActions, Terms, EntityIDs, Commitments and ReleasedCommitmentIDs that are served (ours)."""
MAX_STATEMENT: Final = 8_000
"""Characters of a Statement that are served (ours)."""
MAX_INDEX: Final = 2**53 - 1
"""The largest TurnIndex and Step that are served (ours): beyond it JSON readers differ (RFC 8259, section 6)."""

_ENCODER: Final = json.JSONEncoder(sort_keys=True, ensure_ascii=False, check_circular=False, separators=(",", ":"))
_NUMBER_APART: Final = re.compile(r"[:\[,]-?[0-9](?:[0-9]*[.e]|[0-9]{15})")
_NAME_APART: Final = re.compile(r"[\U00010000-\U0010ffff]")
"""What the encoder may write otherwise than RFC 8785: fractions, whole numbers that a double may not hold, and the
order of names beyond U+FFFF. Found in a string it does no harm, but takes the longer way."""

OURS: Final = "Domain Access, what is served (ours)"


class Term(Part):
    """A word to be grounded, with the class it is thought to have."""

    Text: str
    Class: Uri | None = None


class Space(Part):
    """The place that is asked about."""

    SpaceID: str | None = None
    """Identifier of the place."""
    MLocation: SimpleLocation | None = None
    """Where in the M-Instance."""


class SubmittedAction(Part):
    """One Process Action of a plan."""

    Step: Index
    """Place in the plan."""
    Statement: str
    """The Process Action, in the grammar of MMM-TEC V2.2."""


class SubmittedCommitment(Part):
    """A semantic commitment."""

    CommitmentID: str
    Statement: str
    """What is to hold for the rest of the dialogue."""


class ObjectClass(Part):
    """A class of the domain."""

    Class: Uri
    Label: str | None = None
    Confidence: Share | None = None
    """From 0 to 1."""


class Relation(Part):
    """How two things are related."""

    Subject: str
    Predicate: str
    Object: str


class Affordance(Part):
    """What can be done with something."""

    EntityID: str | None = None
    Class: Uri | None = None
    Action: str


class Answer(Part):
    """Knowledge of the domain."""

    ObjectClasses: Items[ObjectClass] | None = None
    Relations: Items[Relation] | None = None
    Affordances: Items[Affordance] | None = None
    Constraints: Items[str] | None = None
    BehaviouralExpectations: Items[str] | None = None
    Text: str | None = None
    """The answer in words."""


class CommitmentStatus(Part):
    """What became of a commitment."""

    CommitmentID: str
    Status: CommitmentState


_PAStatus: TypeAlias = Annotated[PAStatusValue, Strict(False)]
_Overall: TypeAlias = Annotated[OverallValue, Strict(False)]


class StepFeasibility(Part):
    """The verdict on one Process Action."""

    Step: Index
    PAStatus: _PAStatus
    """The PA Status that the Process Action would receive."""
    Reason: str | None = None
    """Why."""


class Feasibility(Part):
    """The verdict on a plan."""

    Steps: Items[StepFeasibility]
    Overall: _Overall


class Failure(Part):
    """A source that did not deliver."""

    Service: str
    """Which source."""
    Request: str | None = None
    """What it was asked."""
    Nature: Literal["transient", "permanent"]


_Space: TypeAlias = Space
_Answer: TypeAlias = Answer
_CommitmentStatus: TypeAlias = CommitmentStatus
_Feasibility: TypeAlias = Feasibility
_Failure: TypeAlias = Failure


class RequestMembers(Part):
    """What only a Request carries."""

    Kind: KindName | None = None
    """Request only. What is asked for."""
    Question: str | None = None
    """Request only. The question or goal in natural language."""
    Terms: Items[Term] | None = None
    """Request only. Words to be grounded."""
    EntityIDs: Items[str] | None = None
    """Request only. Entities and Items that are asked about."""
    Space: _Space | None = None
    """Request only. The place that is asked about."""
    ProcessActions: Annotated[Items[SubmittedAction], Field(min_length=1)] | None = None
    """Request only. The plan to be judged."""
    Commitments: Items[SubmittedCommitment] | None = None
    """Request only. Commitments to be kept for the dialogue."""
    ReleasedCommitmentIDs: Items[str] | None = None
    """Request only. Commitments that need not be kept any longer."""


class ResponseMembers(Part):
    """What only a Response carries."""

    Outcome: OutcomeName | None = None
    """Response only. Whether there is an answer."""
    Answer: _Answer | None = None
    """Response only. The knowledge that was asked for."""
    CommitmentStatus: Items[_CommitmentStatus] | None = None
    """Response only. The commitments of the dialogue."""
    Feasibility: _Feasibility | None = None
    """Response only. The verdict on the plan."""
    SourcesUsed: Items[str] | None = None
    """Response only. The sources the answer rests on."""
    Failure: _Failure | None = None
    """Response only. A source that did not deliver."""


class BknDac(Metadata, ResponseMembers, RequestMembers, Dialogue, Correlation, Identification):
    """A question to Domain Access (Mode RQ) or its answer (Mode RS)."""

    model_config = data_type("BKN-DAC V1.0", "PGM1/V1.0/data/BKNDAC.json")

    Header: Literal["PGM-KDA-V1.0"]


class Request(Metadata, RequestMembers, Dialogue, Identification):
    """A question of Basic Knowledge to Domain Access."""

    Header: Literal["PGM-KDA-V1.0"]
    Mode: Literal["RQ"]
    Kind: KindName


class Response(Metadata, ResponseMembers, Dialogue, Correlation, Identification):
    """The answer of Domain Access; made here, never read, so Header and Mode go without saying."""

    Header: Literal["PGM-KDA-V1.0"] = "PGM-KDA-V1.0"
    Mode: Literal["RS"] = "RS"
    RequestID: str
    Outcome: OutcomeName


def _rules(message: Mapping[str, Any]) -> Iterator[Fault]:
    """The rules that are ours; each looks only at what it understands, the structure is judged elsewhere."""
    if message.get("Kind") == "feasibility" and not message.get("ProcessActions"):
        yield Fault(
            Code.MISSING_PROCESS_ACTIONS,
            "Kind `feasibility` has no ProcessActions to judge",
            "/ProcessActions",
            OURS,
            'expected: [{"Step": 0, "Statement": "..."}, ...]',
        )
    for name in ("Terms", "EntityIDs", "ProcessActions", "Commitments", "ReleasedCommitmentIDs"):
        if len(items(message, name)) > MAX_ITEMS:
            yield Fault(
                Code.OUT_OF_RANGE,
                f"{name} has {len(message[name]):,} entries",
                pointer(name),
                OURS,
                f"at most {MAX_ITEMS:,} are served; send the rest in further turns",
            )
    for name in ("ProcessActions", "Commitments"):
        for index, entry in enumerate(items(message, name)):
            statement = entry.get("Statement") if type(entry) is dict else None
            if type(statement) is str and len(statement) > MAX_STATEMENT:
                yield Fault(
                    Code.OUT_OF_RANGE,
                    f"the Statement has {len(statement):,} characters",
                    pointer(name, index, "Statement"),
                    OURS,
                    f"at most {MAX_STATEMENT:,} characters are served",
                )
    yield from _steps(message, "ProcessActions")
    feasibility = message.get("Feasibility")
    if isinstance(feasibility, dict):
        yield from _steps(feasibility, "Steps", "Feasibility")
    statuses = items(message, "CommitmentStatus")
    for index, name in repetitions(entry.get("CommitmentID") if type(entry) is dict else None for entry in statuses):
        yield Fault(
            Code.WRONG_VALUE,
            f"the status of {quoted(name)} is told before",
            pointer("CommitmentStatus", index, "CommitmentID"),
            OURS,
            "a commitment has one status",
        )
    if _beyond(message.get("TurnIndex")):
        yield Fault(Code.OUT_OF_RANGE, "the TurnIndex is too large", "/TurnIndex", OURS, f"at most {MAX_INDEX}")


def _steps(holder: Mapping[str, Any], name: str, *above: str) -> Iterator[Fault]:
    """Steps that stood before or that JSON readers may read differently."""
    first: dict[float, int] = {}
    for index, entry in enumerate(items(holder, name)):
        step = entry.get("Step") if type(entry) is dict else None
        if type(step) is not int and type(step) is not float:
            continue
        if step > MAX_INDEX:
            where = pointer(*above, name, index, "Step")
            yield Fault(Code.OUT_OF_RANGE, "the Step is too large", where, OURS, f"at most {MAX_INDEX}")
        if (before := first.setdefault(step, index)) != index:
            yield Fault(
                Code.REPEATED_STEP,
                f"Step {step} is that of `{pointer(*above, name, before)}`",
                pointer(*above, name, index, "Step"),
                OURS,
                "a plan is worked off in order of Step, so each needs its own",
            )


def _beyond(number: object) -> bool:
    return isinstance(number, int | float) and number > MAX_INDEX


BKN_DAC: Final = Exchange(
    name="BKN-DAC",
    header="PGM-KDA-V1.0",
    model=BknDac,
    request=members(RequestMembers),
    response=members(ResponseMembers, Correlation),
    request_needs=("Kind",),
    response_needs=("RequestID", "Outcome"),
    rules=_rules,
)


def read_request(raw: bytes) -> Request:
    """The Request in these bytes; raises `MessageError` with every fault.

    A Request without DataXMData is served although BKN-DAC says that a message shall include it; `faults_of` tells.
    """
    document = parse(raw)
    if b"null" not in raw:  # an absent member is None in the models, which must not let a `null` pass
        try:
            request = Request.model_validate(document)
        except ValidationError:
            pass  # the models stop early and know no pointers; what is wrong is said below
        else:
            if not any(prose_faults(BKN_DAC, document, strict=False)):
                return request
    faults = conformance(BKN_DAC, document, strict=False).faults
    if isinstance(document, dict) and document.get("Mode") == "RS":
        faults = (
            Fault(
                Code.WRONG_MODE,
                "Mode `RS` is that of a Response; only a Request can be answered",
                "/Mode",
                BKN_DAC.clause("Mode"),
                "expected: `RQ`",
            ),
            *faults,
        )
    if faults:
        raise MessageError(*first_faults(faults))
    return Request.model_validate(document)


def faults_of(document: object, *, strict: bool = True) -> Conformance:
    """Whether parsed JSON conforms with BKN-DAC in its Mode: structure, then prose. Never raises for a document.

    `strict` counts a missing DataXMData as a fault, as the standard does; the service serves without it.
    """
    return conformance(BKN_DAC, document, strict=strict)


def write_response(response: Response) -> bytes:
    """The Response as compact JSON in UTF-8: members in the order of the schema, absent ones left out."""
    return response.model_dump_json(exclude_none=True).encode()


def canonical(request: Request) -> bytes:
    """The Request in the canonical form of RFC 8785: equal for messages that differ in order, space or escapes only.

    RFC 8785 takes every number for a double, so whole numbers are read as such.
    """
    text = _ENCODER.encode(request.model_dump(exclude_unset=True))
    if _NUMBER_APART.search(text) is None and (text.isascii() or _NAME_APART.search(text) is None):
        return text.encode()
    return rfc8785.dumps(json.loads(text, parse_int=float))
