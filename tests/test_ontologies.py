"""The packs of ontologies/: what `check` does not say of them, and what other reasoners do (tests/test_check.py)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from rdflib import OWL, RDF, RDFS, SKOS, BNode, Graph, Literal, URIRef

from app import vocab
from app.model import Deontic, PAStatus
from tests.packs import (
    CORE,
    DAC,
    HOME,
    MMM,
    PACKS,
    ROOT,
    WORLDS,
    everything,
    judged,
    owl_rl_clashes,
    read,
    rustdl_unsatisfiable,
    terms,
    vocabulary,
    with_required,
)

PLANS = sorted(ROOT.glob("ontologies/*/golden/*.toml"))
COMPLEMENTS = ("Nil", "At", "From", "To", "With", "Of")
TOWARDS_ACTIONS = {MMM.action, MMM.supportsAction, DAC.affords, DAC.conduct}

each_pack = pytest.mark.parametrize("pack", PACKS, ids=lambda path: path.name)
each_world = pytest.mark.parametrize("world", WORLDS, ids=lambda path: path.stem)


def entities(world: Graph) -> Iterator[URIRef]:
    """The nodes with an IRI that a world states facts of."""
    return (node for node in world.subjects(unique=True) if isinstance(node, URIRef))


def base_of(world: Graph) -> str:
    """The IRI of the one M-Instance of a world."""
    (m_instance,) = world.subjects(RDF.type, MMM.MInstance)
    return str(m_instance)


def test_every_pack_world_and_plan_is_found() -> None:
    """Each folder is a pack, each Turtle file an ontology, its shapes or a world, each golden file a plan."""
    folders = {path.parent for path in ROOT.glob("ontologies/*/*")}
    assert folders == set(PACKS)
    assert {"core", "friends_meet"} <= {pack.name for pack in PACKS}
    turtle = set(ROOT.glob("ontologies/**/*.ttl")) - set(ROOT.glob("ontologies/*/rules/cases.ttl"))
    shapes = {path for pack in PACKS if (path := pack / "shapes.ttl").exists()}
    assert CORE / "shapes.ttl" in shapes
    assert turtle == {pack / "ontology.ttl" for pack in PACKS} | {CORE / "alignment.ttl"} | shapes | set(WORLDS)
    assert {path.name for path in WORLDS} >= {"MI1.ttl"}
    assert set(ROOT.glob("ontologies/**/golden/**/*.*")) == set(PLANS)
    assert PLANS


def test_a_name_of_core_names_one_term() -> None:
    """Within core no synonym is that of another term; in a domain a word may have several senses ("bank")."""
    graph = vocabulary(CORE)
    names = {
        (str(name).casefold(), term)
        for term in terms(graph)
        for predicate in (RDFS.label, SKOS.altLabel)
        for name in graph.objects(term, predicate)
    }
    assert [name for name, count in Counter(name for name, _ in names).items() if count > 1] == []


def test_core_declares_the_terms_that_code_names() -> None:
    """The IRIs of app/vocab.py, the complements, and the closed lists of app/model.py are core's."""
    core = read(CORE / "ontology.ttl")
    named = {value for key, value in vars(vocab).items() if key.isupper() and isinstance(value, str) and "#" in value}
    ours = {URIRef(iri) for iri in named if iri.startswith(HOME) and not iri.endswith("#")} - {
        URIRef(vocab.HIERARCHICAL)
    }
    complements = {MMM[f"complement{name}"] for name in COMPLEMENTS}
    assert (ours | complements) - terms(core) == set()
    assert all((term, RDFS.subPropertyOf, MMM.complement) in core for term in complements)
    ranks = {str(s).removeprefix(vocab.MMM): int(str(rank)) for s, rank in core.subject_objects(DAC["rank"])}
    assert ranks == {status.value: status.rank for status in PAStatus}
    verbs = {str(name) for v in core.subjects(RDF.type, MMM.DeonticVerb) for name in core.objects(v, RDFS.label)}
    assert verbs >= {verb.value for verb in Deontic}
    assert set(core.subject_objects(DAC.hierarchical)) == {
        (MMM.within, Literal(True)),
        (MMM.includesProfile, Literal(True)),
    }


def test_only_properties_towards_closed_lists_have_a_range() -> None:
    """A property has no domain, and a range only of data, closed lists or Sessions."""
    core = read(CORE / "ontology.ttl")
    assert list(core.subject_objects(RDFS.domain)) == []
    closed_lists = set(core.subjects(DAC.group, Literal("Closed lists"))) - {MMM.TransactionStatus}
    ranges = {value for value in core.objects(None, RDFS.range) if not str(value).startswith(vocab.XSD)}
    assert ranges == closed_lists | {MMM.Action, MMM.MarketClass, DAC.Session}


