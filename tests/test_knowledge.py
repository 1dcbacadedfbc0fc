"""Packs that are read together: what contradicts itself is refused with what contradicts what; nodes stay apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.edition import Edition
from app.errors import Code, PackError
from app.knowledge import Knowledge, load
from app.vocab import PREFIXES

HEADER = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in {**PREFIXES, "": "urn:t:"}.items())


def loaded(folder: Path, **ontologies: str) -> Knowledge:
    """Packs of these names, from their Turtle."""
    for name, turtle in ontologies.items():
        (folder / name).mkdir()
        text = f'name = "{name}"\nversion = "1.0.0"\ntitle = "{name}"\nlicence = ""\nsources = []\nrequires = []\n'
        (folder / name / "pack.toml").write_text(text, encoding="utf-8")
        (folder / name / "ontology.ttl").write_text(HEADER + turtle, encoding="utf-8")
    return load(Edition(folder, folder), [name for name in ontologies if name != "core"])


def test_packs_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    """Each contradiction is told, with the facts that its author can change and the packs they stand in."""
    with pytest.raises(PackError) as raised:
        loaded(
            tmp_path,
            core="mmm:Human owl:disjointWith mmm:User . mmm:p rdfs:range mmm:User .",
            one="mmm:Boss rdfs:subClassOf mmm:Human . mmm:x a mmm:Boss . mmm:y mmm:p mmm:x .",
            two="mmm:z mmm:q 1 . mmm:q a owl:FunctionalProperty . mmm:z mmm:q 2 .",
        )
    disjoint = (
        *("mmm:Boss rdfs:subClassOf mmm:Human", "mmm:Human owl:disjointWith mmm:User", "mmm:p rdfs:range mmm:User"),
        *("mmm:x rdf:type mmm:Boss", "mmm:y mmm:p mmm:x"),
    )
    different = ("mmm:q rdf:type owl:FunctionalProperty", 'mmm:z mmm:q "1"', 'mmm:z mmm:q "2"')
    assert [(fault.code, fault.message, fault.where) for fault in raised.value.faults] == [
        (Code.PACK_INCONSISTENT, f"by {rule}, these contradict each other: {'; '.join(facts)}", where)
        for rule, facts, where in (
            ("cax-dw", disjoint, "core@1.0.0, one@1.0.0"),
            ("dt-diff", different, "two@1.0.0"),
        )
    ]


@pytest.mark.parametrize("value", ["'-1'^^xsd:nonNegativeInteger", "'tomorrow'^^xsd:dateTime", "'yes'^^xsd:boolean"])
def test_a_literal_without_a_value_is_refused(value: str, tmp_path: Path) -> None:
    with pytest.raises(PackError, match="dt-not-type"):
        loaded(tmp_path, core=f"mmm:x mmm:p {value} .")


def test_nodes_of_two_packs_are_two_even_where_they_are_labelled_alike(tmp_path: Path) -> None:
    """Neither pack's list becomes a part of the other's."""
    union = "mmm:{0} a owl:Class ; owl:unionOf _:l . _:l rdf:first mmm:{1} ; rdf:rest () . mmm:{1} a owl:Class ."
    known = loaded(tmp_path, core="", one=union.format("A", "X"), two=union.format("B", "Y"))
    mmm = PREFIXES["mmm"]
    assert dict(known.schema.superclasses) == {mmm + "X": (mmm + "A",), mmm + "Y": (mmm + "B",)}
