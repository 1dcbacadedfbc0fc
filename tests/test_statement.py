"""Statements: every production and every fault of the language, as data in tests/statements/*.toml.

A case gives `text` and either `formatted` and `tree`, or `error` (part of the message) and `at` (the text of the
place). The notation of `tree`:

    Friend1 > May MM-Add | Nil Persona1ID | With Rights[Model] | @ 2025-01-31T09:30:00Z
    - > MM-Add~MM-Embed                  no Process named; an older name was written
    'Personal Data'  <urn:x>  Message:"hi"  #3 m  @6/Account       objects other than one word
    A && B ?? AND(C, NOT(D)) => Ack      Process Actions, Event, PA Status
"""

from __future__ import annotations

import json
import re
import tomllib
from datetime import datetime, timedelta, timezone
from functools import cache
from pathlib import Path

import pytest

from app.edition import Edition
from app.errors import Code, PackError, StatementError
from app.model import (
    Complement,
    Event,
    Iri,
    Number,
    Object,
    PAStatus,
    Preposition,
    ProcessAction,
    Quoted,
    Statement,
    Word,
)
from app.rules import load
from app.statement import ActionForm, Grammar, format, format_action, is_word, parse, third_person

FOLDER = Path(__file__).parent / "statements"
DATA = tomllib.loads((FOLDER / "grammar.toml").read_text("utf-8"))
FORMS = tuple(ActionForm(name, tuple(older)) for name, older in DATA["actions"].items())
GRAMMAR = Grammar.of(FORMS, DATA["labels"])
FILES = sorted(path for path in FOLDER.glob("*.toml") if path.name != "grammar.toml")
CASES: dict[str, dict[str, str]] = {}
for _path in FILES:
    for _case in tomllib.loads(_path.read_text("utf-8"))["case"]:
        _id = f"{_path.stem}::{_case['name']}"
        assert _id not in CASES, f"{_id} is there twice"
        CASES[_id] = _case
READ = {id_: case for id_, case in CASES.items() if "tree" in case}


def tree(statement: Statement) -> str:
    """The value in the notation of the cases; written apart from the formatter on purpose."""
    text = " && ".join(_action(action) for action in statement.actions)
    if statement.event:
        text += f" ?? {_event(statement.event)}"
    return text + (f" => {statement.status.value}" if statement.status else "")


def _action(action: ProcessAction) -> str:
    name = action.action + (f"~{action.written_action}" if action.written_action else "")
    deontic = f"{action.deontic.value} " if action.deontic else ""
    parts = [f"{_object(action.process) if action.process else '-'} > {deontic}{name}"]
    parts += [f"{c.preposition.value} {_object(c.object)}" for c in action.complements]
    if action.at_time:
        parts.append(f"@ {action.at_time.isoformat().replace('+00:00', 'Z')}")
    return " | ".join(parts)


def _object(value: Object) -> str:
    if isinstance(value, Word):
        name = f"'{value.name}'" if " " in value.name else value.name
        return f"{name}[{value.status}]" if value.status else name
    if isinstance(value, Quoted):
        text = json.dumps(value.text, ensure_ascii=False)
        return f"{_object(Word(value.type))}:{text}" if value.type else text
    if isinstance(value, Iri):
        return f"<{value.iri}>"
    if isinstance(value, Number):
        return f"#{value.value} {value.unit}".rstrip()
    return f"@{value.step}" + (f"/{value.result}" if value.result else "")


def _event(event: Event | ProcessAction) -> str:
    if isinstance(event, ProcessAction):
        return _action(event)
    return f"{event.operator or ''}({', '.join(_event(operand) for operand in event.operands)})"


def refused(text: str) -> StatementError:
    """The error that the text must give."""
    with pytest.raises(StatementError) as caught:
        parse(text, GRAMMAR)
    return caught.value


def actions_of(event: Event | ProcessAction) -> list[ProcessAction]:
    """The Process Actions of an Event."""
    return [event] if isinstance(event, ProcessAction) else [a for o in event.operands for a in actions_of(o)]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_case_is_read_written_or_refused_as_it_says(case: dict[str, str]) -> None:
    """What a case states is what the parser and the formatter do, and the written text reads as the same value."""
    text = case["text"]
    if "error" in case:
        (fault,) = refused(text).faults
        start, end = map(int, fault.where.split("-"))
        assert case["error"] in fault.message
        assert text[start:end] == case["at"]
        assert fault.code is Code.NO_STATEMENT
        return
    statement = parse(text, GRAMMAR)
    assert tree(statement) == case["tree"]
    assert format(statement) == case["formatted"]
    assert parse(case["formatted"], GRAMMAR) == statement
    assert statement.text == text


