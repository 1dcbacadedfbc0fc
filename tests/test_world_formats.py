"""Documents of worlds: the six forms in and out, names of blank nodes, what no parser must be given (DESIGN 4)."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pyoxigraph as ox
import pytest
from rdflib import Dataset, Graph, Literal
from rdflib.compare import isomorphic

from app.errors import Code, MessageError
from app.world import FORMATS, Format, format_of
from app.world.blank import STATEMENTS, skolemized
from app.world.dump import dump
from app.world.formats import BY_MEDIA_TYPE, read_triples
from app.world.loading import load_file
from app.world.scan import DEPTH, ENTITY, TEXT, scan
from app.world.store import Store
from tests.stores import BASE, canonical, on_disk, turtle

FACTS = """
:a :p "plain", "with \\"quotes\\", a \\\\ and\\na line", "Ding"@de, "color"@en-US, "", "𝄞 é ‿" .
:a :n 1, -2, 3.5, 1.0e3, true, "2026-01-01T12:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .
:a :n "12345678901234567890123"^^<http://www.w3.org/2001/XMLSchema#integer>, "x"^^:own .
:a :q [ :p 1 ; :q [ :p 2 ] ], [ :p 1 ; :q [ :p 3 ] ], _:shared . :b :q _:shared . _:shared :p _:shared .
:a :list ( 1 [ :p 4 ] "three" ) .
<with%20space> :p <https://other.example/x?y=1&z=%22#f> .
"""
RDFLIB = {
    "text/turtle": "turtle",
    "application/n-triples": "nt",
    "application/trig": "trig",
    "application/n-quads": "nquads",
    "application/ld+json": "json-ld",
    "application/rdf+xml": "xml",
}

each_format = pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.suffixes[0][1:])


def written(folder: Path, form: Format, triples: set[ox.Triple]) -> Path:
    """A document as Oxigraph writes it."""
    path = folder / f"document{form.suffixes[0]}"
    ox.serialize(triples, str(path), form.rdf)
    return path


def loaded(folder: Path, document: Path, form: Format, base: str = BASE) -> Store:
    store = on_disk(folder, base=base)
    load_file(document, form, store, lambda *_: None)
    return store


def dumped(folder: Path, store: Store, form: Format) -> Path:
    checkpoint, output = folder / f"checkpoint{form.suffixes[0]}", folder / f"dump{form.suffixes[0]}"
    store.opened.flush()
    store.opened.backup(str(checkpoint))
    dump(checkpoint, store.base, form, output)
    return output


@each_format
def test_what_comes_in_goes_out(form: Format, tmp_path: Path) -> None:
    """In, out and in again: the same graph, with its blank nodes, languages and values; read by rdflib, too."""
    facts = turtle(FACTS)
    store = loaded(tmp_path, written(tmp_path, form, facts), form)
    assert canonical(store.triples()) == canonical(facts)
    output = dumped(tmp_path, store, form)
    assert set(loaded(tmp_path, output, form).triples()) == set(store.triples())
    with warnings.catch_warnings():  # rdflib warns of how it reads datasets itself
        warnings.simplefilter("ignore", DeprecationWarning)
        by_rdflib = Dataset(default_union=True).parse(data=output.read_bytes(), format=RDFLIB[form.media_type])
        read = valued(by_rdflib.quads() if isinstance(by_rdflib, Dataset) else by_rdflib)
    original = Graph().parse(data=written(tmp_path, FORMATS[1], facts).read_bytes(), format="nt")
    assert isomorphic(read, valued(original))


def valued(facts: Iterable[tuple[Any, ...]]) -> Graph:
    """A graph of rdflib in which each number is written in one way, and each language in small letters."""
    found = Graph()
    for s, p, o, *_ in facts:
        if isinstance(o, Literal):
            o = (
                Literal(str(o), lang=o.language.lower())
                if o.language
                else Literal(o.value or str(o), datatype=o.datatype)
            )
        found.add((s, p, o))
    return found


@each_format
def test_the_graph_of_another_world_is_refused(form: Format, tmp_path: Path) -> None:
    path = tmp_path / "document"
    graph = ox.NamedNode("https://v.example/") if form.has_graphs else ox.DefaultGraph()
    ox.serialize([ox.Quad(*(ox.NamedNode("urn:x"),) * 3, graph)], str(path), form.rdf)
    if not form.has_graphs:
        assert len(list(read_triples(path, form, BASE))) == 1
        return
    with pytest.raises(MessageError) as refused:
        list(read_triples(path, form, BASE))
    assert refused.value.faults[0].code is Code.WRONG_GRAPH


@pytest.mark.parametrize("form", [f for f in FORMATS if f.has_graphs], ids=lambda form: form.suffixes[0][1:])
def test_a_document_may_name_its_own_graph(form: Format, tmp_path: Path) -> None:
    path = tmp_path / "document"
    ox.serialize([ox.Quad(*(ox.NamedNode("urn:x"),) * 3, ox.NamedNode(BASE))], str(path), form.rdf)
    assert len(list(read_triples(path, form, BASE))) == 1


@pytest.mark.parametrize(
    "said, found",
    [
        ("text/turtle", "text/turtle"),
        ("Text/Turtle; charset=UTF-8", "text/turtle"),
        ("application/ld+json;profile=x", "application/ld+json"),
        ("text/plain", None),
        ("application/json", None),
        ("text/turtle2", None),
        ("", None),
    ],
)
def test_which_form_a_content_type_names(said: str, found: str | None) -> None:
    if found:
        assert format_of(said).media_type == found
        return
    with pytest.raises(MessageError) as refused:
        format_of(said)
    assert refused.value.http_status == 415
    assert "text/turtle" in refused.value.faults[0].hint


def test_numbers_are_kept_by_value_and_others_to_the_letter(tmp_path: Path) -> None:
    """Oxigraph keeps what a number is: 01 and 1 are one fact, 4.50 and 4.5 too. Whoever writes 01 gets 1 back."""
    store = on_disk(tmp_path)
    path = tmp_path / "document.ttl"
    path.write_text("<a> <p> 01, 4.50, '01', '4.50'@en, '01'^^<own> .")
    load_file(path, BY_MEDIA_TYPE["text/turtle"], store, lambda *_: None)
    values = {str(triple.object) for triple in store.triples()}
    xsd = "http://www.w3.org/2001/XMLSchema#"
    own = {'"01"', '"4.50"@en', f'"01"^^<{BASE}own>'}
    assert values == own | {f'"1"^^<{xsd}integer>', f'"4.5"^^<{xsd}decimal>'}


# Blank nodes


def named(text: str, seed: int = 0) -> set[ox.Triple]:
    triples = sorted(turtle(text), key=str)
    return set(skolemized(Random(seed).sample(triples, len(triples)), BASE))


SAME = {
    "other labels": ("_:x :p 1 . :a :q _:x .", "_:y :p 1 . :a :q _:y ."),
    "other forms of one number": (":a :q [ :p 4.50 ] .", ":a :q [ :p 4.5 ] ."),
    "two that are alike": (":a :q [ :p 1 ], [ :p 1 ] .", ":a :q _:x, _:y . _:y :p 1 . _:x :p 1 ."),
    "a circle": ("_:x :p _:y . _:y :p _:z . _:z :p _:x .", "_:b :p _:c . _:a :p _:b . _:c :p _:a ."),
    "two chains that are alike": (
        "_:a :p _:b . _:b :p _:c . _:x :p _:y . _:y :p _:z .",
        "_:1 :p _:2 . _:4 :p _:5 . _:2 :p _:3 . _:5 :p _:6 .",
    ),
    "lists": (":a :q ( 1 2 3 ) .", ":a :q ( 1 2 3 ) ."),
}
APART = {
    "another value": (":a :q [ :p 1 ] .", ":a :q [ :p 2 ] ."),
    "pointed at by another": (":a :q [ :p 1 ] .", ":b :q [ :p 1 ] ."),
    "a neighbour differs": (":a :q [ :p [ :p 1 ] ] .", ":a :q [ :p [ :p 2 ] ] ."),
    "the other way round": ("_:x :p _:y . _:x :q 1 .", "_:y :p _:x . _:x :q 1 ."),
}


@pytest.mark.parametrize("one, other", SAME.values(), ids=SAME)
def test_the_same_facts_get_the_same_names(one: str, other: str) -> None:
    for seed in range(5):
        assert named(one) == named(other, seed)


@pytest.mark.parametrize("one, other", APART.values(), ids=APART)
def test_other_facts_get_other_names(one: str, other: str) -> None:
    def nodes(text: str) -> set[str]:
        return {str(t) for triple in named(text) for t in triple if "genid" in str(t)}

    assert not nodes(one) & nodes(other)


def test_what_is_said_elsewhere_changes_no_name() -> None:
    """Else one changed entity would rename the blank nodes of all others."""
    few = ":a :q [ :p 1 ; :q [ :p 2 ] ] ."
    more = few + ":b :q [ :p 3 ; :q [ :p 4 ; :q [ :p 5 ; :q [ :p 6 ] ] ] ] ."
    assert named(few) <= named(more)


def test_a_node_that_was_changed_is_another_one(tmp_path: Path) -> None:
    """Its name came from what it was; whoever says that anew means a new node, with those it is connected with."""
    text = ":a :q [ :p 1 ; :q [ :p 2 ] ] ."
    store = on_disk(tmp_path, named(text))
    assert set(skolemized(turtle(text), BASE, store.said)) == named(text)
    inner = next(q for q in store.opened if "2" in str(q.object))
    store.opened.remove(inner)
    store.opened.add(ox.Quad(inner.subject, inner.predicate, ox.Literal(3), inner.graph_name))
    anew = set(skolemized(turtle(text), BASE, store.said))
    assert {t.subject for t in anew if "genid" in str(t.subject)}.isdisjoint({t.subject for t in store.triples()})
    assert canonical(anew) == canonical(turtle(text))


def test_a_maze_is_named_in_bounded_time() -> None:
    """Regular graphs are where canonical labelling takes exponential time; here it takes rounds times statements."""
    random = Random(7)

    def maze(nodes: int) -> list[ox.Triple]:
        p = ox.NamedNode("urn:p")
        shuffled = [random.sample(range(nodes), nodes) for _ in range(3)]
        return [
            ox.Triple(ox.BlankNode(f"n{i}"), p, ox.BlankNode(f"n{to[i]}")) for to in shuffled for i in range(nodes)
        ]

    def spent(nodes: int) -> float:
        facts = maze(nodes)
        begun = time.process_time()
        assert len({t.subject for t in skolemized(facts, BASE)}) == nodes
        return time.process_time() - begun

    assert min(spent(5_000) for _ in range(2)) < 40 * max(spent(500) for _ in range(3))  # a busy machine is no maze


def test_more_blank_nodes_than_are_named_are_refused() -> None:
    triples = (
        ox.Triple(ox.BlankNode(f"n{i}"), ox.NamedNode("urn:p"), ox.NamedNode("urn:o")) for i in range(STATEMENTS + 1)
    )
    with pytest.raises(MessageError) as refused:
        list(skolemized(triples, BASE))
    assert refused.value.faults[0].code is Code.TOO_LARGE


# What no parser must be given

XML = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="urn:x:">{}</rdf:RDF>'
SAID = '<rdf:Description rdf:about="urn:a"><x:b>{}</x:b></rdf:Description>'
DTD = "<!DOCTYPE rdf:RDF [{}]>"
ENTITIES = DTD.format('<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">') + XML.format(SAID.format("&b;"))
TRIPLE = "<<( <urn:a> <urn:b> "
UNSAFE = {
    "nested triple terms": ("text/turtle", "<urn:a> <urn:b> " + TRIPLE * 50_000, Code.NOT_RDF, "1"),
    "nested triple terms, a line further": (
        "application/n-triples",
        "<urn:a> <urn:b> <urn:c> .\n<urn:a> <urn:b> " + TRIPLE * 50_000,
        Code.NOT_RDF,
        "2",
    ),
    "a triple term after a comment": (
        "application/trig",
        f'# "\n<urn:a> <urn:b> {TRIPLE} 1 )>>',
        Code.NOT_RDF,
        "2",
    ),
    "a triple term after an escaped #": (
        "text/turtle",
        f"PREFIX : <urn:x:> :a\\#b :p {TRIPLE} 1 )>>",
        Code.NOT_RDF,
        "1",
    ),
    "a triple term after a long text": (
        "text/turtle",
        f"<urn:a> <urn:b> '''<<''\n''' . <urn:a> <urn:b> {TRIPLE} 1 )>>",
        Code.NOT_RDF,
        "2",
    ),
    "entities of entities": ("application/rdf+xml", ENTITIES, Code.TOO_LARGE, ""),
    "an entity that is long": (
        "application/rdf+xml",
        DTD.format(f'<!ENTITY a "{"a" * (ENTITY + 1)}">') + XML.format(""),
        Code.TOO_LARGE,
        "",
    ),
    "an entity elsewhere": (
        "application/rdf+xml",
        DTD.format('<!ENTITY a SYSTEM "file:///etc/passwd">') + XML.format(SAID.format("&a;")),
        Code.TOO_LARGE,
        "",
    ),
    "a text that grows": (
        "application/rdf+xml",
        DTD.format(f'<!ENTITY a "{"a" * ENTITY}">') + XML.format(SAID.format("&a;" * (TEXT // ENTITY + 2))),
        Code.TOO_LARGE,
        "",
    ),
    "elements too deep": (
        "application/rdf+xml",
        XML.format("<x:a><x:b>" * DEPTH + "</x:b></x:a>" * DEPTH),
        Code.TOO_LARGE,
        "",
    ),
    "no XML": ("application/rdf+xml", "<rdf:RDF", Code.NOT_RDF, "1:1"),
}
SAFE = {
    "<< in a text": ("text/turtle", '<urn:a> <urn:b> \'<<( <urn:a>\', "<<", \'\'\'\n<<\'\'\', """"<<""" . # <<'),
    "an entity for a namespace": (
        "application/rdf+xml",
        DTD.format('<!ENTITY x "urn:x:">') + XML.format(SAID.format("&x;b")),
    ),
    "nothing": ("text/turtle", ""),
    "JSON": ("application/ld+json", '{"@id": "urn:a", "urn:b": "<<("}'),
}


