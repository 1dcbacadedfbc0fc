"""The labelled commitments of tests/golden/commitments: which conflict, with what, by which axiom. One id each."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from app.authoring.plans import agree_in
from app.commitments import Agreement
from app.edition import Edition
from app.rules import Domain, load
from app.vocab import PREFIXES
from app.world import World, read_world

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).parent / "golden" / "commitments"
TRAPS = ("similar wording", "no shared words", "three together")


@dataclass(frozen=True)
class Case:
    file: str
    name: str
    commitments: tuple[str, ...]
    conflicts: Mapping[str, list[str]]
    trap: str = ""
    axioms: tuple[str, ...] = ()
    noted: bool | None = None
    text: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, file: str, members: dict[str, Any]) -> Case:
        given: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in members.items()}
        return cls(file, **given)

    @property
    def id(self) -> str:
        return f"{self.file}:{self.name}"


CASES = [
    Case.of(path.stem, members)
    for path in sorted(FOLDER.glob("*.toml"))
    for members in tomllib.loads(path.read_text(encoding="utf-8"))["case"]
]


@cache
def house() -> tuple[Domain, World]:
    """Core and the pack of these cases, and its world."""
    folder = Path(mkdtemp(prefix="packs-"))
    (folder / "core").symlink_to(ROOT / "ontologies" / "core")
    (folder / "house").symlink_to(FOLDER / "packs" / "house")
    domain = load(Edition(folder, ROOT / "rules"), ["house"])
    return domain, World.of(read_world(folder / "house" / "worlds" / "house.ttl"), domain)


def agree(commitments: tuple[str, ...]) -> Agreement:
    domain, world = house()
    return agree_in(world, domain, world.names.iri("Ann"), commitments)


def expanded(name: str) -> str:
    prefix, _, local = name.partition(":")
    return {**PREFIXES, "house": "https://w3id.org/domain-access/house#"}[prefix] + local


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in CASES])
def test_the_labelled_set_is_exact(case: Case) -> None:
    found = agree(case.commitments)
    numbers = [str(number) for number in range(1, len(case.commitments) + 1)]
    expected = {number: "conflicting" if number in case.conflicts else "retained" for number in numbers}
    assert dict(found.statuses) == expected, found.remarks
    told = {each["CommitmentID"]: each for each in found.explanation}
    met = {number: told[number]["conflict"]["commitments"] for number in case.conflicts}
    assert {number: sorted(each) for number, each in met.items()} == dict(case.conflicts), found.remarks
    related = {(s, o) for s, _, o in found.relations}
    for number, others in case.conflicts.items():
        assert all((number, other) in related for other in others)
        assert any(s == number for s, _ in related), "a conflict has a Relation"
        assert any(f"`{number}` conflicts with" in remark for remark in found.remarks)
    for axiom in case.axioms:
        assert any(o == expanded(axiom) for _, o in related), related
    if case.noted is not None:
        assert any("Noted, no conflict" in remark for remark in found.remarks) is case.noted, found.remarks
    for number, words in case.text.items():
        remark = next(remark for remark in found.remarks if remark.startswith(f"`{number}` "))
        assert words in remark
        assert told[number]["form"] == "text"


def test_the_set_is_as_large_and_as_tricky_as_it_should_be() -> None:
    traps = Counter(case.trap for case in CASES)
    assert set(traps) == {"", *TRAPS}
    assert len(CASES) >= 120
    assert sum(traps[trap] for trap in TRAPS) * 3 >= len(CASES)
    assert len({case.id for case in CASES}) == len(CASES)
    assert 2 * sum(bool(case.conflicts) for case in CASES) > len(CASES) * 0.8
    assert all(not set(case.conflicts) - {str(n + 1) for n in range(len(case.commitments))} for case in CASES)


TOGETHER = [
    case
    for case in CASES
    if case.trap == "three together" and len(case.conflicts) == 1 and min(map(len, case.conflicts.values())) == 2
]


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in TOGETHER])
def test_of_three_together_any_two_stand(case: Case) -> None:
    """What is called a conflict of three is none of two."""
    [(last, others)] = case.conflicts.items()
    whole = [case.commitments[int(number) - 1] for number in (*others, last)]
    for left in range(len(whole)):
        pair = tuple(said for number, said in enumerate(whole) if number != left)
        assert all(state == "retained" for _, state in agree(pair).statuses), pair


def test_there_are_conflicts_of_three() -> None:
    assert len(TOGETHER) >= 10
