"""What all exchanges of Basic Knowledge have in common, one class per functional requirement of the standard.

An exchange (BKN-DAC, BKN-PRC, BKN-PAL, BKN-USR) composes its models from these and from what its own Request
and Response carry. Fields follow the bases from right to left, which is the order of the published schema:

    class BknXyz(Metadata, ResponseMembers, RequestMembers, Dialogue, Correlation, Identification): ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from app.errors import Fault
from app.exchange.metadata import DataExchangeMetadata
from app.exchange.parts import Index, Part, ShortText
from app.exchange.time import SimpleTime

OutcomeName: TypeAlias = Literal["answered", "partially_answered", "not_answered"]


class Identification(Part):
    """Header and Identification: which data type, which Mode, from where, which message, when."""

    Header: str
    """Header of the data type, with its version."""
    Mode: Literal["RQ", "RS"]
    """RQ in a Request, RS in a Response."""
    MInstance: str
    """The M-Instance it concerns."""
    UEnvironment: str
    """The U-Environment it concerns."""
    SessionID: str
    """Identifier of the A-User's session."""
    QueryID: str
    """Identifier of this very message."""
    QueryTime: SimpleTime
    """When this message was made."""


class Correlation(Part):
    """Correlation: which Request a Response answers."""

    RequestID: str | None = None
    """Response only. The QueryID of the Request that is answered."""


class Dialogue(Part):
    """Dialogue: which one, and which turn of it."""

    DialogID: str
    """Identifier of the dialogue; commitments live as long as it does."""
    TurnIndex: Index
    """Turn within the dialogue, from 0; a Response repeats that of its Request."""


class Metadata(Part):
    """Metadata: where the message comes from, and a description."""

    DataXMData: DataExchangeMetadata | None = None
    """Provenance, authorisation, security and confidence of the message."""
    DescrMetadata: ShortText | None = None
    """A description in plain text."""


def no_rules(_: Mapping[str, Any]) -> Iterator[Fault]:
    """No rule but those of every exchange."""
    return iter(())


@dataclass(frozen=True, slots=True)
class Exchange:
    """One exchange: its structure, and what its prose adds to it.

    `header` is the Header of its messages; `request` and `response` are the members of one Mode only, `request_needs`
    and `response_needs` those of them that the Mode requires; `rules` yields the faults by the rules that no other
    exchange has.
    """

    name: str
    header: str
    model: type[Part]
    request: frozenset[str]
    response: frozenset[str]
    request_needs: tuple[str, ...]
    response_needs: tuple[str, ...]
    rules: Callable[[Mapping[str, Any]], Iterator[Fault]] = no_rules

    def clause(self, member: str) -> str:
        """Which table of the standard a member of the message belongs to."""
        if member in self.request:
            return f"{self.name}, Request properties"
        if member in self.response:
            return f"{self.name}, Response properties"
        return f"{self.name}, common properties" if member in self.model.model_fields else f"{self.name}, syntax"


def members(*parts: type[Part]) -> frozenset[str]:
    """The member names of some parts."""
    return frozenset(name for part in parts for name in part.model_fields)
