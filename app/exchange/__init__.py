"""The exchanges of Basic Knowledge as models, and conformance with them.

One module per exchange: `bkn_dac` now, its siblings BKN-PRC, BKN-PAL and BKN-USR beside it and in `EXCHANGES` later.
Shared: `reader` (JSON text), `message` (the common members), `time`, `space`, `metadata` (secondary data types),
`published` (the schemas the models stand for), `structure` and `conformance` (the two layers).
"""

from typing import Final

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
    OutcomeName,
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
from app.exchange.conformance import Conformance
from app.exchange.message import Exchange
from app.exchange.metadata import AIMSource, DataExchangeMetadata
from app.exchange.space import SimpleLocation
from app.exchange.time import SimpleTime, instant, simple_time

EXCHANGES: Final[dict[str, Exchange]] = {"bkn-dac": BKN_DAC}
"""Every exchange by its name in paths: one line each."""

__all__ = [
    "BKN_DAC",
    "EXCHANGES",
    "AIMSource",
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
    "SimpleLocation",
    "SimpleTime",
    "Space",
    "StepFeasibility",
    "SubmittedAction",
    "SubmittedCommitment",
    "Term",
    "canonical",
    "faults_of",
    "instant",
    "read_request",
    "simple_time",
    "write_response",
]
