"""Conformance with an exchange: the structural layer, then the prose.

The prose of the standard asks what its schema leaves open: the members of one Mode only, RequestID and Outcome in a
Response, Kind in a Request, DataXMData in both. Data of secondary types has to make sense too (SimpleTime). Each
check looks at what it understands, so that structural faults elsewhere do not hide it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from pydantic import ValidationError

from app.errors import Code, Fault
from app.exchange.message import Exchange
from app.exchange.published import id_of, schemas_of
from app.exchange.reader import MAX_FAULTS, first_faults, pointer
from app.exchange.remarks import remarks
from app.exchange.structure import Structure
from app.exchange.survey import Survey, segments, surveyed, where
from app.exchange.time import ABSOLUTE, UNITS, unit_of

_TIME: Final = "OSD SimpleTime V1.5, FlagsByte"


@dataclass(frozen=True, slots=True)
class Conformance:
    """What breaks conformance, and what conforms but is worth a word."""

    faults: tuple[Fault, ...]
    warnings: tuple[Fault, ...]

    @property
    def conforms(self) -> bool:
        """Whether there is no fault."""
        return not self.faults

    def as_json(self) -> dict[str, Any]:
        """The wire form, of HTTP and command line alike."""
        return {
            "conforms": self.conforms,
            "faults": [fault.as_json() for fault in self.faults],
            "warnings": [fault.as_json() for fault in self.warnings],
        }


def conformance(exchange: Exchange, document: object, *, strict: bool) -> Conformance:
    """Both layers; `strict` counts a missing DataXMData."""
    survey = surveyed(document)
    fits = not survey.nulls and _fits(exchange, document)
    structural = () if fits else _structural(exchange, document)
    layers = (structural, _prose(exchange, document, survey, strict=strict))
    return Conformance(
        first_faults(fault for layer in layers for fault in layer),
        tuple(islice(remarks(exchange, document, survey), MAX_FAULTS)),
    )


def prose_faults(exchange: Exchange, document: object, *, strict: bool) -> Iterator[Fault]:
    """What the prose of the exchange refuses."""
    return _prose(exchange, document, surveyed(document), strict=strict)


def _prose(exchange: Exchange, document: object, survey: Survey, *, strict: bool) -> Iterator[Fault]:
    if not isinstance(document, dict):
        return
    yield from _mode(exchange, document)
    if strict and "DataXMData" not in document:
        yield Fault(
            Code.MISSING_METADATA,
            "DataXMData is missing",
            "/DataXMData",
            f"{exchange.name}, functional requirements, Metadata",
            'e.g. {"Header": "PTF-DEM-V1.0", "DataID": the QueryID, "Source": [{"AIMID": "..."}]}',
        )
    yield from exchange.rules(document)
    yield from _time_conflicts(survey)


def _fits(exchange: Exchange, document: object) -> bool:
    """Whether the model takes the document: fast, but without saying what is wrong."""
    try:
        exchange.model.model_validate(document)
    except ValidationError:
        return False
    return True


def _structural(exchange: Exchange, document: object) -> Iterator[Fault]:
    """Every structural fault; the clause of those in the message itself is the table its member stands in."""
    structure = Structure(schemas_of(exchange.model), id_of(exchange.model))
    title = schemas_of(exchange.model)[id_of(exchange.model)]["title"]
    for fault in structure.faults(document):
        member = fault.where.split("/")[1] if fault.where else ""
        yield replace(fault, clause=exchange.clause(member)) if fault.clause == title else fault


def _mode(exchange: Exchange, document: Mapping[str, Any]) -> Iterator[Fault]:
    match document.get("Mode"):
        case "RQ":
            mode, foreign, needs = "a Request", exchange.response, exchange.request_needs
        case "RS":
            mode, foreign, needs = "a Response", exchange.request, exchange.response_needs
        case _:
            return
    clause = f"{exchange.name}, functional requirements, Header"
    for name in needs:
        if name not in document:
            yield Fault(Code.WRONG_MODE, f"{mode} needs {name}", pointer(name), exchange.clause(name), f"add {name}")
    for name in document:
        if name in foreign:
            yield Fault(
                Code.WRONG_MODE, f"{name} does not belong in {mode}", pointer(name), clause, f"leave {name} out"
            )


def _time_conflicts(survey: Survey) -> Iterator[Fault]:
    for segment, flags, path in segments(survey):
        absolute = bool(flags & ABSOLUTE)
        stated = segment.get("TimeType")
        if isinstance(stated, bool) and stated is not absolute:
            yield Fault(
                Code.TIME_CONFLICT,
                f"TimeType is `{str(stated).lower()}`, but FlagsByte `{flags}` says otherwise",
                where(path, "TimeType"),
                _TIME,
                f"expected: `{str(absolute).lower()}`, or none",
            )
        unit = UNITS[unit_of(flags)]
        if segment.get("TimeUnit", unit) in UNITS and segment.get("TimeUnit", unit) != unit:
            yield Fault(
                Code.TIME_CONFLICT,
                f"TimeUnit is `{segment['TimeUnit']}`, but FlagsByte `{flags}` says otherwise",
                where(path, "TimeUnit"),
                _TIME,
                f"expected: `{unit}`, or none",
            )
