"""Releases as folders: written, read whole or not at all, put together, and what a command does with them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from app.authoring.new_pack import new_pack
from app.cli import REFUSED, TROUBLE, WRONG_USAGE
from app.dialogue import Active, Dialogues
from app.errors import Code, PackError
from app.releases import (
    RELEASE_FILE,
    checksums,
    edition_of,
    listed,
    newest,
    order,
    read_release,
    release_of,
    versions_of,
    write_release_toml,
)
from app.rules import load
from app.settings import Settings
from tests.packs import EDITION
from tests.processes import run, stand_alone
from tests.releases import CAPACITY, make_release, with_file, without_rule


def told(error: PackError) -> set[tuple[Code, str, str]]:
    return {(fault.code, fault.where, fault.message) for fault in error.faults}


def edited(name: str, old: str, new: str) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new), encoding="utf-8")

    return edit


def listing(old: str, new: str) -> Callable[[Path], None]:
    return edited(RELEASE_FILE, old, new)


def moved(folder: Path) -> None:
    (folder / "shapes.ttl").rename(folder / "shape.ttl")


def linked(folder: Path) -> None:
    (folder / "shapes.ttl").rename(folder.parents[1] / "shapes.ttl")
    (folder / "shapes.ttl").symlink_to(folder.parents[1] / "shapes.ttl")


# What was done to a release, and what is said of it: the file, and the first words
DAMAGES: dict[str, tuple[Callable[[Path], object], set[tuple[str, str]]]] = {
    "a byte changed": (edited("ontology.ttl", "Gallery", "Gallerie"), {("ontology.ttl", "the file is not as")}),
    "a file missing": (lambda f: (f / "README.md").unlink(), {("README.md", "the file is missing")}),
    "a file too many": (with_file("rules/new.toml", ""), {("rules/new.toml", f"{RELEASE_FILE} does not name")}),
    "a hidden file": (with_file(".DS_Store", ""), {(".DS_Store", f"{RELEASE_FILE} does not name")}),
    "a file renamed": (moved, {("shapes.ttl", "the file is missing"), ("shape.ttl", f"{RELEASE_FILE} does not")}),
    "a link": (linked, {("shapes.ttl", "a link")}),
    "no release.toml": (lambda f: (f / RELEASE_FILE).unlink(), {(RELEASE_FILE, "release.toml cannot be read")}),
    "no TOML": (with_file(RELEASE_FILE, "name = "), {(RELEASE_FILE, "no TOML")}),
    "no UTF-8": (lambda f: (f / RELEASE_FILE).write_bytes(b"\xff"), {(RELEASE_FILE, "no TOML")}),
    "empty": (
        with_file(RELEASE_FILE, ""),
        {(RELEASE_FILE, f"`{name}` {says}") for name, says in [
            ("name", "is no text"), ("version", "is no text"), ("version_iri", "is no text"),
            ("licence", "is no text"), ("sources", "is no list"), ("requires", "does not give"),
            ("files", "does not give"),
        ]},
    ),
    "another name": (listing('name = "museum_tour"', 'name = "museum"'), {(RELEASE_FILE, "it says `name` is")}),
    "another version": (listing('version = "0.2.0"', 'version = "0.2.1"'), {(RELEASE_FILE, "it says `version` is")}),
    "a member too many": (listing("licence =", 'license = "x"\nlicence ='), {(RELEASE_FILE, "nothing reads")}),
    "a path that leads out": (
        listing('"README.md" =', '"../README.md" ='), {(RELEASE_FILE, "`../README.md` is no path inside")}
    ),
    "a path from the root": (
        listing('"README.md" =', '"/README.md" ='), {(RELEASE_FILE, "`/README.md` is no path inside")}
    ),
    "a version range": (listing('"core" = "0.1.0"', '"core" = ">=0.1"'), {(RELEASE_FILE, "`requires` does not")}),
    "no version of core": (listing('"core" = "0.1.0"', ""), {(RELEASE_FILE, "`requires` has no version of `core`")}),
}  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("releases")
    make_release(root, "museum_tour", "0.2.0")
    return root


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_release_is_told_and_never_read(tmp_path: Path, damage: str) -> None:
    done, said = DAMAGES[damage]
    make_release(tmp_path, "museum_tour", "0.2.0")
    done(tmp_path / "museum_tour" / "0.2.0")
    with pytest.raises(PackError) as error:
        release_of(tmp_path, "museum_tour", "0.2.0")
    assert {code for code, _, _ in told(error.value)} == {Code.RELEASE_DAMAGED}
    found = {(where.removeprefix("museum_tour/0.2.0/"), message) for _, where, message in told(error.value)}
    assert len(found) == len(said), found
    assert all(any(where == w and m.startswith(message) for w, m in found) for where, message in said), found
    (one,) = listed(tmp_path)
    assert (one.release, one.faults) == (None, error.value.faults)


def test_the_damages_are_all_there() -> None:
    assert len(DAMAGES) == 17


def test_what_is_written_is_read_and_the_same_folder_gives_the_same_bytes(tmp_path: Path) -> None:
    texts = []
    for root in (tmp_path / "a", tmp_path / "b"):
        release = make_release(root, "museum_tour", "0.2.0", with_file('sub/näme "q" \\ \x7f', "x"))
        assert release == read_release(root / "museum_tour" / "0.2.0")
        assert dict(release.files) == checksums(release.folder)
        assert {path for path, _ in release.files} >= {
            "pack.toml",
            "ontology.ttl",
            "rules/cases.ttl",
            "worlds/Museo.ttl",
        }
        assert (release.source, dict(release.requires)) == ("museum_tour@0.2.0", {"core": "0.1.0"})
        texts.append((release.folder / RELEASE_FILE).read_bytes())
    assert texts[0] == texts[1]


def test_a_release_that_is_being_written_is_passed_over(whole: Path, tmp_path: Path) -> None:
    (whole / "museum_tour" / ".0.3.0-new").mkdir(exist_ok=True)
    (whole / ".trash" / "0.1.0").mkdir(parents=True, exist_ok=True)
    assert [(each.name, each.version) for each in listed(whole)] == [("museum_tour", "0.2.0")]
    assert listed(tmp_path / "nowhere") == ()


@pytest.mark.parametrize("version", ["..", "../../museum_tour/0.2.0", "", "0.2", "0.2.0/", "0.2.00", "v0.2.0"])
def test_a_version_is_never_a_path(whole: Path, version: str) -> None:
    with pytest.raises(PackError) as error:
        release_of(whole, "museum_tour", version)
    assert {fault.code for fault in error.value.faults} == {Code.UNKNOWN_RELEASE}


def test_an_unknown_release_has_the_nearest(whole: Path) -> None:
    with pytest.raises(PackError) as error:
        release_of(whole, "musuem_tour", "0.2.0")
    assert error.value.faults[0].hint == "did you mean `museum_tour@0.2.0`?"


def test_versions_are_numbers_in_order() -> None:
    assert sorted(["10.0.0", "0.10.1", "1.0.0", "0.9.0", "0.10.0"], key=order) == [
        "0.9.0", "0.10.0", "0.10.1", "1.0.0", "10.0.0"
    ]  # fmt: skip
    assert order("none") < order("0.0.0")


def test_the_newest_is_by_number(tmp_path: Path) -> None:
    found = [make_release(tmp_path, "friends_meet", version) for version in ("0.10.0", "0.9.0")]
    assert newest(found) == {"friends_meet": "0.10.0"}


def test_a_set_stands_in_for_the_packs_as_shipped(tmp_path: Path) -> None:
    """Core with its rules, too; what is not of the set is as it was."""
    core = make_release(tmp_path, "core", "0.1.1", without_rule("wallet_too_low"))
    museum = make_release(tmp_path, "museum_tour", "0.2.0", requires={"core": "0.1.1"})
    edition = edition_of(EDITION, [museum, core])
    assert versions_of(edition) == versions_of(EDITION) | {"core": "0.1.1", "museum_tour": "0.2.0"}
    domain, shipped = load(edition, ["museum_tour"]), load(EDITION, ["museum_tour"])
    assert domain.sources == ("core@0.1.1", "museum_tour@0.2.0")
    assert shipped.rules.keys() - domain.rules.keys() == {"wallet_too_low"}


def test_a_set_must_fit_together(tmp_path: Path) -> None:
    core = make_release(tmp_path, "core", "0.1.1")
    museum = make_release(tmp_path, "museum_tour", "0.2.0")
    lecture = make_release(tmp_path, "virtual_lecture", "0.2.0", requires={"core": "0.1.0", "nothing": "1.0.0"})
    with pytest.raises(PackError) as error:
        edition_of(EDITION, [core, museum, lecture])
    assert [(fault.code, fault.where) for fault in error.value.faults] == [
        (Code.REQUIREMENT_NOT_MET, "museum_tour"),
        (Code.REQUIREMENT_NOT_MET, "virtual_lecture"),
        (Code.REQUIREMENT_NOT_MET, "virtual_lecture"),
    ]
    assert "`core@0.1.1` is what would be active" in error.value.faults[0].message


def test_core_without_its_rules_is_no_release(tmp_path: Path) -> None:
    release = make_release(tmp_path, "core", "0.1.1")
    shutil.rmtree(release.folder / "rules")
    write_release_toml(release.folder, "core", version_iri="x", licence="x", sources=[], requires={})
    with pytest.raises(PackError, match="rules of core"):
        read_release(release.folder)


# The command, where no server runs


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of releases of settings of its own."""
    stand_alone(monkeypatch, tmp_path)
    return tmp_path / "data" / "releases"


