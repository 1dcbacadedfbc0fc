"""Golden cases of the Kinds of knowledge: what is asked, and what of the answer must be so (DESIGN 8).

    title, kind, m_instance, u_environment, session     for every case of the file, each of which may say them anew
    [[case]]            name; ask = { members of the Request }; before = [ Requests of the same dialogue ]; at = time
    [case.expect]       Outcome, and any of the members below

| member | must be |
|---|---|
| `Affordances` | all, as `EntityID\\|Action`; of a class `\\|Action` |
| `Granted` | some, as `EntityID\\|Action\\|pack:Class` |
| `Classes` | all ObjectClasses in order, as `pack:Class` |
| `Relations` | some, as `Subject\\|Predicate\\|Object` |
| `Expectations` | all BehaviouralExpectations in order |
| `Constraints`, `Text` | words, each in some Constraint, or in the Text |
| `NoConstraints`, `NoText` | words that are in none |

IRIs of packs are written `pack:Name`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from app.errors import Code
from app.rules.toml import TomlFile

MORNING: Final = "2026-03-04T09:00:00Z"
"""When a Kind is asked where its case says no time."""

_HOME: Final = re.compile(r"https://w3id\.org/domain-access/([a-z_]+)#")
_FILE_KEYS: Final = {"title", "source", "kind", "m_instance", "u_environment", "session", "case"}
_CASE_KEYS: Final = {"name", "why", "kind", "session", "m_instance", "u_environment", "ask", "before", "at", "expect"}
_EXPECT_KEYS: Final = {
    *("Outcome", "Affordances", "Granted", "Classes", "Relations", "Expectations"),
    *("Constraints", "NoConstraints", "Text", "NoText"),
}


@dataclass(frozen=True, slots=True)
class Case:
    """One question and what is expected of its answer."""

    name: str
    kind: str
    m_instance: str
    u_environment: str
    session: str
    ask: Mapping[str, Any]
    expect: Mapping[str, Any]
    before: tuple[Mapping[str, Any], ...] = ()
    at: str | None = None
    file: str = field(default="", compare=False)


def read_cases(path: Path) -> tuple[Case, ...]:
    """The cases of a file. Raises PackError where it is none, with every fault."""
    file = TomlFile(path)
    document = file.members
    file.keys(document, _FILE_KEYS, "")
    cases: list[Case] = []
    for entry in file.tables(document, "case"):
        key = str(entry.get("name", "?"))
        expect = entry.get("expect", {})
        if not isinstance(expect, dict):
            file.fault(Code.PACK_MEMBER, "`expect` must be a table", key)
            continue
        file.keys(entry, _CASE_KEYS, key)
        file.keys(expect, _EXPECT_KEYS, key)
        for member in sorted(set(expect) & _EXPECT_KEYS - {"Outcome"}):
            file.texts(expect[member], member, key)
        whole = {**document, **entry}
        lacking = [k for k in ("name", "kind", "m_instance", "u_environment", "session", "ask") if k not in whole]
        lacking += [] if "Outcome" in expect else ["expect.Outcome"]
        if lacking:
            file.fault(Code.PACK_MEMBER, f"the case lacks {', '.join(lacking)}", key)
        if lacking or not _can_be_asked(file, whole, key):
            continue
        cases.append(
            Case(
                whole["name"], whole["kind"], whole["m_instance"], whole["u_environment"], whole["session"],
                whole["ask"], expect, tuple(entry.get("before", ())), entry.get("at"), path.stem,
            )
        )  # fmt: skip
    file.refuse()
    return tuple(cases)


def _can_be_asked(file: TomlFile, whole: Mapping[str, Any], key: str) -> bool:
    """Whether each Request of a case is a table, with a time that is one; what is not is a fault."""
    before, asked = file.tables(whole, "before", key), whole["ask"]
    noted = len(file.faults)
    if not isinstance(asked, dict):
        file.fault(Code.PACK_MEMBER, "`ask` must be a table: members of the Request", key)
        asked = {}
    for at in (whole.get("at"), asked.get("at"), *(each.get("at") for each in before)):
        if at is not None and not _is_time(at):
            file.fault(Code.PACK_MEMBER, f"`{at}` is no time", key, f"write it as {MORNING}")
    texts = ("name", "kind", "m_instance", "u_environment", "session")
    for name in (name for name in texts if not isinstance(whole[name], str)):
        file.fault(Code.PACK_MEMBER, f"`{name}` must be a text", key)
    return len(file.faults) == noted


def _is_time(text: object) -> bool:
    try:
        return datetime.fromisoformat(str(text)).tzinfo is not None
    except ValueError:
        return False


def mismatches(case: Case, response: Mapping[str, Any]) -> list[str]:
    """What of a Response is not as expected, a sentence each; empty where all is."""
    expect, answer = case.expect, response.get("Answer", {})
    found: list[str] = []

    def compare(member: str, wanted: object, given: object) -> None:
        if wanted != given:
            found.append(f"{member}: expected {wanted}, found {given}")

    compare("Outcome", expect["Outcome"], response["Outcome"])
    if found and answer.get("Text"):  # which says why
        found[0] += f": {answer['Text']}"
    offered = [(each.get("EntityID", ""), each["Action"], each.get("Class", "")) for each in affordances(answer)]
    relations = [
        short(f"{each['Subject']}|{each['Predicate']}|{each['Object']}") for each in answer.get("Relations", ())
    ]
    if "Affordances" in expect:
        compare("Affordances", sorted(expect["Affordances"]), sorted(f"{e}|{a}" for e, a, _ in offered))
    if "Classes" in expect:
        compare("Classes", expect["Classes"], [short(each["Class"]) for each in answer.get("ObjectClasses", ())])
    if "Expectations" in expect:
        compare("Expectations", expect["Expectations"], list(answer.get("BehaviouralExpectations", ())))
    granted = [short(f"{e}|{a}|{c}") for e, a, c in offered]
    found += [f"Granted lacks {each}: {granted}" for each in expect.get("Granted", ()) if each not in granted]
    found += [f"Relations lack {each}: {relations}" for each in expect.get("Relations", ()) if each not in relations]
    limits, text = answer.get("Constraints", ()), answer.get("Text", "")
    for words in expect.get("Constraints", ()):
        if not any(words in each for each in limits):
            found.append(f"no Constraint says `{words}`: {limits}")
    found += [
        f"a Constraint says `{w}`" for w in expect.get("NoConstraints", ()) if any(w in each for each in limits)
    ]
    found += [f"the Text lacks `{words}`: {text}" for words in expect.get("Text", ()) if words not in text]
    found += [f"the Text says `{words}`: {text}" for words in expect.get("NoText", ()) if words in text]
    return found


def affordances(answer: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The Affordances of an Answer; empty where it has none."""
    return list(answer.get("Affordances", ()))


def short(text: str) -> str:
    """IRIs of packs as `pack:Name`."""
    return _HOME.sub(r"\1:", text)
