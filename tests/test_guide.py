"""The worked example of the authors' guide, run as written in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.packs import ROOT

GUIDE: Final = ROOT / "ontologies" / "README.md"
SECONDS: Final = 900


def blocks() -> list[str]:
    """The commands of the section, in order."""
    text = GUIDE.read_text(encoding="utf-8")
    section = text[text.index("## A worked example") :]
    return re.findall(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


def test_the_worked_example_runs_as_written(tmp_path: Path) -> None:
    """Each command succeeds, but for those that the text lets fail; flips are told, and two releases are there."""
    script = tmp_path / "guide.sh"
    script.write_text("\n".join(blocks()), encoding="utf-8")
    folder = tmp_path / "empty"
    folder.mkdir()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DOMAIN_ACCESS_")}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", str(script)],
        cwd=folder,
        env={**environment, "PATH": path, "DOMAIN_ACCESS_DATA": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told = done.stdout
    assert len(blocks()) == 8
    assert told.count("check: 1 pack") == 2
    assert re.findall(r"^test: 1 pack, \d+ steps: (\d+) error", told, re.MULTILINE) == ["0", "4", "0"]
    assert "step 1: expected Ack, found Clash: `Barn` holds hay" in told
    assert "Ack → Clash   tearoom_lit_in_hay" in told
    assert "responsible: rule added: tearoom_lit_in_hay" in told
    assert "tearoom@0.1.0: released (the first): releases/tearoom/0.1.0" in told
    assert "tearoom@0.2.0: released (after 0.1.0): releases/tearoom/0.2.0" in told
    for version in ("0.1.0", "0.2.0"):
        assert (folder / "releases" / "tearoom" / version / "release.toml").is_file()
