"""The canonical text of a statement: what `parse` reads back as the same value (SEMANTICS 4).

Third person after a Process, the base verb otherwise; prepositions as MMM-TEC writes them; times in UTC. Names are
written as they are: whoever makes a Word from an identifier asks `is_word` first and takes an Iri where it says no.
"""

from __future__ import annotations

from datetime import UTC, datetime

from app.model import (
    Complement,
    Event,
    Iri,
    Number,
    Object,
    Preposition,
    ProcessAction,
    Quoted,
    Statement,
    StepRef,
    Word,
)
from app.statement.grammar import third_person
from app.statement.tokens import STATUSES


def format(statement: Statement) -> str:
    """The text of a whole statement."""
    text = " and ".join(_action(action) for action in statement.actions)
    if statement.event is not None:
        text += f" If {_event(statement.event)}"
    if statement.status is not None:
        text += f" {statement.status}"
    return _closed(text)


def format_action(action: ProcessAction) -> str:
    """The text of one Process Action."""
    return _closed(_action(action))


def _closed(text: str) -> str:
    """One final full stop is dropped by the reader: a name that ends with one needs a second."""
    return text + "." if text.endswith(".") else text


def _action(action: ProcessAction) -> str:
    parts = [] if action.process is None else [_object(action.process)]
    if action.deontic is not None:
        parts.append(action.deontic)
    imperative = action.process is None and action.deontic is None
    parts.append(third_person(action.action) if parts and action.deontic is None else action.action)
    for index, complement in enumerate(action.complements):
        if complement.preposition is not Preposition.NIL or index or _needs_nil(complement, imperative):
            parts.append(complement.preposition)
        parts.append(_object(complement.object))
    if action.at_time is not None:
        parts += ["At", _time(action.at_time)]
    return " ".join(parts)


def _needs_nil(complement: Complement, imperative: bool) -> bool:
    """Whether a direct object would be read otherwise without `Nil`: as a PA Status, or, where no Process is
    written, as the verb of a Process named like the Action (every third person ends with s).
    """
    match complement.object:
        case Word(name=name) | Quoted(type=str(name)):
            verb_like = any(w[-1] in "sS" or w.lower() in {"may", "must"} for w in name.split())
            return name in STATUSES or (imperative and verb_like)
    return False


def _object(value: Object) -> str:
    match value:
        case Word(name, status):
            return name if status is None else f"{name}(Status={status})"
        case Quoted(text, kind):
            escaped = text.replace("\\", "\\\\").replace('"', '\\"')
            return f'"{escaped}"' if kind is None else f'{kind} "{escaped}"'
        case Iri(iri):
            return f"<{iri}>"
        case Number(number, unit):
            return f"{number:f} {unit}" if unit else f"{number:f}"
        case StepRef(step, result):
            return f"@{step}" if result is None else f"@{step}.{result}"


def _time(time: datetime) -> str:
    utc = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    return utc.isoformat().replace("+00:00", "Z")


def _event(event: Event | ProcessAction, grouped: bool = False) -> str:
    """Operators group from the left and NOT binds tightest: all else is `grouped` in parentheses."""
    if isinstance(event, ProcessAction):
        return _action(event)
    if event.operator is None:
        return _event(event.operands[0], grouped)
    if event.operator == "NOT":
        return f"NOT {_event(event.operands[0], grouped=True)}"
    left, right = event.operands
    text = f"{_event(left)} {event.operator} {_event(right, grouped=True)}"
    return f"({text})" if grouped else text
