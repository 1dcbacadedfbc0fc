"""The values of literals and the value spaces of datatypes (OWL 2 RL, table 8; XML Schema 1.1 part 2).

Literals with one value are one term (dt-eq): numbers are Decimal, moments datetime, strings of every kind Text. What
has no such form stays `Typed`, written in one way where its value can be written in several.

A number keeps no datatype: xsd:double and xsd:float, which OWL 2 RL leaves out, are not told from xsd:decimal. A
moment keeps no time zone: those of one instant are one term, and UTC where none is written, which OWL 2 holds apart.
Of a datatype not listed here nothing is concluded.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from app.model import Term, Text, Typed
from app.vocab import RDF, RDFS, XSD

_BOUNDS: dict[str, tuple[int | None, int | None]] = {
    "integer": (None, None),
    "nonNegativeInteger": (0, None),
    "nonPositiveInteger": (None, 0),
    "positiveInteger": (1, None),
    "negativeInteger": (None, -1),
    "long": (-(2**63), 2**63 - 1),
    "int": (-(2**31), 2**31 - 1),
    "short": (-(2**15), 2**15 - 1),
    "byte": (-128, 127),
    "unsignedLong": (0, 2**64 - 1),
    "unsignedInt": (0, 2**32 - 1),
    "unsignedShort": (0, 2**16 - 1),
    "unsignedByte": (0, 255),
}
_SPACE = " \t\r\n"
INTEGERS = {XSD + name: bounds for name, bounds in _BOUNDS.items()}
"""The kinds of whole numbers, each with its least and its greatest."""

_FLOATS = {XSD + "double", XSD + "float"}
_REALS = {XSD + "decimal", *_FLOATS}
_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")
_FLOAT = re.compile(rf"{_DECIMAL.pattern}([eE][+-]?[0-9]+)?")
_INFINITE = {"INF": "INF", "+INF": "INF", "-INF": "-INF", "NaN": "NaN"}

STRINGS = {
    XSD + "normalizedString": re.compile(r"[^\t\r\n]*"),
    XSD + "token": re.compile(r"([^\t\r\n ]+( [^\t\r\n ]+)*)?"),
    XSD + "language": re.compile(r"[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*"),
    XSD + "Name": re.compile(r"([^\W\d]|:)[-.:\w\u00b7]*"),
    XSD + "NCName": re.compile(r"[^\W\d][-.\w\u00b7]*"),
    XSD + "NMTOKEN": re.compile(r"[-.:\w\u00b7]+"),
}
"""The strings of each kind, white space replaced or collapsed."""

_DATE_TIME = re.compile(
    r"-?([1-9][0-9]{4,}|[0-9]{4})-[0-9]{2}-[0-9]{2}T([0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?)"
    r"(Z|[+-](0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)?"
)
_MOMENTS = {XSD + "dateTime", XSD + "dateTimeStamp"}
_BOOLEANS = {"true": "true", "1": "true", "false": "false", "0": "false"}
_HEX = re.compile(r"([0-9a-fA-F]{2})*")
_BASE64 = re.compile(r"([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_WRITTEN = {XSD + name for name in ("boolean", "anyURI", "hexBinary", "base64Binary")}
_TEXTS = {XSD + "string", RDF + "langString", RDF + "PlainLiteral", *STRINGS}
_UNREAD = {RDF + "XMLLiteral"}

DATATYPES: frozenset[str] = frozenset({RDFS + "Literal", *_REALS, *INTEGERS, *_TEXTS, *_MOMENTS, *_WRITTEN, *_UNREAD})
"""The datatypes whose values are known here."""

_APART = _UNREAD | {XSD + f"g{name}" for name in ("Year", "YearMonth", "MonthDay", "Day", "Month")}
_APART |= {XSD + name for name in ("date", "time", "duration", "dayTimeDuration", "yearMonthDuration", "QName")}
"""Datatypes whose values are none of any other's; which of their literals have one value is not known here."""


def value_of(lexical: str, datatype: str) -> Term:
    """The term of a literal; `Typed` as it is written where its datatype is not known, or it has no such value."""
    read = _read(lexical, datatype)
    return Typed(lexical, datatype) if read is None else read


def belongs(term: Term, datatype: str) -> bool:
    """Whether a literal's value surely is one of a datatype of DATATYPES."""
    if datatype == RDFS + "Literal":
        return True
    if isinstance(term, Decimal):
        return datatype in _REALS or (datatype in INTEGERS and _within(term, datatype))
    if isinstance(term, datetime):
        return datatype in _MOMENTS
    if isinstance(term, str):
        return False
    if isinstance(term, Text):
        if term.lang:
            return datatype in {RDF + "PlainLiteral", RDF + "langString"}
        kind = STRINGS.get(datatype)
        return datatype in {RDF + "PlainLiteral", XSD + "string"} if kind is None else _is_all(kind, term.value)
    wider = XSD + "dateTime" if term.datatype in _MOMENTS else term.datatype
    return datatype in {term.datatype, wider} and not ill_typed(term)


