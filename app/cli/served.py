"""The packs and the facts of an M-Instance, for commands that read them without a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.model import Triple
    from app.settings import Settings


def packs_and_world(m_instance: str, settings: Settings) -> tuple[tuple[str, ...], list[Triple]]:
    """The packs an M-Instance uses, and its facts. Raises PackError, and StateError where none is so called."""
    from app.errors import Code, Fault, StateError
    from app.world import describe, read_world

    served: list[str] = []
    for pack in settings.worlds:
        for path in settings.edition.worlds_of(pack):
            world = read_world(path)
            described = describe(world)
            if described.identifier == m_instance:
                return described.packs, world
            served.append(described.identifier)
    hint = f"served: {', '.join(f'`{name}`' for name in sorted(served)) or 'none'}"
    fault = Fault(Code.UNKNOWN_M_INSTANCE, f"no M-Instance `{m_instance}` is served", "--m-instance", hint=hint)
    raise StateError(fault)
