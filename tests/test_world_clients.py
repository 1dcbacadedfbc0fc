"""Worlds as clients of others see them: rdflib's stores, SPARQLWrapper and curl, against a process that serves."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import warnings
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from rdflib import RDF, Graph, Literal, Namespace, URIRef
from rdflib.plugins.stores.sparqlstore import SPARQLStore, SPARQLUpdateStore
from rdflib.query import Result
from SPARQLWrapper import CSV, JSON, JSONLD, N3, POST, RDFXML, TSV, TURTLE, XML, SPARQLWrapper

from app.vocab import MMM as MMM_IRI
from app.world.knowledge import KNOWLEDGE
from tests.processes import serving

MMM = Namespace(MMM_IRI)
MI1 = "https://mi1.example/"
PREFIX = f"PREFIX mmm: <{MMM_IRI}> "
USERS = PREFIX + "SELECT ?user ?name { ?user a mmm:User ; mmm:identifier ?name } ORDER BY ?name"
SPARQL_RESULTS = "{http://www.w3.org/2005/sparql-results#}"

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("data")) as (_, address, _):
        yield address


def rows(found: Result) -> list[tuple[str, ...]]:
    return [tuple(map(str, row)) for row in found]  # type: ignore[arg-type]


# rdflib


@pytest.mark.parametrize("form", ["json", "xml", "csv", "tsv"])
@pytest.mark.parametrize("method", ["GET", "POST", "POST_FORM"])
def test_rdflib_reads_by_sparql(address: str, form: str, method: Any) -> None:
    graph = Graph(SPARQLStore(f"{address}/sparql", returnFormat=form, method=method))
    assert rows(graph.query(USERS)) == [(f"{MI1}{name}", name) for name in ("Friend2", "Seller")]
    if form in {"json", "xml"}:
        assert graph.query(PREFIX + "ASK { ?user a mmm:User }").askAnswer
        assert not graph.query(PREFIX + "ASK { ?user a mmm:Device ; mmm:at mmm:User }").askAnswer


def test_rdflib_reads_by_patterns(address: str) -> None:
    graph = Graph(SPARQLStore(f"{address}/sparql"))
    assert (URIRef(MI1 + "Seller"), RDF.type, MMM.User) in graph
    assert set(graph.subjects(RDF.type, MMM.User)) == {URIRef(MI1 + name) for name in ("Friend2", "Seller")}
    assert str(graph.value(URIRef(MI1 + "Seller"), MMM.identifier)) == "Seller"
    assert len(graph) > 1_000  # Knowledge is beside the world


def test_rdflib_reads_graphs(address: str) -> None:
    graph = Graph(SPARQLStore(f"{address}/sparql"))
    found = graph.query(
        PREFIX + "CONSTRUCT { ?user mmm:identifier ?name } WHERE { ?user a mmm:User ; mmm:identifier ?name }"
    )
    assert found.graph is not None
    assert set(found.graph.objects()) == {Literal("Friend2"), Literal("Seller")}
    described = graph.query(f"DESCRIBE <{MI1}Seller>")
    assert described.graph is not None
    assert (URIRef(MI1 + "Seller"), RDF.type, MMM.User) in described.graph


def test_rdflib_writes_by_update(address: str) -> None:
    """As rdflib writes: GRAPH around the facts, one operation for each, prefixes before any of them."""
    store = SPARQLUpdateStore(f"{address}/sparql", f"{address}/v1/worlds/MI1/update", autocommit=False)
    store.bind("mmm", URIRef(MMM))
    graph = Graph(store, identifier=URIRef(MI1))
    kite = URIRef(MI1 + "Kite")
    graph.add((kite, RDF.type, MMM.ThreeDModelObject))
    graph.add((kite, MMM.identifier, Literal("Kite")))
    graph.add((kite, MMM.owner, URIRef(MI1 + "Seller")))
    store.commit()
    assert (kite, MMM.owner, URIRef(MI1 + "Seller")) in graph
    graph.set((kite, MMM.owner, URIRef(MI1 + "Friend2")))
    store.commit()
    assert list(graph.objects(kite, MMM.owner)) == [URIRef(MI1 + "Friend2")]
    store.update(PREFIX + f"INSERT {{ <{kite}> mmm:at ?place }} WHERE {{ ?place mmm:identifier 'RoomID' }}")
    store.update(PREFIX + f"DELETE {{ <{kite}> mmm:owner ?owner }} WHERE {{ <{kite}> mmm:owner ?owner }}")
    store.commit()
    assert list(graph.objects(kite, MMM.at)) == [URIRef(MI1 + "RoomID")]
    graph.remove((kite, None, None))
    store.commit()
    assert list(graph.predicate_objects(kite)) == []


def test_rdflib_names_a_blank_node_by_its_skolem_iri(address: str) -> None:
    store = SPARQLUpdateStore(f"{address}/sparql", f"{address}/v1/worlds/MI1/update", autocommit=False)
    graph = Graph(store, identifier=URIRef(MI1))
    node = next(graph.objects(URIRef(MI1 + "Move_Rights"), MMM.processAction))
    assert isinstance(node, URIRef)
    assert "/.well-known/genid/" in node
    assert (node, RDF.type, MMM.ProcessAction) in graph


# SPARQLWrapper


def wrapper(address: str, query: str, form: str, **graphs: str) -> Any:
    client = SPARQLWrapper(f"{address}/sparql")
    client.setQuery(query)
    client.setReturnFormat(form)
    for name, graph in graphs.items():
        client.addParameter(name.replace("_", "-"), graph)
    return client


def test_sparqlwrapper_selects_in_four_forms(address: str) -> None:
    expected = [(f"{MI1}{name}", name) for name in ("Friend2", "Seller")]
    as_json = wrapper(address, USERS, JSON).query().convert()
    assert [(row["user"]["value"], row["name"]["value"]) for row in as_json["results"]["bindings"]] == expected
    document = ElementTree.fromstring(wrapper(address, USERS, XML).query().response.read())
    found = [tuple("".join(b.itertext()) for b in result) for result in document.iter(f"{SPARQL_RESULTS}result")]
    assert found == expected
    as_csv = wrapper(address, USERS, CSV).query().convert().decode()
    assert [tuple(row) for row in csv.reader(StringIO(as_csv))] == [("user", "name"), *expected]
    as_tsv = wrapper(address, USERS, TSV).query().convert().decode()
    assert as_tsv.splitlines() == ["?user\t?name"] + [f'<{iri}>\t"{name}"' for iri, name in expected]


def test_sparqlwrapper_asks(address: str) -> None:
    ask = PREFIX + "ASK { ?user a mmm:User }"
    assert wrapper(address, ask, JSON).query().convert() == {"head": {}, "boolean": True}
    assert b"<boolean>true</boolean>" in wrapper(address, ask, XML).query().response.read()


@pytest.mark.parametrize("form", [TURTLE, N3, RDFXML, JSONLD])
@pytest.mark.parametrize("verb", ["CONSTRUCT { <%s> ?p ?o } WHERE { <%s> ?p ?o }", "DESCRIBE <%s>"])
def test_sparqlwrapper_gets_graphs(address: str, form: str, verb: str) -> None:
    query = verb.replace("%s", MI1 + "Seller")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        response = wrapper(address, query, form).query()
        said, media_type = response.response.read(), response.info()["content-type"]
    graph = Graph().parse(data=said, format=media_type.partition(";")[0])
    assert (URIRef(MI1 + "Seller"), RDF.type, MMM.User) in graph


def test_sparqlwrapper_names_graphs_and_posts(address: str) -> None:
    count = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"

    def counted(**graphs: str) -> int:
        return int(wrapper(address, count, JSON, **graphs).query().convert()["results"]["bindings"][0]["n"]["value"])

    assert 100 < counted(default_graph_uri=MI1) < counted(default_graph_uri=KNOWLEDGE) < counted()
    assert counted(named_graph_uri=MI1) == 0
    client = wrapper(address, count, JSON, default_graph_uri=MI1)
    client.setMethod(POST)
    assert int(client.query().convert()["results"]["bindings"][0]["n"]["value"]) == counted(default_graph_uri=MI1)


def test_sparqlwrapper_updates(address: str) -> None:
    client = SPARQLWrapper(f"{address}/v1/worlds/MI1/update")
    client.setMethod(POST)
    client.setQuery(PREFIX + f"INSERT DATA {{ <{MI1}RoomID> mmm:capacity 3 }}")
    assert client.query().response.status == 204
    client.setQuery(PREFIX + "DELETE WHERE { ?s mmm:capacity 3 }")
    assert client.query().response.status == 204


VALUE = "a\"b\t\n\r,<&>'\\\x01"
TERMS = r"""SELECT ?text ?tagged ?number ?none ?node {
    BIND("a\"b\t\n\r,<&>'\\\u0001" AS ?text) BIND("x"@de-AT AS ?tagged) BIND(1.50 AS ?number) BIND(BNODE() AS ?node)
}"""


def test_terms_of_every_kind_come_in_every_form(address: str) -> None:
    """A quote, a tab, a line's end, a language, a number, markup, nothing: each form says each in its way."""
    as_json = wrapper(address, TERMS, JSON).query().convert()["results"]["bindings"][0]
    assert as_json["text"] == {"type": "literal", "value": VALUE}
    assert as_json["tagged"] == {"type": "literal", "value": "x", "xml:lang": "de-at"}
    assert (as_json["number"]["value"], as_json["number"]["datatype"].rpartition("#")[2]) == ("1.5", "decimal")
    assert as_json["node"]["type"] == "bnode"
    assert "none" not in as_json
    document = ElementTree.fromstring(wrapper(address, TERMS, XML).query().response.read())
    said = {b.get("name"): "".join(b.itertext()) for b in document.iter(f"{SPARQL_RESULTS}binding")}
    assert said["text"] == VALUE.replace("\x01", "\ufffd")  # which XML cannot say
    assert (said["tagged"], said["number"], "none" in said) == ("x", "1.5", False)
    head, row = csv.reader(StringIO(wrapper(address, TERMS, CSV).query().convert().decode(), newline=""))
    assert head == ["text", "tagged", "number", "none", "node"]
    assert row[:4] == [VALUE, "x", "1.5", ""]
    assert row[4].startswith("_:")
    _, line, end = wrapper(address, TERMS, TSV).query().convert().decode().split("\n")
    cells = line.split("\t")
    assert cells[0].count('"') == 3
    assert "\\n\\r" in cells[0]
    assert cells[1] == '"x"@de-at'
    assert "1.5" in cells[2]
    assert (cells[3], end) == ("", "")