def active() -> Active:
    with Dialogues.open(Settings().database_url) as dialogues:
        return dialogues.active()


def test_the_command_activates_in_the_database(folder: Path) -> None:
    make_release(folder, "museum_tour", "0.2.0")
    assert "generation 0: packs as shipped" in run("releases", "list").stdout
    done = run("releases", "activate", "museum_tour@0.2.0", "--json")
    assert (done.exit_code, json.loads(done.stdout)["active"]) == (0, {"museum_tour": "0.2.0"})
    assert (active().generation, active().who) == (1, "local")
    assert (
        "museum_tour@0.2.0" in run("releases", "activate", "museum_tour@0.2.0").stdout
    )  # the same again: no new one
    shown = run("releases", "list").stdout
    assert [line.split()[:3] for line in shown.splitlines() if "museum_tour " in line] == [
        ["museum_tour", "0.1.0", "shipped"],
        ["museum_tour", "0.2.0", "active"],
    ]
    assert run("releases", "rollback").stdout.startswith("generation 2: packs as shipped, since ")
    assert run("releases", "rollback").stdout.startswith("generation 3: museum_tour@0.2.0, since ")
    assert run("releases", "activate", "museum_tour@shipped").exit_code == 0
    assert (active().generation, active().packs) == (4, {})


