"""The core ontology: complete for MMM-TEC V2.2, in two languages, OWL 2 DL, aligned with others; its picture."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rdflib import ODRL2, OWL, PROV, RDF, RDFS, SDO, SKOS, SOSA, TIME, BNode, Graph, Literal, URIRef
from rdflib.namespace import GEO
from rdflib.term import Node

from app import knowledge, vocab
from app.authoring.picture import WIDTH, picture
from tests.packs import (
    ACTIONS,
    CORE,
    DAC,
    EDITION,
    HOME,
    KINDS,
    MMM,
    ROOT,
    everything,
    hermit,
    judged,
    owl_rl_clashes,
    read,
    terms,
)

ONTOLOGY = CORE / "ontology.ttl"
ALIGNMENT = CORE / "alignment.ttl"
PROPERTIES = {OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty}

# The table of Items of MMM-TEC V2.2 (data types), and the rows of MPAI-OSD and of the V2.2 schemas that go with it.
ITEMS = {
    "General": "ACT CPB EVT IDF ITM PRC PRO RGT RUL SCF MEN MIN UEN BEV PNL",
    "Human & User": "ACC ACD PPR PDT",
    "Process Interaction": "IPP MSG PAC RES",
    "Service Access": "AUT VLD BDV DVO BIF IFO BIT ITO",
    "Finance": "ASS MKC CTO PRV CUO SPM FBR SCT FDR TRA FER VAL LIC VMI MPI WAL",
    "Perception": "RIT OSD-3DO OSD-3EV OSD-3SD OSD-3SG OSD-AUO OSD-AVO OSD-OBJ OSD-BOB OSD-SCD OSD-SCG OSD-EVT",
    "Space & Time": "OSD-OSA OSD-OPV OSD-OPS OSD-OOR OSD-SPT MLC",
}  # fmt: skip
CODES = [code if "-" in code else f"MMM-{code}" for codes in ITEMS.values() for code in codes.split()]

# The closed lists of MMM-TEC V2.2: Actions.json and others in schemas/MMM4/V2.2/data, MPAI-OSD coordinates, BKN-DAC.
LISTS = {
    "Profile": "Baseline Finance Management High",
    "ProfileLevel": "AudioOnly AudioVisual AudioVisualHaptic",
    "PriceModel": "OneTime Subscription PayPerUse PayPerTime Freemium Tiered AdSupported Hybrid",
    "MarketClass": "MC-Service MC-DigitalCollectible MC-VirtualAsset MC-PhysicalGood MC-Experience MC-AccessRight "
    "MC-Donation",
    "RightsLevel": "Internal Acquired Granted",
    "LogicOperator": "AND OR NAND NOR XOR XNOR NOT",
    "CoordinateType": "Cartesian Spherical Geodesic Cylindrical Toroidal",
    "TransactionStatus": "Pending Rejected Failed Cancelled",
    "ItemStatus": "Model Final",
}  # fmt: skip

# MMM-TEC V2.2, the tags of its API: the ten Services.
SERVICES = {
    *("Communicate", "Economy", "Execute", "Export", "Identity Manage", "Import", "Information", "Item Manage"),
    *("Locate", "Rights Manage"),
}

# Every term of another vocabulary that the alignment names, by the place it was checked against.
EXTERNAL = {
    # W3C PROV-O: prov.ttl of pyLODE 3.4.1
    "http://www.w3.org/ns/prov#": """Activity Bundle Entity Location Person SoftwareAgent
        actedOnBehalfOf atLocation endedAtTime wasAssociatedWith wasAttributedTo wasDerivedFrom""",
    # W3C ODRL 2.2: rdflib.ODRL2
    "http://www.w3.org/ns/odrl/2/": """Action Asset Constraint Duty Party Permission Policy Prohibition Rule
        action assignee assigner""",
    # W3C OWL-Time: rdflib.TIME
    "http://www.w3.org/2006/time#": "TemporalEntity hasBeginning hasEnd hasTime",
    # OGC GeoSPARQL 1.1: rdflib.namespace.GEO
    "http://www.opengis.net/ont/geosparql#": "Feature Geometry SpatialObject hasBoundingBox sfWithin",
    # W3C SOSA: rdflib.SOSA
    "http://www.w3.org/ns/sosa/": "Actuator FeatureOfInterest Result Sensor isHostedBy",
    # schema.org: schema.ttl of pySHACL 0.40.1 (classes), rdflib.SDO (properties)
    "https://schema.org/": """3DModel Action AudioObject Message MonetaryAmount Person Place PriceSpecification
        Service SoftwareApplication TradeAction VirtualLocation currency identifier maximumAttendeeCapacity
        potentialAction publicAccess recipient text validFrom validThrough""",
}
# rdflib lists every term of these vocabularies but those that begin with a digit.
PUBLISHED = {str(term) for space in (PROV, ODRL2, TIME, GEO, SOSA, SDO) for term in dir(space)} | {
    "https://schema.org/3DModel"
}


def both() -> Graph:
    """Core and its alignment as a graph of its own."""
    return read(ONTOLOGY) + read(ALIGNMENT)


def of_kinds(graph: Graph, *kinds: URIRef) -> set[URIRef]:
    """The project's terms of some kinds."""
    return {term for term in terms(graph) if set(kinds) & set(graph.objects(term, RDF.type))}


