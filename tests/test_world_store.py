"""Versions, the log and the generations of a world on disk (DESIGN 4)."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pyoxigraph as ox
import pytest

from app.errors import Code, StateError
from app.world import log
from app.world.log import NOTHING
from app.world.store import CURRENT, Change, Generations, Store, copy_log
from tests.stores import BASE, NOW, commit, on_disk, turtle

FIRST, SECOND = turtle(":a :p 1 ."), turtle(":a :p 2 .")


def change(*, added: set[ox.Triple] = frozenset(), removed: set[ox.Triple] = frozenset()) -> Change:  # type: ignore[assignment]
    return Change(frozenset(removed), frozenset(added))


CHANGES = (change(added=FIRST), change(added=SECOND, removed=FIRST), change(removed=SECOND))


def versions(store: Store) -> list[str]:
    return [commit(store, each).version for each in CHANGES]


def test_equal_histories_have_equal_versions(tmp_path: Path) -> None:
    assert versions(on_disk(tmp_path)) == versions(on_disk(tmp_path))
    assert len(set(versions(on_disk(tmp_path)))) == 3


def test_other_histories_have_other_versions(tmp_path: Path) -> None:
    """Even where the facts are the same at the end."""
    one, other = on_disk(tmp_path), on_disk(tmp_path)
    for each in CHANGES:
        commit(one, each)
    for each in (CHANGES[0], change(removed=FIRST)):
        commit(other, each)
    commit(other, change(added=FIRST))
    assert one.version != other.version
    assert one.version.startswith("3-")
    assert other.version.startswith("3-")


def test_who_asks_and_when_changes_no_version(tmp_path: Path) -> None:
    entry = NOTHING.after(NOW, "one", "PUT", 1, 0, "digest")
    assert entry.version == NOTHING.after(NOW.replace(year=2027), "other", "POST", 9, 9, "digest").version


def test_a_change_and_its_entry_are_there_after_opening_again(tmp_path: Path) -> None:
    store = on_disk(tmp_path)
    entries = [commit(store, each) for each in CHANGES[:2]]
    path = store.folder
    assert path is not None
    del store
    again = Store(BASE, ox.Store(str(path)), path)
    assert again.newest == entries[-1]
    assert list(log.entries(again.opened, 10)) == entries[::-1]
    assert set(again.triples()) == SECOND


def test_the_log_holds_only_the_last_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "KEPT", 5)
    store = on_disk(tmp_path)
    for i in range(12):
        commit(store, change(added=turtle(f":a :p {i} .")))
    numbers = [entry.number for entry in log.entries(store.opened, 100)]
    assert numbers == [12, 11, 10, 9, 8]
    assert [entry.number for entry in log.entries(store.opened, 2)] == [12, 11]
    said = list(store.opened.quads_for_pattern(None, None, None, log.LOG))
    assert len(said) == 5 * len(log._MEMBERS) + 1
    assert len(list(store.triples())) == 12


def test_what_is_written_has_reached_the_disk_when_it_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Oxigraph leaves its write-ahead log to the system's cache; a loss of power would take what was answered."""
    synced: list[str] = []
    truly = os.fdatasync

    def noted(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").resolve().suffix)
        truly(descriptor)

    monkeypatch.setattr(os, "fdatasync", noted)
    commit(on_disk(tmp_path), CHANGES[0])
    assert ".log" in synced


@pytest.mark.parametrize("text", ["}", "\\u007D ; DROP ALL", '" } ; DROP ALL #', "'''", "\n", "\\", "a\r\tb"])
def test_no_text_of_a_fact_gets_out_of_the_update_that_writes_it(text: str, tmp_path: Path) -> None:
    store = on_disk(tmp_path, FIRST)
    fact = ox.Triple(ox.NamedNode(BASE + "x"), ox.NamedNode(BASE + "p"), ox.Literal(text))
    tagged = ox.Triple(ox.NamedNode(BASE + "x"), ox.NamedNode(BASE + "p"), ox.Literal(text, language="en"))
    commit(store, change(added={fact, tagged}))
    assert set(store.triples()) == FIRST | {fact, tagged}
    store.commit(change(removed={fact}), [], [], store.newest.after(NOW, text, text, 0, 1, "x"))
    assert set(store.triples()) == FIRST | {tagged}
    assert (store.newest.who, store.newest.how) == (text, text)
    assert log.newest(store.opened) == store.newest


# Generations


def generation(folder: Path, triples: set[ox.Triple], copied: Store | None = None) -> tuple[Generations, Store]:
    generations = Generations(folder)
    store = generations.begin(BASE, copied)
    store.apply(change(added=triples))
    store.conclude([], store.newest.after(NOW, "tests", "PUT", len(triples), 0, "x"))
    return generations, store


def test_nothing_counts_before_it_is_switched_to(tmp_path: Path) -> None:
    """The end of the process before the switch leaves the world as before, and no rest of the other one."""
    generations, first = generation(tmp_path, FIRST)
    generations.switch(first)
    _, second = generation(tmp_path, SECOND)
    del first, second
    opened = Generations(tmp_path).open(BASE)
    assert opened is not None
    assert set(opened.triples()) == FIRST
    assert [path.name for path in tmp_path.glob("g*")] == ["g000001"]


def test_a_first_load_that_was_interrupted_never_was(tmp_path: Path) -> None:
    _, store = generation(tmp_path, FIRST)
    del store
    assert Generations(tmp_path).open(BASE) is None
    assert list(tmp_path.glob("g*")) == []


def test_the_end_between_the_switch_and_the_clearing_leaves_the_new_world(tmp_path: Path) -> None:
    generations, first = generation(tmp_path, FIRST)
    generations.switch(first)
    _, second = generation(tmp_path, SECOND)
    generations.switch(second)
    del first, second  # and nobody discards the first
    opened = Generations(tmp_path).open(BASE)
    assert opened is not None
    assert set(opened.triples()) == SECOND
    assert [path.name for path in tmp_path.glob("g*")] == ["g000002"]


def test_the_end_while_the_switch_is_written_leaves_the_old_world(tmp_path: Path) -> None:
    generations, first = generation(tmp_path, FIRST)
    generations.switch(first)
    del first
    (tmp_path / f"{CURRENT}.new").write_text("g0000")
    opened = Generations(tmp_path).open(BASE)
    assert opened is not None
    assert set(opened.triples()) == FIRST


def test_a_copy_has_the_facts_and_the_log_and_changes_alone(tmp_path: Path) -> None:
    generations, first = generation(tmp_path, FIRST)
    generations.switch(first)
    _, second = generation(tmp_path, SECOND, copied=first)
    assert second.newest.number == 2
    assert set(second.triples()) == FIRST | SECOND
    assert set(first.triples()) == FIRST
    _, third = generation(tmp_path, SECOND)
    copy_log(second, third)
    assert third.newest == second.newest


def test_a_second_process_is_told_that_the_folder_is_in_use(tmp_path: Path) -> None:
    generations, first = generation(tmp_path, FIRST)
    generations.switch(first)
    with pytest.raises(StateError) as refused:
        Generations(tmp_path).open(BASE)
    assert refused.value.faults[0].code is Code.DATA_FOLDER_IN_USE
    assert set(first.triples()) == FIRST


def test_what_another_process_is_making_is_not_cleared_away(tmp_path: Path) -> None:
    """Neither beside a generation that counts nor before the first one does."""
    _, first = generation(tmp_path, FIRST)
    with pytest.raises(StateError) as refused:
        Generations(tmp_path).open(BASE)
    assert refused.value.faults[0].code is Code.DATA_FOLDER_IN_USE
    generations, second = generation(tmp_path, SECOND)
    generations.switch(first)
    with pytest.raises(StateError):
        Generations(tmp_path).open(BASE)
    assert second.folder is not None
    assert second.folder.is_dir()
    assert set(second.triples()) == SECOND


def of_files(folder: Path) -> list[Path]:
    """What a generation consists of: facts in tables, and some that only the write-ahead log has."""
    generations, first = generation(folder, FIRST)
    generations.switch(first)
    commit(first, change(added=SECOND))
    path = first.folder
    assert path is not None
    del first
    return sorted(each for each in path.iterdir() if each.name != "LOCK")


def test_the_end_while_the_former_generation_is_cleared_away_leaves_the_new_one(tmp_path: Path) -> None:
    """However many of its files are gone, in whatever order."""
    files = of_files(tmp_path / "sample")
    assert {path.suffix for path in files} >= {".sst", ".log"}
    kept = [{file} for file in range(len(files))] + [set(range(at)) for at in range(len(files))]
    for number, gone in enumerate(kept):
        folder = tmp_path / str(number)
        each = of_files(folder)
        generations, second = generation(folder, SECOND)
        generations.switch(second)
        del second
        for index, path in enumerate(each):
            if index in gone:
                path.unlink()
        opened = Generations(folder).open(BASE)
        assert opened is not None
        assert set(opened.triples()) == SECOND
        assert [path.name for path in folder.glob("g*")] == ["g000002"]


@pytest.mark.parametrize("name", ["Sherlock", "Baker Street", "blocks/lock file"])
def test_no_name_of_a_world_is_taken_for_a_lock(tmp_path: Path, name: str) -> None:
    """The errors of the store speak of its folder, and that may be called anything."""
    folder = tmp_path / name
    files = of_files(folder)
    generations, second = generation(folder, SECOND)
    generations.switch(second)
    with pytest.raises(StateError) as refused:
        Generations(folder).open(BASE)
    assert refused.value.faults[0].code is Code.DATA_FOLDER_IN_USE
    del second
    for path in files:
        if path.suffix == ".sst":
            path.unlink()
    opened = Generations(folder).open(BASE)
    assert opened is not None
    assert [path.name for path in folder.glob("g*")] == ["g000002"]


@pytest.mark.parametrize("said", [b"", b"g0000", b"g000009", b"\xff\xfe", b"../g000001", b"gone"])
def test_a_folder_that_names_no_generation_is_told_and_kept(tmp_path: Path, said: bytes) -> None:
    """A world is never taken for one that was not finished, nor for an empty one."""
    files = of_files(tmp_path)
    (tmp_path / CURRENT).write_bytes(said)
    with pytest.raises(StateError) as refused:
        Generations(tmp_path).open(BASE)
    assert refused.value.faults[0].code is Code.STORE_UNUSABLE
    assert all(path.is_file() for path in files)
    (tmp_path / CURRENT).write_text("g000001")
    opened = Generations(tmp_path).open(BASE)
    assert opened is not None
    assert set(opened.triples()) == FIRST | SECOND


def test_what_only_begins_like_a_generation_is_let_be(tmp_path: Path) -> None:
    of_files(tmp_path)
    (tmp_path / "gone.txt").write_text("mine")
    (tmp_path / "g000007.copy").mkdir()
    (tmp_path / "g000008.tmp").mkdir()  # a copy that was being made by Oxigraph
    (tmp_path / "g000008.tmp" / "CURRENT").write_text("MANIFEST-000001")
    assert Generations(tmp_path).open(BASE) is not None
    assert Generations(tmp_path / "other").begin(BASE).folder == tmp_path / "other" / "g000001"
    assert Generations(tmp_path).begin(BASE).folder == tmp_path / "g000002"
    assert (tmp_path / "gone.txt").is_file()
    assert (tmp_path / "g000007.copy").is_dir()
    assert not (tmp_path / "g000008.tmp").exists()


def test_a_generation_without_one_of_its_files_is_told_or_opened(tmp_path: Path) -> None:
    """Nothing is cleared away of what counts, and nothing else ends the process."""
    told: list[StateError] = []
    for number in range(len(of_files(tmp_path / "sample"))):
        path = of_files(tmp_path / str(number))[number]
        path.unlink()
        try:
            Generations(tmp_path / str(number)).open(BASE)
        except StateError as refused:
            told.append(refused)
        assert path.parent.is_dir()
    assert len(told) >= 3
    assert {each.faults[0].code for each in told} == {Code.STORE_UNUSABLE}
    assert all("g000001" in each.faults[0].message for each in told)


def test_a_generation_that_is_damaged_is_told(tmp_path: Path) -> None:
    generations, first = generation(tmp_path, FIRST)
    generations.switch(first)
    assert first.folder is not None
    path = first.folder
    del first
    shutil.rmtree(path)
    path.write_text("no folder")
    with pytest.raises(StateError) as refused:
        Generations(tmp_path).open(BASE)
    assert refused.value.faults[0].code is Code.STORE_UNUSABLE
