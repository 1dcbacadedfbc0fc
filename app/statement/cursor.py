"""The tokens of one text, the place reached in them, and the errors that point there."""

from __future__ import annotations

from typing import Final

from app.errors import StatementError
from app.model import Preposition, Span
from app.statement import tokens as t
from app.statement.faults import nearest_action, nearest_link, quoted, statement_error
from app.statement.grammar import Grammar

_PREPOSITIONS: Final = "`At`, `From`, `To`, `With`, `Of`, `By`, `Into` or `Nil`"
_LINKS: Final = (*(preposition.value for preposition in Preposition), "and", "If")
_LINKS_IN_EVENT: Final = (*_LINKS, "OR", "NAND", "NOR", "XOR", "XNOR")
_MISSPELT_ACTION: Final = 85.0
"""How like an Action, in per cent, the first word must be to be taken for one that was meant."""


class Cursor:
    """Kinds, texts, lower-case texts and starts of the tokens, an END after the last, and the index reached."""

    __slots__ = ("grammar", "i", "in_event", "kinds", "last", "lows", "starts", "text", "texts")

    def __init__(self, text: str, grammar: Grammar) -> None:
        if not text.isascii() and (broken := t.SURROGATE.search(text)):
            raise statement_error(text, *broken.span(), "half of a surrogate pair is no character")
        end = len(text.rstrip())
        if text.endswith(".", 0, end):
            end -= 1
        self.text = text
        self.grammar = grammar
        self.kinds, self.texts, self.starts = t.cut(text, end)
        self.last = len(self.texts) - 1
        self.kinds.append(t.END)
        self.texts.append("")
        self.lows = list(map(str.lower, self.texts))
        self.i = 0
        self.in_event = False

    def name(self, i: int, length: int) -> str:
        """The words as written, with single spaces."""
        return self.texts[i] if length == 1 else " ".join(self.texts[i : i + length])

    def span(self, i: int, length: int = 1) -> Span:
        """The characters of so many tokens."""
        start = self.starts[i]
        if length == 1:
            return start, start + len(self.texts[i])
        end = i + length - 1
        return start, self.starts[end] + len(self.texts[end])

    def found(self, i: int) -> tuple[str, Span]:
        """What stands at token `i`, in words, and where."""
        if self.kinds[i] == t.END:
            end = self.span(self.last)[1] if self.starts else 0
            return "the end of the statement", (end, end)
        start, end = self.span(i)
        match self.kinds[i]:
            case t.QUOTED:
                return "quoted text", (start, end)
            case t.UNCLOSED:
                return "a quotation mark that is never closed", (start, start + 1)
            case t.STRAY if self.texts[i] == "<":
                return "`<` that opens no absolute IRI", (start, end)
        return quoted(self.texts[i]), (start, end)

    def expected(self, what: str, advice: str = "", at: int | None = None) -> StatementError:
        """The error at a token, the present one unless told: what was expected there and what stands there."""
        found, (start, end) = self.found(self.i if at is None else at)
        return statement_error(self.text, start, end, f"expected {what}, found {found}{advice and f'; {advice}'}")

    def no_action(self, first: int, after_process: int) -> StatementError:
        """The error where an Action should be; also the word read as the Process may be one misspelt."""
        i = self.i
        if self.lows[i] == "not":
            return self.expected("an Action", "the deontic verbs are `May`, `May Not` and `Must`")
        spans = [(i, 1, 0.0), (i, 2, 0.0)]
        if after_process == i:
            spans.append((first, 1, _MISSPELT_ACTION))
        best, at = 0.0, i
        advice = ""
        for start, length, least in spans:
            if all(kind == t.WORD for kind in self.kinds[start : start + length]):
                near = nearest_action(self.name(start, length), self.grammar.names)
                if near is not None and near[1] > max(best, least):
                    best, at, advice = near[1], start, f"the nearest is `{near[0]}`"
        return self.expected("an Action", advice, at)

    def no_preposition(self) -> StatementError:
        """The error where a complement should begin or the statement go on."""
        i = self.i
        if self.kinds[i] == t.OPEN:
            return self.expected("`(Status=Model)` or `(Status=Final)`")
        advice = ""
        if self.kinds[i] == t.STATUS:
            advice = "a Status follows a word"
        elif self.texts[i] in t.STATUSES:
            advice = "a PA Status is the last word of a statement"
        elif self.kinds[i] == t.WORD:
            near = nearest_link(self.texts[i], _LINKS_IN_EVENT if self.in_event else _LINKS)
            advice = f"the nearest is `{near}`" if near else "quote free text"
        return self.expected(f"a preposition ({_PREPOSITIONS})", advice)
