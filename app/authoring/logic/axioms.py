"""An ontology as RDF -> its axioms, each with the triples that say it and the place where it stands.

An axiom is one triple between what has a name, with the nodes without a name that spell out its ends; or a node that
is an axiom by itself (owl:AllDisjointClasses and the like). One over a list of members is taken apart into pairs, so
that the pair that matters can be told from the others. Annotations are no axioms, declarations are kept apart: what
is removed is never that a class is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Final

import pyoxigraph as ox

from app.authoring.logic.places import Node, Term, placed_triples
from app.errors import Code, Fault, PackError
from app.knowledge import from_rdf
from app.model import Triple
from app.vocab import LABEL, OWL, RDF, RDFS, SUB_CLASS, TYPE, XSD

MOST_PAIRS: Final = 1_000
"""Pairs that one axiom over a list is taken apart into; a longer one stays whole."""

_TYPE: Final = ox.NamedNode(TYPE)
FIRST, REST, NIL = (RDF + name for name in ("first", "rest", "nil"))

DECLARED: Final = {
    OWL + "Class",
    OWL + "ObjectProperty",
    OWL + "DatatypeProperty",
    OWL + "AnnotationProperty",
    OWL + "NamedIndividual",
    OWL + "Ontology",
    OWL + "OntologyProperty",
    OWL + "DeprecatedClass",
    OWL + "DeprecatedProperty",
    RDFS + "Datatype",
    RDFS + "Class",
    RDF + "Property",
}
"""Types that declare a term and say nothing else of it."""

Outgoing = Mapping[object, list[ox.Triple]]
"""Triples by their subjects."""

STRUCTURE: Final = {
    FIRST,
    REST,
    *(
        OWL + name
        for name in ("onProperty", "onProperties", "someValuesFrom", "allValuesFrom", "hasValue", "hasSelf")
    ),
    *(OWL + name for name in ("onClass", "onDataRange", "minCardinality", "maxCardinality", "cardinality")),
    *(OWL + name for name in ("minQualifiedCardinality", "maxQualifiedCardinality", "qualifiedCardinality")),
    *(OWL + name for name in ("unionOf", "intersectionOf", "complementOf", "oneOf", "datatypeComplementOf")),
    *(OWL + name for name in ("onDatatype", "withRestrictions", "inverseOf")),
}
"""What a node without a name is made of where it is an expression or a list."""

_SYNTAX_TYPES: Final = {OWL + name for name in ("Restriction", "Class", "DataRange")} | {
    RDFS + "Datatype",
    RDF + "List",
}

_MEMBERS: Final = {OWL + "members", OWL + "distinctMembers"}
_PAIRWISE: Final = {
    OWL + "AllDisjointClasses": OWL + "disjointWith",
    OWL + "AllDisjointProperties": OWL + "propertyDisjointWith",
    OWL + "AllDifferent": OWL + "differentFrom",
}
NEGATIVE: Final = OWL + "NegativePropertyAssertion"
_REIFIED: Final = {OWL + "Axiom", OWL + "Annotation"}

PROPERTY_KINDS: Final = (
    *(OWL + f"{name}Property" for name in ("Object", "Datatype", "Functional", "InverseFunctional", "Transitive")),
    *(OWL + f"{name}Property" for name in ("Symmetric", "Asymmetric", "Reflexive", "Irreflexive")),
)
"""What makes the statements of a property assertions."""

LOGICAL: Final = {
    SUB_CLASS,
    *(RDFS + name for name in ("subPropertyOf", "domain", "range")),
    *(OWL + name for name in ("equivalentClass", "disjointWith", "disjointUnionOf", "equivalentProperty")),
    *(OWL + name for name in ("propertyDisjointWith", "inverseOf", "propertyChainAxiom", "hasKey", "sameAs")),
    *(OWL + name for name in ("differentFrom", "complementOf", "unionOf", "intersectionOf", "oneOf")),
}
"""Predicates of axioms, beside rdf:type and the properties that the ontology declares."""

_OLD_FORMS: Final = {OWL + name for name in ("complementOf", "unionOf", "intersectionOf", "oneOf")}
"""Said of a class with a name, they are an equivalence (OWL 2 Mapping to RDF, 3.2.5)."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file of an ontology and its triples; `base` is what its relative IRIs stand on. `text` is what is read in
    the place of the file.
    """

    file: Path
    triples: tuple[ox.Triple, ...]
    base: str = ""
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Axiom:
    """One axiom: the triples that say it, the first of them its root; as it is written, where it was taken apart."""

    triples: tuple[ox.Triple, ...]
    written: tuple[ox.Triple, ...]
    file: Path | None = None

    @property
    def root(self) -> ox.Triple:
        """What says it, but for nodes without a name."""
        return self.triples[0]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an axiom stands: line and column from 1, 0 where unknown."""

    file: Path | None
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else str(self.file or "")


