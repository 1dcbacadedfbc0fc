"""Why, for authors: minimal sets of axioms from which a fact follows, by which a class is impossible or a pack
contradicts itself; as text, JSON and Turtle.

Where explain.py tells how the OWL 2 RL rules come to a fact, this tells what cannot be left out for it to follow,
whatever OWL 2 DL needs: reasoning by cases and the like.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyoxigraph as ox

from app.authoring.check.logic import sources_of, world_sources
from app.authoring.logic.axioms import Axiom, Theory, iri
from app.authoring.logic.justify import (
    Budget,
    Justification,
    Question,
    Search,
    follows,
    inconsistency,
    no_members,
)
from app.authoring.logic.reasoners import INSTALL, NotDone, Rustdl, hermit
from app.authoring.logic.wording import labels_of, said, said_fact
from app.edition import Edition
from app.model import Triple
from app.vocab import PREFIXES, SUB_CLASS, dac
from app.world import to_rdf

AFFORDS: Final = dac("affords")
SECONDS: Final = 60.0
"""What one search may take."""


@dataclass(frozen=True, slots=True)
class Blamed:
    """What is so, and the sets of axioms by which it is; `note` is what a reader should know of them."""

    text: str
    justifications: tuple[Justification, ...]
    note: str = ""


class Blame:
    """Finds what is to blame in one pack, or in one world with the packs it names."""

    def __init__(self, theory: Theory) -> None:
        self.theory = theory
        self.label = labels_of(theory.labels)

    @classmethod
    def of_pack(cls, edition: Edition, pack: str) -> Blame:
        """Of a pack with those it requires. Raises PackError with file and line."""
        return cls(Theory(sources_of(edition, pack)))

    @classmethod
    def of_world(cls, edition: Edition, file: Path, text: str) -> Blame:
        """Of a world, with the packs that it names: what stands in a file, or in a document called so."""
        return cls(Theory(world_sources(edition, file, text)))

    def fact(self, fact: Triple, most: int) -> Blamed:
        """Why a fact follows; without justifications where it does not, or is not found to."""
        s, p, o = fact
        text = self._said(fact)
        if p == AFFORDS:
            return self._afforded(fact, text, most)
        object_ = to_rdf(o)
        question = follows(s, p, object_) if isinstance(object_, ox.NamedNode | ox.Literal) else None
        if s.startswith("_:") or question is None:
            return Blamed(text, (), f"{self.label(p)} is not asked of a DL reasoner")
        found, note = self._found(question, most)
        return Blamed(text, found, note)

    def faults(self, most: int) -> Iterator[Blamed]:
        """Why it contradicts itself; else why each of its impossible classes can have no members."""
        with ExitStack() as stack:
            rustdl = _rustdl(stack)
            search = Search(self.theory, rustdl, Budget(SECONDS))
            found = search.find(inconsistency(), most)
            if found:
                yield Blamed("It contradicts itself", tuple(found))
                return
            triples = self.theory.triples()
            verdict = rustdl.judge(triples) if rustdl else hermit(triples)
            for class_ in verdict.unsatisfiable:
                search.budget = Budget(SECONDS)
                yield Blamed(
                    f"{self.label(class_)} can have no members", tuple(search.find(no_members(class_), most))
                )

    def _afforded(self, fact: Triple, text: str, most: int) -> Blamed:
        """A class affords what is said of it or of one above it: that axiom, and why the one is below the other."""
        s, p, o = fact
        granted = [
            axiom
            for axiom in self.theory.axioms
            if axiom.root.predicate.value == p and axiom.root.object == to_rdf(o)
        ]
        found: list[Justification] = []
        givers: list[str] = []
        for axiom in granted:
            giver = iri(axiom.root.subject)
            if giver == s:
                below = [Justification((), "as stated")]
            else:
                question = follows(s, SUB_CLASS, ox.NamedNode(giver))
                below = list(self._found(question, most)[0]) if question else []
            givers += [self.label(giver)] if below else []
            found += (Justification((*each.axioms, axiom), each.by, each.minimal) for each in below)
        note = f"granted by {', '.join(dict.fromkeys(givers))}" if givers else ""
        return Blamed(text, tuple(found[:most]), note)

    def _found(self, question: Question, most: int) -> tuple[tuple[Justification, ...], str]:
        with ExitStack() as stack:
            rustdl = _rustdl(stack)
            search = Search(self.theory, rustdl, Budget(SECONDS), with_hermit=rustdl is None)
            note = "" if rustdl else f"rustdl is not installed, so HermiT was asked: {INSTALL}"
            return tuple(search.find(question, most)), note

    def _said(self, fact: Triple) -> str:
        s, p, o = fact
        subject = ox.BlankNode(s[2:]) if s.startswith("_:") else ox.NamedNode(s)
        return said_fact(ox.Triple(subject, ox.NamedNode(p), to_rdf(o)), self.label)

    # what is found, in three forms

    def lines(self, blamed: Blamed) -> Iterator[str]:
        """For readers: what is so, then each set of axioms with their places."""
        yield f"{blamed.text}{f', {blamed.note}' if blamed.note and blamed.justifications else ''}"
        for number, each in enumerate(blamed.justifications, 1):
            several = f" {number} of {len(blamed.justifications)}" if len(blamed.justifications) > 1 else ""
            yield f"because{several}   [{_by(each)}]"
            for axiom in each.axioms:
                yield f"  {said(axiom, self.label)}   [{self.theory.place(axiom)}]"

    def as_json(self, blamed: Blamed) -> dict[str, Any]:
        """For programs; a triple is subject, predicate and object in N-Triples."""
        found = [
            {
                "by": each.by,
                "minimal": each.minimal,
                "axioms": [self._axiom_json(axiom) for axiom in each.axioms],
            }
            for each in blamed.justifications
        ]
        note = {"note": blamed.note} if blamed.note else {}
        return {"text": blamed.text, **note, "justifications": found}

    def _axiom_json(self, axiom: Axiom) -> dict[str, Any]:
        place = self.theory.place(axiom)
        members = {"text": said(axiom, self.label), "file": str(place.file), "line": place.line}
        return {**members, "triples": [[str(t.subject), str(t.predicate), str(t.object)] for t in axiom.triples]}

    def as_turtle(self, many: Iterable[Blamed]) -> str:
        """The axioms themselves, as Turtle that any editor of ontologies opens; what they are for, as comments."""
        parts = []
        for blamed in many:
            for each in blamed.justifications:
                axioms = [f"#   {said(axiom, self.label)}   [{self.theory.place(axiom)}]" for axiom in each.axioms]
                triples = dict.fromkeys(t for axiom in each.axioms for t in axiom.triples)
                turtle = ox.serialize(triples, format=ox.RdfFormat.TURTLE, prefixes=PREFIXES) or b""
                parts.append("\n".join([f"# {blamed.text}   [{_by(each)}]", *axioms, turtle.decode()]))
        return "\n".join(parts)


def _by(justification: Justification) -> str:
    if justification.by == "as stated":
        return "as stated"
    return f"by {justification.by}, {'minimal' if justification.minimal else 'not proven minimal'}"


def _rustdl(stack: ExitStack) -> Rustdl | None:
    try:
        return stack.enter_context(Rustdl())
    except NotDone:
        return None
