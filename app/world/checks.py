"""Names in a world: classes and properties that no vocabulary declares, references to nothing or round in a ring,
identifiers used twice or not at all (SEMANTICS 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

import pyoxigraph as ox
from rapidfuzz import fuzz, process

from app.evaluate.wording import encode
from app.facts import DEPTH_LIMIT
from app.knowledge import local_name
from app.model import Term, Text
from app.rules import Domain
from app.vocab import IDENTIFIER, OWL, RDF, RDFS, SKOS, TYPE
from app.world.report import Result
from app.world.view import View, Walk
from app.world.world import narrower

_TYPE: Final = ox.NamedNode(TYPE)
_IDENTIFIER: Final = ox.NamedNode(IDENTIFIER)
_STANDARD: Final = (RDF, RDFS, OWL, SKOS)
"""Vocabularies that any world may use besides its packs."""


class Checks:
    """The checks of names for one Domain and one M-Instance; what it found of a term, it keeps."""

    def __init__(self, domain: Domain, base: str) -> None:
        self._knowledge = domain.knowledge
        self._vocabulary = domain.vocabulary
        self._namespaces = tuple({iri[: -len(local_name(iri))] for iri in domain.knowledge.classes if ":" in iri[2:]})
        self._base = base
        self._nested: dict[str, list[Walk]] = {}
        for walk in (narrower(p, domain) for p in sorted(domain.knowledge.hierarchical)):
            for p in walk:
                self._nested.setdefault(p.value, []).append(walk)
        self._term = lru_cache(maxsize=10_000)(self._term_fault)

    def check(self, node: ox.NamedNode, facts: Iterable[ox.Triple], view: View) -> Iterator[Result]:
        """What is wrong with the names in the facts of one node."""
        focus = view.shown(node.value)
        classes = identifiers = said = 0
        for triple in facts:
            said += 1
            p, o = triple.predicate, triple.object
            if p == _TYPE:
                classes += 1
                yield from self._of_term(focus, TYPE, view.terms.ours(o), "class")
                continue
            yield from self._of_term(focus, p.value, p.value, "property")
            if p == _IDENTIFIER and isinstance(o, ox.Literal):
                identifiers += 1
                yield from self._identifier(focus, node, o, view)
            elif isinstance(o, ox.NamedNode):
                yield from self._reference(focus, p.value, o, view)
                for walk in self._nested.get(p.value, ()):
                    yield from self._nesting(focus, p.value, o, walk, view)
        if said and not classes:
            hint = "say what it is, `a mmm:...`"
            yield Result(focus, TYPE, None, "untyped", "it has no class", hint)
        if said and identifiers != 1 and not focus.startswith("_:"):
            message = "it has no identifier" if not identifiers else f"it has {identifiers} identifiers"
            yield Result(focus, IDENTIFIER, None, "one_identifier", message, "an entity has exactly one")

    def _of_term(self, focus: str, path: str, term: Term, kind: str) -> Iterator[Result]:
        fault = self._term(term, kind) if isinstance(term, str) else (f"a literal is no {kind}", "")
        if fault is not None:
            message, hint = fault
            yield Result(focus, path, term, f"unknown_{kind}", message, hint)

    def _term_fault(self, iri: str, kind: str) -> tuple[str, str] | None:
        """Why a term cannot be used, and the nearest that can."""
        known = self._knowledge.classes if kind == "class" else self._knowledge.predicates
        if iri in known or iri.startswith(_STANDARD):
            return None
        names = {each: local_name(each) for each in known}
        nearest = process.extractOne(local_name(iri), names, scorer=fuzz.ratio, score_cutoff=60)
        hint = f"did you mean <{nearest[2]}>?" if nearest else ""
        if not nearest and self._knowledge.vocabulary.get(iri):
            hint = f"the packs declare it, but as no {kind}"
        return f"no pack of this world declares the {kind} <{iri}>", hint

    def _identifier(self, focus: str, node: ox.NamedNode, value: ox.Literal, view: View) -> Iterator[Result]:
        if not value.value.strip():
            yield Result(focus, IDENTIFIER, Text(value.value), "identifier", "its identifier is empty")
        iri = encode(self._base, value.value)
        if node.value.startswith(self._base) and node.value not in (self._base, iri):
            message = f"below the base, the entity of the identifier `{value.value}` is <{iri}>"
            yield Result(
                focus, IDENTIFIER, Text(value.value), "identifier", message, "or give it an IRI outside the base"
            )
        others = [view.shown(other.value) for other in view.having(_IDENTIFIER, value) if other != node]
        if others:
            message = f"`{value.value}` is the identifier of {others[0]}, too"
            yield Result(
                focus, IDENTIFIER, Text(value.value), "duplicate_identifier", message, "identifiers are unique"
            )

    def _reference(self, focus: str, path: str, target: ox.NamedNode, view: View) -> Iterator[Result]:
        iri = target.value
        inside = iri.startswith(self._base) or view.terms.is_blank(target)
        if iri in self._vocabulary or (not inside and path.startswith(_STANDARD)) or view.exists(target):
            return
        if not inside and iri.startswith(self._namespaces):
            named = {each: local_name(each) for each in self._vocabulary}
            nearest = process.extractOne(local_name(iri), named, scorer=fuzz.ratio, score_cutoff=60)
            hint = f"did you mean <{nearest[2]}>?" if nearest else ""
            yield Result(focus, path, iri, "unknown_term", f"no pack of this world declares <{iri}>", hint)
            return
        message = f"it refers to <{iri}>, of which nothing is said here"
        yield Result(focus, path, iri, "dangling_reference", message, "it may come later", is_warning=True)

    def _nesting(self, focus: str, path: str, within: ox.NamedNode, walk: Walk, view: View) -> Iterator[Result]:
        """What lies within itself has no outermost place: who may enter it could not be found."""
        value, deep = view.shown(within.value), view.depth(within, walk)
        if deep is None:
            message = "this leads back to itself" if value == focus else "this leads round in a ring"
            hint = "let one of them lie within no other"
            yield Result(focus, path, value, "within_itself", message, hint)
        elif deep >= DEPTH_LIMIT:
            message = f"it lies more than {DEPTH_LIMIT} deep"
            hint = "rules that walk so far fail, and nothing passes by them"
            yield Result(focus, path, value, "too_deep", message, hint, is_warning=True)