@pytest.mark.parametrize("case", READ.values(), ids=READ)
def test_every_object_is_where_its_span_says(case: dict[str, str]) -> None:
    """Read alone, the characters of a span give the same object again."""
    text = case["text"]
    statement = parse(text, GRAMMAR)
    actions = [*statement.actions, *(actions_of(statement.event) if statement.event else ())]
    for action in actions:
        if action.process is not None:
            start, end = action.process.span
            assert parse(f"{text[start:end]} Must Post", GRAMMAR).actions[0].process == action.process
        for complement in action.complements:
            start, end = complement.object.span
            read = parse(f"Someone Posts With {text[start:end]} With Last", GRAMMAR).actions[0]
            assert read.complements[0].object == complement.object
            assert action.span[0] <= start < end <= action.span[1]


def test_every_case_of_every_file_is_run() -> None:
    """The number found equals the number of `[[case]]` lines, and each case says what it expects."""
    written = sum(len(re.findall(r"^\[\[case\]\]$", path.read_text("utf-8"), re.M)) for path in FILES)
    assert len(CASES) == written >= 120
    for case in CASES.values():
        assert set(case) in ({"name", "text", "formatted", "tree"}, {"name", "text", "error", "at"})


ONLY_HERE = ("Model Train", "Post Office", "Terms and Conditions", "Virtual Guide")
"""Labels of the grammar of the cases that no pack has."""


@cache
def whole_grammar() -> Grammar:
    """What the project itself reads statements with: its Action files, and the names of every class of every pack."""
    root = FOLDER.parents[1]
    packs = sorted(path.parent.name for path in root.glob("ontologies/*/pack.toml"))
    return load(Edition(root / "ontologies", root / "rules"), packs).grammar


@pytest.mark.parametrize("id_", CASES)
def test_the_grammar_of_the_project_reads_a_case_the_same(id_: str) -> None:
    """No name of a pack changes what a statement says, nor lets one through."""
    case = CASES[id_]
    if any(label in case["text"] for label in ONLY_HERE):
        pytest.skip("no pack has its label")
    if "error" in case:
        with pytest.raises(StatementError) as refused:
            parse(case["text"], whole_grammar())
        assert case["error"] in refused.value.faults[0].message
    else:
        assert tree(parse(case["text"], whole_grammar())) == case["tree"]


def test_a_name_of_several_words_is_read_in_every_language_of_the_packs() -> None:
    """Label or synonym; but no label of a property, nor one that begins as a norm does."""
    for text, read in (
        ("User MM-Adds Persona At Luogo del metaverso", "User > MM-Add | Nil Persona | At 'Luogo del metaverso'"),
        ("User Changes Rights Of Receiver", "User > Rights Change~Change | Nil Rights | Of Receiver"),
        ("May Not MM-Add Persona At MVS", "- > May Not MM-Add | Nil Persona | At MVS"),
    ):
        assert tree(parse(text, whole_grammar())) == read


def test_the_cases_reach_every_action_preposition_and_status() -> None:
    """No Action, older name, preposition or PA Status is left without a case."""
    read = [parse(case["text"], GRAMMAR) for case in READ.values()]
    actions = [action for statement in read for action in statement.actions]
    assert {action.action for action in actions} == {form.name for form in FORMS}
    assert {c.preposition for action in actions for c in action.complements} == set(Preposition)
    assert {statement.status for statement in read} == {None, *PAStatus}
    assert {action.written_action for action in actions} == {"", *(older for form in FORMS for older in form.older)}


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
@pytest.mark.parametrize("spelling", ["base", "third person", "upper case", "one word"])
def test_an_action_is_read_however_it_is_written(form: ActionForm, spelling: str) -> None:
    """Base verb, third person, any case, and two words written as one are the same Action."""
    third = third_person(form.name)
    written = {
        "base": form.name,
        "third person": third,
        "upper case": third.upper(),
        "one word": third.replace(" ", ""),
    }
    statement = parse(f"Friend1 {written[spelling]} X", GRAMMAR)
    assert tree(statement) == f"Friend1 > {form.name} | Nil X"


