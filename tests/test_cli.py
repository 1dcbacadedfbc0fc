"""The command `domain-access`: what it prints and what it ends with."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from app.cli import main
from app.cli.question import plan_request
from app.cli.show import Reason, plain, show_response
from app.exchange import faults_of
from tests.exchange_documents import REFUSED as REFUSED_EXAMPLES
from tests.processes import environment, run, stand_alone

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "schemas" / "examples" / "bkn-dac"
FEASIBLE = "Friend2 MM-Moves Persona2ID From MLocFriend2 To MVS With SA6"
REFUSED = "Friend2 MM-Moves Persona2ID From MLocFriend2 To RoomID With SA6"
COMMANDS = [
    *("serve", "mcp", "ask", "feasible", "ground", "explain", "validate", "rules", "settings", "world", "releases"),
    *("new-pack", "check", "test", "diff", "release", "doc"),
]


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stand_alone(monkeypatch, tmp_path)


# Help


def test_help_names_every_command_and_exit_code() -> None:
    said = run("--help").stdout
    assert all(re.search(rf"^ +{command} ", said, re.M) for command in COMMANDS)
    assert [int(code) for code in re.findall(r"^ +(\d)  ", said, re.M)] == [0, 1, 2, 3, 4]
    assert list(main.list_commands(main.make_context("domain-access", [], resilient_parsing=True))) == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shows_examples(command: str) -> None:
    said = run(command, "--help").stdout
    assert "Examples:" in said
    assert f"  domain-access {command}" in said


def examples_of(command: str) -> list[str]:
    said = CliRunner().invoke(main, [command, "--help"]).stdout
    return re.findall(r"^ +domain-access (.*)$", said, re.M)


@pytest.mark.parametrize("example", examples_of("feasible"))
def test_the_examples_of_feasible_are_judged(example: str) -> None:
    result = run(*shlex.split(example))
    assert result.exit_code in {0, 1}
    assert "FaultyReq" not in result.stdout


def test_feasible_has_examples() -> None:
    assert len(examples_of("feasible")) == 3


def test_the_version_is_that_of_the_project() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert run("--version").stdout.split() == ["domain-access,", "version", declared]


def test_help_imports_nothing_heavy() -> None:
    heavy = "fastapi pydantic rich sqlalchemy rdflib pyoxigraph structlog uvicorn app.service app.settings"
    code = (
        "import sys\nfrom app.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        f"print('heavy:', *sorted(set({heavy.split()!r}) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.splitlines()[-1].strip() == "heavy:"


def test_the_module_is_the_command(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "app", "feasible", REFUSED],
        capture_output=True,
        text=True,
        env=environment(tmp_path, port=os.environ["DOMAIN_ACCESS_PORT"]),
        cwd=ROOT,
    )
    assert done.returncode == 1
    assert "InsRights" in done.stdout
    assert "\x1b" not in done.stdout, "a pipe gets no colours"
    assert "in this process" in done.stderr


# Exit codes


def test_a_feasible_plan_ends_with_0() -> None:
    result = run("feasible", FEASIBLE)
    assert (result.exit_code, "Overall: feasible" in result.stdout) == (0, True)


def test_a_plan_that_is_not_wholly_feasible_ends_with_1() -> None:
    result = run("feasible", FEASIBLE, REFUSED)
    assert (result.exit_code, "Overall: partially_feasible" in result.stdout) == (1, True)
    assert run("feasible", REFUSED).exit_code == 1


def test_what_is_not_answered_ends_with_1() -> None:
    asked = json.loads((EXAMPLES / "valid" / "commitment_request.json").read_bytes())
    asked = {name: value for name, value in asked.items() if "Commitment" not in name}
    result = run("ask", "-", input=json.dumps(asked).encode())
    assert (result.exit_code, "Outcome: not_answered" in result.stdout) == (1, True)


@pytest.mark.parametrize(
    "arguments",
    [["feasible"], ["ask"], ["ask", "none.json"], ["sreve"], ["serve", "--port", "x"], ["feasible", "--bad", "x"]],
    ids=" ".join,
)
def test_wrong_usage_ends_with_2(arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith(("Usage:", "Error:"))


def test_a_wrong_setting_ends_with_2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOMAIN_ACCESS_LOG_LEVEL", "loud")
    for command in (["settings"], ["rules"], ["feasible", FEASIBLE], ["serve"]):
        result = run(*command)
        assert result.exit_code == 2
        assert "error: DOMAIN_ACCESS_LOG_LEVEL: `loud` is no value for `log_level`" in result.stderr


@pytest.mark.parametrize("url", ["nonsense", "ftp://127.0.0.1", "http://", "http://127.0.0.1:x"])
def test_what_is_no_address_ends_with_2(url: str) -> None:
    assert run("feasible", "--url", url, FEASIBLE).exit_code == 2


def test_no_server_at_the_url_ends_with_3() -> None:
    result = run("feasible", "--url", f"http://127.0.0.1:{os.environ['DOMAIN_ACCESS_PORT']}", FEASIBLE)
    assert result.exit_code == 3
    assert "no Domain Access answers at" in result.stderr


def test_packs_that_cannot_be_read_end_with_3(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOMAIN_ACCESS_ONTOLOGIES", str(tmp_path))
    for command in (["rules"], ["feasible", FEASIBLE], ["serve", "--demo", "--port", "0"]):
        result = run(*command)
        assert result.exit_code == 3
        assert "error: " in result.stderr
        assert "[pack_unreadable]" in result.stderr


def test_a_refused_message_ends_with_4_and_lists_every_fault() -> None:
    asked = json.loads((EXAMPLES / "valid" / "feasibility_request.json").read_bytes())
    asked |= {"TurnIndex": -1, "Kind": "feasability"}
    result = run("ask", "-", input=json.dumps(asked).encode())
    assert result.exit_code == 4
    assert "error: /TurnIndex: " in result.stderr
    assert "error: /Kind: " in result.stderr
    assert "`feasibility`" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("path", REFUSED_EXAMPLES, ids=lambda path: path.stem)
def test_a_refused_message_is_a_problem_as_json(path: Path) -> None:
    result = run("ask", str(path), "--json")
    assert result.exit_code == 4
    assert path.name.split(".")[0] in {fault["code"] for fault in json.loads(result.stdout)["errors"]}


def test_an_unknown_m_instance_ends_with_4() -> None:
    result = run("feasible", "--m-instance", "MI2", FEASIBLE)
    assert result.exit_code == 4
    assert "did you mean `MI1`?" in result.stderr


# What it prints


def test_the_response_as_json_is_the_response() -> None:
    result = run("feasible", "--json", FEASIBLE, REFUSED)
    answered = json.loads(result.stdout)
    assert faults_of(answered).faults == ()
    assert [step["PAStatus"] for step in answered["Feasibility"]["Steps"]] == ["Ack", "InsRights"]


def test_the_table_has_step_statement_status_and_reason() -> None:
    said = run("feasible", FEASIBLE, REFUSED).stdout
    assert re.search(r"Step +Statement +PA Status +Reason", said)
    assert re.search(r"^ +0 +Friend2 MM-Moves .* Ack ", said, re.M)
    assert re.search(r"^ +1 +Friend2 MM-Moves .* InsRights ", said, re.M)
    assert "not_permitted" in said
    query_id = re.search(r"^QueryID: (\S+)$", said, re.M)
    assert query_id is not None
    assert f"/v1/answers/{query_id[1]}/explanation" in said


def test_the_user_acts_where_no_process_is_named() -> None:
    statement = FEASIBLE.removeprefix("Friend2 ")
    assert run("feasible", statement).exit_code == 1
    assert run("feasible", "--user", "Friend2", statement).exit_code == 0
    assert run("feasible", "--user", "Nobody", statement).exit_code == 4


def test_a_request_made_here_conforms() -> None:
    raw = plan_request([(0, FEASIBLE), (7, 'say "ö"')], "MI1", "UE1", "s")
    assert faults_of(json.loads(raw)) == faults_of(
        json.loads((EXAMPLES / "valid" / "feasibility_request.json").read_bytes())
    )
    assert faults_of(json.loads(raw)).faults == ()


def test_other_kinds_are_readable_text(capsys: pytest.CaptureFixture[str]) -> None:
    response = {
        "QueryID": "q",
        "Outcome": "partially_answered",
        "Answer": {
            "Text": "two senses",
            "ObjectClasses": [{"Class": "https://x.example/Bank", "Label": "Bank", "Confidence": 0.75}],
            "Relations": [{"Subject": "bank", "Predicate": "dac:groundsTo", "Object": "https://x.example/Bank"}],
            "Affordances": [{"EntityID": "Door1", "Action": "Open"}, {"Action": "Wait"}],
            "Constraints": ["closed at night"],
            "BehaviouralExpectations": ["greet"],
        },
        "CommitmentStatus": [{"CommitmentID": "c1", "Status": "retained"}],
        "Failure": {"Service": "w@1", "Request": "facts", "Nature": "transient"},
    }
    show_response({}, response, "GET /{}")
    assert capsys.readouterr().out.splitlines() == [
        "Outcome: partially_answered",
        "two senses",
        "- Bank <https://x.example/Bank> (75%)",
        "- bank dac:groundsTo https://x.example/Bank",
        "- Door1: Open",
        "- Wait",
        "- Constraints: closed at night",
        "- Expected: greet",
        "- commitment c1: retained",
        "Failure (transient): w@1, asked: facts",
        "QueryID: q",
        "Explanation: GET /q",
    ]


def test_a_step_that_was_not_judged_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    steps: list[dict[str, Any]] = [{"Step": 1, "Statement": "b"}, {"Step": 0, "Statement": "a"}]
    judged = {"Steps": [{"Step": 0, "PAStatus": "Ack"}], "Overall": "partially_feasible"}
    show_response({"ProcessActions": steps}, {"QueryID": "q", "Outcome": "answered", "Feasibility": judged}, "{}")
    said = capsys.readouterr().out
    assert re.search(r"0 +a +Ack", said)
    assert re.search(r"1 +b +not judged", said)
    assert said.index("Ack") < said.index("not judged")


def test_what_a_user_wrote_steers_no_terminal_and_no_markup() -> None:
    said = run("feasible", "Friend2 \x1b[31mMM-Moves [red]x[/red] :smile:").stdout
    assert "\x1b" not in said
    assert "[red]x[/red]" in said
    assert ":smile:" in said
    assert plain("a\x1b[1mb\r\nc\x00\u202e") == "a\ufffd[1mb\ufffd\nc\ufffd\ufffd"


def rendered(text: str, width: int) -> list[str]:
    console = Console(file=StringIO(), width=width, color_system=None)
    lines = console.render_lines(Reason(text), console.options, pad=False)
    return ["".join(segment.text for segment in line) for line in lines]


def pointed_at(lines: list[str]) -> str:
    """The text above the marks, put together again from the pieces."""
    found = ""
    for above, below in pairwise(lines):
        if re.fullmatch(r" *[~^]+ *", below):
            columns: list[str] = []
            for character in above:
                columns += [character, *[""] * (cell_len(character) - 1)]
            marked = [n for n, mark in enumerate(below) if mark in "~^"]
            found += "".join(columns[n] for n in marked if n < len(columns))
    return found


@given(
    before=st.text("ab 界é", min_size=1, max_size=60),
    place=st.text("xy界", min_size=1, max_size=30),
    after=st.text("cd 界", max_size=60),
    width=st.integers(4, 130),
)
def test_a_pointer_points_at_its_place_at_any_width(before: str, place: str, after: str, width: int) -> None:
    mark = " " * cell_len(before) + "~" * (cell_len(place) - 1) + "^"
    assert pointed_at(rendered(f"no\n{before}{place}{after}\n{mark}", width)) == place


def test_the_pointer_of_a_true_reason_stays_with_its_word() -> None:
    statement = "Friend1 MM-Mvoes Persona1ID From MVS To ParcelID With SA2"
    said = run("feasible", statement).stdout.splitlines()
    at = next(n for n, line in enumerate(said) if "~~~^" in line)
    first = said[at].index("~")
    assert said[at - 1][first : said[at].index("^") + 1] == "MM-Mvoes"


def test_rules_are_listed_with_status_and_title() -> None:
    listed = json.loads(run("rules", "--json").stdout)
    files = sorted(path.stem for path in (ROOT / "rules" / "pa_status").glob("*.toml"))
    assert sorted(rule["id"] for rule in listed if rule["source"].startswith("core@")) == files
    table = run("rules").stdout
    assert all(rule["id"] in table for rule in listed)
    ranks = [line.split()[1] for line in table.splitlines()[3:] if line[1:2].strip()]
    assert ranks == [rule["status"] for rule in listed]
