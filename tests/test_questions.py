"""Competency questions: the runner sees what is wrong; tests/test_shipped.py asks those of the packs."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.authoring.questions import Question, questions
from app.errors import PackError
from tests.packs import EDITION, PACKS, ROOT

FILES = sorted(ROOT.glob("ontologies/*/questions/*"))
ASKED = [question for path in FILES for question in questions(path, EDITION, path.parents[1].name)]


def test_every_question_is_found() -> None:
    """As many as there are headings; each file lies in a pack and is TOML; no question expects nothing."""
    headings = sum(path.read_text(encoding="utf-8").splitlines().count("[[question]]") for path in FILES)
    assert len(ASKED) == headings >= 19
    assert {path.parents[1] for path in FILES} <= set(PACKS)
    assert {path.suffix for path in FILES} == {".toml"}
    assert [question.ask for question in ASKED if not question.rows] == []


def a_file(tmp_path: Path, text: str) -> Path:
    """A file of questions in a folder of its own."""
    folder = tmp_path / "questions"
    folder.mkdir()
    path = folder / "some.toml"
    path.write_text(text, encoding="utf-8")
    return path


ONE = '[[question]]\nask = "a"\nquery = "SELECT ?x WHERE { ?x a owl:Ontology }"\nrows = []\n'
FAULTS = {
    "no TOML": ("[[question]\n", "no TOML"),
    "another heading": ("[[questions]]\n", "`[[question]]`"),
    "a key that nothing reads": (ONE + "row = []\n", "nothing reads `row`"),
    "no query": ('[[question]]\nask = "a"\nrows = []\n', "`query` must be a text"),
    "rows that are no texts": (ONE.replace("rows = []", "rows = [[1]]"), "list of lists"),
    "a world that is not there": (ONE + 'world = "Nowhere"\n', "no world `Nowhere`"),
    "two of one name": (ONE + ONE, "asked 2 times"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_file_is_refused(name: str, tmp_path: Path) -> None:
    """Each with its place and what is wrong."""
    text, expected = FAULTS[name]
    with pytest.raises(PackError, match=r"some\.toml") as raised:
        questions(a_file(tmp_path, text), EDITION, "household")
    assert any(expected in fault.message for fault in raised.value.faults)


def test_a_row_lacking_and_a_row_too_many_are_told() -> None:
    """Both, each in words; an inferred fact counts."""
    query = "SELECT ?k WHERE { household:Beer rdfs:subClassOf ?k . ?k rdfs:subClassOf? household:Beverage }"
    expected = (("household:Alcohol",), ("household:Tea",))
    asked = Question(EDITION, "household", "what is beer?", query, expected)
    assert asked.mismatches() == ["lacking: household:Tea", "too much: household:Beverage"]


@pytest.mark.parametrize(
    "query", ["SELECT ?x WHERE {", "ASK { ?x a owl:Class }", "SELECT ?x WHERE { ?x a nowhere:C }"]
)
def test_what_is_no_select_is_refused(query: str) -> None:
    """With the question it belongs to."""
    with pytest.raises(PackError, match="what is wrong"):
        Question(EDITION, "household", "what is wrong?", query, ()).mismatches()
