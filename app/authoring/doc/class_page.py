"""The page of one class: where it stands, what holds of its members, what they afford, what speaks of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from app.authoring.doc.axioms import axioms_of
from app.authoring.doc.concerns import Concern
from app.authoring.doc.drawing import Box, draw
from app.authoring.doc.frame import facts, section, table
from app.authoring.doc.html import Child, Html, between, join, tag
from app.authoring.doc.individuals import sentence_of, statement_of
from app.authoring.doc.site import Leaf
from app.authoring.doc.subject import Subject
from app.authoring.doc.terms import definitions, further, heading, is_deprecated
from app.kinds.limits import CONSTRAINT
from app.kinds.uses import LEADS_TO, REQUIRES, Grant, form_for
from app.model import Preposition

_INHERITED: Final = {"every one has", "never a"}
_CONDITIONS: Final = {
    "place": "there",
    "role": "for these",
    "occasion": "on these occasions",
    "thing": "towards these",
}
_DEPRECATED: Final = "Deprecated: new worlds and rules do without it."
_MOST_DRAWN, _MOST_NAMED = 24, 30


def class_page(iri: str, leaf: Leaf) -> Html:
    """The page of a class."""
    return tag(
        "article",
        _above(iri, leaf),
        heading(iri, leaf),
        tag("p", _DEPRECATED, class_="lacking") if is_deprecated(iri, leaf) else None,
        definitions(iri, leaf),
        section("Place among the classes", _place(iri, leaf), _picture(iri, leaf)),
        section("Axioms", _axioms(iri, leaf)),
        section("What it affords", _affordances(iri, leaf)),
        section("Norms", _norms(iri, leaf)),
        section("Limits", _limits(iri, leaf)),
        section("What every world must keep", _shapes(iri, leaf)),
        section("Properties that concern it", _properties(iri, leaf)),
        section("Rules that speak of it", _rules(iri, leaf)),
        section("In the worlds of the pack", _members(iri, leaf)),
        section("Also stated", further(iri, leaf)),
    )


def _above(iri: str, leaf: Leaf) -> Html | None:
    """The way down to the class, by its main superclass at each step."""
    steps = [tag("li", leaf.term(each)) for each in chain(iri, leaf.subject)]
    return tag("nav", tag("ol", steps), aria_label="Classes above", class_="above") if steps else None


def chain(iri: str, subject: Subject) -> list[str]:
    """The classes from the top to just above a class; where several are above it, the main one."""
    found: list[str] = []
    while above := subject.direct.get(iri):
        iri = subject.main(iri, above)
        found.append(iri)
    return found[::-1]


def _place(iri: str, leaf: Leaf) -> Html | None:
    subject = leaf.subject
    rows: list[tuple[Child, Child]] = []
    direct = subject.direct[iri]
    if direct:
        rows.append(("Superclasses", between(", ", leaf.terms(direct))))
    if further_up := subject.above[iri] - set(direct):
        rows.append(("Further up", between(", ", leaf.terms(further_up))))
    if same := subject.same(iri):
        rows.append(("The same as", between(", ", leaf.terms(same))))
    by_pack: dict[str, list[str]] = {}
    for other, narrower in leaf.site.narrower.get(iri, ()):
        by_pack.setdefault(other.pack.name, []).append(narrower)
    for name, narrower_ones in by_pack.items():
        title = "Subclasses" if name == subject.pack.name else f"Subclasses in {name}"
        rows.append((title, between(", ", leaf.terms(narrower_ones))))
    return facts(rows)


def _picture(iri: str, leaf: Leaf) -> Html | None:
    """The way down to the class, and the classes of its pack directly below it."""
    subject = leaf.subject
    narrower = [other for owner, other in leaf.site.narrower.get(iri, ()) if owner is subject]
    above = chain(iri, subject)[-3:]
    if not narrower and not above:
        return None
    here = Box(subject.name(iri), None, "here")
    here.below = [_box(each, leaf) for each in narrower[:_MOST_DRAWN]]
    if len(narrower) > _MOST_DRAWN:
        here.below.append(Box(f"{len(narrower) - _MOST_DRAWN} more", None, "other"))
    for each in reversed(above):
        outer = _box(each, leaf)
        outer.below = [here]
        here = outer
    label = f"{subject.name(iri)} between the classes above and below it"
    return tag("div", draw([here], label), class_="drawing", tabindex=0, role="region", aria_label=label)


def _box(iri: str, leaf: Leaf) -> Box:
    place = leaf.site.terms.get(iri)
    kind = "own" if leaf.subject.is_own(iri) else "other"
    return Box(leaf.subject.name(iri), leaf.href(place) if place else None, kind)


def _axioms(iri: str, leaf: Leaf) -> Html | None:
    own = axioms_of(iri, leaf)
    rows: list[tuple[Child, Child]] = [(axiom.kind, axiom.said) for axiom in own]
    said = {axiom.said for axiom in own}
    for above in leaf.subject.by_name(leaf.subject.above[iri]):
        for axiom in axioms_of(above, leaf):
            if axiom.kind in _INHERITED and axiom.said not in said:
                said.add(axiom.said)
                rows.append((axiom.kind, join(axiom.said, tag("small", " as ", leaf.term(above)))))
    return facts(_grouped(rows))


def _grouped(rows: list[tuple[Child, Child]]) -> list[tuple[Child, Child]]:
    """Those of one kind together."""
    kinds: dict[str, list[Child]] = {}
    for kind, said in rows:
        kinds.setdefault(str(kind), []).append(said)
    return [
        (kind, tag("ul", [tag("li", each) for each in said]) if len(said) > 1 else said[0])
        for kind, said in kinds.items()
    ]


def _affordances(iri: str, leaf: Leaf) -> Html | None:
    found = leaf.subject.grants(iri)
    if not found:
        return None
    rows = [_affordance(grant, iri, leaf) for grant in found]
    return table(("Use", "Granted by", "Needs the state", "Leads to", "Carried out by"), rows)


def _affordance(grant: Grant, iri: str, leaf: Leaf) -> list[Child]:
    stated = leaf.subject.stated
    use = leaf.action(grant.action.name) if grant.action is not None else leaf.term(grant.use)
    giver = tag("em", "this class") if grant.granted_by == iri else leaf.term(grant.granted_by)
    return [
        use,
        giver,
        between(", ", leaf.terms(stated.names(grant.use, REQUIRES))) or "–",
        between(", ", leaf.terms(stated.names(grant.use, LEADS_TO))) or "–",
        tag("code", _carried_out(grant, iri, leaf.subject)),
    ]


def _carried_out(grant: Grant, iri: str, subject: Subject) -> str:
    """The statement of a use, its places open; of an Action with what a thing of the class is for it."""
    if grant.action is None:
        return statement_of(grant.use, subject)
    classes = (iri, *subject.knowledge.schema.superclasses.get(iri, ()))
    form = form_for(grant.action, grant.granted_by, classes, subject.knowledge)
    if form is None:
        return grant.action.name
    preposition = "" if form.preposition is Preposition.NIL else f"{form.preposition} "
    return f"{grant.action.name} {preposition}{{item}}"


def _norms(iri: str, leaf: Leaf) -> Html | None:
    """The Norms that name the class or one above it, by the condition in which they do."""
    items = []
    seen: set[tuple[str, str]] = set()
    for each in (iri, *leaf.subject.by_name(leaf.subject.above[iri] | leaf.subject.same(iri))):
        for condition, norm in leaf.subject.norms_of.get(each, ()):
            if (condition, norm) not in seen:
                seen.add((condition, norm))
                by = None if each == iri else tag("small", " as ", leaf.term(each))
                note = tag("small", f" ({_CONDITIONS[condition]})")
                items.append(tag("li", sentence_of(norm, leaf), note, by))
    return tag("ul", items) if items else None


def _limits(iri: str, leaf: Leaf) -> Html | None:
    items = []
    for each in (iri, *leaf.subject.by_name(leaf.subject.above[iri] | leaf.subject.same(iri))):
        for limit in leaf.subject.stated.names(each, CONSTRAINT):
            by = None if each == iri else tag("small", " as ", leaf.term(each))
            items.append(tag("li", sentence_of(limit, leaf), by))
    return tag("ul", items) if items else None


def _shapes(iri: str, leaf: Leaf) -> Html | None:
    kept = [
        (each, kept)
        for each in (iri, *leaf.subject.by_name(leaf.subject.above[iri]))
        for kept in leaf.subject.stated.shapes.get(each, ())
    ]
    items = [
        tag("li", leaf.said(k.message), [" (", leaf.term(k.path), ")"] if k.path else None,
            tag("small", " as ", leaf.term(each)) if each != iri else None)
        for each, k in kept
    ]  # fmt: skip
    return tag("ul", items) if items else None


def _properties(iri: str, leaf: Leaf) -> Html | None:
    found = leaf.subject.concerns.get(iri, {})
    rows = [(leaf.term(each), _how(found[each], leaf)) for each in leaf.subject.by_name(found)]
    return table(("Property", "How"), rows) if rows else None


def _how(found: tuple[Concern, ...], leaf: Leaf) -> Html:
    return between("; ", [join(each.how, [" ", leaf.world(each.world)] if each.world else None) for each in found])


def _rules(iri: str, leaf: Leaf) -> Html | None:
    items = [
        tag(
            "li",
            leaf.rule(rule),
            " ",
            leaf.said(rule.title),
            " ",
            tag("span", rule.status.value, class_=f"status {rule.status.value}"),
        )
        for rule in leaf.subject.rules_naming.get(iri, ())
    ]
    return tag("ul", items) if items else None


def _members(iri: str, leaf: Leaf) -> Html | None:
    return facts(list(_by_world(iri, leaf)))


def _by_world(iri: str, leaf: Leaf) -> Iterator[tuple[Child, Child]]:
    for world in leaf.subject.worlds:
        named = [entity.identifier for entity in world.entities if iri in entity.classes]
        if named:
            more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else None
            yield leaf.world(world.name), join(between(", ", [tag("code", n) for n in named[:_MOST_NAMED]]), more)
