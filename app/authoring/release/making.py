"""The folder of a release: made aside, named when it is whole, never written again.

It holds the pack's files; `ontology.ttl` and `shapes.ttl` in their one form, the ontology with its version;
`inferred.nt`, what follows from it; core's has core's rules. Nothing of the place or the time goes in: what is
released twice gives the same bytes.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

from app.authoring.release.canonical import as_canonical, ontology_of, read_graph, version_iri, with_version
from app.authoring.release.closure import as_ntriples, inferred
from app.edition import CORE, Edition
from app.errors import Code, Fault, PackError
from app.knowledge import read_pack
from app.releases import Release, read_release, versions_of, write_release_toml

INFERRED: Final = "inferred.nt"
_CANONICAL: Final = ("ontology.ttl", "shapes.ttl")
_OWN: Final = (INFERRED, "release.toml")
"""What a release adds: a folder of a pack that has them was copied from a release, and they are made anew."""


def make(edition: Edition, pack: str, before: str | None, root: Path) -> tuple[Release, Path]:
    """A release of a pack, following version `before`, aside in the folder of releases, and what to delete with it.

    Raises PackError.
    """
    described = read_pack(edition.folder(pack), pack)
    members: Mapping[str, Any] = tomllib.loads((described.folder / "pack.toml").read_text(encoding="utf-8"))
    root.mkdir(parents=True, exist_ok=True)
    aside = Path(mkdtemp(prefix=".making-", dir=root))
    folder = aside / pack / described.version
    try:
        _copy(edition, pack, folder)
        graph = with_version(read_graph(folder / "ontology.ttl"), described.version, before)
        packs = (CORE, pack, *described.requires)
        (folder / "ontology.ttl").write_bytes(as_canonical(graph, packs))
        if (folder / "shapes.ttl").exists():
            (folder / "shapes.ttl").write_bytes(as_canonical(read_graph(folder / "shapes.ttl"), packs))
        (folder / INFERRED).write_bytes(as_ntriples(inferred(edition, pack)))
        versions = versions_of(edition)
        write_release_toml(
            folder,
            pack,
            version_iri=version_iri(ontology_of(graph).value, described.version),
            licence=str(members.get("licence", "")),
            sources=members.get("sources", ()),
            requires={name: versions[name] for name in dict.fromkeys((CORE, *described.requires)) if name != pack},
        )
        release = read_release(folder)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    return release, aside


def is_released(release: Release, root: Path) -> bool:
    """Whether a release that was made aside is there already. Raises PackError where what is there is damaged, or
    another release of this version.
    """
    place = root / release.name / release.version
    if not place.exists():
        return False
    there, made = dict(read_release(place).files), dict(release.files)
    if there == made:
        return True
    files = ", ".join(f"`{name}`" for name in sorted(there.keys() | made) if there.get(name) != made.get(name))
    message = f"`{release.source}` is released already, with other content of {files}"
    hint = "a release is never changed: raise `version` in pack.toml"
    raise PackError(Fault(Code.PACK_MEMBER, message, str(place), hint=hint))


def publish(release: Release, root: Path) -> bool:
    """Give a release that was made aside its name; whether it is new. One that is there already is never changed.

    Raises PackError as `is_released`.
    """
    place = root / release.name / release.version
    if is_released(release, root):
        return False
    for path in release.folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o444)
    release.folder.chmod(0o755)
    place.parent.mkdir(exist_ok=True)
    release.folder.rename(place)
    return True


def _copy(edition: Edition, pack: str, folder: Path) -> None:
    """The files of a pack, but for hidden ones. A link is refused: what it leads to may change."""
    parts = {".": edition.folder(pack)}
    if pack == CORE:
        parts["rules"] = edition.rules_of(CORE)
    for below, source in parts.items():
        for path in sorted(source.rglob("*")):
            relative = path.relative_to(source)
            if any(part.startswith(".") for part in relative.parts) or relative.as_posix() in _OWN:
                continue
            if path.is_symlink():
                raise PackError(Fault(Code.PACK_MEMBER, "a release holds no links", where=str(path)))
            if path.is_file():
                target = folder / below / relative
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
