"""What limits a thing, a place or a class: facts of the World and axioms of the packs, each as a sentence with its
units and source.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from app.facts import Facts
from app.kinds.deontic import RULE, Deontics
from app.kinds.shape_words import of_class, of_thing, sentences
from app.kinds.wording import Speech, in_language, narrowest
from app.model import Text, Triple, Typed
from app.rules import Domain
from app.rules.hours import is_open
from app.shapes import Stated
from app.vocab import OWL, OWNER, PROCESS_ACTION, RDF, SUB_CLASS, TYPE, XSD, dac, mmm

CONSTRAINT: Final = dac("constraint")
SENTENCE: Final = dac("sentence")
_SOURCE: Final = "http://purl.org/dc/terms/source"
_WITHIN: Final = mmm("within")
_DISJOINT: Final = OWL + "disjointWith"
_CENT: Final = Decimal("0.01")
_CARDINALITIES: Final[Mapping[str, str]] = {
    OWL + "maxCardinality": "at_most",
    OWL + "maxQualifiedCardinality": "at_most",
    OWL + "minCardinality": "at_least",
    OWL + "minQualifiedCardinality": "at_least",
    OWL + "cardinality": "exactly",
    OWL + "qualifiedCardinality": "exactly",
}
_QUANTIFIERS: Final[Mapping[str, str]] = {
    OWL + "allValuesFrom": "only",
    OWL + "someValuesFrom": "some",
    OWL + "hasValue": "value",
}


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit in words. `source` is `pack@version`, or the World; `rests_on` the fact or axiom."""

    text: str
    source: str
    kind: str
    rests_on: Triple | None = None

    @property
    def said(self) -> str:
        """The sentence with its source."""
        return f"{self.text} [{self.source}]"