def test_the_command_says_why_not(folder: Path) -> None:
    make_release(folder, "museum_tour", "0.2.0", with_file("rules/pa_status/broken.toml", "title = "))
    refused = run("releases", "activate", "museum_tour@0.2.0", "musem_tour@shipped")
    assert refused.exit_code == REFUSED
    broken = run("releases", "activate", "museum_tour@0.2.0")
    assert broken.exit_code == REFUSED
    assert "error: museum_tour@0.2.0/rules/pa_status/broken.toml: no TOML" in broken.stderr
    assert str(folder) not in broken.stderr.replace(str(folder.parent), "", 1)
    for wrong in (["museum_tour"], ["@0.2.0"], ["a@1.0.0", "a@2.0.0"]):
        assert run("releases", "activate", *wrong).exit_code == WRONG_USAGE
    assert run("releases", "rollback").exit_code == REFUSED
    assert active().generation == 0


def test_a_service_does_not_start_without_what_is_active_and_the_command_gets_it_out(folder: Path) -> None:
    make_release(folder, "friends_meet", "0.2.0")
    assert run("releases", "activate", "friends_meet@0.2.0").exit_code == 0
    (folder / "friends_meet").rename(folder / "lost")
    failed = run("feasible", "Friend2 MM-Moves Persona2ID From MLocFriend2 To MVS")
    assert failed.exit_code == TROUBLE
    assert "the releases that are active (generation 1) cannot be loaded" in failed.stderr
    assert "there is no release `friends_meet@0.2.0`" in failed.stderr
    assert run("releases", "rollback").exit_code == 0
    answered = run("feasible", "Friend2 MM-Moves Persona2ID From MLocFriend2 To MVS", "--json")
    assert "friends_meet@0.1.0" in json.loads(answered.stdout)["SourcesUsed"]


