"""Who may do what with which world; nothing of one M-Instance is visible in another (SEMANTICS 2, DESIGN 7)."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from app.model import LOCAL, Scope
from app.vocab import DAC, MMM
from app.world.knowledge import KNOWLEDGE
from tests.rig import Rig, client_of, open_rig, request
from tests.stores import DATA

SECRET = "q7hidden"
"""In every name and text of the hidden world, and in nothing that its foe can say."""
TURTLE, UPDATE = {"Content-Type": "text/turtle"}, {"Content-Type": "application/sparql-update"}
PREFIX = f"PREFIX mmm: <{MMM}> PREFIX dac: <{DAC}> "
OPEN = (DATA / "base.ttl").read_text(encoding="utf-8")
HIDDEN = f"""
@base <https://{SECRET}.example/> . @prefix mmm: <{MMM}> . @prefix dac: <{DAC}> .
<> a mmm:MInstance ; mmm:identifier "{SECRET}" ; dac:usesPack "core" ; mmm:uEnvironment <{SECRET}-UE> .
<{SECRET}-UE> a mmm:UEnvironment ; mmm:identifier "{SECRET}-UE" .
<{SECRET}-Ann> a mmm:User ; mmm:identifier "{SECRET}-Ann" .
<https://w.example/Ann> a mmm:User ; mmm:identifier "Ann" ; <http://www.w3.org/2000/01/rdf-schema#label> "{SECRET}" .
<{SECRET}-Hall> a mmm:MLocation ; mmm:identifier "{SECRET}-Hall" ; mmm:owner <{SECRET}-Ann> .
<{SECRET}-Ball> a mmm:ThreeDModelObject ; mmm:identifier "{SECRET}-Ball" ; mmm:at <{SECRET}-Hall> ;
    mmm:owner <{SECRET}-Ann> .
<{SECRET}-Visit> a dac:Session ; mmm:identifier "{SECRET}-Visit" ;
    dac:sessionID "{SECRET}" ; dac:user <{SECRET}-Ann> .
