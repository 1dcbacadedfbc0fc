"""A service of worlds that no pack brings: each is put into a pack of its own, in a folder of the test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.service import Service
from app.settings import Settings
from tests.rig import Rig, client_of

ROOT = Path(__file__).resolve().parents[1]
TOWN = ROOT / "tests" / "golden" / "statuses" / "world.ttl"
_PACK = """
name = "{name}"
version = "0.1.0"
title = "A world for tests"
licence = "CC-BY-4.0"
sources = ["ours"]
requires = ["core"]
"""
_ONTOLOGY = "<https://w3id.org/domain-access/{name}> a <http://www.w3.org/2002/07/owl#Ontology> .\n"


def bring(world: Path, ontologies: Path, name: str) -> None:
    """A pack that brings nothing but this world file."""
    (ontologies / name / "worlds").mkdir(parents=True, exist_ok=True)
    (ontologies / name / "pack.toml").write_text(_PACK.format(name=name), encoding="utf-8")
    (ontologies / name / "ontology.ttl").write_text(_ONTOLOGY.format(name=name), encoding="utf-8")
    shutil.copy(world, ontologies / name / "worlds" / world.name)


@contextmanager
def open_world(folder: Path, world: Path = TOWN, name: str = "town") -> Iterator[Rig]:
    """A service that serves this world file, and nothing else."""
    ontologies = folder / "ontologies"
    shutil.copytree(ROOT / "ontologies" / "core", ontologies / "core", dirs_exist_ok=True)
    bring(world, ontologies, name)
    settings = Settings(data=folder / "data", ontologies=ontologies, worlds=(name,))
    with Service.open(settings) as service:
        yield Rig(settings, service, client_of(service, settings))
