"""How much of a pack its cases touch, sort by sort, and what they do not (what touching is: touched.py).

Of a pack count the classes, properties, uses (dac:Affordance), states and norms that it declares and that are not
deprecated, its rules and Actions, and the PA Statuses that its rules give. Cases of any pack that is tested count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from app.authoring.collected import rules_of
from app.authoring.problems import Check, Problem, Severity, Step
from app.authoring.test.touched import Touched
from app.edition import Edition
from app.knowledge import Knowledge
from app.rules import Domain
from app.vocab import HOME, OWL, RDFS, TYPE, dac

UNCOVERED: Final = Check(
    "uncovered",
    Severity.NOTE,
    "No case touches this",
    "What no case touches can change its meaning, or lose it, and every test still passes.",
)
COVERAGE_LOW: Final = Check(
    "coverage_low",
    Severity.ERROR,
    "Cases touch less of the pack than is asked for",
    "What no case touches can change its meaning, or lose it, and every test still passes.",
)

_TYPES: Final[Mapping[str, tuple[str, ...]]] = {
    "classes": (OWL + "Class", RDFS + "Class"),
    "properties": tuple(OWL + name for name in ("ObjectProperty", "DatatypeProperty", "AnnotationProperty")),
    "uses": (dac("Affordance"),),
    "states": (dac("State"),),
    "norms": (dac("BehaviouralExpectation"), dac("Norm")),
}
SORTS: Final = (*_TYPES, "rules", "Actions", "PA Statuses")
"""What is counted, in the order of the table."""

_DEPRECATED: Final = OWL + "deprecated"


@dataclass(frozen=True, slots=True)
class Declared:
    """What a pack declares: by sort, each name with the file and the line it stands in."""

    by_sort: Mapping[str, Mapping[str, tuple[Path, int]]] = field(default_factory=dict)


NOTHING_DECLARED: Final = Declared()


def declared_by(edition: Edition, pack: str, domain: Domain) -> Declared:
    """What of a Domain a pack declares itself."""
    knowledge = domain.knowledge
    (source,) = (each.source for each in knowledge.packs if each.name == pack)
    ontology = edition.folder(pack) / "ontology.ttl"
    lines = _lines(ontology, knowledge)
    own = {s: o for (s, p, o), origin in knowledge.origin.items() if origin == source and p == TYPE}
    found: dict[str, dict[str, tuple[Path, int]]] = {
        sort: {
            iri: (ontology, lines.get(iri, 0))
            for iri in own
            if iri.startswith(HOME)
            and _DEPRECATED not in knowledge.vocabulary[iri].out
            and any(each in knowledge.vocabulary[iri].out.get(TYPE, ()) for each in types)
        }
        for sort, types in _TYPES.items()
    }
    rules = list(rules_of(edition, pack, domain))
    found["rules"] = {rule.id: (Path(rule.where), 1) for rule in rules}
    actions = (action for action in domain.actions.values() if action.source == source)
    found["Actions"] = {
        action.iri: (edition.rules_of(pack) / "actions" / f"{action.name}.toml", 1) for action in actions
    }
    found["PA Statuses"] = {str(rule.status): (Path(rule.where), 1) for rule in rules}
    return Declared(found)


def coverage(pack: str, declared: Declared, touched: Touched, least: float, uncovered: bool) -> Step:
    """The Step of one pack: of each sort how many there are and how many are covered, where there are some."""
    hit = {"rules": touched.rules, "Actions": touched.actions, "PA Statuses": touched.statuses}
    counts: dict[str, int] = {}
    problems: list[Problem] = []
    for sort in SORTS:
        names = declared.by_sort.get(sort, {})
        missed = sorted(set(names) - hit.get(sort, touched.terms))
        if names:
            counts |= {sort: len(names), f"{sort} covered": len(names) - len(missed)}
        if uncovered:
            problems += (_uncovered(sort, name, *names[name]) for name in missed)
    every = sum(counts.get(sort, 0) for sort in SORTS)
    covered = sum(counts.get(f"{sort} covered", 0) for sort in SORTS)
    if 100 * covered < least * every:
        said = f"cases touch {100 * covered / every:.1f} % of {every} terms, and {least:g} % are asked for"
        problems.insert(0, Problem(COVERAGE_LOW, said, hint="--uncovered lists what no case touches"))
    return Step(pack, "coverage", problems=tuple(problems), counts=counts)


def _uncovered(sort: str, name: str, file: Path, line: int) -> Problem:
    short = name.rsplit("/", 1)[-1].replace("#", ":")
    term = name if name.startswith(HOME) else ""
    return Problem(UNCOVERED, f"{sort}: `{short}` is touched by no case", file, line, term=term)


def _lines(ontology: Path, knowledge: Knowledge) -> dict[str, int]:
    """The first line that begins with a term, in its prefixed form: where it is declared, as packs are written."""
    return dict(reversed(list(_begun(ontology.read_text(encoding="utf-8"), knowledge.prefixes))))


def _begun(text: str, prefixes: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    for number, line in enumerate(text.splitlines(), 1):
        prefix, _, name = line.split(" ", 1)[0].partition(":")
        if name and prefix in prefixes:
            yield prefixes[prefix] + name, number
