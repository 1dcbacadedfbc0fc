"""Why a fact holds in a World: the axioms and facts it rests on, as a tree; else what is nearest.

A World's facts are a layer over its packs' Knowledge (reasoner.extend). What is shown once is not unfolded again.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import pyoxigraph as ox
from rapidfuzz import fuzz, process

from app.errors import Code, Fault, MessageError
from app.knowledge import Knowledge, fold, local_name
from app.model import Term, Text, Triple, Typed
from app.reasoner import Closure, extend
from app.vocab import ALT_LABEL, IDENTIFIER, LABEL, OWL, PREFIXES, RDF, RDFS, SUB_CLASS, SUB_PROPERTY, TYPE
from app.world import to_rdf

THING, NOTHING, CLASS, SAME = (OWL + name for name in ("Thing", "Nothing", "Class", "sameAs"))
REFLEXIVE = {
    SAME: "eq-ref",
    SUB_CLASS: "scm-cls",
    SUB_PROPERTY: "scm-op",
    OWL + "equivalentClass": "scm-cls",
    OWL + "equivalentProperty": "scm-op",
}
"""What every term is to itself, and by which rule (reasoner/table.py)."""
_PROV = "http://www.w3.org/ns/prov#"
_DCTERMS = "http://purl.org/dc/terms/"
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_NEAREST = 5


@dataclass(frozen=True, slots=True)
class Proof:
    """A fact, the rule that infers it from its premises, or the source that states it.

    `again` marks a fact whose premises stand earlier in the tree.
    """

    fact: Triple
    rule: str = ""
    source: str = ""
    premises: tuple[Proof, ...] = ()
    again: bool = False


@dataclass(frozen=True)
class Scene:
    """What can be asked about: a World over its packs, with the names of all terms."""

    knowledge: Knowledge
    closure: Closure
    source: str

    @classmethod
    def of(cls, knowledge: Knowledge, world: Iterable[Triple], source: str) -> Scene:
        """A World's facts, told as of `source`, over its packs."""
        return cls(knowledge, extend(knowledge.closure, world), source)

    def facts(self) -> Iterator[Triple]:
        """Every fact, those of the World first."""
        yield from self.closure.facts
        if self.closure.base is not None:
            yield from self.closure.base.facts

    @cached_property
    def terms(self) -> frozenset[str]:
        """Every IRI that a fact names."""
        found = {term for fact in self.facts() for term in fact if isinstance(term, str)}
        return frozenset(term for term in found if not term.startswith("_:"))

    @cached_property
    def named(self) -> Mapping[str, frozenset[str]]:
        """Terms by identifier, label, local name or synonym: first as it is written, then folded."""
        names: dict[str, set[str]] = {}
        spelt = [(local_name(term), term) for term in self.terms]
        for s, p, o in self.facts():
            if p in {IDENTIFIER, LABEL, ALT_LABEL} and isinstance(o, Text) and s in self.terms:
                spelt.append((o.value, s))
        for name, term in spelt:
            names.setdefault(name, set()).add(term)
        for name, term in spelt:
            if fold(name) != name:
                names.setdefault(fold(name), set()).add(term)
        return {name: frozenset(found) for name, found in names.items()}

    @cached_property
    def identifiers(self) -> Mapping[str, str]:
        """The identifier of each entity of the World."""
        return {s: o.value for s, p, o in sorted(self.facts(), key=str) if p == IDENTIFIER and isinstance(o, Text)}

    @cached_property
    def _unnamed(self) -> Mapping[str, tuple[tuple[str, Term], ...]]:
        found: dict[str, list[tuple[str, Term]]] = {}
        for s, p, o in sorted(self.facts(), key=str):
            if s.startswith("_:") and p.startswith((OWL, RDF)) and p != TYPE:
                found.setdefault(s, []).append((p, o))
        return {s: tuple(facts) for s, facts in found.items()}

    def label(self, term: Term, depth: int = 0) -> str:
        """A term for readers: identifier, label or local name; what an unnamed node says; a literal's text."""
        if isinstance(term, str):
            if not term.startswith("_:"):
                return "a" if term == TYPE else self.identifiers.get(term) or self.knowledge.label(term)
            said = self._unnamed.get(term, ())
            if depth > 2 or not said:
                return "[…]"
            return f"[{'; '.join(f'{self.label(p)} {self.label(o, depth + 1)}' for p, o in said)}]"
        if isinstance(term, Text):
            return f'"{term.value}"'
        return f'"{term.lexical}"' if isinstance(term, Typed) else str(term)

    def said(self, fact: Triple) -> str:
        """A fact for readers."""
        return " ".join(map(self.label, fact))