# complete


def test_the_items_found_are_all_there() -> None:
    assert len(CODES) == len(set(CODES)) == 65


@pytest.mark.parametrize("code", CODES)
def test_an_item_of_the_standard_is_one_class(code: str) -> None:
    """Each code of the table is the notation of exactly one class."""
    graph = read(ONTOLOGY)
    (term,) = graph.subjects(SKOS.notation, Literal(code))
    assert (term, RDF.type, OWL.Class) in graph


@pytest.mark.parametrize("name", LISTS)
def test_a_closed_list_has_the_members_of_the_standard(name: str) -> None:
    graph = read(ONTOLOGY)
    members = {str(term).removeprefix(vocab.MMM) for term in graph.subjects(RDF.type, MMM[name])}
    assert members == set(LISTS[name].split())


def test_the_ten_services_are_classes_and_the_files_of_actions_name_them() -> None:
    graph = read(ONTOLOGY)
    labels = {
        str(name) for term in graph.subjects(RDFS.subClassOf, MMM.Service) for name in graph.objects(term, RDFS.label)
    }
    assert {f"{name} Service" for name in SERVICES} <= labels
    files = [tomllib.loads(path.read_text(encoding="utf-8")) for path in ROOT.glob("rules/actions/*.toml")]
    assert {action["service"] for action in files} <= SERVICES
    assert files


def test_profiles_include_each_other_and_baseline_names_its_actions() -> None:
    """High has all; Baseline's eight Actions of V2.2 are Actions."""
    closure = knowledge.load(EDITION, []).closure
    included = {o for s, p, o in closure.facts if s == MMM.High.toPython() and p == str(MMM.includesProfile)}
    assert included == {vocab.MMM + name for name in ("Baseline", "Finance", "Management")}
    actions = {str(o).removeprefix(vocab.MMM) for o in read(ONTOLOGY).objects(MMM.Baseline, MMM.supportsAction)}
    assert len(actions) == 8
    assert actions <= ACTIONS


# in two languages


def test_every_class_and_property_is_named_and_defined_in_english_and_italian() -> None:
    """One label and one definition in each language, and at least one synonym."""
    graph = read(ONTOLOGY)
    described = of_kinds(graph, OWL.Class, RDFS.Datatype, *PROPERTIES)
    faults = []
    for term in described | of_kinds(graph, OWL.NamedIndividual):
        for language in ("en", "it"):
            for predicate in (RDFS.label, SKOS.definition, SKOS.altLabel):
                found = [
                    v for v in graph.objects(term, predicate) if isinstance(v, Literal) and v.language == language
                ]
                wanted = len(found) >= (term in described) if predicate == SKOS.altLabel else len(found) == 1
                if not wanted:
                    faults.append((term, predicate, language))
    assert faults == []
    assert len(described) > 250


def test_definitions_of_two_terms_are_not_the_same() -> None:
    graph = read(ONTOLOGY)
    definitions = [str(value) for value in graph.objects(None, SKOS.definition)]
    assert len(definitions) == len(set(definitions))


# OWL 2 DL

