"""Releases activated in servers that run: nobody notices but by the answers (DESIGN 8).

Two releases of `museum_tour` have a class that the pack as shipped has not, the Periscope. They differ in one
verdict: 0.2.0 lets large bags into galleries, 0.3.0 does not; and to 0.3.0 no Periscope is an Exhibit.
"""

from __future__ import annotations

import json
import shutil
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import pytest

from app.authoring.golden import read_golden
from app.cli.question import fresh_id, plan_request
from app.errors import MessageError
from app.model import LOCAL
from tests.databases import a_database, without_server
from tests.packs import ROOT
from tests.processes import serving
from tests.releases import CAPACITY, both, make_release, with_axioms, with_file, without_rule
from tests.rig import JSON, Rig, bearer, open_rig, request, with_tokens
from tests.soak.server import server

OPEN, SHUT = "0.2.0", "0.3.0"
RULE = "bag_in_gallery"
BAG = 7
"""The step that the rule refuses."""

PLAN = read_golden(ROOT / "ontologies" / "museum_tour" / "golden" / "plan.toml")[0].plan
ACTIVE = "/v1/releases/active"
MOVE = "Vera MM-Moves Backpack From Entrance1 To Gallery1 At 2026-03-03T11:06:00Z"
PERISCOPE = """
museum_tour:Periscope a owl:Class ; rdfs:subClassOf mmm:ThreeDModelObject ; rdfs:label "Periscope"@en ;
    skos:definition "It lets one see around a corner."@en .
"""


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the two releases."""
    root = tmp_path_factory.mktemp("releases")
    make_release(root, "museum_tour", OPEN, both(without_rule(RULE), with_axioms(PERISCOPE)))
    never = "museum_tour:Periscope owl:disjointWith museum_tour:Exhibit ."
    make_release(root, "museum_tour", SHUT, with_axioms(PERISCOPE + never))
    return root


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory, two: Path) -> Iterator[Rig]:
    root = tmp_path_factory.mktemp("more") / "releases"
    shutil.copytree(two, root)
    with open_rig(tmp_path_factory.mktemp("data"), worlds=("museum_tour", "friends_meet"), releases=root) as opened:
        yield opened


@pytest.fixture
def shipped(rig: Rig) -> Rig:
    """The rig with nothing but what is shipped."""
    activate(rig, museum_tour=None, core=None)
    return rig


def activate(rig: Rig, **packs: str | None) -> Any:
    return rig.client.put(ACTIVE, json={"packs": packs})


def sources(rig: Rig, m_instance: str = "Museo") -> list[str]:
    found: list[str] = rig.client.get("/ready").json()["m_instances"][m_instance]["packs"]
    return found


def refused(answer: Any, *codes: str) -> list[dict[str, str]]:
    assert answer.status_code == 422, answer.text
    faults: list[dict[str, str]] = answer.json()["errors"]
    assert [fault["code"] for fault in faults] == list(codes)
    return faults


# One server


def test_a_set_is_activated_and_the_next_answers_are_of_it(shipped: Rig) -> None:
    before = shipped.client.get("/v1/releases").json()
    done = activate(shipped, museum_tour=OPEN)
    assert done.status_code == 200, done.text
    active = done.json()
    assert (active["active"], active["by"], active["how"]) == ({"museum_tour": OPEN}, "local", "activate")
    assert done.headers["etag"] == f'"{before["generation"] + 1}"'
    told = shipped.client.get("/v1/releases")
    assert told.headers["etag"] == done.headers["etag"]
    assert {(each["version"], each["active"]) for each in told.json()["releases"]} == {(OPEN, True), (SHUT, False)}
    assert told.json()["this_process"] == active == shipped.client.get("/ready").json()["releases"]
    answered = shipped.ask(request(MOVE, MInstance="Museo")).json()
    assert f"museum_tour@{OPEN}" in answered["SourcesUsed"]
    assert sources(shipped, "MI1") == ["core@0.1.0", "friends_meet@0.1.0"]


def test_a_world_that_stays_is_told(shipped: Rig) -> None:
    """Where the release brings another one; to this the world has to be loaded by whoever wants it."""
    root = shipped.settings.releases_folder
    text = (ROOT / "ontologies" / "museum_tour" / "worlds" / "Museo.ttl").read_text("utf-8")
    file = make_release(root, "museum_tour", "0.7.0", with_file("worlds/Museo.ttl", f"# another\n{text}")).folder
    try:
        assert "worlds_kept" not in activate(shipped, museum_tour=OPEN).json()
        told = activate(shipped, museum_tour="0.7.0").json()["worlds_kept"]
        assert told == [{"m_instance": "Museo", "file": str(file / "worlds" / "Museo.ttl")}]
        assert [each["m_instance"] for each in activate(shipped, museum_tour=OPEN).json()["worlds_kept"]] == ["Museo"]
    finally:
        activate(shipped, museum_tour=None)
        shutil.rmtree(file)


def test_the_same_set_again_is_no_new_generation(shipped: Rig) -> None:
    first = activate(shipped, museum_tour=SHUT).json()
    assert activate(shipped, museum_tour=SHUT).json() == first
    assert activate(shipped).json() == first


def test_a_rollback_is_a_new_generation(shipped: Rig) -> None:
    first = activate(shipped, museum_tour=OPEN).json()
    activate(shipped, museum_tour=SHUT)
    back = shipped.client.post("/v1/releases/rollback").json()
    assert (back["generation"], back["active"], back["how"]) == (first["generation"] + 2, first["active"], "rollback")
    assert f"museum_tour@{OPEN}" in sources(shipped)


def test_only_what_is_expected_is_followed(shipped: Rig) -> None:
    generation = shipped.client.get("/v1/releases").json()["generation"]
    for tag in (f'"{generation + 1}"', '"x"', ""):
        late = shipped.client.put(ACTIVE, json={"packs": {"museum_tour": OPEN}}, headers={"If-Match": tag})
        assert (late.status_code, late.json()["errors"][0]["code"]) == (412, "version_changed")
    right = {"If-Match": f'"{generation}"'}
    assert shipped.client.put(ACTIVE, json={"packs": {"museum_tour": OPEN}}, headers=right).status_code == 200
    assert shipped.client.post("/v1/releases/rollback", headers=right).status_code == 412


def test_a_token_needs_admin_for_all(shipped: Rig) -> None:
    guarded = with_tokens(shipped)
    for name in ("asker", "reader"):
        assert guarded.put(ACTIVE, json={"packs": {}}, headers=bearer(name)).status_code == 403
        assert guarded.post("/v1/releases/rollback", headers=bearer(name)).status_code == 403
    assert guarded.get("/v1/releases", headers=bearer("reader")).status_code == 200
    assert guarded.get("/v1/releases", headers=bearer("asker")).status_code == 403
    assert set(guarded.get("/ready").json()) == {"service", "version"}


BODIES: dict[str, tuple[object, set[tuple[str, str]]]] = {
    "no object": ([], {("wrong_type", "")}),
    "nothing": ({}, {("missing_member", "/packs")}),
    "packs are a list": ({"packs": ["museum_tour"]}, {("wrong_type", "/packs")}),
    "all at once": (
        {"packs": {"a/b": 1, "museum_tour": []}, "pack": {}},
        {("wrong_type", "/packs/a~1b"), ("wrong_type", "/packs/museum_tour"), ("unknown_member", "/pack")},
    ),
    "unknown": (
        {"packs": {"musem_tour": OPEN, "museum_tour": "0.9.0", "../x": "0.1.0"}},
        {("unknown_release", f"/packs/{name}") for name in ("musem_tour", "museum_tour", "..~1x")},
    ),
    "never shipped": ({"packs": {"musem_tour": None}}, {("unknown_release", "/packs/musem_tour")}),
}


@pytest.mark.parametrize("body", BODIES)
def test_a_body_that_says_no_set_is_refused_with_every_fault(rig: Rig, body: str) -> None:
    given, expected = BODIES[body]
    answer = rig.client.put(ACTIVE, json=given)
    assert answer.status_code == 422
    assert {(fault["code"], fault["pointer"]) for fault in answer.json()["errors"]} == expected


def test_a_set_that_cannot_be_served_changes_nothing(shipped: Rig) -> None:
    """Damaged, made with another core, not to be loaded, a world that would be invalid: told, and not done."""
    root = shipped.settings.releases_folder
    before = shipped.client.get("/v1/releases").json()["generation"], sources(shipped), sources(shipped, "MI1")
    try:
        make_release(root, "museum_tour", "0.4.0", with_file("rules/pa_status/broken.toml", "title = "))
        make_release(root, "museum_tour", "0.5.0", with_file("shapes.ttl", CAPACITY))
        make_release(root, "core", "0.1.1")
        make_release(root, "household", "0.2.0", with_file("ontology.ttl", "household:Fridge a"))
        (make_release(root, "museum_tour", "0.6.0").folder / "README.md").write_text("changed")

        (fault,) = refused(activate(shipped, museum_tour="0.6.0"), "release_damaged")
        assert fault["pointer"] == "museum_tour/0.6.0/README.md"
        (fault,) = refused(activate(shipped, museum_tour=OPEN, core="0.1.1"), "requirement_not_met")
        assert "`museum_tour@0.2.0` was made with `core@0.1.0`" in fault["message"]
        (fault,) = refused(activate(shipped, museum_tour="0.4.0"), "release_refused")
        assert fault["pointer"] == "museum_tour@0.4.0/rules/pa_status/broken.toml"
        faults = refused(activate(shipped, museum_tour="0.4.0", household="0.2.0"), *["release_refused"] * 2)
        assert faults[1]["pointer"].startswith("household@0.2.0/ontology.ttl:")
        faults = activate(shipped, museum_tour="0.5.0").json()["errors"]
        assert {fault["code"] for fault in faults} == {"world_refused"}
        assert all(
            fault["pointer"].startswith("Museo: ") and "a place has a capacity" in fault["message"]
            for fault in faults
        )
    finally:
        for path in (*(root / "museum_tour" / f"0.{n}.0" for n in (4, 5, 6)), root / "core", root / "household"):
            shutil.rmtree(path, ignore_errors=True)
    after = shipped.client.get("/v1/releases").json()["generation"], sources(shipped), sources(shipped, "MI1")
    assert after == before


# No request mixes, no cache serves another's


def ground(rig: Rig, **members: Any) -> Any:
    asked = {"Kind": "semantic_grounding", "ProcessActions": None, "Terms": [{"Text": "periscope"}], **members}
    message = {name: value for name, value in request(MInstance="Museo", **asked).items() if value is not None}
    return rig.ask(message).json()


def test_a_request_under_way_ends_as_it_began(shipped: Rig) -> None:
    """Other releases, and another world, come between the reading of a Request and its answer."""
    activate(shipped, museum_tour=OPEN)
    dialogues = shipped.service._dialogues
    user_of = dialogues.user_of
    versions = []

    def meanwhile(m_instance: str, session_id: str) -> str | None:
        dialogues.user_of = user_of  # type: ignore[method-assign]
        versions.append(world_version(shipped))
        assert activate(shipped, museum_tour=SHUT).status_code == 200
        update(shipped, 'INSERT DATA { <Cap> a mmm:ThreeDModelObject ; mmm:identifier "Cap" }')
        versions.append(world_version(shipped))
        return user_of(m_instance, session_id)

    dialogues.user_of = meanwhile  # type: ignore[method-assign]
    try:
        response = shipped.ask(bag()).json()
    finally:
        update(shipped, 'DELETE DATA { <Cap> a mmm:ThreeDModelObject ; mmm:identifier "Cap" }')
    assert versions[0] != versions[1]
    assert wrong_with(response, why(shipped, response)) == []
    assert response["SourcesUsed"][1:] == [f"museum_tour@{OPEN}", f"world Museo@{versions[1]}"]
    after = shipped.ask(bag()).json()
    assert f"museum_tour@{SHUT}" in after["SourcesUsed"]
    assert wrong_with(after, why(shipped, after)) == []


def test_what_was_worked_out_for_one_set_serves_no_other(shipped: Rig) -> None:
    """Words, classes, Knowledge to query, names, what a world may hold."""
    told = []
    for version in (None, OPEN, None):
        assert activate(shipped, museum_tour=version).status_code == 200
        asked = "PREFIX m: <https://w3id.org/domain-access/museum_tour#> ASK { GRAPH ?g { m:Periscope ?p ?o } }"
        known = shipped.client.get("/sparql", params={"query": asked}).json()["boolean"]
        entry = shipped.service.catalogue.class_entry("Museo", "Periscope", LOCAL)
        overview = shipped.service.catalogue.overview("Museo", 20_000, LOCAL)
        made = update(shipped, 'INSERT DATA { <P1> a museum_tour:Periscope ; mmm:identifier "P1" }')
        if made < 300:
            update(shipped, 'DELETE DATA { <P1> a museum_tour:Periscope ; mmm:identifier "P1" }')
        grounded = "museum_tour#Periscope" in json.dumps(ground(shipped)["Answer"])
        told.append((known, entry is not None, "Periscope" in overview, made < 300, grounded))
    assert told == [(False,) * 5, (True,) * 5, (False,) * 5]


def test_a_dialogue_goes_on_and_says_since_when_a_commitment_conflicts(shipped: Rig) -> None:
    activate(shipped, museum_tour=OPEN)
    said = {"DialogID": fresh_id(), "SessionID": "s"}
    kept = [{"CommitmentID": "c1", "Statement": "Harbour is a Periscope"}]
    first = ground(shipped, Commitments=kept, **said)
    assert first["CommitmentStatus"] == [{"CommitmentID": "c1", "Status": "retained"}], first
    activate(shipped, museum_tour=SHUT)
    second = ground(shipped, TurnIndex=1, **said)
    assert second["CommitmentStatus"] == [{"CommitmentID": "c1", "Status": "conflicting"}]
    assert f"since core@0.1.0+museum_tour@{SHUT}, World" in second["Answer"]["Text"]
    told = shipped.client.get(f"/v1/dialogues/Museo/UE1/s/{said['DialogID']}").json()["turns"]
    assert [turn["sources"] for turn in told] == [f"core@0.1.0, museum_tour@{v}" for v in (SHUT, OPEN)]


def test_a_world_that_uses_a_term_keeps_the_release_that_has_it(shipped: Rig) -> None:
    """The way back is barred as long as the world would be invalid there, and open again afterwards."""
    fact = '<P1> a museum_tour:Periscope ; mmm:identifier "P1"'
    activate(shipped, museum_tour=OPEN)
    assert update(shipped, f"INSERT DATA {{ {fact} }}") < 300
    back = shipped.client.post("/v1/releases/rollback")
    (fault,) = refused(back, "world_refused")
    assert fault["pointer"].startswith("Museo: P1")
    assert f"museum_tour@{OPEN}" in sources(shipped)
    assert update(shipped, f"DELETE DATA {{ {fact} }}") < 300
    assert shipped.client.post("/v1/releases/rollback").status_code == 200


def test_what_comes_into_a_world_while_it_is_checked_counts(shipped: Rig) -> None:
    worlds = shipped.service._worlds
    as_shipped = {world.m_instance.packs: world.domain for world in worlds.served().values()}
    activate(shipped, museum_tour=OPEN)
    prepared = worlds.prepare(as_shipped.__getitem__)
    assert update(shipped, 'INSERT DATA { <P1> a museum_tour:Periscope ; mmm:identifier "P1" }') < 300
    try:
        with pytest.raises(MessageError, match="Periscope"):
            worlds.switch(prepared, lambda: pytest.fail("agreed to what is invalid"))
        assert f"museum_tour@{OPEN}" in sources(shipped)
    finally:
        update(shipped, 'DELETE DATA { <P1> a museum_tour:Periscope ; mmm:identifier "P1" }')


# Servers


def bag() -> bytes:
    """The golden plan of the museum as a Request in a dialogue of its own."""
    return plan_request(PLAN.steps, PLAN.m_instance, PLAN.u_environment, fresh_id())


def wrong_with(response: Any, explanation: Any) -> list[str]:
    """What of a Response, or of why it is so, is not of the release that it names."""
    version = next(each.partition("@")[2] for each in response["SourcesUsed"] if each.startswith("museum_tour@"))
    step = next(each for each in response["Feasibility"]["Steps"] if each["Step"] == BAG)
    told = next(each for each in explanation["steps"] if each["step"] == BAG)
    statuses = {each["Step"]: each["PAStatus"] for each in response["Feasibility"]["Steps"]}
    checks = {
        "sources": explanation["sources"] == response["SourcesUsed"],
        "statuses": Counter(statuses.values()) == STATUSES[version],
        "Reason": (f"[{RULE}]" in step["Reason"]) == (version == SHUT),
        "PA Status": step["PAStatus"] == told["pa_status"] == VERDICTS[version],
        "findings": any(finding["rule"] == RULE for finding in told["findings"]) == (version == SHUT),
    }
    return [f"{version}: {name}" for name, holds in checks.items() if not holds]


VERDICTS = {OPEN: "Ack", SHUT: "InsRights"}
STATUSES = {  # a bag in the gallery is not at the entrance any more: the next step clashes
    OPEN: Counter({"Ack": 19, "InsRights": 11, "Clash": 3, "InsValue": 1}),
    SHUT: Counter({"Ack": 19, "InsRights": 12, "Clash": 2, "InsValue": 1}),
}


def why(rig: Rig, response: Any) -> Any:
    return rig.client.get(f"/v1/answers/{response['QueryID']}/explanation").json()


def world_version(rig: Rig) -> str:
    return str(rig.client.get("/ready").json()["m_instances"]["Museo"]["world_version"])


def update(rig: Rig, text: str) -> int:
    prefixes = "PREFIX mmm: <https://w3id.org/domain-access/mmm#> "
    prefixes += "PREFIX museum_tour: <https://w3id.org/domain-access/museum_tour#> "
    headers = {"Content-Type": "application/sparql-update"}
    return rig.client.post("/v1/worlds/Museo/update", content=prefixes + text, headers=headers).status_code


@dataclass
class Caller:
    """Asks the golden plan again and again, each time in a dialogue of its own, and looks at what comes back."""

    address: str
    answered: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def run(self, ended: threading.Event) -> None:
        with closing(connect(self.address)) as connection:
            while not ended.is_set() and not self.wrong:
                begun = time.perf_counter()
                status, response = send(connection, "POST", "/v1/bkn-dac", bag())
                self.seconds.append(time.perf_counter() - begun)
                if status != 200:
                    self.wrong.append(f"{status}: {response}")
                    return
                status, explanation = send(connection, "GET", f"/v1/answers/{response['QueryID']}/explanation")
                self.wrong += wrong_with(response, explanation) if status == 200 else [f"{status}: {explanation}"]
                self.answered[response["SourcesUsed"][1]] += 1


def connect(address: str) -> HTTPConnection:
    host, _, port = address.removeprefix("http://").rpartition(":")
    return HTTPConnection(host, int(port), timeout=60)


def send(connection: HTTPConnection, method: str, path: str, body: bytes = b"") -> tuple[int, Any]:
    connection.request(method, path, body, JSON if body else {})
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def ask(address: str, method: str, path: str, body: object = None) -> Any:
    with closing(connect(address)) as connection:
        status, told = send(connection, method, path, b"" if body is None else json.dumps(body).encode())
    assert status == 200, told
    return told


def put(address: str, version: str | None) -> Any:
    return ask(address, "PUT", ACTIVE, {"packs": {"museum_tour": version}})


def wait_for(address: str) -> None:
    """Until a server that has opened its data answers from them."""

    def ready() -> bool:
        with closing(connect(address)) as connection:
            return send(connection, "GET", "/ready")[0] == 200

    until(ready)


def museum(address: str) -> str:
    """The release of the museum that a server answers from."""
    found: str = ask(address, "GET", "/ready")["m_instances"]["Museo"]["packs"][1]
    return found


def until(holds: Callable[[], bool], seconds: float = 30) -> None:
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.02)


SWITCHES = 20
CALLERS = 8


def test_no_request_fails_or_mixes_while_releases_change(two: Path, tmp_path: Path) -> None:
    with serving(tmp_path, worlds="museum_tour", releases=two, log_level="error") as (_, address, _):
        put(address, SHUT)
        ended = threading.Event()
        callers = [Caller(address) for _ in range(CALLERS)]
        threads = [threading.Thread(target=caller.run, args=(ended,)) for caller in callers]
        for thread in threads:
            thread.start()
        try:
            for number in range(SWITCHES):
                generation = put(address, (OPEN, SHUT)[number % 2])["generation"]
        finally:
            ended.set()
            for thread in threads:
                thread.join()
    assert [wrong for caller in callers for wrong in caller.wrong] == []
    assert generation == SWITCHES + 1
    answered = sum((caller.answered for caller in callers), Counter())
    assert set(answered) == {f"museum_tour@{OPEN}", f"museum_tour@{SHUT}"}
    assert min(answered.values()) >= CALLERS
    seconds = sorted(second for caller in callers for second in caller.seconds)
    p50, p99 = seconds[len(seconds) // 2], seconds[len(seconds) * 99 // 100]
    print(f"{len(seconds)} answers, p50 {p50 * 1000:.0f} ms, p99 {p99 * 1000:.0f} ms, longest {seconds[-1]:.2f} s")


def test_a_signal_activates_the_newest_and_says_what_is_damaged(two: Path, tmp_path: Path) -> None:
    root = tmp_path / "releases"
    shutil.copytree(two, root)
    (make_release(root, "museum_tour", "0.10.0").folder / "README.md").unlink()
    with serving(tmp_path, worlds="museum_tour", releases=root) as (process, address, _):
        process.send_signal(signal.SIGHUP)
        until(lambda: museum(address) == f"museum_tour@{SHUT}")
        active = ask(address, "GET", "/v1/releases")
        assert (active["generation"], active["by"], active["how"]) == (1, "SIGHUP", "signal")
        process.send_signal(signal.SIGHUP)  # nothing newer: nothing happens
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
    events = [json.loads(line)["event"] for line in said.splitlines()]
    assert f"generation 1 by SIGHUP: museum_tour@{SHUT}" in events
    assert any(event.startswith("passed over museum_tour@0.10.0: museum_tour/0.10.0/README.md") for event in events)


@without_server
def test_two_servers_on_one_database_follow_each_other(two: Path, tmp_path: Path) -> None:
    """One of them has not all releases at first: it answers as before, and says so."""
    shutil.copytree(two / "museum_tour" / OPEN, tmp_path / "own" / "museum_tour" / OPEN)
    own = tmp_path / "own"
    with a_database("postgresql", tmp_path) as database:
        shared: dict[str, Any] = {"worlds": "museum_tour", "database": database.url, "release_seconds": 0.2}
        with (
            serving(tmp_path / "one", releases=two, **shared) as (_, one, _),
            serving(tmp_path / "other", releases=own, **shared) as (_, other, _),
        ):
            put(one, OPEN)
            until(lambda: museum(other) == f"museum_tour@{OPEN}")
            put(other, None)
            until(lambda: museum(one) == "museum_tour@0.1.0")
            put(one, SHUT)
            until(lambda: "not_loaded" in ask(other, "GET", "/ready")["releases"])
            told = ask(other, "GET", "/ready")["releases"]
            assert (told["generation"], told["active"]) == (2, {})
            assert told["not_loaded"]["active"] == {"museum_tour": SHUT}
            assert told["not_loaded"]["errors"][0]["code"] == "unknown_release"
            assert museum(other) == "museum_tour@0.1.0"
            shutil.copytree(two / "museum_tour" / SHUT, own / "museum_tour" / SHUT)
            until(lambda: museum(other) == f"museum_tour@{SHUT}")
            assert "not_loaded" not in ask(other, "GET", "/ready")["releases"]
            ask(other, "POST", "/v1/releases/rollback")
            until(lambda: museum(one) == "museum_tour@0.1.0")
            assert [ask(each, "GET", "/v1/releases")["generation"] for each in (one, other)] == [4, 4]


# Where in an activation a server is killed: at a statement of it, around its commit, at any moment
KILLS = [("before a statement", 4), ("before commit", 1), ("after commit", 1), ("", 0)]


def test_a_server_killed_while_activating_is_at_one_set_or_the_other(two: Path, tmp_path: Path) -> None:
    outcomes = set()
    settings = {"data": tmp_path, "worlds": ("museum_tour",), "releases": two, "release_seconds": 3_600}
    at, wanted, generation = SHUT, OPEN, 1
    with server(settings) as (_, address):
        wait_for(address)
        put(address, at)
    for point, number in KILLS:
        with server(settings, point, number) as (process, address):
            wait_for(address)
            timer = threading.Timer(1, process.kill)
            if not point:
                timer.start()
            with suppress(OSError, HTTPException):
                put(address, wanted)
            if not point:
                process.kill()
            process.join(30)
            timer.cancel()
            assert process.exitcode == -signal.SIGKILL
        with server(settings) as (_, address):
            wait_for(address)
            found = ask(address, "GET", "/v1/releases")
            new = found["generation"] == generation + 1
            assert new or found["generation"] == generation
            assert found["active"] == {"museum_tour": wanted if new else at}
            assert museum(address) == f"museum_tour@{wanted if new else at}"
            response = ask(address, "POST", "/v1/bkn-dac", json.loads(bag()))
            explanation = ask(address, "GET", f"/v1/answers/{response['QueryID']}/explanation")
            assert wrong_with(response, explanation) == []
        outcomes.add((point, new))
        if new:
            at, wanted, generation = wanted, at, generation + 1
    assert {("before a statement", False), ("before commit", False), ("after commit", True)} <= outcomes