def read_fact(text: str, scene: Scene) -> Triple:
    """`S P O` by label, identifier, prefixed name or IRI, a name of several words in quotes; `a` is rdf:type.

    Raises MessageError with a fault for each word that names nothing, or several terms.
    """
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    if len(words) != 3:
        hint = "quote a name of several words: 'Friend2 a \"M-Location\"'"
        fault = Fault(Code.WRONG_FORMAT, f"`{text}` is no fact: subject, predicate and object", hint=hint)
        raise MessageError(fault)
    faults: list[Fault] = []
    s, p = (_term(word, place, scene, faults) for place, word in enumerate(words[:2]))
    # of a property of data, the object is a value, whatever else is called so
    data = scene.closure.holds((str(p), TYPE, OWL + "DatatypeProperty"))
    o = (_literal(words[2]) or Text(words[2])) if data else _term(words[2], 2, scene, faults)
    if faults:
        raise MessageError(*faults)
    return str(s), str(p), o


def _term(word: str, place: int, scene: Scene, faults: list[Fault]) -> Term:
    if place == 1 and word == "a":
        return TYPE
    prefix, colon, rest = word.partition(":")
    prefixes = scene.knowledge.prefixes
    iri = prefixes[prefix] + rest if colon and prefix in prefixes else word.removeprefix("<").removesuffix(">")
    if iri in scene.terms or iri in {THING, NOTHING, *REFLEXIVE}:
        return iri
    found = scene.named.get(word) or scene.named.get(fold(word)) or frozenset()
    if place == 1:
        found &= scene.knowledge.predicates | {t for t in found if t.startswith((RDF, RDFS))}
    if len(found) == 1:
        return next(iter(found))
    where = ("subject", "predicate", "object")[place]
    if found:
        hint = f"one of {', '.join(f'`{each}`' for each in sorted(found))}"
        faults.append(Fault(Code.WRONG_VALUE, f"`{word}` names several terms", where, hint=hint))
        return word
    faults.append(Fault(Code.WRONG_VALUE, f"`{word}` names nothing here", where, hint=_nearest_name(word, scene)))
    return word


def _literal(word: str) -> Term | None:
    if _NUMBER.fullmatch(word):
        return Decimal(word)
    if word in {"true", "false"}:
        return Typed(word, PREFIXES["xsd"] + "boolean")
    return None


def _nearest_name(word: str, scene: Scene) -> str:
    near = process.extractOne(fold(word), list(scene.named), scorer=fuzz.ratio, score_cutoff=60)
    if near is None:
        return ""
    return f"nearest: {', '.join(f'`{scene.label(term)}`' for term in sorted(scene.named[near[0]]))}"


def prove(fact: Triple, scene: Scene) -> Proof | None:
    """Why a fact holds; None where it does not."""
    return _prove(fact, scene, set()) if scene.closure.holds(fact) else _understood(fact, scene)


def _understood(fact: Triple, scene: Scene) -> Proof | None:
    """Why a fact holds that the reasoner does not store: of a term and itself, owl:Thing or owl:Nothing."""
    s, p, o = fact
    if s == o and p in REFLEXIVE:
        return Proof(fact, REFLEXIVE[p])
    if p == SUB_CLASS and (o == THING or s == NOTHING):
        declared = (s if o == THING else str(o), TYPE, CLASS)
        return (
            Proof(fact, "scm-cls", premises=(_prove(declared, scene, set()),))
            if scene.closure.holds(declared)
            else None
        )
    if p == TYPE and o == THING:
        kinds = sorted(str(t[2]) for t in scene.facts() if t[:2] == (s, TYPE) and t[2] in scene.knowledge.classes)
        if kinds:
            below = _understood((kinds[0], SUB_CLASS, THING), scene)
            kind = _prove((s, TYPE, kinds[0]), scene, set())
            return Proof(fact, "cax-sco", premises=(below, kind)) if below else None
    return None


