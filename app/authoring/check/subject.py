"""What is checked: one pack of an Edition, or one ontology that is no pack; each of its files read once."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

from app.authoring.check.graph import DATATYPE, DISJOINT, INDIVIDUAL, ONTOLOGY, PROPERTY_KINDS, Graph
from app.authoring.check.source import Source, merged, read
from app.authoring.problems import Check, Problem, Severity
from app.edition import CORE, Edition, in_order
from app.errors import PackError
from app.rules import Domain, action_iri, load
from app.vocab import DAC, HOME, MMM, OWL, PREFIXES, TYPE, pack_namespace

ONTOLOGY_FILES: Final = ("ontology.ttl", "ontology.ofn", "ontology.rdf", "ontology.owl")
"""The names an ontology may have in a pack; serving reads the first alone."""


class NotDoneError(Exception):
    """A step cannot be done; says why."""


@dataclass(frozen=True, eq=False)
class Subject:
    """One pack; or, where `file` says so, one file that stands for itself."""

    edition: Edition
    pack: str
    file: Path | None = None

    @property
    def folder(self) -> Path:
        """Where its files lie."""
        return self.file.parent if self.file else self.edition.folder(self.pack)

    @cached_property
    def manifest(self) -> Mapping[str, Any]:
        """What pack.toml says; empty where it says nothing."""
        return manifest_of(self.folder) if self.file is None else {}

    @cached_property
    def required(self) -> tuple[str, ...]:
        """Every pack it stands on, core first, itself left out."""
        if self.file is not None:
            return ()
        stated = (CORE, *requires(self.manifest))
        found = in_order(stated, lambda name: requires(manifest_of(self.edition.folder(name))))
        return tuple(name for name in found if name != self.pack)

    @cached_property
    def ontology(self) -> Source:
        """Its ontology."""
        if self.file is not None:
            return read(self.file, self.file.resolve().as_uri())
        return read(ontology_file(self.folder))

    @cached_property
    def others(self) -> tuple[Source, ...]:
        """The other Turtle of the pack: shapes, worlds, the small world of rule cases, alignments."""
        if self.file is not None:
            return ()
        places = ("*.ttl", "worlds/*.ttl")
        paths = {path for place in places for path in self.folder.glob(place)} - {ontology_file(self.folder)}
        cases = self.edition.rules_of(self.pack) / "cases.ttl"
        return tuple(map(read, sorted(paths | ({cases} if cases.is_file() else set()))))

    @cached_property
    def whole(self) -> Graph:
        """What it and the packs it requires say."""
        below = [_kept(ontology_file(self.edition.folder(name))) for name in self.required]
        return merged((*below, self.ontology))

    @cached_property
    def disjoint(self) -> Mapping[str, frozenset[str]]:
        """The classes said to be disjoint with each class, in any of the three ways of saying it."""
        graph, found = self.whole, dict[str, set[str]]()
        groups = [[s, o] for s, o in graph.pairs(DISJOINT) if isinstance(o, str)]
        groups += [graph.listed(axiom, OWL + "members") for axiom in graph.subjects(TYPE, OWL + "AllDisjointClasses")]
        groups += [graph.listed(s, OWL + "disjointUnionOf") for s, _ in graph.pairs(OWL + "disjointUnionOf")]
        for group in groups:
            for each in group:
                found.setdefault(each, set()).update(other for other in group if other != each)
        return {each: frozenset(others) for each, others in found.items()}

    def are_disjoint(self, one: str, other: str) -> bool:
        """Whether two classes, or two above them, are said to be disjoint."""
        first, second = {one, *self.whole.above(one)}, {other, *self.whole.above(other)}
        return any(second & self.disjoint.get(each, frozenset()) for each in first)

    @property
    def graph(self) -> Graph:
        """What it says itself. Raises NotDoneError where that is not known."""
        if not self.ontology.usable:
            raise NotDoneError(self.ontology.unread or f"{self.ontology.path.name} cannot be read")
        return self.ontology.graph

    @cached_property
    def namespaces(self) -> tuple[str, ...]:
        """Where its own terms live."""
        if self.file is None:
            return (MMM, DAC) if self.pack == CORE else (pack_namespace(self.pack),)
        return _namespaces(self.graph)

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The terms of its namespace that it declares, in the order of their IRIs."""
        own = (s for s in self.graph.declared if s.startswith(self.namespaces))
        return tuple(sorted(s for s in own if self.file is None or _is_term(self.graph, s)))

    @cached_property
    def strangers(self) -> tuple[str, ...]:
        """The terms outside its namespace of which it says more than what kind they are."""
        others = (s for s in self.graph.declared if not s.startswith(self.namespaces) and _is_term(self.graph, s))
        return tuple(sorted(s for s in others if self.graph.out[s].keys() - {TYPE}))

    @cached_property
    def actions(self) -> frozenset[str]:
        """The Actions, which their files declare."""
        folders = (
            self.edition.rules_of(name) / "actions" for name in dict.fromkeys((CORE, *self.required, self.pack))
        )
        return frozenset(action_iri(path.stem) for folder in folders for path in folder.glob("*.toml"))

    @cached_property
    def domain(self) -> Domain:
        """What it decides by. Raises PackError with every fault."""
        return load(self.edition, [self.pack])

    def ours(self, check: Check) -> Check:
        """A check of a convention of this project, of which a foreign ontology is only warned."""
        return replace(check, severity=Severity.WARNING) if self.file and check.severity is Severity.ERROR else check

    def problem(self, check: Check, message: str, term: str = "", *, within: str = "", hint: str = "") -> Problem:
        """A problem with a term of the ontology, where it stands."""
        return self.ontology.problem(check, message, term, within=within, hint=hint)

    def files(self, pattern: str) -> Iterator[Path]:
        """Files of the pack, in the order of their names."""
        return iter(sorted(self.folder.glob(pattern)) if self.file is None else ())

    def loaded(self) -> Domain:
        """The same as `domain`. Raises NotDoneError where it cannot be loaded, which a step of its own tells."""
        try:
            return self.domain
        except PackError as error:
            raise NotDoneError(f"the pack cannot be loaded: {error.faults[0].message}") from error