@dataclass(frozen=True)
class Theory:
    """The axioms of some files, and the declarations of what they are about."""

    sources: tuple[Source, ...]

    @cached_property
    def axioms(self) -> tuple[Axiom, ...]:
        """Every axiom, in the order of the files."""
        return tuple(axiom for source in self.sources for axiom in _axioms(source, self.properties))

    @cached_property
    def declarations(self) -> tuple[ox.Triple, ...]:
        """That a term is a class, a property, an individual or a datatype."""
        found = (t for source in self.sources for t in source.triples if _is_declaration(t))
        both = {ox.Triple(t.subject, _TYPE, ox.NamedNode(OWL + "Class")): None for t in self._of(RDFS + "Class")}
        return tuple({**dict.fromkeys(found), **both})

    @cached_property
    def properties(self) -> frozenset[str]:
        """The properties whose statements are assertions, by IRI."""
        return frozenset(iri(t.subject) for kind in PROPERTY_KINDS for t in self._of(kind))

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """English labels, or those without a language."""
        return {
            iri(t.subject): t.object.value
            for source in self.sources
            for t in source.triples
            if t.predicate.value == LABEL
            and isinstance(t.object, ox.Literal)
            and (t.object.language or "en").startswith("en")
        }

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """Every class that has a name, by IRI."""
        found = {iri(t.subject) for t in self.declarations if iri(t.object) == OWL + "Class"}
        return tuple(sorted(iri for iri in found if not iri.startswith(OWL)))

    def triples(self, axioms: Iterable[Axiom] | None = None) -> tuple[ox.Triple, ...]:
        """The declarations, and what says all axioms or some of them."""
        said = (t for axiom in (self.axioms if axioms is None else axioms) for t in axiom.triples)
        return tuple(dict.fromkeys((*self.declarations, *said)))

    def place(self, axiom: Axiom) -> Place:
        """Where an axiom stands."""
        at = self._places(axiom.file).get(_key(axiom.written[0], outgoing(axiom.written)))
        return Place(axiom.file, *at) if at else Place(axiom.file)

    def _of(self, kind: str) -> Iterator[ox.Triple]:
        return (
            t
            for source in self.sources
            for t in source.triples
            if t.predicate == _TYPE and iri(t.object) == kind and isinstance(t.subject, ox.NamedNode)
        )

    @cached_property
    def _read(self) -> dict[Path | None, dict[object, tuple[int, int]]]:
        return {}

    def _places(self, file: Path | None) -> dict[object, tuple[int, int]]:
        """Line and column of each axiom of a file that is Turtle; read when first a place is wanted."""
        if file not in self._read:
            found: dict[object, tuple[int, int]] = {}
            source = next((each for each in self.sources if each.file == file), None)
            if source and file and file.suffix == ".ttl" and (source.text is not None or file.is_file()):
                text = source.text if source.text is not None else file.read_text(encoding="utf-8")
                placed = list(placed_triples(text, source.base))
                out = outgoing(each.triple for each in placed)
                for each in placed:
                    if each.triple.predicate.value not in STRUCTURE or isinstance(each.triple.subject, ox.NamedNode):
                        found.setdefault(_key(each.triple, out), (each.line, each.column))
            self._read[file] = found
        return self._read[file]