def test_a_pack_that_is_not_shipped_is_active_while_a_world_needs_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it is active nothing serves its world; then it is not given up before its world is."""
    new_pack(EDITION, "bakery", tmp_path / "packs", "A bakery")
    make_release(folder, "bakery", "0.2.0", edition=EDITION.with_placed("bakery", tmp_path / "packs" / "bakery"))
    assert run("releases", "activate", "bakery@0.2.0").exit_code == 0
    assert run("releases", "activate", "bakery@shipped").exit_code == 0  # nobody needs it
    monkeypatch.setenv("DOMAIN_ACCESS_WORLDS", "bakery")
    early = run("world", "list")
    assert early.exit_code == TROUBLE
    assert "no pack `bakery` is active or shipped" in early.stderr
    assert "`domain-access releases activate bakery@0.2.0` first" in early.stderr
    assert run("releases", "activate", "bakery@0.2.0").exit_code == 0
    assert "Bakery1" in run("world", "list").stdout
    needed = run("releases", "activate", "bakery@shipped")
    assert needed.exit_code == REFUSED
    assert "no pack `bakery` is active or shipped" in needed.stderr
    assert "the M-Instance `Bakery1` needs it" in needed.stderr
    assert active().packs == {"bakery": "0.2.0"}


def test_a_world_stays_as_it_is_and_who_activates_is_told(folder: Path) -> None:
    """Where the release brings another one than what was active before, and the M-Instance is served."""
    stays = f"the world MI1 stays as it is; to take that of the release: domain-access world load {folder}"
    make_release(folder, "friends_meet", "0.2.0")
    make_release(folder, "friends_meet", "0.3.0", edited("worlds/MI1.ttl", "@prefix", "# another one\n@prefix"))
    assert "stays as it is" not in run("releases", "activate", "friends_meet@0.3.0").stderr  # nothing is served yet
    assert run("releases", "rollback").exit_code == 0
    assert run("world", "list").exit_code == 0  # the first start loads MI1
    assert "stays as it is" not in run("releases", "activate", "friends_meet@0.2.0").stderr  # the same world
    done = run("releases", "activate", "friends_meet@0.3.0", "--json")
    file = folder / "friends_meet" / "0.3.0" / "worlds" / "MI1.ttl"
    assert f"{stays}/friends_meet/0.3.0/worlds/MI1.ttl" in done.stderr
    assert json.loads(done.stdout)["worlds_kept"] == [{"m_instance": "MI1", "file": str(file)}]
    assert "worlds_kept" not in json.loads(run("releases", "activate", "friends_meet@0.3.0", "--json").stdout)
    assert run("world", "load", str(file)).exit_code == 0


def test_a_world_at_rest_is_checked(folder: Path) -> None:
    assert run("world", "list").exit_code == 0  # the first start loads MI1
    make_release(folder, "friends_meet", "0.2.0")
    make_release(folder, "friends_meet", "0.3.0", with_file("shapes.ttl", CAPACITY))
    assert run("releases", "activate", "friends_meet@0.2.0").exit_code == 0
    refused = run("releases", "activate", "friends_meet@0.3.0", "--json")
    assert refused.exit_code == REFUSED
    faults = json.loads(refused.stdout)["errors"]
    assert {fault["code"] for fault in faults} == {"world_refused"}
    assert any(fault["pointer"].startswith("MI1: RoomID") for fault in faults)
    assert active().packs == {"friends_meet": "0.2.0"}
