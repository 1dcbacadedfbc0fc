"""`domain-access new-pack`: what it makes is sound and answers as its files say; what it refuses stays as it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.authoring import new_pack as made_by
from app.authoring.answering import answering
from app.authoring.cases import rule_cases
from app.authoring.check import check
from app.authoring.golden import read_golden, run_plan
from app.authoring.new_pack import TEMPLATE, new_pack
from app.authoring.plans import answer_plan
from app.authoring.questions import questions
from app.cli import main
from app.errors import PackError
from tests.packs import EDITION

TITLES = [
    "",
    "A bakery",
    'Bread "and" cakes',
    "back\\slash",
    "Кафе ☕",
    "two\nlines",
    '"""',
    "'''",
    "{braces} __WORLD__",
    "\x07\x7f",
]


@pytest.mark.parametrize("title", TITLES)
def test_it_passes_every_step(title: str, tmp_path: Path) -> None:
    """Whatever its title."""
    new_pack(EDITION, "bakery", tmp_path, title)
    edition = EDITION.with_placed("bakery", tmp_path / "bakery")
    no_title_in_them = {"rules", "cases", "shapes", "world"} if title else set()
    report = check(edition, ["bakery"], skip={"logic", "profile", *no_title_in_them})
    assert list(report.problems) == []
    assert report.steps
    assert not report.not_done


def test_its_cases_plan_and_questions_hold(tmp_path: Path) -> None:
    """Each as it says, and the rule is needed: without it a case fails."""
    new_pack(EDITION, "bakery", tmp_path)
    pack = tmp_path / "bakery"
    edition = EDITION.with_placed("bakery", pack)
    cases = [case for case in rule_cases(edition) if case.rule.source == "bakery@0.1.0"]
    assert [case.mismatches() for case in cases] == [[], []]
    with answering(edition) as asked:
        runs = read_golden(pack / "golden" / "plan.toml")
        found = [
            result
            for run in runs
            for result in run_plan(
                run, lambda plan: answer_plan(plan, asked.world(plan.m_instance), asked.world(plan.m_instance).domain)
            )
        ]
    assert len(runs) == 2
    assert [result for result in found if result.mismatches] == []
    for question in questions(pack / "questions" / "lanterns.toml", edition, "bakery"):
        assert question.mismatches() == []
    (pack / "rules" / "pa_status" / "bakery_lit_lantern_moved.toml").unlink()
    with answering(edition) as asked:
        (run, *_) = read_golden(pack / "golden" / "plan.toml")
        without = run_plan(
            run, lambda plan: answer_plan(plan, asked.world(plan.m_instance), asked.world(plan.m_instance).domain)
        )
    assert any(result.mismatches for result in without)


def test_every_file_of_the_template_is_made(tmp_path: Path) -> None:
    """With the name in the place of each mark."""
    made = new_pack(EDITION, "car_wash", tmp_path, "Car wash")
    assert len(made) == sum(path.is_file() for path in TEMPLATE.rglob("*")) == 8
    assert all(path.is_file() for path in made)
    assert not any("__" in path.name.replace("car_wash__", "") for path in made)
    assert [path for path in made if "__NAME__" in path.read_text() or "__TITLE__" in path.read_text()] == []
    assert (tmp_path / "car_wash" / "worlds" / "CarWash1.ttl") in made


def test_its_readme_names_commands_that_find_it(tmp_path: Path) -> None:
    """With the folder where it lies elsewhere, and without it among the packs of the settings."""
    folder = tmp_path / "my packs"
    new_pack(EDITION, "bakery", folder)
    assert f"domain-access test --folder '{folder}' bakery\n" in (folder / "bakery" / "README.md").read_text()
    home = replace(EDITION, ontologies=tmp_path / "home")
    new_pack(home, "bakery", home.ontologies)
    assert "    domain-access check bakery\n" in (home.ontologies / "bakery" / "README.md").read_text()


REFUSED = {
    "Bakery": "no name of a pack",
    "a b": "no name of a pack",
    "../up": "no name of a pack",
    "": "no name of a pack",
    "_x": "no name of a pack",
    "1st": "no name of a pack",
    "ünder": "no name of a pack",
    "x" * 41: "at most 40",
    "core": "reserved",
    "mmm": "reserved",
    "owl": "reserved",
    "household": "there is a pack",
    "taken": "lies there already",
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_name_is_refused_and_nothing_made(name: str, tmp_path: Path) -> None:
    """With the reason; what lies there stays as it is."""
    (tmp_path / "taken").mkdir()
    with pytest.raises(PackError, match=REFUSED[name]):
        new_pack(EDITION, name, tmp_path)
    assert [path.name for path in tmp_path.rglob("*")] == ["taken"]


def test_nothing_is_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault on the way leaves no folder behind."""
    written: list[str] = []
    real = Path.write_text

    def full(self: Path, text: str, *args: Any, **options: Any) -> int:
        written.append(self.name)
        if len(written) == 4:
            raise OSError(28, "No space left on device")
        return real(self, text, *args, **options)

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(PackError, match="no space left"):
        made_by.new_pack(EDITION, "bakery", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_command_says_what_it_made(tmp_path: Path) -> None:
    """The files on stdout, what comes next on stderr; 2 where the name is refused."""
    run = CliRunner().invoke(main, ["new-pack", "bakery", "--folder", str(tmp_path), "--title", "A bakery"])
    assert run.exit_code == 0
    assert str(tmp_path / "bakery" / "ontology.ttl") in run.stdout.splitlines()
    assert f"next: domain-access check --folder {tmp_path} bakery" in run.stderr
    again = CliRunner().invoke(main, ["new-pack", "bakery", "--folder", str(tmp_path)])
    assert again.exit_code == 2
    assert "lies there already" in again.stderr
