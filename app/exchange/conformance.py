"""Conformance with an exchange: the structural layer, then the prose.

The prose of the standard asks what its schema leaves open: the members of one Mode only, RequestID and Outcome in a
Response, Kind in a Request, DataXMData in both. Data of secondary types has to make sense too (SimpleTime). Each
check looks at what it understands, so that structural faults elsewhere do not hide it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, TypeAlias

from app.errors import Code, Fault
from app.exchange.message import Exchange
from app.exchange.published import id_of, schemas_of
from app.exchange.reader import MAX_FAULTS, first_faults, pointer
from app.exchange.structure import Structure
from app.exchange.time import ABSOLUTE, UNITS, unit_of

_Path: TypeAlias = tuple[Any, str | int] | None
"""The way from the document down: what is above, and the last step."""

_TIME: Final = "OSD SimpleTime V1.5, FlagsByte"


@dataclass(frozen=True, slots=True)
class Conformance:
    """What breaks conformance, and what conforms but is worth a word."""

    faults: tuple[Fault, ...]
    warnings: tuple[Fault, ...]


def conformance(exchange: Exchange, document: object, *, strict: bool) -> Conformance:
    """Both layers; `strict` counts a missing DataXMData."""
    structure = Structure(schemas_of(exchange.model), id_of(exchange.model))
    return Conformance(
        first_faults(
            fault
            for layer in (_placed(exchange, structure, document), prose_faults(exchange, document, strict=strict))
            for fault in layer
        ),
        tuple(islice(_warnings(document), MAX_FAULTS)),
    )


def prose_faults(exchange: Exchange, document: object, *, strict: bool) -> Iterator[Fault]:
    """What the prose of the exchange refuses."""
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
    yield from _time_conflicts(document)


def items(value: Mapping[str, Any], name: str) -> list[Any]:
    """The entries of an array member; none where it is absent or no array."""
    entries = value.get(name)
    return entries if isinstance(entries, list) else []


def _placed(exchange: Exchange, structure: Structure, document: object) -> Iterator[Fault]:
    """Structural faults; the clause of those in the message itself is the table its member stands in."""
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


def _objects(document: object) -> Iterator[tuple[dict[str, Any], _Path]]:
    """Every object, outer ones first, each with the way to it; a pointer is made of that only when needed."""
    ahead: deque[tuple[Any, _Path]] = deque([(document, None)])
    while ahead:
        value, path = ahead.popleft()
        if isinstance(value, dict):
            yield value, path
            entries: Iterable[tuple[str | int, Any]] = value.items()
        elif isinstance(value, list):
            entries = enumerate(value)
        else:
            continue
        for step, inner in entries:
            if type(inner) is dict or type(inner) is list:
                ahead.append((inner, (path, step)))


def _where(path: _Path, *steps: str | int) -> str:
    while path is not None:
        path, step = path
        steps = (step, *steps)
    return pointer(*steps)


def _segments(document: object) -> Iterator[tuple[dict[str, Any], int, _Path]]:
    """Every segment of every SimpleTime whose FlagsByte can be read, with that."""
    for time, path in _objects(document):
        if time.get("Header") == "OSD-STM-V1.5":
            for index, segment in enumerate(items(time, "SimpleTimeData")):
                flags = segment.get("FlagsByte") if isinstance(segment, dict) else None
                if isinstance(flags, int | float) and flags in range(256):
                    yield segment, int(flags), ((path, "SimpleTimeData"), index)


def _time_conflicts(document: object) -> Iterator[Fault]:
    for segment, flags, path in _segments(document):
        absolute = bool(flags & ABSOLUTE)
        stated = segment.get("TimeType")
        if isinstance(stated, bool) and stated is not absolute:
            yield Fault(
                Code.TIME_CONFLICT,
                f"TimeType is `{str(stated).lower()}`, but FlagsByte `{flags}` says otherwise",
                _where(path, "TimeType"),
                _TIME,
                f"expected: `{str(absolute).lower()}`, or none",
            )
        unit = UNITS[unit_of(flags)]
        if segment.get("TimeUnit", unit) in UNITS and segment.get("TimeUnit", unit) != unit:
            yield Fault(
                Code.TIME_CONFLICT,
                f"TimeUnit is `{segment['TimeUnit']}`, but FlagsByte `{flags}` says otherwise",
                _where(path, "TimeUnit"),
                _TIME,
                f"expected: `{unit}`, or none",
            )


def _warnings(document: object) -> Iterator[Fault]:
    for segment, flags, path in _segments(document):
        if "AccuracyMode" not in segment:
            yield Fault(
                Code.MISSING_MEMBER,
                "AccuracyMode is absent: read as `single`",
                _where(path, "AccuracyMode"),
                "OSD SimpleTime V1.5, AccuracyMode",
                "write it: the published schema asks for all three accuracies otherwise",
            )
        if segment.get("Reserved", flags >> 3) != flags >> 3:
            yield Fault(
                Code.TIME_CONFLICT,
                f"Reserved is not what FlagsByte `{flags}` says",
                _where(path, "Reserved"),
                _TIME,
                f"expected: `{flags >> 3}`, or none",
            )
        start, end = segment.get("StartTime"), segment.get("EndTime")
        if isinstance(start, int | float) and isinstance(end, int | float) and end < start:
            yield Fault(
                Code.TIME_CONFLICT,
                "EndTime is before StartTime: only StartTime is used",
                _where(path, "EndTime"),
                "OSD SimpleTime V1.5, EndTime",
                "expected: a time not before StartTime",
            )
    for value, path in _objects(document):
        metadata = value.get("DataXMData")
        if isinstance(metadata, dict) and "Header" not in metadata:
            yield Fault(
                Code.MISSING_MEMBER,
                "DataXMData has no Header: read in its older form",
                _where(path, "DataXMData", "Header"),
                "PTF DataExchangeMetadata V1.0",
                "expected: `PTF-DEM-V1.0`",
            )
