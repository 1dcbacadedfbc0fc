"""Questions that nobody wrote down: plausible statements of every Action, and the Kinds asked of what is changed.

Deterministic: every choice is made by a digest of what is chosen for, so that the same two states are always asked
the same, whichever of them is OLD.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from typing import Any, Final, TypeVar

import pyoxigraph as ox

from app.authoring.answers import Case
from app.authoring.diff.difference import Act, Change, Part
from app.authoring.diff.queries import OfKind, OfPlan
from app.authoring.diff.scenes import Entity, Scene
from app.authoring.diff.trials import Files
from app.authoring.golden import Plan
from app.knowledge import Knowledge, fold, local_name
from app.model import Complement, Iri, Number, Object, Preposition, ProcessAction, Quoted, Word
from app.rules import Action
from app.rules.forms import ComplementForm
from app.statement import format_action, is_word
from app.vocab import ALT_LABEL, DAC, LABEL, TYPE, mmm

MOST_STATEMENTS: Final = 2_000
MOST_QUESTIONS: Final = 400
_OF_A_CLASS: Final = 8
"""Entities of one class that is changed which are asked about."""
_BELOW: Final = 12
"""Classes below one that is changed whose uses are asked for."""
_ENTITY_KINDS: Final = ("affordances", "constraints", "behavioural_expectations")
_CLASS_KINDS: Final = ("affordances", "constraints")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Touched:
    """What the changes are about: classes and other terms, entities, Actions of rules, and words that name terms."""

    terms: frozenset[str]
    entities: frozenset[str]
    actions: frozenset[str]
    words: tuple[str, ...]

    @classmethod
    def of(cls, changes: Iterable[Change], actions: Iterable[str], files: Files) -> Touched:
        """By some changes, with the Actions that their rules concern; `files` tell what a term is said of."""
        terms, entities, words = set[str](), set[str](), set[str]()
        for change in changes:
            if change.part is Part.WORLD:
                entities.add(change.subject)
            elif change.part in (Part.TERM, Part.LABEL, Part.SYNONYM, Part.DEFINITION, Part.AXIOM):
                terms |= {change.subject, *_before(change)}
                words |= set(_words(change))
        terms |= _around(terms, files)
        return cls(frozenset(terms - {""}), frozenset(entities - {""}), frozenset(actions), tuple(sorted(words)))


def statement_probes(all_scenes: Sequence[Scene], touched: Touched, most: int = MOST_STATEMENTS) -> list[OfPlan]:
    """Statements in each world, at most so many, every Action with its share; what is touched is named more often,
    and Actions whose rules are changed have three shares.
    """
    found: dict[tuple[str, str], OfPlan] = {}
    for scene in all_scenes:
        names = sorted({name for world in scene.worlds for name in world.domain.actions})
        shares = sum(3 if name in touched.actions else 1 for name in names)
        for name in names:
            share = most * (3 if name in touched.actions else 1) // (shares * len(all_scenes))
            for number in range(share):
                for world in scene.worlds:
                    if name in world.domain.actions:
                        action = world.domain.actions[name]
                        text = _statement(action, scene, world.domain.knowledge, touched, number)
                        if text:
                            plan = Plan(scene.m_instance, scene.u_environment, ((0, text),))
                            query = OfPlan(f"probe:{scene.m_instance}:{text}", scene.pack, plan, single=True)
                            found[scene.m_instance, text] = query
    return [found[key] for key in sorted(found)]


def kind_probes(
    all_scenes: Sequence[Scene], touched: Touched, most: int = MOST_QUESTIONS
) -> tuple[list[OfKind], int]:
    """The Kinds asked of what is touched, in each world, at most so many; and how many were left out."""
    found: dict[str, OfKind] = {}
    for scene in all_scenes:
        for kind, ask, said in _asked(scene, touched):
            name = f"probe:{scene.m_instance}:{kind}:{said}"
            session = scene.sessions[0] if scene.sessions else "S-none"
            case = Case(said, kind, scene.m_instance, scene.u_environment, session, ask, {})
            found.setdefault(name, OfKind(name, scene.pack, case))
    chosen = sorted(found)
    if len(chosen) > most:
        chosen = sorted(sorted(chosen, key=_digest)[:most])
    return [found[name] for name in chosen], len(found) - len(chosen)


def _asked(scene: Scene, touched: Touched) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    entities = [each for each in scene.entities if each.iri in touched.entities]
    for term in sorted(touched.terms):
        entities += scene.of_class([term])[:_OF_A_CLASS]
    for entity in dict.fromkeys(entities):
        for kind in _ENTITY_KINDS:
            yield kind, {"EntityIDs": [entity.name]}, entity.name
        if mmm("MLocation") in entity.classes:
            yield "behavioural_expectations", {"Space": {"SpaceID": entity.name}}, f"in {entity.name}"
    for world in scene.worlds:
        knowledge = world.domain.knowledge
        for term in sorted(touched.terms & knowledge.classes.keys()):
            for name in [term, *_below(term, knowledge)[:_BELOW]]:
                label = knowledge.label(name)
                for kind in _CLASS_KINDS:
                    yield kind, {"Terms": [{"Text": label}]}, label
                yield "semantic_grounding", {"Terms": [{"Text": label}]}, label
    for word in touched.words:
        yield "semantic_grounding", {"Terms": [{"Text": word}]}, word


def _words(change: Change) -> Iterator[str]:
    """The names that a change gives or takes."""
    if change.part in (Part.LABEL, Part.SYNONYM):
        yield from (*change.old, *change.new)
    if change.part is Part.TERM and change.act in (Act.ADDED, Act.REMOVED, Act.RENAMED):
        for patch in change.patches:
            for triple in (*patch.removed, *patch.added):
                if triple.predicate.value in (LABEL, ALT_LABEL):
                    yield str(getattr(triple.object, "value", ""))


def _around(terms: set[str], files: Files) -> set[str]:
    """What uses, norms, limits and properties among some terms are said of, or say something of."""
    found: set[str] = set()
    for states in files.values():
        for statement in (*states.old.values(), *states.new.values()):
            for t in statement.triples:
                if t.predicate.value.startswith(DAC) and isinstance(t.object, ox.NamedNode):
                    pair = {t.object.value, statement.subject}
                    found |= pair if pair & terms else set()
    return found


def _before(change: Change) -> Iterator[str]:
    """What a renamed term was called."""
    if change.act is Act.RENAMED:
        for patch in change.patches:
            if patch.path == "ontology.ttl":
                yield from (
                    t.subject.value
                    for t in patch.removed
                    if t.predicate.value == TYPE and isinstance(t.subject, ox.NamedNode)
                )


def _below(term: str, knowledge: Knowledge) -> list[str]:
    return sorted(c for c in knowledge.classes if term in knowledge.schema.superclasses.get(c, ()))


def _statement(action: Action, scene: Scene, knowledge: Knowledge, touched: Touched, number: int) -> str:
    """The numbered statement of an Action; empty where nothing is there for what it requires."""
    seed = f"{scene.m_instance}|{action.name}|{number}"
    filled: set[str] = set()
    complements: list[Complement] = []
    item: Entity | None = None
    for place, form in enumerate(action.complements):
        key = f"{seed}|{form.preposition}|{place}"
        if form.role and form.role in filled:
            continue
        if not form.required and _number(key) % 4:
            continue
        chosen = _object(form, scene, knowledge, touched, key, item, number)
        if chosen is None:
            if form.required:
                return ""
            continue
        written, entity = chosen
        filled.add(form.role)
        complements.append(Complement(form.preposition, written))
        if form.preposition is Preposition.NIL:
            item = entity
    actors = scene.actors
    if not actors:
        return ""
    owner = item.owner if item is not None and _number(f"{seed}|own") % 3 else ""
    actor = owner or _pick(actors, f"{seed}|actor").name
    process = _word(actor, scene)
    return format_action(ProcessAction(process, action.name, tuple(complements))) if process else ""


def _object(
    form: ComplementForm,
    scene: Scene,
    knowledge: Knowledge,
    touched: Touched,
    key: str,
    item: Entity | None,
    number: int,
) -> tuple[Object, Entity | None] | None:
    kinds = [kind for kind in form.kinds if kind not in ("text", "number")]
    if form.type:
        classes = sorted(c for c in knowledge.classes if any(knowledge.is_a(c, kind) for kind in kinds))
        return (_type(_pick(classes, key), knowledge), None) if classes else None
    if form.introduces and _number(key + "|new") % 2:
        return Word(f"Probe{_number(key) % 7}"), None
    candidates = scene.of_class(kinds) if kinds else []
    if mmm("Item") in kinds:
        candidates = [each for each in candidates if each not in scene.actors] or candidates
    if candidates:
        if form.preposition is Preposition.FROM and item is not None and item.place and number % 2:
            place = _word(item.place, scene)
            return (place, None) if place else None
        near = [e for e in candidates if e.iri in touched.entities or e.classes & touched.terms]
        entity = _pick(near if near and number % 2 == 0 else candidates, key)
        written = _word(entity.name, scene)
        return (written, entity) if written else None
    if "number" in form.kinds:
        return Number(Decimal(1 + _number(key) % 9), next(iter(form.units), "")), None
    return (Quoted("hello"), None) if "text" in form.kinds else None


def _word(name: str, scene: Scene) -> Word | Iri | None:
    """A name as a statement has it: the IRI where it is no word."""
    if is_word(name):
        return Word(name)
    return next((Iri(each.iri) for each in scene.entities if each.name == name), None)


def _type(iri: str, knowledge: Knowledge) -> Word | Iri:
    """A class as a statement has it: by its local name where no other class is called so."""
    name = local_name(iri)
    return Word(name) if is_word(name) and knowledge.class_names.get(fold(name)) == (iri,) else Iri(iri)


def _pick(choices: Sequence[T], key: str) -> T:
    return choices[_number(key) % len(choices)]


def _number(key: str) -> int:
    return int.from_bytes(sha256(key.encode()).digest()[:8], "big")


def _digest(key: str) -> str:
    return sha256(key.encode()).hexdigest()
