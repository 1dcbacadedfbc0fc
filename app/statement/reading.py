"""Reading a statement (MMM-TEC V2.2 Process Actions, V2.0 Of, V1 By and Into; SEMANTICS 4).

    statement ::= process_action {"and" process_action} ["If" event] [status]

Prepositions, If, `and`, deontic verbs and Actions are read in any case, names exactly. The last word of a text is
its PA Status if it is the name of one and no preposition stands before it. Every fault is a StatementError.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final, Literal, TypeAlias

from app.model import (
    Complement,
    Deontic,
    Event,
    Iri,
    Number,
    Object,
    PAStatus,
    Preposition,
    ProcessAction,
    Quoted,
    Statement,
    StepRef,
    Word,
)
from app.statement import tokens as t
from app.statement.cursor import Cursor
from app.statement.faults import statement_error
from app.statement.grammar import Form, Grammar

MAX_EVENT_DEPTH: Final = 64
"""How deep an Event may be nested; a chain of n operators is n deep."""

_STOPS: Final = frozenset({"", "and", "if"})
_STOPS_IN_EVENT: Final = _STOPS | t.OPERATORS | {")"}
_Operator: TypeAlias = Literal["AND", "OR", "NAND", "NOR", "XOR", "XNOR"]
_OPERATORS: Final[dict[str, _Operator]] = {
    "and": "AND",
    "or": "OR",
    "nand": "NAND",
    "nor": "NOR",
    "xor": "XOR",
    "xnor": "XNOR",
}
_ENDS_PLAIN: Final = frozenset({t.WORD, t.END})
_DIGITS: Final = frozenset("0123456789")
_ESCAPED: Final = re.compile(r'\\(["\\])')


def parse(text: str, grammar: Grammar) -> Statement:
    """The statement that `text` is; raises StatementError with one Fault (code NO_STATEMENT)."""
    return _Reader(text, grammar).statement()


class _Reader(Cursor):
    """Each method reads one production and moves on; what is reserved and where a Process Action stops differ in
    an Event.
    """

    __slots__ = ("reserved", "stops")

    def __init__(self, text: str, grammar: Grammar) -> None:
        super().__init__(text, grammar)
        self.reserved = t.RESERVED
        self.stops = _STOPS

    def statement(self) -> Statement:
        """statement ::= process_action {"and" process_action} ["If" event] [status]."""
        actions = [self.process_action()]
        while self.lows[self.i] == "and":
            self.i += 1
            actions.append(self.process_action())
        event = None
        if self.lows[self.i] == "if":
            self.i += 1
            self.reserved, self.stops, self.in_event = t.RESERVED_IN_EVENT, _STOPS_IN_EVENT, True
            read, _ = self.event(0)
            event = read if isinstance(read, Event) else Event(None, (read,))
        status = self.status()
        if self.kinds[self.i] != t.END:
            raise self.expected("an operator, a PA Status or the end of the statement")
        return Statement(tuple(actions), event, status, self.text)

    def status(self) -> PAStatus | None:
        """status ::= one of the ten PA Status values, or `FaultyPA`, as the last word."""
        if self.i == self.last and (status := t.STATUSES.get(self.texts[self.i])):
            self.i += 1
            return status
        return None

    def process_action(self) -> ProcessAction:
        """process_action ::= [process] [deontic] action {complement} ["At" time]."""
        first = self.i
        process = self.process()
        after_process = self.i
        deontic, self.i = self.deontic(self.i)
        form = self.form(self.i)
        if form is None:
            raise self.no_action(first, after_process)
        self.i += form.length
        complements, at_time = self.complements()
        span = self.span(first, self.i - first)
        return ProcessAction(process, form.action, complements, deontic, at_time, form.older, span)

    def process(self) -> Word | Iri | StepRef | None:
        """process ::= word | label | "<" IRI ">" | "@" step ["." word]; none where an Action begins."""
        i = self.i
        kind, low = self.kinds[i], self.lows[i]
        if kind == t.WORD and low not in self.reserved:
            length = self.label(i)
            if not (length > 1 and self.action_follows(i + length)):
                length = 1
                if self.begins_action(i):
                    return None
            if self.texts[i][0] == "@" and (step := self.step(i)):
                return step
            self.i += length
            return Word(self.name(i, length), None, self.span(i, length))
        if kind == t.IRI:
            self.i += 1
            return Iri(self.texts[i][1:-1], self.span(i))
        raise self.expected("a Process or an Action")

    def begins_action(self, i: int) -> bool:
        """Whether `[deontic] action` begins here rather than a Process that happens to be named so.

        `Post Registers X` and `Post May Register X` are acts of the Process `Post`; so is `Post Register X`, but
        in `Post Register To X` there is an object only if `Register` is it.
        """
        form = self.form(i)
        if form is None:
            deontic, after = self.deontic(i)
            return deontic is not None and self.form(after) is not None
        deontic, after = self.deontic(i + 1)
        second = self.form(after) if form.length == 1 else None
        if second is None:
            return True
        if deontic is not None or second.third:
            return False
        if self.label(after) > second.length:
            return True
        k = after + second.length
        named = self.kinds[k] == t.IRI or (self.kinds[k] == t.WORD and self.lows[k] not in self.reserved)
        return not named or (k == self.last and self.texts[k] in t.STATUSES)

    def action_follows(self, i: int) -> bool:
        """Whether `[deontic] action` stands here."""
        return self.form(self.deontic(i)[1]) is not None

    def deontic(self, i: int) -> tuple[Deontic | None, int]:
        """deontic ::= "May" | "May" "Not" | "Must"; also the place after it."""
        low = self.lows[i]
        if low == "may":
            return (Deontic.MAY_NOT, i + 2) if self.lows[i + 1] == "not" else (Deontic.MAY, i + 1)
        return (Deontic.MUST, i + 1) if low == "must" else (None, i)

    def form(self, i: int) -> Form | None:
        """action ::= the name of an Action, base or third person, also an older one; the longest that fits."""
        for form in self.grammar.forms.get(self.lows[i], ()):
            if form.length == 1 or tuple(self.lows[i + 1 : i + form.length]) == form.rest:
                return form
        return None

    def complements(self) -> tuple[tuple[Complement, ...], datetime | None]:
        """{[preposition] object} ["At" time]; only the first object needs no preposition, being the direct one."""
        found: list[Complement] = []
        while (low := self.lows[self.i]) not in self.stops:
            preposition = t.PREPOSITIONS.get(low)
            if preposition is None:
                if self.i == self.last and self.texts[self.i] in t.STATUSES:
                    break
                if found:
                    raise self.no_preposition()
                preposition = Preposition.NIL
            else:
                self.i += 1
                if preposition is Preposition.AT and t.DATE_TIME.match(self.texts[self.i]):
                    return tuple(found), self.time()
            found.append(Complement(preposition, self.object(preposition)))
        return tuple(found), None

    def time(self) -> datetime:
        """time ::= an ISO 8601 date and time; without a zone it is UTC; nothing but If, `and`, a status follows."""
        i = self.i
        try:
            time = datetime.fromisoformat(self.texts[i].upper())
            time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
        except (ValueError, OverflowError):
            raise self.expected("an ISO 8601 date and time such as `2025-01-31T09:30:00Z`") from None
        self.i += 1
        if self.lows[self.i] not in self.stops and self.texts[self.i] not in t.STATUSES:
            raise self.expected("`and`, `If`, a PA Status or the end after the time")
        return time

    def object(self, preposition: Preposition) -> Object:
        """object ::= [word] quoted text | number [unit] | "<" IRI ">" | "@" step ["." word] | named."""
        i = self.i
        kind, low = self.kinds[i], self.lows[i]
        if kind == t.WORD and low not in self.reserved:
            word = self.texts[i]
            plain = word[0] not in t.SPECIAL and low[:5] != "model" and low not in self.grammar.labels
            if plain and self.kinds[i + 1] in _ENDS_PLAIN:  # nothing below applies: the common case, made quick
                self.i = i + 1
                start = self.starts[i]
                return Word(word, None, (start, start + len(word)))
            length = self.label(i)
            if not length and word[0] in t.SPECIAL and (special := self.step(i) or self.number(i)):
                return special
            j = i + (length or 1)
            if self.kinds[j] == t.QUOTED:
                self.i = j + 1
                return Quoted(_unquoted(self.texts[j]), self.name(i, j - i), self.span(i, j + 1 - i))
            return self.named(i, length)
        if kind == t.QUOTED:
            self.i += 1
            return Quoted(_unquoted(self.texts[i]), None, self.span(i))
        if kind == t.IRI:
            self.i += 1
            return Iri(self.texts[i][1:-1], self.span(i))
        raise self.expected("an object" if preposition is Preposition.NIL else f"an object after `{preposition}`")

    def named(self, i: int, length: int) -> Word:
        """named ::= (word | label) ["(" "Status=" ("Model" | "Final") ")"] | "Model" (word | label) | "Model"word.

        `ModelX` is read so for Rights, Qualifier, Transaction, SPM and labels only: `ModelTrain` may be a name.
        """
        status: Literal["Model", "Final"] | None = None
        start = i
        low = self.lows[i]
        if low == "model" and self.modelled(i + 1, length):
            status, start = "Model", i + 1
            length = self.label(start)
        name = self.name(start, length or 1)
        if length <= 1 and name.startswith("Model"):
            rest = name[5:]
            if rest in t.MODELLED or (rest[:1].isupper() and rest.lower() in self.grammar.joined):
                name, status = rest, "Model"
        self.i = start + (length or 1)
        if self.kinds[self.i] == t.STATUS:
            written: Literal["Model", "Final"] = "Model" if "model" in self.lows[self.i] else "Final"
            if status is not None and written != status:
                raise self.expected("no other Status after `Model`")
            status = written
            self.i += 1
        return Word(name, status, self.span(i, self.i - i))

    def modelled(self, i: int, length: int) -> bool:
        """Whether the word here is what `Model` before it speaks of; a label that begins with Model goes first."""
        if self.kinds[i] != t.WORD or self.lows[i] in self.reserved:
            return False
        if i == self.last and self.texts[i] in t.STATUSES:
            return False
        return self.texts[i] in t.MODELLED or (length <= 1 and self.texts[i][0] not in t.SPECIAL)

    def label(self, i: int) -> int:
        """label ::= the words of a label of the vocabulary, the longest that fits; how many, 0 for none."""
        for key in self.grammar.labels.get(self.lows[i], ()):
            if len(key) == 1 or tuple(self.lows[i : i + len(key)]) == key:
                return len(key)
        return 0

    def step(self, i: int) -> StepRef | None:
        """step_ref ::= "@" step ["." word]; a word that begins with `@` and no digit is a name."""
        word = self.texts[i]
        if word[0] != "@" or word[1:2] not in _DIGITS:
            return None
        match = t.STEP.fullmatch(word)
        if match is None:
            raise self.expected("a step such as `@6` or `@6.Account`")
        self.i += 1
        return StepRef(int(match[1]), match[2], self.span(i))

    def number(self, i: int) -> Number | None:
        """number ::= decimal [unit]; the unit follows without a space (at most four characters) or as a word."""
        match = t.NUMBER.fullmatch(self.texts[i])
        if match is None:
            return None
        unit = match[2]
        length = 1
        if not unit and self.kinds[i + 1] == t.WORD and t.UNIT.fullmatch(self.texts[i + 1]):
            following = self.texts[i + 1]
            if following.lower() not in self.reserved and following not in t.STATUSES:
                unit, length = following, 2
        self.i += length
        return Number(Decimal(match[1]), unit, self.span(i, length))

    def event(self, depth: int) -> tuple[Event | ProcessAction, int]:
        """event ::= operand {("AND" | "OR" | "NAND" | "NOR" | "XOR" | "XNOR") operand}, from the left; its height."""
        event, height = self.operand(depth)
        while operator := _OPERATORS.get(self.lows[self.i]):
            at = self.i
            self.i += 1
            right, right_height = self.operand(depth + 1)
            height = self.bounded(max(height, right_height) + 1, at)
            event = Event(operator, (event, right))
        return event, height

    def operand(self, depth: int) -> tuple[Event | ProcessAction, int]:
        """operand ::= "NOT" operand | "(" event ")" | process_action; and its height."""
        low = self.lows[self.i]
        if low != "not" and low != "(":
            return self.process_action(), 0
        opened = self.i
        self.bounded(depth + 1, opened)
        self.i += 1
        if low == "not":
            operand, height = self.operand(depth + 1)
            return Event("NOT", (operand,)), self.bounded(height + 1, opened)
        event, height = self.event(depth + 1)
        if self.lows[self.i] != ")":
            raise self.expected(f"`)` for the `(` at {self.starts[opened]}")
        self.i += 1
        return event, height

    def bounded(self, height: int, at: int) -> int:
        """The height, unless no Event may be so deep: nothing that walks an Event may run out of stack."""
        if height > MAX_EVENT_DEPTH:
            start, end = self.span(at)
            raise statement_error(
                self.text, start, end, f"an Event is at most {MAX_EVENT_DEPTH} deep; split it into several steps"
            )
        return height


def _unquoted(token: str) -> str:
    """The text between quotation marks; between straight ones a backslash escapes a mark or a backslash."""
    inner = token[1:-1]
    return _ESCAPED.sub(r"\1", inner) if "\\" in inner and token[0] == '"' else inner
