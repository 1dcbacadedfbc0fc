"""Packs -> Knowledge: the vocabulary of core and of the packs a World names, closed and frozen (DESIGN 2, 4).

The only reader of RDF files while serving. A pack is a folder:

    pack.toml        name, version, title, licence, sources, requires
    ontology.ttl     its terms
    shapes.ttl       SHACL shapes that its worlds keep, where it has some
    worlds/*.ttl     M-Instances it brings, each with its own base IRI
    rules/, golden/  rules of its own, and plans with the verdicts they must get
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from sys import intern

import pyoxigraph as ox

from app.edition import CORE, Edition
from app.errors import Code, Fault, PackError
from app.facts import Schema, Slice
from app.lexicon import Entry, Lexicon, NameKind
from app.model import Layer, Term, Text, Triple, Typed
from app.reasoner import Clash, Closure, close, value_of
from app.shapes import Stated, read_shapes
from app.vocab import (
    ALT_LABEL,
    HIERARCHICAL,
    LABEL,
    OWL,
    PREFIXES,
    RDF,
    RDFS,
    SUB_CLASS,
    SUB_PROPERTY,
    TYPE,
    XSD,
    pack_namespace,
)

SHAPES = "shapes.ttl"
LIST_CELLS = (RDF + "first", RDF + "rest")
"""What lists are made of: of a contradiction they tell a reader nothing."""

_MOST_FAULTS = 20
_CLASS_TYPES = (OWL + "Class", RDFS + "Class")
_PROPERTY_TYPES = tuple(OWL + name for name in ("ObjectProperty", "DatatypeProperty", "AnnotationProperty"))


@dataclass(frozen=True, slots=True)
class Pack:
    """One domain as its author wrote it."""

    name: str
    version: str
    title: str
    folder: Path
    requires: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """How answers name it: `name@version`."""
        return f"{self.name}@{self.version}"


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What is known in every World that names these packs. Immutable, shared by all requests; equal only to itself,
    so that what is worked out from it can be kept for it, and goes with it.
    """

    packs: tuple[Pack, ...]
    closure: Closure
    schema: Schema
    vocabulary: Mapping[str, Slice]
    labels: Mapping[str, str]
    hierarchical: frozenset[str]
    origin: Mapping[Triple, str] = field(default_factory=dict)
    shapes: tuple[Stated, ...] = ()

    @cached_property
    def class_names(self) -> Mapping[str, tuple[str, ...]]:
        """Class IRIs by folded label, local name or synonym; a label comes before another class's synonym."""
        names: dict[str, dict[str, None]] = {}
        for found in (self._labels_of, self._synonyms_of):
            for iri in self.classes:
                for name in found(iri):
                    if found is self._synonyms_of and names.get(fold(name)):
                        continue
                    names.setdefault(fold(name), {})[iri] = None
        return {name: tuple(iris) for name, iris in names.items()}

    @cached_property
    def lexicon(self) -> Lexicon:
        """Every name of what the packs declare: labels and synonyms in their languages, and local names."""
        return Lexicon.of(entry for iri in self._named for entry in self._entries_of(iri))

    @cached_property
    def classes(self) -> Mapping[str, None]:
        """Every named class, in the order of their IRIs."""
        return {
            iri: None
            for iri, term in self.vocabulary.items()
            if any(t in term.out.get(TYPE, ()) for t in _CLASS_TYPES)
        }

    @cached_property
    def prefixes(self) -> Mapping[str, str]:
        """The prefixes that rules and their cases write: the common ones, and the name of each pack."""
        return {**PREFIXES, **{pack.name: pack_namespace(pack.name) for pack in self.packs}}

    @cached_property
    def individuals(self) -> Mapping[str, tuple[str, ...]]:
        """The terms of each class, inferred ones included, in the order of their IRIs."""
        found: dict[str, list[str]] = {}
        for iri, term in self.vocabulary.items():
            for kind in term.out.get(TYPE, ()):
                if isinstance(kind, str):
                    found.setdefault(kind, []).append(iri)
        return {kind: tuple(sorted(terms)) for kind, terms in found.items()}

    @cached_property
    def predicates(self) -> frozenset[str]:
        """Every property the packs declare."""
        return frozenset(
            iri for iri, term in self.vocabulary.items() if any(t in term.out.get(TYPE, ()) for t in _PROPERTY_TYPES)
        )

    def label(self, term: str, language: str = "en") -> str:
        """The label of a term in a language, in English where there is none, else its local name."""
        if language != "en" and (held := self.vocabulary.get(term)) is not None:
            for text in held.out.get(LABEL, ()):
                if isinstance(text, Text) and text.lang.split("-", 1)[0] == language:
                    return text.value
        return self.labels.get(term) or local_name(term)

    def is_a(self, narrow: str, wide: str) -> bool:
        """Whether one class is the other or below it."""
        return narrow == wide or wide in self.schema.superclasses.get(narrow, ())

    @property
    def _named(self) -> Iterator[str]:
        """Classes, and properties and individuals with a label; an ontology itself is none of them."""
        for iri, term in self.vocabulary.items():
            named = iri in self.classes or LABEL in term.out
            if named and not iri.startswith("_:") and OWL + "Ontology" not in term.out.get(TYPE, ()):
                yield iri

    def _entries_of(self, iri: str) -> Iterator[Entry]:
        yield Entry(iri, local_name(iri), "", NameKind.LOCAL_NAME)
        for predicate, kind in ((LABEL, NameKind.LABEL), (ALT_LABEL, NameKind.SYNONYM)):
            for text in self.vocabulary[iri].out.get(predicate, ()):
                if isinstance(text, Text):
                    yield Entry(iri, text.value, text.lang, kind)

    def _labels_of(self, iri: str) -> Iterator[str]:
        yield local_name(iri)
        yield from (text.value for text in self.vocabulary[iri].out.get(LABEL, ()) if isinstance(text, Text))

    def _synonyms_of(self, iri: str) -> Iterator[str]:
        yield from (text.value for text in self.vocabulary[iri].out.get(ALT_LABEL, ()) if isinstance(text, Text))


