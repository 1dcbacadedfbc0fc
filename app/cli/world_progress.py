"""How far a long load is: bytes that have gone, then what is done with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

import click
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn

from app.cli.show import console
from app.errors import DomainAccessError

if TYPE_CHECKING:
    from app.cli.world_place import WorldPlace

_EVERY_S: Final = 0.5


@contextmanager
def loading(place: WorldPlace, name: str, size: int) -> Iterator[Callable[[int], None]]:
    """Shows progress on stderr where that is a terminal; says how things stand when it is interrupted."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeElapsedColumn())
    gone, ended = Event(), Event()
    shown = console(error=True)
    with Progress(*columns, console=shown, transient=True, disable=not shown.is_terminal) as progress:
        task = progress.add_task(f"sending {name}", total=size)

        def sent(number: int) -> None:
            progress.update(task, advance=number)
            if progress.finished:
                gone.set()

        def watch() -> None:
            while not ended.wait(_EVERY_S):
                if gone.is_set():
                    progress.update(task, description=_doing(place, name))

        watching = Thread(target=watch, daemon=True)
        watching.start()
        try:
            yield sent
        except KeyboardInterrupt:
            state = "it may still be made: see `domain-access world log`" if gone.is_set() else "nothing was changed"
            click.echo(f"interrupted: {state}", err=True)
            raise
        finally:
            ended.set()
            watching.join()


def _doing(place: WorldPlace, name: str) -> str:
    try:
        found = next((each for each in place.listed() if each["m_instance"] == name), {})
    except (DomainAccessError, OSError):
        return "waiting"
    return f"{found['doing']} {name}: {found['done']:,}" if "doing" in found else f"waiting for {name}"
