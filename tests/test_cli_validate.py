"""`domain-access validate`: files, folders, JSON lines, stdin; what it prints and what it ends with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.cli.validating import _NAMES
from app.exchange import EXCHANGES
from tests.exchange_documents import ALL_EXAMPLES, example
from tests.processes import run

STANCE = ALL_EXAMPLES / "bkn-pal" / "valid" / "stance_request.json"


def found(*arguments: str, input: bytes | None = None) -> tuple[int, list[dict[str, Any]]]:
    """The exit code, and the messages of `--format json`."""
    result = run("validate", "--format", "json", *arguments, input=input)
    told = json.loads(result.stdout)
    assert told["conforms"] == (result.exit_code == 0) == all(each["conforms"] for each in told["messages"])
    return result.exit_code, told["messages"]


def lines(*messages: Any) -> bytes:
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def test_the_exchanges_that_can_be_named_are_those_there_are() -> None:
    assert list(_NAMES) == list(EXCHANGES)


def test_folders_are_searched() -> None:
    code, messages = found(str(ALL_EXAMPLES / "bkn-dac"), str(ALL_EXAMPLES / "bkn-usr" / "valid"))
    assert (code, len(messages)) == (1, 36)
    for each in messages:
        assert each["conforms"] == ("/valid/" in each["source"])
        assert each["exchange"] == ("BKN-USR" if "/bkn-usr/" in each["source"] else "BKN-DAC")
    assert found(str(ALL_EXAMPLES / "bkn-prc" / "valid"))[0] == 0


def test_text_tells_every_fault_with_place_code_hint_and_clause(tmp_path: Path) -> None:
    message = example("bkn-pal", "stance_request") | {"Kind": "x", "TurnIndex": -1}
    (tmp_path / "m.json").write_text(json.dumps(message))
    result = run("validate", str(tmp_path / "m.json"), str(STANCE))
    assert result.exit_code == 1
    first, *faults, good, summary = result.stdout.splitlines()
    assert first == f"{tmp_path / 'm.json'}: does not conform (BKN-PAL)"
    assert [line.split()[:2] for line in faults] == [["error:", "/Kind:"], ["error:", "/TurnIndex:"]]
    assert "[out_of_range]; expected: an integer from 0; see BKN-PAL, common properties" in faults[1]
    assert good == f"{STANCE}: conforms (BKN-PAL)"
    assert summary == "messages: 2, not conforming: 1, warnings: 0"


def test_warnings_are_told_apart_and_do_not_count(tmp_path: Path) -> None:
    message = example("bkn-pal", "stance_request")
    del message["QueryTime"]["SimpleTimeData"][0]["AccuracyMode"]
    (tmp_path / "m.json").write_text(json.dumps(message))
    result = run("validate", str(tmp_path))
    assert result.exit_code == 0
    assert "  warning: /QueryTime/SimpleTimeData/0/AccuracyMode: " in result.stdout
    assert "warnings: 1" in result.stdout


def test_json_lines_are_the_messages_of_a_dialogue(tmp_path: Path) -> None:
    request, response = example("bkn-pal", "stance_request"), example("bkn-pal", "stance_response")
    later = example("bkn-pal", "constraints_only_request")
    text = b"\n" + lines(request, response | {"SessionID": "other"}, response | {"TurnIndex": 1}, later) + b"{\n"
    (tmp_path / "d.jsonl").write_bytes(text)
    code, messages = found(str(tmp_path))
    assert code == 1
    assert [each["source"].rpartition(":")[2] for each in messages] == ["2", "3", "4", "5", "6"]
    assert [[fault["code"] for fault in each["faults"]] for each in messages] == [
        [],
        [],  # of another session, so of no Request here
        ["wrong_correlation"],
        [],
        ["not_json"],
    ]
    assert [fault["message"] for fault in messages[3]["warnings"]] == ["turn 2 follows turn 0"]


def test_stdin_is_one_message_or_lines() -> None:
    assert found("-", input=STANCE.read_bytes())[0] == 0
    both = lines(example("bkn-pal", "stance_request"), example("bkn-pal", "stance_response"))
    code, messages = found("-", input=both)
    assert (code, [each["source"] for each in messages]) == (0, ["-:1", "-:2"])
    code, messages = found("-", input=b"{\n}\n{")
    assert (code, [each["faults"][0]["code"] for each in messages]) == (1, ["not_json"])
    assert found("-", input=b"")[0] == 1


def test_one_message_alone_may_be_of_any_turn() -> None:
    code, messages = found("-", input=lines(example("bkn-pal", "constraints_only_request")))
    assert (code, messages[0]["warnings"]) == (0, [])


def test_a_pair_in_a_file_is_judged_together(tmp_path: Path) -> None:
    pair = {"request": example("bkn-pal", "stance_request"), "response": example("bkn-pal", "partial_response")}
    (tmp_path / "pair.json").write_text(json.dumps(pair))
    code, (judged,) = found(str(tmp_path / "pair.json"))
    assert (code, judged["exchange"]) == (1, "BKN-PAL")
    assert {fault["pointer"] for fault in judged["faults"]} == {"/response/RequestID", "/response/TurnIndex"}


def test_the_exchange_may_be_named() -> None:
    code, (judged,) = found("--exchange", "bkn-usr", str(STANCE))
    assert (code, judged["exchange"]) == (1, "BKN-USR")
    assert run("validate", "--exchange", "bkn-xyz", str(STANCE)).exit_code == 2


def test_what_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    assert run("validate", str(tmp_path / "none.json")).exit_code == 2
    empty = run("validate", str(tmp_path))
    assert empty.exit_code == 2
    assert "holds no file" in empty.stderr


def test_a_file_that_cannot_be_read_is_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", unreadable)
    result = run("validate", str(STANCE))
    assert result.exit_code == 3
    assert "permission denied" in result.stderr


def test_no_message_steers_the_terminal() -> None:
    result = run("validate", "-", input=json.dumps({"Header": "\x1b[31m"}).encode())
    assert result.exit_code == 1
    assert "\x1b" not in result.stdout
