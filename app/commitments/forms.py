"""What a commitment says once it is read (SEMANTICS 9)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.evaluate.agreed import Norm
from app.model import Triple


class Form(StrEnum):
    """How a commitment was read; what is stored and reported as its form."""

    STATEMENT = "statement"
    TRIPLE = "triple"
    ENGLISH = "english"
    TEXT = "text"

    @property
    def said(self) -> str:
        """For a reader."""
        return _SAID[self]


_SAID = {
    Form.STATEMENT: "a Process Action statement",
    Form.TRIPLE: "a Turtle triple",
    Form.ENGLISH: "controlled English",
    Form.TEXT: "text, without effect on answers",
}


@dataclass(frozen=True, slots=True)
class Naming:
    """What a phrase means in this dialogue; `folded` is the phrase as it is compared."""

    phrase: str
    folded: str
    term: str


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a commitment says: norms, facts and axioms, or a naming; nothing for opaque text."""

    norms: tuple[Norm, ...] = ()
    facts: tuple[Triple, ...] = ()
    naming: Naming | None = None

    @property
    def mentions(self) -> frozenset[str]:
        """The terms that are named, without blank nodes."""
        found: set[str] = {t for s, _, o in self.facts for t in (s, o) if isinstance(t, str)}
        found |= {n.deed.process for n in self.norms if n.deed.process}
        found |= {t for n in self.norms for terms in n.deed.parts.values() for t in terms if isinstance(t, str)}
        if self.naming is not None:
            found.add(self.naming.term)
        return frozenset(term for term in found if not term.startswith("_:"))


@dataclass(frozen=True, slots=True)
class Reading:
    """How a commitment was read. `remark` says where a text nearly was a sentence, or what its reader should know."""

    form: Form
    meaning: Meaning = Meaning()
    remark: str = ""
