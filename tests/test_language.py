"""Answers in other languages: every wording is there in Italian, and says of the same findings the same things."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from app.authoring.cases import RuleCase, case_facts, case_verdicts, rule_cases
from app.errors import PackError
from app.evaluate import phrases as of_reasons
from app.kinds import phrases as of_answers
from app.rules import Domain, load
from app.rules.files import read_need, read_rule
from app.rules.forms import Wording
from tests.packs import EDITION

FIRING = {case.rule.id: case for case in rule_cases(EDITION) if case.case.fires}
"""One case of each rule that fires."""
SAME = {"unparsable"}
"""What a statement's reader found is told in English alone."""


def wordings(domain: Domain) -> Iterator[tuple[str, Wording]]:
    for rule in domain.rules.values():
        yield from ((f"{rule.id}: {name}", getattr(rule, name)) for name in ("title", "explain", "missing"))
        yield from ((f"{rule.id}: repair", repair.text) for repair in rule.repairs)
    for need in domain.needs.values():
        yield from ((f"{need.name}: {name}", getattr(need, name)) for name in ("title", "explain", "about_text"))


def test_every_rule_and_need_is_worded_in_italian() -> None:
    domain = load(EDITION, EDITION.names())
    found = [(name, wording) for name, wording in wordings(domain) if wording]
    assert len(found) >= 271
    assert [name for name, wording in found if not wording.others.get("it")] == []


@pytest.mark.parametrize("tables", [of_reasons.PHRASES, of_answers.PHRASES], ids=["reasons", "answers"])
def test_phrases_have_the_same_places_in_every_language(tables: Mapping[str, Mapping[str, str]]) -> None:
    def places(text: str) -> set[str]:
        return set(re.findall(r"\{([a-z_]+)\}", text))

    english = {name: places(text) for name, text in tables["en"].items()}
    for table in tables.values():
        assert {name: places(text) for name, text in table.items()} == english


@pytest.mark.parametrize("case", [pytest.param(case, id=rule) for rule, case in sorted(FIRING.items())])
def test_a_reason_in_italian_tells_of_the_same_findings(case: RuleCase) -> None:
    facts, _ = case_facts(case.case, case.world_text)
    english, italian = (case_verdicts(case.case, facts, case.domain, language)[-1] for language in ("en", "it"))
    assert italian.status is english.status
    assert [r.statement for r in italian.repairs] == [r.statement for r in english.repairs]
    pairs = [
        *zip(english.findings, italian.findings, strict=True),
        *zip(english.permits, italian.permits, strict=True),
    ]
    told = {rule for rule in (finding.rule for finding in (*english.findings, *english.permits)) if rule not in SAME}
    assert case.rule.id in told | SAME
    by_rule = {finding.rule: finding for _, finding in pairs}
    for finding in (*english.findings, *english.permits):
        said = by_rule[finding.rule].text
        assert said.count("?") == finding.text.count("?")
        assert (said != finding.text) is (finding.rule not in SAME)


def test_what_has_no_translation_is_said_in_english() -> None:
    domain = load(EDITION, ())
    assert domain.rules["already_there"].explain.of("fr") == domain.rules["already_there"].explain.english


RULE = """title = "t"
clause = "c"
status = "Clash"
explain = "`{item}` is at `{to}`"
%s
when = "?item mmm:at ?to"
[[case]]
name = "a"
statement = "s"
fires = true
[[case]]
name = "b"
statement = "s"
fires = false
"""
WRONG = {
    "a place lacks": (
        'explain_it = "`{item}` è qui"',
        "`explain_it` must have the placeholders of `explain`: it lacks {to}",
    ),
    "a place too many": ('explain_it = "`{item}` `{to}` {x}"', "it adds {x}"),
    "no text": ("explain_it = 3", "`explain_it` must be a str"),
    "of what is no wording": ('clause_it = "c"', "nothing reads `clause_it`"),
    "no language": ('explain_italian = "x"', "nothing reads `explain_italian`"),
}


@pytest.mark.parametrize("line, message", WRONG.values(), ids=WRONG)
def test_a_wrong_translation_is_refused_with_its_key(line: str, message: str, tmp_path: Path) -> None:
    domain = load(EDITION, ())
    path = tmp_path / "x.toml"
    path.write_text(RULE % line)
    with pytest.raises(PackError) as caught:
        read_rule(path, domain.knowledge, "x@1", frozenset())
    assert any(message in fault.message for fault in caught.value.faults)


@pytest.mark.parametrize("translation", ['explain_it = "`{item}` è qui: `{to}`"', ""])
def test_a_misspelt_placeholder_is_told_where_it_is(translation: str, tmp_path: Path) -> None:
    """At `explain`, whose pattern does not bind it, and not at a translation that is right."""
    path = tmp_path / "x.toml"
    path.write_text((RULE % translation).replace("is at `{to}`", "is at `{too}`"))
    with pytest.raises(PackError) as caught:
        read_rule(path, load(EDITION, ()).knowledge, "x@1", frozenset())
    (fault,) = caught.value.faults
    assert (fault.where, fault.message) == (f"{path}: explain", "nothing binds `{too}`")
    assert "`to`" in fault.hint


def test_a_need_is_checked_alike(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text('title = "t"\nclause = "c"\nexplain = "`{actor}`"\nexplain_it = "`{attore}`"\n')
    with pytest.raises(PackError) as caught:
        read_need(path, load(EDITION, ()).knowledge, "x@1", frozenset())
    assert "lacks {actor}, adds {attore}" in caught.value.faults[0].message
