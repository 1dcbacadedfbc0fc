"""Syntax: every file of a pack read, those of RDF in the syntax their names say, those of TOML as TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from app.authoring.check.manifest import toml_problem
from app.authoring.check.source import CHECKS as READING
from app.authoring.check.source import UNREADABLE
from app.authoring.check.subject import ONTOLOGY_FILES, Subject
from app.authoring.problems import Check, Problem, Severity

NOT_TURTLE: Final = Check(
    "not_turtle",
    Severity.ERROR,
    "the ontology of a pack is in another syntax than Turtle",
    "it is checked as it is, but serving, testing and releasing read ontology.ttl alone",
)
SEVERAL_ONTOLOGIES: Final = Check(
    "several_ontologies",
    Severity.ERROR,
    "a pack has its ontology in several syntaxes",
    "only one of them is read, and the others grow old",
)
CHECKS: Final = (*READING, NOT_TURTLE, SEVERAL_ONTOLOGIES)


def syntax_problems(subject: Subject) -> Iterator[Problem]:
    """What cannot be read, and what should be written otherwise."""
    for source in (subject.ontology, *subject.others):
        if source.fault:
            yield source.fault
    if subject.file is not None:
        return
    yield from _names(subject)
    for path in toml_files(subject):
        try:
            tomllib.loads(text := path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            yield toml_problem(path, text, error)
        except (OSError, UnicodeDecodeError) as error:
            yield Problem(UNREADABLE, f"the file cannot be read: {error}", path)


def toml_files(subject: Subject) -> list[Path]:
    """The TOML files of a pack, pack.toml left out."""
    rules = subject.edition.rules_of(subject.pack)
    found = [path for folder in ("golden", "answers", "questions") for path in subject.files(f"{folder}/*.toml")]
    return [*found, *sorted(rules.glob("*/*.toml"))]


def _names(subject: Subject) -> Iterator[Problem]:
    there = [path for name in ONTOLOGY_FILES if (path := subject.folder / name).is_file()]
    if len(there) > 1:
        message = f"there are {' and '.join(path.name for path in there)}"
        yield Problem(SEVERAL_ONTOLOGIES, message, there[1], hint="keep ontology.ttl")
    path = subject.ontology.path
    if there and path.name != ONTOLOGY_FILES[0]:
        source, target = path, path.with_name(ONTOLOGY_FILES[0])
        hint = f"convert it: domain-access check {source} --turtle > {target}"
        yield Problem(NOT_TURTLE, f"{path.name} is no Turtle", path, hint=hint)
