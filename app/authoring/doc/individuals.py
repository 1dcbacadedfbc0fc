"""The pages of individuals: uses, states, norms and limits, and all others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from app.authoring.doc.axioms import expression
from app.authoring.doc.frame import facts, filter_box
from app.authoring.doc.html import Child, Html, between, in_language, join, tag
from app.authoring.doc.site import Leaf
from app.authoring.doc.subject import NORMS, OTHERS, STATES, USES, Subject
from app.authoring.doc.terms import definitions, further, heading
from app.kinds.limits import CONSTRAINT, SENTENCE
from app.kinds.norms import CONDUCT, HAS_NORM, OVERRIDES, Norm
from app.kinds.uses import AFFORDS, BY_STATE, EXCLUDES, LEADS_TO, PERFORMED_BY, REQUIRES
from app.kinds.wording import narrowest
from app.model import Text
from app.vocab import DEONTIC_VERB, TYPE, dac

_CONDITIONS: Final = (("place", "In"), ("role", "For"), ("occasion", "On"), ("thing", "Towards"))
_OF_NORMS: Final = frozenset(
    {SENTENCE, DEONTIC_VERB, CONDUCT, OVERRIDES, dac("inPlace"), dac("forRole"), dac("onOccasion"), dac("towards")}
)

Row = tuple[Child, Child]


def statement_of(use: str, subject: Subject) -> str:
    """The statement that carries a use out, its places open."""
    said = [text.value for text in subject.stated.objects(use, PERFORMED_BY) if isinstance(text, Text)]
    if said:
        return said[0]
    return BY_STATE if subject.stated.names(use, LEADS_TO) else "–"


def uses_page(leaf: Leaf) -> Html:
    """What can be done with things."""
    return _page("Uses", USES, _of_use, leaf, "What things of the pack lend themselves to, beside the Actions.")


def states_page(leaf: Leaf) -> Html:
    """What things can be in."""
    return _page("States", STATES, _of_state, leaf, "What things of the pack can be in.")


def norms_page(leaf: Leaf) -> Html:
    """How one behaves, and what limits things."""
    return _page("Norms and limits", NORMS, _of_norm, leaf, "How one behaves here, and what limits things.")


def others_page(leaf: Leaf) -> Html:
    """Members of closed lists, and whatever else has a name."""
    return _page("Individuals", OTHERS, _of_any, leaf, "Members of closed lists, and what else the pack names.")


def _page(title: str, kind: str, rows: Callable[[str, Leaf], Iterable[Row]], leaf: Leaf, said: str) -> Html:
    iris = leaf.subject.terms[kind]
    items = [_item(iri, list(rows(iri, leaf)), leaf) for iri in iris]
    return join(tag("h1", title), tag("p", said, class_="lead"), filter_box(title.lower()), items)


def _item(iri: str, rows: list[Row], leaf: Leaf) -> Html:
    anchor = leaf.site.terms[iri].partition("#")[2]
    shown = _OF_NORMS if iri in leaf.subject.terms[NORMS] else frozenset()
    return tag(
        "article",
        heading(iri, leaf, 2),
        definitions(iri, leaf),
        facts(rows),
        further(iri, leaf, shown),
        id=anchor,
        class_="item",
        data_item=True,
    )


def _of_use(iri: str, leaf: Leaf) -> Iterable[Row]:
    stated = leaf.subject.stated
    yield "Carried out by", tag("code", statement_of(iri, leaf.subject))
    for title, predicate in (("Needs the state", REQUIRES), ("Leads to", LEADS_TO)):
        if states := stated.names(iri, predicate):
            yield title, between(", ", leaf.terms(states))
    if givers := stated.subjects(AFFORDS, iri):
        yield "Granted by", between(", ", leaf.terms(g for g in givers if not g.startswith("_:")))
    yield from _spoken_of(iri, leaf)


def _of_state(iri: str, leaf: Leaf) -> Iterable[Row]:
    stated = leaf.subject.stated
    if others := {*stated.names(iri, EXCLUDES), *stated.subjects(EXCLUDES, iri)}:
        yield "Never together with", between(", ", leaf.terms(others))
    if actions := stated.names(iri, dac("excludesAction")):
        yield "Excludes the Action", between(", ", leaf.terms(actions))
    for title, predicate in (("Needed by", REQUIRES), ("Reached by", LEADS_TO)):
        if named := stated.subjects(predicate, iri):
            yield title, between(", ", leaf.terms(named))
    yield from _spoken_of(iri, leaf)


def _of_norm(iri: str, leaf: Leaf) -> Iterable[Row]:
    stated = leaf.subject.stated
    for text in leaf.subject.texts(iri, SENTENCE):
        yield f"Says ({text.lang})" if text.lang else "Says", tag("strong", in_language(text))
    norm = leaf.subject.all_norms.get(iri)
    if norm is not None:
        yield "Conduct", join(leaf.term(norm.verb), ": " if norm.conduct else None, _conduct(norm, leaf))
        for condition, title in _CONDITIONS:
            if values := norm.conditions.get(condition):
                yield title, between(" or ", leaf.terms(values))
        if not norm.conditions:
            yield "Where", "everywhere"
        for title, named in (("While", norm.states), ("Goes before", norm.overrides)):
            if named:
                yield title, between(", ", leaf.terms(named))
    holders = {*stated.subjects(CONSTRAINT, iri), *stated.subjects(HAS_NORM, iri)}
    if holders and norm is None:
        yield "Of", between(", ", leaf.terms(holders))
    yield "Is a", _kinds(iri, leaf)
    yield from _spoken_of(iri, leaf)


def _of_any(iri: str, leaf: Leaf) -> Iterable[Row]:
    if kinds := _kinds(iri, leaf):
        yield "Is a", kinds
    yield from _spoken_of(iri, leaf)


def _conduct(norm: Norm, leaf: Leaf) -> Html | None:
    return leaf.term(norm.conduct) if norm.conduct else None


def _kinds(iri: str, leaf: Leaf) -> Html:
    types = leaf.subject.stated.objects(iri, TYPE)
    named = [*narrowest(types, leaf.subject.knowledge)]
    unnamed = [expression(o, leaf) for o in types if isinstance(o, str) and o.startswith("_:")]
    return between(", ", [*leaf.terms(named), *sorted(unnamed)])


def _spoken_of(iri: str, leaf: Leaf) -> Iterable[Row]:
    """The rules that name a term."""
    if rules := leaf.subject.rules_naming.get(iri):
        yield "Rules that name it", between(", ", map(leaf.rule, rules))


def sentence_of(iri: str, leaf: Leaf) -> Html:
    """A Norm or a limit in a list: its sentence, linked."""
    said = next(iter(leaf.subject.texts(iri, SENTENCE)), None)
    return leaf.link(leaf.site.terms.get(iri), in_language(said) if said else leaf.subject.name(iri))
