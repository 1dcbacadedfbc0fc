"""What is installed from the wheel works without the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_installed_command_judges_a_plan_far_from_the_checkout(tmp_path: Path) -> None:
    """One wheel, built without downloads, put into an environment that has the dependencies but not the checkout."""
    dist, home, elsewhere = tmp_path / "dist", tmp_path / "venv", tmp_path / "elsewhere"
    elsewhere.mkdir()
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input"]
    call([*pip, "wheel", str(ROOT), "--no-deps", "--no-build-isolation", "--no-index", "-w", str(dist)], tmp_path)
    (wheel,) = dist.glob("domain_access-*.whl")

    venv.create(home)
    python = home / "bin" / "python"
    call([*pip, "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)], tmp_path)
    (site_packages,) = home.glob("lib/python*/site-packages")
    # the dependencies: an editable install's own .pth in that folder is not followed from here
    (site_packages / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")

    where = call([str(python), "-c", "import app; print(app.__file__)"], elsewhere)
    assert Path(where.strip()).is_relative_to(site_packages)
    command = str(home / "bin" / "domain-access")
    settings = json.loads(call([command, "settings", "--json"], elsewhere))
    for name in ("ontologies", "rules", "schemas"):
        assert Path(settings[name]["value"]) == site_packages / "app" / "_shipped" / name
    statement = "Friend2 MM-Moves Persona2ID From MLocFriend2 To MVS With SA6"
    answered = json.loads(call([command, "feasible", "--json", statement], elsewhere))
    assert answered["Feasibility"]["Overall"] == "feasible"


def call(command: list[str], folder: Path) -> str:
    """Run it in a folder and with a data folder there, no server at its port; what it printed."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("DOMAIN_ACCESS_", "PYTHON"))}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**kept, "DOMAIN_ACCESS_DATA": str(folder / "data"), "DOMAIN_ACCESS_PORT": "1"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
