"""Profiles: is the ontology in OWL 2 DL, which reasoners can decide, and in OWL 2 RL, which serving infers by.

Each axiom is looked at by itself, with the declarations of what it names and, where that matters, with the axioms on
properties; so each violation has its axiom and its place. py-horned-owl knows the grammars (W3C OWL 2 Profiles, 4.2;
OWL 2 Structural Specification, 5.8 and 11); what it passes over is looked for here.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyoxigraph as ox

from app.authoring.check.logic import sources_of
from app.authoring.logic.axioms import FIRST, Axiom, Place, Source, Theory, iri, members, outgoing
from app.authoring.logic.justify import SUPPOSED
from app.authoring.logic.reasoners import INSTALL
from app.authoring.logic.wording import labels_of, said
from app.authoring.problems import Check, Problem, Severity, Step
from app.edition import Edition
from app.errors import PackError
from app.knowledge import local_name
from app.vocab import OWL, RDF, RDFS, TYPE, XSD

if TYPE_CHECKING:
    from pyhornedowl.profile import Violation

UNDECLARED: Final = Check(
    "dl_undeclared",
    Severity.ERROR,
    "a term is used as what it is not declared to be",
    "OWL 2 DL reads no axiom with it, so a reasoner passes over what is said",
)
PUNNING: Final = Check(
    "dl_punning",
    Severity.ERROR,
    "a term is declared to be two things that OWL 2 DL keeps apart",
    "which of them an axiom means could not be told",
)
RESERVED: Final = Check(
    "dl_reserved",
    Severity.ERROR,
    "a term of the vocabulary of OWL, RDF or XML Schema is used as one of the ontology's own",
    "these words have a meaning that no ontology changes",
)
NOT_SIMPLE: Final = Check(
    "dl_not_simple",
    Severity.ERROR,
    "a property that follows from chains is counted, or said to be disjoint, asymmetric and the like",
    "with that reasoning is undecidable, so reasoners refuse the ontology",
)
IRREGULAR: Final = Check(
    "dl_irregular",
    Severity.ERROR,
    "property chains depend on each other in a circle",
    "with that reasoning is undecidable, so reasoners refuse the ontology",
)
NO_AXIOM: Final = Check(
    "dl_no_axiom",
    Severity.ERROR,
    "triples that make up no axiom of OWL 2",
    "every reasoner passes over them, or reads something else",
)
OTHER: Final = Check(
    "dl_violation",
    Severity.ERROR,
    "an axiom is outside OWL 2 DL",
    "reasoners for OWL 2 DL refuse it or pass over it",
)
BEYOND_RL: Final = Check(
    "beyond_owl_rl",
    Severity.WARNING,
    "an axiom is outside OWL 2 RL",
    "the rules by which serving infers do not use all of it, so an answer may lack what it implies",
)
CHECKS: Final = (UNDECLARED, PUNNING, RESERVED, NOT_SIMPLE, IRREGULAR, NO_AXIOM, OTHER, BEYOND_RL)

_APART: Final = (
    ({OWL + "Class", RDFS + "Datatype"}, "class and datatype"),
    ({OWL + "ObjectProperty", OWL + "DatatypeProperty"}, "object and datatype property"),
    ({OWL + "ObjectProperty", OWL + "AnnotationProperty"}, "object and annotation property"),
    ({OWL + "DatatypeProperty", OWL + "AnnotationProperty"}, "datatype and annotation property"),
)
"""OWL 2 Structural Specification, 5.8.1."""

_KINDS: Final = {
    "UseOfUndeclaredClass": "class",
    "UseOfUndeclaredObjectProperty": "object property",
    "UseOfUndeclaredDataProperty": "datatype property",
    "UseOfUndeclaredAnnotationProperty": "annotation property",
    "UseOfUndeclaredDatatype": "datatype",
}
_ABOUT_PROPERTIES: Final = {
    RDFS + "subPropertyOf",
    *(OWL + name for name in ("equivalentProperty", "inverseOf", "propertyChainAxiom")),
}
_BY_CHAINS: Final = {OWL + "TransitiveProperty", OWL + "SymmetricProperty"}
_OWN: Final = (OWL, RDF, RDFS, XSD)
_ANNOTATIONS: Final = {
    *(RDFS + name for name in ("label", "comment", "seeAlso", "isDefinedBy")),
    *(OWL + name for name in ("versionInfo", "deprecated", "priorVersion", "backwardCompatibleWith")),
    *(OWL + name for name in ("incompatibleWith", "versionIRI", "imports")),
}
_NO_RL_DATATYPES: Final = {OWL + "real", OWL + "rational"}

LOST: Final = {
    "super ObjectSomeValuesFrom": "that there is such a thing is not inferred",
    "super DataSomeValuesFrom": "that there is such a value is not inferred",
    "super ObjectMinCardinality": "that there are so many is not inferred",
    "super DataMinCardinality": "that there are so many values is not inferred",
    "super ObjectExactCardinality": "that there are so many is not inferred, nor that there are no more",
    "super DataExactCardinality": "that there are so many values is not inferred, nor that there are no more",
    "super ObjectMaxCardinality": "of a number above 1 nothing is inferred",
    "super DataMaxCardinality": "of a number above 1 nothing is inferred",
    "super ObjectUnionOf": "reasoning by cases is not done",
    "super ObjectOneOf": "that it is one of these is not inferred",
    "super ObjectHasSelf": "that it is so related to itself is not inferred",
    "super DataOneOf": "values outside the list contradict nothing",
    "sub ObjectAllValuesFrom": "nothing is ever inferred to be in it",
    "sub DataAllValuesFrom": "nothing is ever inferred to be in it",
    "sub ObjectComplementOf": "nothing is ever inferred to be in it",
    "sub ObjectMinCardinality": "what has so many is not inferred to be in it",
    "sub ObjectMaxCardinality": "nothing is ever inferred to be in it",
    "sub ObjectExactCardinality": "nothing is ever inferred to be in it",
    "sub DataMinCardinality": "what has so many is not inferred to be in it",
    "sub DataMaxCardinality": "nothing is ever inferred to be in it",
    "sub DataExactCardinality": "nothing is ever inferred to be in it",
    "sub ObjectHasSelf": "what is so related to itself is not inferred to be in it",
    "super Class": "owl:Thing has no place there; nothing is lost by that",
    "sub Class": "that everything is in a class is not inferred",
    "axiom DisjointUnion": "that a member is in one of the parts is not inferred",
    "axiom ReflexiveObjectProperty": "that everything is so related to itself is not inferred",
    "axiom DatatypeDefinition": "which values the datatype has is not inferred",
    "axiom DataRange": "values outside the range contradict nothing",
}
"""What the rules do not infer, by where a construct stands and which it is."""

NOT_ALL: Final = "not all that it implies is inferred"
_PARTS: Final = {
    "super": {"ObjectIntersectionOf": "super", "ObjectAllValuesFrom": "super", "ObjectComplementOf": "sub"},
    "sub": {"ObjectIntersectionOf": "sub", "ObjectUnionOf": "sub", "ObjectSomeValuesFrom": "sub"},
}
"""Expressions that OWL 2 RL has on a side as far as it has their parts, and on which side these then stand."""
_ONTOLOGY: Final = ox.NamedNode(OWL + "Ontology")

_SIDES: Final = {"UseOfNonSuperClassExpression": "super", "UseOfNonSubClassExpression": "sub"}


def profile_steps(edition: Edition, pack: str) -> Iterator[Step]:
    """OWL 2 DL, then OWL 2 RL, of a pack's ontology with those it requires; only its own axioms are told of."""
    try:
        sources = sources_of(edition, pack)
    except PackError as error:
        yield Step(pack, "profile", not_done=str(error))
        return
    yield from steps_of(pack, sources, sources[-1:])


