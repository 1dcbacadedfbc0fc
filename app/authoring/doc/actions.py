"""The Actions that a pack declares: what each takes, needs and may receive, and the rules that concern it."""

from __future__ import annotations

from collections.abc import Iterable

from app.authoring.doc.frame import facts, filter_box, section, table
from app.authoring.doc.html import Child, Html, between, join, tag
from app.authoring.doc.rules import status
from app.authoring.doc.site import NEED, Leaf
from app.model import PAStatus
from app.rules import Action, Need
from app.rules.forms import ComplementForm, Payment


def actions_page(leaf: Leaf) -> Html:
    """Every Action that the pack declares."""
    subject = leaf.subject
    items = [_item(action, leaf) for action in subject.own_actions]
    lead = "What a Process Action statement may say: with which complements, under which needs."
    return join(
        tag("h1", "Actions"),
        tag("p", lead, class_="lead"),
        filter_box("Actions"),
        items,
        _needs(leaf),
        _payments(leaf),
    )


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


def _needs(leaf: Leaf) -> Html | None:
    """What an Action can need for a complement, and the rules that meet it."""
    return section("What an Action can need", [_need(each, leaf) for each in leaf.subject.own_needs])


def _need(need: Need, leaf: Leaf) -> Html:
    meeting = leaf.subject.domain.permitting.get(need.name, ())
    rows: list[tuple[Child, Child]] = [
        ("Clause", leaf.said(need.clause)),
        ("Unmet, the Reason says", leaf.said(need.explain)),
    ]
    rows.append(("Met by", between(", ", map(leaf.rule, meeting)) if meeting else "nothing"))
    anchor = leaf.site.actions[NEED + need.name].partition("#")[2]
    return tag(
        "div", tag("h3", leaf.said(need.title), " ", tag("code", need.name)), facts(rows), id=anchor, class_="case"
    )


def _payments(leaf: Leaf) -> Html | None:
    """Why a step can cost something."""
    return section("What a step can cost", [_payment(each, leaf) for each in leaf.subject.own_payments])


def _payment(payment: Payment, leaf: Leaf) -> Html:
    actions = between(", ", map(leaf.action, sorted(payment.actions))) if payment.actions else "every Action"
    rows: list[tuple[Child, Child]] = [("Clause", leaf.said(payment.clause)), ("Actions", actions)]
    return tag("div", tag("h3", leaf.said(payment.title), " ", tag("code", payment.name)), facts(rows), class_="case")


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
        f"role: {form.role}": bool(form.role),
        f"units: {', '.join(form.units)}": bool(form.units),
    }
    notes: list[Child] = [note for note, holds in noted.items() if holds]
    if form.need:
        notes.append(["need: ", leaf.need(form.need)])
    preposition = tag("strong", form.preposition.value) if form.required else form.preposition.value
    return [preposition, between(" or ", kinds), between(", ", notes), leaf.said(form.source)]
