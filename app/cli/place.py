"""Where a question is asked: of a running server, which then owns the data, or of the service in this process."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import quote, urlsplit

import click

from app.errors import Code, DomainAccessError, Fault, StateError
from app.model import LOCAL
from app.settings import CLIENT_TOKEN, Settings, SettingsError, read_settings

if TYPE_CHECKING:
    from app.service import Service

_FIND_S: Final = 2  # seconds a server may take to say that it is there
_LOAD_S: Final = 10  # seconds a server may take to load
_ANSWER_S: Final = 60  # seconds a server may take to answer
_CODES: Final = {code.code: code for code in Code}


class Place(Protocol):
    """Who answers. Both methods raise DomainAccessError."""

    explanation_at: str
    """Where explanations are; `{}` stands for the QueryID of the Response."""

    def answer(self, raw: bytes) -> bytes:
        """The Response to a Request."""

    def set_session(self, session_id: str, raw: bytes) -> bytes:
        """Set the User of a session."""


class Here:
    """The service in this process, with every scope: the data folder is the caller's own."""

    explanation_at = "run `domain-access serve`, then GET /v1/answers/{}/explanation"

    def __init__(self, service: Service) -> None:
        self._service = service

    def answer(self, raw: bytes) -> bytes:
        """The Response to a Request."""
        return self._service.answer(raw, LOCAL)

    def set_session(self, session_id: str, raw: bytes) -> bytes:
        """Set the User of a session."""
        return self._service.set_session(session_id, raw, LOCAL)


class Server:
    """A running server. Proxies of the environment are not asked: who runs it knows its address."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        try:
            port = parts.port
        except ValueError:
            port = -1
        if parts.scheme not in {"http", "https"} or not parts.hostname or port == -1:
            hint = "expected: http://HOST:PORT"
            raise SettingsError(Fault(Code.WRONG_FORMAT, f"`{url}` is no address of a server", "--url", hint=hint))
        self.url = url.rstrip("/")
        self.explanation_at = f"GET {self.url}/v1/answers/{{}}/explanation"
        self._https = parts.scheme == "https"
        self._host, self._port, self._below = parts.hostname, port, parts.path.rstrip("/")

    def runs(self) -> bool:
        """Whether Domain Access is there; one that loads is waited for."""
        until = time.monotonic() + _LOAD_S
        while True:
            try:
                status, body = self._send("GET", "/ready", None, _FIND_S)
                document = json.loads(body)
            except (OSError, HTTPException, ValueError):
                return False
            loading = status == Code.BUSY.http_status and _told(document, "type", "").endswith(Code.BUSY.code)
            if not loading or time.monotonic() > until:
                return loading or _told(document, "service", "") == "domain-access"
            time.sleep(0.1)

    def answer(self, raw: bytes) -> bytes:
        """The Response to a Request."""
        return self._ask("POST", "/v1/bkn-dac", raw)

    def set_session(self, session_id: str, raw: bytes) -> bytes:
        """Set the User of a session."""
        return self._ask("PUT", f"/v1/sessions/{quote(session_id, safe='')}", raw)

    def _ask(self, method: str, path: str, raw: bytes) -> bytes:
        try:
            status, body = self._send(method, path, raw, _ANSWER_S)
            if status == 200:
                return body
            document = json.loads(body)
        except (OSError, HTTPException, ValueError) as error:
            message = f"`{self.url}` does not answer as Domain Access does: {error}"
            raise StateError(Fault(Code.INTERNAL, message, hint="is it the right address?")) from error
        raise _error(status, document)

    def _send(self, method: str, path: str, raw: bytes | None, timeout: float) -> tuple[int, bytes]:
        kind = HTTPSConnection if self._https else HTTPConnection
        connection = kind(self._host, self._port, timeout=timeout)
        headers = {} if raw is None else {"Content-Type": "application/json"}
        if token := os.environ.get(CLIENT_TOKEN):
            headers["Authorization"] = f"Bearer {token}"
        try:
            connection.request(method, self._below + path, raw, headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()


@contextmanager
def open_place(url: str | None) -> Iterator[Place]:
    """The server at the URL; without one the configured server if it runs, else this process. Says which on stderr.

    Raises SettingsError, StateError where no server is at the URL, and what opening the service raises.
    """
    settings = read_settings().settings if url is None else None
    server = Server(url or _url_of(settings))
    if server.runs():
        click.echo(f"asking {server.url}", err=True)
        yield server
        return
    if settings is None:
        hint = "start one with `domain-access serve`, or leave --url out"
        raise StateError(Fault(Code.NO_SERVER, f"no Domain Access answers at `{server.url}`", "--url", hint=hint))
    click.echo(f"no server at {server.url}: asking in this process, data in {settings.data}", err=True)
    from app.service import Service

    with Service.open(settings) as service:
        yield Here(service)


def _url_of(settings: Settings | None) -> str:
    assert settings is not None
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)
    return f"http://[{host}]:{settings.port}" if ":" in host else f"http://{host}:{settings.port}"


def _told(document: Any, member: str, otherwise: str) -> str:
    return str(document.get(member, otherwise)) if isinstance(document, dict) else otherwise


def _error(status: int, document: Any) -> DomainAccessError:
    """The error that a server told; a status of its own makes no faults of ours."""
    told = document.get("errors") if isinstance(document, dict) else None
    faults = [
        Fault(
            _CODES.get(_told(each, "code", ""), Code.INTERNAL),
            _told(each, "message", ""),
            _told(each, "pointer", ""),
            _told(each, "clause", ""),
            _told(each, "hint", ""),
        )
        for each in (told if isinstance(told, list) else [])
    ]
    if not faults:
        faults = [Fault(Code.INTERNAL, f"the server answered with status {status} and no reason")]
    return DomainAccessError(*faults)
