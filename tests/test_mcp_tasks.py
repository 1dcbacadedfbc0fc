"""Each tool can be called right from its description alone: what a reader would call for a task gets its answer."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import types

from app.serve_mcp import create_server
from app.serve_mcp.tools import TOOLS
from tests.mcp_rig import Session, connected
from tests.rig import open_rig

TASKS = tomllib.loads((Path(__file__).parent / "mcp" / "tasks.toml").read_text(encoding="utf-8"))["task"]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = tmp_path_factory.mktemp("tasks")
    with (
        open_rig(folder, worlds=("friends_meet", "museum_tour")) as rig,
        connected(create_server(lambda: rig.service, "1", m_instance="MI1")) as opened,
    ):
        yield opened


@pytest.mark.parametrize("task", TASKS, ids=[f"{task['tool']}: {task['wants']}" for task in TASKS])
def test_the_call_that_a_reader_would_make(session: Session, task: dict[str, Any]) -> None:
    result = session.call(task["tool"], **task["arguments"])
    assert result.is_error == task.get("error", False), result.structured_content
    said = json.dumps(result.structured_content, ensure_ascii=False)
    assert [words for words in task["finds"] if words not in said] == [], said
    assert [words for words in task.get("lacks", ()) if words in said] == []


def test_there_are_three_tasks_a_tool_or_more() -> None:
    """And none whose expectations could not fail."""
    counted = Counter(task["tool"] for task in TASKS)
    assert set(counted) == set(TOOLS)
    assert min(counted.values()) == 3
    assert all(task["finds"] for task in TASKS)


def test_a_description_names_the_m_instances_that_there_are(session: Session) -> None:
    """The one that goes without saying, and the others; and stays short."""
    listed: list[types.Tool] = session.portal.call(session.client.list_tools).tools
    for tool in listed:
        if "m_instance" in tool.input_schema["properties"]:
            said = tool.input_schema["properties"]["m_instance"]["description"]
            assert said == "The M-Instance asked about. Default: `MI1`. Others: `Museo`."
        assert len(json.dumps(tool.input_schema)) + len(tool.description or "") < 4_000
        assert "title" not in tool.input_schema
        assert not any("anyOf" in member for member in tool.input_schema["properties"].values())
