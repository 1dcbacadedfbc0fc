"""Which packs a command of authors is about, and where they lie."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.edition import Edition


def folder_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--folder`, for packs that lie elsewhere than the settings say."""
    return click.option(
        "--folder",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="Where packs lie, too: one, a folder of some, or a checkout.",
    )(command)


def packs_meant(
    packs: tuple[str, ...], folder: Path | None, edition: Edition | None = None
) -> tuple[Edition, list[str], list[Path]]:
    """The Edition, the names of the packs, all of the folder's or of the settings' where none is named; and the files
    that are no packs. `edition` stands for that of the settings. Raises click.UsageError with every name that means
    nothing.
    """
    from app.nearest import did_you_mean
    from app.settings import read_settings

    edition = edition or read_settings().settings.edition
    every: tuple[str, ...] = ()
    if folder is not None:
        edition, every = _held(edition, folder)
    names: list[str] = []
    files: list[Path] = []
    unknown: list[str] = []
    for each in packs:
        path = Path(each)
        if each in edition.names():
            names.append(each)
        elif path.is_dir():
            edition, found = _held(edition, path)
            names += found
        elif path.is_file():
            files.append(path)
        else:
            hint = did_you_mean(each, edition.names(), f"there are: {', '.join(edition.names())}")
            unknown.append(f"`{each}` is no pack, no folder of one and no file; {hint}")
    if unknown:
        raise click.UsageError("\n".join(unknown))
    return edition, names or ([] if files else list(every or edition.names())), files


def packs_only(
    packs: tuple[str, ...], folder: Path | None, edition: Edition | None = None
) -> tuple[Edition, list[str]]:
    """The same where a file is none of what can be named."""
    edition, names, files = packs_meant(packs, folder, edition)
    if files:
        raise click.UsageError(f"`{files[0]}` is no pack: a pack is a folder with a pack.toml")
    return edition, names


def packs_served(packs: tuple[str, ...], folder: Path | None, url: str | None) -> tuple[Edition, list[str]]:
    """The same, with the releases that are active where no folder says what is meant. Raises as `served_edition`."""
    from app.cli.served import served_edition
    from app.settings import read_settings

    shipped = read_settings().settings.edition.names()
    elsewhere = folder is not None or any(Path(each).is_dir() for each in packs if each not in shipped)
    return packs_only(packs, folder, None if elsewhere else served_edition(url))


def _held(edition: Edition, folder: Path) -> tuple[Edition, tuple[str, ...]]:
    from app.authoring.placing import placed

    edition, names = placed(edition, folder)
    if not names:
        raise click.UsageError(f"`{folder}` holds no pack: there is no pack.toml")
    return edition, names