@pytest.mark.parametrize(
    "base, third",
    [
        ("Identify", "Identifies"),
        ("MM-Move", "MM-Moves"),
        ("Property Change", "Property Changes"),
        ("Post", "Posts"),
        ("Obey", "Obeys"),
        ("Express", "Expresses"),
        ("Fix", "Fixes"),
        ("Buzz", "Buzzes"),
        ("Teach", "Teaches"),
        ("Push", "Pushes"),
        ("Go", "Goes"),
    ],
)
def test_the_third_person_of(base: str, third: str) -> None:
    """Third persons follow English spelling."""
    assert third_person(base) == third


def test_the_place_is_underlined_up_to_a_caret() -> None:
    """The hint is the statement and a line of marks under the place; `where` and `clause` are set."""
    (fault,) = refused("Friend1 MM-Adds Persona1ID Att MVS").faults
    assert fault.hint == (
        "Friend1 MM-Adds Persona1ID Att MVS\n"  #
        "                           ~~^"
    )
    assert (fault.where, fault.clause) == ("27-30", "MMM-TEC V2.2 Process Actions")


def test_tabs_and_line_ends_count_as_one_column_in_the_hint() -> None:
    """White space other than a space is shown as one, so that the marks stand right."""
    (fault,) = refused("Friend1\tMM-Adds\nPersona1ID\r\nAtt MVS").faults
    assert fault.hint == (
        "Friend1 MM-Adds Persona1ID  Att MVS\n"  #
        "                            ~~^"
    )


def test_wide_characters_take_two_columns_and_combining_marks_none() -> None:
    """The marks stand right on a terminal in any script."""
    (fault,) = refused("友人 MM-Adds e\u0301 Att MVS").faults
    assert fault.hint == (
        "友人 MM-Adds e\u0301 Att MVS\n"  #
        "               ~~^"
    )


def test_a_long_statement_is_cut_around_the_place() -> None:
    """Only a window of a long statement is shown, and the marks stand under the word."""
    text = "Friend1 MM-Adds X" + " With SA1" * 400 + " Wiht SA2" + " With SA3" * 400
    (fault,) = refused(text).faults
    line, marks = fault.hint.split("\n")
    assert len(line) < 90
    assert line.startswith("…")
    assert line.endswith("…")
    assert line[marks.index("~") : len(marks)] == "Wiht"
    assert "the nearest is `With`" in fault.message


def test_a_long_word_is_cut_in_message_and_hint() -> None:
    """No message repeats thousands of characters."""
    (fault,) = refused("Friend1 " + "x" * 5000).faults
    assert len(fault.message) < 120
    assert all(len(line) < 90 for line in fault.hint.split("\n"))


def test_the_end_of_the_text_is_a_place_too() -> None:
    """Where something is missing at the end, the place is after the last token and has no width."""
    (fault,) = refused("Friend1 MM-Adds X At  ").faults
    assert fault.where == "20-20"
    assert fault.hint == "Friend1 MM-Adds X At  \n                    ^"


def test_half_of_a_surrogate_pair_is_refused() -> None:
    """What is no Unicode text is refused at its place, and no message repeats it."""
    (fault,) = refused("Friend1 Posts \ud800X").faults
    assert (fault.where, fault.message) == ("14-15", "half of a surrogate pair is no character")
    fault.hint.encode("utf-8")


def test_an_event_is_64_deep_at_most() -> None:
    """Chains, parentheses and NOT alike; beyond it is a StatementError, however deep."""
    fine = [
        "A Posts If B Posts" + " AND B Posts" * 64,
        "A Posts If " + "NOT " * 64 + "B Posts",
        "A Posts If " + "(" * 64 + "B Posts" + ")" * 64,
    ]
    for text in fine:
        statement = parse(text, GRAMMAR)
        assert parse(format(statement), GRAMMAR) == statement
    for text in [
        "A Posts If B Posts" + " AND B Posts" * 65,
        "A Posts If " + "NOT " * 65 + "B Posts",
        "A Posts If " + "(" * 65 + "B Posts" + ")" * 65,
        "A Posts If " + "(" * 5000,
        "A Posts If " + "NOT (" * 5000 + "B Posts",
        "A Posts If NOT (" + "B Posts" + " AND B Posts" * 64 + ")",
    ]:
        assert "an Event is at most 64 deep" in str(refused(text))


def test_one_process_action_is_written_without_its_statement() -> None:
    """A Process Action is written alone, with the second full stop if its last name ends with one."""
    statement = parse("Friend1 Posts X At Y. and Friend2 May Register Z If A Posts Ack", GRAMMAR)
    assert [format_action(action) for action in statement.actions] == [
        "Friend1 Posts X At Y..",
        "Friend2 May Register Z",
    ]


