"""What is explained, grounded and listed is what is served: changed worlds, active releases, packs of elsewhere."""

from __future__ import annotations

import json
import shutil
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.cli.served import served
from tests.packs import ROOT
from tests.processes import run, serving, stand_alone
from tests.releases import both, make_release, with_axioms, without_rule

MOVED = """
PREFIX mmm: <https://w3id.org/domain-access/mmm#>
PREFIX : <https://mi1.example/>
DELETE { ?persona mmm:at ?before } INSERT { ?persona mmm:at ?after }
WHERE { ?persona mmm:identifier "Persona2ID" ; mmm:at ?before . ?after mmm:identifier "MVS" } ;
INSERT DATA { :Zed a mmm:User ; mmm:identifier "Zed" ; mmm:human :human2 ;
    mmm:asksFor [ a mmm:ProcessRequest ; mmm:user :Friend1 ; mmm:persona :Persona1ID ] }
"""
PERISCOPE = """
museum_tour:Periscope a owl:Class ; rdfs:subClassOf mmm:ThreeDModelObject ; rdfs:label "Periscope"@en ;
    skos:definition "It lets one see around a corner."@en .
"""
RULE = "bag_in_gallery"
NOT_SERVED = "no server at "
HOLDS = {
    'Persona2ID "at" MVS': 0,
    'Persona2ID "at" MLocFriend2': 1,
    "Zed a Process": 0,
    "Friend2 a Process": 0,
}
"""Facts of the changed world, each with the exit code that it gets."""


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stand_alone(monkeypatch, tmp_path)


def send(address: str, method: str, path: str, media_type: str, body: str) -> None:
    asked = urllib.request.Request(address + path, body.encode(), {"Content-Type": media_type}, method=method)
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked) as response:
        assert response.status < 300


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("releases")
    make_release(root, "museum_tour", "0.2.0", both(without_rule(RULE), with_axioms(PERISCOPE)))
    return root


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def server(data: Path, releases: Path) -> Iterator[str]:
    """A server whose world was changed, and whose pack is a release."""
    with serving(data, releases=releases) as (_, address, _):
        send(address, "POST", "/v1/worlds/MI1/update", "application/sparql-update", MOVED)
        send(
            address, "PUT", "/v1/releases/active", "application/json", json.dumps({"packs": {"museum_tour": "0.2.0"}})
        )
        yield address


