"""The command with a running server, and the demonstration that the server begins with."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from uuid import uuid4

import pytest

from app.cli.demo import curl
from app.cli.question import plan_request
from tests.bench.generated import write_world
from tests.processes import run, serving, stand_alone

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "schemas" / "examples" / "bkn-dac"
FEASIBLE = "Friend2 MM-Moves Persona2ID From MLocFriend2 To MVS With SA6"
REFUSED = "Friend2 MM-Moves Persona2ID From MLocFriend2 To RoomID With SA6"


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stand_alone(monkeypatch, tmp_path)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a running server that showed the demonstration, and what it printed."""
    with serving(tmp_path_factory.mktemp("served"), "--demo") as (_, address, printed):
        yield address, "".join(printed)


def test_the_running_server_is_asked(server: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    address, _ = server
    monkeypatch.setenv("DOMAIN_ACCESS_PORT", address.rpartition(":")[2])
    result = run("feasible", REFUSED)
    assert result.stderr == f"asking {address}\n"
    assert result.exit_code == 1
    assert f"GET {address}/v1/answers/" in result.stdout
    assert not Path(os.environ["DOMAIN_ACCESS_DATA"]).exists(), "its data stays its own"


def test_the_answer_of_the_server_is_that_of_the_process(server: tuple[str, str]) -> None:
    here = json.loads(run("feasible", "--json", FEASIBLE, REFUSED).stdout)
    there = json.loads(run("feasible", "--json", "--url", server[0], FEASIBLE, REFUSED).stdout)
    assert there["Feasibility"] == here["Feasibility"]


def test_the_user_is_set_at_the_server(server: tuple[str, str]) -> None:
    arguments = ["--url", server[0], "--user", "Friend2", FEASIBLE.removeprefix("Friend2 ")]
    assert run("feasible", *arguments).exit_code == 0


@pytest.mark.parametrize("before", [True, False], ids=["of the group", "of the command"])
def test_releases_are_those_of_the_server_at_the_url(server: tuple[str, str], before: bool) -> None:
    url = ["--url", server[0]]
    done = run("releases", *url, "list", "--json") if before else run("releases", "list", *url, "--json")
    assert (done.exit_code, done.stderr) == (0, f"asking {server[0]}\n")
    assert "this_process" in json.loads(done.stdout)
    assert run("releases", *url, "rollback").exit_code == 4
    assert run("releases", "--url", "nonsense", "list", *url).exit_code == 0, "the nearer one goes before"


def test_faults_of_the_server_are_told_as_those_of_the_process(server: tuple[str, str]) -> None:
    path = str(EXAMPLES / "invalid" / "unknown_member.misspelt_terms.json")
    here, there = run("ask", path), run("ask", path, "--url", server[0])
    assert here.exit_code == there.exit_code == 4
    assert here.stderr.splitlines()[1:] == there.stderr.splitlines()[1:]
    as_json = [json.loads(run("ask", path, "--json", *url).stdout) for url in ([], ["--url", server[0]])]
    assert as_json[0] == as_json[1]


def test_something_else_at_the_port_is_no_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = subprocess.Popen(
        [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert other.stdout is not None
        found = re.search(r"port (\d+)", other.stdout.readline())
        assert found is not None
        monkeypatch.setenv("DOMAIN_ACCESS_PORT", found[1])
        result = run("feasible", FEASIBLE)
        assert result.exit_code == 0
        assert "in this process" in result.stderr
        assert run("feasible", "--url", f"http://127.0.0.1:{found[1]}", FEASIBLE).exit_code == 3
    finally:
        other.kill()
        other.communicate()


def test_a_server_that_ends_during_a_load_leaves_its_sender_told(tmp_path: Path) -> None:
    """Killed while it validates: what was sent may be done or not, and the next start shows which."""
    document, data = tmp_path / "Measured.nt", tmp_path / "data"
    write_world(document, 5_000)
    with serving(data) as (process, address, _):

        def kill_at_work() -> None:
            for _ in range(1_000):
                if b'"doing"' in urllib.request.urlopen(f"{address}/v1/worlds").read():
                    break
                time.sleep(0.02)
            process.kill()

        killing = Thread(target=kill_at_work)
        killing.start()
        result = run("world", "load", str(document), "--url", address)
        killing.join()
    assert result.exit_code == 3
    assert "gave no whole answer" in result.stderr
    assert "look before you send it again" in result.stderr
    with serving(data) as (_, address, _):
        listed = json.loads(run("world", "list", "--json", "--url", address).stdout)
        assert [each["m_instance"] for each in listed] == ["MI1"]


# The demonstration


def test_the_demonstration_judges_the_example_plan(server: tuple[str, str]) -> None:
    _, printed = server
    plan = tomllib.loads((ROOT / "ontologies" / "friends_meet" / "golden" / "plan.toml").read_text())
    expected = {str(step["step"]): step["status"] for step in plan["turn"][0]["step"]}
    statuses = "|".join(set(expected.values()))
    found = dict(re.findall(rf"^ +(\d+) +\S.*? +({statuses}) ", printed, re.M))
    assert len(found) >= 20
    assert found == expected


def test_the_question_to_paste_is_answered_as_printed(server: tuple[str, str]) -> None:
    _, printed = server
    (line,) = [each for each in printed.splitlines() if each.startswith("curl -sS ")]
    if shutil.which("curl") and shutil.which("sh"):
        answers = [subprocess.run(["sh", "-c", line], capture_output=True, check=True).stdout for _ in range(2)]
    else:
        answers = [sent(line) for _ in range(2)]
    assert answers[0] == answers[1], "pasted again it gets the same Response"
    answered = json.loads(answers[0])
    assert answered["Outcome"] == "answered"
    assert answered["Feasibility"]["Steps"][0]["PAStatus"] == "InsRights"


def sent(line: str) -> bytes:
    """What the printed line asks curl for, without curl."""
    words = shlex.split(line)
    header, body = words[words.index("-H") + 1], words[words.index("-d") + 1]
    asked = urllib.request.Request(words[2], body.encode(), dict([header.split(": ", 1)]))
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(asked) as response:
        answered: bytes = response.read()
    return answered


def test_the_question_to_paste_needs_no_curl(server: tuple[str, str]) -> None:
    (line,) = [each for each in server[1].splitlines() if each.startswith("curl -sS ")]
    assert json.loads(sent(line))["Outcome"] == "answered"


def test_the_explanation_that_is_pointed_to_is_there(server: tuple[str, str]) -> None:
    (line,) = [each for each in server[1].splitlines() if each.startswith("Explanation: ")]
    url = line.split()[-1]
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url) as response:
        assert len(json.load(response)["steps"]) >= 20


def test_a_quote_in_a_statement_survives_the_shell() -> None:
    raw = plan_request([(0, 'Friend1 MM-Sends M1 To Friend2 With "it\'s $HOME `x`"')], "MI1", "UE1", str(uuid4()))
    words = shlex.split(curl("http://127.0.0.1:1", raw, with_token=True))
    assert words[-1].encode() == raw
    assert "Authorization: Bearer $DOMAIN_ACCESS_TOKEN" in words
