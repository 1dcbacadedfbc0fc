"""BKN-DAC messages as documents, and what is wrong with them, for the tests of the exchange."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.errors import Code, Fault, MessageError
from app.exchange import read_request

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "schemas" / "examples" / "bkn-dac"

MILLISECONDS = 0b011


def request(**changes: Any) -> dict[str, Any]:
    """A Request as a document; a change to None leaves the member out."""
    document = json.loads((EXAMPLES / "valid" / "feasibility_request.json").read_text()) | changes
    return {name: value for name, value in document.items() if value is not None}


def response(**changes: Any) -> dict[str, Any]:
    """A Response as a document; a change to None leaves the member out."""
    document = json.loads((EXAMPLES / "valid" / "feasibility_response.json").read_text()) | changes
    return {name: value for name, value in document.items() if value is not None}


def segment(**changes: Any) -> dict[str, Any]:
    """A segment of a SimpleTime."""
    return {
        "FlagsByte": MILLISECONDS,
        "StartTime": 0,
        "EndTime": 0,
        "AccuracyMode": "single",
        "AccuracyPlusMinus": 1,
    } | changes


def time(*segments: dict[str, Any]) -> dict[str, Any]:
    """A SimpleTime as a document."""
    return {"Header": "OSD-STM-V1.5", "SimpleTimeID": "t", "SimpleTimeData": list(segments)}


def placed(faults: tuple[Fault, ...]) -> list[tuple[Code, str]]:
    """What is wrong and where."""
    return [(fault.code, fault.where) for fault in faults]


def refused(raw: bytes | dict[str, Any]) -> list[tuple[Code, str]]:
    """The faults with which a message is refused."""
    with pytest.raises(MessageError) as caught:
        read_request(raw if isinstance(raw, bytes) else json.dumps(raw).encode())
    return placed(caught.value.faults)
