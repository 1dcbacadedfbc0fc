"""The runner of rule cases: each `[[case]]` of a rule file is tried in a small world (DESIGN 5, 8).

name        what is tried, unique in its file
commitments statements that the dialogue agreed on, called 1, 2, ...
before      statements that must be Ack first, as steps 0, 1, ...
add, remove Turtle that changes the small world: a near miss differs by one fact
statement   the step that is judged
user        the User of the session          context   its ActionContext (BKN-PRC)
fires       whether the rule is among its findings or permits
status      the PA Status it gets                    reason   words that its Reason holds
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from app.authoring.plans import judge_texts, read_context
from app.edition import CORE, Edition
from app.errors import PackError
from app.knowledge import read_turtle
from app.model import PAStatus, Triple, Verdict
from app.rules import Domain, Rule, load
from app.rules.forms import Case
from app.vocab import PREFIXES
from app.world import World

BASE = "https://cases.example/"
WORLD_FILE = "cases.ttl"
_HEADER = f"@base <{BASE}> .\n" + "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in PREFIXES.items())


@dataclass(frozen=True)
class RuleCase:
    """A case with what it runs in: the rule's Domain and the text of its small world."""

    rule: Rule
    case: Case
    domain: Domain
    world_text: str

    @property
    def id(self) -> str:
        """How reports name it."""
        return f"rule:{self.rule.id}:{self.case.name}"

    def mismatches(self) -> list[str]:
        """What is not as the case says."""
        return run_case(self.rule, self.case, self.domain, self.world_text)


def rule_cases(edition: Edition) -> Iterator[RuleCase]:
    """Every case there is: of core's rules in core's Domain alone, of a pack's rules in that pack's.

    A pack's rules are tried in `PACK/rules/cases.ttl`, in core's small world where there is none. Raises PackError.
    """
    for name in (CORE, *(pack for pack in edition.names() if pack != CORE)):
        folder = edition.rules_of(name)
        if not any(folder.glob("pa_status/*.toml")):
            continue
        domain = load(edition, [name])
        world_text = small_world(edition, name)
        for rule in domain.rules.values():
            if Path(rule.where).is_relative_to(folder):
                yield from (RuleCase(rule, case, domain, world_text) for case in rule.cases)


def small_world(edition: Edition, pack: str) -> str:
    """The Turtle in which the cases of a pack's rules are tried."""
    path = edition.rules_of(pack) / WORLD_FILE
    return (path if path.exists() else edition.rules_of(CORE) / WORLD_FILE).read_text(encoding="utf-8")


def run_case(rule: Rule, case: Case, domain: Domain, world_text: str) -> list[str]:
    """What is not as the case says, in words; empty where all is. A case that cannot be run is a mismatch too."""
    try:
        facts, wrong = case_facts(case, world_text)
        if wrong:
            return wrong
        return compared(rule.id, case, case_verdicts(case, facts, domain))
    except PackError as error:
        return [fault.message for fault in error.faults]


def compared(rule: str, case: Case, verdicts: Iterable[Verdict]) -> list[str]:
    """What of the Verdicts is not as a case of the rule says, in words; empty where all is."""
    *before, last = verdicts
    wrong = [
        f"step {verdict.step}, `{verdict.statement}`, goes before and must be Ack, but is {_said(verdict)}"
        for verdict in before
        if verdict.status is not PAStatus.ACK
    ]
    fired = any(finding.rule == rule for finding in (*last.findings, *last.permits))
    if fired is not case.fires:
        wrong.append(f"`{rule}` {'fires' if fired else 'does not fire'}: {_said(last)}")
    if last.failures:
        wrong += [f"`{failure.rule}` could not run: {failure.message}" for failure in last.failures]
    if case.status is not None and last.status is not case.status:
        wrong.append(f"expected {case.status}, found {_said(last)}")
    wrong += [f"the Reason lacks `{word}`: {last.reason}" for word in case.reason if word not in last.reason]
    return wrong


def case_facts(case: Case, world_text: str) -> tuple[list[Triple], list[str]]:
    """The facts of the small world as the case changes it; and each change that changes nothing, in words.

    Raises PackError where `add` or `remove` is no Turtle.
    """
    facts = dict.fromkeys(read_turtle(Path(WORLD_FILE), world_text))
    idle: list[str] = []
    for triple in _snippet(case, "remove", case.remove, world_text):
        if triple not in facts:
            idle.append(f"`remove` names a fact that the world does not have: {_written(triple)}")
        facts.pop(triple, None)
    for triple in _snippet(case, "add", case.add, world_text):
        if triple in facts:
            idle.append(f"`add` names a fact that the world has already: {_written(triple)}")
        facts[triple] = None
    return list(facts), idle


def case_verdicts(case: Case, facts: list[Triple], domain: Domain) -> tuple[Verdict, ...]:
    """The Verdicts of the statements before and, last, of the case's own."""
    texts = list(enumerate((*case.before, case.statement)))
    world = World.of(facts, domain)
    user = world.names.iri(case.user) if case.user else None
    context = read_context(case.context)
    return judge_texts(texts, world, domain, user, context=context, commitments=case.commitments).verdicts


def _snippet(case: Case, key: str, turtle: str, world_text: str) -> list[Triple]:
    """A case's Turtle, with the common prefixes and those that its small world declares."""
    declared = "".join(f"{line}\n" for line in world_text.splitlines() if line.startswith("@prefix "))
    return list(read_turtle(Path(f"{case.name}: {key}"), _HEADER + declared + turtle)) if turtle else []


def _written(triple: Triple) -> str:
    return " ".join(str(term).removeprefix(BASE) for term in triple)


def _said(verdict: Verdict) -> str:
    return f"{verdict.status or 'not judged'}: {verdict.reason}"
