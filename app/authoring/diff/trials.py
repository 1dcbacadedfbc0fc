"""States that differ from NEW, or from OLD, by one change: what an answer is without it."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pyoxigraph as ox

from app.authoring.answering import Answering, answering
from app.authoring.diff.difference import Change, Patch
from app.authoring.diff.terms import States
from app.edition import CORE, Edition

Files = Mapping[tuple[str, str], States]
"""The Turtle files of both states, by pack and path; patches name the blank nodes that these have."""


@contextmanager
def undone(new: Edition, changes: Iterable[Change], files: Files) -> Iterator[Answering]:
    """NEW without some of the changes. Raises PackError where what is left is no state of packs."""
    with _changed(new, changes, files, backwards=True) as edition, answering(edition) as state:
        yield state


@contextmanager
def alone(old: Edition, changes: Iterable[Change], files: Files) -> Iterator[Answering]:
    """OLD with only some of the changes. Raises PackError where that is no state of packs."""
    with _changed(old, changes, files, backwards=False) as edition, answering(edition) as state:
        yield state


@contextmanager
def _changed(edition: Edition, changes: Iterable[Change], files: Files, *, backwards: bool) -> Iterator[Edition]:
    by_pack: dict[str, list[Patch]] = {}
    for change in changes:
        for patch in change.patches:
            by_pack.setdefault(patch.pack, []).append(patch)
    with TemporaryDirectory(prefix="domain-access-") as place:
        for pack, patches in by_pack.items():
            folder = Path(place) / pack
            shutil.copytree(edition.folder(pack), folder)
            if pack == CORE and not (folder / "rules").is_dir():
                shutil.copytree(edition.rules_of(CORE), folder / "rules")
            _apply(patches, folder, pack, files, backwards)
            edition = edition.with_placed(pack, folder)
        yield edition


def _apply(patches: list[Patch], folder: Path, pack: str, files: Files, backwards: bool) -> None:
    turtle: dict[str, dict[ox.Triple, None]] = {}
    for patch in patches:
        path = folder / patch.path
        if patch.of_bytes:
            content = patch.old if backwards else patch.new
            if content is None:
                path.unlink(missing_ok=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            continue
        states = files[pack, patch.path]
        held = (states.new if backwards else states.old).values()
        facts = turtle.setdefault(patch.path, dict.fromkeys(t for statement in held for t in statement.triples))
        less, more = (patch.added, patch.removed) if backwards else (patch.removed, patch.added)
        for triple in less:
            facts.pop(triple, None)
        facts.update(dict.fromkeys(more))
    for name, facts in turtle.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if facts:
            path.write_bytes(ox.serialize(facts, format=ox.RdfFormat.N_TRIPLES) or b"")
        elif name != "ontology.ttl":
            path.unlink(missing_ok=True)
