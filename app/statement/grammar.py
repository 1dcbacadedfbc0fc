"""The names a parser knows. They are data: Action files and the labels of the vocabulary, read once at load."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from app.errors import Code, Fault, PackError
from app.statement.tokens import RESERVED, words


@dataclass(frozen=True, slots=True)
class ActionForm:
    """The name of an Action file and the older names that are read as it (Inform for Discover)."""

    name: str
    older: tuple[str, ...] = ()


class Form(NamedTuple):
    """One way to write an Action: the words after the first, in lower case, and what they stand for."""

    rest: tuple[str, ...]
    action: str
    older: str
    third: bool
    length: int


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    """What `parse` needs to know of the vocabulary; built by `Grammar.of`, immutable and shared."""

    forms: Mapping[str, tuple[Form, ...]]
    """The ways to write each Action by first word, the longest first."""
    labels: Mapping[str, tuple[tuple[str, ...], ...]]
    """The words of each label by first word, the longest first."""
    joined: frozenset[str]
    """The labels written as one word: `personaldata`."""
    names: tuple[str, ...]
    """Every Action name and third person, for nearest names."""

    @classmethod
    def of(cls, actions: Iterable[ActionForm], labels: Iterable[str] = ()) -> Grammar:
        """Derive all spellings: third person, and `PropertyChange` beside `Property Change`.

        A label is left out if it begins with a reserved word or a deontic verb, or holds other than words: it cannot
        be written.
        Raises PackError for every name that is none or that two Actions claim.
        """
        known = tuple(actions)
        faults: list[Fault] = []
        spelled: dict[tuple[str, ...], tuple[str, Form]] = {}
        # Canonical names first: where an older name is the present name of another Action, the present one holds.
        named = [(a.name, a.name, "") for a in known]
        named += [(a.name, older, older) for a in known for older in a.older]
        for action, name, older in named:
            for spelling, third in _spellings(name):
                key = words(spelling)
                if key is None or key[0] in RESERVED:
                    faults.append(_fault(f"`{name}` cannot be the name of an Action"))
                    break
                form = Form(key[1:], action, older, third, len(key))
                held = spelled.setdefault(key, (spelling, form))[1]
                if held.action != action and (held.older or not older):
                    faults.append(_fault(f"`{name}` is claimed by the Actions `{held.action}` and `{action}`"))
                    break
        if faults:
            raise PackError(*faults)

        by_first: dict[str, list[Form]] = {}
        for key in sorted(spelled, key=len, reverse=True):
            by_first.setdefault(key[0], []).append(spelled[key][1])
        sequences = {
            key for label in labels if (key := words(label)) is not None and key[0] not in RESERVED | {"may", "must"}
        }
        label_by_first: dict[str, list[tuple[str, ...]]] = {}
        for key in sorted(sequences, key=lambda key: (-len(key), key)):
            label_by_first.setdefault(key[0], []).append(key)
        return cls(
            forms={first: tuple(forms) for first, forms in by_first.items()},
            labels={first: tuple(keys) for first, keys in label_by_first.items()},
            joined=frozenset("".join(key) for key in sequences),
            names=tuple(spelling for spelling, _ in spelled.values()),
        )

    def with_labels(self, labels: Iterable[str]) -> Grammar:
        """The same with further labels: phrases that a dialogue agreed on."""
        keys = {key for label in labels if (key := words(label)) is not None and key[0] not in RESERVED}
        by_first = {first: set(held) for first, held in self.labels.items()}
        for key in keys:
            by_first.setdefault(key[0], set()).add(key)
        changed = {key[0] for key in keys}
        ordered = {
            first: tuple(sorted(by_first[first], key=lambda key: (-len(key), key))) if first in changed else held
            for first, held in {**dict.fromkeys(changed, ()), **self.labels}.items()
        }
        return replace(self, labels=ordered, joined=self.joined | {"".join(key) for key in keys})


def third_person(name: str) -> str:
    """The verb after a Process: Identify, Identifies; MM-Move, MM-Moves; Property Change, Property Changes."""
    low = name.lower()
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return name[:-1] + "ies"
    return name + ("es" if low.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def _spellings(name: str) -> list[tuple[str, bool]]:
    """Every way to write a name, and whether it is third person."""
    forms = [(name, False), (third_person(name), True)]
    return forms + [(spelling.replace(" ", ""), third) for spelling, third in forms if " " in spelling]


def _fault(message: str) -> Fault:
    return Fault(Code.PACK_MEMBER, message)
