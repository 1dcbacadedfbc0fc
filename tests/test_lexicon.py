"""The lexicon: what words mean by the names of the core pack and by names of a case's own; `domain-access ground`."""

from __future__ import annotations

import json
import threading
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from app.cli import main
from app.knowledge import Knowledge, load
from app.lexicon import Entry, Evidence, Lexicon, NameKind
from app.vocab import MMM
from tests.packs import EDITION
from tests.processes import stand_alone

ROOT = Path(__file__).resolve().parents[1]


def read(name: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / "tests" / "lexicon" / f"{name}.toml").read_text(encoding="utf-8"))


CORE: Mapping[str, Mapping[str, str]] = {key: found for key, found in read("core").items() if key != "none"}
FOUND = [(evidence, asked, name) for evidence, cases in CORE.items() for asked, name in cases.items()]
ABSENT = [(sort, asked) for sort, texts in read("core")["none"].items() for asked in texts]
SMALL = read("small")["case"]


@cache
def knowledge() -> Knowledge:
    return load(EDITION, ["friends_meet"])


def entry(text: str) -> Entry:
    """`text@language`, a label of a term of the same name."""
    name, _, language = text.partition("@")
    return Entry(text, name, language)


def test_the_cases_are_all_there() -> None:
    assert (len(FOUND), len(ABSENT), len(SMALL)) == (132, 58, 31)
    assert list(CORE) == [each.value for each in Evidence]


@pytest.mark.parametrize("evidence, asked, name", FOUND, ids=[f"{e}:{a}" for e, a, _ in FOUND])
def test_a_text_finds_its_class_first(evidence: str, asked: str, name: str) -> None:
    hits = knowledge().lexicon.find(asked, among=knowledge().classes)
    assert hits, "nothing was found"
    assert (hits[0].term, hits[0].evidence.value) == (MMM + name, evidence)


@pytest.mark.parametrize("sort, asked", ABSENT, ids=[f"{s}:{a}" for s, a in ABSENT])
def test_a_text_that_names_no_class_finds_none(sort: str, asked: str) -> None:
    assert knowledge().lexicon.find(asked, among=knowledge().classes) == ()


@pytest.mark.parametrize("case", SMALL, ids=[each["name"] for each in SMALL])
def test_a_case_with_names_of_its_own(case: dict[str, Any]) -> None:
    lexicon = Lexicon.of(map(entry, case["names"]))
    hits = lexicon.find(case["ask"], case.get("language"))
    assert (hits[0].term if hits else "") == case["finds"], hits
    assert "evidence" not in case or hits[0].evidence.value == case["evidence"]


def test_a_hit_says_what_was_compared() -> None:
    (hit,) = Lexicon.of([Entry("urn:place", "Place", "en")]).find("Plcae")
    assert (hit.term, hit.text, hit.language, hit.kind) == ("urn:place", "Place", "en", NameKind.LABEL)
    assert (hit.evidence, hit.asked, hit.compared, hit.score) == (Evidence.TYPING, "plcae", "place", 0.64)


def test_a_label_goes_before_a_local_name_and_that_before_a_synonym() -> None:
    kinds = (NameKind.SYNONYM, NameKind.LOCAL_NAME, NameKind.LABEL)
    hits = Lexicon.of(Entry(f"urn:{kind.value}", "Place", "en", kind) for kind in kinds).find("place")
    assert [hit.kind for hit in hits] == [NameKind.LABEL, NameKind.LOCAL_NAME, NameKind.SYNONYM]


def test_a_term_is_found_once_by_its_strongest_name() -> None:
    lexicon = Lexicon.of([Entry("urn:m", "M-Location", "en"), Entry("urn:m", "MLocation", "", NameKind.LOCAL_NAME)])
    assert [hit.text for hit in lexicon.find("MLocation")] == ["MLocation"]
    assert [hit.text for hit in lexicon.find("m location")] == ["M-Location"]


def test_homonyms_are_all_found_up_to_the_limit() -> None:
    lexicon = Lexicon.of(Entry(f"urn:{n}", "bank", "en") for n in range(9))
    assert [hit.term for hit in lexicon.find("banks", limit=3)] == ["urn:0", "urn:1", "urn:2"]


def test_a_lower_threshold_finds_less_certain_names() -> None:
    lexicon = Lexicon.of([Entry("urn:e", "Steam Engine", "en"), Entry("urn:d", "Diesel Engine", "en")])
    assert lexicon.find("steam locomotive") == ()
    assert [hit.term for hit in lexicon.find("steam locomotive", threshold=0.3)] == ["urn:e"]


def test_an_empty_lexicon_finds_nothing() -> None:
    assert (Lexicon.of([]).find("Place"), Lexicon.of([]).spans("a Place")) == ((), ())


