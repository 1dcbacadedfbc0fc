"""What cases and uses name: sessions and entities of worlds, terms of questions, the statements of uses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from app.authoring.answers import Case, read_cases
from app.authoring.check.source import excerpt
from app.authoring.check.subject import Subject, said
from app.authoring.check.toml_places import place_of
from app.authoring.problems import Check, Problem, Severity
from app.authoring.questions import questions
from app.errors import PackError, StatementError
from app.evaluate.wording import fill, placeholders
from app.model import Text
from app.nearest import did_you_mean
from app.statement import parse
from app.vocab import IDENTIFIER, PREFIXES, dac, pack_namespace
from app.world import read_world

SESSION: Final = Check(
    "case_session",
    Severity.WARNING,
    "an answer is asked for in a session that its world does not have",
    "it is then asked for nobody: no place is here, no Right is held, no norm of a role binds",
)
ENTITY: Final = Check(
    "case_entity",
    Severity.WARNING,
    "an answer is expected about what its world does not have",
    "a misspelt identifier is not answered, and why is seen only when the case fails",
)
TERM: Final = Check(
    "case_term",
    Severity.ERROR,
    "a competency question or a row of it has a term that no vocabulary declares",
    "nothing is ever found by it: a question that expects no row would pass for ever",
)
PERFORMED_BY: Final = Check(
    "performed_by",
    Severity.ERROR,
    "dac:performedBy is no statement once its placeholders are filled",
    "the use is left out of every answer",
)
CHECKS: Final = (SESSION, ENTITY, TERM, PERFORMED_BY)

_FILLED: Final = dict.fromkeys(("item", "state", "place", "here", "persona", "user"), "X")
_TERM: Final = re.compile(r"(?<![\w<:/#])([a-z_][a-z0-9_]*):([A-Za-z][\w-]*)")
_NO_TERMS: Final = re.compile(r"<[^<>\s]*>|\"[^\"\n]*\"|'[^'\n]*'|#[^\n]*")


def answer_problems(subject: Subject) -> Iterator[Problem]:
    """Sessions and entities of answers that their worlds do not have; what cannot be read is told elsewhere."""
    worlds = {path.stem: path for name in subject.edition.names() for path in subject.edition.worlds_of(name)}
    names: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
    for path in subject.files("answers/*.toml"):
        try:
            for case in read_cases(path):
                if case.m_instance in worlds:
                    if case.m_instance not in names:
                        names[case.m_instance] = _named(worlds[case.m_instance])
                    yield from _of_answer(path, case, *names[case.m_instance])
        except PackError:
            continue


def _named(world: Path) -> tuple[frozenset[str], frozenset[str]]:
    """The identifiers and the sessions of a world."""
    found: dict[str, set[str]] = {IDENTIFIER: set(), dac("sessionID"): set()}
    for _, p, o in read_world(world):
        if p in found and isinstance(o, Text):
            found[p].add(o.value)
    return frozenset(found[IDENTIFIER]), frozenset(found[dac("sessionID")])


def _of_answer(path: Path, case: Case, entities: frozenset[str], sessions: frozenset[str]) -> Iterator[Problem]:
    text = path.read_text(encoding="utf-8")
    if case.session not in sessions:
        hint = did_you_mean(case.session, sorted(sessions), f"known: {', '.join(sorted(sessions)) or 'none'}")
        yield _at(
            SESSION, f"`{case.m_instance}` has no session `{case.session}`", path, text, case, case.session, hint
        )
    if case.expect["Outcome"] != "answered" or case.before:
        return
    space = case.ask.get("Space")
    asked = [*_texts(case.ask.get("EntityIDs")), *_texts([space.get("SpaceID")] if isinstance(space, dict) else [])]
    for name in asked:
        if name not in entities and "://" not in name:
            hint = did_you_mean(name, sorted(entities))
            yield _at(ENTITY, f"`{case.m_instance}` has no `{name}`", path, text, case, name, hint)


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _at(check: Check, message: str, path: Path, text: str, case: Case, name: str, hint: str) -> Problem:
    """At the line of the case that has the name, else where the file says it."""
    begin = max(place_of(text, f"case {case.name}")[0], 1)
    lines = text.split("\n")
    quoted = (f'"{name}"', f"'{name}'")
    after = (n for n in (*range(begin, len(lines) + 1), *range(1, begin)) if any(q in lines[n - 1] for q in quoted))
    line = next(after, begin)
    return Problem(check, f"{case.name}: {message}", path, line, hint=hint, excerpt=excerpt(text, line))


def question_problems(subject: Subject) -> Iterator[Problem]:
    """Terms of competency questions and of their rows that nobody declares."""
    spaces = {name: pack_namespace(name) for name in (subject.pack, *subject.required)}
    spaces |= {name: PREFIXES[name] for name in ("mmm", "dac")}
    known = subject.whole.declared | subject.actions
    for path in subject.files("questions/*.toml") if subject.ontology.usable else ():
        try:
            asked = questions(path, subject.edition, subject.pack)
        except PackError:
            continue
        text, told = path.read_text(encoding="utf-8"), set[str]()
        for question in asked:
            used = _TERM.findall(_NO_TERMS.sub(" ", question.query))
            used += [m.groups() for row in question.rows for cell in row if (m := _TERM.fullmatch(cell))]
            for prefix, name in used:
                term = spaces.get(prefix, "") + name
                if prefix not in spaces or term in known or term in told:
                    continue
                told.add(term)
                near = [each.removeprefix(spaces[prefix]) for each in known if each.startswith(spaces[prefix])]
                written = re.search(rf"\b{re.escape(prefix)}:{re.escape(name)}\b", text)
                line = text.count("\n", 0, written.start()) + 1 if written else 0
                message, hint = f"{said(term)} is declared nowhere", did_you_mean(name, near)
                yield Problem(TERM, message, path, line, term=term, hint=hint, excerpt=excerpt(text, line))


def use_problems(subject: Subject) -> Iterator[Problem]:
    """Statements of uses with a placeholder that nothing fills, or that are none. The pack must be loaded."""
    performed = dac("performedBy")
    for use in subject.terms:
        for template in subject.graph.out[use].get(performed, ()):
            if not isinstance(template, Text):
                continue
            unknown = sorted(placeholders(template.value) - _FILLED.keys())
            for name in unknown:
                hint = did_you_mean(name, _FILLED, f"known: {', '.join(_FILLED)}")
                yield subject.problem(PERFORMED_BY, f"nothing fills `{{{name}}}`", performed, within=use, hint=hint)
            if unknown:
                continue
            try:
                parse(fill(template.value, _FILLED), subject.domain.grammar)
            except StatementError as error:
                message = f"`{template.value}` is no statement: {error}"
                yield subject.problem(PERFORMED_BY, message, performed, within=use)
