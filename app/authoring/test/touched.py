"""What a case touches of the vocabulary: by what it asks, by the facts its answer rests on, by the answer.

A term is touched where
- a rule case or a plan: a rule that fires asks for it (what it wants to find, and what it wants not to), or rests on
  a fact that holds it; a step that is accepted would add or remove such a fact; or a statement, or what the case
  adds to its small world or removes, names it;
- a competency question: its query or a row expected names it;
- a question of a Kind: what is asked, the answer or its explanation names it.
An entity that is touched so touches its classes, with all above them. A rule is touched where it fires, an Action
where a statement that can be read uses it, a PA Status where a step gets it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, Final

from app.authoring.answering import Answering
from app.authoring.cases import BASE, case_facts
from app.authoring.collected import OfKind, OfPlan, OfQuestion, OfRule
from app.authoring.test.running import Tried
from app.errors import PackError, StatementError
from app.evaluate import Names
from app.knowledge import fold, from_rdf
from app.model import Event, Iri, Object, ProcessAction, Statement, Triple, Verdict, Word
from app.rules import Domain, Rule
from app.rules.syntax import Constant, Link, Pattern
from app.statement import parse
from app.vocab import HOME, TYPE
from app.world import World

_PREFIXED: Final = re.compile(r"\b([A-Za-z_]\w*):([A-Za-z_][\w-]*)")
_IRI: Final = re.compile(r"<([^<>\s]+)>")


@dataclass(frozen=True, slots=True)
class Touched:
    """IRIs of terms and of Actions, ids of rules, names of PA Statuses."""

    terms: frozenset[str] = frozenset()
    rules: frozenset[str] = frozenset()
    actions: frozenset[str] = frozenset()
    statuses: frozenset[str] = frozenset()

    def __or__(self, other: Touched) -> Touched:
        return Touched(*(getattr(self, each.name) | getattr(other, each.name) for each in fields(self)))


NOTHING_TOUCHED: Final = Touched()


def touched_by(tried: Tried, answers: Answering) -> Touched:
    """What a case touches; nothing where it could not be asked."""
    case = tried.case
    try:
        match case:
            case OfRule():
                domain = answers.domain((case.pack,))
                scene = _Scene(domain, BASE, case_facts(case.case, case.world_text)[0])
                changed = Touched(frozenset(_written(f"{case.case.add}\n{case.case.remove}", domain)))
                statements = (*case.case.before, case.case.statement)
                return changed | _judged(statements, tried.ran.verdicts, scene)
            case OfPlan():
                scene = _scene_of(answers.world(case.golden.plan.m_instance))
                return _judged((text for _, text in case.golden.plan.steps), tried.ran.verdicts, scene)
            case OfQuestion():
                domain = answers.domain((case.pack,))
                world = case.question.world
                scene = _scene_of(answers.world(world)) if world else _Scene(domain, BASE, ())
                cells = [cell for row in case.question.rows for cell in row]
                named = set(_written("\n".join((case.question.query, *cells)), domain))
                return Touched(scene.with_classes(named | set(map(scene.names.iri, cells))))
            case OfKind():
                scene = _scene_of(answers.world(case.case.m_instance))
                told = (case.case.ask, case.case.before, tried.ran.response.get("Answer"), tried.ran.explanation)
                texts = set(_texts(told))
                named = {text for text in texts if text.startswith(HOME)}
                return Touched(scene.with_classes(named | set(map(scene.names.iri, texts))))
    except PackError:
        pass
    return NOTHING_TOUCHED


class _Scene:
    """A world to look up in: what its entities are called, and their classes."""

    def __init__(self, domain: Domain, base: str, facts: Iterable[Triple], names: Names | None = None) -> None:
        self.domain = domain
        self.names = names or Names(base, domain.knowledge)
        self.classes: dict[str, set[str]] = {}
        above = domain.knowledge.schema.superclasses
        for s, p, o in facts:
            if p == TYPE and isinstance(o, str):
                self.classes.setdefault(s, set()).update((o, *above.get(o, ())))

    def with_classes(self, iris: Iterable[str]) -> frozenset[str]:
        """These, and the classes of those that are entities."""
        found = set(iris)
        for iri in tuple(found):
            found |= self.classes.get(iri, set())
        return frozenset(found)


@lru_cache(maxsize=8)
def _scene_of(world: World) -> _Scene:
    """A World is looked through once, whatever the number of its cases."""
    facts = ((str(from_rdf(s)), p.value, from_rdf(o)) for s, p, o in world.store.triples())
    return _Scene(world.domain, world.names.base, facts, world.names)


def _judged(texts: Iterable[str], verdicts: Iterable[Verdict], scene: _Scene) -> Touched:
    terms: set[str] = set()
    rules: set[str] = set()
    actions: set[str] = set()
    statuses: set[str] = set()
    for verdict in verdicts:
        statuses |= {str(verdict.status)} if verdict.status is not None else set()
        triples = [*verdict.effect.added, *verdict.effect.removed]
        for finding in (*verdict.findings, *verdict.permits):
            rules.add(finding.rule)
            terms |= _asked_for(scene.domain.rules[finding.rule])
            terms |= {value for value in finding.bindings.values() if isinstance(value, str)}
            for fact in finding.used:
                triples += (fact.triple, *fact.because)
        terms |= {term for triple in triples for term in triple if isinstance(term, str)}
    for text in texts:
        try:
            statement = parse(text, scene.domain.grammar)
        except StatementError:
            continue
        for action in _actions(statement):
            actions.add(scene.domain.actions[action.action].iri)
            for named in (action.process, *(each.object for each in action.complements)):
                terms |= _meant(named, scene)
    return Touched(scene.with_classes(terms), frozenset(rules), frozenset(actions), frozenset(statuses))


def _asked_for(rule: Rule) -> set[str]:
    """The terms that its pattern wants to find or not to find; a branch of a UNION need not have been asked."""
    return _terms_in((rule.pattern.positive, rule.pattern.negative)) if rule.pattern is not None else set()


def _terms_in(part: object) -> set[str]:
    if isinstance(part, Link):
        return {part.predicate}
    if isinstance(part, Constant):
        return {part.term} if isinstance(part.term, str) else set()
    if isinstance(part, Pattern):
        return _terms_in(part.elements)
    return set().union(*map(_terms_in, part)) if isinstance(part, tuple) else set()


def _actions(statement: Statement) -> Iterator[ProcessAction]:
    yield from statement.actions
    if statement.event is not None:
        yield from _awaited(statement.event)


def _awaited(event: Event) -> Iterator[ProcessAction]:
    for operand in event.operands:
        if isinstance(operand, Event):
            yield from _awaited(operand)
        else:
            yield operand


def _meant(named: Object | None, scene: _Scene) -> set[str]:
    """What a name of a statement can mean: the entity that has it, else the classes that are called so."""
    if isinstance(named, Iri):
        return {named.iri}
    if not isinstance(named, Word):
        return set()
    iri = scene.names.iri(named.name)
    return {iri} if iri in scene.classes else set(scene.domain.knowledge.class_names.get(fold(named.name), ()))


def _written(text: str, domain: Domain) -> Iterator[str]:
    """The IRIs that a SPARQL text or a row names."""
    yield from _IRI.findall(text)
    prefixes = domain.knowledge.prefixes
    for prefix, name in _PREFIXED.findall(text):
        if prefix in prefixes:
            yield prefixes[prefix] + name


def _texts(value: Any) -> Iterator[str]:
    """Every text of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