# curl

needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is absent")


def curl(*arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        ["curl", "-sS", "--max-time", "30", "-w", "\n%{http_code}", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    body, _, status = done.stdout.rpartition("\n")
    return int(status), body


@needs_curl
def test_curl_reads_a_world_and_puts_it_back(address: str, tmp_path: Path) -> None:
    file = tmp_path / "world.nt"
    world = f"{address}/v1/worlds/MI1"
    assert curl("-H", "Accept: application/n-triples", "-o", str(file), world)[0] == 200
    put = ("-T", str(file), "-H", "Content-Type: application/n-triples", world)
    assert curl(*put) == (204, "")
    status, body = curl("-I", world)
    assert status == 200
    etag = next(line.partition(": ")[2].strip() for line in body.splitlines() if line.lower().startswith("etag"))
    assert curl("-H", f"If-None-Match: {etag}", world) == (304, "")
    assert curl("-H", 'If-Match: "none"', *put)[0] == 412


@needs_curl
def test_curl_asks_and_updates(address: str) -> None:
    status, body = curl("-G", f"{address}/sparql", "--data-urlencode", f"query={USERS}", "-H", "Accept: text/csv")
    assert (status, body.split()) == (200, ["user,name", f"{MI1}Friend2,Friend2", f"{MI1}Seller,Seller"])
    update = f"{address}/v1/worlds/MI1/update"
    text = PREFIX + f"INSERT DATA {{ <{MI1}RoomID> mmm:capacity 3 }}"
    assert curl(update, "--data-urlencode", f"update={text}") == (204, "")
    refused = curl(update, "-H", "Content-Type: application/sparql-update", "--data-binary", text.replace("3", "-3"))
    assert refused[0] == 422
    assert {fault["pointer"] for fault in json.loads(refused[1])["errors"]} >= {"RoomID capacity"}
    assert curl(update, "-H", "Content-Type: application/sparql-update", "--data-binary", "@-", "-d", "")[0] in {
        204,
        400,
    }
    assert curl(update, "--data-urlencode", f"update={text.replace('INSERT', 'DELETE')}") == (204, "")


@needs_curl
@pytest.mark.parametrize("name, path", [("a/b", "a%2Fb"), ("a%2Fb", "a%252Fb"), ("ä%", "%C3%A4%25")])
def test_curl_names_an_m_instance_however_it_is_called(address: str, name: str, path: str) -> None:
    text = f"""@prefix mmm: <{MMM_IRI}> .
        <https://curl.example/> a mmm:MInstance ; mmm:identifier {json.dumps(name)} ."""
    world = f"{address}/v1/worlds/{path}"
    made = curl("-X", "PUT", "-H", "Content-Type: text/turtle", "--data-raw", text, world)
    assert made[0] == 201, made
    assert name in {each["m_instance"] for each in json.loads(curl(f"{address}/v1/worlds")[1])["worlds"]}
    assert curl(f"{world}/log")[0] == 200
    assert curl("-X", "DELETE", world)[0] == 204
