"""One pack as it is shown: its terms, what is stated of them and follows, its rules, worlds, questions, plans."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from app.authoring.doc.concerns import Concerns, concerns
from app.authoring.doc.named import named_in
from app.authoring.doc.stated import Stated
from app.authoring.doc.worlds_read import WorldShown, read_shown
from app.authoring.golden import Run, read_golden
from app.authoring.questions import Question, questions
from app.edition import Edition
from app.errors import Fault, PackError
from app.facts import Facts
from app.kinds.norms import NORM, Norm, all_norms
from app.kinds.uses import Grant, grants
from app.knowledge import Knowledge, Pack, local_name, read_turtle
from app.model import Term, Text
from app.rules import Action, Domain, Need, Rule, load
from app.rules.forms import Payment
from app.rules.toml import TomlFile
from app.vocab import LABEL, OWL, RDF, RDFS, SUB_CLASS, TYPE, dac

CLASSES, PROPERTIES, DATATYPES, USES, STATES, NORMS, OTHERS = (
    "classes", "properties", "datatypes", "uses", "states", "norms", "individuals"
)  # fmt: skip
"""The kinds of terms, each with a page of that name (datatypes are on that of the properties)."""
INDIVIDUALS: Final = (USES, STATES, NORMS, OTHERS)

_CLASS: Final = {OWL + "Class", RDFS + "Class"}
_PROPERTY: Final = {
    RDF + "Property",
    *(OWL + name for name in ("ObjectProperty", "DatatypeProperty", "AnnotationProperty")),
}
_HEADERS: Final = {
    *(OWL + name for name in ("Ontology", "Axiom", "Annotation", "NegativePropertyAssertion")),
    *(OWL + name for name in ("AllDisjointClasses", "AllDisjointProperties", "AllDifferent", "Restriction")),
    RDF + "List",
}
"""Types of what is no term of its own."""


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A golden plan: the whole, then its variants."""

    name: str
    title: str
    source: str
    runs: tuple[Run, ...]


