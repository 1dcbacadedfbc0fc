"""The pack `household`: classes, properties and states of the data set are all there; every word says something."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from itertools import combinations
from typing import Any

import pytest
from rdflib import OWL, RDF, RDFS, SKOS, Graph, Literal, Namespace, URIRef

from app.kinds.calibration import FITTED
from app.kinds.grounding import THRESHOLD
from app.knowledge import Knowledge, load
from app.reasoner import close
from app.vocab import TYPE
from tests.grounding.fitting import calibration_error
from tests.grounding.labelled import outcome, read_terms
from tests.packs import DAC, EDITION, HOME, MMM, ROOT, read

PACK = ROOT / "ontologies" / "household"
DATA = ROOT.parent / "shared" / "data" / "virtualhome"
HH = Namespace(HOME + "household#")

# What the data set leaves out of a class: the properties that its place in our tree, or plain sight, adds.
ADDED = {
    "computer": {"HAS_PLUG"},
    "crackers": {"EATABLE"},
    "dishwasher": {"HAS_PLUG"},
    "floor_lamp": {"HAS_PLUG"},
    "food_butter": {"EATABLE"},
    "food_donut": {"CUTTABLE", "EATABLE"},
    "food_ice_cream": {"EATABLE"},
    "form": {"READABLE"},
    "jelly": {"EATABLE"},
    "pantry": {"CAN_OPEN", "CONTAINERS"},
    "pasta": {"EATABLE"},
    "sauce": {"EATABLE"},
    "scrabble": {"LOOKABLE", "SURFACES"},
    "shower": {"HAS_SWITCH"},
    "teeth": {"BODY_PART"},
}

# States of the data set that say nothing true of a class, and are left out.
LEFT_OUT = {
    "bathroom_counter": {"open", "closed", "full", "empty"},  # of the cabinet below it
    "bench": {"empty"},  # it is free
    "bookshelf": {"open"},  # it has no doors
    "check": {"broken", "full"},
    "clothes_underwear": {"empty"},
    "comforter": {"full", "empty"},
    "eye_right": {"pleased"},
    "food_snack": {"cooked", "uncooked"},  # crackers are not cooked
    "food_vegetable": {"eatable"},  # a property, not a state
    "form": {"free", "occupied"},
    "kitchen_counter": {"open", "closed"},
    "love_seat": {"empty"},
}

# The names of states in the data set, and ours. "full" of food that is never empty says that nothing of it was eaten.
NAMES_OF_STATES = """
    broken=Broken burning=Burning clean=Clean closed=Closed cold=Cold combed=Combed cooked=Cooked cut=CutState
    dirty=Dirty done=MadeUp dry=Dry empty=Empty flushed=Flushed folded=Folded free=Free frozen=Frozen full=Full
    grabbed=InHand hanged=HungUp happy=Happy hot=Hot hurt=Hurt melted=Melted occupied=Occupied off=SwitchedOff
    on=SwitchedOn open=Open peeled=Peeled pleased=Pleased plugged=PluggedIn rotten=Rotten sad=Sad sharpened=Sharp
    shaved=Shaved sliced=Sliced squeezed=Squeezed uncombed=Uncombed uncooked=Raw undone=Unmade unfolded=Unfolded
    unhanged=TakenDown unplugged=Unplugged unsharpened=Blunt unshaved=Unshaven warm=Warm wet=Wet
