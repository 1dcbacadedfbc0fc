"""Where a term stands in the text of an ontology: the tokens of Turtle, functional syntax and RDF/XML with their
lines and columns, found without parsing, since no parser keeps them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import urljoin

from app.vocab import TYPE

_TOKEN: Final = re.compile(
    r"""
    (?P<skip>\#[^\n]*|\s+)
  | (?P<text>\"{3}(?:\"{0,2}(?:[^"\\]|\\.))*\"{3,5}|'{3}(?:'{0,2}(?:[^'\\]|\\.))*'{3,5}
            |"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<prefix>(?:@prefix|PREFIX|Prefix\()\s*(?P<name>[^\s:<>()]*):\s*=?\s*<(?P<space>[^<>\s]*)>)
  | (?P<base>(?:@base|BASE)\s*<(?P<at>[^<>\s]*)>)
  | <(?P<iri>[^<>"{}|^`\\\s]*)>
  | (?P<curie>(?:[^\W_][\w.-]*)?:(?:[\w:%-]|\\.|\.(?=[\w:%\\.-]))*)
  | (?P<word>@?[^\W\d][\w-]*)
  | (?P<mark>[.;,()\[\]{}])
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_ENTITY: Final = re.compile(r"""<!ENTITY\s+([\w.-]+)\s+["']([^"']*)["']""")
_XMLNS: Final = re.compile(r"""xmlns(?::([\w.-]+))?\s*=\s*["']([^"']*)["']""")
_XML_BASE: Final = re.compile(r"""xml:base\s*=\s*["']([^"']*)["']""")
_XML_NAME: Final = re.compile(
    r"""\brdf:(?P<key>about|ID|resource|datatype)\s*=\s*["'](?P<value>[^"']*)["']|<(?P<element>[\w.-]+:[\w.-]+)"""
)


@dataclass(frozen=True, slots=True)
class Spot:
    """A term at a place; `first` where something is said of it there, `within` of what else something is said."""

    iri: str
    at: int
    first: bool
    within: str


class Places:
    """Every place of every IRI in a text."""

    def __init__(self, text: str, syntax: str, base: str = "") -> None:
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._spots: dict[str, list[Spot]] = {}
        spots = _in_xml(text, base) if syntax == "rdfxml" else _in_tokens(text, base)
        for spot in spots:
            self._spots.setdefault(spot.iri, []).append(spot)

    def of(self, iri: str, within: str = "") -> tuple[int, int]:
        """Line and column of a term: where it is used to say something of `within`; without that where something is
        said of it, else anywhere. 0, 0 where it stands nowhere.
        """
        spots = self._spots.get(iri, ())
        if within and within != iri:
            found = next((s for s in spots if s.within == within and not s.first), None)
        else:
            found = next((s for s in spots if s.first), next(iter(spots), None))
        return self.line(found.at) if found else (0, 0)

    def line(self, at: int) -> tuple[int, int]:
        """Line and column of a character, from 1."""
        line = bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1


def _in_tokens(text: str, base: str) -> Iterator[Spot]:
    """Turtle: what comes first in a statement is what it is about. Functional syntax: what is declared, and what
    comes first in an axiom, after the property of an annotation.
    """
    functional = re.search(r"^\s*Ontology\s*\(", text, re.MULTILINE) is not None
    prefixes: dict[str, str] = {}
    depth, subject, skipped, word, outer = 0, "", 0, "", ""
    for match in _TOKEN.finditer(text):
        if match.lastgroup in ("skip", "text"):
            continue
        if match["prefix"]:
            prefixes[match["name"]] = _absolute(base, match["space"])
        elif match["base"]:
            base = _absolute(base, match["at"])
        elif match["iri"] is not None or match["curie"] is not None:
            iri = _iri(match, prefixes, base)
            first = outer == "Declaration" if functional else depth == 0 and not subject
            if not subject and skipped == 0:
                subject = iri
            skipped = max(0, skipped - 1)
            yield Spot(iri, match.start(), first, "" if first else subject)
        elif match["word"]:
            outer, word = word, match["word"]
            if word == "a" and subject:
                yield Spot(TYPE, match.start(), False, subject)
        elif match["mark"]:
            mark = match["mark"]
            if functional and mark == "(" and depth == 1:  # an axiom begins
                subject, skipped = "", int(word == "AnnotationAssertion")
            elif mark in "[(" and depth == 0 and not subject:
                subject = "_:"
            depth = max(
                0, depth + (mark in "[({") - (mark in "])}")
            )  # the prefixes of functional syntax open nothing
            if mark == "." and depth == 0:
                subject = ""


def _iri(match: re.Match[str], prefixes: dict[str, str], base: str) -> str:
    if match["iri"] is not None:
        return _absolute(base, match["iri"])
    prefix, _, local = match["curie"].partition(":")
    return prefixes.get(prefix, f"{prefix}:") + re.sub(r"\\(.)", r"\1", local)


def _absolute(base: str, iri: str) -> str:
    """An IRI resolved against a base; an empty fragment is kept, since namespaces end in one."""
    if not base or re.match(r"[A-Za-z][\w+.-]*:", iri):
        return iri
    return urljoin(base, iri) + ("#" if iri.endswith("#") else "")


def _in_xml(text: str, base: str) -> Iterator[Spot]:
    """What stands in rdf:about, rdf:ID and rdf:resource, and the names of elements."""
    entities = dict(_ENTITY.findall(text))

    def expanded(value: str) -> str:
        return re.sub(r"&([\w.-]+);", lambda m: entities.get(m[1], m[0]), value)

    names = {prefix: expanded(iri) for prefix, iri in _XMLNS.findall(text)}
    if found := _XML_BASE.search(text):
        base = expanded(found[1])
    subject = ""
    for match in _XML_NAME.finditer(text):
        if match["element"]:
            prefix, _, local = match["element"].partition(":")
            yield Spot(names.get(prefix, "") + local, match.start("element"), False, subject)
            continue
        value = expanded(match["value"])
        iri = _absolute(base, f"#{value}" if match["key"] == "ID" else value)
        first = match["key"] in ("about", "ID")
        subject = iri if first else subject
        yield Spot(iri, match.start("value"), first, "" if first else subject)
