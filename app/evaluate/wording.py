"""How terms and findings are said: identifiers for entities, labels for terms of the vocabulary (SEMANTICS 1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from functools import lru_cache, reduce
from urllib.parse import quote, unquote

from app.evaluate.phrases import PHRASES
from app.facts import Facts
from app.knowledge import Knowledge, fold
from app.model import Iri, Term, Text, Typed, Word
from app.rules.syntax import Exists, Filter, Match, Node, Pattern, Union, Var
from app.statement import is_word
from app.vocab import TYPE, mmm

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_PARTS = {mmm("complement" + p): p for p in ("Nil", "At", "From", "To", "With", "Of")}
_UNRESERVED = "-._~"
_PLAIN = re.compile(r"[A-Za-z0-9._~-]+").fullmatch


@lru_cache(maxsize=65_536)
def encode(base: str, identifier: str) -> str:
    """Base and identifier as one IRI: UTF-8, percent-encoded but for RFC 3986's unreserved characters."""
    return base + (identifier if _PLAIN(identifier) else quote(identifier, safe=_UNRESERVED))


class Names:
    """Identifiers <-> IRIs of one M-Instance, and how each term is said in `language`. `own_iris` are the IRIs of
    entities whose operator chose another than the base and the identifier, by identifier; `phrases` are those of
    terms for which a dialogue agreed on a phrase, by folded phrase.
    """

    def __init__(
        self,
        base: str,
        knowledge: Knowledge,
        own_iris: Mapping[str, str] | None = None,
        phrases: Mapping[str, str] | None = None,
        language: str = "en",
    ) -> None:
        self.base = base
        self.language = language
        self._said = PHRASES.get(language, PHRASES["en"])
        self._phrases = phrases or {}
        self._knowledge = knowledge
        self._own_iris = own_iris or {}
        self._own_names = {iri: identifier for identifier, iri in self._own_iris.items()}

    def with_phrases(self, phrases: Mapping[str, str]) -> Names:
        """The same for a dialogue that agreed on what some phrases mean."""
        return Names(self.base, self._knowledge, self._own_iris, phrases, self.language) if phrases else self

    def in_language(self, language: str) -> Names:
        """The same, said in a language; what has no word there is said in English."""
        if language == self.language:
            return self
        return Names(self.base, self._knowledge, self._own_iris, self._phrases, language)

    def say(self, phrase: str, **values: object) -> str:
        """A sentence of PHRASES with its places filled."""
        return self._said[phrase].format(**values)

    def listing(self, names: Iterable[str], joint: str = "or") -> str:
        """Some names, two by two in words, as a Reason lists them."""
        return reduce(lambda one, other: self.say(joint, one=one, other=other), names) if (names := [*names]) else ""

    def phrase(self, text: str) -> str | None:
        """The IRI of what the dialogue means by a text, if it agreed on that."""
        return self._phrases.get(fold(text)) if self._phrases else None

    def iri(self, identifier: str) -> str:
        """The IRI an identifier, or a phrase agreed on, has here, whether or not anything has it."""
        if (agreed := self.phrase(identifier)) is not None:
            return agreed
        if identifier in self._own_iris:
            return self._own_iris[identifier]
        return encode(self.base, identifier)

    def name(self, term: Term, facts: Facts | None = None) -> str:
        """A term for a reader: identifier, label, text or number."""
        if not isinstance(term, str):
            return _literal(term)
        if term in self._own_names:
            return self._own_names[term]
        if term.startswith(self.base) and len(term) > len(self.base):
            encoded = term[len(self.base) :]
            return unquote(encoded) if "%" in encoded else encoded
        if term.startswith("_:"):
            return self._node(term, facts) if facts is not None else "a node"
        return self._knowledge.label(term, self.language)

    def written(self, term: Term) -> str:
        """A term as a statement may name it."""
        name = self._as_read(term)
        if isinstance(term, str) and not is_word(name):
            return f"<{term}>"
        return name if isinstance(term, str) else f'"{name}"'

    def object(self, term: str) -> Word | Iri:
        """The same as an object of a statement."""
        name = self._as_read(term)
        return Word(name) if is_word(name) else Iri(term)

    def _as_read(self, term: Term) -> str:
        """A term as statements are read, whatever the language of the answer."""
        return self.in_language("en").name(term)

    def inside(self, iri: str) -> bool:
        """Whether an IRI can be one of this M-Instance's entities."""
        return (iri.startswith(self.base) and iri != self.base) or iri in self._own_names

    def kinds(self, classes: tuple[str, ...]) -> str:
        """What a complement takes, as words."""
        label = self._knowledge.label
        said = (self.say(c) if c in ("text", "number") else label(c, self.language) for c in classes)
        return self.listing(said)

    def class_of(self, entity: str, facts: Facts) -> str:
        """The most specific class of an entity, by label."""
        found = [c for c in facts.objects(entity, TYPE) if isinstance(c, str)]
        narrow = [c for c in found if not any(c != d and self._knowledge.is_a(d, c) for d in found)]
        return self.listing((self._knowledge.label(c, self.language) for c in narrow), "and")

    def _node(self, node: str, facts: Facts) -> str:
        """A Process Action without identifier, by what it says."""
        words = [self.name(action) for action in facts.objects(node, mmm("action"))]
        for predicate, preposition in _PARTS.items():
            for part in facts.objects(node, predicate):
                words += ([] if preposition == "Nil" else [preposition]) + [self.name(part)]
        return " ".join(words) or "a node"