def steps_of(name: str, sources: Iterable[Source], own: Iterable[Source]) -> Iterator[Step]:
    """The same of the axioms of some files of an ontology."""
    if find_spec("pyhornedowl") is None:
        for profile in ("DL", "RL"):
            yield Step(name, f"profile OWL 2 {profile}", not_done=f"py-horned-owl is not installed: {INSTALL}")
        return
    looked = _Looked(Theory(tuple(sources)), {source.file for source in own})
    for profile, problems in (("DL", looked.outside_dl), ("RL", looked.outside_rl)):
        begun = time.monotonic()
        found = tuple(problems())
        taken = time.monotonic() - begun
        yield Step(name, f"profile OWL 2 {profile}", taken, found, {"axioms": len(looked.axioms)})


class _Read(NamedTuple):
    """An axiom, what of it is outside OWL 2 DL and OWL 2 RL, and whether it is one."""

    axiom: Axiom
    dl: tuple[Violation, ...] = ()
    rl: tuple[Violation, ...] = ()
    is_axiom: bool = True


class _Looked:
    """The axioms of some files, each read by itself."""

    def __init__(self, theory: Theory, files: set[Any]) -> None:
        self.theory = theory
        self.axioms = [axiom for axiom in theory.axioms if axiom.file in files]
        self.sources = [source for source in theory.sources if source.file in files]
        self.label = labels_of(theory.labels)
        self.declared: dict[object, list[ox.Triple]] = {}
        for t in theory.declarations:
            self.declared.setdefault(t.subject, []).append(t)
        shaping = [axiom for axiom in theory.axioms if _shapes_properties(axiom)]
        self.of_properties = [t for axiom in shaping for t in (*axiom.triples, *self._declarations(axiom))]

    def _declarations(self, axiom: Axiom) -> list[ox.Triple]:
        """What the terms of an axiom are declared to be."""
        kept = (t for term in _terms(axiom) for t in self.declared.get(term, ()))
        return [t for t in kept if t.object != _ONTOLOGY]

    def outside_dl(self) -> Iterator[Problem]:
        """What OWL 2 DL does not allow."""
        undeclared: dict[tuple[str, str], Problem] = {}
        for axiom, dl, _, is_axiom in self.read:
            if not is_axiom:
                unknown = self._unknown_property(axiom)
                if unknown:
                    undeclared.setdefault((unknown, "property"), self._undeclared(unknown, "property", axiom))
                    continue
                message = f"`{said(axiom, self.label)}` is no axiom of OWL 2"
                yield self._problem(NO_AXIOM, message, axiom, hint=_what_is_wrong(axiom))
                continue
            for violation in dl:
                kind = type(violation).__name__
                if kind in _KINDS:
                    term = str(violation.iri)  # type: ignore[attr-defined]
                    if ox.NamedNode(term) not in _terms(axiom):
                        continue
                    undeclared.setdefault((term, _KINDS[kind]), self._undeclared(term, _KINDS[kind], axiom))
                elif kind not in {"UseOfIllegalPunning", "UseOfPropertyInChainCausingCycle"}:
                    yield self._outside(kind, axiom)
        yield from undeclared.values()
        yield from self._undeclared_predicates({term for term, _ in undeclared})
        yield from self._punned()
        yield from self._reserved()
        yield from self._irregular()

    def outside_rl(self) -> Iterator[Problem]:
        """What the OWL 2 RL rules do not use."""
        for axiom, _, rl, _ in self.read:
            lost = set(map(self._lost, rl)) - {""}
            subject = axiom.root.subject
            if axiom.root.predicate.value == RDFS + "subClassOf" and subject == ox.NamedNode(OWL + "Thing"):
                lost.add(LOST["sub Class"])
            if any(isinstance(t.object, ox.NamedNode) and iri(t.object) in _NO_RL_DATATYPES for t in axiom.triples):
                lost.add("OWL 2 RL has neither owl:real nor owl:rational")
            if lost:
                message = f"`{said(axiom, self.label)}` is outside OWL 2 RL: {'; '.join(sorted(lost))}"
                yield self._problem(BEYOND_RL, message, axiom)

    def _lost(self, violation: Violation) -> str:
        kind = type(violation).__name__
        if kind in _SIDES:
            found = sorted(set(_lost_in(violation.ce, _SIDES[kind])))  # type: ignore[attr-defined]
            return "; ".join(found) or NOT_ALL
        if kind == "UseOfIllegalAxiomKind":
            component = type(violation.axiom.component).__name__  # type: ignore[attr-defined]
            return LOST.get(f"axiom {component}", LOST["axiom DataRange"])
        if kind in {"UseOfIllegalClassExpression", "UseOfNonAtomicClassExpression"}:
            return NOT_ALL
        return ""

    @cached_property
    def read(self) -> tuple[_Read, ...]:
        """Every axiom as py-horned-owl reads it by itself."""
        return tuple(map(self._read, self.axioms))

    def _read(self, axiom: Axiom) -> _Read:
        import pyhornedowl
        from pyhornedowl.profile import check_profile

        context = self._declarations(axiom)
        if _asks_simplicity(axiom):
            context += self.of_properties
        document = ox.serialize(dict.fromkeys((*context, *_named(axiom))), format=ox.RdfFormat.RDF_XML) or b""
        try:
            ontology = pyhornedowl.open_ontology_from_string(document.decode(), "rdf")
        except Exception:  # whatever its reader stumbles over is no axiom
            return _Read(axiom, is_axiom=False)
        kinds = {type(each.component).__name__ for each in ontology.get_axioms()}
        if all(kind.startswith(("Declare", "OntologyID", "DocIRI")) for kind in kinds):
            return _Read(axiom, is_axiom=False)
        dl, rl = (tuple(check_profile(ontology, profile).violations) for profile in ("DL", "RL"))
        return _Read(axiom, dl, rl)

    def _outside(self, kind: str, axiom: Axiom) -> Problem:
        sentence = f"`{said(axiom, self.label)}`"
        if kind.startswith("UseOfNonSimpleProperty"):
            message = f"{sentence} is about a property that follows from a chain or is transitive"
            return self._problem(NOT_SIMPLE, message, axiom)
        if kind == "UseOfReservedVocabulary":
            return self._problem(RESERVED, f"{sentence} uses a reserved word as a term of its own", axiom)
        if kind.endswith("TooFewOperands"):
            return self._problem(OTHER, f"{sentence} has fewer than two operands", axiom)
        return self._problem(OTHER, f"{sentence} is outside OWL 2 DL ({kind})", axiom)

    def _unknown_property(self, axiom: Axiom) -> str:
        """A property that a restriction is on and nothing declares; without its kind the restriction is none."""
        on = (t.object for t in axiom.triples if t.predicate.value == OWL + "onProperty")
        unknown = (node.value for node in on if isinstance(node, ox.NamedNode) and node not in self.declared)
        return next(unknown, "")

    def _undeclared(self, term: str, kind: str, axiom: Axiom) -> Problem:
        others = sorted({local_name(iri(t.object)) for t in self.declared.get(ox.NamedNode(term), ())})
        message = f"`{self.label(term)}` is used as {_a(kind)} in `{said(axiom, self.label)}`"
        if term.startswith(_OWN):
            return self._problem(RESERVED, f"{message}, and is a reserved word", axiom, term)
        message += f", and declared as {', '.join(others)}" if others else ", and declared nowhere"
        hint = (
            f"declare it: <{term}> a {_DECLARATION[kind]}" if not others else "use another term, or declare another"
        )
        return self._problem(UNDECLARED, message, axiom, term, hint)

    def _undeclared_predicates(self, told: set[str]) -> Iterator[Problem]:
        known = {node.value for node in self.declared if isinstance(node, ox.NamedNode)} | told
        for source in self.sources:
            for t in source.triples:
                p = t.predicate.value
                if p not in known and p not in _ANNOTATIONS and not p.startswith(_OWN):
                    known.add(p)
                    line = self.theory.place(Axiom((t,), (t,), source.file))
                    message = f"`{self.label(p)}` is used as a property and declared nowhere"
                    yield _at(
                        UNDECLARED, message, line, p, f"declare it: <{p}> a owl:AnnotationProperty, or another kind"
                    )

    def _punned(self) -> Iterator[Problem]:
        for node, said_of in self.declared.items():
            kinds = {iri(t.object) for t in said_of}
            for apart, words in _APART:
                if apart <= kinds:
                    place = self._declared_at(said_of[-1])
                    if place:
                        message = f"`{self.label(node.value)}` is declared as {words}"  # type: ignore[attr-defined]
                        yield _at(PUNNING, message, place, node.value)  # type: ignore[attr-defined]

    def _reserved(self) -> Iterator[Problem]:
        for node, said_of in self.declared.items():
            if isinstance(node, ox.NamedNode) and node.value.startswith(_OWN) and not _is_built_in(node.value):
                place = self._declared_at(said_of[0])
                if place:
                    yield _at(RESERVED, f"`{node.value}` is declared, and is a reserved word", place, node.value)

    def _irregular(self) -> Iterator[Problem]:
        below: dict[str, set[str]] = {}
        chains = [(axiom, *_chain(axiom)) for axiom in self.theory.axioms if _is_chain(axiom)]
        for _, chain, whole in chains:
            inner = chain[1:] if chain[:1] == [whole] else chain[:-1] if chain[-1:] == [whole] else chain
            below.setdefault(whole, set()).update(inner if chain != [whole, whole] else ())
        for axiom in self.theory.axioms:
            if axiom.root.predicate.value == RDFS + "subPropertyOf":
                narrow, wide = axiom.root.subject, axiom.root.object
                if (
                    isinstance(narrow, ox.NamedNode)
                    and isinstance(wide, ox.NamedNode)
                    and below.get(wide.value) is not None
                ):
                    below[wide.value].add(narrow.value)
        own = set(self.axioms)
        for axiom, _, whole in chains:
            if axiom in own and whole in _reached(whole, below):
                message = f"`{said(axiom, self.label)}` makes `{self.label(whole)}` depend on itself"
                yield self._problem(IRREGULAR, message, axiom, whole)

    def _declared_at(self, declaration: ox.Triple) -> Place | None:
        for source in self.sources:
            if declaration in source.triples:
                return self.theory.place(Axiom((declaration,), (declaration,), source.file))
        return None

    def _problem(self, check: Check, message: str, axiom: Axiom, term: str = "", hint: str = "") -> Problem:
        subject = axiom.root.subject
        about = term or (subject.value if isinstance(subject, ox.NamedNode) else "")
        return _at(check, message, self.theory.place(axiom), about, hint)


