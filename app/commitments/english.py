"""Form 3: controlled English over the vocabulary.

    sentence ::= naming | kinds | norm | claim                           one final full stop is dropped
    naming   ::= quoted ("means" | "is") name                            "bank" means River Bank
    kinds    ::= ("every" | "no") class "is" [article] class             no Teacher is a Student
    norm     ::= who [modal] deed
    who      ::= "no one" | "nobody" | "everyone" | "anyone" | ("no" | "every" | "any") class | thing
    modal    ::= "may" | "may not" | "must" | "must not" | "never" | "does not"
    deed     ::= "enter" place | action {complement}                     no one enters RoomID; as in statements
    claim    ::= thing "is" ["not"] (state | [article] class)             Door1 is closed; Alice is not a Teacher
               | thing "is" ["not"] ("in" | "at" | "on" | "inside") place Ball is in the Hall
               | thing "is" ("the same as" | "not" | "different from") thing
               | thing "has" ("no" | "at most one") property
               | thing ["is"] ["not" | "does not"] property object        Room is not within Hall
               | "the" property "of" thing "is" ["not"] object            the owner of Ball is Alice
    object   ::= thing | number | quoted | "true" | "false"               a value where the property takes one

A thing is an identifier, `<IRI>`, an individual of the vocabulary or a phrase agreed on; class, state and property
are labels or synonyms, inflected or not. Key words are read in any case. A sentence that fits a form but for one part
is read as text, and what is wrong with that part is pointed out.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Final, NamedTuple

from app.commitments.forms import Form, Meaning, Naming, Reading
from app.commitments.names import Scope
from app.commitments.norms import entering, norm_of
from app.errors import StatementError
from app.evaluate.agreed import ANYONE, STATE, Norm
from app.knowledge import fold
from app.model import Deontic, Term, Text, Triple, Typed
from app.statement import parse
from app.statement.faults import pointer
from app.vocab import AT, OWL, SUB_CLASS, TYPE, XSD

_TOKEN: Final = re.compile(r'"[^"]*"|“[^”]*”|<[^<>\s]+>|[^\s"“”<>]+')
_LONGEST: Final = 400  # characters of a sentence; what is longer is text
_MOST_WORDS: Final = 5  # of a property, and of a subject before it
_MEANS: Final = frozenset({"means", "is"})
_NOBODY: Final = frozenset({"nobody", "no-one"})
_ANYBODY: Final = frozenset({"everyone", "everybody", "anyone", "anybody"})
QUANTIFIERS: Final = _NOBODY | _ANYBODY | {"no", "every", "each", "any"}
"""How a sentence about all of some kind begins."""
_PLACES: Final = frozenset({"in", "at", "on", "inside"})
_AUXILIARIES: Final = ("", "is ", "has ")
_MODALS: Final = (
    (("may", "not"), Deontic.MAY_NOT),
    (("must", "not"), Deontic.MAY_NOT),
    (("does", "not"), Deontic.MAY_NOT),
    (("never",), Deontic.MAY_NOT),
    (("may",), Deontic.MAY),
    (("must",), Deontic.MUST),
)


class _Word(NamedTuple):
    text: str
    start: int
    end: int

    @property
    def low(self) -> str:
        return self.text.lower()


class _NearlyError(Exception):
    """A sentence of one of the forms but for the words `[at, to)`."""

    def __init__(self, at: int, to: int, message: str) -> None:
        self.at, self.to, self.message = at, to, message
        super().__init__(message)


def read_english(text: str, scope: Scope, node: str) -> Reading | None:
    """The reading of a sentence; None where it is of no form at all. `node` distinguishes its blank nodes."""
    if len(text) > _LONGEST or "\n" in text.strip():
        return None
    said = text.rstrip()
    said = said[:-1] if said.endswith(".") else said
    found = _Sentence([_Word(m[0], *m.span()) for m in _TOKEN.finditer(said)], said, scope, node)
    if len(found.words) < 2:
        return None
    try:
        for form in (found.naming, found.kinds, found.norm, found.owned, found.related, found.claim, found.denied):
            if (reading := form()) is not None:
                return reading
    except _NearlyError as error:
        start, end = found.words[error.at].start, found.words[error.to - 1].end
        return Reading(Form.TEXT, remark=f"it nearly is a sentence: {error.message}\n{pointer(text, start, end)}")
    return None


class _Sentence(NamedTuple):
    """The words of a sentence; each method reads one form, or gives None where it is another."""

    words: list[_Word]
    text: str
    scope: Scope
    node: str

    def naming(self) -> Reading | None:
        """quoted ("means" | "is") name."""
        first, second = self.words[0], self.words[1]
        if first.text[0] not in '"“' or second.low not in _MEANS or len(self.words) < 3:
            return None
        phrase = first.text[1:-1].strip()
        name = self.said(2, len(self.words))
        if not fold(phrase):
            raise _NearlyError(0, 1, "the phrase has no letters")
        if self.scope.known(self.scope.names.iri(phrase)):
            raise _NearlyError(0, 1, f"`{phrase}` is the name of something in the M-Instance already")
        term = self.scope.thing(name) or self.scope.kind(name)
        if term is None:
            raise _NearlyError(2, len(self.words), f"`{name}` names nothing here{self.scope.nearest(name)}")
        return Reading(Form.ENGLISH, Meaning(naming=Naming(phrase, fold(phrase), term)))

    def kinds(self) -> Reading | None:
        """("every" | "no") class "is" [article] class."""
        at = self.at("is")
        if self.words[0].low not in {"every", "each", "any", "no"} or at < 2 or at + 1 == len(self.words):
            return None
        narrow, wide = self.scope.kind(self.said(1, at)), self.scope.kind(self.said(at + 1, len(self.words)))
        if narrow is None and wide is None:
            return None
        if narrow is None or wide is None:
            start, end = (1, at) if narrow is None else (at + 1, len(self.words))
            raise _NearlyError(start, end, self.expected("a class", start, end, things=False))
        predicate = OWL + "disjointWith" if self.words[0].low == "no" else SUB_CLASS
        return self.facts((narrow, predicate, wide))

    def norm(self) -> Reading | None:
        """who [modal] deed."""
        found = self.who()
        if found is None:
            return None
        process, deontic, at = found
        if at >= len(self.words):
            return None
        if self.words[at].low in {"enter", "enters"} and at + 1 < len(self.words):
            name = self.said(at + 1, len(self.words))
            place = self.scope.thing(name) or self.scope.kind(name)
            if place is None:
                raise _NearlyError(at + 1, len(self.words), f"`{name}` names no place{self.scope.nearest(name)}")
            norms: tuple[Norm, ...] = entering(place, process, deontic, self.scope)
            return Reading(Form.ENGLISH, Meaning(norms=norms))
        return self.deed(process, deontic, at)

    def who(self) -> tuple[str, Deontic, int] | None:
        """The process, the deontic verb and where the deed begins."""
        low = [word.low for word in self.words]
        if low[:2] == ["no", "one"] or low[0] in _NOBODY:
            after = 2 if low[0] == "no" else 1
            modal, at = self.modal(after)
            return ANYONE, Deontic.MAY_NOT, at if modal in (None, Deontic.MAY) else after
        if low[0] in _ANYBODY:
            modal, at = self.modal(1)
            return (ANYONE, modal, at) if modal is not None else None
        at = next((i for i in range(1, len(low)) if self.modal(i)[0] is not None), 0)
        if low[0] in {"no", "every", "any"}:
            return self.who_of_class(low[0] == "no", at)
        if not at:
            return None
        modal, after = self.modal(at)
        name = self.said(0, at)
        process = self.scope.thing(name)
        if process is None:
            if after < len(low) and (low[after] == "enter" or self.acts(after)):
                raise _NearlyError(0, at, f"`{name}` names nothing here{self.scope.nearest(name)}")
            return None
        assert modal is not None
        return process, modal, after

    def who_of_class(self, none: bool, at: int) -> tuple[str, Deontic, int] | None:
        """("no" | "every" | "any") class; without a modal verb the deed follows the class."""
        deed = at or next((i for i in range(2, len(self.words)) if self.words[i].low == "enters" or self.acts(i)), 0)
        if not deed:
            return None
        process = self.scope.kind(self.said(1, deed))
        if process is None:
            raise _NearlyError(1, deed, self.expected("a class", 1, deed, things=False))
        modal, after = self.modal(at) if at else (None, deed)
        if none:
            return process, Deontic.MAY_NOT, after
        return (process, modal, after) if modal is not None else None

    def modal(self, at: int) -> tuple[Deontic | None, int]:
        """The modal verb at a place, and the place after it."""
        for said, deontic in _MODALS:
            if tuple(word.low for word in self.words[at : at + len(said)]) == said:
                return deontic, at + len(said)
        return None, at

    def acts(self, at: int) -> bool:
        """Whether the name of an Action begins there."""
        return self.words[at].low in self.scope.domain.grammar.forms

    def deed(self, process: str, deontic: Deontic, at: int) -> Reading | None:
        """action {complement}, as in statements."""
        rest = self.text[self.words[at].start :]
        try:
            statement = parse(f"{deontic} {rest}", self.scope.domain.grammar)
        except StatementError as error:
            if not self.acts(at):
                return None
            raise _NearlyError(at, len(self.words), error.faults[0].message) from error
        return norm_of(statement, self.scope, Form.ENGLISH, process)

    def owned(self) -> Reading | None:
        """ "the" property "of" thing "is" ["not"] object."""
        at, of = self.at("is"), self.at("of")
        if self.words[0].low != "the" or not 1 < of < at - 1 or at + 1 == len(self.words):
            return None
        found = self.scope.relation(self.said(1, of))
        if found is None:
            return None
        return self.about(of + 1, at, found, *self.negated(at + 1))

    def related(self) -> Reading | None:
        """thing ["is"] ["not" | "does not"] property object."""
        most = min(_MOST_WORDS, len(self.words) - 2)
        for subject in range(1, most + 1):
            at, negated = subject, False
            while at < len(self.words) and self.words[at].low in {"is", "not", "does"}:
                negated |= self.words[at].low == "not"
                at += 1
            for to in range(min(at + _MOST_WORDS, len(self.words) - 1), at, -1):
                found = self.property(subject, at, to)
                if found is not None and found != STATE and self.subject_ends(subject):
                    return self.about(0, subject, found, negated, to)
        return None

    def denied(self) -> Reading | None:
        """thing "does not" what is no property."""
        at = self.at("does")
        if at < 1 or at + 3 > len(self.words) or self.words[at + 1].low != "not":
            return None
        if self.scope.thing(self.said(0, at)) is None:
            return None
        raise _NearlyError(at + 2, at + 3, self.expected("a property", at + 2, at + 3, things=False))

    def property(self, subject: int, at: int, to: int) -> str | None:
        """The property that the words after a subject name, its `is` or `has` among them or not."""
        if at > subject and (found := self.scope.relation(self.said(subject, to))):
            return found
        name = self.said(at, to)
        return next(filter(None, (self.scope.relation(f"{auxiliary}{name}") for auxiliary in _AUXILIARIES)), None)

    def subject_ends(self, at: int) -> bool:
        """Whether what is before can be a thing: known, or one word."""
        return at == 1 or self.scope.thing(self.said(0, at)) is not None

    def about(self, start: int, end: int, predicate: str, negated: bool, at: int) -> Reading:
        """That a thing has, or has not, an object for a property."""
        if at >= len(self.words):
            raise _NearlyError(end, len(self.words), "nothing follows")
        subject = self.thing(start, end)
        value = self.object(predicate, at)
        return self.stated(subject, predicate, value, negated)

    def claim(self) -> Reading | None:
        """thing "is" ["not"] ..., or thing "has" ("no" | "at most one") property."""
        if (counted := self.counted()) is not None:
            return counted
        at = self.at("is")
        if not 0 < at < len(self.words) - 1:
            return None
        negated, rest = self.negated(at + 1)
        if rest >= len(self.words):
            return None
        low = [word.low for word in self.words[rest:]]
        if low[0] in _PLACES and len(low) > 1:
            return self.placed(at, rest + 1, negated)
        if low[:3] == ["the", "same", "as"] or low[:2] == ["different", "from"]:
            apart = negated is not (low[0] == "different")
            return self.identity(at, rest + (3 if low[0] == "the" else 2), apart)
        return self.described(at, rest, negated)

    def counted(self) -> Reading | None:
        """thing "has" ("no" | "at most one") property."""
        at = self.at("has")
        if at < 1:
            return None
        low = [word.low for word in self.words[at + 1 :]]
        most, after = (0, 1) if low[:1] == ["no"] else (1, 3) if low[:3] == ["at", "most", "one"] else (-1, 0)
        if most < 0 or len(low) <= after:
            return None
        to = at + 1 + after
        name = self.said(to, len(self.words))
        found = self.scope.relation(name) or self.scope.relation(f"has {name}")
        if found is None:
            raise _NearlyError(to, len(self.words), f"`{name}` names no property")
        node = f"_:{self.node}.0"
        return self.facts(
            (node, TYPE, OWL + "Restriction"),
            (node, OWL + "onProperty", found),
            (node, OWL + "maxCardinality", Decimal(most)),
            (self.thing(0, at), TYPE, node),
        )

    def placed(self, at: int, place: int, negated: bool) -> Reading | None:
        """thing "is" ["not"] ("in" | "at" | "on" | "inside") place."""
        found = self.scope.thing(self.said(place, len(self.words)))
        if found is None and self.scope.thing(self.said(0, at)) is None:
            return None
        return self.stated(self.thing(0, at), AT, self.thing(place, len(self.words)), negated)

    def identity(self, at: int, other: int, apart: bool) -> Reading | None:
        """thing "is" ("the same as" | "different from") thing."""
        if other >= len(self.words):
            return None
        predicate = OWL + ("differentFrom" if apart else "sameAs")
        return self.facts((self.thing(0, at), predicate, self.thing(other, len(self.words))))

    def described(self, at: int, rest: int, negated: bool) -> Reading | None:
        """thing "is" ["not"] (state | class | thing)."""
        name = self.said(rest, len(self.words))
        subject = self.scope.thing(self.said(0, at))
        state, kind = self.scope.state(name), self.scope.kind(name)
        other = self.scope.thing(name) if state is None and kind is None else None
        if state is None and kind is None and other is None:
            if subject is None:
                return None
            raise _NearlyError(
                rest, len(self.words), self.expected("a State, a class or a thing", rest, len(self.words))
            )
        if subject is None and at > _MOST_WORDS:
            return None
        subject = self.thing(0, at)
        if state is not None:
            return self.stated(subject, STATE, state, negated)
        if kind is not None and negated:
            node = f"_:{self.node}.0"
            return self.facts((node, OWL + "complementOf", kind), (subject, TYPE, node))
        if kind is not None:
            return self.facts((subject, TYPE, kind))
        assert other is not None
        return self.facts((subject, OWL + ("differentFrom" if negated else "sameAs"), other))

    def stated(self, subject: str, predicate: str, value: Term, negated: bool) -> Reading:
        """A fact, or a negative property assertion."""
        if not negated:
            return self.facts((subject, predicate, value))
        node = f"_:{self.node}.0"
        target = "targetIndividual" if isinstance(value, str) else "targetValue"
        return self.facts(
            (node, TYPE, OWL + "NegativePropertyAssertion"),
            (node, OWL + "sourceIndividual", subject),
            (node, OWL + "assertionProperty", predicate),
            (node, OWL + target, value),
        )

    def thing(self, at: int, to: int) -> str:
        """The entity that words name. Raises where they name none."""
        name = self.said(at, to)
        found = self.scope.thing(name)
        if found is None:
            raise _NearlyError(at, to, f"`{name}` names nothing here{self.scope.nearest(name)}")
        return found

    def object(self, predicate: str, at: int) -> Term:
        """A thing, or a value where the property takes one."""
        types = self.scope.domain.knowledge.vocabulary[predicate].out.get(TYPE, ())
        if OWL + "DatatypeProperty" not in types:
            return self.thing(at, len(self.words))
        said = self.said(at, len(self.words))
        if said.lower() in {"true", "false"}:
            return Typed(said.lower(), XSD + "boolean")
        if said[0] in '"“':
            return Text(said[1:-1])
        try:
            return Decimal(said)
        except InvalidOperation:
            message = f"`{said}` is no value: expected a number, a text in quotation marks, true or false"
            raise _NearlyError(at, len(self.words), message) from None

    def expected(self, what: str, at: int, to: int, *, things: bool = True) -> str:
        """What should stand there."""
        name = self.said(at, to)
        return f"expected {what}, but `{name}` is none{self.scope.nearest(name, things=things)}"

    def facts(self, *facts: Triple) -> Reading:
        """The reading that says these."""
        return Reading(Form.ENGLISH, Meaning(facts=facts))

    def negated(self, at: int) -> tuple[bool, int]:
        """Whether `not` stands there, and the place after it."""
        not_there = at < len(self.words) and self.words[at].low == "not"
        return not_there, at + not_there

    def at(self, key: str) -> int:
        """Where a key word first stands, -1 where it does not."""
        return next((i for i, word in enumerate(self.words) if word.low == key), -1)

    def said(self, at: int, to: int) -> str:
        """The words `[at, to)` as they were written."""
        return self.text[self.words[at].start : self.words[to - 1].end] if at < to else ""