@dataclass(frozen=True, slots=True)
class Limits:
    """Finds the limits of one thing or class after another, in one language, for the User of a session."""

    domain: Domain
    speech: Speech
    deontics: Deontics
    world: str

    def of_thing(self, thing: str) -> Iterator[Limit]:
        """Everything that limits a thing or a place, its classes' limits included."""
        facts = self.speech.facts
        classes = tuple(sorted(c for c in facts.objects(thing, TYPE) if isinstance(c, str)))
        yield from self._access(thing, classes)
        yield from self._rights(thing)
        yield from self._rules(thing, classes)
        yield from self._measures(thing)
        yield from self._prices(thing)
        for licence in facts.objects(thing, mmm("licence")):
            yield self._fact("licence", "licence", thing, licence=self.speech.name(licence))
        yield from self._stated((thing, *classes))
        yield from self._axioms(classes)
        yield from self._rules_of_packs(frozenset(classes))
        yield from self._shapes(of_thing(self.domain.knowledge.shapes, thing, classes, self.speech))

    def of_class(self, asked: str) -> Iterator[Limit]:
        """What limits anything of a class."""
        above = (asked, *self.domain.knowledge.schema.superclasses.get(asked, ()))
        yield from self._stated(above)
        yield from self._axioms(above)
        yield from self._rules_of_packs(frozenset(above))
        yield from self._shapes(of_class(self.domain.knowledge.shapes, above))

    def _fact(self, phrase: str, kind: str, thing: str, **words: object) -> Limit:
        return Limit(self.speech.say(phrase, thing=self.speech.name(thing), **words), self.world, kind)

    def _access(self, thing: str, classes: Iterable[str]) -> Iterator[Limit]:
        """Whose it is; a place with neither owner nor flag is as the nearest around it (SEMANTICS 5, Access)."""
        facts = self.speech.facts
        if mmm("MLocation") not in classes:
            for owner in facts.objects(thing, OWNER):
                yield self._fact("owned", "rights", thing, owner=self.speech.name(owner))
            return
        for place in facts.walk(thing, _WITHIN, inverse=False, least=0):
            holder, public = facts.value(place, OWNER), facts.value(place, mmm("public"))
            if not isinstance(place, str) or (holder is None and public is None):
                continue
            if place != thing:
                yield self._fact("as_outer", "rights", thing, outer=self.speech.name(place))
            if public == Typed("true", XSD + "boolean"):
                yield self._fact("public", "rights", place)
            elif holder is not None:
                yield self._fact("owned_place", "rights", place, owner=self.speech.name(holder))
            else:
                yield self._fact("shut", "rights", place)
            return
        yield self._fact("shut", "rights", thing)

    def _rights(self, thing: str) -> Iterator[Limit]:
        """The User's own Rights that name the thing."""
        facts, named = self.speech.facts, frozenset(self.speech.facts.some_subjects(mmm("complement"), thing)[0])
        for right in self.deontics.held() if named else ():
            for pa in facts.objects(right, PROCESS_ACTION):
                if pa in named:
                    text = self.speech.say(
                        "held",
                        verb=self.deontics.verb(right),
                        right=self.speech.name(right),
                        holder=self.speech.names.name(self.deontics.user or ""),
                        what=self.speech.names.name(pa, facts),
                        times=self.deontics.times(right, pa),
                    )
                    yield Limit(text, self.world, "rights", (right, PROCESS_ACTION, pa))

    def _rules(self, thing: str, classes: Iterable[str]) -> Iterator[Limit]:
        """The Rules that name the thing, its class or a place around it, or nothing in particular."""
        facts = self.speech.facts
        outer = facts.walk(thing, _WITHIN, inverse=False, least=0)
        around = {*outer, *classes}
        own = frozenset(rule for place in outer for rule in facts.objects(place, RULE))
        for rule in self.deontics.rules(outer):
            for pa in facts.objects(rule, PROCESS_ACTION):
                named = facts.objects(pa, mmm("complement"))
                if rule in own or not named or not around.isdisjoint(named):
                    who = self.speech.listing(map(self.speech.name, self.deontics.bound(rule, pa)))
                    text = self.speech.say(
                        "rule",
                        rule=self.deontics.name(rule),
                        verb=f"{who} {self.deontics.verb(rule)}".strip(),
                        what=self.speech.names.name(pa, facts),
                        times=self.deontics.times(rule, pa),
                    )
                    yield Limit(text, self.world, "rule", (rule, PROCESS_ACTION, pa))

    def _measures(self, thing: str) -> Iterator[Limit]:
        """Extent in metres, capacity, opening hours."""
        facts = self.speech.facts
        extent = facts.value(thing, mmm("extent"))
        if isinstance(extent, Typed) and len(numbers := extent.lexical.split()) == 6:
            low, high = [Decimal(n) for n in numbers[:3]], [Decimal(n) for n in numbers[3:]]
            x, y, z = (f"{b - a:f}" for a, b in zip(low, high, strict=True))
            corners = {"low": ", ".join(numbers[:3]), "high": ", ".join(numbers[3:])}
            yield self._fact("extent", "extent", thing, x=x, y=y, z=z, **corners)
        capacity, occupants = facts.value(thing, mmm("capacity")), facts.value(thing, mmm("occupants"))
        if isinstance(capacity, Decimal):
            phrase = "occupied" if isinstance(occupants, Decimal) else "capacity"
            yield self._fact(phrase, "capacity", thing, n=capacity, m=occupants)
        lines = sorted(o.value for o in facts.objects(thing, dac("openingHours")) if isinstance(o, Text))
        if lines:
            try:
                now = "open_now" if any(is_open(line, self.deontics.now) for line in lines) else "shut_now"
            except ValueError:
                now = "hours_unread"
            yield self._fact("hours", "hours", thing, hours=", ".join(lines), now=self.speech.say(now))

    def _prices(self, thing: str) -> Iterator[Limit]:
        """What it costs, in which currency, by which model, for how long."""
        facts = self.speech.facts
        for pricing in facts.objects(thing, mmm("pricing")):
            if self.deontics.over(pricing):
                continue
            model = facts.value(pricing, mmm("priceModel"))
            period = facts.value(pricing, mmm("billingPeriod"))
            named = [self.speech.label(model)] if isinstance(model, str) else []
            named += [period.value] if isinstance(period, Text) else []
            for price in facts.objects(pricing, mmm("price")):
                amount, currency = facts.value(price, mmm("amount")), facts.value(price, mmm("currency"))
                if isinstance(amount, Decimal):
                    code = facts.value(currency, mmm("currencyCode")) if currency is not None else None
                    yield self._fact(
                        "price",
                        "price",
                        thing,
                        amount=f"{amount.quantize(_CENT) if amount == round(amount, 2) else amount:f}",
                        currency=code.value if isinstance(code, Text) else self.speech.name(currency or Text("?")),
                        model=f" ({', '.join(named)})" if named else "",
                        times=self.deontics.times(pricing),
                    )

    def _stated(self, subjects: Iterable[str]) -> Iterator[Limit]:
        """dac:constraint of the thing and its classes, in the pack's own words."""
        facts = self.speech.facts
        for subject in subjects:
            for limit in facts.objects(subject, CONSTRAINT):
                if not isinstance(limit, str):
                    continue
                text = self._sentence(limit)
                cited = facts.value(limit, _SOURCE)
                if cited is not None:
                    text += " " + self.speech.say("source", source=self.speech.name(cited))
                axiom = (subject, CONSTRAINT, limit)
                yield Limit(text, self._origin(axiom), "constraint", axiom)

    def _sentence(self, limit: str) -> str:
        said = in_language(self.speech.facts.objects(limit, SENTENCE), self.speech.language)
        return said or self.speech.label(limit)

    def _origin(self, triple: Triple) -> str:
        return self.domain.knowledge.origin.get(triple, self.world)

    def _axioms(self, classes: Iterable[str]) -> Iterator[Limit]:
        """Disjointness, cardinalities and restrictions that the packs state of the classes."""
        knowledge = self.domain.knowledge
        named = [c for c in classes if c in knowledge.classes]
        for each in named:
            held = knowledge.vocabulary[each].out
            for above in held.get(SUB_CLASS, ()):
                axiom = (each, SUB_CLASS, above)
                if isinstance(above, str) and above.startswith("_:") and axiom in knowledge.origin:
                    yield from self._restriction(each, above, axiom)
            stated = self._disjoint_with(each)
            if stated:
                yield self._disjoint(each, [other for other, _ in stated], stated[0][1])
        for node in knowledge.individuals.get(OWL + "AllDisjointClasses", ()):
            members = list(_members(node, self.speech.facts))
            for each in narrowest([c for c in named if c in members], knowledge):
                yield self._disjoint(
                    each, [m for m in members if m != each], (node, TYPE, OWL + "AllDisjointClasses")
                )

    def _disjoint_with(self, one: str) -> list[tuple[str, Triple]]:
        """The classes stated to be disjoint with one, whichever of the two it is said of, and the axioms."""
        knowledge = self.domain.knowledge
        found: list[tuple[str, Triple]] = []
        for other in knowledge.classes:
            axioms = ((one, _DISJOINT, other), (other, _DISJOINT, one))
            found += [(other, axiom) for axiom in axioms if axiom in knowledge.origin]
        return found

    def _disjoint(self, one: str, others: list[str], axiom: Triple) -> Limit:
        said = self.speech.listing(map(self.speech.label, sorted(others)), quoted=False, joint="or")
        text = self.speech.say("disjoint", one=self.speech.label(one), others=said)
        return Limit(text, self._origin(axiom), "axiom", axiom)

    def _restriction(self, of: str, node: str, axiom: Triple) -> Iterator[Limit]:
        held = self.domain.knowledge.vocabulary[node].out
        for path in held.get(OWL + "onProperty", ()):
            words = {"thing": self.speech.label(of), "property": self.speech.name(path)}
            for predicate, phrase in (*_CARDINALITIES.items(), *_QUANTIFIERS.items()):
                for value in held.get(predicate, ()):
                    said = self.speech.name(value)
                    if said != "a node":
                        text = self.speech.say(phrase, n=said, other=said, **words)
                        yield Limit(text, self._origin(axiom), "axiom", axiom)

    def _general(self, named: str) -> bool:
        """Whether most classes of its pack are below a class: what holds for these says nothing of a thing."""
        pack = named.rpartition("#")[0]
        own = [each for each in self.domain.knowledge.classes if each.startswith(f"{pack}#")]
        return 2 * sum(self.domain.knowledge.is_a(each, named) for each in own) > len(own)

    def _shapes(self, stated: Iterable[Stated]) -> Iterator[Limit]:
        """What a World must keep besides, by the shapes of the packs."""
        for each in stated:
            for text in sentences(each, self.speech):
                yield Limit(text, each.source, "shape", (each.iri, each.of, each.target))

    def _rules_of_packs(self, classes: frozenset[str]) -> Iterator[Limit]:
        """The rules of domain packs that speak of one of the classes, by their titles."""
        core = self.domain.knowledge.packs[0].source
        for rule in self.domain.rules.values():
            if rule.source == core or rule.pattern is None or rule.status.value == "Ack":
                continue
            named = classes.intersection(_classes_in((*rule.pattern.positive, *rule.pattern.possible)))
            if any(not self._general(each) for each in named):
                yield Limit(f"{rule.title.of(self.speech.language)}.", f"{rule.source}/{rule.id}", "rule")


def _classes_in(matches: Iterable[object]) -> Iterator[str]:
    """The classes that a pattern asks for by name."""
    for match in matches:
        path, node = getattr(match, "path", None), getattr(match, "o", None)
        term = getattr(node, "term", None)
        if path is not None and isinstance(term, str) and [link.predicate for link in path.links] == [TYPE]:
            yield term


def _members(node: str, facts: Facts) -> Iterator[str]:
    """The members of an axiom's list."""
    rest = facts.value(node, OWL + "members")
    while isinstance(rest, str) and rest != RDF + "nil":
        first = facts.value(rest, RDF + "first")
        if isinstance(first, str):
            yield first
        rest = facts.value(rest, RDF + "rest")
