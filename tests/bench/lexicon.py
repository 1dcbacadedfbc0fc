"""A term grounded among 10,000 labels, beside plain rapidfuzz over all of them: how fast, and how often right.

The labels are made up by a seeded generator; where the WordNet 3.0 files of Debian's wordnet-base are installed there
is a second row with 10,000 of its nouns. What is asked is a label spoilt in one way: the sort says how.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Final, TypeAlias

from rapidfuzz import fuzz, process
from rapidfuzz.utils import default_process

from app.lexicon import Entry, Lexicon
from tests.bench.measure import Contender, Figure, Ratio, Round, Row, Scale, race, ratio, timed

LABELS: Final = 10_000
_NOUNS: Final = Path("/usr/share/wordnet/data.noun")
_SLOW: Final = 10  # WRatio gets a part of the questions: each takes milliseconds
_OURS, _RATIO, _WRATIO = "lexicon", "rapidfuzz ratio", "rapidfuzz WRatio"
_WITHIN: Final = {"exact": "1 ms", "typo": "5 ms", "typo and word order": "5 ms", "absent": "5 ms"}

Find: TypeAlias = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Question:
    """A text, and the label it was made from; empty where it was made from none."""

    text: str
    label: str


def rows(scale: Scale) -> list[Row]:
    """A row for each set of labels."""
    found = [_row("made-up labels", made_up(LABELS, Random(11)), scale)]
    if _NOUNS.exists():
        found.append(_row("nouns of WordNet", _nouns(), scale))
    return found


def made_up(number: int, random: Random) -> list[str]:
    """Different labels of one to three pronounceable words; the same word stands in many of them."""
    vocabulary = sorted({_word(random) for _ in range(number)})
    random.shuffle(vocabulary)
    common = vocabulary[:400]
    found: dict[str, None] = {}
    while len(found) < number:
        first = [random.choice(vocabulary) for _ in range(random.choice((0, 0, 1)))]
        found[" ".join([*first, *random.sample(common, len(first) and 1), random.choice(vocabulary)])] = None
    return list(found)


def questions(sort: str, labels: Sequence[str], number: int, random: Random) -> list[Question]:
    """Labels spoilt in one way."""
    if sort == "absent":
        known = {word for label in labels for word in label.split()}
        words = (_word(random) + _word(random) for _ in range(number))
        return [Question(word, "") for word in words if word not in known]
    fit = [label for label in labels if " " in label or "order" not in sort]
    return [Question(_SPOILT[sort](label, random), label) for label in (random.choice(fit) for _ in range(number))]


def _row(title: str, labels: list[str], scale: Scale) -> Row:
    begun = perf_counter()
    lexicon = Lexicon.of(Entry(label, label, "en") for label in labels)
    built = perf_counter() - begun
    folded = [default_process(label) for label in labels]
    finders: Mapping[str, Find] = {
        _OURS: partial(_ours, lexicon),
        _RATIO: partial(_plain, labels, folded, fuzz.ratio),
        _WRATIO: partial(_plain, labels, folded, fuzz.WRatio),
    }
    contenders, notes = (
        [],
        [
            f"{len(labels)} labels, built in {built:.2f} s",
            "stems are kept after the first round",
            "hit@1 / hit@5 in %:",
        ],
    )
    for sort in (*_SPOILT, "absent"):
        asked = questions(sort, labels, scale.operations, Random(sort))
        said = []
        for name, find in finders.items():
            some = asked[: -(-len(asked) // _SLOW)] if name == _WRATIO else asked
            contenders.append(Contender(f"{sort}: {name}", partial(_run, find, some)))
            said.append(f"{name} {_right(find, some)}")
        notes.append(f"{sort}: {', '.join(said)}")
    figures = race(contenders, scale.rounds)
    return Row(f"one term grounded among {title}", figures, tuple(_ratios(figures)), tuple(notes))


def _run(find: Find, asked: Sequence[Question], _: int) -> Round:
    return timed([partial(find, question.text) for question in asked])


def _ratios(figures: Sequence[Figure]) -> Iterator[Ratio]:
    named = {figure.name: figure for figure in figures}
    for sort in (*_SPOILT, "absent"):
        target = f"p50 within {_WITHIN[sort]}" if sort in _WITHIN else ""
        yield ratio(f"{sort}: lexicon / ratio", named[f"{sort}: {_OURS}"], named[f"{sort}: {_RATIO}"], target)


def _ours(lexicon: Lexicon, text: str) -> list[str]:
    return [hit.term for hit in lexicon.find(text)]


def _plain(labels: Sequence[str], folded: Sequence[str], scorer: Callable[..., float], text: str) -> list[str]:
    """Both sides in rapidfuzz's own form: small letters and spaces; that of the labels is made once."""
    found = process.extract(default_process(text), folded, scorer=scorer, limit=5, score_cutoff=60)
    return [labels[at] for _, _, at in found]


def _right(find: Find, asked: Sequence[Question]) -> str:
    """For absent terms: how often nothing was found."""
    found = [(question.label, list(find(question.text))) for question in asked]
    if not any(label for label, _ in found):
        return f"{_percent(not hits for _, hits in found)} nothing"
    return (
        f"{_percent(label in hits[:1] for label, hits in found)}/{_percent(label in hits for label, hits in found)}"
    )


def _percent(right: Iterator[bool]) -> str:
    known = list(right)
    return f"{100 * sum(known) / len(known):.0f}"


def _word(random: Random) -> str:
    syllables = (
        "".join((random.choice("bcdfglmnprstv"), random.choice("aeiou"))) for _ in range(random.randint(2, 4))
    )
    return "".join(syllables) + random.choice(("", "l", "n", "r", "t", "nt", "ck"))


def _plural(label: str, _: Random) -> str:
    return f"{label}es" if label.endswith(("s", "x", "ch", "sh")) else f"{label}s"


def _typo(label: str, random: Random) -> str:
    """One random edit inside the longest word: a letter left out, doubled, replaced by any, or two swapped."""
    word = max(label.split(), key=len)
    at = random.randrange(len(word) - 1)
    spoilt = random.choice(
        (
            word[:at] + word[at + 1 :],
            word[: at + 1] + word[at:],
            word[:at] + random.choice("abcdefghijklmnopqrstuvwxyz") + word[at + 1 :],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        )
    )
    return label.replace(word, spoilt, 1)


def _turned(label: str, _: Random) -> str:
    first, *others = label.split()
    return " ".join([*others, first])


_SPOILT: Final[Mapping[str, Callable[[str, Random], str]]] = {
    "exact": lambda label, _: label,
    "case and hyphens": lambda label, _: label.upper().replace(" ", "-"),
    "plural": _plural,
    "word order": _turned,
    "typo": _typo,
    "typo and word order": lambda label, random: _turned(_typo(label, random), random),
}


def _nouns() -> list[str]:
    """The first word of each of the nouns drawn, of four letters or more."""
    lines = _NOUNS.read_text(encoding="ascii").splitlines()
    found = sorted({line.split()[4].replace("_", " ") for line in lines if not line.startswith(" ")})
    return Random(12).sample([noun for noun in found if len(noun) > 3 and noun.isascii()], LABELS)