_DECLARATION: Final = {
    "class": "owl:Class",
    "object property": "owl:ObjectProperty",
    "datatype property": "owl:DatatypeProperty",
    "annotation property": "owl:AnnotationProperty",
    "datatype": "rdfs:Datatype",
    "property": "owl:ObjectProperty, or owl:DatatypeProperty",
}


def _lost_in(expression: Any, side: str) -> Iterator[str]:
    """What is lost by an expression, or by those of its parts that OWL 2 RL does not have."""
    kind = type(expression).__name__
    if kind in _PARTS[side]:
        inner = expression.bce if hasattr(expression, "bce") else expression.first
        for part in inner if isinstance(inner, list) else [inner]:
            yield from _lost_in(part, _PARTS[side][kind])
    elif kind != "Class" or str(expression.first) == OWL + "Thing":
        known = LOST.get(f"{side} {kind}")
        if known:
            yield known


def _at(check: Check, message: str, place: Place, term: str, hint: str = "") -> Problem:
    return Problem(check, message, place.file, place.line, place.column, term, hint)


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _terms(axiom: Axiom) -> set[object]:
    return {
        term for t in axiom.triples for term in (t.subject, t.predicate, t.object) if isinstance(term, ox.NamedNode)
    }


def _named(axiom: Axiom) -> Iterator[ox.Triple]:
    """What says an axiom, with a name for a thing that has none: py-horned-owl passes over what is said of it."""
    spelt = {t.subject for t in axiom.triples[1:]}

    def named(term: Any) -> Any:
        is_thing = isinstance(term, ox.BlankNode) and term not in spelt
        return ox.NamedNode(SUPPOSED + term.value) if is_thing else term

    root, *further = axiom.triples
    yield ox.Triple(named(root.subject), root.predicate, named(root.object))
    yield from further


