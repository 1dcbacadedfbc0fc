"""Each rule is taken away once: a case must notice, else nothing would if the rule were lost or never fired.

A rule is noticed where, without it, a step of a rule case or a golden plan gets another PA Status. That a case of the
rule says `fires = true` does not count: it could not but fail.

Only what names a rule among its findings, permits and failures can change: a rule that refuses changes a step only
where it fires or fails, one that permits only where it met the need, and a step sees of those before it what they
leave if accepted. So only such cases are judged anew, in a Domain that is the loaded one less the rule: those of the
rule first, then the others of the pack, then those of the other packs that are tested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Final

from app.authoring.answering import Answering
from app.authoring.collected import OfRule, Ran, rules_of
from app.authoring.problems import Check, Problem, Severity, Step
from app.authoring.test.running import Tried
from app.edition import Edition
from app.model import PAStatus
from app.rules import Domain

RULE_UNNOTICED: Final = Check(
    "rule_unnoticed",
    Severity.ERROR,
    "Without this rule every case gets what it got",
    "A rule that nothing would miss decides nothing, or no case shows what it decides.",
)


def removals(
    edition: Edition,
    pack: str,
    rules: Iterable[str],
    tried: Iterable[Tried],
    others: Callable[[], Iterable[Tried]],
    answers: Answering,
) -> Iterator[Step]:
    """A Step for each of these rules that the pack brings and that is no builtin one; `others` runs the cases of
    other packs, which is done where those of the pack, `tried`, do not notice.
    """
    named = set(rules)
    own = list(tried)
    foreign: list[Tried] | None = None
    for rule in rules_of(edition, pack, answers.domain((pack,))):
        if rule.builtin or rule.id not in named:
            continue
        begun = perf_counter()
        noticed = noticing(rule.id, own, answers)
        if noticed is None:
            foreign = list(others()) if foreign is None else foreign
            noticed = noticing(rule.id, foreign, answers)
        problems = () if noticed else (Problem(RULE_UNNOTICED, _unnoticed(rule.id), Path(rule.where), 1, hint=_HINT),)
        yield Step(pack, f"removed:{rule.id}", perf_counter() - begun, problems)


def noticing(rule: str, tried: Iterable[Tried], answers: Answering) -> Tried | None:
    """The first case that notices that a rule is taken away; None where none does."""
    naming = sorted((each for each in tried if rule in named_in(each.ran)), key=lambda each: not _is_of(rule, each))
    if not naming:
        return None
    fewer = answers.decided_by(lambda domain: without(domain, rule))
    return next((each for each in naming if statuses(each.case.run(fewer)) != statuses(each.ran)), None)


def without(domain: Domain, rule: str) -> Domain:
    """A Domain less one rule; what is fetched stays, which decides nothing."""
    return replace(
        domain,
        rules={name: each for name, each in domain.rules.items() if name != rule},
        blocking={name: tuple(r for r in rules if r.id != rule) for name, rules in domain.blocking.items()},
        permitting={need: tuple(r for r in rules if r.id != rule) for need, rules in domain.permitting.items()},
    )


def statuses(ran: Ran) -> list[PAStatus | None]:
    """What each step got."""
    return [verdict.status for verdict in ran.verdicts]


def named_in(ran: Ran) -> set[str]:
    """The rules that fired in a case, or failed."""
    found: set[str] = set()
    for verdict in ran.verdicts:
        found.update(finding.rule for finding in (*verdict.findings, *verdict.permits))
        found.update(failure.rule for failure in verdict.failures)
    return found


def _is_of(rule: str, tried: Tried) -> bool:
    return isinstance(tried.case, OfRule) and tried.case.rule == rule


def _unnoticed(rule: str) -> str:
    return f"without `{rule}` no step of any case gets another PA Status"


_HINT: Final = "add a case in which this rule alone refuses or permits the step"