def fill(template: str, values: Mapping[str, str]) -> str:
    """A template with its `{placeholders}` replaced; one without a value stays readable as `?`."""
    texts, wanted = _parts(template)
    return "".join(
        [
            part
            for text, name in zip(texts, wanted, strict=True)
            for part in (text, values.get(name, "?") if name else "")
        ]
    )


def placeholders(template: str) -> frozenset[str]:
    """The names a template wants."""
    return frozenset(_PLACEHOLDER.findall(template))


@lru_cache(maxsize=4096)
def _parts(template: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The texts of a template and the name after each; templates come from files, so they are few."""
    cut = _PLACEHOLDER.split(template)
    return tuple(cut[::2]), (*cut[1::2], "")


def say(template: str, terms: Mapping[str, Term], names: Names, facts: Facts, action: str = "") -> str:
    """A template filled with terms as they are said; `{action}` is the Action's name."""
    texts, wanted = _parts(template)
    said: list[str] = []
    for text, name in zip(texts, wanted, strict=True):
        said.append(text)
        if name:
            term = terms.get(name)
            said.append(action if name == "action" else "?" if term is None else names.name(term, facts))
    return "".join(said)


def _literal(term: Text | Decimal | datetime | Typed) -> str:
    if isinstance(term, Text):
        return term.value
    if isinstance(term, Decimal):
        return f"{term:f}"
    if isinstance(term, datetime):
        return term.isoformat().replace("+00:00", "Z")
    return term.lexical


def missing_text(pattern: Pattern, values: Mapping[str, Term], names: Names) -> str:
    """A negated pattern under the bindings of a finding: the facts that would have to be there."""
    return " and ".join(_said(element, values, names) for element in pattern.elements)


def _said(element: object, values: Mapping[str, Term], names: Names) -> str:
    if isinstance(element, Match):
        links = ("|" if element.path.alternative else "/").join(
            ("^" if link.inverse else "")
            + names.name(link.predicate)
            + {0: "*", 1: "+"}.get(-1 if link.least is None else link.least, "")
            for link in element.path.links
        )
        return f"{_node(element.s, values, names)} {links} {_node(element.o, values, names)}"
    if isinstance(element, Union):
        return "(" + " or ".join(missing_text(branch, values, names) for branch in element.branches) + ")"
    if isinstance(element, Exists):
        return f"{'no ' if element.negated else ''}({missing_text(element.pattern, values, names)})"
    return "a condition" if isinstance(element, Filter) else "a value"


def _node(node: Node, values: Mapping[str, Term], names: Names) -> str:
    if isinstance(node, Var):
        value = values.get(node.name)
        return f"?{node.name}" if value is None else f"`{names.name(value)}`"
    return f"`{names.name(node.term)}`"
