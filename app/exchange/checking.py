"""Conformance of any message of the exchanges, or of a Request with its Response: the library call.

check(document)                          one message, its exchange found by its Header
check({"request": ..., "response": ...}) both, and whether they belong together
check_text(raw)                          the same from JSON text
    check_dialogue(raws)                     messages in the order in which they were sent, one in each text
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from app.errors import Code, Fault, MessageError
from app.exchange.bkn_dac import BKN_DAC
from app.exchange.bkn_pal import BKN_PAL
from app.exchange.bkn_prc import BKN_PRC
from app.exchange.bkn_usr import BKN_USR
from app.exchange.conformance import Conformance, conformance
from app.exchange.correlation import correlation_faults, partners, turn_remarks
from app.exchange.message import Exchange
from app.exchange.reader import first_faults, parse, pointer, quoted
from app.exchange.structure import nearest

EXCHANGES: Final[dict[str, Exchange]] = {
    "bkn-dac": BKN_DAC,
    "bkn-prc": BKN_PRC,
    "bkn-pal": BKN_PAL,
    "bkn-usr": BKN_USR,
}
"""Every exchange by its name in paths: one line each."""

_PAIR: Final = {"request": "RQ", "response": "RS"}
_CLAUSE: Final = "Domain Access, conformance (ours)"


def check_text(raw: bytes, exchange: Exchange | None = None) -> Conformance:
    """As `check`, from JSON text; what is no such text, or too large, does not conform."""
    return _read_and_checked(raw, exchange)[1]


def check_message(raw: bytes, exchange: Exchange | None = None) -> tuple[str, Conformance]:
    """As `check_text`, with the name of the exchange, which is empty where none was found."""
    document, judged = _read_and_checked(raw, exchange)
    return _name(exchange or exchange_of(document)), judged


def check_dialogue(raws: Iterable[bytes], exchange: Exchange | None = None) -> list[tuple[str, Conformance]]:
    """Each text as by `check_message`, and whether Responses and turns go together.

    A Response whose Request is among them has to belong to it, and turns that are odd are remarked upon.
    """
    read = [_read_and_checked(raw, exchange) for raw in raws]
    documents, judged = [document for document, _ in read], [found for _, found in read]
    exchanges = [exchange or exchange_of(document) for document in documents]
    for place, asked in partners(documents).items():
        if (common := exchanges[place]) is not None:
            apart = correlation_faults(common, documents[asked], documents[place])
            judged[place] = replace(judged[place], faults=first_faults((*judged[place].faults, *apart)))
    for place, odd in turn_remarks(documents):
        judged[place] = replace(judged[place], warnings=(*judged[place].warnings, odd))
    return [(_name(common), found) for common, found in zip(exchanges, judged, strict=True)]


def _read_and_checked(raw: bytes, exchange: Exchange | None) -> tuple[Any, Conformance]:
    try:
        document = parse(raw)
    except MessageError as error:
        return None, Conformance(error.faults, ())
    return document, check(document, exchange)


def _name(exchange: Exchange | None) -> str:
    return exchange.name if exchange else ""


def check(document: object, exchange: Exchange | None = None) -> Conformance:
    """Whether parsed JSON conforms, as a message of the exchange or, without one, of that which its Header names."""
    if is_pair(document):
        return _check_pair(document, exchange)
    found = exchange or exchange_of(document)
    return conformance(found, document, strict=True) if found else Conformance((_no_exchange(document),), ())


def exchange_of(document: Any) -> Exchange | None:
    """The exchange that the Header of a message, or of the first of a pair, names."""
    if is_pair(document):
        return next((found for name in _PAIR if (found := exchange_of(document.get(name)))), None)
    header = document.get("Header") if isinstance(document, dict) else None
    return next((exchange for exchange in EXCHANGES.values() if exchange.header == header), None)


def is_pair(document: Any) -> bool:
    """Whether this is meant as a Request with its Response: it has one of them, and is no message itself."""
    return isinstance(document, dict) and "Header" not in document and not _PAIR.keys().isdisjoint(document)


def _check_pair(pair: Any, exchange: Exchange | None) -> Conformance:
    found = exchange or exchange_of(pair)
    faults: list[Iterable[Fault]] = [_unfit_pair(pair)]
    warnings: list[Fault] = []
    for name in _PAIR:
        if name in pair:
            judged = (
                conformance(found, pair[name], strict=True) if found else Conformance((_no_exchange(pair[name]),), ())
            )
            faults.append(_below(name, judged.faults))
            warnings += _below(name, judged.warnings)
    request, response = pair.get("request"), pair.get("response")
    if found and isinstance(request, dict) and isinstance(response, dict):
        faults.append(_below("response", correlation_faults(found, request, response)))
    return Conformance(first_faults(fault for some in faults for fault in some), tuple(warnings))


def _unfit_pair(pair: Mapping[str, Any]) -> Iterator[Fault]:
    for name in pair:
        if name not in _PAIR:
            message = f"{quoted(name)} is no member here"
            yield Fault(Code.UNKNOWN_MEMBER, message, pointer(name), _CLAUSE, nearest(name, _PAIR))
    for name, mode in _PAIR.items():
        if name not in pair:
            hint = "expected: a Request and its Response, or one message alone"
            yield Fault(Code.MISSING_MEMBER, f"{name} is missing", pointer(name), _CLAUSE, hint)
        elif isinstance(pair[name], dict) and pair[name].get("Mode") in [m for m in _PAIR.values() if m != mode]:
            message = f"the {name} has Mode `{pair[name]['Mode']}`"
            yield Fault(Code.WRONG_MODE, message, pointer(name, "Mode"), _CLAUSE, f"expected: `{mode}`")


def _no_exchange(document: object) -> Fault:
    clause, headers = "common properties, Header", [exchange.header for exchange in EXCHANGES.values()]
    expected = f"expected: one of {', '.join(f'`{header}`' for header in headers)}"
    if not isinstance(document, dict):
        return Fault(Code.WRONG_TYPE, "no object stands here", "", clause, "expected: a message, an object")
    if "Header" not in document:
        return Fault(Code.MISSING_MEMBER, "Header is missing", "/Header", clause, expected)
    given = str(document["Header"])
    near = nearest(given, headers)
    hint = f"{expected}; {near}" if near.startswith("did") else expected
    return Fault(Code.WRONG_VALUE, f"{quoted(given)} is the Header of no exchange", "/Header", clause, hint)


def _below(name: str, faults: Iterable[Fault]) -> Iterator[Fault]:
    """The same faults of a document that stands in a member of another."""
    return (replace(fault, where=pointer(name) + fault.where) for fault in faults)