def test_a_value_without_zone_is_written_as_utc() -> None:
    """Times are written in UTC; one without a zone is taken for it."""
    naive = ProcessAction(Word("A"), "Post", at_time=datetime(2025, 1, 31, 9, 30))
    east = ProcessAction(Word("A"), "Post", at_time=datetime(2025, 1, 31, 9, 30, tzinfo=timezone(timedelta(hours=2))))
    assert format_action(naive) == "A Posts At 2025-01-31T09:30:00Z"
    assert format_action(east) == "A Posts At 2025-01-31T07:30:00Z"


@pytest.mark.parametrize(
    "name", ["Persona1ID", "UserA,i", "M-Locationi.k", "Tür", "@alice", "3DModel", "Ack", "it's"]
)
def test_these_names_stand_as_one_word(name: str) -> None:
    """What `is_word` accepts is read back as that Word."""
    assert is_word(name)
    action = ProcessAction(Word("Friend1"), "Post", (Complement(Preposition.WITH, Word(name)),))
    assert parse(format_action(action), GRAMMAR).actions == (action,)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "My Room",
        "At",
        "nil",
        "If",
        "AND",
        "xor",
        "not",
        "Model",
        "ModelRights",
        "3",
        "3m",
        "@6",
        "@6.X",
        "a(b)",
        "<a>",
        'say"',
        "a,",
        "“a”",
        "2025-01-31T09:30:00Z",
        "\ud800",
        "May",
        "must",
    ],
)
def test_these_names_need_an_iri(name: str) -> None:
    """`is_word` refuses what would be read as something else."""
    assert not is_word(name)


def test_labels_that_cannot_be_written_are_left_out() -> None:
    """A label that begins with a reserved word or holds other than words is no label for the parser."""
    grammar = Grammar.of(FORMS, ["At Home", 'so "called"', "Item (virtual)", "", "Personal Data"])
    assert grammar.labels == {"personal": (("personal", "data"),)}


def test_the_longest_label_wins() -> None:
    """Of labels that begin alike the longest that fits is read, in any case."""
    grammar = Grammar.of(FORMS, ["Personal Data", "Personal Data Store", "Personal"])
    statement = parse("Friend1 Posts Personal data store With PERSONAL Data", grammar)
    assert tree(statement) == "Friend1 > Post | Nil 'Personal data store' | With 'PERSONAL Data'"


def test_the_longest_action_wins() -> None:
    """Of Actions that begin alike the longest that fits is read."""
    grammar = Grammar.of([ActionForm("Move"), ActionForm("Move Camera Away"), ActionForm("Move Camera")])
    read = [tree(parse(f"A {written}", grammar)) for written in ("Move Camera Away", "Move Camera", "Move Away")]
    assert read == ["A > Move Camera Away", "A > Move Camera", "A > Move | Nil Away"]


def test_a_label_of_one_word_is_no_number() -> None:
    """A label that looks like number and unit is a name."""
    assert tree(parse("Friend1 Posts 3D", Grammar.of(FORMS, ["3D"]))) == "Friend1 > Post | Nil 3D"


def test_a_present_name_holds_against_an_older_one() -> None:
    """An older name never hides the present name of another Action."""
    grammar = Grammar.of([ActionForm("Discover", ("Inform",)), ActionForm("Inform")])
    assert tree(parse("Friend1 Informs", grammar)) == "Friend1 > Inform"


@pytest.mark.parametrize(
    "actions, message",
    [
        ([ActionForm("At")], "`At` cannot be the name of an Action"),
        ([ActionForm("Post (it)")], "`Post (it)` cannot be the name of an Action"),
        ([ActionForm("")], "`` cannot be the name of an Action"),
        ([ActionForm("A", ("X",)), ActionForm("B", ("X",))], "`X` is claimed by the Actions `A` and `B`"),
        ([ActionForm("Move"), ActionForm("Moves")], "`Moves` is claimed by the Actions `Move` and `Moves`"),
    ],
)
def test_a_grammar_refuses_names_that_cannot_be_told(actions: list[ActionForm], message: str) -> None:
    """A name that could not be written, or that two Actions claim, is a PackError."""
    with pytest.raises(PackError) as caught:
        Grammar.of(actions)
    assert message in [fault.message for fault in caught.value.faults]


def test_a_grammar_reports_all_its_faults() -> None:
    """All the names that are wrong are told at once."""
    with pytest.raises(PackError) as caught:
        Grammar.of([ActionForm("At"), ActionForm("With", ("If",))])
    assert len(caught.value.faults) == 3
