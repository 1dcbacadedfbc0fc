"""The rules of a pack: the list by PA Status, and a page for each with its pattern, Repairs and cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from app.authoring.doc.frame import facts, filter_box, section
from app.authoring.doc.html import Child, Html, between, join, tag
from app.authoring.doc.named import named_in
from app.authoring.doc.site import Leaf
from app.rules import Rule
from app.rules.forms import Wording


def rules_page(leaf: Leaf) -> Html:
    """Every rule of the pack, by the PA Status it gives."""
    groups = [
        tag(
            "section", tag("h2", status(str(value))), tag("ul", [_line(rule, leaf) for rule in rules], class_="plain")
        )
        for value, rules in groupby(leaf.subject.own_rules, key=lambda rule: rule.status)
    ]
    lead = "In the order in which they decide: a finding of a status further up stands higher."
    return join(tag("h1", "Rules"), tag("p", lead, class_="lead"), filter_box("rules"), groups)


def _line(rule: Rule, leaf: Leaf) -> Html:
    concerned = leaf.subject.concerned(rule)
    if rule.need:
        whom: Child = join("meets the need ", leaf.need(rule.need))
    elif rule.actions or len(concerned) <= 3:
        whom = between(", ", map(leaf.action, (rule.actions and sorted(rule.actions)) or concerned))
    else:
        whom = f"{len(concerned)} Actions"
    return tag(
        "li",
        leaf.rule(rule),
        " ",
        leaf.said(rule.title.english),
        tag("small", " – ", whom) if whom else None,
        data_item=True,
    )


def status(value: str) -> Html:
    """A PA Status, coloured."""
    return tag("span", value, class_=f"status {value}")


def rule_page(rule: Rule, leaf: Leaf) -> Html:
    """All that the file of a rule holds."""
    members = leaf.subject.rules[rule.id]
    return tag(
        "article",
        tag("h1", leaf.said(rule.title.english)),
        *(tag("p", leaf.said(title), lang=language) for language, title in sorted(rule.title.others.items())),
        tag("p", tag("code", rule.id), " ", status(rule.status.value), class_="names"),
        facts(list(_facts(rule, leaf))),
        section("When it fires", _pattern(rule, members, leaf)),
        section("Repairs", _repairs(members, leaf)),
        section("Cases", [_case(case, leaf) for case in members.get("case", ())]),
    )


def _facts(rule: Rule, leaf: Leaf) -> Iterable[tuple[Child, Child]]:
    yield "Clause", leaf.said(rule.clause)
    concerned = leaf.subject.concerned(rule)
    if rule.need:
        yield "Meets the need", leaf.need(rule.need)
    if concerned:
        how = "" if rule.actions else " (every Action that gives its variables a value)"
        yield "Actions", join(between(", ", map(leaf.action, concerned)), how)
    else:
        yield "Actions", "whatever the Action"
    yield from leaf.wording("Its Reason says", rule.explain)
    if rule.missing:
        yield from leaf.wording("Where it does not fire", rule.missing)
    terms = named_in(str(leaf.subject.rules[rule.id].get("when", "")), leaf.subject.knowledge.prefixes)
    if known := [iri for iri in terms if iri in leaf.subject.knowledge.vocabulary]:
        yield "Names", between(", ", leaf.terms(known))


def _pattern(rule: Rule, members: Mapping[str, Any], leaf: Leaf) -> Html:
    if rule.builtin:
        return tag("p", "The reader of statements or the decision itself raises it; there is no pattern.")
    given = members.get("given")
    return join(
        [tag("p", "Applicable only where this is known:"), leaf.block(str(given))] if given else None,
        leaf.block(str(members.get("when", ""))),
    )


def _repairs(members: Mapping[str, Any], leaf: Leaf) -> Html | None:
    items = [tag("li", facts(list(_repair(each, leaf)))) for each in members.get("repair", ())]
    return tag("ol", items) if items else None


def _repair(members: Mapping[str, Any], leaf: Leaf) -> Iterable[tuple[Child, Child]]:
    if "replace" in members:
        yield "Say instead", tag("code", f"{members['replace']} {members.get('by', '')}")
    if "insert" in members:
        yield "Do first", tag("code", members["insert"])
    for key, title in (("facts", "Bring about"), ("remove", "Withdraw"), ("when", "Found by")):
        if key in members:
            yield title, leaf.block(str(members[key]))
    if "who" in members:
        yield "By", tag("code", members["who"])
    if "text" in members:
        others = {key.removeprefix("text_"): str(said) for key, said in members.items() if key.startswith("text_")}
        yield from leaf.wording("In words", Wording(str(members["text"]), others))


def _case(case: Mapping[str, Any], leaf: Leaf) -> Html:
    fires = case["fires"]
    verdict = tag("span", "fires" if fires else "does not fire", class_="fires" if fires else "fires-not")
    rows: list[tuple[Child, Child]] = []
    for before in case.get("before", ()):
        rows.append(("Before", tag("code", before)))
    rows.append(("Statement", tag("code", case["statement"])))
    rows += [("World with", leaf.block(case["add"]))] if case.get("add") else []
    rows += [("World without", leaf.block(case["remove"]))] if case.get("remove") else []
    rows += [("User of the session", tag("code", case["user"]))] if case.get("user") else []
    rows += [("Agreed before", tag("code", each)) for each in case.get("commitments", ())]
    rows += [(f"Context: {key}", tag("code", str(value))) for key, value in case.get("context", {}).items()]
    rows += [("PA Status", status(case["status"]))] if case.get("status") else []
    if words := case.get("reason"):
        rows.append(("Its Reason has", between(", ", [tag("q", leaf.said(word)) for word in words])))
    return tag("div", tag("h3", leaf.said(case["name"]), " ", verdict), facts(rows), class_="case")
