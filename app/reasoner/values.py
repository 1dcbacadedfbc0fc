"""Which literals a datatype has (OWL 2 RL, table 8): the value spaces of the datatypes that OWL 2 RL supports.

A number is a Decimal whatever its datatype, so equal values are one term (dt-eq) and the value spaces of xsd:double
and xsd:float are not told from xsd:decimal. A literal still `Typed` has no value of its datatype, or no form here.
"""

from __future__ import annotations

from datetime import datetime
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
_REALS = {XSD + name for name in ("decimal", "double", "float")}
_INTEGERS = {XSD + name: bounds for name, bounds in _BOUNDS.items()}
_TEXTS = {XSD + "string", RDF + "PlainLiteral", RDFS + "Literal"}
_TYPED = {XSD + name for name in ("boolean", "anyURI", "hexBinary", "base64Binary", "dateTimeStamp")}
DATATYPES: frozenset[str] = frozenset({*_REALS, *_INTEGERS, *_TEXTS, *_TYPED, XSD + "dateTime", RDF + "langString"})
"""The datatypes whose values are known here."""


def belongs(value: Term, datatype: str) -> bool:
    """Whether a literal's value is one of a datatype of DATATYPES."""
    if datatype == RDFS + "Literal":
        return True
    if isinstance(value, Decimal):
        return datatype in _REALS or (datatype in _INTEGERS and _within(value, _INTEGERS[datatype]))
    if isinstance(value, datetime):
        return datatype in {XSD + "dateTime", XSD + "dateTimeStamp"}
    if isinstance(value, Text):
        return datatype == RDF + "PlainLiteral" or datatype == (RDF + "langString" if value.lang else XSD + "string")
    return isinstance(value, Typed) and value.datatype == datatype and not ill_typed(value)


def ill_typed(value: Term) -> bool:
    """Whether a literal is none of the values of its own datatype."""
    if not isinstance(value, Typed):
        return False
    if value.datatype == XSD + "boolean":
        return value.lexical not in {"true", "false"}
    if value.datatype in {XSD + "double", XSD + "float"}:
        return value.lexical not in {"INF", "-INF", "NaN"}
    if value.datatype in _INTEGERS:
        return not _is_integer(value.lexical, _INTEGERS[value.datatype])
    return value.datatype == XSD + "decimal" or value.datatype == XSD + "dateTime"


def differ(one: Term, other: Term) -> bool:
    """Whether two literals surely have different values (dt-diff); of datatypes not known here, never."""
    return one != other and all(not isinstance(v, Typed) or v.datatype in DATATYPES for v in (one, other))


def _is_integer(lexical: str, bounds: tuple[int | None, int | None]) -> bool:
    try:
        return _within(Decimal(int(lexical)), bounds)
    except ValueError:
        return False


def _within(value: Decimal, bounds: tuple[int | None, int | None]) -> bool:
    low, high = bounds
    return value == value.to_integral_value() and (low is None or value >= low) and (high is None or value <= high)
