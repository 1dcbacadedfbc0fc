"""What is served: the Edition of the active releases, and the world of an M-Instance as it is now.

Of the server that runs; where none does, of the data folder; where there was none yet, as shipped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.place import Server, server_or_settings
from app.errors import Code, Fault, PackError, StateError
from app.settings import Settings, read_settings

if TYPE_CHECKING:
    from app.cli.world_place import WorldPlace
    from app.edition import Edition
    from app.model import Triple


@dataclass(frozen=True, slots=True)
class Served:
    """An M-Instance: the packs that it uses, its facts, and the Turtle document that has them, with its name."""

    edition: Edition
    packs: tuple[str, ...]
    facts: tuple[Triple, ...]
    file: Path
    text: str


def served(m_instance: str, url: str | None) -> Served:
    """An M-Instance as it is served now. Raises DomainAccessError, where none is so called, too."""
    from app.cli.world_place import Local, Remote

    found = server_or_settings(url)
    if isinstance(found, Server):
        return _dumped(m_instance, Remote(found), _edition_at(found))
    if not _has_data(found):
        return _shipped(m_instance, found)
    from app.service import Service

    with Service.open(found) as service:
        edition = _with_releases(found, service.releases.active.packs)
        return _dumped(m_instance, Local(service.operator), edition)


def served_edition(url: str | None) -> Edition:
    """The packs as they are served now: the active releases in their places. Raises DomainAccessError."""
    found = server_or_settings(url)
    if isinstance(found, Server):
        return _edition_at(found)
    if not _has_data(found):
        return found.edition
    from app.dialogue import Dialogues
    from app.service.sets import edition_at

    found.make_data_folder()
    with Dialogues.open(found.database_url) as dialogues:
        return edition_at(dialogues.active(), found.releases_folder, found.edition)[1]


def _edition_at(server: Server) -> Edition:
    """By what a server says that it answers from, and the releases that lie here."""
    told = json.loads(server.get("/v1/releases"))
    settings = read_settings().settings
    try:
        return _with_releases(settings, told.get("this_process", told)["active"])
    except PackError as error:
        message = f"the releases that `{server.url}` answers from cannot be loaded from `{settings.releases_folder}`"
        hint = "DOMAIN_ACCESS_RELEASES names the folder where they lie"
        raise PackError(Fault(Code.PACK_UNREADABLE, message, hint=hint), *error.faults) from error


def _with_releases(settings: Settings, active: Mapping[str, str]) -> Edition:
    from app.releases import edition_of
    from app.service.sets import read_all

    return edition_of(settings.edition, read_all(settings.releases_folder, active))


def _dumped(m_instance: str, place: WorldPlace, edition: Edition) -> Served:
    """A world as `domain-access world dump` writes it: its blank nodes are blank again."""
    from app.cli.world_place import form_of

    file, output = Path(f"{m_instance}.ttl"), BytesIO()
    place.dump(m_instance, form_of(file, "ttl"), output)
    return _read(edition, file, output.getvalue().decode())


def _read(edition: Edition, file: Path, text: str) -> Served:
    from app.knowledge import read_turtle
    from app.world import describe

    facts = tuple(read_turtle(file, text))
    return Served(edition, describe(facts).packs, facts, file, text)


def _shipped(m_instance: str, settings: Settings) -> Served:
    """A world as a pack brings it: with these a data folder begins."""
    from app.world import describe, read_world

    click.echo("there is no data yet: the worlds are as shipped", err=True)
    known: list[str] = []
    for pack in settings.worlds:
        for path in settings.edition.worlds_of(pack):
            found = describe(read_world(path)).identifier
            if found == m_instance:
                return _read(settings.edition, path, path.read_text(encoding="utf-8"))
            known.append(found)
    hint = f"served: {', '.join(f'`{name}`' for name in sorted(known)) or 'none'}"
    fault = Fault(Code.UNKNOWN_M_INSTANCE, f"no M-Instance `{m_instance}` is served", "--m-instance", hint=hint)
    raise StateError(fault)


def _has_data(settings: Settings) -> bool:
    """Whether anybody ever served with these settings; a database elsewhere may tell what is active."""
    return settings.data.is_dir() or bool(settings.database)