def excluded(term: Term, datatype: str) -> bool:
    """Whether a literal's value surely is none of a datatype of DATATYPES (dt-not-type)."""
    return not belongs(term, datatype) and _kind(term) not in {None, _of_moments(datatype)}


def ill_typed(term: Term) -> bool:
    """Whether a literal is none of the values of its own datatype (dt-not-type)."""
    return isinstance(term, Typed) and term.datatype in DATATYPES and _read(term.lexical, term.datatype) is None


def differ(one: Term, other: Term) -> bool:
    """Whether two literals surely have different values (dt-diff)."""
    kinds = (_kind(one), _kind(other))
    if None in kinds or one == other:
        return False
    unread = isinstance(one, Typed) and isinstance(other, Typed) and one.datatype in _APART | _MOMENTS
    return kinds[0] != kinds[1] or not unread


def _kind(term: Term) -> str | None:
    """What only values of the same kind can be equal to; None where the value is not known."""
    if isinstance(term, Typed):
        if ill_typed(term):
            return None
        return _of_moments(term.datatype) if term.datatype in DATATYPES | _APART else None
    return type(term).__name__


def _of_moments(datatype: str) -> str:
    return datetime.__name__ if datatype in _MOMENTS else datatype


def _read(lexical: str, datatype: str) -> Term | None:
    """The value of a literal of a known datatype; None where it has none."""
    if datatype == XSD + "string":
        return Text(lexical)
    if datatype in _WRITTEN:
        return _written(lexical.strip(_SPACE), datatype)
    text = lexical.strip(_SPACE)
    if datatype in INTEGERS:
        number = Decimal(text) if _is_all(_INTEGER, text) else None
        return number if number is not None and _within(number, datatype) else None
    if datatype == XSD + "decimal":
        return Decimal(text) if _is_all(_DECIMAL, text) else None
    if datatype in _FLOATS:
        return _float(text, datatype)
    if datatype in _MOMENTS:
        return _moment(text, datatype)
    if datatype in STRINGS:
        kept = re.sub(r"[\t\r\n]", " ", lexical)
        kept = kept if datatype == XSD + "normalizedString" else re.sub(" +", " ", kept).strip(" ")
        return Text(kept) if _is_all(STRINGS[datatype], kept) else None
    if datatype == RDF + "PlainLiteral":
        said, at, language = lexical.rpartition("@")
        return Text(said, language.lower()) if at else None
    return Typed(lexical, datatype)


def _float(text: str, datatype: str) -> Term | None:
    if text in _INFINITE:
        return Typed(_INFINITE[text], datatype)
    if not _is_all(_FLOAT, text):
        return None
    near = float(text)  # what is too large is infinite, what is too small is nothing
    if near in {float("inf"), -float("inf")}:
        return Typed("INF" if near > 0 else "-INF", datatype)
    return Decimal(text) if near else Decimal(0)


def _moment(text: str, datatype: str) -> Term | None:
    found = _DATE_TIME.fullmatch(text)
    if found is None or (datatype.endswith("Stamp") and not found[4]):
        return None
    year, clock, fraction = found[1], found[2], (found[3] or "").rstrip("0")
    midnight = clock.startswith("24:00:00") and not fraction.strip(".")
    if text.startswith("-") or len(year) > 4 or year == "0000" or len(fraction) > 7:
        return Typed(text, datatype)  # a moment that datetime cannot hold
    try:
        moment = datetime.fromisoformat(text.replace(clock, "00:00:00") if midnight else text)
        moment += timedelta(days=midnight)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except ValueError:
        return None
    except OverflowError:
        return Typed(text, datatype)


def _written(text: str, datatype: str) -> Term | None:
    """A literal that stays Typed, in the one way in which its value is written."""
    kept: str | None = text
    match datatype.removeprefix(XSD):
        case "boolean":
            kept = _BOOLEANS.get(text)
        case "hexBinary":
            kept = text.upper() if _is_all(_HEX, text) else None
        case "base64Binary":
            packed = re.sub(r"[ \t\r\n]", "", text)
            kept = packed if _is_all(_BASE64, packed) else None
    return None if kept is None else Typed(kept, datatype)


def _is_all(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.fullmatch(text) is not None


def _within(number: Decimal, datatype: str) -> bool:
    low, high = INTEGERS[datatype]
    return (
        number == number.to_integral_value() and (low is None or number >= low) and (high is None or number <= high)
    )
