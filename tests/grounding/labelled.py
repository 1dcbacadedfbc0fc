"""The labelled words of tests/grounding/terms.txt: read, split, and what grounding makes of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from app.kinds.grounding import Calibration, Candidate, Clues, candidates, weigh, words_around
from app.knowledge import Knowledge, load
from tests.packs import EDITION

ROOT = Path(__file__).parents[2]
TERMS = Path(__file__).with_name("terms.txt")
_HOME = "https://w3id.org/domain-access/"


@dataclass(frozen=True)
class Labelled:
    """A word, its clues as written, the classes meant (none: nothing here), and what makes it hard."""

    text: str
    clues: str
    meant: tuple[str, ...]
    trap: str

    @property
    def held_out(self) -> bool:
        """Every third, by its text and clues: never used for fitting."""
        return int(sha256(f"{self.text}|{self.clues}".encode()).hexdigest(), 16) % 3 == 0


def class_iri(name: str) -> str:
    pack, _, local = name.rpartition(":")
    return f"{_HOME}{pack or 'household'}#{local}"


def read_terms(path: Path = TERMS) -> tuple[Labelled, ...]:
    """Every labelled word of the file."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            text, clues, meant, trap = (part.strip() for part in line.split("|"))
            classes = () if meant == "-" else tuple(class_iri(name) for name in meant.split("/"))
            found.append(Labelled(text, clues, classes, trap))
    return tuple(found)


@cache
def household() -> Knowledge:
    """The vocabulary the words are labelled for."""
    return load(EDITION, ["household"])


def clues_of(each: Labelled, knowledge: Knowledge) -> Clues:
    """The clues as a Request would give them."""
    rest, _, question = each.clues.partition("q=")
    given: dict[str, list[str]] = {}
    for part in rest.split():
        name, _, value = part.partition("=")
        given.setdefault(name, []).append(value if name == "lang" else class_iri(value))
    language = given.get("lang", ["en"])[0]

    def wide(name: str) -> frozenset[str]:
        return frozenset(
            c for each in given.get(name, ()) for c in (each, *knowledge.schema.superclasses.get(each, ()))
        )

    around = [iri for name in ("entity", "space", "said") for iri in given.get(name, ())]
    return Clues(
        hint=given.get("hint", [None])[0],
        asked=wide("entity"),
        places=wide("space"),
        there=wide("there"),
        said=wide("said"),
        words=words_around(question, (), around, knowledge, language),
        language=language,
    )


@cache
def found(each: Labelled) -> tuple[Candidate, ...]:
    """The candidates of a labelled word."""
    return candidates(each.text, clues_of(each, household()), household())


def outcome(each: Labelled, calibration: Calibration) -> tuple[float, float]:
    """The Confidence of the likeliest sense and whether it is right: one of several that nobody can tell apart is
    right in its share of cases. (0, 0) where nothing is found.
    """
    senses = weigh(found(each), calibration)
    if not senses:
        return (0.0, 0.0)
    best = senses[0]
    return (best.confidence, 1 / len(each.meant) if best.term in each.meant else 0.0)
