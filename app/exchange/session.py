"""What a session is told: its User; its ActionContext, in short or in a BKN-PRC Response (SEMANTICS 2, 7)."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from app.errors import Code, Fault, MessageError
from app.exchange.bkn_prc import BKN_PRC, ActionContext
from app.exchange.conformance import conformance
from app.exchange.parts import Part, data_type
from app.exchange.published import id_of, schemas_of
from app.exchange.reader import parse
from app.exchange.structure import Structure

_CLAUSE: Final = "BKN-PRC, Action Context"
_ActionContext = ActionContext
_P = TypeVar("_P", bound=Part)


class SessionUser(Part):
    """For whom a session asks."""

    model_config = data_type("User of a session", "domain-access/V1.0/SessionUser.json")

    MInstance: str
    """The M-Instance of the session."""
    UEnvironment: str
    """Its U-Environment."""
    User: str
    """The Process for which it asks."""


class SessionContext(Part):
    """What a session keeps to, in short."""

    model_config = data_type("Action Context of a session", "domain-access/V1.0/SessionContext.json")

    MInstance: str
    """The M-Instance of the session."""
    UEnvironment: str
    """Its U-Environment."""
    SessionID: str
    """The session; that of the path."""
    ActionContext: _ActionContext
    """What Process Actions have to keep to, as in BKN-PRC."""


def read_session_user(raw: bytes) -> SessionUser:
    """The User that a body sets for a session. Raises MessageError with every fault."""
    return _read(SessionUser, parse(raw))


def read_session_context(raw: bytes, session_id: str) -> SessionContext:
    """The ActionContext that a body sets for a session. Raises MessageError with every fault."""
    document: Any = parse(raw)
    if isinstance(document, dict) and "Header" in document:
        found = conformance(BKN_PRC, document, strict=False)
        if found.faults:
            raise MessageError(*found.faults)
        representation = document.get("Representation", {})
        if "ActionContext" not in representation:
            where = "/Representation/ActionContext"
            raise MessageError(Fault(Code.MISSING_MEMBER, "no ActionContext is told", where, _CLAUSE))
        document = {name: document[name] for name in ("MInstance", "UEnvironment", "SessionID")}
        document["ActionContext"] = representation["ActionContext"]
    context = _read(SessionContext, document)
    if context.SessionID != session_id:
        message = f"the body is about the session `{context.SessionID}`, the path about `{session_id}`"
        raise MessageError(Fault(Code.WRONG_VALUE, message, "/SessionID", "SEMANTICS 7", "let both name one session"))
    return context


def _read(model: type[_P], document: object) -> _P:
    faults = list(Structure(schemas_of(model), id_of(model)).faults(document))
    if faults:
        raise MessageError(*faults)
    return model.model_validate(document)