"""
STATES = dict(pair.split("=") for pair in NAMES_OF_STATES.split())

OPPOSITES = [
    *[("Open", "Closed"), ("SwitchedOn", "SwitchedOff"), ("PluggedIn", "Unplugged"), ("Clean", "Dirty")],
    *[("Free", "Occupied"), ("Full", "Empty"), ("Wet", "Dry"), ("Folded", "Unfolded"), ("Raw", "Cooked")],
    *[
        ("Hot", "Warm"),
        ("Hot", "Cold"),
        ("Warm", "Cold"),
        ("Frozen", "Melted"),
        ("Frozen", "Hot"),
        ("Sharp", "Blunt"),
    ],
    *[("HungUp", "TakenDown"), ("Broken", "Intact"), ("InHand", "PutDown"), ("MadeUp", "Unmade"), ("Happy", "Sad")],
    *[
        ("Combed", "Uncombed"),
        ("Shaved", "Unshaven"),
        ("Peeled", "Unpeeled"),
        ("Whole", "CutState"),
        ("Whole", "Sliced"),
    ],
]

# A word, its language, and the terms it names, the likeliest first.
WORDS = [
    ("bank", "en", ["EarthBank", "PiggyBank", "PowerBank"]),
    ("tablet", "en", ["Pill", "TabletComputer"]),
    ("mouse", "en", ["ComputerMouse", "HouseMouse"]),
    ("topo", "it", ["HouseMouse"]),
    ("glass", "en", ["Glass", "GlassPane", "Mirror", "Spectacles"]),
    ("glasses", "en", ["Spectacles", "Glass", "GlassPane", "Mirror"]),
    ("bed", "en", ["Bed", "FlowerBed", "BedLinen"]),
    ("aiuola", "it", ["FlowerBed"]),
    ("sink", "en", ["Sink", "KitchenSink", "Washbasin"]),
    ("lavandino", "it", ["KitchenSink", "Washbasin"]),
    ("light", "en", ["Light", "LightBulb", "LightSwitch", "RoomLighting"]),
    ("chips", "en", ["FrenchFries", "PotatoChips"]),
    ("pants", "en", ["Trousers", "Underwear"]),
    ("keyboard", "en", ["ComputerKeyboard", "MusicKeyboard"]),
    ("conditioner", "en", ["AirConditioner", "FabricSoftener", "HairConditioner"]),
    ("tape", "en", ["AdhesiveTape", "AudioCassette", "TapeMeasure"]),
    ("stamp", "en", ["PostageStamp", "RubberStamp"]),
    ("frigo", "it", ["Fridge"]),
    ("sofas", "en", ["Sofa"]),
    ("divani", "it", ["Sofa"]),
    ("refrigertor", "en", ["Fridge"]),
    ("open up", "en", ["OpenUp"]),
    ("accendere", "it", ["SwitchOn"]),
    ("sporco", "it", ["Dirty", "Dirt"]),
    ("unicorn", "en", []),
    ("spacecraft", "en", []),
]


@cache
def ontology() -> Graph:
    return read(PACK / "ontology.ttl")


@cache
def knowledge() -> Knowledge:
    return load(EDITION, ["household"])


def data(name: str) -> dict[str, list[str]]:
    """A file of the data set; the pack stands without it, so its tests are skipped where it is not at hand."""
    path = DATA / f"{name}.json"
    if not path.exists():
        pytest.skip("the data set is not at hand")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return {key: [value.strip() for value in values] for key, values in found.items()}


@cache
def noted() -> dict[str, URIRef]:
    """The classes by the name that the data set gives them."""
    return {str(name): term for term, name in ontology().subject_objects(SKOS.notation) if isinstance(term, URIRef)}


PROPERTIES = sorted(name for name in noted() if name.isupper())
CLASSES = sorted(set(noted()) - set(PROPERTIES))


def above(term: URIRef) -> set[URIRef]:
    """The class and all above it."""
    return {term} | {URIRef(each) for each in knowledge().schema.superclasses.get(str(term), ())}


def held(term: URIRef, predicate: URIRef) -> set[URIRef]:
    """What a class or one above it says by a property."""
    found = (value for each in above(term) for value in ontology().objects(each, predicate))
    return {value for value in found if isinstance(value, URIRef)}


def individuals(kind: URIRef) -> list[URIRef]:
    return sorted(each for each in ontology().subjects(RDF.type, kind) if isinstance(each, URIRef))


def local(terms: set[URIRef]) -> set[str]:
    return {str(term).removeprefix(str(HH)) for term in terms}


def test_the_classes_and_properties_of_the_data_set_are_all_there() -> None:
    """314 object classes and 23 properties, no more; and each name stands for one term."""
    assert (len(CLASSES), len(PROPERTIES)) == (314, 23)
    assert [name for name, count in Counter(ontology().objects(None, SKOS.notation)).items() if count > 1] == []
    of_data = data("properties_data")
    assert set(of_data) == set(CLASSES)
    assert {each for values in of_data.values() for each in values} == set(PROPERTIES)


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_property_of_the_data_set_grants_a_use(name: str) -> None:
    """The trait that carries it affords something, and never what is not declared."""
    uses = set(ontology().objects(noted()[name], DAC.affords)) | held(noted()[name], DAC.affords)
    assert uses
    assert {use for use in uses if str(use).startswith(str(HH))} <= set(individuals(DAC.Affordance))


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_has_the_properties_of_the_data_set(name: str) -> None:
    """Exactly those, and what the table above adds."""
    of_data = set(data("properties_data")[name])
    found = {each for each in PROPERTIES if noted()[each] in above(noted()[name])}
    assert found == of_data | ADDED.get(name, set())
    assert not ADDED.get(name, set()) & of_data


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_takes_the_states_of_the_data_set(name: str) -> None:
    """Every state but those the table above leaves out."""
    of_data = set(data("object_states").get(name, []))
    assert LEFT_OUT.get(name, set()) <= of_data
    of_data -= LEFT_OUT.get(name, set())
    wanted = {STATES[each] for each in of_data}
    if HH.Food in above(noted()[name]) and "full" in of_data and "empty" not in of_data:
        wanted = wanted - {"Full"} | {"Whole"}
    assert wanted <= local(held(noted()[name], HH.takesState))


def test_opposite_states_exclude_each_other() -> None:
    """Each pair, and nothing excludes itself; `dac:excludes` is symmetric once closed."""
    excluded = {(s, o) for s, p, o in knowledge().closure.facts if p == str(DAC.excludes)}
    for one, other in OPPOSITES:
        assert {(str(HH[one]), str(HH[other])), (str(HH[other]), str(HH[one]))} <= excluded
    assert [pair for pair in excluded if pair[0] == pair[1]] == []


@pytest.mark.parametrize("use", individuals(DAC.Affordance), ids=lambda use: use.removeprefix(str(HH)))
def test_a_use_is_granted_and_leads_to_a_state_that_can_be(use: URIRef) -> None:
    """Some class affords it; each that does takes the state it leads to, and that is not the state it requires."""
    granting = [each for each in ontology().subjects(DAC.affords, use) if isinstance(each, URIRef)]
    assert granting
    leads, requires = set(ontology().objects(use, DAC.leadsTo)), set(ontology().objects(use, DAC.requiresState))
    assert not leads & requires
    assert [each for each in granting if not leads <= held(each, HH.takesState)] == []
    (statement,) = ontology().objects(use, DAC.performedBy)
    assert leads or "{state}" not in str(statement)


def classes() -> list[URIRef]:
    return sorted(each for each in ontology().subjects(RDF.type, OWL.Class) if isinstance(each, URIRef))


def test_every_class_is_labelled_in_two_languages_and_has_synonyms() -> None:
    """English and Italian labels and at least one synonym in each."""
    faults = []
    for term in classes():
        for language in ("en", "it"):
            for predicate in (RDFS.label, SKOS.altLabel):
                names = [v for v in ontology().objects(term, predicate) if getattr(v, "language", "") == language]
                if not names or (predicate == RDFS.label and len(names) != 1):
                    faults.append((term, predicate, language))
    assert faults == []
    assert len(classes()) > 440


def test_every_definition_says_something_of_its_own() -> None:
    """A sentence of at least three words, with a full stop; no two terms share one, none is its label."""
    said = {
        term: str(text)
        for term, text in ontology().subject_objects(SKOS.definition)
        if isinstance(term, URIRef) and isinstance(text, Literal)
    }
    assert [term for term, text in said.items() if not re.fullmatch(r"[A-Z].{12,}\.", text)] == []
    assert [text for text, count in Counter(said.values()).items() if count > 1] == []
    assert [
        term for term, text in said.items() if text.rstrip(".").casefold() == knowledge().label(term).casefold()
    ] == []


@pytest.mark.parametrize("word, language, expected", WORDS, ids=lambda value: value if isinstance(value, str) else "")
def test_the_lexicon_finds_each_sense(word: str, language: str, expected: list[str]) -> None:
    """Every term the word names, the likeliest first, equals by name; nothing where there is none."""
    hits = knowledge().lexicon.find(word, language, limit=10)
    assert [hit.term.removeprefix(str(HH)) for hit in hits] == expected


@pytest.mark.parametrize(
    "one, other, clashes", [("Cat", "Dog", True), ("Kitchen", "Table", True), ("Sofa", "Couch", False)]
)
def test_what_can_never_be_both_clashes(one: str, other: str, clashes: bool) -> None:
    """A thing of two kinds that exclude each other is a contradiction; of two that are the same, none."""
    thing = "https://home.example/Thing"
    facts = [(thing, TYPE, str(HH[one])), (thing, TYPE, str(HH[other]))]
    assert bool(close([*knowledge().origin, *facts]).clashes) is clashes


def test_the_world_has_what_it_is_about() -> None:
    """60 things with owner and place, four Users, three sessions; every stated state is one the thing takes."""
    world = read(PACK / "worlds" / "Home7.ttl")
    things = set(world.subjects(MMM.at, None)) & set(world.subjects(MMM.owner, None))
    assert len(things) >= 60
    assert len(set(world.subjects(DAC.sessionID, None))) == 3
    assert len(set(world.subjects(MMM.human, None))) == 4
    for thing, state in world.subject_objects(DAC.state):
        kinds = [kind for kind in world.objects(thing, RDF.type) if isinstance(kind, URIRef)]
        assert any(state in held(kind, HH.takesState) for kind in kinds), (thing, state)


def test_the_rooms_of_the_world_are_nested_and_do_not_overlap() -> None:
    """A place lies within the box of the place around it; two with the same place around share no volume."""
    world = read(PACK / "worlds" / "Home7.ttl")
    boxes = {s: [float(number) for number in str(box).split()] for s, box in world.subject_objects(MMM.extent)}
    around = dict(world.subject_objects(MMM.within))
    assert set(around) <= set(boxes)
    for place, outer in around.items():
        inside = zip(boxes[place], boxes[outer], strict=True)
        assert all(one >= other if axis < 3 else one <= other for axis, (one, other) in enumerate(inside)), place
    for one, other in combinations(around, 2):
        if around[one] == around[other]:
            a, b = boxes[one], boxes[other]
            assert any(a[axis] >= b[axis + 3] or b[axis] >= a[axis + 3] for axis in range(3)), (one, other)


def test_groundings_are_calibrated_on_words_labelled_independently() -> None:
    """150 words the weights of grounding never saw: calibration error at most 0.1, nine of ten groundings right, and
    of the words that mean nothing here nine in ten not grounded."""
    words = read_terms(ROOT / "tests" / "grounding" / "independent.txt")
    assert len({(word.text, word.clues) for word in words}) == len(words) >= 150
    assert not {(word.text.casefold(), word.clues) for word in words} & {
        (word.text.casefold(), word.clues) for word in read_terms()
    }
    assert {meant for word in words for meant in word.meant} <= set(knowledge().classes)
    points = [outcome(word, FITTED) for word in words]
    grounded = [right for confidence, right in points if confidence >= THRESHOLD]
    nothing = [confidence for word, (confidence, _) in zip(words, points, strict=True) if not word.meant]
    assert calibration_error(points) <= 0.1
    assert sum(grounded) / len(grounded) >= 0.9
    assert len(nothing) >= 40
    assert sum(confidence < THRESHOLD for confidence in nothing) / len(nothing) >= 0.9
