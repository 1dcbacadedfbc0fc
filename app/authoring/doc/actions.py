"""The Actions that a pack declares: what each takes, needs and may receive, and the rules that concern it."""

from __future__ import annotations

from collections.abc import Iterable

from app.authoring.doc.frame import facts, filter_box, table
from app.authoring.doc.html import Child, Html, between, join, tag
from app.authoring.doc.rules import status
from app.authoring.doc.site import Leaf
from app.model import PAStatus
from app.rules import Action
from app.rules.forms import ComplementForm


def actions_page(leaf: Leaf) -> Html:
    """Every Action that the pack declares."""
    subject = leaf.subject
    own = [subject.domain.actions[name] for name in sorted(subject.domain.actions)]
    items = [_item(action, leaf) for action in own if action.source == subject.pack.source]
    lead = "What a Process Action statement may say: with which complements, under which needs."
    return join(tag("h1", "Actions"), tag("p", lead, class_="lead"), filter_box("Actions"), items)


def _item(action: Action, leaf: Leaf) -> Html:
    headings = ("Complement", "Kinds", "Notes", "Source")
    rows = [_complement(form, leaf) for form in action.complements]
    anchor = leaf.site.actions[action.name].partition("#")[2]
    return tag(
        "article",
        tag("h2", action.name),
        facts(list(_facts(action, leaf))),
        table(headings, rows) if rows else None,
        id=anchor,
        class_="item",
        data_item=True,
    )


def _facts(action: Action, leaf: Leaf) -> Iterable[tuple[Child, Child]]:
    yield "Service", action.service
    yield "Clause", leaf.said(action.clause)
    if action.older:
        yield "Older names", ", ".join(action.older)
    yield "May receive", between(" ", map(_status, sorted(action.published, key=lambda each: each.rank)))
    for each, why in sorted(action.ours.items(), key=lambda item: item[0].rank):
        yield "May receive (ours)", join(_status(each), " ", leaf.said(why))
    if action.rights_to:
        yield "Rights carried go to", tag("code", f"?{action.rights_to}")
    rules = sorted(leaf.subject.domain.blocking.get(action.name, ()), key=lambda rule: (rule.status.rank, rule.id))
    if rules:
        yield "Rules that can refuse it", between(", ", map(leaf.rule, rules))


def _status(each: PAStatus) -> Html:
    return status(each.value)


def _complement(form: ComplementForm, leaf: Leaf) -> list[Child]:
    kinds = [kind if kind in {"text", "number"} else leaf.term(kind) for kind in form.kinds]
    noted = {
        "required": form.required,
        f"unless {form.unless}": bool(form.unless),
        "repeatable": form.repeatable,
        "may be new": form.introduces,
        "a kind, not a thing": form.type,
        f"need: {form.need}": bool(form.need),
        f"role: {form.role}": bool(form.role),
        f"units: {', '.join(form.units)}": bool(form.units),
    }
    notes = ", ".join(note for note, holds in noted.items() if holds)
    preposition = tag("strong", form.preposition.value) if form.required else form.preposition.value
    return [preposition, between(" or ", kinds), notes, leaf.said(form.source)]