BUILT_IN = (
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://www.w3.org/2000/01/rdf-schema#",
    str(OWL),
    vocab.XSD,
)
REFERENCES: dict[Node, set[URIRef]] = {RDFS.subClassOf: {OWL.Class}, RDFS.subPropertyOf: PROPERTIES}


def dl_faults(graph: Graph) -> list[str]:
    """Where a graph leaves what OWL 2 DL demands of declarations, values and simple properties."""
    kinds: dict[Node, set[Node]] = {}
    for subject, kind in graph.subject_objects(RDF.type):
        kinds.setdefault(subject, set()).add(kind)
    faults = [f"{term} is of two kinds" for term, found in kinds.items() if len(KINDS & found) > 1]
    for subject, predicate, value in graph:
        if not str(predicate).startswith(BUILT_IN):
            found = PROPERTIES & kinds.get(predicate, set())
            if not found:
                faults.append(f"{predicate} is not declared")
            elif found != {OWL.AnnotationProperty} and isinstance(value, Literal) != (
                found == {OWL.DatatypeProperty}
            ):
                faults.append(f"{predicate} has a value of the wrong kind: {value}")
        wanted = REFERENCES.get(predicate, set())
        for end in (subject, value) if wanted else ():
            if not isinstance(end, BNode) and not wanted & kinds.get(end, set()):
                faults.append(f"{end} is not declared as {predicate} needs")
    for term, types in kinds.items():
        if OWL.TransitiveProperty in types and types & {OWL.FunctionalProperty, OWL.IrreflexiveProperty}:
            faults.append(f"{term} is transitive, so it is not simple")
    for term, wide in graph.subject_objects(RDFS.subPropertyOf):
        if (PROPERTIES & kinds.get(term, set())) != (PROPERTIES & kinds.get(wide, set())):
            faults.append(f"{term} and {wide} are properties of two kinds")
    return faults


@pytest.mark.parametrize("path", [ONTOLOGY, ALIGNMENT], ids=lambda path: path.stem)
def test_the_ontology_keeps_to_owl_2_dl(path: Path) -> None:
    """Alone, and with its alignment."""
    assert dl_faults(read(ONTOLOGY) if path == ONTOLOGY else both()) == []


@pytest.mark.parametrize(
    "planted, fault",
    [
        ("mmm:owner a owl:DatatypeProperty .", "of two kinds"),
        ("mmm:RoomID mmm:ownr mmm:Friend1 .", "not declared"),
        ('mmm:RoomID mmm:owner "Friend1" .', "wrong kind"),
        ("mmm:Ghost rdfs:subClassOf mmm:Item .", "not declared as"),
        ("mmm:includesProfile a owl:FunctionalProperty .", "not simple"),
        ("mmm:owner rdfs:subPropertyOf mmm:identifier .", "two kinds"),
    ],
)
def test_what_leaves_owl_2_dl_is_noticed(planted: str, fault: str) -> None:
    prefixes = f"@prefix mmm: <{vocab.MMM}> . @prefix owl: <{OWL}> . @prefix rdfs: <{RDFS}> ."
    graph = (Graph() + read(ONTOLOGY)).parse(data=f"{prefixes} {planted}", format="turtle")
    assert [found for found in dl_faults(graph) if fault in found] != []


def test_hermit_is_given_every_triple() -> None:
    """Nothing of core, alignment and world is dropped on the way to HermiT, which finds them consistent."""
    graph = everything(ROOT / "ontologies" / "friends_meet") + read(ALIGNMENT)
    assert hermit(graph) == {"consistent": True, "unsatisfiable": [], "loaded": len(graph)}


def test_core_with_its_alignment_is_consistent() -> None:
    assert judged(both()) == {"consistent": True, "unsatisfiable": []}
    assert owl_rl_clashes(everything(CORE) + read(ALIGNMENT)) == []


