"""Ontologies of others, as packages of the index carry them: `check` survives them, and what it finds is so.

Each finding named here was looked up in the file. A package that is not installed is passed over: brickschema comes
with the group `bench`, pyLODE with neither.
"""

from __future__ import annotations

import gzip
from importlib.util import find_spec
from pathlib import Path

import pytest

from app.authoring.check import check_file
from app.authoring.problems import Report, Severity
from tests.packs import EDITION

# package, file, triples, the errors as code and words, and warnings that must be among those told
REAL = {
    "SIO": (
        "rustdl",
        "data/sio.owl.gz",
        14_675,
        set(),
        {("inverse_of_itself", "SIO_001098"), ("label_shared", "`satisfaction`")},
    ),
    "pizza": ("rustdl", "data/pizza.owl.gz", 1_219, set(), {("label_shared", "proofed dough role")}),
    "SULO": ("rustdl", "data/sulo.owl.gz", 374, set(), set()),
    "Dublin Core": ("owlready2", "ontos/dc.owl", 69, set(), set()),
    "DCMI terms": ("owlready2", "ontos/dcterms.owl", 476, set(), {("class_as_individual", "AgentClass")}),
    "schema.org": (
        "pyshacl",
        "assets/schema.ttl",
        23_877,
        {("undeclared_term", "schema.org/isPartOf"), ("undeclared_term", "schema.org/source"),
         ("undeclared_term", "schema.org/supersededBy"), ("undeclared_term", "schema.org/sameAs")},
        set(),
    ),
    "DASH": (
        "pyshacl",
        "assets/dash.ttl",
        1_368,
        {("undeclared_term", "nonRecursive")},
        {("definition_repeats_label", "`The width.`")},
    ),
    "SHACL": ("pyshacl", "assets/shacl.ttl", 1_128, set(), set()),
    "Brick": (
        "brickschema",
        "ontologies/1.5/Brick.ttl",
        62_083,
        set(),
        {("synonym_class", "AHU"), ("definition_shared", "Chilled_Water_Circulator_Pump")},
    ),
    "PROV-O": (
        "pylode",
        "rdf/prov.ttl",
        1_789,
        set(),
        {("several_domains", "prov#dictionary"), ("inverse_of_itself", "alternateOf"), ("label_shared", "pairKey")},
    ),
}  # fmt: skip


def reported(name: str, folder: Path) -> Report:
    """What `check` says of an ontology, unpacked where it is packed; logic has tests of its own."""
    package, file, *_ = REAL[name]
    found = find_spec(package)
    if found is None or found.origin is None:
        pytest.skip(f"{package} is not installed")
    path = Path(found.origin).parent / file
    if path.suffix == ".gz":
        unpacked = folder / path.stem
        unpacked.write_bytes(gzip.decompress(path.read_bytes()))
        path = unpacked
    return check_file(EDITION, path, skip={"logic", "profile"})


@pytest.mark.parametrize("name", REAL)
def test_what_is_found_is_so(name: str, tmp_path: Path) -> None:
    """Every triple is read, every step done; the errors are those that the file has."""
    _, _, triples, errors, warned = REAL[name]
    report = reported(name, tmp_path)
    assert not report.not_done
    assert report.steps[0].counts["triples"] == triples
    told = [p for p in report.problems if p.check.severity is Severity.ERROR]
    assert all(any(p.check.code == code and words in p.message for code, words in errors) for p in told)
    for code, words in errors | warned:
        assert any(p.check.code == code and words in p.message for p in report.problems), (code, words)
    placed = [p for p in report.problems if p.line]
    assert len(placed) == sum(1 for _ in report.problems)
