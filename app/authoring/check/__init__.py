"""Is a pack sound? Every way in which one can be wrong that shows without judging a plan (DESIGN 8).

STEPS is what is done, in order; CHECKS what each of them may find. A step says how long it took and what it counted,
or why it was not done: nothing passes silently.

manifest.py  pack.toml          syntax.py    files that cannot be read      terms.py   words, declared and used
words.py     labels             class_pitfalls.py, property_pitfalls.py     rules.py   rules, golden plans, questions
logic.py     contradictions     profile.py   OWL 2 DL and RL               reasoned.py  both, of any ontology
asked.py     what cases and uses name
worlds.py    shapes, worlds     subject.py, source.py, graph.py, places.py, toml_places.py   what is looked at
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from types import MappingProxyType
from typing import Final

from app.authoring.check import (
    asked,
    class_pitfalls,
    logic,
    manifest,
    profile,
    property_pitfalls,
    rules,
    syntax,
    terms,
    words,
    worlds,
)
from app.authoring.check.reasoned import logic_stage, profile_stage
from app.authoring.check.subject import NotDoneError, Subject, ontology_file
from app.authoring.problems import Check, Problem, Report, Step
from app.edition import Edition

Found = tuple[Iterator[Problem] | Iterable[Problem], Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Stage:
    """One line of STEPS: what it is called, what it does, and whether a file that is no pack has it."""

    name: str
    steps: Callable[[str, Subject], Iterator[Step]]
    of_files: bool
    does: str


def _timed(look: Callable[[Subject], Found]) -> Callable[[str, Subject], Iterator[Step]]:
    """One Step from what looks for problems and counts what it has looked at."""

    def steps(name: str, subject: Subject) -> Iterator[Step]:
        yield timed(subject.pack, name, lambda: look(subject))

    return steps


def timed(pack: str, name: str, look: Callable[[], Found]) -> Step:
    """A Step with its time; not done where the look raises NotDoneError, with what was found until then."""
    begun, found = perf_counter(), list[Problem]()
    try:
        problems, counts = look()
        for problem in problems:
            found.append(problem)  # one by one: what is found before the rest cannot be done is told
    except NotDoneError as reason:
        return Step(pack, name, perf_counter() - begun, tuple(found), not_done=str(reason))
    return Step(pack, name, perf_counter() - begun, tuple(found), counts)


def _manifest(subject: Subject) -> Found:
    return manifest.manifest_problems(subject), {}


def _syntax(subject: Subject) -> Found:
    problems = list(syntax.syntax_problems(subject))
    if subject.ontology.unread:
        raise NotDoneError(subject.ontology.unread)
    sources = (subject.ontology, *subject.others)
    files = len(sources) + (len(syntax.toml_files(subject)) if subject.file is None else 0)
    return problems, {"files": files, "triples": sum(len(source.facts) for source in sources)}


def _terms(subject: Subject) -> Found:
    graph = subject.graph
    if subject.file is None:
        absent = [n for n in subject.required if not ontology_file(subject.edition.folder(n)).is_file()]
        if absent:
            raise NotDoneError(f"a pack that it requires is not there: {', '.join(absent)}")
    header = manifest.header_problems(subject) if subject.file is None else ()
    counts = {
        "classes": len(graph.classes.intersection(subject.terms)),
        "properties": len(graph.properties.intersection(subject.terms)),
        "individuals": len(graph.individuals.intersection(subject.terms)),
    }
    return [*header, *terms.term_problems(subject)], counts


def _words(subject: Subject) -> Found:
    problems = list(words.word_problems(subject))
    return problems, {"terms": len(subject.terms)}


def _pitfalls(subject: Subject) -> Found:
    found = [*class_pitfalls.class_problems(subject), *property_pitfalls.property_problems(subject)]
    return found, {"pitfalls looked for": len(class_pitfalls.CHECKS) + len(property_pitfalls.CHECKS)}


def _rules(subject: Subject) -> Found:
    problems = list(rules.rule_problems(subject))
    counts: dict[str, int] = {}
    if not problems:
        problems = list(asked.use_problems(subject))
        own = str(subject.edition.rules_of(subject.pack))
        domain = subject.domain
        found = [rule for rule in domain.rules.values() if rule.where.startswith(own)]
        counts = {
            "rules": len(found),
            "cases": sum(len(rule.cases) for rule in found),
            "facts": len(domain.knowledge.origin),
            "inferred": len(domain.knowledge.closure.facts) - len(domain.knowledge.origin),
        }
    return problems, counts


def _cases(subject: Subject) -> Found:
    named = (*asked.answer_problems(subject), *asked.question_problems(subject))
    return [*rules.case_problems(subject), *named], {"files": len(rules.case_files(subject))}


def _shapes(subject: Subject) -> Found:
    return worlds.shape_problems(subject), {"files": int((subject.folder / "shapes.ttl").is_file())}


def _worlds(name: str, subject: Subject) -> Iterator[Step]:
    for path in subject.edition.worlds_of(subject.pack):

        def look(path: Path = path) -> Found:
            facts = next((len(source.facts) for source in subject.others if source.path == path), 0)
            return worlds.world_problems(subject, path), {"triples": facts}

        yield timed(subject.pack, f"{name} {path.stem}", look)


STEPS: Final = (
    Stage("manifest", _timed(_manifest), False, "pack.toml: its keys, version, the packs required"),
    Stage("syntax", _timed(_syntax), True, "every file read: Turtle, RDF/XML, functional syntax, TOML"),
    Stage("terms", _timed(_terms), True, "terms declared, one thing each, in their namespace; deprecation; circles"),
    Stage("words", _timed(_words), True, "labels and definitions"),
    Stage("pitfalls", _timed(_pitfalls), True, "what is sound by logic and not what was meant"),
    Stage("profile", profile_stage, True, "OWL 2 DL, and what OWL 2 RL does not infer"),
    Stage("logic", logic_stage, True, "no contradiction, and no class that can have no members, by three reasoners"),
    Stage("rules", _timed(_rules), False, "rules, Actions, needs and payments, as loading reads them"),
    Stage("cases", _timed(_cases), False, "files of golden plans, answers and competency questions"),
    Stage("shapes", _timed(_shapes), False, "SHACL shapes: well formed, for something"),
    Stage("world", _worlds, False, "each world by names, shapes and axioms, as a service that loads it"),
)
"""What is done for a pack, in order."""

CHECKS: Final[Mapping[str, Check]] = MappingProxyType(
    {
        each.code: each
        for module in (
            manifest,
            syntax,
            terms,
            words,
            class_pitfalls,
            property_pitfalls,
            profile,
            logic,
            rules,
            asked,
            worlds,
        )
        for each in module.CHECKS
    }
)
"""Everything that may be found, by code."""


OF_LOGIC: Final = frozenset(each.code for each in (*logic.CHECKS, *profile.CHECKS))
"""Those that reasoning finds, whose cases lie with the tests of logic."""


def check(
    edition: Edition,
    packs: Iterable[str],
    *,
    skip: Collection[str] = (),
    progress: Callable[[str], None] = lambda _: None,
) -> Report:
    """Check packs of an Edition, one after the other. `skip` names steps; `progress` is told each one begun."""
    return _report((Subject(edition, pack) for pack in packs), skip, progress)


def check_file(
    edition: Edition,
    path: Path,
    *,
    skip: Collection[str] = (),
    progress: Callable[[str], None] = lambda _: None,
) -> Report:
    """Check one ontology that is no pack: what holds of any ontology; conventions of this project only warn."""
    return _report([Subject(edition, path.name, path)], skip, progress)


def _report(subjects: Iterable[Subject], skip: Collection[str], progress: Callable[[str], None]) -> Report:
    done: list[Step] = []
    for subject in subjects:
        for stage in STEPS:
            if stage.name in skip or (subject.file is not None and not stage.of_files):
                continue
            progress(f"{subject.pack}: {stage.name}")
            done += stage.steps(stage.name, subject)
    return Report("check", tuple(done))