"""
TOKEN = """
[[token]]
name = "{name}"
sha256 = "{digest}"
scopes = {scopes}
m_instances = {m_instances}
"""
SCOPES = [scope.value for scope in Scope]
SUBSETS = [list(each) for n in range(1, len(SCOPES) + 1) for each in itertools.combinations(SCOPES, n)]


def token(name: str, scopes: list[str], m_instances: list[str]) -> str:
    digest = sha256(f"secret of {name}".encode()).hexdigest()
    return TOKEN.format(name=name, digest=digest, scopes=json.dumps(scopes), m_instances=json.dumps(m_instances))


def bearer(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer secret of {name}"}


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    """The worlds W and the hidden one, and a client that brings tokens."""
    with open_rig(tmp_path_factory.mktemp("data")) as opened:
        for path, text in (("W", OPEN), (SECRET, HIDDEN)):
            made = opened.client.put(f"/v1/worlds/{path}", content=text, headers=TURTLE)
            assert made.status_code == 201, made.text
        opened.client.delete("/v1/worlds/MI1")
        file = opened.settings.data / "tokens.toml"
        tokens = [token("+".join(scopes), scopes, ["W", "New"]) for scopes in SUBSETS]
        tokens += [token("foe", SCOPES, ["W", "Other"]), token("owner", SCOPES, [SECRET])]
        file.write_text("".join(tokens))
        opened.client = client_of(opened.service, opened.settings.model_copy(update={"tokens": file}), "203.0.113.7")
        yield opened


# Scopes

NEW = OPEN.replace("https://w.example/", "https://new.example/").replace('"W"', '"New"')
Act = Callable[[TestClient, dict[str, str]], Any]
NEEDED: dict[str, tuple[set[str], Act]] = {
    "read a world": ({"read"}, lambda c, h: c.get("/v1/worlds/W", headers=h)),
    "its head": ({"read"}, lambda c, h: c.head("/v1/worlds/W", headers=h)),
    "its versions": ({"read"}, lambda c, h: c.get("/v1/worlds/W/log", headers=h)),
    "check it": ({"read"}, lambda c, h: c.get("/v1/worlds/W/check", headers=h)),
    "list worlds": ({"read"}, lambda c, h: c.get("/v1/worlds", headers=h)),
    "query": ({"read"}, lambda c, h: c.get("/sparql", params={"query": "ASK {}"}, headers=h)),
    "query by POST": ({"read"}, lambda c, h: c.post("/sparql", data={"query": "ASK {}"}, headers=h)),
    "put": ({"write"}, lambda c, h: c.put("/v1/worlds/W", content=OPEN, headers=TURTLE | h)),
    "post": ({"write"}, lambda c, h: c.post("/v1/worlds/W", content="", headers=TURTLE | h)),
    "update": ({"write"}, lambda c, h: c.post("/v1/worlds/W/update", content="INSERT DATA {}", headers=UPDATE | h)),
    "make": ({"write", "admin"}, lambda c, h: c.put("/v1/worlds/New", content=NEW, headers=TURTLE | h)),
    "delete": ({"write", "admin"}, lambda c, h: c.delete("/v1/worlds/New", headers=h)),
    "ask": ({"ask"}, lambda c, h: c.post("/v1/bkn-dac", json=asked(), headers=h)),
}


def asked(*statements: str, **members: Any) -> dict[str, Any]:
    return request(
        *(statements or ("Ann MM-Moves Ball To Nook",)), **{"MInstance": "W", "UEnvironment": "UE", **members}
    )


@pytest.mark.parametrize("what", NEEDED)
def test_each_deed_needs_its_scopes_and_no_others(rig: Rig, what: str) -> None:
    needed, act = NEEDED[what]
    for scopes in SUBSETS:
        if what == "delete":
            rig.client.put("/v1/worlds/New", content=NEW, headers=TURTLE | bearer("+".join(SCOPES)))
        if what == "make":
            rig.client.delete("/v1/worlds/New", headers=bearer("+".join(SCOPES)))
        done = act(rig.client, bearer("+".join(scopes)))
        if needed <= set(scopes):
            assert done.is_success, (scopes, done.text)
        else:
            assert done.status_code == 403, (scopes, done.text)
            missing = {s for s in needed if s not in scopes}
            assert what == "its head" or any(f"`{scope}`" in done.text for scope in missing)
    assert act(rig.client, {}).status_code == 401


def test_a_body_is_not_taken_from_who_may_not_send_it(rig: Rig) -> None:
    """Else whoever may only read could fill the disk: told before the length of the body is looked at."""
    too_long = {"Content-Length": str(2**40), **TURTLE}
    for path, name, status in (
        ("/v1/worlds/W", "read", 403),
        ("/v1/worlds/New2", "read+write", 404),
        (f"/v1/worlds/{SECRET}", "foe", 404),
        ("/v1/worlds/Other", "foe", 413),
        ("/v1/worlds/W", "foe", 413),
    ):
        done = rig.client.put(path, content=b"", headers=too_long | bearer(name))
        assert done.status_code == status, done.text


def test_a_world_that_is_hidden_is_told_as_one_that_is_not_there(rig: Rig) -> None:
    """In the same words, whatever is done."""
    acts: tuple[Callable[[str], Any], ...] = (
        lambda path: rig.client.get(path, headers=bearer("foe")),
        lambda path: rig.client.head(path, headers=bearer("foe")),
        lambda path: rig.client.get(f"{path}/log", headers=bearer("foe")),
        lambda path: rig.client.get(f"{path}/check", headers=bearer("foe")),
        lambda path: rig.client.put(path, content=HIDDEN, headers=TURTLE | bearer("foe")),
        lambda path: rig.client.put(path, content="no", headers=TURTLE | bearer("foe")),
        lambda path: rig.client.post(path, content="", headers=TURTLE | bearer("foe")),
        lambda path: rig.client.post(f"{path}/update", content="CLEAR ALL", headers=UPDATE | bearer("foe")),
        lambda path: rig.client.delete(path, headers=bearer("foe")),
        lambda path: rig.client.delete(path, headers=bearer("foe") | {"If-Match": "*"}),
    )
    for act in acts:
        hidden, absent = act(f"/v1/worlds/{SECRET}"), act("/v1/worlds/q7nowhere")
        assert hidden.status_code == absent.status_code == 404
        assert hidden.text.replace(SECRET, "q7nowhere") == absent.text
        assert "W" in hidden.text or not hidden.text


# What a foe tries

ATTEMPTS = [
    "SELECT * { GRAPH ?g { ?s ?p ?o } }",
    "SELECT * { ?s ?p ?o }",
    "SELECT DISTINCT ?g { GRAPH ?g {} }",
    "SELECT * { GRAPH <urn:domain-access:log> { ?s ?p ?o } }",
    "SELECT * FROM NAMED <urn:domain-access:log> { GRAPH ?g { ?s ?p ?o } }",
    "SELECT * FROM <urn:domain-access:log> FROM <https://w.example/> { ?s ?p ?o }",
    "CONSTRUCT WHERE { ?s ?p ?o }",
    "DESCRIBE <https://w.example/Ann>",
    "SELECT * { { SELECT * { GRAPH ?g { ?s <http://www.w3.org/2000/01/rdf-schema#label> ?o } } } }",
    "SELECT * { ?s !<urn:x> ?o . GRAPH ?g { ?s ?p ?o } FILTER NOT EXISTS { GRAPH ?h { ?o ?q ?s } } }",
    f"SELECT * FROM <{KNOWLEDGE}> {{ ?s a <{MMM}User> }}",
    "SELECT * { GRAPH ?g { ?s ?p ?o } MINUS { GRAPH <https://w.example/> { ?s ?p ?o } } FILTER(?g != <"
    + KNOWLEDGE
    + ">) }",
]


@pytest.mark.parametrize("text", ATTEMPTS)
def test_no_query_shows_another_world_nor_the_log(rig: Rig, text: str) -> None:
    """And what it shows at all is of the worlds visible: the owner of the hidden one sees that one."""
    for accept in ("application/sparql-results+json, text/turtle", "text/csv, application/n-triples"):
        done = rig.client.get("/sparql", params={"query": text}, headers=bearer("foe") | {"Accept": accept})
        assert SECRET not in done.text
        assert "urn:domain-access:log#" not in done.text
    own = rig.client.get("/sparql", params={"query": ATTEMPTS[0]}, headers=bearer("owner"))
    assert SECRET in own.text
    assert "https://w.example/Hall" not in own.text


def test_a_query_of_several_worlds_shows_each_to_who_sees_it(rig: Rig) -> None:
    """And no world's log, nor one world's facts in the graph of another."""
    client = client_of(rig.service, rig.settings)  # without tokens: all of them
    users = f"SELECT ?g ?s {{ GRAPH ?g {{ ?s a <{MMM}User> }} }} ORDER BY ?g ?s"
    rows = client.get("/sparql", params={"query": users}, headers={"Accept": "text/csv"}).text.split()[1:]
    assert [row for row in rows if "new.example" not in row] == sorted(
        [
            f"https://{SECRET}.example/,https://w.example/Ann",
            f"https://{SECRET}.example/,https://{SECRET}.example/{SECRET}-Ann",
            "https://w.example/,https://w.example/Ann",
            "https://w.example/,https://w.example/Bob",
        ]
    )


HOSTILE = [
    'x" } ; INSERT DATA { <a> <b> <c> } #',
    "x> } GRAPH ?g { ?s ?p ?o } #",
    "'''} UNION { GRAPH ?g { ?s ?p ?o } } #",
    "x\n. ?s ?p ?o",
    "x\r\nSet-Cookie: a=b",
    "%00%2F..%2F..",
    "../../etc/passwd",
    "' OR 1=1 --",
    "'; DROP TABLE turn; --",
    "{step} {0} %s %(x)s ${x}",
    "<script>alert(1)</script>",
    "\\u003e \\",
    "\u202egnp",
    "Ann\x00Bob",
    "*",
    "?g",
    "_:b0",
    "<>",
    "@0.Item",
    "",
    " ",
    "/",
    "https://w.example/",
    "urn:domain-access:log",
]


def crafted(identifier: str) -> str:
    """An Item so called, as Turtle, in the world W."""
    iri = f"https://w.example/{quote(identifier, safe='-._~')}"
    said = f"a mmm:ThreeDModelObject ; mmm:identifier {json.dumps(identifier)} ; mmm:owner <Ann> ; mmm:at <Hall>"
    return f"@base <https://w.example/> . @prefix mmm: <{MMM}> . <{iri}> {said} ."


@pytest.mark.parametrize(
    "text", [h for h in HOSTILE if h.strip() and "\x00" not in h], ids=lambda text: repr(text)[:24]
)
def test_an_identifier_is_only_an_identifier(rig: Rig, text: str) -> None:
    """Whatever it is made of: it comes in, is found by its name, is asked about, and goes out as it was."""
    foe = bearer("foe")
    before = rig.client.get("/v1/worlds/W", headers=foe | {"Accept": "application/n-triples"}).text
    post = rig.client.post("/v1/worlds/W", content=crafted(text), headers=TURTLE | foe)
    assert post.status_code == 204, post.text
    where = f"SELECT ?s {{ ?s <{MMM}identifier> {json.dumps(text)} }}"
    found = rig.client.get("/sparql", params={"query": where}, headers=foe).json()["results"]["bindings"]
    iri = found[0]["s"]["value"]
    assert [row["s"]["value"] for row in found] == [f"https://w.example/{quote(text, safe='-._~')}"]
    answered = rig.client.post("/v1/bkn-dac", json=asked(f"Ann MM-Moves <{iri}> To Nook"), headers=foe)
    assert answered.status_code == 200, answered.text
    assert SECRET not in answered.text
    (step,) = answered.json()["Feasibility"]["Steps"]
    assert step["PAStatus"] == "Ack", step
    explained = rig.client.get(f"/v1/answers/{answered.json()['QueryID']}/explanation", headers=foe)
    assert (explained.status_code, SECRET in explained.text) == (200, False)
    gone = rig.client.post("/v1/worlds/W/update", content=f"DELETE WHERE {{ <{iri}> ?p ?o }}", headers=UPDATE | foe)
    assert gone.status_code == 204, gone.text
    after = rig.client.get("/v1/worlds/W", headers=foe | {"Accept": "application/n-triples"}).text
    assert sorted(after.splitlines()) == sorted(before.splitlines())


A_TEXT = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(max_size=12),
    st.sampled_from(HOSTILE).flatmap(lambda a: st.sampled_from(HOSTILE).map(lambda b: a + b)),
)


@st.composite
def deeds(draw: st.DrawFn) -> tuple[str, str, dict[str, Any]]:
    """A request that the foe may make, with hostile texts wherever one may say something."""
    one, two, three = draw(A_TEXT), draw(A_TEXT), draw(A_TEXT)
    kind = draw(st.sampled_from(("ask", "ask", "path", "update", "graph", "session", "answer", "log")))
    if kind == "ask":
        places = ("MInstance", "UEnvironment", "SessionID", "DialogID", "QueryID", "Question")
        members: dict[str, Any] = {name: draw(A_TEXT) for name in places if draw(st.integers(0, 5)) == 0}
        said = asked(f"{one} MM-Moves {two} To {three}", f"Ann MM-Moves <{one}> To Hall")
        if draw(st.booleans()):
            said = {**said, "Kind": draw(st.sampled_from(("affordances", "constraints", "semantic_grounding")))}
            said["Entities"] = [{"EntityID": one}]
            said["Terms"] = [{"Text": two}]
        return "POST", "/v1/bkn-dac", {"json": {**said, **members}}
    if kind == "path":
        return (
            draw(st.sampled_from(("GET", "DELETE", "PUT"))),
            f"/v1/worlds/{quote(one, safe='')}",
            {"content": two, "headers": TURTLE},
        )
    if kind == "update":
        text = draw(
            st.sampled_from(
                (
                    "{a}",
                    "INSERT DATA {{ {a} }}",
                    "DELETE WHERE {{ GRAPH <{a}> {{ ?s ?p ?o }} }}",
                    "INSERT {{ <x> <y> '{a}' }} WHERE {{ GRAPH ?g {{ ?s ?p ?o }} }}",
                )
            )
        )
        return "POST", "/v1/worlds/W/update", {"content": text.format(a=one), "headers": UPDATE}
    if kind == "graph":
        named = {draw(st.sampled_from(("default-graph-uri", "named-graph-uri"))): two}
        return "GET", "/sparql", {"params": {"query": f"SELECT * {{ GRAPH ?g {{ ?s ?p '{one}' }} }}", **named}}
    if kind == "session":
        body = {
            "MInstance": draw(st.sampled_from(("W", two))),
            "UEnvironment": draw(st.sampled_from(("UE", one))),
            "User": three,
        }
        return "PUT", f"/v1/sessions/{quote(one, safe='')}", {"json": body}
    if kind == "answer":
        return "GET", f"/v1/answers/{quote(one, safe='')}/explanation", {}
    return "GET", f"/v1/worlds/{quote(one, safe='')}/log", {}


@settings(max_examples=120, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(deed=deeds())
def test_no_deed_shows_or_changes_another_world(rig: Rig, deed: tuple[str, str, dict[str, Any]]) -> None:
    """Nothing of the hidden world is in any answer, error, header or explanation, and no request fails inside."""
    method, path, said = deed
    before = rig.service.operator.version(SECRET, LOCAL)
    done = rig.client.request(method, path, **{**said, "headers": {**said.get("headers", {}), **bearer("foe")}})
    assert done.status_code < 500, done.text
    assert SECRET not in done.text
    assert SECRET not in str(done.headers)
    assert rig.service.operator.version(SECRET, LOCAL) == before
