"""A service in this process, served to a caller that the tests play."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import structlog
from starlette.testclient import TestClient

from app.serve_http import create_app
from app.serve_http.logs import configure_logs
from app.service import Service
from app.settings import Settings

EXAMPLES = Path(__file__).parents[1] / "schemas" / "examples" / "bkn-dac"
JSON = {"Content-Type": "application/json"}
SECRETS = {"asker": "token-of-the-asker-1", "reader": "token-of-the-reader-2", "elsewhere": "token-of-elsewhere-3"}
TOKENS = """
[[token]]
name = "asker"
sha256 = "{asker}"
scopes = ["ask"]
m_instances = ["MI1"]

[[token]]
name = "reader"
sha256 = "{reader}"
scopes = ["read"]

[[token]]
name = "elsewhere"
sha256 = "{elsewhere}"
scopes = ["ask"]
m_instances = ["MI9"]
"""


@dataclass
class Rig:
    """A service in a data folder of its own, served to a caller on the loopback interface."""

    settings: Settings
    service: Service
    client: TestClient

    def ask(self, message: Any, **headers: str) -> Any:
        content = message if isinstance(message, bytes) else json.dumps(message).encode()
        return self.client.post("/v1/bkn-dac", content=content, headers=JSON | headers)


def client_of(service: Service | None, settings: Settings, host: str = "127.0.0.1") -> TestClient:
    return TestClient(create_app(service, settings), base_url="http://127.0.0.1:8000", client=(host, 50_000))


@contextmanager
def open_rig(folder: Path, **members: Any) -> Iterator[Rig]:
    """A rig whose data are in this folder, its log out of the way; `members` are further settings."""
    settings = Settings(data=folder, **members)
    with Service.open(settings) as service, log_to(StringIO(), settings):
        yield Rig(settings, service, client_of(service, settings))


@contextmanager
def log_to(stream: StringIO, settings: Settings) -> Iterator[StringIO]:
    """The log of this process in a stream, for as long as it is wanted."""
    handlers, level, before = logging.root.handlers[:], logging.root.level, structlog.get_config()
    configure_logs(settings, stream)
    try:
        yield stream
    finally:
        structlog.configure(**before)
        logging.root.handlers[:], logging.root.level = handlers, level


def with_tokens(rig: Rig) -> TestClient:
    """A client far away of the same service, but with tokens."""
    file = rig.settings.data / "tokens.toml"
    file.write_text(TOKENS.format(**{name: sha256(token.encode()).hexdigest() for name, token in SECRETS.items()}))
    return client_of(rig.service, rig.settings.model_copy(update={"tokens": file}), "203.0.113.7")


def request(*statements: str, **members: Any) -> dict[str, Any]:
    """A Request of Kind feasibility in a dialogue of its own."""
    found: dict[str, Any] = json.loads((EXAMPLES / "valid" / "feasibility_request.json").read_bytes())
    fresh = {"QueryID": str(uuid4()), "DialogID": str(uuid4()), "TurnIndex": 0, "SessionID": str(uuid4())}
    if statements:
        found["ProcessActions"] = [{"Step": n, "Statement": said} for n, said in enumerate(statements)]
    return {**found, **fresh, **members}


def bearer(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {SECRETS[name]}"}