def read_source(file: Path, text: str | None = None, base: str = "") -> Source:
    """A file of an ontology: Turtle, N-Triples or, by its suffix, RDF/XML. Raises PackError with file and line."""
    form = {".ttl": ox.RdfFormat.TURTLE, ".nt": ox.RdfFormat.N_TRIPLES}.get(file.suffix, ox.RdfFormat.RDF_XML)
    try:
        said = text if text is not None else file.read_text(encoding="utf-8")
        quads = ox.parse(said, format=form, base_iri=base or None, rename_blank_nodes=True)
        return Source(file, tuple(quad.triple for quad in quads), base, text)
    except SyntaxError as error:
        where = f"{file}:{error.lineno or 0}"
        raise PackError(Fault(Code.PACK_UNREADABLE, f"no {form.name}: {error.msg}", where)) from error
    except (OSError, ValueError) as error:
        raise PackError(Fault(Code.PACK_UNREADABLE, f"the file cannot be read: {error}", str(file))) from error


def iri(term: object) -> str:
    """The IRI of a term, nothing of one that has none."""
    return term.value if isinstance(term, ox.NamedNode) else ""


def outgoing(triples: Iterable[ox.Triple]) -> Outgoing:
    """Triples by their subjects."""
    out: dict[object, list[ox.Triple]] = {}
    for t in triples:
        out.setdefault(t.subject, []).append(t)
    return out


def as_facts(triples: Iterable[ox.Triple]) -> Iterator[Triple]:
    """The triples as our reasoner reads them."""
    for t in triples:
        yield (str(from_rdf(t.subject)), str(from_rdf(t.predicate)), from_rdf(t.object))


def members(node: object, out: Outgoing) -> list[Term]:
    """The members of a list."""
    found: list[Term] = []
    seen: set[object] = set()
    while isinstance(node, Node) and node.value != NIL and node not in seen:
        seen.add(node)
        cell = {t.predicate.value: t.object for t in out.get(node, ())}
        if FIRST not in cell:
            break
        member = cell[FIRST]
        if not isinstance(member, ox.Triple):
            found.append(member)
        node = cell.get(REST)
    return found


def _is_declaration(t: ox.Triple) -> bool:
    named = isinstance(t.subject, ox.NamedNode) and isinstance(t.object, ox.NamedNode)
    return named and t.predicate == _TYPE and iri(t.object) in DECLARED


def _axioms(source: Source, properties: frozenset[str]) -> Iterator[Axiom]:
    out = outgoing(source.triples)
    syntax: set[object] = {node for node, said in out.items() if isinstance(node, ox.BlankNode) and _is_syntax(said)}
    for node, said in out.items():
        kinds = {iri(t.object) for t in said if t.predicate == _TYPE}
        if kinds & _REIFIED:
            continue
        by_itself = kinds & (_PAIRWISE.keys() | {NEGATIVE})
        if by_itself:
            yield from _axiom_node(by_itself.pop(), node, out, syntax, source.file)
            continue
        for t in said:
            if _is_root(t, node in syntax, properties):
                yield from _plain(t, out, syntax, source.file)


def _is_syntax(said: list[ox.Triple]) -> bool:
    return any(
        t.predicate.value in STRUCTURE or (t.predicate == _TYPE and iri(t.object) in _SYNTAX_TYPES) for t in said
    )


def _is_of_axiom(t: ox.Triple) -> bool:
    return t.predicate == _TYPE and iri(t.object) in {*_PAIRWISE, NEGATIVE}


