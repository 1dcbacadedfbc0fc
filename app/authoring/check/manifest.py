"""pack.toml: every key there and of its kind, a semantic version, packs that exist and do not require each other."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any, Final

from app.authoring.check.graph import ONTOLOGY
from app.authoring.check.source import excerpt, syntax_problem
from app.authoring.check.subject import Subject, manifest_of, requires
from app.authoring.problems import Check, Problem, Severity
from app.edition import CORE
from app.nearest import did_you_mean
from app.vocab import HOME, OWL, TYPE

KEY: Final = Check(
    "manifest_key",
    Severity.ERROR,
    "pack.toml lacks a key, has one that nothing reads, or one of the wrong kind",
    "a release names the pack, says what it may be used for and where it comes from by these keys",
)
VERSION: Final = Check(
    "manifest_version",
    Severity.ERROR,
    "the version of a pack is no semantic version",
    "answers name packs by version, and by it users see what a release may change for them: MAJOR.MINOR.PATCH",
)
NAME: Final = Check(
    "manifest_name",
    Severity.ERROR,
    "a pack is not called as its folder, or by no name a pack may have",
    "packs are found by folder, and the name is the prefix and the namespace of the pack's terms",
)
REQUIRES: Final = Check(
    "manifest_requires",
    Severity.ERROR,
    "a pack requires one that is not there, or packs require each other",
    "the packs required are loaded first: without them, or in a circle, nothing loads",
)
HEADER: Final = Check(
    "ontology_header",
    Severity.ERROR,
    "an ontology does not say that it is that of its pack, in the version of pack.toml",
    "other tools know the ontology by its IRI and its version IRI; two versions under one name cannot be told apart",
)
CHECKS: Final = (KEY, VERSION, NAME, REQUIRES, HEADER)

KEYS: Final = {"name": str, "version": str, "title": str, "licence": str, "sources": list, "requires": list}
_SEMANTIC: Final = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(-(0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*)?(\+[\dA-Za-z-]+(\.[\dA-Za-z-]+)*)?"
)
"""As semver.org defines it."""
PACK_NAME: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def manifest_problems(subject: Subject) -> Iterator[Problem]:
    """What is wrong with pack.toml."""
    path = subject.folder / "pack.toml"
    try:
        text = path.read_text(encoding="utf-8")
        members = tomllib.loads(text)
    except FileNotFoundError:
        yield Problem(
            KEY, "the folder has no pack.toml: it is no pack", path, hint="`domain-access new-pack` makes one"
        )
        return
    except (OSError, UnicodeDecodeError) as error:
        yield Problem(KEY, f"pack.toml cannot be read: {error}", path)
        return
    except tomllib.TOMLDecodeError as error:
        yield toml_problem(path, text, error)
        return

    def problem(check: Check, message: str, key: str = "", hint: str = "") -> Problem:
        found = re.search(rf"^\s*{re.escape(key)}\s*=", text, re.MULTILINE) if key else None
        line = text.count("\n", 0, found.end()) + 1 if found else 0
        return Problem(check, message, path, line, hint=hint, excerpt=excerpt(text, line))

    for key in sorted(set(members) - set(KEYS)):
        hint = did_you_mean(key, KEYS, f"known: {', '.join(KEYS)}")
        yield problem(KEY, f"nothing reads `{key}`", key, hint)
    for key, kind in KEYS.items():
        fault = _fault(members, key, kind)
        if fault:
            yield problem(KEY, fault, key)
    name, version = members.get("name"), members.get("version")
    if isinstance(name, str) and name != subject.folder.name:
        yield problem(NAME, f"the pack `{name}` lies in a folder `{subject.folder.name}`", "name")
    elif isinstance(name, str) and not PACK_NAME.fullmatch(name):
        yield problem(NAME, f"`{name}` is no name of a pack", "name", "small letters and digits, words joined by `_`")
    if isinstance(version, str) and not _SEMANTIC.fullmatch(version):
        yield problem(VERSION, f"`{version}` is no semantic version", "version", "for instance `0.1.0`")
    for missing in _missing(subject):
        hint = did_you_mean(missing, subject.edition.names(), f"there are: {', '.join(subject.edition.names())}")
        yield problem(REQUIRES, f"there is no pack `{missing}`", "requires", hint)
    if circle := _circle(subject, subject.pack, ()):
        yield problem(REQUIRES, f"packs require each other: {' -> '.join(circle)}", "requires")
    if subject.pack == CORE and requires(members):
        yield problem(REQUIRES, "core requires nothing: every pack stands on it", "requires")


def header_problems(subject: Subject) -> Iterator[Problem]:
    """What is wrong with what an ontology says of itself."""
    graph, iri = subject.graph, HOME + subject.pack
    headers = sorted(graph.subjects(TYPE, ONTOLOGY))
    if headers != [iri]:
        found = ", ".join(f"<{header}>" for header in headers) or "none"
        hint = f"write `<{iri}> a owl:Ontology`"
        yield subject.problem(HEADER, f"the ontology should be <{iri}>, found {found}", *headers[:1], hint=hint)
        return
    expected = f"{iri}/{subject.manifest.get('version')}"
    versions = graph.nodes(iri, OWL + "versionIRI")
    if versions != [expected]:
        found = ", ".join(f"<{version}>" for version in versions) or "none"
        hint = "keep it in step with pack.toml"
        message = f"the version IRI should be <{expected}>, found {found}"
        yield subject.problem(HEADER, message, OWL + "versionIRI", within=iri, hint=hint)
    if graph.objects(iri, OWL + "imports"):
        hint = "name the packs under `requires` of pack.toml"
        yield subject.problem(HEADER, "owl:imports is not read", OWL + "imports", within=iri, hint=hint)


def toml_problem(path: Any, text: str, error: tomllib.TOMLDecodeError) -> Problem:
    """A text that is no TOML, at its place."""
    said = str(error)
    place = re.search(r" \(at line (\d+), column (\d+)\)$", said)
    line, column = map(int, place.groups()) if place else (text.count("\n") + 1, 0)
    message = re.sub(r" \(at (line \d+, column \d+|end of document)\)$", "", said)
    return syntax_problem(path, text, f"no TOML: {message[:1].lower()}{message[1:]}", line, column)


def _fault(members: dict[str, Any], key: str, kind: type) -> str:
    """What is wrong with one key, if anything."""
    value = members.get(key)
    if key not in members:
        return f"pack.toml lacks `{key}`"
    if not isinstance(value, kind):
        return f"`{key}` must be a {'text' if kind is str else 'list'}, found `{value}`"
    if isinstance(value, str) and not value.strip():
        return f"`{key}` is empty"
    if isinstance(value, list):
        if not value and key == "sources":
            return "`sources` names nothing: say where the content comes from"
        if any(not isinstance(each, str) or not each.strip() for each in value):
            return f"`{key}` must be a list of texts"
    return ""


def _missing(subject: Subject) -> list[str]:
    names = set(subject.edition.names())
    return [name for name in requires(subject.manifest) if name not in names]


def _circle(subject: Subject, name: str, path: tuple[str, ...]) -> tuple[str, ...]:
    """The packs that lead back to this one, if any do."""
    if name in path:
        return (*path, name) if name == subject.pack else ()
    if len(path) > len(subject.edition.names()):
        return ()
    for each in requires(manifest_of(subject.edition.folder(name))):
        if found := _circle(subject, each, (*path, name)):
            return found
    return ()
