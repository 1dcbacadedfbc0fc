"""Around every path: the Host that was meant, HEAD, what a crash looks like, and one log line a request."""

from __future__ import annotations

from time import perf_counter
from typing import Final
from urllib.parse import urlsplit

import structlog
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.auth import is_loopback
from app.errors import AccessError, Code, Fault
from app.serve_http.problems import INTERNAL, response_of

NOTES: Final = "domain_access.notes"
"""The member of the ASGI scope in which a path leaves what the log line tells besides."""

METHOD: Final = "domain_access.method"
"""The member of the scope with the method as it was sent: a path sees GET for HEAD."""

_GONE: Final = 499  # what other servers log for a caller that left before the answer

log = structlog.get_logger("domain_access.http")


class Edge:
    """The outermost layer. `loopback_only`: a Host beyond loopback is refused, for without tokens a page of a
    foreign site whose name was rebound to this machine could ask everything (DNS rebinding).
    """

    def __init__(self, app: ASGIApp, loopback_only: bool) -> None:
        self._app = app
        self._loopback_only = loopback_only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = perf_counter()
        status = 0
        without_body = scope["method"] == "HEAD"

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            elif without_body:
                message = {**message, "body": b""}
            await send(message)

        notes: dict[str, object] = {}
        inner = {**scope, NOTES: notes, METHOD: scope["method"], "method": "GET" if without_body else scope["method"]}
        try:
            if self._loopback_only and not is_loopback(_host(scope)):
                await _misdirected(_host(scope))(inner, receive, noting)
            else:
                await self._app(inner, receive, noting)
        except ClientDisconnect:
            status = _GONE
        except Exception:
            log.exception("request failed", path=_path(scope))
            if status:  # the caller has half an answer: only closing the connection tells that it is none
                raise
            await response_of(INTERNAL)(inner, receive, noting)
        finally:
            write = log.error if status >= 500 and status != 503 else log.info
            spent = round((perf_counter() - begun) * 1000, 2)
            write("request", method=scope["method"], path=_path(scope), status=status, ms=spent, **notes)


def _misdirected(host: str | None) -> ASGIApp:
    message = f"the Host `{host}` is not this service" if host else "the request names no Host"
    hint = "without tokens only 127.0.0.1, [::1] and localhost are served"
    return response_of(AccessError(Fault(Code.MISDIRECTED, message, hint=hint)))


def _host(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name == b"host":
            try:
                host: str | None = urlsplit("//" + value.decode("latin-1")).hostname
            except ValueError:
                return None
            return host
    return None


def _path(scope: Scope) -> str:
    """As it was sent, percent-encoded: nobody writes lines of their own into the log."""
    return (scope.get("raw_path") or b"").decode("ascii", "backslashreplace").partition("?")[0]