@each_world
def test_every_entity_has_one_identifier_and_the_iri_it_gives(world: Path) -> None:
    """An entity's IRI is the base and its percent-encoded identifier; the M-Instance's is the base (SEMANTICS 1)."""
    graph = read(world)
    base = base_of(graph)
    faults = []
    for entity in entities(graph):
        identifiers = [str(value) for value in graph.objects(entity, MMM.identifier)]
        expected = [base if str(entity) == base else base + quote(name, safe="") for name in identifiers]
        if expected != [str(entity)] or (entity, RDF.type, None) not in graph:
            faults.append((entity, identifiers))
    assert faults == []
    counts = Counter(str(value) for value in graph.objects(None, MMM.identifier))
    assert [name for name, count in counts.items() if count > 1] == []
    assert str(graph.value(URIRef(base), MMM.identifier)) == world.stem


@each_world
def test_only_process_actions_and_process_requests_are_blank(world: Path) -> None:
    """A node without identity is one of the two, and belongs to one entity."""
    graph = read(world)
    blanks = {node for triple in graph for node in triple if isinstance(node, BNode)}
    allowed = {MMM.ProcessAction, MMM.ProcessRequest}
    assert [b for b in blanks if not allowed.intersection(graph.objects(b, RDF.type))] == []
    assert [b for b in blanks if len(list(graph.triples((None, None, b)))) != 1] == []


@each_world
def test_a_world_is_written_in_the_words_of_its_packs(world: Path) -> None:
    """It names its pack and those required; types are classes; a value is a literal where the property says so."""
    graph = read(world)
    pack = world.parents[1]
    uses = {str(name) for name in graph.objects(URIRef(base_of(graph)), DAC.usesPack)}
    assert uses == {path.name for path in with_required(pack)}
    words = vocabulary(pack)
    assert {c for c in graph.objects(None, RDF.type) if (c, RDF.type, OWL.Class) not in words} == set()
    wrong = [
        (subject, predicate, value)
        for subject, predicate, value in graph
        if predicate != RDF.type
        if isinstance(value, Literal) != ((predicate, RDF.type, OWL.DatatypeProperty) in words)
    ]
    assert wrong == []


@each_world
def test_a_box_has_six_numbers_and_a_size(world: Path) -> None:
    """An extent is `x y z X Y Z`, the least corner first."""
    for value in read(world).objects(None, MMM.extent):
        assert isinstance(value, Literal)
        assert value.datatype == DAC.box
        numbers = [float(word) for word in value.split()]
        assert len(numbers) == 6
        assert all(low < high for low, high in zip(numbers[:3], numbers[3:], strict=True))


@each_pack
def test_a_pack_with_its_worlds_is_consistent_and_every_class_can_have_instances(pack: Path) -> None:
    """HermiT finds neither a contradiction nor an unsatisfiable class (OWL 2 DL)."""
    assert judged(everything(pack)) == {"consistent": True, "unsatisfiable": []}


@each_pack
def test_a_second_reasoner_agrees(pack: Path) -> None:
    """rustdl, too, finds each pack with its worlds consistent and no class impossible."""
    assert rustdl_unsatisfiable(everything(pack)) == []


@each_pack
def test_the_owl_2_rl_rules_find_no_clash(pack: Path) -> None:
    """owlrl reports no error for the pack with its worlds."""
    assert owl_rl_clashes(everything(pack)) == []


PLANTED = {
    "a Human that is a Process": "mi:Friend2 a mmm:Human .",
    "an M-Location that is a U-Location": "mi:MVS a mmm:ULocation .",
    "a place both public and not": "mi:MVS mmm:public false .",
    "Rights both Model and Final": "mi:Move_Rights mmm:status mmm:Final .",
    "captured data that are an Item": "mi:DataID a mmm:Data , mmm:Item .",
    "a Status that is a verb": "mi:SA1 mmm:status mmm:May .",
    "an owner with two names": 'mi:RoomID mmm:owner mi:Friend2 . mi:Friend2 mmm:identifier "Friend2" .',
}
PREFIXES = f"@prefix mmm: <{vocab.MMM}> . @prefix mi: <https://mi1.example/> ."


def with_planted(name: str) -> Graph:
    """The world MI1 with one more fact."""
    graph = everything(ROOT / "ontologies" / "friends_meet")
    return graph.parse(data=f"{PREFIXES} {PLANTED[name]}", format="turtle")


@pytest.mark.parametrize("name", PLANTED)
def test_a_contradiction_in_a_world_is_found(name: str) -> None:
    """Each planted fact contradicts the world MI1 by an axiom of core."""
    assert judged(with_planted(name))["consistent"] is False


def test_the_owl_2_rl_rules_find_a_planted_clash() -> None:
    """The rules that report nothing for the packs do report what is planted."""
    assert owl_rl_clashes(with_planted("a Human that is a Process")) != []


def test_both_reasoners_find_an_impossible_class() -> None:
    """A class below two disjoint ones is unsatisfiable, which no rule over facts can see."""
    graph = everything(CORE).add((MMM.Ghost, RDF.type, OWL.Class))
    graph.add((MMM.Ghost, RDFS.subClassOf, MMM.Human)).add((MMM.Ghost, RDFS.subClassOf, MMM.User))
    assert judged(graph) == {"consistent": True, "unsatisfiable": [str(MMM.Ghost)]}
    assert rustdl_unsatisfiable(graph) == [str(MMM.Ghost)]
