"""The Action files: complete for MMM-TEC V2.2, as its schemas have them; the table in rules/README.md."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from app.authoring.actions import table, with_table
from app.model import PAStatus
from app.rules import Action, Domain, load
from app.vocab import MMM
from tests.packs import EDITION

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "rules" / "README.md"
PUBLISHED: dict[str, dict[str, Any]] = tomllib.loads((ROOT / "tests/rules/actions.toml").read_text("utf-8"))
OLDER = {
    "Inform": "Discover",
    "MM-Embed": "MM-Add",
    "MU-Embed": "MU-Add",
    "MU-Render": "MU-Actuate",
    "MM-Enable": "Property Change",
    "MM-Disable": "Property Change",
    "MM-Anim": "MM-Animate",
    "Change": "Rights Change",
}
"""SEMANTICS 4: the older names and what they are read as."""

each_action = pytest.mark.parametrize("name", PUBLISHED)


@cache
def domain() -> Domain:
    return load(EDITION, [])


def action(name: str) -> Action:
    return domain().actions[name]


def test_the_thirty_actions_are_there_and_no_other() -> None:
    assert set(domain().actions) == set(PUBLISHED)
    assert len(PUBLISHED) == 30


def test_older_names_are_read_as_their_successors() -> None:
    assert {older: each.name for each in domain().actions.values() for older in each.older} == OLDER


@each_action
def test_service_and_published_statuses_are_those_of_the_schema(name: str) -> None:
    told = PUBLISHED[name]
    assert action(name).service == told["service"]
    assert sorted(action(name).published) == sorted(told["published"].split())


@each_action
def test_every_complement_of_the_schema_is_taken(name: str) -> None:
    """After its preposition, by a form that names the class itself."""
    taken = {f"{f.preposition} {kind.removeprefix(MMM)}" for f in action(name).complements for kind in f.kinds}
    assert [form for form in PUBLISHED[name]["takes"] if form not in taken] == []


@each_action
def test_needs_are_those_of_the_semantics(name: str) -> None:
    needs = [form.need for form in action(name).complements if form.need]
    assert set(needs) == set(PUBLISHED[name]["needs"])


@each_action
def test_a_status_is_published_or_ours_with_its_reason(name: str) -> None:
    """Never both; every Action may be faulty, lack Rights or value, name nothing, or clash with a commitment."""
    each = action(name)
    assert not set(each.published) & set(each.ours)
    assert all(len(reason.split()) > 2 for reason in each.ours.values())
    assert PAStatus.ACK not in {*each.published, *each.ours}
    common = (PAStatus.FAULTY_REQ, PAStatus.INC_ID, PAStatus.INS_RIGHTS, PAStatus.CLASH, PAStatus.INS_VALUE)
    assert [status for status in common if not each.receives(status)] == []


@each_action
def test_every_complement_names_its_source(name: str) -> None:
    sources = [form.source for form in action(name).complements]
    assert [s for s in sources if not s.startswith(("V2.2", "V2.1", "V1", "use case 2", "ours", "as MM-Send"))] == []


def test_the_table_of_the_readme_is_current() -> None:
    """`make tables` writes it."""
    text = README.read_text(encoding="utf-8")
    assert with_table(text, domain()) == text


def test_a_row_says_all_there_is() -> None:
    row = next(line for line in table(domain()).splitlines() if line.startswith("| **Rights Change**"))
    for word in (
        "Rights Manage",
        "**Nil Process**",
        "*Nil Rights ...*",
        "confer: Nil, With",
        "older: Change",
        "withdrawing",
    ):
        assert word in row
    assert len(table(domain()).splitlines()) == 2 + 30


def test_the_table_is_written_by_a_program_and_refuses_a_readme_without_place(tmp_path: Path) -> None:
    (tmp_path / "ontologies").symlink_to(ROOT / "ontologies")
    rules = tmp_path / "rules"
    rules.mkdir()
    for folder in ("actions", "needs", "pa_status"):
        (rules / folder).symlink_to(ROOT / "rules" / folder)
    text = README.read_text(encoding="utf-8")
    (rules / "README.md").write_text(text.replace("| **Hide**", "| **Hidden**"), encoding="utf-8")
    command = [sys.executable, "-W", "error", "-m", "app.authoring.actions", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True)
    assert (rules / "README.md").read_text(encoding="utf-8") == text
    with pytest.raises(ValueError, match="no place for the table"):
        with_table("# Rules", domain())
