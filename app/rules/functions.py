"""The functions a pattern may call, each registered once; units: metres. An argument of the wrong kind is an error of
the rule, never false: a rule that cannot run lets nothing pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import unquote

from app.facts import Facts
from app.model import Term, Text, Typed
from app.rules.hours import is_open
from app.vocab import DAC, IDENTIFIER, XSD, dac

BOX: Final = DAC + "box"
VECTOR: Final = DAC + "vector"
TOLERANCE_M: Final = Decimal("0.001")
"""Touching is not overlapping (SEMANTICS 6)."""


class ExpressionError(ValueError):
    """An expression over terms it is not defined for."""


class Function(NamedTuple):
    """What a registered function takes, whether it answers true or false, and the predicates of its first argument
    it reads.
    """

    arity: int
    condition: bool
    call: Callable[..., Term | bool]
    reads: tuple[str, ...] = ()


def less(a: Term, b: Term) -> bool:
    """`a < b` for two numbers, two times or two plain texts."""
    if isinstance(a, Decimal) and isinstance(b, Decimal):
        return a < b
    if isinstance(a, datetime) and isinstance(b, datetime):
        return a < b
    if isinstance(a, Text) and isinstance(b, Text) and a.lang == b.lang:
        return a.value < b.value
    raise ExpressionError(f"`{a}` and `{b}` have no order")


def number(a: Term) -> Decimal:
    """A number for arithmetic."""
    if isinstance(a, Decimal):
        return a
    raise ExpressionError(f"`{a}` is no number")


def divide(a: Decimal, b: Decimal) -> Decimal:
    """a / b, where b is not zero."""
    if not b:
        raise ExpressionError("a division by zero")
    return a / b


def truth(a: Term) -> bool:
    """The value of a boolean literal."""
    if isinstance(a, Typed) and a.datatype == XSD + "boolean" and a.lexical in {"true", "false"}:
        return a.lexical == "true"
    raise ExpressionError(f"`{a}` is no truth value")


def identifier_of(facts: Facts, entity: Term) -> Term:
    """The MPAI identifier of an entity, which its IRI carries where no fact states it (SEMANTICS 1)."""
    if not isinstance(entity, str):
        raise ExpressionError(f"`{entity}` is no entity")
    stated = facts.value(entity, IDENTIFIER)
    return stated if stated is not None else Text(unquote(entity.rsplit("#", 1)[-1].rsplit("/", 1)[-1]))


def overlaps(_: Facts, a: Term, b: Term) -> bool:
    """Whether two boxes share a volume."""
    (a_low, a_high), (b_low, b_high) = _box(a), _box(b)
    return all(
        min(ah, bh) - max(al, bl) > TOLERANCE_M for al, ah, bl, bh in zip(a_low, a_high, b_low, b_high, strict=True)
    )


def within(_: Facts, a: Term, b: Term) -> bool:
    """Whether the first box lies in the second."""
    (a_low, a_high), (b_low, b_high) = _box(a), _box(b)
    return all(
        al >= bl - TOLERANCE_M and ah <= bh + TOLERANCE_M
        for al, ah, bl, bh in zip(a_low, a_high, b_low, b_high, strict=True)
    )


def open_at(_: Facts, hours: Term, at: Term) -> bool:
    """Whether a time lies in opening hours (`dac:openingHours`)."""
    if isinstance(hours, Text) and isinstance(at, datetime):
        try:
            return is_open(hours.value, at)
        except ValueError as error:
            raise ExpressionError(str(error)) from error
    raise ExpressionError(f"`{hours}` and `{at}` are no opening hours and time")


def placed(_: Facts, place: Term, position: Term, size: Term) -> Term:
    """The box of something of a size at a position from the centre of a place, itself a box (SEMANTICS 6)."""
    low, high = _box(place)
    middle = [(a + b) / 2 + offset for a, b, offset in zip(low, high, _vector(position), strict=True)]
    half = [side / 2 for side in _sides(size)]
    corners = [m - h for m, h in zip(middle, half, strict=True)] + [m + h for m, h in zip(middle, half, strict=True)]
    return Typed(" ".join(f"{corner:f}" for corner in corners), BOX)


@lru_cache(maxsize=4096)
def _vector(term: Term) -> tuple[Decimal, ...]:
    if isinstance(term, Typed) and term.datatype == VECTOR and (numbers := _numbers(term.lexical, 3)):
        return numbers
    raise ExpressionError(f"`{term}` is no vector")


def _sides(term: Term) -> tuple[Decimal, ...]:
    sides = _vector(term)
    if min(sides) < 0:
        raise ExpressionError(f"`{term}` has a negative side")
    return sides


def _numbers(lexical: str, count: int) -> tuple[Decimal, ...]:
    """So many finite decimal numbers, or none."""
    try:
        numbers = tuple(Decimal(part) for part in lexical.split())
    except ArithmeticError:
        return ()
    return numbers if len(numbers) == count and all(n.is_finite() for n in numbers) else ()


@lru_cache(maxsize=4096)
def _box(term: Term) -> tuple[tuple[Decimal, ...], tuple[Decimal, ...]]:
    if isinstance(term, Typed) and term.datatype == BOX and (numbers := _numbers(term.lexical, 6)):
        low, high = numbers[:3], numbers[3:]
        if all(a <= b for a, b in zip(low, high, strict=True)):
            return low, high
    raise ExpressionError(f"`{term}` is no box")


FUNCTIONS: Mapping[str, Function] = {
    dac("identifierOf"): Function(1, False, identifier_of, reads=(IDENTIFIER,)),
    dac("openAt"): Function(2, True, open_at),
    dac("overlaps"): Function(2, True, overlaps),
    dac("within"): Function(2, True, within),
    dac("placed"): Function(3, False, placed),
}
