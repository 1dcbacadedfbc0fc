"""The README's commands run as they are written; what it says of files and paths is true."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from app.kinds import KINDS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
TOGETHER = [block for block in BLOCKS if "new-pack" in block]
"""Commands that build on one another."""
COMMANDS = [line for block in BLOCKS if block not in TOGETHER for line in re.split(r"\n(?=[a-z.])", block.strip())]
MAKE = [command for command in COMMANDS if command.startswith("make")]
ASKED = [command for command in COMMANDS if not command.startswith("make")]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What `make run` starts, on a free port: its recipe, not a copy of it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    variables = {
        **os.environ,
        "DOMAIN_ACCESS_PORT": str(port),
        "DOMAIN_ACCESS_DATA": str(tmp_path_factory.mktemp("data")),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    recipe = subprocess.run(
        ["make", "--no-print-directory", "-n", "run"], cwd=ROOT, text=True, capture_output=True, check=True
    )
    serve = recipe.stdout.strip().splitlines()[-1].removeprefix("@")
    assert serve == ".venv/bin/domain-access serve --demo"
    command = [str(Path(sys.executable).parent / "domain-access"), *serve.split()[1:]]
    server = subprocess.Popen(command, env=variables, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                urlopen(f"http://127.0.0.1:{port}/ready", timeout=1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield variables
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=20)


def test_the_readme_names_the_two_commands_first() -> None:
    assert MAKE == ["make run", "make test"]


def test_the_commands_found_are_all_there() -> None:
    assert len(ASKED) == 18


@pytest.mark.parametrize("command", ASKED, ids=lambda c: " ".join(str(c).split()[:2]))
def test_a_command_of_the_readme_runs_as_written(command: str, environment: dict[str, str]) -> None:
    here = command.replace(":8000/", f":{environment['DOMAIN_ACCESS_PORT']}/")
    done = subprocess.run(["bash", "-c", here], env=environment, cwd=ROOT, text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    if "/v1/bkn-dac" in command:
        step = json.loads(done.stdout)["Feasibility"]["Steps"][0]
        assert (step["PAStatus"], "MLocFriend2" in step["Reason"]) == ("Clash", True)


def test_a_pack_is_made_checked_and_tested_as_written(environment: dict[str, str], tmp_path: Path) -> None:
    """Command after command, with a site at the end."""
    (block,) = TOGETHER
    (tmp_path / "ontologies").symlink_to(ROOT / "ontologies", target_is_directory=True)
    command = ["bash", "-euc", block]
    done = subprocess.run(command, env=environment, cwd=tmp_path, text=True, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "check: 1 pack" in done.stdout
    assert "test: 1 pack" in done.stdout
    assert "no answer differs" in done.stdout
    assert (tmp_path / "site" / "museum_tour" / "index.html").is_file()


@pytest.mark.parametrize("page", ["README.md", "rules/README.md", "ontologies/README.md"])
def test_every_link_of_a_page_leads_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / page).parent.joinpath(target).exists(), target


def test_the_pipeline_of_the_readme_is_the_folder() -> None:
    table = README.split("The folder list is the pipeline:")[1].split("\n\n")[1]
    named = {name for row in table.splitlines() for name in re.findall(r"`([a-z_]+)`", row.split("|")[1])}
    values = {
        "edition",
        "errors",
        "model",
        "nearest",
        "settings",
        "shapes",
        "vocab",
        "authoring",
        "__init__",
        "__main__",
    }
    stems = {
        path.stem for path in (ROOT / "app").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert stems == (named - {"app"}) | values


def test_the_kinds_of_the_readme_are_those_served() -> None:
    table = README.split("| Kind | |")[1].split("\n\n")[0]
    rows = [[cell.strip() for cell in row.split("|")[1:3]] for row in table.splitlines() if "`" in row]
    assert rows == [[f"`{name}`", kind.title] for name, kind in KINDS.items()]


def test_the_rule_in_the_readme_is_the_file() -> None:
    (shown,) = re.findall(r"```toml\n(title.*?)```", README, re.DOTALL)
    written = tomllib.loads((ROOT / "rules/pa_status/not_at_from.toml").read_text(encoding="utf-8"))
    readme = tomllib.loads(shown)
    apart = {"when", "case", *(key for key in written if key.endswith("_it"))}  # shown in short
    assert {k: v for k, v in readme.items() if k not in apart} == {k: v for k, v in written.items() if k not in apart}
    assert " ".join(readme["when"].replace(".", "").split()) == " ".join(written["when"].replace(".", "").split())