@pytest.mark.parametrize("text", ["x" * 8_000, "Item " * 1_600, "\U0001f6aa" * 8_000, "\0" * 8_000, "a-" * 4_000])
def test_eight_thousand_characters_name_nothing(text: str) -> None:
    assert knowledge().lexicon.find(text, among=knowledge().classes) == ()


def test_a_name_among_eight_thousand_spaces_is_found() -> None:
    assert knowledge().lexicon.find(" " * 4_000 + "Item" + " " * 4_000)[0].evidence is Evidence.EXACT


@pytest.mark.parametrize(
    "sentence, named",
    [
        ("May the User move the Persona?", {"User": "User", "Persona": "Persona"}),
        ("Is personal data kept at the M-Location?", {"personal data": "PersonalData", "M-Location": "MLocation"}),
        ("three r-items here", {"r-items": "RItem"}),
        ("I sent messages from MLocations", {"messages": "Message", "MLocations": "MLocation"}),
        ("dove sono i profili personali degli utenti", {"profili personali": "PersonalProfile", "utenti": "User"}),
        ("the user's wallet", {"user's": "User", "wallet": "Wallet"}),
        ("nothing of the kind", {}),
        ("Acoustic Profile Profile", {"Acoustic Profile": "AcousticProfile", "Profile": "Profile"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_sentence_is_cut_at_the_longest_names(sentence: str, named: dict[str, str]) -> None:
    spans = knowledge().lexicon.spans(sentence)
    classes = {s.text: [h.term for h in s.hits if h.term in knowledge().classes][:1] for s in spans}
    assert {text: found for text, found in classes.items() if found} == {t: [MMM + name] for t, name in named.items()}
    assert all(sentence[span.start : span.end] == span.text for span in spans)


def test_small_words_are_no_names_inside_a_sentence_unless_so_written() -> None:
    lexicon = Lexicon.of([Entry("urn:it", "IT", "en"), Entry("urn:at", "At", "en")])
    assert lexicon.spans("it is at home") == ()
    assert [span.text for span in lexicon.spans("At home with IT")] == ["At", "IT"]


def test_threads_find_the_same() -> None:
    """A stemmer has a state; two threads that shared one would find each other's stems."""
    words = [f"{text}s" for text in ("place", "emotion", "wallet", "message", "currencie", "trajectorie")]
    lexicon = Lexicon.of(Entry(word, word, "en") for word in words)
    asked = [f"{word[:-1]}{ending}" for word in words for ending in ("", "d", "ing")]
    expected = [lexicon.find(text) for text in asked]
    found: list[bool] = []

    def ask() -> None:
        found.append([lexicon.find(text) for text in asked] == expected)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [True] * 4


# domain-access ground


def ground(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["ground", *arguments])


@pytest.fixture(autouse=True)
def no_settings_of_the_caller(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stand_alone(monkeypatch, tmp_path)


def test_ground_shows_class_label_evidence_and_score() -> None:
    done = ground("m location", "utenti")
    assert done.exit_code == 0
    rows = [" ".join(line.split()) for line in done.stdout.splitlines() if "mmm:" in line]
    assert rows == [
        "m location mmm:MLocation M-Location normalised: label `M-Location` (en) 0.95",
        "utenti mmm:User User inflected: label `Utente` (it) 0.90",
    ]


@pytest.mark.parametrize("terms", [("banana",), ("Item", "banana"), ("",), ("\x1b[31m",), ("🚪",)])
def test_ground_ends_with_one_where_a_term_names_nothing(terms: tuple[str, ...]) -> None:
    done = ground(*terms)
    assert (done.exit_code, "nothing is near enough" in done.stdout, "\x1b" in done.stdout) == (1, True, False)


def test_ground_without_a_term_is_wrong_usage() -> None:
    assert ground().exit_code == 2


def test_ground_prints_the_hits_as_json() -> None:
    done = ground("--json", "--language", "it", "banana", "diritto")
    found = json.loads(done.stdout)
    assert (done.exit_code, found["banana"]) == (1, [])
    assert found["diritto"] == [
        {
            "class": MMM + "Rights",
            "label": "Rights",
            "name": "Diritti",
            "language": "it",
            "kind": "label",
            "evidence": "inflected",
            "score": 0.9,
            "compared": ["diritt", "diritt"],
        }
    ]


def test_ground_names_the_served_m_instances_where_one_is_unknown() -> None:
    done = ground("--m-instance", "MI9", "--json", "Item")
    assert (done.exit_code, json.loads(done.stdout)["errors"][0]["hint"]) == (4, "served: `MI1`")


def test_the_examples_of_the_help_are_grounded() -> None:
    shown = ground("--help").stdout
    assert shown.count("  domain-access ground ") == 3
    assert ground("m location", "Plcae").exit_code == 0
    assert ground("--language", "it", "utenti", "profilo personale").exit_code == 0
    assert ground("--json", "R-Items").exit_code == 0