def load(edition: Edition, names: Iterable[str]) -> Knowledge:
    """The Knowledge of core and the named packs with all they require. Raises PackError with every fault."""
    packs = _with_required(edition, (CORE, *names))
    triples: dict[Triple, str] = {}
    for pack in packs:
        for triple in read_turtle(pack.folder / "ontology.ttl", own_nodes=True):
            triples.setdefault(triple, pack.source)
    closure = close(triples)
    if closure.clashes:
        faults = dict.fromkeys(_contradiction(clash, closure, triples) for clash in closure.clashes)
        raise PackError(*tuple(faults)[:_MOST_FAULTS])
    return Knowledge(
        packs=packs,
        closure=closure,
        schema=Schema(_table(closure, SUB_CLASS), _table(closure, SUB_PROPERTY)),
        vocabulary=_vocabulary(closure),
        labels=_english_labels(closure),
        hierarchical=frozenset(s for s, p, o in triples if p == HIERARCHICAL and o == Typed("true", XSD + "boolean")),
        origin=triples,
        shapes=tuple(shape for pack in packs for shape in _shapes_of(pack)),
    )


def read_pack(folder: Path, name: str) -> Pack:
    """The description of the pack called so. Raises PackError where the folder holds none, or another."""
    path = folder / "pack.toml"
    try:
        members = tomllib.loads(path.read_text(encoding="utf-8"))
        pack = Pack(
            name=str(members["name"]),
            version=str(members["version"]),
            title=str(members["title"]),
            folder=folder,
            requires=tuple(members.get("requires", ())),
        )
    except FileNotFoundError as error:
        raise PackError(Fault(Code.PACK_UNREADABLE, f"`{name}` is no pack: it has no pack.toml")) from error
    except KeyError as error:
        raise PackError(Fault(Code.PACK_MEMBER, f"pack.toml lacks {error}", where=str(path))) from error
    except (ValueError, TypeError) as error:  # no TOML, no UTF-8, or a member of another type
        raise PackError(Fault(Code.PACK_UNREADABLE, f"no TOML: {error}", where=str(path))) from error
    if pack.name != name:
        fault = Fault(Code.PACK_MEMBER, f"the pack `{pack.name}` lies where `{name}` should", where=str(path))
        raise PackError(fault)
    return pack


def read_turtle(
    path: Path, text: str | None = None, base: str | None = None, *, own_nodes: bool = False
) -> Iterator[Triple]:
    """The facts of a Turtle file, or of a text that stands in it. Raises PackError with file and line.

    With `own_nodes` its blank nodes are no others', whatever their labels: so are files that are read together.
    """
    try:
        source = text if text is not None else path.read_text(encoding="utf-8")
        for quad in ox.parse(source, format=ox.RdfFormat.TURTLE, base_iri=base, rename_blank_nodes=own_nodes):
            yield (str(from_rdf(quad.subject)), str(from_rdf(quad.predicate)), from_rdf(quad.object))
    except FileNotFoundError as error:
        raise PackError(Fault(Code.PACK_UNREADABLE, "the file is missing", where=str(path))) from error
    except SyntaxError as error:
        where = f"{path}:{error.lineno or 0}"
        raise PackError(Fault(Code.PACK_UNREADABLE, f"no Turtle: {error.msg}", where=where)) from error


