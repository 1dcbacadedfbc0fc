"""Process Action statements: text to values and back (MMM-TEC V2.2 Process Actions; the language is SEMANTICS 4).

    grammar   the names a parser knows, from data: Actions with their older names, labels of several words
    tokens    one compiled pattern cuts a text into words, quoted texts, IRIs and parentheses
    cursor    the tokens of one text, the place reached, the errors that point there
    reading   recursive descent; the docstring of each function is its production
    writing   the canonical text of a value: `parse(format(x)) == x`
    faults    what a StatementError says and how it points at the place

Punctuation: a comma between two characters of a word belongs to it (`UserA,i`), any other is dropped, as is one
final full stop. Any text gives a Statement or a StatementError, in time linear in its length.
"""

from app.statement.grammar import ActionForm, Grammar, third_person
from app.statement.reading import MAX_EVENT_DEPTH, parse
from app.statement.tokens import is_word
from app.statement.writing import format, format_action

__all__ = [
    "MAX_EVENT_DEPTH",
    "ActionForm",
    "Grammar",
    "format",
    "format_action",
    "is_word",
    "parse",
    "third_person",
]
