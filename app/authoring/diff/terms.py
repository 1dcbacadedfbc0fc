"""Two states of an ontology -> typed changes: terms, labels, definitions, axioms (DESIGN 8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import pyoxigraph as ox

from app.authoring.diff.difference import Act, Change, Part, Patch
from app.authoring.diff.renames import COMMENT, DEFINITION, Rename, declared
from app.authoring.diff.said import Sayer, prefixed
from app.authoring.diff.statements import Statement, Statements
from app.vocab import ALT_LABEL, LABEL, OWL, SKOS, SUB_CLASS, SUB_PROPERTY

DEPRECATED: Final = OWL + "deprecated"
REPLACED_BY: Final = "http://purl.org/dc/terms/isReplacedBy"
_WORDS: Final = {
    LABEL: Part.LABEL,
    SKOS + "prefLabel": Part.LABEL,
    ALT_LABEL: Part.SYNONYM,
    SKOS + "hiddenLabel": Part.SYNONYM,
    DEFINITION: Part.DEFINITION,
    COMMENT: Part.DEFINITION,
}
_ONTOLOGY: Final = ox.NamedNode(OWL + "Ontology")
_NAMELESS: Final = " []"
_ABOVE: Final = (SUB_CLASS, SUB_PROPERTY)
_VERSIONS: Final = frozenset(OWL + name for name in ("versionIRI", "versionInfo", "priorVersion"))
"""What the header of an ontology says of its version: a release writes it from pack.toml, whose change is told."""


@dataclass(frozen=True, slots=True)
class States:
    """A file of a pack in two states, and who says their terms. `spoken` is OLD with the terms called as in NEW."""

    pack: str
    path: str
    old: Statements
    new: Statements
    spoken: Statements
    old_says: Sayer
    new_says: Sayer

    @property
    def removed(self) -> list[Statement]:
        """What only OLD states, whatever its terms are called."""
        return [statement for key, statement in self.spoken.items() if key not in self.new]

    @property
    def added(self) -> list[Statement]:
        """What only NEW states."""
        return [statement for key, statement in self.new.items() if key not in self.spoken]

    @property
    def respelt(self) -> list[tuple[Statement, Statement]]:
        """What both state, calling terms otherwise: as OLD has it, as NEW has it."""
        kept = self.spoken.items()
        return [(s, self.new[key]) for key, s in kept if key in self.new and key not in self.old]

    def patch(self, removed: Iterable[Statement], added: Iterable[Statement]) -> Patch:
        """What these statements are in the file."""
        gone = tuple(t for statement in removed for t in statement.triples)
        return Patch(self.pack, self.path, gone, tuple(t for statement in added for t in statement.triples))

    def change(
        self,
        part: Part,
        act: Act,
        subject: str,
        removed: Iterable[Statement] = (),
        added: Iterable[Statement] = (),
        about: str = "",
        language: str = "",
        values: bool = False,
    ) -> Change:
        """A change that consists of statements; with `values` only what they say of the subject is told."""
        gone, come = list(removed), list(added)
        return Change(
            self.pack,
            part,
            act,
            subject,
            self.name(subject),
            tuple(sorted(self.old_says.value(s) if values else self.old_says.statement(s) for s in gone)),
            tuple(sorted(self.new_says.value(s) if values else self.new_says.statement(s) for s in come)),
            about,
            language,
            patches=(self.patch(gone, come),),
        )

    def name(self, iri: str) -> str:
        """What a term is called: in NEW, where it is there."""
        return self.new_says.iri(iri) if iri in self.new_says.names else self.old_says.iri(iri)


def term_changes(states: States) -> list[Change]:
    """The changes of an ontology, but for what a rename alone changes."""
    before, after = declared(states.spoken), declared(states.new)
    removed, added = states.removed, states.added
    changes: list[Change] = []
    for iri in sorted(before.keys() - after.keys()):
        own = [s for s in removed if s.subject == iri]
        changes.append(states.change(Part.TERM, Act.REMOVED, iri, removed=own))
    for iri in sorted(after.keys() - before.keys()):
        own = [s for s in added if s.subject == iri]
        changes.append(states.change(Part.TERM, Act.ADDED, iri, added=own))
    whole = before.keys() ^ after.keys()
    changes += _of_kept(
        states, [s for s in removed if s.subject not in whole], [s for s in added if s.subject not in whole]
    )
    return changes


def _of_kept(states: States, removed: list[Statement], added: list[Statement]) -> list[Change]:
    """The changes of terms that are in both states, and of axioms about several."""
    changes: list[Change] = []
    groups: dict[tuple[str, str, str], tuple[list[Statement], list[Statement]]] = {}
    for side, held in enumerate((removed, added)):
        for statement in held:
            group = (statement.subject, _group(statement), _language(statement))
            groups.setdefault(group, ([], []))[side].append(statement)
    both = (*states.spoken.values(), *states.new.values())
    headers = {s.subject for s in both if s.plain is not None and s.plain.object == _ONTOLOGY}
    replaced = {subject: pair for (subject, p, _), pair in groups.items() if p == REPLACED_BY}
    deprecated = {subject for (subject, p, _) in groups if p == DEPRECATED}
    for (subject, predicate, language), (gone, come) in sorted(groups.items(), key=lambda each: each[0]):
        if subject in headers:
            if predicate in _VERSIONS:
                continue
            about = states.new_says.iri(predicate)
            act = _act(gone, come)
            changes.append(states.change(Part.PACK, act, subject, gone, come, about, language, values=True))
        elif predicate in _WORDS:
            part = _WORDS[predicate]
            changes.append(states.change(part, _act(gone, come), subject, gone, come, language=language, values=True))
        elif predicate == DEPRECATED:
            more = replaced.get(subject, ([], []))
            act = Act.DEPRECATED if come else Act.REVIVED
            changes.append(states.change(Part.TERM, act, subject, gone + more[0], come + more[1]))
        elif predicate == REPLACED_BY and subject in deprecated:
            continue
        elif predicate in _ABOVE and gone and come:
            about = "superclass" if predicate == SUB_CLASS else "superproperty"
            changes.append(states.change(Part.TERM, Act.MOVED, subject, gone, come, about=about, values=True))
        elif predicate != _NAMELESS and len(gone) == len(come) == 1:
            about = states.new_says.iri(predicate.removesuffix(_NAMELESS))
            changes.append(states.change(Part.AXIOM, Act.CHANGED, subject, gone, come, about, language, values=True))
        else:
            changes += [states.change(Part.AXIOM, Act.REMOVED, subject, removed=[s]) for s in gone]
            changes += [states.change(Part.AXIOM, Act.ADDED, subject, added=[s]) for s in come]
    return changes


def rename_changes(renames: Mapping[str, Iterable[Rename]], files: Iterable[States]) -> list[Change]:
    """The renames of each pack, each with all that it alone changes in any file."""
    every = list(files)
    patches: dict[str, list[Patch]] = {}
    for states in every:
        pairs: dict[str, list[tuple[Statement, Statement]]] = {}
        for before, after in states.respelt:
            for iri in before.iris - after.iris:
                pairs.setdefault(iri, []).append((before, after))
        for iri, held in pairs.items():
            patches.setdefault(iri, []).append(states.patch(*zip(*held, strict=True)))
    says = every[0].new_says if every else Sayer({})
    return [
        Change(
            pack,
            Part.TERM,
            Act.RENAMED,
            rename.new,
            says.iri(rename.new),
            (prefixed(rename.old),),
            (prefixed(rename.new),),
            evidence=rename.evidence,
            patches=tuple(patches.get(rename.old, ())),
        )
        for pack, some in renames.items()
        for rename in some
    ]


def _group(statement: Statement) -> str:
    """What statements are told together by: a superclass with a name, apart from restrictions."""
    return statement.predicate if statement.plain is not None else f"{statement.predicate}{_NAMELESS}"


def _language(statement: Statement) -> str:
    triple = statement.plain
    return (triple.object.language or "") if triple is not None and isinstance(triple.object, ox.Literal) else ""


def _act(gone: list[Statement], come: list[Statement]) -> Act:
    if gone and come:
        return Act.CHANGED
    return Act.REMOVED if gone else Act.ADDED