def from_rdf(term: ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple) -> Term:
    """A term in our form (facts.py)."""
    if isinstance(term, ox.NamedNode):
        return intern(term.value)
    if isinstance(term, ox.BlankNode):
        return intern("_:" + term.value)
    if not isinstance(term, ox.Literal):
        raise TypeError(f"a triple term is no term here: {term}")
    datatype = term.datatype.value
    if term.language:
        return Text(term.value, term.language.lower())
    if datatype == XSD + "string":
        return Text(term.value)
    return value_of(term.value, datatype)


def fold(name: str) -> str:
    """A name as it is compared: letters and digits only, without case."""
    return "".join(c for c in name.casefold() if c.isalnum())


def local_name(iri: str) -> str:
    """What follows the last `#` or `/`."""
    return iri.rsplit("#", 1)[-1].rsplit("/", 1)[-1] or iri


def _shapes_of(pack: Pack) -> Iterator[Stated]:
    path = pack.folder / SHAPES
    if path.is_file():
        yield from read_shapes(read_turtle(path, own_nodes=True), pack.source)


def _with_required(edition: Edition, names: Iterable[str]) -> tuple[Pack, ...]:
    """The packs in an order in which each follows what it requires."""
    ordered: dict[str, Pack] = {}
    faults: list[Fault] = []

    def add(name: str, path: tuple[str, ...]) -> None:
        if name in ordered:
            return
        if name in path:
            faults.append(Fault(Code.PACK_MEMBER, f"packs require each other: {' -> '.join((*path, name))}"))
            return
        try:
            pack = read_pack(edition.folder(name), name)
        except PackError as error:
            faults.extend(error.faults)
            return
        for required in pack.requires:
            add(required, (*path, name))
        ordered[name] = pack

    for name in names:
        add(name, ())
    if faults:
        raise PackError(*faults)
    return tuple(ordered.values())


def _contradiction(clash: Clash, closure: Closure, origin: Mapping[Triple, str]) -> Fault:
    """What contradicts what, the cells of lists left out."""
    asserted = [fact for fact in closure.why_all(clash.premises) if fact[1] not in LIST_CELLS]
    said = "; ".join(sorted(" ".join(map(_shown, fact)) for fact in asserted))
    where = ", ".join(sorted({origin[fact] for fact in asserted if fact in origin}))
    return Fault(Code.PACK_INCONSISTENT, f"by {clash.rule}, these contradict each other: {said}", where=where)


def _shown(term: Term) -> str:
    if not isinstance(term, str):
        return f'"{getattr(term, "value", getattr(term, "lexical", term))}"'
    prefix = next((name for name, iri in PREFIXES.items() if term.startswith(iri)), None)
    return term if prefix is None else f"{prefix}:{term.removeprefix(PREFIXES[prefix])}"


def _table(closure: Closure, predicate: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for s, p, o in sorted(closure.facts, key=str):
        if p == predicate and s != o and isinstance(o, str) and not o.startswith("_:") and o != OWL + "Thing":
            found.setdefault(s, []).append(intern(o))
    return {s: tuple(objects) for s, objects in found.items()}


def _vocabulary(closure: Closure) -> dict[str, Slice]:
    out: dict[str, dict[str, list[Term]]] = {}
    for s, p, o in sorted(closure.facts, key=str):
        out.setdefault(s, {}).setdefault(p, []).append(o)
    because: dict[str, dict[tuple[str, Term], tuple[Triple, ...]]] = {}
    for (s, p, o), derivation in closure.derivations.items():
        because.setdefault(s, {})[p, o] = derivation.premises
    return {
        s: Slice(s, Layer.KNOWLEDGE, {p: tuple(objects) for p, objects in facts.items()}, because=because.get(s, {}))
        for s, facts in out.items()
    }


def _english_labels(closure: Closure) -> dict[str, str]:
    labels: dict[str, str] = {}
    for s, p, o in sorted(closure.facts, key=str):
        if p == LABEL and isinstance(o, Text) and o.lang in {"", "en"}:
            labels.setdefault(s, o.value)
    return labels