@dataclass(frozen=True)
class Subject:
    """A pack with all that its pages tell. `domain` is that of the pack and what it requires, nothing else."""

    pack: Pack
    licence: str
    sources: tuple[str, ...]
    domain: Domain
    stated: Stated
    terms: Mapping[str, tuple[str, ...]]
    rules: Mapping[str, Mapping[str, Any]]
    worlds: tuple[WorldShown, ...]
    questions: Mapping[str, tuple[Question, ...]]
    plans: tuple[PlanFile, ...]

    @property
    def knowledge(self) -> Knowledge:
        """The vocabulary of the pack and what it requires."""
        return self.domain.knowledge

    def name(self, iri: str) -> str:
        """The English label, else one in any language, else the local name."""
        label = self.knowledge.label(iri)
        if label == local_name(iri) or not label.strip():
            texts = (text for text in self.texts(iri, LABEL) if text.value.strip())
            return next((text.value for text in texts), local_name(iri))
        return label

    def texts(self, iri: str, predicate: str) -> tuple[Text, ...]:
        """What is said in words, English first, then by language."""
        found = [text for text in self.stated.objects(iri, predicate) if isinstance(text, Text)]
        return tuple(
            sorted(found, key=lambda text: (text.lang.partition("-")[0] not in {"", "en"}, text.lang, text.value))
        )

    def short(self, iri: str) -> str:
        """`prefix:Name` where a prefix is known, else the IRI."""
        for prefix, space in self.knowledge.prefixes.items():
            if iri.startswith(space) and iri != space:
                return f"{prefix}:{iri.removeprefix(space)}"
        return iri

    def by_name(self, iris: Iterable[str]) -> list[str]:
        """Terms, each once, in the order of their names."""
        return sorted(set(iris), key=lambda iri: (self.name(iri).casefold(), iri))

    @cached_property
    def above(self) -> Mapping[str, frozenset[str]]:
        """All superclasses of each class, inferred ones included; classes that are the same are none."""
        every = {iri: frozenset(above) for iri, above in self.knowledge.schema.superclasses.items()}
        return {
            iri: frozenset(c for c in every.get(iri, ()) if iri not in every.get(c, ()))
            for iri in {*self.knowledge.classes, *every}
        }

    def same(self, iri: str) -> frozenset[str]:
        """The named classes that are above and below a class."""
        return frozenset(self.knowledge.schema.superclasses.get(iri, ())) - self.above[iri] - {iri}

    @cached_property
    def direct(self) -> Mapping[str, tuple[str, ...]]:
        """The classes directly above each class, in the order of their names."""
        none: frozenset[str] = frozenset()
        return {
            iri: tuple(self.by_name(above - none.union(*(self.above.get(c, none) for c in above))))
            for iri, above in self.above.items()
        }

    def is_own(self, iri: str) -> bool:
        """Whether the pack itself declares a class."""
        return iri in self._own

    @cached_property
    def _own(self) -> frozenset[str]:
        return frozenset(self.terms[CLASSES])

    def main(self, iri: str, above: Iterable[str]) -> str:
        """Of some classes directly above one that of the pack, of several the one stated first."""
        stated = self.stated.names(iri, SUB_CLASS)
        return min(above, key=lambda c: (not self.is_own(c), stated.index(c) if c in stated else len(stated), c))

    def grants(self, iri: str) -> tuple[Grant, ...]:
        """What things of a class afford, each use by the narrowest class that says so."""
        found = grants("", (iri, *self.knowledge.schema.superclasses.get(iri, ())), self.domain, self._facts)
        return tuple(sorted(found, key=lambda grant: (self.use_name(grant).casefold(), grant.use)))

    def use_name(self, grant: Grant) -> str:
        """The Action's name, else the verb of the domain."""
        return grant.action.name if grant.action is not None else self.name(grant.use)

    @cached_property
    def all_norms(self) -> Mapping[str, Norm]:
        """Every Norm there is with the pack, with its conditions."""
        return {norm.iri: norm for norm in all_norms(self.knowledge, self._facts)}

    @cached_property
    def norms_of(self) -> Mapping[str, tuple[tuple[str, str], ...]]:
        """The Norms with a condition that names a term: the condition and the Norm."""
        found: dict[str, list[tuple[str, str]]] = {}
        for norm in self.all_norms.values():
            for condition, values in norm.conditions.items():
                for value in values:
                    found.setdefault(value, []).append((condition, norm.iri))
        return {term: tuple(norms) for term, norms in found.items()}

    @cached_property
    def own_actions(self) -> tuple[Action, ...]:
        """The Actions that the pack itself declares."""
        own = (action for action in self.domain.actions.values() if action.source == self.pack.source)
        return tuple(sorted(own, key=lambda action: action.name))

    @cached_property
    def own_needs(self) -> tuple[Need, ...]:
        """What Actions can need, as the pack itself says."""
        own = (need for need in self.domain.needs.values() if need.source == self.pack.source)
        return tuple(sorted(own, key=lambda need: need.name))

    @cached_property
    def own_payments(self) -> tuple[Payment, ...]:
        """Why steps cost something, as the pack itself says."""
        found = {each.name: each for reasons in self.domain.payments.values() for each in reasons}
        own = (each for each in found.values() if each.source == self.pack.source)
        return tuple(sorted(own, key=lambda each: each.name))

    @cached_property
    def own_rules(self) -> tuple[Rule, ...]:
        """The rules of the pack itself, as they decide."""
        own = (rule for rule in self.domain.rules.values() if rule.source == self.pack.source)
        return tuple(sorted(own, key=lambda rule: (rule.status.rank, rule.id)))

    @cached_property
    def concerns(self) -> Concerns:
        """The properties that concern each class, and how."""
        vocabulary = self.knowledge.vocabulary
        relations = {p for p in self.knowledge.predicates if OWL + "ObjectProperty" in vocabulary[p].out[TYPE]}
        return concerns(self.stated, set(self.knowledge.classes), relations, self.worlds)

    @cached_property
    def rules_naming(self) -> Mapping[str, tuple[Rule, ...]]:
        """The rules that name a term in a pattern, the pack's own first."""
        found: dict[str, list[Rule]] = {}
        order = sorted(self.domain.rules.values(), key=lambda rule: (rule.source != self.pack.source, rule.id))
        for rule in order:
            for iri in named_in("\n".join(_patterns(self.rules[rule.id])), self.knowledge.prefixes):
                found.setdefault(iri, []).append(rule)
        return {iri: tuple(rules) for iri, rules in found.items()}

    def concerned(self, rule: Rule) -> tuple[str, ...]:
        """The Actions that a rule can refuse or permit; empty where it is raised whatever the Action."""
        if rule.need:
            actions = self.domain.actions.values()
            return tuple(sorted(a.name for a in actions if any(c.need == rule.need for c in a.complements)))
        if rule.builtin:
            return tuple(sorted(rule.actions))
        return tuple(sorted(n for n, rules in self.domain.blocking.items() if any(r is rule for r in rules)))

    @cached_property
    def _facts(self) -> Facts:
        """The vocabulary alone."""
        return Facts(
            {}, vocabulary=self.domain.vocabulary, schema=self.knowledge.schema, inverses=self.domain.inverses
        )