def _prove(fact: Triple, scene: Scene, shown: set[Triple]) -> Proof:
    derivation = scene.closure.derivation(fact)
    if derivation is None:
        return Proof(fact, source=scene.knowledge.origin.get(fact, scene.source))
    if fact in shown:
        return Proof(fact, derivation.rule, again=True)
    shown.add(fact)
    return Proof(fact, derivation.rule, premises=tuple(_prove(each, scene, shown) for each in derivation.premises))


def nearest(fact: Triple, scene: Scene) -> tuple[Triple, ...]:
    """Facts that hold and differ in one term: first in the object, else the subject, else the predicate."""
    s, p, o = fact
    known = sorted(set(scene.facts()), key=str)
    for alike in (
        [t for t in known if t[0] == s and t[1] == p],
        [t for t in known if t[1] == p and t[2] == o],
        [t for t in known if t[0] == s and t[2] == o],
    ):
        named = [t for t in alike if "_:" not in (t[0][:2], str(t[2])[:2])]
        if named:
            return tuple(named[:_NEAREST])
    return ()


def lines(proof: Proof, scene: Scene, indent: str = "", branch: str = "") -> Iterator[str]:
    """The tree for readers: a line a fact, with its rule or its source."""
    told = proof.source or f"by {proof.rule}{', as above' if proof.again else ''}"
    yield f"{indent}{branch}{scene.said(proof.fact)}   [{told}]"
    below = indent + {"": "", "├─ ": "│  ", "└─ ": "   "}[branch]
    for place, premise in enumerate(proof.premises, 1):
        yield from lines(premise, scene, below, "└─ " if place == len(proof.premises) else "├─ ")


def as_json(proof: Proof, scene: Scene) -> dict[str, Any]:
    """The tree as JSON; a term is an IRI, a blank node or a literal in N-Triples."""
    members: dict[str, Any] = {"fact": terms_of(proof.fact), "text": scene.said(proof.fact)}
    if proof.source:
        return {**members, "source": proof.source}
    members["rule"] = proof.rule
    if proof.again:
        return {**members, "again": True}
    return {**members, "premises": [as_json(each, scene) for each in proof.premises]}


def terms_of(fact: Triple) -> list[str]:
    """Subject, predicate and object in N-Triples."""
    return [str(to_rdf(term)) for term in fact]


def as_turtle(proof: Proof) -> str:
    """The tree as Turtle: each fact an rdf:Statement, derived from others by a rule, or with a source."""
    nodes: dict[Triple, ox.BlankNode] = {}
    triples: dict[ox.Triple, None] = {}

    def told(each: Proof) -> ox.BlankNode:
        node = nodes.setdefault(each.fact, ox.BlankNode(f"f{len(nodes)}"))
        said = [(RDF + "type", to_rdf(RDF + "Statement"))]
        said += [(RDF + n, to_rdf(t)) for n, t in zip(("subject", "predicate", "object"), each.fact, strict=True)]
        if each.source:
            said.append((_DCTERMS + "source", to_rdf(Text(each.source))))
        else:
            said.append((RDFS + "comment", to_rdf(Text(each.rule))))
        said += [(_PROV + "wasDerivedFrom", told(premise)) for premise in each.premises]
        triples.update(dict.fromkeys(ox.Triple(node, ox.NamedNode(p), o) for p, o in said))
        return node

    told(proof)
    prefixes = {**PREFIXES, "prov": _PROV, "dcterms": _DCTERMS}
    return (ox.serialize(triples, format=ox.RdfFormat.TURTLE, prefixes=prefixes) or b"").decode()