def _kept(path: Path) -> Source:
    """A file of another pack: read once for all that stand on it, and anew where it has changed."""
    try:
        stamp = path.stat()
    except OSError:
        return read(path)
    return _kept_at(path, stamp.st_mtime_ns, stamp.st_size)


@lru_cache(maxsize=16)
def _kept_at(path: Path, _changed: int, _size: int) -> Source:
    return read(path)


def said(iri: str) -> str:
    """A term by the prefix that this project gives its namespace, else its IRI."""
    for prefix, namespace in _PREFIXES.items():
        if iri.startswith(namespace):
            return f"{prefix}:{iri.removeprefix(namespace)}"
    if iri.startswith(HOME) and "#" in iri:
        return iri.removeprefix(HOME).replace("#", ":", 1)
    return f"<{iri}>"


def manifest_of(folder: Path) -> Mapping[str, Any]:
    """What pack.toml says; empty where it is none."""
    try:
        return tomllib.loads((folder / "pack.toml").read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}


def requires(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """The packs a manifest requires; what is no name is passed over."""
    names = manifest.get("requires", ())
    return tuple(name for name in names if isinstance(name, str)) if isinstance(names, list) else ()


def ontology_file(folder: Path) -> Path:
    """The ontology of a pack: what serving reads, else another syntax of it."""
    return next((path for name in ONTOLOGY_FILES if (path := folder / name).is_file()), folder / ONTOLOGY_FILES[0])


def _is_term(graph: Graph, iri: str) -> bool:
    kinds = graph.kinds(iri)
    return iri in graph.classes or bool(kinds & (PROPERTY_KINDS | {INDIVIDUAL, DATATYPE}))


def _namespaces(graph: Graph) -> tuple[str, ...]:
    """The namespace of a foreign ontology: that of its IRI if it declares terms there, else the one with most."""
    counts: dict[str, int] = {}
    for term in graph.classes | graph.properties:
        space = term[: max(term.rfind("#"), term.rfind("/")) + 1]
        counts[space] = counts.get(space, 0) + 1
    named = graph.subjects(TYPE, ONTOLOGY)
    own = [space for header in named for space in (header, f"{header}#", f"{header}/") if space in counts]
    most = max(counts, key=lambda space: counts[space], default="")
    return tuple(dict.fromkeys(own)) or ((most,) if most else ("\0",))


_PREFIXES: Final = {
    **{name: iri for name, iri in PREFIXES.items() if not iri.startswith(HOME)},
    "sh": "http://www.w3.org/ns/shacl#",
    "dcterms": "http://purl.org/dc/terms/",
}