def _shapes_properties(axiom: Axiom) -> bool:
    root = axiom.root
    kind = iri(root.object) if root.predicate.value == TYPE else ""
    return root.predicate.value in _ABOUT_PROPERTIES or kind in _BY_CHAINS


def _asks_simplicity(axiom: Axiom) -> bool:
    """Whether it says something that only a simple property may be said of (Structural Specification, 11.2)."""
    said_of = {t.predicate.value for t in axiom.triples}
    counted = any("ardinality" in p or p == OWL + "hasSelf" for p in said_of)
    root = axiom.root
    kind = iri(root.object)
    return counted or root.predicate.value == OWL + "propertyDisjointWith" or kind.endswith("Property")


def _is_chain(axiom: Axiom) -> bool:
    return axiom.root.predicate.value == OWL + "propertyChainAxiom"


def _chain(axiom: Axiom) -> tuple[list[str], str]:
    found = [iri(each) for each in members(axiom.root.object, outgoing(axiom.triples))]
    return found, iri(axiom.root.subject)


def _reached(start: str, below: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(below.get(start, ()))
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting += below.get(each, ())
    return found


def _what_is_wrong(axiom: Axiom) -> str:
    said_of = {t.predicate.value for t in axiom.triples}
    if isinstance(axiom.root.object, ox.Literal):
        return "a literal stands where a class, property or individual should"
    if OWL + "onProperty" in said_of and not said_of & {*_FILLERS}:
        return "the restriction lacks what it restricts to: owl:someValuesFrom or the like"
    if said_of & {*_FILLERS} and OWL + "onProperty" not in said_of:
        return "the restriction lacks owl:onProperty"
    if any(t.predicate.value == FIRST and isinstance(t.object, ox.Literal) for t in axiom.triples):
        return "the list has a literal where a class should stand"
    return ""


_FILLERS: Final = tuple(
    OWL + name
    for name in (
        *(
            "someValuesFrom",
            "allValuesFrom",
            "hasValue",
            "hasSelf",
            "minCardinality",
            "maxCardinality",
            "cardinality",
        ),
        *("minQualifiedCardinality", "maxQualifiedCardinality", "qualifiedCardinality"),
    )
)


def _is_built_in(term: str) -> bool:
    built_in = _ANNOTATIONS | {OWL + name for name in ("Thing", "Nothing", "real", "rational")}
    built_in |= {
        OWL + name for name in ("topObjectProperty", "bottomObjectProperty", "topDataProperty", "bottomDataProperty")
    }
    built_in |= {RDFS + "Literal", RDF + "PlainLiteral", RDF + "XMLLiteral", RDF + "langString"}
    return term in built_in or term.startswith(XSD)
