"""Worlds over HTTP: the Graph Store Protocol, updates, versions, conditions (DESIGN 4, 7)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyoxigraph as ox
import pytest
from rdflib import SH, Graph
from starlette.testclient import TestClient

from app.errors import Code, StateError
from app.service import Service
from app.settings import Settings
from app.world import FORMATS
from tests.rig import Rig, open_rig, request
from tests.stores import BASE, DATA, canonical

PREFIXES = """PREFIX mmm: <https://w3id.org/domain-access/mmm#> PREFIX dac: <https://w3id.org/domain-access/dac#>
"""
W = "/v1/worlds/W"
TURTLE = {"Content-Type": "text/turtle"}
UPDATE = {"Content-Type": "application/sparql-update"}
WORLD = (DATA / "base.ttl").read_text(encoding="utf-8")
CAP = "@prefix mmm: <https://w3id.org/domain-access/mmm#> . <Cap> a mmm:ThreeDModelObject ; mmm:identifier 'Cap' ."


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with open_rig(tmp_path_factory.mktemp("data")) as opened:
        yield opened


@pytest.fixture
def http(rig: Rig) -> TestClient:
    """A client, and the world W as base.ttl says."""
    made = put(rig.client, WORLD)
    assert made.status_code in {200, 201, 204}, made.text
    return rig.client


def put(client: TestClient, text: str | bytes, path: str = W, **headers: str) -> Any:
    return client.put(path, content=text, headers=TURTLE | headers)


def post(client: TestClient, text: str, **headers: str) -> Any:
    return client.post(W, content=text, headers=TURTLE | headers)


def update(client: TestClient, text: str, path: str = W, **headers: str) -> Any:
    return client.post(f"{path}/update", content=PREFIXES + text, headers=UPDATE | headers)


def facts(client: TestClient, path: str = W) -> set[str]:
    """The world as it is, up to the names of blank nodes."""
    found = client.get(path, headers={"Accept": "application/n-triples"})
    assert found.status_code == 200, found.text
    return canonical(quad.triple for quad in ox.parse(found.content, ox.RdfFormat.N_TRIPLES))


def written(text: str, base: str = BASE) -> set[str]:
    return canonical(quad.triple for quad in ox.parse(text.encode(), ox.RdfFormat.TURTLE, base_iri=base))


def log(client: TestClient, path: str = W) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(f"{path}/log").json()["versions"]
    return found


# Reading and writing


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.suffixes[0][1:])
def test_a_world_is_read_and_written_in_each_form(http: TestClient, form: Any) -> None:
    """What was read can be put: then nothing has changed, and the version is the same."""
    read = http.get(W, headers={"Accept": form.media_type})
    assert read.headers["content-type"].startswith(form.media_type)
    assert read.headers["vary"] == "Accept"
    before = log(http)[0]["version"]
    assert read.headers["etag"] == f'"{before}{form.suffixes[0]}"'
    same = http.put(W, content=read.content, headers={"Content-Type": form.media_type})
    assert (same.status_code, log(http)[0]["version"]) == (204, before)
    assert facts(http) == written(WORLD)


def test_turtle_is_given_to_who_asks_for_nothing_in_particular(http: TestClient) -> None:
    assert http.get(W, headers={"Accept": "*/*"}).headers["content-type"].startswith("text/turtle")
    assert (
        http.get(W, headers={"Accept": "application/*"}).headers["content-type"].startswith("application/n-triples")
    )
    assert http.get(W, headers={"Accept": "text/turtle;q=0, */*"}).status_code == 200
    assert http.get(W, headers={"Accept": "text/turtle;q=0"}).status_code == 406


def test_head_says_what_get_would_but_the_length(http: TestClient) -> None:
    get, head = http.get(W), http.head(W)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["etag"] == get.headers["etag"]
    assert head.headers["content-type"] == get.headers["content-type"]
    assert "content-length" not in head.headers
    assert http.head("/v1/worlds/none").status_code == 404


def test_put_replaces_and_says_what_is_there(http: TestClient) -> None:
    done = put(http, WORLD.replace('"v-1"', '"v-2"'))
    assert done.status_code == 204
    assert done.headers["etag"] == f'"{log(http)[0]["version"]}"'
    assert done.headers["domain-access-version"] == log(http)[0]["version"]
    assert facts(http) == written(WORLD.replace('"v-1"', '"v-2"'))
    newest = log(http)[0]
    assert (newest["how"], newest["added"], newest["removed"], newest["who"]) == ("PUT", 1, 1, "local")


def test_post_adds(http: TestClient) -> None:
    assert post(http, CAP).status_code == 204
    assert facts(http) == written(WORLD + CAP)
    assert post(http, CAP).status_code == 204  # and again: nothing is new
    assert log(http)[0]["how"] == "POST"
    assert log(http)[1]["how"] != "POST"


def test_posting_a_node_without_a_name_twice_adds_it_once(http: TestClient) -> None:
    """A graph with it twice says no more: the same facts have the same name."""
    action = "[ a mmm:ProcessAction ; mmm:action mmm:MM-Send ]"
    said = f"@prefix mmm: <https://w3id.org/domain-access/mmm#> . <Right> mmm:processAction {action} ."
    assert post(http, said).status_code == post(http, said).status_code == 204
    assert facts(http) == written(WORLD + said)


def test_a_change_with_warnings_is_made_and_tells_them(http: TestClient) -> None:
    done = update(
        http, "INSERT DATA { <Right> mmm:processAction [ a mmm:ProcessAction ; mmm:complementNil <Later> ] }"
    )
    assert done.status_code == 200
    told = done.json()
    assert told["version"] == log(http)[0]["version"]
    (warning,) = told["warnings"]
    assert warning["message"] == "it refers to <https://w.example/Later>, of which nothing is said here"


def test_an_update_in_a_form_and_as_text(http: TestClient) -> None:
    text = PREFIXES + "INSERT DATA { <Nook> mmm:public true }"
    assert http.post(f"{W}/update", data={"update": text}).status_code == 204
    assert update(http, "DELETE DATA { <Nook> mmm:public true }").status_code == 204
    assert facts(http) == written(WORLD)
    refused = http.post(f"{W}/update", data={"query": text})
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (400, "not_sparql")


def test_a_change_that_is_refused_changes_nothing(http: TestClient) -> None:
    before, version = facts(http), log(http)[0]["version"]
    bad = "<Ball> mmm:owner <Bob> . <Cap> a mmm:Cap"
    for refused in (
        update(http, f"INSERT DATA {{ {bad} }}"),
        update(http, "DELETE { ?s mmm:owner ?o } INSERT { ?s mmm:owner <Hall> } WHERE { ?s mmm:owner ?o }"),
        post(http, f"@prefix mmm: <https://w3id.org/domain-access/mmm#> . {bad} ."),
        put(http, WORLD + f"{bad} ."),
        put(http, WORLD.replace('"W"', '"V"')),
        put(http, WORLD.replace("mmm:MInstance", "mmm:User")),
        put(http, "@base <https://v.example/> ." + WORLD.partition("\n")[2].partition("\n")[2]),
        put(http, ""),
    ):
        assert refused.status_code == 422, refused.text
        assert refused.json()["errors"]
    assert (facts(http), log(http)[0]["version"]) == (before, version)


def test_who_accepts_rdf_gets_a_shacl_report(http: TestClient) -> None:
    text = "INSERT DATA { <Ball> mmm:owner <Bob> ; mmm:colour 'red' }"
    refused = update(http, text, Accept="text/turtle")
    assert (refused.status_code, refused.headers["content-type"]) == (422, "text/turtle; charset=utf-8")
    report = Graph().parse(data=refused.content, format="turtle")
    assert len(set(report.subjects(SH.focusNode))) == len(set(report.objects(predicate=SH.result))) == 2
    told = update(http, text).json()
    assert {fault["pointer"] for fault in told["errors"]} == {"Ball owner", "Ball colour"}
    assert {fault["code"] for fault in told["errors"]} == {"world_refused"}


def test_a_world_is_checked_as_it_is(http: TestClient) -> None:
    report = http.get(f"{W}/check")
    assert report.headers["content-type"].startswith("text/turtle")
    graph = Graph().parse(data=report.content, format="turtle")
    assert [bool(said) for said in graph.objects(predicate=SH.conforms)] == [True]
    assert http.get(f"{W}/check", headers={"Accept": "text/plain"}).text == "conforms\n"
    assert http.get("/v1/worlds/MI1/check").status_code == 200


# Conditions


def test_if_match_changes_only_what_was_read(http: TestClient) -> None:
    tag = http.get(W).headers["etag"]
    assert update(http, "INSERT DATA { <Nook> mmm:public true }", **{"If-Match": tag}).status_code == 204
    for late in (
        update(http, "CLEAR DEFAULT", **{"If-Match": tag}),
        put(http, WORLD, **{"If-Match": tag}),
        post(http, CAP, **{"If-Match": tag}),
        http.delete(W, headers={"If-Match": tag}),
    ):
        assert (late.status_code, late.json()["errors"][0]["code"]) == (412, "version_changed")
    now = http.head(W, headers={"Accept": "application/n-triples"}).headers["etag"]
    assert put(http, WORLD, **{"If-Match": f'"other", W/{now}'}).status_code == 204
    assert put(http, WORLD, **{"If-Match": "*"}).status_code == 204


def test_if_none_match_spares_a_reader_what_it_has(http: TestClient) -> None:
    tag = http.get(W).headers["etag"]
    same = http.get(W, headers={"If-None-Match": tag})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
    assert http.head(W, headers={"If-None-Match": tag}).status_code == 304
    update(http, "INSERT DATA { <Nook> mmm:public true }")
    assert http.get(W, headers={"If-None-Match": tag}).status_code == 200
    ours = update(http, "DELETE DATA { <Nook> mmm:public true }").headers["etag"]
    assert http.get(W, headers={"If-None-Match": ours}).status_code == 304


def test_one_form_is_not_another(http: TestClient) -> None:
    tag = http.get(W).headers["etag"]
    other = http.get(W, headers={"If-None-Match": tag, "Accept": "application/n-triples"})
    assert other.status_code == 200
    assert other.headers["content-type"].startswith("application/n-triples")


def test_if_none_match_star_makes_only_what_is_not_there(rig: Rig) -> None:
    text = WORLD.replace("https://w.example/", "https://new.example/").replace('"W"', '"New"')
    path = "/v1/worlds/New"
    late = put(rig.client, text, path, **{"If-Match": "*"})
    assert late.status_code == 412
    made = put(rig.client, text, path, **{"If-None-Match": "*"})
    assert (made.status_code, made.headers["location"]) == (201, path)
    assert put(rig.client, text, path, **{"If-None-Match": "*"}).status_code == 412
    assert rig.client.delete(path).status_code == 204


# Worlds come and go


def test_a_world_that_was_deleted_goes_on_counting(http: TestClient) -> None:
    entries = log(http)
    gone = http.delete(W)
    assert gone.status_code == 204
    for path in (W, f"{W}/check"):
        assert http.get(path).status_code == 404
    assert update(http, "CLEAR DEFAULT").status_code == post(http, CAP).status_code == 404
    assert http.delete(W).status_code == 404
    assert "W" not in {each["m_instance"] for each in http.get("/v1/worlds").json()["worlds"]}
    assert [entry["how"] for entry in log(http)][:1] == ["DELETE"]
    assert log(http)[1:] == entries[: len(log(http)) - 1]
    again = put(http, WORLD)
    assert again.status_code == 201
    assert [entry["number"] for entry in log(http)[:2]] == [entries[0]["number"] + 2, entries[0]["number"] + 1]
    assert facts(http) == written(WORLD)


def test_a_deleted_world_stays_deleted_after_a_start(tmp_path: Path) -> None:
    with open_rig(tmp_path) as rig:
        put(rig.client, WORLD)
        rig.client.delete(W)
        rig.client.delete("/v1/worlds/MI1")
    with open_rig(tmp_path) as rig:
        assert rig.client.get(W).status_code == rig.client.get("/v1/worlds/MI1").status_code == 404
        assert len(log(rig.client)) == 2
        assert put(rig.client, WORLD).status_code == 201
        assert log(rig.client)[0]["number"] == 3


def test_a_new_m_instance_answers_at_once(http: TestClient) -> None:
    answered = http.post("/v1/bkn-dac", json=request("Ann MM-Moves Ball To Nook", MInstance="W", UEnvironment="UE"))
    assert answered.status_code == 200, answered.text
    (step,) = answered.json()["Feasibility"]["Steps"]
    assert step["PAStatus"] != "IncID"
    assert f"world W@{log(http)[0]['version']}" in answered.json()["SourcesUsed"]


def test_a_verdict_sees_a_change_at_once_and_names_its_version(http: TestClient) -> None:
    def asked() -> tuple[str, str]:
        body = http.post("/v1/bkn-dac", json=request("Ann MM-Moves Ball To Nook", MInstance="W", UEnvironment="UE"))
        return body.json()["Feasibility"]["Steps"][0]["PAStatus"], body.json()["SourcesUsed"][-1]

    open_place = asked()
    done = update(http, "DELETE DATA { <Hall> mmm:public true } ; INSERT DATA { <Hall> mmm:public false }")
    closed = asked()
    assert (open_place[0], closed[0]) == ("Ack", "InsRights")
    assert closed[1] == f"world W@{done.headers['domain-access-version']}" != open_place[1]


def test_packs_may_be_changed_by_an_update(http: TestClient) -> None:
    """What holds in the world is another question then, so all of it is validated anew."""

    def packs() -> list[str]:
        listed = http.get("/v1/worlds").json()["worlds"]
        return next(
            [pack.partition("@")[0] for pack in each["packs"]] for each in listed if each["m_instance"] == "W"
        )

    term = "<https://w3id.org/domain-access/friends_meet#PresenceService>"
    service = f"INSERT DATA {{ <S> a mmm:Service, {term} ; mmm:identifier 'S' }}"
    assert packs() == ["core"]
    assert update(http, service).status_code == 422
    assert update(http, "INSERT DATA { <> dac:usesPack 'friends_meet' }").status_code in {200, 204}
    assert packs() == ["core", "friends_meet"]
    assert update(http, service).status_code == 204
    refused = update(http, "DELETE DATA { <> dac:usesPack 'friends_meet' }")
    assert refused.status_code == 422
    assert "PresenceService" in refused.text
    assert packs() == ["core", "friends_meet"]
    unknown = update(http, "INSERT DATA { <> dac:usesPack 'friends_met' }")
    assert unknown.status_code == 422
    assert "friends_met" in unknown.text
    assert update(http, "DELETE WHERE { <S> ?p ?o } ; DELETE DATA { <> dac:usesPack 'friends_meet' }").is_success
    assert packs() == ["core"]


def test_a_document_with_its_graph_makes_a_new_m_instance(rig: Rig) -> None:
    text = f"<https://g.example/> {{ {WORLD.replace('https://w.example/', 'https://g.example/')} }}"
    prefixes, _, facts_said = text.partition("{")[2].replace('"W"', '"G"').partition("\n\n")
    trig = f"{prefixes}\n<https://g.example/> {{ {facts_said}"
    made = rig.client.put("/v1/worlds/G", content=trig, headers={"Content-Type": "application/trig"})
    assert made.status_code == 201, made.text
    assert rig.client.delete("/v1/worlds/G").status_code == 204


RESERVED = {
    "the log": "urn:domain-access:log",
    "Knowledge": "https://w3id.org/domain-access/knowledge",
    "a vocabulary": "https://w3id.org/domain-access/mmm#",
    "all of the web": "https://",
    "another world": "https://mi1.example/",
    "a part of another world": "https://mi1.example/annex/",
    "what another world is a part of": "https://mi1",
}


@pytest.mark.parametrize("base", RESERVED.values(), ids=RESERVED)
def test_a_base_that_something_else_has_is_refused(rig: Rig, base: str) -> None:
    text = f"@prefix mmm: <https://w3id.org/domain-access/mmm#> . <{base}> a mmm:MInstance ; mmm:identifier 'X' ."
    refused = put(rig.client, text, "/v1/worlds/X")
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (422, "wrong_graph")
    assert rig.client.get("/v1/worlds/X").status_code == 404


@pytest.mark.parametrize("subject", ["[]", "<>", "<m>", "_:x"])
def test_a_new_m_instance_needs_an_iri_of_its_own(rig: Rig, subject: str) -> None:
    text = f"@prefix mmm: <https://w3id.org/domain-access/mmm#> . {subject} a mmm:MInstance ; mmm:identifier 'X' ."
    refused = put(rig.client, text, "/v1/worlds/X")
    assert refused.status_code == 422, refused.text
    assert rig.client.get("/v1/worlds/X").status_code == 404


@pytest.mark.parametrize("name", ["a/log", "a/check", "a/update", "", " ", "a\nb"])
def test_an_m_instance_that_no_path_could_name_is_refused(rig: Rig, name: str) -> None:
    """The paths of other worlds end so."""
    text = WORLD.replace("https://w.example/", "https://p.example/").replace('"W"', json.dumps(name))
    refused = put(rig.client, text, f"/v1/worlds/{quote(name)}")
    assert refused.status_code in {404, 422}, refused.text
    assert "https://p.example/" not in rig.client.get("/v1/worlds").text


@pytest.mark.parametrize("name", ["a b", "x/y", "ä", "a?b", "'\"", ">", "a#b", "log", "{}"])
def test_an_m_instance_may_be_called_as_it_likes(rig: Rig, name: str) -> None:
    text = WORLD.replace("https://w.example/", "https://q.example/").replace('"W"', json.dumps(name))
    path = f"/v1/worlds/{quote(name, safe='')}"
    made = put(rig.client, text, path)
    assert made.status_code == 201, made.text
    assert made.headers["location"] == path
    assert facts(rig.client, path)
    assert log(rig.client, path)[0]["how"] == "PUT"
    assert name in {each["m_instance"] for each in rig.client.get("/v1/worlds").json()["worlds"]}
    assert rig.client.delete(path).status_code == 204


@pytest.mark.parametrize("limit", ["0", "-1", "x", "10001", "", "1.5"])
def test_a_limit_that_is_none_is_refused(http: TestClient, limit: str) -> None:
    refused = http.get(f"{W}/log?limit={limit}")
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (422, "out_of_range")
    assert len(http.get(f"{W}/log?limit=1").json()["versions"]) == 1


def test_nothing_is_left_of_bodies_and_queries(http: TestClient, rig: Rig) -> None:
    put(http, WORLD)
    put(http, "nonsense")
    http.get(W)
    http.get("/sparql", params={"query": "SELECT * { ?s ?p ?o } LIMIT 1"})
    update(http, "DELETE { ?s mmm:public ?o } WHERE { ?s mmm:public ?o }")
    left = [p for folder in ("incoming", "queries") for p in (rig.settings.data / folder).glob("*")]
    assert left == []


def test_each_base_has_one_world_after_a_start(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    assert settings.worlds == ("friends_meet",)
    with open_rig(tmp_path) as rig:
        put(rig.client, WORLD)
        before = facts(rig.client), log(rig.client)
    with open_rig(tmp_path) as rig:
        assert (facts(rig.client), log(rig.client)) == before
        assert log(rig.client, "/v1/worlds/MI1")[0]["number"] == 1


@pytest.mark.parametrize("said", [b"", b"{", b"{}", b"[]", b"\xff", b'{"m_instance": "W"}', b"null"])
def test_a_folder_that_does_not_say_whose_it_is_is_told(tmp_path: Path, said: bytes) -> None:
    """And kept as it is: once it says so again, all is there."""
    with open_rig(tmp_path) as rig:
        put(rig.client, WORLD)
        before = facts(rig.client)
    (identity,) = tmp_path.glob("worlds/W-*/identity.json")
    content = identity.read_bytes()
    identity.write_bytes(said)
    with pytest.raises(StateError) as refused:
        Service.open(Settings(data=tmp_path))
    assert refused.value.faults[0].code is Code.STORE_UNUSABLE
    assert str(identity) in refused.value.faults[0].message
    del refused  # it holds the worlds that were opened before
    identity.write_bytes(content)
    with open_rig(tmp_path) as rig:
        assert facts(rig.client) == before


def test_what_is_refused_is_refused_again(http: TestClient) -> None:
    """Who sends it a second time gets the same report: nothing of it was taken for seen."""
    coming = 'INSERT DATA { <b> a dac:CommitmentStatus ; mmm:identifier "b" }'
    assert http.post(f"{W}/update", content=PREFIXES + coming, headers=UPDATE).status_code == 204
    text = 'INSERT DATA { <n> a mmm:MarketClass ; mmm:identifier "n" ; mmm:acceptsMarketClass <b> }'
    told = [http.post(f"{W}/update", content=PREFIXES + text, headers=UPDATE) for _ in range(3)]
    assert [each.status_code for each in told] == [422] * 3
    assert told[0].text == told[1].text == told[2].text
    assert told[0].json()["errors"][0]["pointer"] == "n"
    assert "it contradicts the vocabulary" in told[0].text


def test_what_a_killed_process_left_is_cleared_away_by_who_owns_the_folder(tmp_path: Path) -> None:
    """And by nobody else: a second process finds the folder in use, and takes nothing from the first."""
    settings = Settings(data=tmp_path)
    left = [settings.incoming / "body-x", settings.queries / "checkpoint-x"]

    def leave() -> None:
        for path in left:
            path.parent.mkdir(exist_ok=True)
            path.write_text("x")

    leave()
    with open_rig(tmp_path):
        assert not any(path.exists() for path in left)
        leave()
        with pytest.raises(StateError) as refused:
            Service.open(settings)
        assert refused.value.faults[0].code is Code.DATA_FOLDER_IN_USE
        assert all(path.exists() for path in left)