PLANTED = {
    "a Transaction both Final and Failed": "mi:Land_Transaction mmm:status mmm:Final , mmm:Failed .",
    "an amount that is a word": 'mi:V mmm:amount "much" .',
    "a place with two capacities": "mi:MVS mmm:capacity 1 , 2 .",
    "fewer occupants than none": 'mi:MVS mmm:occupants "-1"^^xsd:nonNegativeInteger .',
    "a Profile that is a level": "mi:C mmm:profile mmm:AudioOnly .",
    "a moment that is none": 'mi:Room_Rights mmm:validUntil "tomorrow" .',
    "a Scene Geometry that is data": "mi:G a mmm:SceneGeometry , mmm:Data .",
    "an Autonomous User that is a Marketplace": "mi:Friend2 a mmm:AutonomousUser , mmm:Marketplace .",
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_contradiction_is_found(name: str) -> None:
    """Each planted fact contradicts core, so the axiom that says so has reached HermiT."""
    prefixes = f"@prefix mmm: <{vocab.MMM}> . @prefix mi: <https://mi1.example/> . @prefix xsd: <{vocab.XSD}> ."
    graph = everything(ROOT / "ontologies" / "friends_meet")
    assert judged(graph.parse(data=f"{prefixes} {PLANTED[name]}", format="turtle"))["consistent"] is False


def test_a_class_may_say_what_it_affords() -> None:
    """The IRI of a class is an individual beside dac:affords, which OWL 2 DL allows and HermiT reads."""
    graph = everything(CORE)
    graph.add((MMM.Persona, DAC.affords, MMM["MM-Animate"]))
    assert dl_faults(graph) == []
    assert hermit(graph) == {"consistent": True, "unsatisfiable": [], "loaded": len(graph)}


# aligned


def test_every_external_term_is_one_that_was_checked() -> None:
    """The alignment names exactly the terms listed here, and each is a published one."""
    listed = {space + name for space, names in EXTERNAL.items() for name in names.split()}
    used = {
        str(node)
        for triple in read(ALIGNMENT)
        for node in triple
        if isinstance(node, URIRef) and str(node).startswith(tuple(EXTERNAL))
    }
    assert used == listed
    assert listed - PUBLISHED == set()


def test_the_alignment_joins_our_terms_with_theirs_only() -> None:
    """Our term narrower than theirs or close to it; core itself names no vocabulary it is aligned with."""
    ours = terms(read(ONTOLOGY))
    links = (RDFS.subClassOf, RDFS.subPropertyOf, SKOS.closeMatch)
    joined = [(s, o) for link in links for s, o in read(ALIGNMENT).subject_objects(link)]
    assert [pair for pair in joined if pair[0] not in ours or str(pair[1]).startswith(HOME)] == []
    assert len(joined) > 60
    assert not any(str(node).startswith(tuple(EXTERNAL)) for triple in read(ONTOLOGY) for node in triple)


def test_serving_does_not_load_the_alignment() -> None:
    loaded = knowledge.load(EDITION, [])
    assert not any(str(node).startswith(tuple(EXTERNAL)) for triple in loaded.closure.facts for node in triple)


# pictured


def test_the_picture_is_the_one_the_ontology_gives() -> None:
    """`python -m app.authoring.picture` writes it anew."""
    drawn = picture(knowledge.load(EDITION, []))
    assert (CORE / "core.svg").read_text(encoding="utf-8") == drawn


def test_the_picture_shows_every_class_within_its_width() -> None:
    known = knowledge.load(EDITION, [])
    root = ElementTree.fromstring(picture(known))
    texts = [node.text or "" for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {known.label(iri) for iri in known.classes} - set(texts) == set()
    boxes = [node for node in root.iter("{http://www.w3.org/2000/svg}rect") if "x" in node.attrib]
    assert all(int(box.attrib["x"]) + int(box.attrib["width"]) <= WIDTH for box in boxes)


# explained


def test_the_page_names_terms_and_files_that_are_there() -> None:
    """Every `mmm:` and `dac:` word of the page is declared; every link leads somewhere."""
    page = (CORE / "README.md").read_text(encoding="utf-8")
    declared = {str(term) for term in terms(read(ONTOLOGY))}
    named = {vocab.PREFIXES[prefix] + name for prefix, name in re.findall(r"`(mmm|dac):([\w-]+)`", page)}
    assert len(named) > 40
    assert named - declared == set()
    targets = re.findall(r"\]\(([^)#:]+)\)", page)
    assert [target for target in targets if not (CORE / target).exists()] == []
    assert {"ontology.ttl", "alignment.ttl", "core.svg"} <= set(targets)
