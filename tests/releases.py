"""Releases made for tests, in the form in which `domain-access release` makes them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from app.edition import CORE, Edition
from app.releases import Release, versions_of, write_release
from tests.packs import EDITION

CAPACITY = """
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix mmm: <https://w3id.org/domain-access/mmm#> .
mmm:EveryPlaceHasACapacity a sh:NodeShape ; sh:targetClass mmm:MLocation ;
    sh:property [ sh:path mmm:capacity ; sh:minCount 1 ; sh:message "a place has a capacity" ] .
"""
"""A shape that the worlds of the packs break."""

IGNORED = shutil.ignore_patterns("__pycache__")


def make_release(
    root: Path,
    name: str,
    version: str,
    change: Callable[[Path], object] = lambda _: None,
    *,
    edition: Edition = EDITION,
    requires: dict[str, str] | None = None,
) -> Release:
    """A release of a pack as it is, changed as `change` does to its folder, made with the packs of the edition."""
    folder = root / name / version
    shutil.copytree(edition.folder(name), folder, ignore=IGNORED)
    if name == CORE and not (folder / "rules").is_dir():
        shutil.copytree(edition.rules_of(CORE), folder / "rules", ignore=IGNORED)
    manifest = (folder / "pack.toml").read_text(encoding="utf-8")
    (folder / "pack.toml").write_text(manifest.replace('version = "0.1.0"', f'version = "{version}"'), "utf-8")
    change(folder)
    made_with = {} if name == CORE else {CORE: versions_of(edition)[CORE]}
    return write_release(
        folder,
        version_iri=f"https://w3id.org/domain-access/{name}/{version}",
        licence="CC-BY-4.0",
        sources=["tests"],
        requires=made_with if requires is None else requires,
    )


def both(*changes: Callable[[Path], object]) -> Callable[[Path], None]:
    """Several changes, one after another."""

    def change(folder: Path) -> None:
        for each in changes:
            each(folder)

    return change


def without_rule(rule: str) -> Callable[[Path], None]:
    """A change that takes a rule away."""
    return lambda folder: (folder / "rules" / "pa_status" / f"{rule}.toml").unlink()


def with_axioms(turtle: str) -> Callable[[Path], None]:
    """A change that adds to the ontology; the prefixes are those of the file."""

    def add(folder: Path) -> None:
        path = folder / "ontology.ttl"
        path.write_text(path.read_text(encoding="utf-8") + "\n" + turtle, encoding="utf-8")

    return add


def with_file(name: str, text: str) -> Callable[[Path], None]:
    """A change that writes a file."""

    def write(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")

    return write
