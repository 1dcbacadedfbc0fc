"""SPARQL of worlds as text: what an update does, what is refused, what leads out (DESIGN 4)."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pyoxigraph as ox
import pytest

from app.errors import AccessError, Code, DomainAccessError, MessageError
from app.world import Queries
from app.world.effects import sought, stated
from app.world.sparql import NESTING, confine, dataset_of, read_update, tokens
from app.world.store import Store
from tests.stores import BASE, canonical, cases, commit, on_disk, queries_in, turtle

UPDATES = cases("updates.toml", "update")
WAYS_OUT = cases("ways_out.toml", "query")
BEFORE = ":a :p 1 . :a :p 2 . :b :q :a ."


@pytest.fixture(scope="module")
def queries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Queries]:
    with queries_in(tmp_path_factory.mktemp("queries")) as opened:
        yield opened


def made(text: str, store: Store, queries: Queries) -> None:
    """What Worlds.update does, without validation."""
    update = read_update(text, store.base)
    commit(store, stated(update, store) if update.is_data else sought(text, store, queries))


def test_the_cases_are_found() -> None:
    assert len(UPDATES) == 54
    assert len(WAYS_OUT) == 23


@pytest.mark.parametrize("case", UPDATES, ids=lambda case: case["name"].replace(" ", "_"))
def test_an_update_does_what_it_says_to_its_world_alone(
    case: dict[str, Any], tmp_path: Path, queries: Queries
) -> None:
    store = on_disk(tmp_path, turtle(BEFORE))
    other = ox.Quad(*(ox.NamedNode("urn:other"),) * 3, ox.NamedNode("https://v.example/"))
    store.opened.add(other)
    if "refused" in case:
        with pytest.raises(DomainAccessError) as refused:
            made(case["text"], store, queries)
        assert refused.value.faults[0].code.code == case["refused"]
        assert canonical(store.triples()) == canonical(turtle(BEFORE))
    else:
        made(case["text"], store, queries)
        assert canonical(store.triples()) == canonical(turtle(case["after"]))
    assert other in store.opened


PLAIN = [
    case
    for case in UPDATES
    if "refused" not in case and not re.search("GRAPH|CLEAR|WITH <|USING|;[^;]*(PREFIX|BASE)", case["text"])
]


@pytest.mark.parametrize("case", PLAIN, ids=lambda case: case["name"].replace(" ", "_"))
def test_the_cases_are_right_by_oxigraph_itself(case: dict[str, Any]) -> None:
    """On a dataset whose default graph is the world, where no graph is named nor a prefix declared later."""
    text = case["text"]
    store = ox.Store()
    store.extend(ox.Quad(*triple) for triple in turtle(BEFORE))
    store.update(text, base_iri=BASE)
    assert canonical(quad.triple for quad in store) == canonical(turtle(case["after"]))


class Listener(BaseHTTPRequestHandler):
    def do_GET(self) -> None:  # and POST, below
        self.server.heard += 1  # type: ignore[attr-defined]
        self.send_response(404)
        self.end_headers()

    do_POST = do_GET  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def listener() -> Iterator[HTTPServer]:
    with HTTPServer(("127.0.0.1", 0), Listener) as server:
        server.heard = 0  # type: ignore[attr-defined]
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def heard(server: HTTPServer) -> int:
    return int(server.heard)  # type: ignore[attr-defined]


@pytest.mark.parametrize("case", WAYS_OUT, ids=lambda case: case["text"].replace("\n", " ")[:60])
def test_what_leads_out_is_refused_and_nothing_else(case: dict[str, Any], listener: HTTPServer) -> None:
    text = case["text"].replace("URL", f"http://127.0.0.1:{listener.server_port}/")
    if case["refused"]:
        with pytest.raises(AccessError) as refused:
            confine(text)
        assert refused.value.faults[0].code is Code.REFUSED_OPERATION
    else:
        confine(text)
        before = heard(listener)
        list(ox.Store().query(text))  # type: ignore[arg-type]
        assert heard(listener) == before


def test_oxigraph_would_follow_what_is_refused(listener: HTTPServer) -> None:
    """Why the terminals are read to the letter: at least these would call out."""
    url = f"http://127.0.0.1:{listener.server_port}/"
    for text in (
        "PREFIX : <URL> SELECT * { SERVICE:x { ?s ?p ?o } }",
        "SELECT * { SERVICESILENT<URL> { ?s ?p ?o } }",
        "PREFIX ex: <URL> SELECT * { ?s ?p ex:.SERVICE <URL> { ?a ?b ?c } }",
    ):
        store = ox.Store()
        store.add(ox.Quad(*(ox.NamedNode(url),) * 3))
        before = heard(listener)
        with suppress(OSError):
            list(store.query(text.replace("URL", url)))  # type: ignore[arg-type]
        assert heard(listener) > before


@pytest.mark.skipif(sys.platform != "linux", reason="sockets are refused by Linux")
def test_a_child_can_reach_nobody_even_if_nothing_is_refused(tmp_path: Path, listener: HTTPServer) -> None:
    """The child itself, given a query that no reading saw."""
    store = on_disk(tmp_path, turtle(BEFORE))
    checkpoint = tmp_path / "checkpoint"
    store.opened.backup(str(checkpoint))
    job = {
        "kind": "query",
        "stores": [str(checkpoint)],
        "text": f"SELECT * {{ SERVICE <http://127.0.0.1:{listener.server_port}/> {{ ?s ?p ?o }} }}",
        "default": [BASE],
        "named": [],
        "rows_type": "text/csv",
        "graph_type": "text/turtle",
        "rows": 10,
        "output": str(tmp_path / "out"),
    }
    before = heard(listener)
    done = subprocess.run(
        [sys.executable, "-m", "app.world.child", str(2**30)],
        input=json.dumps(job) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
    )
    ready, answer = done.stdout.splitlines()
    assert ready == "ready"
    assert "failed" in json.loads(answer)
    assert heard(listener) == before


@pytest.mark.parametrize(
    "query, default, named",
    [
        ("SELECT * { ?s ?p ?o }", (), ()),
        ("SELECT * FROM <urn:a> FROM NAMED <urn:b> { ?s ?p ?o }", ("urn:a",), ("urn:b",)),
        ("PREFIX x: <urn:x:> ASK from x:a from named x:b {}", ("urn:x:a",), ("urn:x:b",)),
        ("SELECT * FROM <urn:a> FROM <urn:b> { ?s ?p 'FROM <urn:c>' } # FROM <urn:d>", ("urn:a", "urn:b"), ()),
        ("SELECT * FROM<urn:a>{ { SELECT * { ?s ?p ?o } } }", ("urn:a",), ()),
        ("BASE <urn:b/> DESCRIBE <x> FROM <a>", ("urn:b/a",), ()),
    ],
)
def test_the_graphs_that_a_query_names(query: str, default: tuple[str, ...], named: tuple[str, ...]) -> None:
    assert dataset_of(query, tokens(query)) == (default, named)


@pytest.mark.parametrize("query", ["SELECT * FROM:x {}", "SELECT * FROM NAMED:x {}", "SELECT * FROMNAMED <urn:x> {}"])
def test_a_clause_that_could_be_overlooked_is_refused(query: str) -> None:
    query = f"PREFIX : <urn:log> {query}"
    with pytest.raises(MessageError, match="FROM"):
        dataset_of(query, tokens(query))


@pytest.mark.parametrize(
    "unit",
    [
        "a.",
        "a-",
        "é",
        "a",
        "a:b.",
        "?a.",
        "<a ",
        "x:.",
        "\\",
        "'''a",
        "1.1.",
        '"\n',
        "a...",
        "x:a%4",
        "<",
        "_:",
        "@a-",
    ],
)
def test_tokens_are_read_in_linear_time(unit: str) -> None:
    """Ten times as much takes ten times as long, with room for noise; quadratic would be a hundred times."""

    def spent(times: int) -> float:
        text = unit * times
        begun = time.process_time()
        tokens(text)
        return time.process_time() - begun

    assert min(spent(40_000) for _ in range(2)) < 50 * max(min(spent(4_000) for _ in range(5)), 1e-3)


@pytest.mark.parametrize(
    "opening, closing",
    [("[ <v#p> ", "]"), ("(", ")"), ("<<( <v#a> <v#p> ", ")>>"), ("<< <v#a> <v#p> ", ">>"), ("[ <v#p> ( ", ")]")],
)
def test_brackets_nest_so_deep_and_no_deeper(opening: str, closing: str) -> None:
    """Oxigraph overflows its stack at some depth, which no exception tells."""

    def text(depth: int) -> str:
        return f"INSERT DATA {{ <v#a> <v#p> {opening * depth} 1 {closing * depth} }}"

    confine(text(NESTING // 2 - 1))
    with pytest.raises(MessageError) as refused:
        confine(text(5_000))
    assert refused.value.faults[0].code is Code.TOO_LARGE


def test_a_syntax_error_has_its_place(tmp_path: Path, queries: Queries) -> None:
    store = on_disk(tmp_path, turtle(BEFORE))
    for text in ("INSERT DATA {\n <a> <b>\n}", "DELETE { ?s ?p ?o }\nWHERE {\n ?s ?p }"):
        with pytest.raises(MessageError) as refused:
            made(text, store, queries)
        assert refused.value.faults[0].where.startswith("3:")


def test_blank_nodes_of_two_operations_are_two(tmp_path: Path, queries: Queries) -> None:
    """They are never those of another operation, nor of the store (SPARQL 1.1 Update, 3.1.1)."""
    for end in ("", " ; INSERT { :c :p 1 } WHERE { }"):
        store = on_disk(tmp_path)
        text = (
            "PREFIX : <https://w.example/v#> INSERT DATA { :a :p _:x . _:x :q 1 } ; INSERT DATA { :b :p _:y }" + end
        )
        made(text, store, queries)
        made("PREFIX : <https://w.example/v#> INSERT DATA { :d :p _:x . _:x :q 1 }", store, queries)
        assert canonical(store.triples()) == canonical(
            turtle(":a :p [ :q 1 ] . :b :p [] . :d :p [ :q 1 ] ." + (":c :p 1 ." if end else ""))
        )


def test_a_blank_node_that_was_found_can_be_named_again(tmp_path: Path, queries: Queries) -> None:
    """By its Skolem IRI, as /sparql shows it (RDF 1.1 Concepts, 3.5)."""
    store = on_disk(tmp_path)
    made("INSERT DATA { <v#a> <v#p> [ <v#q> 1 ] }", store, queries)
    (node,) = {str(triple.object) for triple in store.triples() if triple.predicate.value == BASE + "v#p"}
    made(f"DELETE DATA {{ {node} <v#q> 1 }} ; INSERT DATA {{ {node} <v#q> 2 }}", store, queries)
    assert canonical(store.triples()) == canonical(turtle(":a :p [ :q 2 ] ."))