def read_subject(edition: Edition, name: str) -> Subject:
    """A pack with all its files. Raises PackError with every fault."""
    domain = load(edition, [name])
    pack = next(each for each in domain.knowledge.packs if each.name == name)
    faults: list[Fault] = []
    worlds = _each(pack.folder / "worlds", "*.ttl", read_shown, faults)
    asked = _each(
        pack.folder / "questions", "*.toml", lambda path: (path.stem, tuple(questions(path, edition, name))), faults
    )
    plans = _each(pack.folder / "golden", "*.toml", _read_plan, faults)
    shapes = pack.folder / "shapes.ttl"
    shaped = _each(pack.folder, shapes.name, lambda path: tuple(read_turtle(path, own_nodes=True)), faults)
    if faults:
        raise PackError(*faults)
    members = TomlFile(pack.folder / "pack.toml").members
    sources = members.get("sources", [])
    stated = Stated.of(domain.knowledge.origin, [triple for file in shaped for triple in file])
    return Subject(
        pack=pack,
        licence=str(members.get("licence", "")),
        sources=tuple(map(str, sources)) if isinstance(sources, list) else (str(sources),),
        domain=domain,
        stated=stated,
        terms=_terms(domain.knowledge, pack, stated),
        rules={
            rule.id: tomllib.loads(Path(rule.where).read_text(encoding="utf-8")) for rule in domain.rules.values()
        },
        worlds=tuple(worlds),
        questions={file: found for file, found in asked if found},
        plans=tuple(plans),
    )


def _each(folder: Path, pattern: str, read: Any, faults: list[Fault]) -> list[Any]:
    found = []
    for path in sorted(folder.glob(pattern)):
        try:
            found.append(read(path))
        except PackError as error:
            faults.extend(replace(fault, where=fault.where or str(path)) for fault in error.faults)
    return found


def _read_plan(path: Path) -> PlanFile:
    runs = read_golden(path)
    members = tomllib.loads(path.read_text(encoding="utf-8"))
    return PlanFile(path.stem, str(members.get("title", path.stem)), str(members.get("source", "")), runs)


def _terms(knowledge: Knowledge, pack: Pack, stated: Stated) -> dict[str, tuple[str, ...]]:
    """The terms that the pack itself declares, by kind, in the order of their names."""
    types: dict[str, set[Term]] = {}
    for (s, p, o), source in knowledge.origin.items():
        if p == TYPE and source == pack.source and not s.startswith("_:"):
            types.setdefault(s, set()).add(o)
    found: dict[str, list[str]] = {kind: [] for kind in (CLASSES, PROPERTIES, DATATYPES, USES, STATES, NORMS, OTHERS)}
    for iri in sorted(types, key=lambda iri: (_label(iri, knowledge, stated).casefold(), iri)):
        if not types[iri] & _HEADERS:
            found[_kind(types[iri], knowledge.vocabulary[iri].out.get(TYPE, ()))].append(iri)
    return {kind: tuple(iris) for kind, iris in found.items()}


def _patterns(members: Mapping[str, Any]) -> Iterable[str]:
    """The patterns of a rule file."""
    for block in (members, *members.get("repair", ())):
        yield from (str(block[key]) for key in ("when", "given", "facts", "remove") if key in block)


def _label(iri: str, knowledge: Knowledge, stated: Stated) -> str:
    said = [text.value for text in stated.objects(iri, LABEL) if isinstance(text, Text)]
    return knowledge.labels.get(iri) or next(iter(said), local_name(iri))


def _kind(declared: set[Term], inferred: Iterable[Term]) -> str:
    if declared & _CLASS:
        return CLASSES
    if declared & _PROPERTY:
        return PROPERTIES
    if RDFS + "Datatype" in declared:
        return DATATYPES
    every = {*declared, *inferred}
    for kind, types in ((USES, {dac("Affordance")}), (STATES, {dac("State")}), (NORMS, {NORM, dac("Constraint")})):
        if every & types:
            return kind
    return OTHERS
