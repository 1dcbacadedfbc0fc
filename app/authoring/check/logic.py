"""Logic: does the ontology contradict itself, and can each class have members; by three reasoners.

The OWL 2 RL rules are what serving infers by; HermiT decides OWL 2 DL; rustdl is the second opinion. Each is asked of
the ontology with all it requires, then with each world of the pack. Whatever is wrong is told with a smallest set of
axioms that cannot all be, each with its place.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import pyoxigraph as ox

from app.authoring.logic.axioms import Place, Source, Theory, as_facts, read_source
from app.authoring.logic.justify import Budget, Justification, Question, Search, inconsistency, no_members
from app.authoring.logic.reasoners import Limits, NotDone, Rustdl, Verdict, hermit
from app.authoring.logic.wording import labels_of, said
from app.authoring.problems import Check, Problem, Severity, Step
from app.edition import CORE, Edition, in_order
from app.errors import PackError
from app.knowledge import read_pack
from app.reasoner import close
from app.reasoner.equals import BOUND
from app.vocab import dac

CONTRADICTION: Final = Check(
    "contradiction",
    Severity.ERROR,
    "axioms contradict each other",
    "from a contradiction everything follows, so no answer would mean anything",
)
NO_MEMBERS: Final = Check(
    "unsatisfiable_class",
    Severity.ERROR,
    "a class can have no members",
    "the first thing that is one contradicts the ontology; no author means that",
)
DISAGREEMENT: Final = Check(
    "reasoners_disagree",
    Severity.ERROR,
    "two reasoners come to different verdicts",
    "one of them is wrong, and nothing says which: look at the axioms before you trust either",
)
PASSED_OVER: Final = Check(
    "passed_over",
    Severity.NOTE,
    "the second opinion passes over some axioms",
    "its verdict holds without them only",
)
RL_LIMIT: Final = Check(
    "inference_limit",
    Severity.WARNING,
    "more follows by OWL 2 RL than is written out",
    "serving would know only a part of it",
)
CHECKS: Final = (CONTRADICTION, NO_MEMBERS, DISAGREEMENT, PASSED_OVER, RL_LIMIT)

MOST_CLASSES: Final = 25
"""Classes without members that are explained; of further ones only the name is told."""

MOST_AXIOMS: Final = 50
"""Axioms of one set that are told."""

SEARCH_SECONDS: Final = 60.0
"""What the search for what is to blame may take for one ontology or world."""


def logic_steps(edition: Edition, pack: str, limits: Limits = Limits()) -> Iterator[Step]:  # noqa: B008 - it is frozen
    """The steps of a pack: by each reasoner, of its ontology and then of each of its worlds."""
    try:
        sources, worlds = sources_of(edition, pack), _worlds(edition, pack)
    except PackError as error:
        yield Step(pack, "logic", not_done=str(error))
        return
    yield from steps_of(pack, sources, worlds, limits)


def steps_of(
    name: str,
    sources: Iterable[Source],
    worlds: Mapping[str, tuple[Source, ...]] | None = None,
    limits: Limits = Limits(),  # noqa: B008 - it is frozen
) -> Iterator[Step]:
    """The same of any ontology; `worlds` has further files by what they are called, each asked by itself."""
    own = tuple(sources)
    try:
        rustdl: Rustdl | None = Rustdl(limits)
        absent = ""
    except NotDone as reason:
        rustdl, absent = None, str(reason)
    try:
        contradicts = yield from _Judged(name, "", Theory(own), rustdl, absent, limits).steps()
        for world, further in (worlds or {}).items():
            if contradicts:
                yield Step(name, f"logic {world}", not_done="the ontology contradicts itself without it")
                continue
            known = {source.file for source in own}
            theory = Theory((*own, *(each for each in further if each.file not in known)))
            yield from _Judged(name, f" {world}", theory, rustdl, absent, limits).steps()
    finally:
        if rustdl is not None:
            rustdl.__exit__(None, None, None)


@dataclass
class _Judged:
    """One ontology or world and what the reasoners say of it, one after another."""

    pack: str
    suffix: str
    theory: Theory
    rustdl: Rustdl | None
    absent: str
    limits: Limits
    told: set[str] = field(default_factory=set)

    def steps(self) -> Generator[Step, None, bool]:
        """The steps; returns whether any reasoner finds a contradiction."""
        self.search = Search(self.theory, self.rustdl, Budget(SEARCH_SECONDS), self.limits)
        rules = self._by_rules()
        yield rules
        clashes = any(problem.check is CONTRADICTION for problem in rules.problems)
        step, verdict = self._by_hermit(clashes)
        yield step
        second, opinion = self._by_rustdl(verdict, clashes)
        yield second
        return clashes or any(each is not None and not each.consistent for each in (verdict, opinion))

    def _by_rules(self) -> Step:
        begun = time.monotonic()
        facts = list(as_facts(self.theory.triples()))
        closure = close(facts)
        counts = {"axioms": len(self.theory.axioms), "inferred": len(closure.facts) - len(set(facts))}
        problems: list[Problem] = []
        if any(clash.rule == BOUND for clash in closure.clashes):
            problems.append(Problem(RL_LIMIT, "some of what follows is not written out"))
        if any(clash.rule != BOUND for clash in closure.clashes):
            problems += self._explained(CONTRADICTION, inconsistency(), "", "the OWL 2 RL rules find a contradiction")
        return self._step("OWL 2 RL", begun, problems, counts)

    def _by_hermit(self, clashes: bool) -> tuple[Step, Verdict | None]:
        begun = time.monotonic()
        try:
            verdict = hermit(self.theory.triples(), self.limits)
        except NotDone as reason:
            return self._not_done("HermiT", begun, reason), None
        problems = list(self._found(verdict, "HermiT"))
        if clashes and verdict.consistent:
            message = "HermiT finds a model, the OWL 2 RL rules a contradiction"
            problems.append(Problem(DISAGREEMENT, message))
        counts = {"consistent": int(verdict.consistent), "unsatisfiable": len(verdict.unsatisfiable)}
        return self._step("HermiT", begun, problems, counts), verdict

    def _by_rustdl(self, first: Verdict | None, clashes: bool) -> tuple[Step, Verdict | None]:
        begun = time.monotonic()
        if self.rustdl is None:
            return self._not_done("rustdl", begun, self.absent), None
        try:
            verdict = self.rustdl.judge(self.theory.triples())
        except NotDone as reason:
            return self._not_done("rustdl", begun, reason), None
        problems = list(self._found(verdict, "rustdl"))
        if verdict.passed_over:
            kinds = ", ".join(f"{number} x {kind}" for kind, number in sorted(verdict.passed_over.items()))
            problems.append(Problem(PASSED_OVER, f"rustdl passes over {kinds}"))
        problems += self._disagreement(first, verdict, clashes)
        counts = {"consistent": int(verdict.consistent), "unsatisfiable": len(verdict.unsatisfiable)}
        return self._step("rustdl", begun, problems, counts), verdict

    def _disagreement(self, first: Verdict | None, second: Verdict, clashes: bool) -> Iterator[Problem]:
        """Where one finds less, that is none if it says that it left something out."""
        is_partial = bool(second.passed_over) or not second.complete
        if first is None:
            if clashes and second.consistent and not is_partial:
                yield Problem(DISAGREEMENT, "rustdl finds a model, the OWL 2 RL rules a contradiction")
            return
        if first.consistent != second.consistent:
            if first.consistent or not is_partial:
                one, other = ("a model", "none") if first.consistent else ("no model", "one")
                yield Problem(DISAGREEMENT, f"HermiT finds {one}, rustdl {other}")
            return
        label = labels_of(self.theory.labels)
        for iri in sorted(set(first.unsatisfiable) ^ set(second.unsatisfiable)):
            if iri in second.unsatisfiable or not is_partial:
                finds = ("HermiT", "rustdl") if iri in first.unsatisfiable else ("rustdl", "HermiT")
                message = f"by {finds[0]} `{label(iri)}` can have no members, by {finds[1]} it can"
                yield Problem(DISAGREEMENT, message, term=iri)

    def _found(self, verdict: Verdict, by: str) -> Iterator[Problem]:
        if not verdict.consistent:
            yield from self._explained(CONTRADICTION, inconsistency(), "", f"{by} finds no model")
            return
        label = labels_of(self.theory.labels)
        for number, iri in enumerate(verdict.unsatisfiable):
            text = f"`{label(iri)}` can have no members"
            if iri in self.told:
                continue
            if number < MOST_CLASSES:
                yield from self._explained(NO_MEMBERS, no_members(iri), iri, text)
            else:
                yield Problem(NO_MEMBERS, text, term=iri, hint="repair those above first; it is not looked into")

    def _explained(self, check: Check, question: Question, term: str, text: str) -> Iterator[Problem]:
        """The problem with its axioms, told once whichever reasoner finds it."""
        if term in self.told:
            return
        self.told.add(term)
        justification = next(iter(self.search.find(question)), None)
        if justification is None:
            yield Problem(check, text, term=term, hint="which axioms are to blame was not found within the limits")
            return
        shown = replace(justification, axioms=justification.axioms[:MOST_AXIOMS])
        places = [self.theory.place(axiom) for axiom in shown.axioms]
        at = places[0] if places else Place(None)
        message = f"{text}: {'; '.join(told_axioms(shown, places, self.theory))}"
        more = len(justification.axioms) - len(shown.axioms)
        message += f"; and {more} more" if more else ""
        yield Problem(check, message, at.file, at.line, at.column, term, _hint(justification))

    def _step(self, reasoner: str, begun: float, problems: Iterable[Problem], counts: Mapping[str, int]) -> Step:
        taken = time.monotonic() - begun
        return Step(self.pack, f"logic{self.suffix} by {reasoner}", taken, tuple(problems), counts)

    def _not_done(self, reasoner: str, begun: float, reason: object) -> Step:
        taken = time.monotonic() - begun
        return Step(self.pack, f"logic{self.suffix} by {reasoner}", taken, not_done=str(reason))


def told_axioms(justification: Justification, places: Iterable[Place], theory: Theory) -> Iterator[str]:
    """Each axiom as a sentence with its place."""
    label = labels_of(theory.labels)
    for axiom, place in zip(justification.axioms, places, strict=True):
        yield f"`{said(axiom, label)}` ({place})"


def _hint(justification: Justification) -> str:
    if justification.minimal:
        return "change or remove one of them"
    return "not proven minimal: the search reached its limit; not all of them may be needed"


def sources_of(edition: Edition, pack: str) -> tuple[Source, ...]:
    """The ontologies that a pack stands on, its own last. Raises PackError with file and line."""
    return tuple(read_source(_ontology(edition, name)) for name in _required(edition, (CORE, pack)))


def _ontology(edition: Edition, name: str) -> Path:
    return edition.folder(name) / "ontology.ttl"


def world_sources(edition: Edition, path: Path, text: str | None = None) -> tuple[Source, ...]:
    """A world, its file last, with the ontologies of the packs that it names; `text` is the world where it is in no
    file. Raises as `sources_of` does.
    """
    world = read_source(path, text)
    stated = (t.object for t in world.triples if t.predicate.value == dac("usesPack"))
    uses = {each.value for each in stated if isinstance(each, ox.Literal)}
    names = _required(edition, (CORE, *sorted(uses & set(edition.names()))))
    return (*(read_source(_ontology(edition, name)) for name in names), world)


def _worlds(edition: Edition, pack: str) -> dict[str, tuple[Source, ...]]:
    return {path.stem: world_sources(edition, path) for path in edition.worlds_of(pack)}


def _required(edition: Edition, names: Iterable[str]) -> tuple[str, ...]:
    return in_order(names, lambda name: read_pack(edition.folder(name), name).requires)
