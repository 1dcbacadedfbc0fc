"""The exchanges of Basic Knowledge as models, and conformance with them.

One module per exchange (`bkn_dac`, `bkn_prc`, `bkn_pal`, `bkn_usr`) and a line in `EXCHANGES` of `checking`, which is
the library call. Shared: `reader` (JSON text), `message` (the common members), `published` (the schemas the models
stand for), `structure` and `conformance` (the two layers), `survey`, `remarks` (warnings), `correlation`; and the
secondary data types in `time`, `space`, `metadata`, `cues`, `intent`, `mind` (its words in `labels`), `belief`,
`knowledge`, `goal` and `entity`.
"""

from app.exchange.activation import read_activation
from app.exchange.bkn_dac import (
    BKN_DAC,
    Affordance,
    Answer,
    BknDac,
    CommitmentStatus,
    Failure,
    Feasibility,
    KindName,
    ObjectClass,
    Relation,
    Request,
    Response,
    Space,
    StepFeasibility,
    SubmittedAction,
    SubmittedCommitment,
    Term,
    canonical,
    faults_of,
    read_request,
    write_response,
)
from app.exchange.bkn_pal import BKN_PAL
from app.exchange.bkn_prc import BKN_PRC, ActionContext
from app.exchange.bkn_usr import BKN_USR
from app.exchange.checking import EXCHANGES, check, check_dialogue, check_message, check_text, exchange_of
from app.exchange.conformance import Conformance
from app.exchange.message import Exchange, OutcomeName
from app.exchange.metadata import AIMSource, DataExchangeMetadata
from app.exchange.session import SessionContext, SessionUser, read_session_context, read_session_user
from app.exchange.space import SimpleLocation
from app.exchange.time import SimpleTime, instant, simple_time

__all__ = [
    "BKN_DAC",
    "BKN_PAL",
    "BKN_PRC",
    "BKN_USR",
    "EXCHANGES",
    "AIMSource",
    "ActionContext",
    "Affordance",
    "Answer",
    "BknDac",
    "CommitmentStatus",
    "Conformance",
    "DataExchangeMetadata",
    "Exchange",
    "Failure",
    "Feasibility",
    "KindName",
    "ObjectClass",
    "OutcomeName",
    "Relation",
    "Request",
    "Response",
    "SessionContext",
    "SessionUser",
    "SimpleLocation",
    "SimpleTime",
    "Space",
    "StepFeasibility",
    "SubmittedAction",
    "SubmittedCommitment",
    "Term",
    "canonical",
    "check",
    "check_dialogue",
    "check_message",
    "check_text",
    "exchange_of",
    "faults_of",
    "instant",
    "read_activation",
    "read_request",
    "read_session_context",
    "read_session_user",
    "simple_time",
    "write_response",
]
