"""What commitments contradict, by logic alone (SEMANTICS 9).

Facts and axioms are closed in a private layer over Knowledge and what the World says for good of the things named; a
contradiction there is a conflict, and its premises say with what. Norms oppose each other where one act could be
both; a phrase has one meaning. What contradicts only a changeable state of the World is noted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from app.commitments.forms import Meaning
from app.commitments.names import Scope
from app.commitments.norms import opposed
from app.commitments.saying import say_axiom, say_fact
from app.commitments.triples import ABOUT_CLASSES
from app.evaluate.agreed import IDENTITY, Agreed, Norm, clashes, identities
from app.facts import Slice
from app.knowledge import fold
from app.model import Layer, Term, Triple
from app.reasoner import Clash, Closure, extend
from app.rules import Domain
from app.vocab import ALT_LABEL, IDENTIFIER, LABEL, OWL, RDF, SUB_CLASS, TYPE, dac

OPPOSITION: Final = "deontic opposition"
ONE_MEANING: Final = "a phrase has one meaning"
_GROUNDS_TO: Final = dac("groundsTo")
_STATE: Final = dac("state")
_FUNCTIONAL: Final[Triple] = (IDENTITY, TYPE, OWL + "FunctionalProperty")
_NAMES: Final = frozenset({IDENTIFIER, LABEL, ALT_LABEL})
_APART: Final = frozenset({"cax-dw", "cax-adc", "cls-com"})
_TOLD: Final = 3  # further conflicts of one commitment that its text tells
_CELLS: Final = frozenset({RDF + "first", RDF + "rest"})


@dataclass(frozen=True, slots=True)
class Item:
    """A commitment with what it says."""

    commitment_id: str
    statement: str
    meaning: Meaning


@dataclass(frozen=True, slots=True)
class Step:
    """One fact of a chain: the rule that infers it from others, or who says it: a CommitmentID, a pack, the World."""

    fact: Triple
    rule: str = ""
    premises: tuple[Triple, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why a commitment cannot be kept: the rule, the other commitments it meets, the axioms with an IRI, and the
    chain from what is said to the contradiction.
    """

    commitment_id: str
    rule: str
    commitments: tuple[str, ...] = ()
    axioms: tuple[str, ...] = ()
    chain: tuple[Step, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class Ground:
    """What commitments stand on: Knowledge, and what the World says for good of the things they name; `changing` is
    what it says of them now and may change.
    """

    scope: Scope
    closure: Closure
    settled: frozenset[Triple]
    changing: tuple[Triple, ...]

    @classmethod
    def of(cls, scope: Scope, meanings: Iterable[Meaning]) -> Ground:
        """The ground of some commitments."""
        held = [scope.situation.slices.get(each) for each in sorted({m for each in meanings for m in each.mentions})]
        facts = [fact for each in held if each is not None and each.layer is Layer.WORLD for fact in _said(each)]
        changeable = changeable_of(scope.domain)
        settled = [fact for fact in facts if fact[1] not in changeable]
        closure = extend(scope.domain.knowledge.closure, (_FUNCTIONAL, *settled, *identities(settled)))
        return cls(scope, closure, frozenset(settled), tuple(fact for fact in facts if fact[1] in changeable))


def changeable_of(domain: Domain) -> frozenset[str]:
    """The properties whose values Process Actions take away again, and States."""
    taken = {
        match.path.links[0].predicate
        for action in domain.actions.values()
        for effect in action.effects
        for match in effect.says.get("remove", ())
    }
    return frozenset(taken - {TYPE}) | {_STATE}


class Standing:
    """The commitments that stand together so far; each that contradicts them is refused with its Conflict."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.items: list[Item] = []
        self.conflicts: list[Conflict] = []
        self.closure: Closure | None = None
        self._phrases: dict[str, Item] = {}
        self._norms: dict[str, list[tuple[Item, Norm]]] = {}

    def take(self, items: list[Item]) -> None:
        """Keep those that stand with what is kept and with those before them: the first wins."""
        if not items:
            return
        trial = self._closed([*self.items, *items])
        if (conflict := self._conflict(items, trial)) is None:
            self._keep(items, trial)
        elif len(items) == 1:
            self.conflicts.append(conflict)
        else:
            middle = len(items) // 2
            self.take(items[:middle])
            self.take(items[middle:])

    def agreed(self) -> Agreed:
        """What stands, as judging reads it."""
        norms = tuple((i.commitment_id, i.statement, norm) for i in self.items for norm in i.meaning.norms)
        return Agreed(norms, self.closure, _origin(self.items))

    def noted(self, items: Iterable[Item]) -> Iterator[Conflict]:
        """What some of those kept contradict of the World as it is now."""
        new = {fact for item in items for fact in item.meaning.facts}
        if self.closure is None or not new or not self.ground.changing:
            return
        laid = extend(self.closure, (*self.ground.changing, *identities(self.ground.changing)))
        origin = _origin(self.items)
        for clash in clashes(laid):
            asserted = laid.why_all(clash.premises)
            if not new.isdisjoint(asserted):
                about = next(name for fact in asserted if fact in new for name in origin[fact])
                told = self._told(about, clash, laid, asserted, origin)
                yield replace(told, text=told.text.replace("conflicts with what is known", "is not so at present", 1))
                return

    def _closed(self, items: list[Item]) -> Closure | None:
        facts = [fact for item in items for fact in item.meaning.facts]
        if not facts:
            return None
        if len(facts) == sum(len(item.meaning.facts) for item in self.items):
            return self.closure
        return extend(self.ground.closure, (*facts, *_witnesses(facts), *identities(facts)))

    def _keep(self, items: list[Item], trial: Closure | None) -> None:
        self.items += items
        self.closure = trial
        for item in items:
            if item.meaning.naming is not None:
                self._phrases[item.meaning.naming.folded] = item
            for norm in item.meaning.norms:
                self._norms.setdefault(norm.deed.action, []).append((item, norm))

    def _conflict(self, items: list[Item], trial: Closure | None) -> Conflict | None:
        """A contradiction of some items; of a single one, the plainest there is."""
        found: list[Conflict] = []
        if trial is not None and trial is not self.closure:
            origin = _origin([*self.items, *items])
            for clash in clashes(trial):
                asserted = trial.why_all(clash.premises)
                found.append(self._told(items[-1].commitment_id, clash, trial, asserted, origin))
                if len(items) > 1:
                    return found[0]
        found += self._opposed(items, trial)
        found += self._renamed(items)
        return _together(sorted(found, key=_plainness)) if found else None

    def _opposed(self, items: list[Item], trial: Closure | None) -> Iterator[Conflict]:
        """Norms that oppose those kept, or each other."""
        closure = trial or self.ground.closure

        used: list[Triple] = []

        def fits(one: Term, other: Term) -> bool:
            if one == other:
                return True
            for a, b in ((one, other), (other, one)):
                for predicate in (TYPE, SUB_CLASS) if isinstance(a, str) and isinstance(b, str) else ():
                    if closure.holds((str(a), predicate, b)):
                        used.append((str(a), predicate, b))
                        return True
            return False

        origin = _origin([*self.items, *items])

        seen: dict[str, list[tuple[Item, Norm]]] = {}
        for item in items:
            for norm in item.meaning.norms:
                for before, kept in (*self._norms.get(norm.deed.action, ()), *seen.get(norm.deed.action, ())):
                    used.clear()
                    if opposed(norm, kept, self.ground.scope.domain, fits):
                        because = (name for fact in closure.why_all(used) for name in origin.get(fact, ()))
                        yield self._against(item, norm, before, kept, dict.fromkeys(because))
                seen.setdefault(norm.deed.action, []).append((item, norm))

    def _against(self, item: Item, norm: Norm, before: Item, kept: Norm, because: Iterable[str]) -> Conflict:
        action = self.ground.scope.names.name(norm.deed.action)
        other = f"`{before.commitment_id}`" if before is not item else "itself"
        text = (
            f"`{item.commitment_id}` conflicts with {other}: of one and the same {action} it says "
            f"{norm.deontic}, and {kept.deontic} is said before"
        )
        met = dict.fromkeys(each for each in (before.commitment_id, *because) if each != item.commitment_id)
        if len(met) > 1:
            text += f", as {' and '.join(f'`{each}`' for each in met if each != before.commitment_id)} makes it"
        return Conflict(item.commitment_id, OPPOSITION, tuple(met), text=text)

    def _renamed(self, items: list[Item]) -> Iterator[Conflict]:
        """Phrases that mean something else already."""
        phrases = dict(self._phrases)
        for item in items:
            naming = item.meaning.naming
            if naming is None:
                continue
            before = phrases.setdefault(naming.folded, item)
            meant = before.meaning.naming
            if meant is not None and meant.term != naming.term:
                name = self.ground.scope.names.name(meant.term)
                text = (
                    f"`{item.commitment_id}` conflicts with `{before.commitment_id}`: "
                    f'"{naming.phrase}" means `{name}` there'
                )
                yield Conflict(item.commitment_id, ONE_MEANING, (before.commitment_id,), (_GROUNDS_TO,), text=text)

    def _told(
        self,
        about: str,
        clash: Clash,
        closure: Closure,
        asserted: tuple[Triple, ...],
        origin: Mapping[Triple, tuple[str, ...]],
    ) -> Conflict:
        """A contradiction with all it rests on."""
        meets = dict.fromkeys(name for fact in asserted for name in origin.get(fact, ()) if name != about)
        sources = {fact: self._source(fact, origin) for fact in asserted}
        axioms = [f for f in asserted if f not in origin and f not in self.ground.settled and f[1] != IDENTITY]
        named = [_axiom(fact) for fact in axioms if fact[1] not in _CELLS]
        apart = _classes(clash)
        met = dict.fromkeys(each for each in (*named, *apart) if each and not each.startswith("urn:"))
        if not met and not meets:
            met = dict.fromkeys(p for _, p, _ in asserted if p != IDENTITY and p not in _CELLS)
        chain = _chain(clash, closure, sources)
        others = [f"`{name}`" for name in meets] or ["what is known"]
        text = f"`{about}` conflicts with {' and '.join(others)}: {self._reason(sources, apart)}"
        return Conflict(about, clash.rule, tuple(meets), tuple(met), chain, text)

    def _reason(self, sources: Mapping[Triple, str], apart: tuple[str, ...]) -> str:
        """What a contradiction rests on, said: facts with who says them, then axioms."""
        name = self.ground.scope.names.name
        facts, laws = [], []
        for fact, source in sources.items():
            said = say_axiom(fact, name)
            if source and said is None and not fact[0].startswith("_:") and fact[1] not in (IDENTITY, *_CELLS):
                facts.append(f"{say_fact(fact, name)} [{source}]")
            elif source and said and not fact[0].startswith("urn:"):
                laws.append(f"{said} [{source}]")
        things = sorted(f"`{name(s)}`" for s, p, _ in sources if p == IDENTITY)
        if apart:
            laws.append(f"nothing is both {' and '.join(sorted(f'`{name(each)}`' for each in apart))}")
        if len(things) > 1:
            laws.append(f"{' and '.join(things)} are two things")
        return "; ".join(dict.fromkeys((*facts, *laws)))

    def _source(self, fact: Triple, origin: Mapping[Triple, tuple[str, ...]]) -> str:
        if fact in origin:
            return ", ".join(origin[fact])
        if fact in self.ground.settled or fact in self.ground.changing:
            return "the World"
        if fact[1] == IDENTITY or fact == _FUNCTIONAL:
            return "identity"
        return self.ground.scope.domain.knowledge.origin.get(fact, "")


def _said(held: Slice) -> Iterator[Triple]:
    """What the World itself says of an entity, and what points at it; names are no statements about it."""
    for p, objects in held.out.items():
        for o in objects:
            if (p, o) not in held.because and p not in _NAMES:
                yield held.entity, p, o
    for p, subjects in held.into.items():
        for s in subjects:
            yield s, p, held.entity


def _witnesses(facts: Iterable[Triple]) -> Iterator[Triple]:
    """Who speaks of the things of a class takes it that there is one: else nothing said of it could be wrong."""
    for s, p, o in facts:
        if p in ABOUT_CLASSES:
            yield from (
                (f"_:one.{fold(c)}", TYPE, c) for c in (s, o) if isinstance(c, str) and not c.startswith("_:")
            )


def _origin(items: Iterable[Item]) -> dict[Triple, tuple[str, ...]]:
    found: dict[Triple, tuple[str, ...]] = {}
    for item in items:
        for fact in (*item.meaning.facts, *_witnesses(item.meaning.facts)):
            found[fact] = (*found.get(fact, ()), item.commitment_id)
    return found


def _chain(clash: Clash, closure: Closure, sources: Mapping[Triple, str]) -> tuple[Step, ...]:
    """From the premises that contradict each other down to what is said, each fact once."""
    steps: dict[Triple, Step] = {}
    pending = list(clash.premises)
    while pending:
        fact = pending.pop(0)
        if fact in steps:
            continue
        derivation = closure.derivation(fact)
        if derivation is None:
            steps[fact] = Step(fact, source=sources.get(fact, ""))
        else:
            steps[fact] = Step(fact, derivation.rule, derivation.premises)
            pending += derivation.premises
    return tuple(steps.values())


def _axiom(fact: Triple) -> str:
    """The IRI under which an axiom can be looked up: what it is about."""
    s, p, o = fact
    if p in _CELLS:
        return ""
    named = [t for t in (s, o) if isinstance(t, str) and not t.startswith(("_:", OWL, RDF))]
    return named[0] if named else ""


def _classes(clash: Clash) -> tuple[str, ...]:
    """The classes that a contradiction of classes sets apart."""
    if clash.rule not in _APART:
        return ()
    found = (o for _, p, o in clash.premises if p == TYPE and isinstance(o, str) and not o.startswith(("_:", OWL)))
    return tuple(dict.fromkeys(found))


def _together(found: list[Conflict]) -> Conflict:
    """The plainest of several, with what the others meet besides; those that meet no more add nothing."""
    first = found[0]
    others: list[Conflict] = []
    for each in found[1:]:
        if not any(set(kept.commitments) <= set(each.commitments) for kept in (first, *others) if kept.commitments):
            others += [each] if each.commitments else []
    text = "; it ".join([first.text, *(each.text.partition(" ")[2] for each in others[:_TOLD])])
    met = dict.fromkeys(name for each in (first, *others) for name in each.commitments)
    return replace(first, commitments=tuple(met), text=text)


def _plainness(conflict: Conflict) -> tuple[int, int, str]:
    """The conflict that is told is the one with the fewest commitments and the shortest chain."""
    return len(conflict.commitments), len(conflict.chain), conflict.text
