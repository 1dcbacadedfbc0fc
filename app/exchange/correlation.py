"""Whether a Response belongs to its Request, and a Request into its dialogue.

A Response names its Request, repeats the dialogue and the turn, and is a message of its own. In a dialogue turns
count up from 0; gaps are served, so they are only remarked upon.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from app.errors import Code, Fault
from app.exchange.message import Exchange
from app.exchange.reader import pointer, quoted
from app.exchange.survey import items

Message: TypeAlias = Mapping[str, Any]

DIALOGUE: Final = ("MInstance", "UEnvironment", "SessionID", "DialogID")
"""What names a dialogue, together."""


def correlation_faults(exchange: Exchange, request: Message, response: Message) -> Iterator[Fault]:
    """What parts a Response from its Request; pointers are into the Response. What is absent is told elsewhere."""
    yield from _differing(exchange, "Correlation", request, "QueryID", response, "RequestID")
    for name in DIALOGUE:
        yield from _differing(exchange, "Dialogue", request, name, response, name)
    yield from _differing(exchange, "Dialogue", request, "TurnIndex", response, "TurnIndex")
    if isinstance(request.get("QueryID"), str) and request["QueryID"] == response.get("QueryID"):
        yield Fault(
            Code.WRONG_CORRELATION,
            "the QueryID is that of the Request",
            "/QueryID",
            f"{exchange.name}, functional requirements, Identification",
            "each message has its own QueryID; that of the Request is the RequestID here",
        )
    yield from _foreign_steps(request, response)


def _differing(
    exchange: Exchange, requirement: str, request: Message, asked: str, response: Message, answered: str
) -> Iterator[Fault]:
    if asked not in request or answered not in response or request[asked] == response[answered]:
        return
    yield Fault(
        Code.WRONG_CORRELATION,
        f"{answered} is {quoted(str(response[answered]))}, the {asked} of the Request {quoted(str(request[asked]))}",
        pointer(answered),
        f"{exchange.name}, functional requirements, {requirement}",
        f"expected: {quoted(str(request[asked]))}",
    )


def _foreign_steps(request: Message, response: Message) -> Iterator[Fault]:
    feasibility = response.get("Feasibility")
    if not isinstance(feasibility, dict):
        return
    asked = [entry.get("Step") for entry in items(request, "ProcessActions") if isinstance(entry, dict)]
    for index, entry in enumerate(items(feasibility, "Steps")):
        if isinstance(entry, dict) and "Step" in entry and entry["Step"] not in asked:
            yield Fault(
                Code.WRONG_CORRELATION,
                f"the Request has no Step {quoted(str(entry['Step']))}",
                pointer("Feasibility", "Steps", index, "Step"),
                "BKN-DAC, Response properties",
                "judge the Steps of the Request",
            )


def partners(messages: Sequence[object]) -> dict[int, int]:
    """The Responses whose Request is among the messages, by their places: {Response: Request}."""
    asked = {
        (_dialogue(message), message.get("QueryID")): place
        for place, message in enumerate(messages)
        if isinstance(message, dict) and message.get("Mode") == "RQ" and isinstance(message.get("QueryID"), str)
    }
    found: dict[int, int] = {}
    for place, message in enumerate(messages):
        if isinstance(message, dict) and message.get("Mode") == "RS" and isinstance(message.get("RequestID"), str):
            request = asked.get((_dialogue(message), message["RequestID"]))
            if request is not None:
                found[place] = request
    return found


def turn_remarks(messages: Sequence[object]) -> Iterator[tuple[int, Fault]]:
    """What is odd about the turns of the Requests among messages in the order in which they were sent."""
    last: dict[tuple[object, ...], float] = {}
    for place, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("Mode") != "RQ":
            continue
        turn = message.get("TurnIndex")
        if type(turn) is not int and type(turn) is not float:
            continue
        before = last.get(dialogue := _dialogue(message), -1)
        last[dialogue] = max(turn, before)
        if turn <= before:
            yield place, _odd(f"turn {turn} follows turn {before}", "a TurnIndex exceeds the last of its dialogue")
        elif turn > before + 1:
            after = f"turn {before}" if before >= 0 else "nothing"
            yield place, _odd(f"turn {turn} follows {after}", f"expected: `{before + 1}`")


def _odd(message: str, hint: str) -> Fault:
    return Fault(Code.OUT_OF_RANGE, message, "/TurnIndex", "common properties, TurnIndex", hint)


def _dialogue(message: Message) -> tuple[object, ...]:
    return (repr(message.get("Header")), *(repr(message.get(name)) for name in DIALOGUE))