@pytest.fixture(scope="module")
def left(server: str, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of that server as a backup of it, which nobody serves."""
    folder = tmp_path_factory.mktemp("left") / "data"
    shutil.copytree(data, folder)
    return folder


@pytest.fixture(params=["server", "data folder"])
def told_of(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, server: str, left: Path, releases: Path
) -> str:
    """What the command says that it asks."""
    monkeypatch.setenv("DOMAIN_ACCESS_RELEASES", str(releases))
    if request.param == "server":
        monkeypatch.setenv("DOMAIN_ACCESS_PORT", server.rpartition(":")[2])
        return f"asking {server}\n"
    monkeypatch.setenv("DOMAIN_ACCESS_DATA", str(left))
    return NOT_SERVED


def test_the_world_is_explained_as_it_is_now(told_of: str) -> None:
    done = {fact: run("explain", fact) for fact in HOLDS}
    assert {fact: result.exit_code for fact, result in done.items()} == HOLDS
    assert all(result.stderr.startswith(told_of) for result in done.values())
    assert "nearest: Persona2ID placed at MVS" in done['Persona2ID "at" MLocFriend2'].stdout
    assert done["Zed a Process"].stdout.splitlines()[0] == "Zed a Process   [by cax-sco]"


def test_minimal_sets_are_of_the_world_as_it_is_now_with_its_lines(told_of: str) -> None:
    told = json.loads(run("explain", "Zed a Process", "--max", "1", "--json").stdout)
    (axioms,) = [each["axioms"] for each in told["justifications"]]
    (of_world,) = [each for each in axioms if each["file"] == "MI1.ttl"]
    lines = run("world", "dump", "MI1").stdout.splitlines()[: of_world["line"]]
    assert "mmm:User" in lines[-1]
    assert "Zed" in next(line for line in reversed(lines) if not line.startswith("\t"))


def test_blank_nodes_are_blank_as_their_authors_wrote_them(told_of: str) -> None:
    facts = served("MI1", None).facts
    assert len({s for s, _, _ in facts if s.startswith("_:")}) > 5
    assert not [fact for fact in facts if "genid" in str(fact)]


def test_packs_are_those_of_the_active_releases(told_of: str) -> None:
    fact = "museum_tour:Periscope rdfs:subClassOf mmm:ThreeDModelObject"
    assert run("explain", "--pack", "museum_tour", fact).exit_code == 0
    assert run("explain", "--pack", str(ROOT / "ontologies" / "museum_tour"), fact).exit_code == 4
    hits = json.loads(run("ground", "periscope", "--json").stdout)["periscope"]
    assert hits == [], "MI1 does not use the museum"
    listed = run("rules", "museum_tour", "--json")
    assert listed.stderr.startswith(told_of)
    assert RULE not in {rule["id"] for rule in json.loads(listed.stdout)}
    shipped = json.loads(run("rules", str(ROOT / "ontologies" / "museum_tour"), "--json").stdout)
    assert RULE in {rule["id"] for rule in shipped}


def test_releases_that_do_not_lie_here_are_told(server: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOMAIN_ACCESS_RELEASES", str(tmp_path))
    for command in (["rules"], ["ground", "user"], ["explain", "Friend2 a Process"]):
        done = run(*command, "--url", server)
        assert done.exit_code != 0
        assert "DOMAIN_ACCESS_RELEASES" in done.stderr
        assert "`museum_tour@0.2.0`" in done.stderr


def test_an_m_instance_that_is_not_there_is_refused_with_those_that_are(told_of: str) -> None:
    done = run("explain", "Friend2 a Process", "--m-instance", "MI2")
    assert done.exit_code == 4
    assert "`MI1`" in done.stderr


def test_where_there_is_no_data_none_is_made(tmp_path: Path) -> None:
    for command in (["rules"], ["ground", "user"], ["explain", "Friend2 a Process"]):
        done = run(*command)
        assert done.exit_code == 0
        assert done.stderr.startswith(NOT_SERVED)
    assert "as shipped" in done.stderr
    assert not (tmp_path / "data").exists()


@pytest.fixture(scope="module")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pack that lies elsewhere."""
    folder = tmp_path_factory.mktemp("packs")
    assert run("new-pack", "bakery", "--folder", str(folder)).exit_code == 0
    return folder / "bakery"


@pytest.mark.parametrize("in_folder", [True, False], ids=["by name in a folder", "by its folder"])
def test_packs_of_elsewhere_are_explained_listed_and_documented(
    bakery: Path, tmp_path: Path, in_folder: bool
) -> None:
    named = ["bakery", "--folder", str(bakery.parent)] if in_folder else [str(bakery)]
    sound = run("explain", "--pack", *named)
    assert (sound.exit_code, sound.stderr) == (0, ""), "nobody is asked"
    assert "`bakery` does not contradict itself" in sound.stdout
    assert run("explain", "mmm:User rdfs:subClassOf mmm:Process", "--pack", *named).exit_code == 0
    listed = json.loads(run("rules", *named, "--json").stdout)
    assert any(rule["source"].startswith("bakery@") for rule in listed)
    assert run("doc", *named, "--output", str(tmp_path / "site")).exit_code == 0
    assert (tmp_path / "site" / "bakery" / "index.html").is_file()


def test_a_pack_that_is_not_there_is_told_in_the_same_words(tmp_path: Path) -> None:
    wrong = "houshold"
    told = [
        run("explain", "--pack", wrong),
        run("explain", "User a owl:Class", "--pack", wrong),
        run("rules", wrong),
        run("doc", wrong, "--output", str(tmp_path / "site")),
        run("check", wrong),
    ]
    assert {done.exit_code for done in told} == {2}
    lines = {done.stderr.splitlines()[-1] for done in told}
    assert len(lines) == 1
    assert "`houshold` is no pack" in min(lines)
    assert "did you mean `household`?" in min(lines)


def test_a_folder_is_for_packs(tmp_path: Path) -> None:
    assert run("explain", "Friend2 a Process", "--folder", str(tmp_path)).exit_code == 2
    assert run("explain", "--pack", str(ROOT / "ontologies")).exit_code == 2
