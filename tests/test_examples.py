"""The examples run, and end as they say: the Repairs of the answers suffice to have a plan accepted."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import environment

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "basic_knowledge.py"
_STEP = re.compile(r"^ +(\d+) (\w+) +(\S.*)$")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What it tells, told once; settings of whoever runs it do not count."""
    variables = environment(tmp_path_factory.mktemp("unused"), worlds="nothing", m_instance="Nowhere")
    ran = subprocess.run(
        [sys.executable, EXAMPLE], capture_output=True, text=True, env=variables, cwd=ROOT, timeout=300, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stderr == ""
    return ran.stdout.splitlines()


def tries(told: list[str]) -> list[list[tuple[str, str]]]:
    """The verdicts of each try: PA Status and statement."""
    found: list[list[tuple[str, str]]] = []
    for line in told:
        if line.startswith("Would this plan be accepted?"):
            found.append([])
        elif found and (step := _STEP.match(line)):
            assert int(step[1]) == len(found[-1])
            found[-1].append((step[2], step[3].strip()))
    return found


def test_it_begins_with_refusals_and_ends_with_ack_on_every_step(told: list[str]) -> None:
    first, *between, last = tries(told)
    assert {status for status, _ in first} >= {"InsRights", "IncID", "Clash"}
    assert {status for status, _ in last} == {"Ack"}
    assert len(last) > len(first)
    assert len(between) >= 3
    assert told[-1].startswith("Every step is Ack.")


def test_it_grounds_asks_and_tells_repairs_of_its_own_and_of_another(told: list[str]) -> None:
    whole = "\n".join(told)
    for words in ("means Painting", "leave at the cloakroom", "Leave large bags", "`Harbour`: `Vera` may not"):
        assert words in " ".join(whole.split())
    own = [line for line in told if "I can mend myself" in line]
    assert {line.split("myself: ")[1].split()[0] for line in own} == {"say", "first"}
    assert len([line for line in told if "I cannot mend myself" in line]) == 1
    assert "Would Olga be able to do that?" in whole


def test_what_it_adds_to_the_plan_it_was_told(told: list[str]) -> None:
    """No statement of the last plan is written down in the example but those that it began with."""
    source = EXAMPLE.read_text(encoding="utf-8")
    first, last = tries(told)[0], tries(told)[-1]
    assert all(statement in source for _, statement in first)
    added = [statement for _, statement in last if statement not in {said for _, said in first}]
    assert len(added) >= 4
    assert not any(statement in source for statement in added)


def test_the_readme_has_the_command() -> None:
    """As the example has it; every example is tried here."""
    command = f".venv/bin/python {EXAMPLE.relative_to(ROOT)}"
    assert command in (ROOT / "README.md").read_text(encoding="utf-8")
    assert command in EXAMPLE.read_text(encoding="utf-8")
    assert list(EXAMPLE.parent.glob("*.py")) == [EXAMPLE]
