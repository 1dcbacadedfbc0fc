"""What a caller may do and see (SEMANTICS 2)."""

from __future__ import annotations

from collections.abc import Iterable

from app.errors import AccessError, Code, Fault, StateError
from app.model import Principal, Scope
from app.nearest import did_you_mean
from app.world import World, Worlds


def require(principal: Principal, scope: Scope) -> None:
    """Raises AccessError where the caller has not this scope."""
    if scope not in principal.scopes:
        raise AccessError(Fault(Code.FORBIDDEN, f"`{principal.name}` lacks the scope `{scope}`"))


def visible(worlds: Worlds, principal: Principal) -> tuple[str, ...]:
    """The M-Instances the caller may see."""
    return tuple(name for name in worlds.names() if principal.sees(name))


def visible_world(worlds: Worlds, m_instance: str, principal: Principal, where: str) -> World:
    """The World of an M-Instance. Raises StateError where there is none, or none that the caller may see: both are
    told in the same words.
    """
    world = worlds.get(m_instance) if principal.sees(m_instance) else None
    if world is None:
        message = f"no M-Instance `{m_instance}` is visible here"
        hint = choices(m_instance, visible(worlds, principal))
        raise StateError(Fault(Code.UNKNOWN_M_INSTANCE, message, where, hint=hint))
    return world


def choices(given: str, known: Iterable[str]) -> str:
    """The nearest of some names, and all of them."""
    names = list(known)
    said = f"visible: {', '.join(f'`{name}`' for name in names)}" if names else "none is visible"
    return f"{did_you_mean(given, names)} {said}".lstrip()