def _is_root(t: ox.Triple, is_syntax: bool, properties: frozenset[str]) -> bool:
    p = t.predicate.value
    if is_syntax:
        return p in LOGICAL and p not in STRUCTURE
    if p == TYPE:
        return not _is_declaration(t) and iri(t.object) not in _SYNTAX_TYPES
    return p in LOGICAL or (p in properties and not p.startswith((OWL, RDFS)))


def _plain(t: ox.Triple, out: Outgoing, syntax: set[object], file: Path) -> Iterator[Axiom]:
    ends = (*_spelt(t.subject, out, syntax), *_spelt(t.object, out, syntax))
    written = tuple(dict.fromkeys((t, *ends)))
    if t.predicate.value == OWL + "disjointWith" and t.subject == t.object:
        # OWL 2 has no such axiom, and this is what it would say
        nothing = ox.Triple(t.subject, ox.NamedNode(SUB_CLASS), ox.NamedNode(OWL + "Nothing"))
        yield Axiom((nothing,), written, file)
        return
    if t.predicate.value not in _OLD_FORMS:
        yield Axiom(written, written, file)
        return
    node = ox.BlankNode()
    root = ox.Triple(t.subject, ox.NamedNode(OWL + "equivalentClass"), node)
    kind = ox.Triple(node, _TYPE, ox.NamedNode(OWL + "Class"))
    yield Axiom((root, kind, ox.Triple(node, t.predicate, t.object), *written[1:]), written, file)


def _axiom_node(kind: str, node: object, out: Outgoing, syntax: set[object], file: Path) -> Iterator[Axiom]:
    own = [t for t in out[node] if t.predicate.value != TYPE or iri(t.object) == kind]
    own.sort(key=lambda t: t.predicate != _TYPE)
    written = tuple(dict.fromkeys((*own, *(each for t in own for each in _spelt(t.object, out, syntax)))))
    listed = next((t.object for t in own if t.predicate.value in _MEMBERS), None)
    pairs = list(combinations(members(listed, out), 2)) if listed is not None else []
    if kind not in _PAIRWISE or not 0 < len(pairs) <= MOST_PAIRS:
        yield Axiom(written, written, file)
        return
    predicate = ox.NamedNode(_PAIRWISE[kind])
    for one, other in pairs:
        if isinstance(one, Node):
            root = ox.Triple(one, predicate, other)
            yield Axiom((root, *_spelt(one, out, syntax), *_spelt(other, out, syntax)), written, file)


def _spelt(node: object, out: Outgoing, syntax: set[object]) -> Iterator[ox.Triple]:
    """What spells out an expression or a list, and what it is made of; a thing without a name is neither."""
    pending = [node] if node in syntax else []
    seen: set[object] = set()
    while pending:
        current = pending.pop()
        if not isinstance(current, ox.BlankNode) or current in seen:
            continue
        seen.add(current)
        for t in out.get(current, ()):
            # a facet stands in a node of its own within a list
            if t.predicate.value in STRUCTURE or t.predicate == _TYPE or current not in syntax:
                yield t
                pending.append(t.object)


def _key(t: ox.Triple, out: Outgoing) -> object:
    """An axiom as a value without the names of its blank nodes."""
    return (_value(t.subject, out, 0), t.predicate.value, _value(t.object, out, 0))


def _value(term: object, out: Outgoing, depth: int) -> object:
    if isinstance(term, ox.NamedNode):
        return term.value
    if isinstance(term, ox.Literal):
        return (term.value, term.language, term.datatype.value)
    said = out.get(term, []) if depth < 100 else []
    if not _is_syntax(said) and not any(_is_of_axiom(t) or t.predicate.value.startswith(XSD) for t in said):
        return "_:"  # a thing without a name
    logical = (t for t in said if t.predicate.value not in LOGICAL - STRUCTURE)
    return frozenset((t.predicate.value, _value(t.object, out, depth + 1)) for t in logical)
