"""Golden plans: the PA Status that each step must get, and what variants of the plan change."""

from __future__ import annotations

from app.authoring.doc.frame import facts, table
from app.authoring.doc.html import Child, Html, between, join, tag
from app.authoring.doc.rules import status
from app.authoring.doc.site import Leaf
from app.authoring.doc.subject import PlanFile
from app.authoring.golden import Expected, Run

_HEADINGS = ("Step", "Statement", "PA Status", "Its Reason has")


def plans_page(leaf: Leaf) -> Html:
    """Every golden plan with its variants."""
    lead = "Plans with the PA Status that each step must get. A variant is shown by the steps that differ."
    return join(tag("h1", "Plans"), tag("p", lead, class_="lead"), [_plan(plan, leaf) for plan in leaf.subject.plans])


def _plan(plan: PlanFile, leaf: Leaf) -> Html:
    written: list[Html] = []
    whole: Run | None = None
    for run in plan.runs:
        variant = whole is not None and run.name.startswith(f"{whole.name}, variant ")
        if not variant:
            whole = run
        written.append(_variant(run, whole, leaf) if variant and whole else _whole(run, leaf))
    source = tag("p", leaf.said(plan.source), class_="names") if plan.source else None
    return tag("section", tag("h2", plan.title), source, written)


def _whole(run: Run, leaf: Leaf) -> Html:
    rows: list[tuple[Child, Child]] = [
        ("M-Instance", leaf.world(run.plan.m_instance)),
        ("Overall", tag("strong", run.overall)),
    ]
    rows += [("User of the session", tag("code", run.plan.user))] if run.plan.user else []
    rows += [(f"Context: {key}", tag("code", str(value))) for key, value in run.plan.context.items()]
    named = tag("h3", run.name) if run.name != "turn" else None
    return join(named, facts(rows), table(_HEADINGS, [_step(n, said, run, leaf) for n, said in run.plan.steps]))


def _variant(run: Run, whole: Run, leaf: Leaf) -> Html:
    before, now = dict(whole.plan.steps), dict(run.plan.steps)
    changed = [n for n in now if before.get(n) != now[n] or run.expected.get(n) != whole.expected.get(n)]
    dropped = sorted(set(before) - set(now))
    without = tag("p", f"Without step {', '.join(map(str, dropped))}.") if dropped else None
    return tag(
        "section",
        tag("h3", leaf.said(run.name.removeprefix(f"{whole.name}, variant "))),
        without,
        table(_HEADINGS, [_step(n, now[n], run, leaf) for n in changed]) if changed else None,
        class_="variant",
    )


def _step(number: int, said: str, run: Run, leaf: Leaf) -> list[Child]:
    expected = run.expected.get(number)
    verdict = status(expected.status.value) if expected else "–"
    return [str(number), leaf.pattern(said), verdict, _words(expected, leaf)]


def _words(expected: Expected | None, leaf: Leaf) -> Child:
    if expected is None:
        return None
    rules = leaf.subject.domain.rules
    said: list[Child] = []
    for word in expected.words:
        rule = rules.get(word.strip("[]")) if word.startswith("[") else None
        said.append(leaf.rule(rule) if rule is not None else tag("q", leaf.said(word)))
    if expected.trap:
        said.append(tag("small", "near miss of ", tag("code", expected.trap)))
    return between(", ", said)
