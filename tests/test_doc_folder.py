"""`domain-access doc --output`: what is ours is replaced or removed, what is not is never touched; the command."""

from __future__ import annotations

import os
import re
from fcntl import LOCK_EX, flock
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.authoring.doc import refuse_foreign, write
from app.authoring.doc.folder import LIST
from app.cli import main
from app.settings import SettingsError
from tests.packs import CORE


def present(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_files_of_an_earlier_run_are_removed_and_others_stay_as_they_are(tmp_path: Path) -> None:
    first = write({"index.html": "1", "a/b/c.html": "2", "a/d.html": "3"}, tmp_path)
    assert (first.files, first.changed, first.removed) == (3, 3, 0)
    before = (tmp_path / "index.html").stat().st_mtime_ns
    second = write({"index.html": "1", "a/d.html": "4"}, tmp_path)
    assert (second.files, second.changed, second.removed) == (2, 1, 1)
    assert {p: t for p, t in present(tmp_path).items() if p != LIST} == {"index.html": "1", "a/d.html": "4"}
    assert (tmp_path / "index.html").stat().st_mtime_ns == before
    assert not (tmp_path / "a" / "b").exists()


@pytest.mark.parametrize("foreign", ["notes.txt", "a/notes.txt", ".git/config"])
@pytest.mark.parametrize("after_a_run", [False, True])
def test_a_folder_with_other_things_is_refused_and_nothing_is_touched(
    tmp_path: Path, foreign: str, after_a_run: bool
) -> None:
    if after_a_run:
        write({"index.html": "1", "a/b.html": "2"}, tmp_path)
    (tmp_path / foreign).parent.mkdir(exist_ok=True)
    (tmp_path / foreign).write_text("mine")
    before = present(tmp_path)
    with pytest.raises(SettingsError, match=f"holds other things: `{re.escape(foreign)}`"):
        write({"index.html": "new"}, tmp_path)
    assert present(tmp_path) == before


def test_links_are_not_followed(tmp_path: Path) -> None:
    site, other = tmp_path / "site", tmp_path / "other"
    other.mkdir()
    (other / "b.html").write_text("mine")
    write({"a/b.html": "1", "index.html": "1"}, site)
    (site / "a" / "b.html").unlink()
    (site / "a").rmdir()
    (site / "a").symlink_to(other)
    with pytest.raises(SettingsError, match="holds other things: `a`"):
        write({"index.html": "2"}, site)
    assert (other / "b.html").read_text() == "mine"


def test_a_list_that_names_files_elsewhere_removes_nothing_there(tmp_path: Path) -> None:
    site = tmp_path / "site"
    write({"index.html": "1"}, site)
    (tmp_path / "mine.txt").write_text("mine")
    with (site / LIST).open("a") as listed:
        digest = sha256(b"mine").hexdigest()
        listed.write(f"{digest} ../mine.txt\n{digest} {tmp_path / 'mine.txt'}\n")
    assert write({"index.html": "1"}, site).removed == 0
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_what_a_killed_run_left_is_ours(tmp_path: Path) -> None:
    """The list is there before the first page: a run that fails at a page leaves none that is not in it."""
    (tmp_path / "site").mkdir()
    with pytest.raises(SettingsError, match="cannot be written"):
        write({"a.html": "1", "a.html/b.html": "2", "c.html": "3"}, tmp_path / "site")
    assert "a.html" in present(tmp_path / "site")
    write({"index.html": "1"}, tmp_path / "site")
    assert set(present(tmp_path / "site")) == {LIST, "index.html"}


def test_a_file_of_ours_that_somebody_changed_is_no_longer_ours(tmp_path: Path) -> None:
    write({"index.html": "1", "a.html": "2"}, tmp_path)
    (tmp_path / "index.html").write_text("mine")
    for pages in ({"index.html": "3"}, {"a.html": "2"}):
        with pytest.raises(SettingsError, match=r"holds other things: `index\.html`"):
            write(pages, tmp_path)
    assert (tmp_path / "index.html").read_text() == "mine"


@pytest.mark.parametrize("killed_at", range(7))
def test_a_run_that_is_killed_at_any_file_leaves_a_folder_that_the_next_one_takes(
    tmp_path: Path, killed_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before a file takes its place: the list, two that change, one that is new, one that is as it was."""
    write({"index.html": "1", "a/b.html": "2", "same.html": "3", "old.html": "4"}, tmp_path)
    replaced = []

    def replace(self: Path, target: Path) -> Path:
        replaced.append(target)
        if len(replaced) == killed_at + 1:
            raise KeyboardInterrupt
        return real(self, target)

    real = Path.replace
    monkeypatch.setattr(Path, "replace", replace)
    pages = {"index.html": "5", "a/b.html": "6", "same.html": "3", "new/c.html": "7"}
    if killed_at < 5:
        with pytest.raises(KeyboardInterrupt):
            write(pages, tmp_path)
    else:
        write(pages, tmp_path)
    monkeypatch.undo()
    write({"index.html": "8"}, tmp_path)
    left = present(tmp_path)
    del left[LIST]
    assert left == {"index.html": "8"}


def test_two_runs_do_not_write_into_one_folder(tmp_path: Path) -> None:
    write({"index.html": "1"}, tmp_path)
    held = os.open(tmp_path, os.O_RDONLY)
    try:
        flock(held, LOCK_EX)
        with pytest.raises(SettingsError, match="another run writes"):
            write({"index.html": "2"}, tmp_path)
    finally:
        os.close(held)
    assert (tmp_path / "index.html").read_text() == "1"


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(SettingsError, match="is no folder"):
        refuse_foreign(tmp_path / "file")


# The command.


def doc(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["doc", *arguments])


def test_the_command_says_where_to_open_the_site(tmp_path: Path) -> None:
    done = doc("friends_meet", "--output", str(tmp_path / "site"))
    assert done.exit_code == 0, done.output
    assert done.stdout == f"Open {tmp_path / 'site' / 'index.html'}\n"
    assert "reading friends_meet" in done.stderr
    assert (tmp_path / "site" / "friends_meet" / "world" / "MI1.html").is_file()


def test_unknown_packs_are_all_told_with_the_nearest(tmp_path: Path) -> None:
    done = doc("musem_tour", "core", "../core", "--output", str(tmp_path / "site"))
    assert done.exit_code == 2
    assert "`musem_tour` is no pack" in done.stderr
    assert "did you mean `museum_tour`?" in done.stderr
    assert "`../core` is no pack" in done.stderr
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("packs", [[], ["core", "--all"]])
def test_packs_are_named_or_all(tmp_path: Path, packs: list[str]) -> None:
    done = doc(*packs, "--output", str(tmp_path / "site"))
    assert (done.exit_code, "say --all" in done.stderr) == (2, True)


def test_a_folder_that_is_refused_is_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    done = doc("core", "--output", str(tmp_path))
    assert (done.exit_code, "mine.txt" in done.stderr) == (2, True)
    assert "reading" not in done.stderr


def test_a_pack_that_cannot_be_read_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "core").symlink_to(CORE)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "pack.toml").write_text('name = "broken"\nversion = "1"\ntitle = "Broken"\n')
    (tmp_path / "broken" / "ontology.ttl").write_text("nasty:A a")
    monkeypatch.setenv("DOMAIN_ACCESS_ONTOLOGIES", str(tmp_path))
    done = doc("broken", "--output", str(tmp_path / "site"))
    assert done.exit_code == 3
    assert "ontology.ttl:" in done.stderr
    assert not (tmp_path / "site").exists()
