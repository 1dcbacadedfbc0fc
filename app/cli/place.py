"""Where a question is asked: of a running server, which then owns the data, or of the service in this process."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Protocol
from urllib.parse import quote, urlsplit

import click

from app.errors import Code, DomainAccessError, Fault, StateError
from app.model import LOCAL
from app.settings import CLIENT_TOKEN, Settings, SettingsError, read_settings

if TYPE_CHECKING:
    from app.service import Service
    from app.service.operator import Operator

_FIND_S: Final = 2  # seconds a server may take to say that it is there
_LOAD_S: Final = 10  # seconds a server may take to load
_ANSWER_S: Final = 60  # seconds a server may take to answer
_LONG_S: Final = 3_600  # seconds it may take over a large world
_CHUNK: Final = 1 << 18
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

    @property
    def service(self) -> Service:
        """The service itself."""
        return self._service

    @property
    def operator(self) -> Operator:
        """The worlds for whoever runs them."""
        return self._service.operator


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

    def change(self, method: str, path: str, raw: bytes) -> bytes:
        """Have something changed that may take long; what it came to."""
        with self._asked(method, path, raw, {"Content-Type": "application/json"}, _LONG_S) as response:
            return self._read(response)

    def get(self, path: str, accept: str = "application/json") -> bytes:
        """What a path serves."""
        with self._asked("GET", path, None, {"Accept": accept}, _ANSWER_S) as response:
            return self._read(response)

    def receive(self, path: str, accept: str, output: BinaryIO) -> str:
        """Write what a path serves as it comes in; its entity tag."""
        with self._asked("GET", path, None, {"Accept": accept}, _LONG_S) as response:
            while chunk := self._read(response, _CHUNK):
                output.write(chunk)
            return str(response.headers.get("ETag", ""))

    def send_file(
        self, method: str, path: str, file: Path, headers: dict[str, str], sent: Callable[[int], None]
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Send a file, a part at a time; status, headers and body of the answer."""
        length = {"Content-Length": str(file.stat().st_size)}
        with self._asked(method, path, _parts(file, sent), {**headers, **length}, _LONG_S) as response:
            told = {name.lower(): value for name, value in response.getheaders()}
            return response.status, told, self._read(response)

    def _ask(self, method: str, path: str, raw: bytes) -> bytes:
        with self._asked(method, path, raw, {"Content-Type": "application/json"}, _ANSWER_S) as response:
            return self._read(response)

    @contextmanager
    def _asked(
        self, method: str, path: str, body: bytes | Iterator[bytes] | None, headers: dict[str, str], timeout: float
    ) -> Iterator[HTTPResponse]:
        """The answer to a request, if it is a good one. Raises DomainAccessError as the server tells."""
        with closing(self._connection(timeout)) as connection:
            with self._faults(), suppress(BrokenPipeError, ConnectionResetError):  # it says why it wants no more
                connection.request(method, self._below + path, body, headers | _authorization())
            with self._faults():
                response = connection.getresponse()
            if response.status >= 300:
                with self._faults():
                    document = json.loads(self._read(response))
                raise _error(response.status, document)
            yield response

    def _read(self, response: HTTPResponse, most: int | None = None) -> bytes:
        with self._faults():
            return response.read(most)

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """What goes wrong between here and the server, as a StateError."""
        try:
            yield
        except ConnectionRefusedError as error:
            raise StateError(Fault(Code.NO_SERVER, f"no Domain Access answers at `{self.url}`: {error}")) from error
        except (ConnectionError, TimeoutError, IncompleteRead) as error:
            hint = "what it was to change may be changed or not: look before you send it again"
            raise StateError(
                Fault(Code.NO_SERVER, f"`{self.url}` gave no whole answer: {error}", hint=hint)
            ) from error
        except (OSError, HTTPException, ValueError) as error:
            message = f"`{self.url}` does not answer as Domain Access does: {error}"
            raise StateError(Fault(Code.INTERNAL, message, hint="is it the right address?")) from error

    def _send(self, method: str, path: str, raw: bytes | None, timeout: float) -> tuple[int, bytes]:
        connection = self._connection(timeout)
        try:
            connection.request(method, self._below + path, raw, _authorization())
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def _connection(self, timeout: float) -> HTTPConnection:
        kind = HTTPSConnection if self._https else HTTPConnection
        return kind(self._host, self._port, timeout=timeout)


@contextmanager
def open_place(url: str | None) -> Iterator[Place]:
    """The server at the URL; without one the configured server if it runs, else this process. Says which on stderr.

    Raises SettingsError, StateError where no server is at the URL, and what opening the service raises.
    """
    found = server_or_settings(url)
    if isinstance(found, Server):
        yield found
        return
    from app.service import Service

    with Service.open(found) as service:
        yield Here(service)


def server_or_settings(url: str | None) -> Server | Settings:
    """The server at the URL; without one the configured server, or where it does not run its settings: then what is
    asked is done in this process. Says which on stderr. Raises as `open_place`.
    """
    settings = read_settings().settings if url is None else None
    server = Server(url or _url_of(settings))
    if server.runs():
        click.echo(f"asking {server.url}", err=True)
        return server
    if settings is None:
        hint = "start one with `domain-access serve`, or leave --url out"
        raise StateError(Fault(Code.NO_SERVER, f"no Domain Access answers at `{server.url}`", "--url", hint=hint))
    click.echo(f"no server at {server.url}: asking in this process, data in {settings.data}", err=True)
    return settings


def _authorization() -> dict[str, str]:
    token = os.environ.get(CLIENT_TOKEN)
    return {"Authorization": f"Bearer {token}"} if token else {}


def _parts(file: Path, sent: Callable[[int], None]) -> Iterator[bytes]:
    with file.open("rb") as opened:
        while chunk := opened.read(_CHUNK):
            yield chunk
            sent(len(chunk))


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