@pytest.mark.parametrize("media_type, text, code, where", UNSAFE.values(), ids=UNSAFE)
def test_what_would_end_or_fill_the_process_is_refused(
    media_type: str, text: str, code: Code, where: str, tmp_path: Path
) -> None:
    path = tmp_path / "document"
    path.write_text(text)
    with pytest.raises(MessageError) as refused:
        scan(path, BY_MEDIA_TYPE[media_type])
    assert refused.value.faults[0].code is code
    assert refused.value.faults[0].where.startswith(where)
    assert refused.value.faults[0].where


@pytest.mark.parametrize("media_type, text", SAFE.values(), ids=SAFE)
def test_a_document_that_only_looks_so_is_read(media_type: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "document"
    path.write_text(text)
    scan(path, BY_MEDIA_TYPE[media_type])
    assert (
        len(list(read_triples(path, BY_MEDIA_TYPE[media_type], BASE))) == {"": 0}.get(text, text.count(",") + 1) or 1
    )


def read(document: Path, form: Format, store: Store) -> None:
    scan(document, form)
    load_file(document, form, store, lambda *_: None)


@each_format
def test_a_term_that_is_too_long_is_told(form: Format, tmp_path: Path) -> None:
    """Whichever way the document is read; RDF/XML has the same limit, but none of its parser."""
    long = ox.Triple(ox.NamedNode("urn:a"), ox.NamedNode("urn:b"), ox.Literal("x" * (TEXT + 10)))
    path = written(tmp_path, form, {long})
    with pytest.raises(MessageError) as refused:
        read(path, form, on_disk(tmp_path))
    assert refused.value.faults[0].code is Code.TOO_LARGE


@each_format
def test_a_syntax_error_has_its_place(form: Format, tmp_path: Path) -> None:
    path = written(tmp_path, form, turtle(":a :p 1 . :b :p 2 ."))
    text = path.read_text()
    at = text.rindex("2")
    path.write_text(text[:at] + '"' + text[at:].replace('"', "", 1) + "<")
    with pytest.raises(MessageError) as refused:
        read(path, form, on_disk(tmp_path))
    assert refused.value.faults[0].code is Code.NOT_RDF
    assert refused.value.faults[0].where.split(":")[0].isdecimal()
