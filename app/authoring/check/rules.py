"""Rules, Actions, needs and payments of a pack, and the files of its cases: every fault with file, key and line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from app.authoring.answers import read_cases
from app.authoring.check.source import excerpt
from app.authoring.check.subject import NotDoneError, Subject
from app.authoring.check.toml_places import place_of
from app.authoring.golden import read_golden
from app.authoring.problems import Check, Problem, Severity
from app.authoring.questions import questions
from app.errors import Code, Fault, PackError
from app.rules.toml import TomlFile

_WHY: Final[Mapping[Code, str]] = MappingProxyType(
    {
        Code.PACK_UNREADABLE: "the whole pack is refused until the file can be read",
        Code.PACK_MEMBER: "a key that nothing reads, or of the wrong kind, would be passed over in silence",
        Code.PACK_INCONSISTENT: "of a contradiction anything follows: no answer could be trusted",
        Code.UNDECLARED_TERM: "a pattern with a misspelt term never fires, and nobody notices",
        Code.UNBOUND_VARIABLE: "a variable without a value makes a rule that never applies",
        Code.DISCONNECTED_PATTERN: "what the statement does not lead to is not fetched: the rule would find nothing",
        Code.REFUSED_CONSTRUCT: "only what can be answered from the fetched part of a world is in the language",
        Code.STATUS_NOT_RECEIVABLE: "the rule could fire, and its verdict not be given",
        Code.CASE_MISSING: "a rule is shown to fire by a case, and not to fire too often by a near miss",
    }
)
BY_CODE: Final[Mapping[Code, Check]] = MappingProxyType(
    {
        code: Check(f"rule_{code.code.removeprefix('pack_')}", Severity.ERROR, code.meaning, why)
        for code, why in _WHY.items()
    }
)
"""What loading refuses, as a Check each."""

CASES: Final = Check(
    "case_file",
    Severity.ERROR,
    "a golden plan, a file of answers or of competency questions cannot be used",
    "what it was to hold the pack to is not tried",
)
NO_WORLD: Final = Check(
    "case_world",
    Severity.ERROR,
    "a golden plan or an answer is about an M-Instance that no pack brings",
    "it cannot be tried",
)
CHECKS: Final = (*BY_CODE.values(), CASES, NO_WORLD)

_RULE_FOLDERS: Final = ("actions", "pa_status", "needs", "payments")


def rule_problems(subject: Subject) -> Iterator[Problem]:
    """What loading the pack finds wrong with its rules, or with what they stand on."""
    strangers = _strangers(subject)
    yield from strangers
    try:
        subject.domain  # noqa: B018 - it is loaded here, or its faults are told
    except PackError as error:
        folder = subject.edition.rules_of(subject.pack)
        own = [fault for fault in error.faults if _concerns(fault, subject, folder)]
        if not own:
            raise NotDoneError(f"a pack it requires cannot be loaded: {error.faults[0].message}") from error
        yield from (_problem(BY_CODE.get(fault.code, BY_CODE[Code.PACK_MEMBER]), fault, folder) for fault in own)
    except (TypeError, AttributeError, KeyError, ValueError) as error:  # a TOML value of a kind no reader foresaw
        raise NotDoneError(f"the rules cannot be read: {type(error).__name__}: {error}") from error


def case_problems(subject: Subject) -> Iterator[Problem]:
    """What is wrong with the files of golden plans, answers and competency questions."""
    worlds = {path.stem for name in subject.edition.names() for path in subject.edition.worlds_of(name)}
    for path in case_files(subject):
        try:
            for m_instance in _read(path, subject):
                if m_instance not in worlds:
                    text = _text(path)
                    line = place_of(text, "m_instance")[0]
                    hint = f"there are: {', '.join(sorted(worlds)) or 'none'}"
                    message = f"no pack brings a world `{m_instance}`"
                    yield Problem(NO_WORLD, message, path, line, hint=hint, excerpt=excerpt(text, line))
        except PackError as error:
            yield from (_problem(CASES, fault, path.parent) for fault in error.faults)
        except (TypeError, AttributeError, KeyError, ValueError) as error:
            yield Problem(CASES, f"a value is of a kind that has no place there: {error}", path)


def case_files(subject: Subject) -> list[Path]:
    """The files by which the pack is tried."""
    return [*subject.files("golden/*.toml"), *subject.files("answers/*.toml"), *subject.files("questions/*.toml")]


def _read(path: Path, subject: Subject) -> set[str]:
    """Read a file of cases; the M-Instances they are about."""
    if path.parent.name == "questions":
        questions(path, subject.edition, subject.pack)
        return set()
    if "case" in TomlFile(path).members:
        return {case.m_instance for case in read_cases(path)}
    return {run.plan.m_instance for run in read_golden(path)}


def _strangers(subject: Subject) -> list[Problem]:
    """Folders and files among the rules that nothing reads."""
    if subject.file is not None:
        return []
    folder = subject.edition.rules_of(subject.pack)
    check = BY_CODE[Code.PACK_MEMBER]
    known = {*_RULE_FOLDERS, "cases.ttl", "README.md"}
    found = [path for path in sorted(folder.glob("*")) if path.name not in known and not path.name.startswith(".")]
    inner = [p for name in _RULE_FOLDERS for p in sorted((folder / name).glob("*")) if p.suffix != ".toml"]
    hint = f"rules are .toml files in {', '.join(_RULE_FOLDERS)}"
    return [Problem(check, f"nothing reads {path.name}", path, hint=hint) for path in (*found, *inner)]


def _concerns(fault: Fault, subject: Subject, folder: Path) -> bool:
    """Whether a fault is of this pack's rules or of the pack itself, rather than of a pack it requires."""
    if fault.code is Code.PACK_INCONSISTENT or not fault.where:
        return True
    others = [subject.edition.rules_of(name) for name in subject.required]
    others += [subject.edition.folder(name) for name in subject.required]
    return str(folder) in fault.where or not any(str(other) + "/" in fault.where for other in others)


def _problem(check: Check, fault: Fault, folder: Path) -> Problem:
    path, key = _split(fault.where, folder)
    if path is None or not path.is_file():
        where = f"{fault.where}: " if fault.where and path is None else ""
        return Problem(check, f"{where}{fault.message}", path, hint=fault.hint)
    text = _text(path)
    if unread := re.match(r"nothing reads `([^`]+)`", fault.message):
        key = f"{key}.{unread[1]}" if key else unread[1]
    message, line, column = fault.message, 0, 0
    if place := re.search(r" \(at line (\d+), column (\d+)\)$", message):
        message, line, column = message[: place.start()], int(place[1]), int(place[2])
    elif key.isdecimal():
        line, key = int(key), ""
    elif key:
        line, column = place_of(text, key)
    named = f"{key}: " if key and not unread else ""
    return Problem(check, f"{named}{message}", path, line, column, hint=fault.hint, excerpt=excerpt(text, line))


def _split(where: str, folder: Path) -> tuple[Path | None, str]:
    """The file and the key of `file: key` or `file:line`; a rule named by its place alone is sought in the folder."""
    found = re.match(r"(.*?\.(?:toml|ttl))(?::\s*(.*))?$", where, re.DOTALL)
    if found:
        return Path(found[1]), found[2] or ""
    action = folder / "actions" / f"{where}.toml"
    return (action, "") if where and action.is_file() else (None, "")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
