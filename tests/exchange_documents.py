"""BKN-DAC messages as documents, and what is wrong with them, for the tests of the exchange."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest

from app.errors import Code, Fault, MessageError
from app.exchange import read_request

ROOT = Path(__file__).parents[1]
ALL_EXAMPLES = ROOT / "schemas" / "examples"
EXAMPLES = ALL_EXAMPLES / "bkn-dac"
REFUSED = sorted(
    path
    for path in (EXAMPLES / "invalid").glob("*.json")
    if path.name.split(".")[0] not in {"missing_metadata", "wrong_correlation"}
)
"""What is refused when it is asked: the one of the others is served, the other a pair."""
SEEDS = Path(os.environ.get("SPECIFICATIONS", ROOT.parent / "shared")) / "seeds"
PUBLISHED = {
    "bkn-dac": SEEDS / "000_2d6ab2d52bca3b56.txt",
    "bkn-prc": SEEDS / "002_e9de070b8d4a4440.txt",
    "bkn-pal": SEEDS / "003_58a5f4226059b8fc.txt",
    "bkn-usr": SEEDS / "004_9ee1935ad9248402.txt",
}
"""The published schema of each exchange; not everyone has them."""

MILLISECONDS = 0b011


def published(exchange: str) -> dict[str, Any]:
    """The published schema of an exchange; skips the test where it is not at hand."""
    if not PUBLISHED[exchange].exists():
        pytest.skip("the published schema is not at hand")
    found: dict[str, Any] = json.loads(PUBLISHED[exchange].read_text(encoding="utf-8"))
    return found


def example(exchange: str, name: str) -> dict[str, Any]:
    """A valid message of the examples."""
    path = ALL_EXAMPLES / exchange / "valid" / f"{name}.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


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


def changed(document: Any, *changes: tuple[str, Any]) -> Any:
    """A document with other values at some pointers; None takes a member away."""
    found = copy.deepcopy(document)
    for pointer, value in changes:
        *above, last = [int(step) if step.isdecimal() else step for step in pointer.split("/")[1:]]
        holder = found
        for step in above:
            holder = holder[step]
        if value is None:
            del holder[last]
        else:
            holder[last] = value
    return found
