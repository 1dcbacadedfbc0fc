"""The shipped packs pass `domain-access test`, each rule missed by a case: run once, one id a case.

The command is run by whichever process of the tests needs it first; the others wait for what it found.
"""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.edition import CORE
from tests.packs import EDITION, PACKS

COMMAND = (sys.executable, "-m", "app", "test", "--format", "json")
PRINTED = "domain-access-test.json"


def blocks(path: Path, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))[name]
    return found


def ids(pack: str) -> Iterator[str]:
    """What must be run for a pack, as its files say, read here by themselves."""
    folder = EDITION.folder(pack)
    for path in sorted(EDITION.rules_of(pack).glob("pa_status/*.toml")):
        yield from (f"rule:{path.stem}:{case['name']}" for case in blocks(path, "case"))
        if "builtin = true" not in path.read_text(encoding="utf-8").splitlines():
            yield f"removed:{path.stem}"
    for path in sorted(folder.glob("questions/*.toml")):
        yield from (f"question:{pack}:{question['ask']}" for question in blocks(path, "question"))
    for path in sorted(folder.glob("golden/*.toml")):
        turns = blocks(path, "turn")
        for number, turn in enumerate(turns):
            named = f"golden:{pack}" + ("" if path.stem == "plan" else f":{path.stem}")
            named += f":{turn.get('name', f'turn {number}')}" if len(turns) > 1 or "name" in turn else ""
            yield named
            yield from (f"{named}:{variant['name']}" for variant in turn.get("variant", ()))
    for path in sorted(folder.glob("answers/*.toml")):
        yield from (f"answer:{pack}:{path.stem}:{case['name']}" for case in blocks(path, "case"))
    yield "coverage"


EXPECTED = [(pack.name, name) for pack in PACKS for name in ids(pack.name)]


@pytest.fixture(scope="session")
def printed(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> dict[str, Any]:
    """What the command printed, for all processes of these tests."""
    folder = tmp_path_factory.getbasetemp()
    path = (folder if worker_id == "master" else folder.parent) / PRINTED
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            ran = subprocess.run(COMMAND, capture_output=True, text=True, timeout=900)
            path.write_text(json.dumps({"exit": ran.returncode, "out": ran.stdout, "err": ran.stderr}))
    found: dict[str, Any] = json.loads(path.read_text())
    return found


@pytest.fixture(scope="session")
def steps(printed: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(step["pack"], step["step"]): step for step in json.loads(printed["out"])["steps"]}


def test_the_command_is_green(printed: dict[str, Any]) -> None:
    """Nothing is wrong, nothing was not done, nothing is said besides."""
    told = json.loads(printed["out"])
    assert (printed["exit"], printed["err"]) == (0, "")
    assert (told["errors"], told["warnings"], told["not_done"]) == (0, 0, 0)


def test_all_that_the_packs_bring_is_run_and_nothing_else(steps: dict[tuple[str, str], dict[str, Any]]) -> None:
    assert sorted(steps) == sorted(EXPECTED)
    assert len(EXPECTED) == len(set(EXPECTED)) > 900


@pytest.mark.parametrize("pack, name", EXPECTED, ids=[f"{pack}-{name}" for pack, name in EXPECTED])
def test_it_passes(pack: str, name: str, steps: dict[tuple[str, str], dict[str, Any]]) -> None:
    """The case gets what it expects; the rule taken away is missed."""
    assert [each for each in steps[pack, name]["problems"] if each["severity"] != "note"] == []


def test_rules_statuses_and_actions_are_covered(steps: dict[tuple[str, str], dict[str, Any]]) -> None:
    """Every rule fires in a case; every PA Status that a rule gives, some step gets."""
    counted = {pack.name: steps[pack.name, "coverage"]["counts"] for pack in PACKS}
    for counts in counted.values():
        for sort in ("rules", "PA Statuses"):
            assert counts.get(f"{sort} covered", 0) == counts.get(sort, 0)
    assert (counted[CORE]["rules"], counted[CORE]["Actions"]) == (90, 30)
