"""Shapes as answers tell them: each component has words; our packs' are in two languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.edition import Edition
from app.errors import PackError
from app.evaluate import Names
from app.facts import Facts
from app.kinds.phrases import PHRASES
from app.kinds.shape_words import sentences
from app.kinds.wording import Speech
from app.knowledge import SHAPES, load, read_turtle
from app.shapes import COMPONENTS, Shape, Stated, read_shapes
from tests.packs import EDITION, ROOT

ONTOLOGIES = ROOT / "ontologies"
HEAD = """@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix : <urn:x#> .
"""


def shapes(text: str) -> list[Stated]:
    return list(read_shapes(read_turtle(Path("x.ttl"), HEAD + text), "x@1"))


@pytest.mark.parametrize("language", PHRASES)
def test_every_component_has_words(language: str) -> None:
    told = {name.removeprefix("shape_") for name in PHRASES[language] if name.startswith("shape_")}
    made_of_others = {"qualifiedValueShape"}
    assert told - {"subjects", "objects", "count", "qualifiedCount"} == set(COMPONENTS) - made_of_others


def all_shapes(shape: Shape) -> list[Shape]:
    return [shape, *(inner for each in shape.properties for inner in all_shapes(each))]


def test_the_messages_of_our_packs_are_in_english_and_italian() -> None:
    knowledge = load(EDITION, EDITION.names())
    said = [each.messages for stated in knowledge.shapes for each in all_shapes(stated.shape) if each.messages]
    assert len(said) >= 27
    assert [each for each in said if {text.lang for text in each} != {"en", "it"}] == []


def test_a_class_that_is_a_shape_is_its_own_target() -> None:
    (stated,) = shapes(":C a owl:Class , sh:NodeShape ; sh:property [ sh:path :p ; sh:minCount 1 ] .")
    assert (stated.target, stated.of.rpartition("#")[2]) == ("urn:x#C", "targetClass")


def test_what_is_hostile_ends() -> None:
    """A shape and a path within themselves, a list that never ends, values of the wrong kind."""
    found = shapes(
        ":A sh:targetClass :C ; sh:property :P ; sh:node :A ; sh:in :list ; sh:minCount :x ; sh:or 3 .\n"
        ":P sh:path _:p ; sh:maxCount 1 ; sh:property :P , :A .\n"
        "_:p sh:inversePath _:q . _:q sh:inversePath _:p , :b . :list rdf:first 1 ; rdf:rest :list ."
    )
    assert [each.iri for each in found] == ["urn:x#A"]
    knowledge = load(EDITION, ())
    facts = Facts({}, vocabulary=knowledge.vocabulary, schema=knowledge.schema, inverses=frozenset())
    speech = Speech("en", knowledge, Names("urn:y/", knowledge), facts)
    said = list(sentences(found[0], speech))
    assert said == ["C: at least x, one of 1.", 'C: "b" at most 1.']


def test_shapes_that_are_no_turtle_are_refused_with_their_place(tmp_path: Path) -> None:
    for name in ("core",):
        (tmp_path / name).symlink_to(ONTOLOGIES / name, target_is_directory=True)
    pack = tmp_path / "odd"
    pack.mkdir()
    (pack / "pack.toml").write_text('name = "odd"\nversion = "1"\ntitle = "t"\n')
    (pack / "ontology.ttl").write_text("")
    (pack / SHAPES).write_text("\n:x")
    with pytest.raises(PackError) as caught:
        load(Edition(tmp_path, EDITION.rules), ["odd"])
    assert f"{SHAPES}:2" in caught.value.faults[0].where
