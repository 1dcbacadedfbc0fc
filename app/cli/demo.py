"""What `serve --demo` shows first: the example plan judged, and a question that can be pasted."""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from app.cli.question import fresh_id, plan_request
from app.cli.show import console, show_response
from app.errors import Code, Fault, PackError
from app.model import LOCAL
from app.settings import CLIENT_TOKEN, Settings

if TYPE_CHECKING:
    from app.serve_http.server import Opening
    from app.service import Service

PACK: Final = "friends_meet"


def demo_of(settings: Settings) -> Opening:
    """The demonstration with these settings. Raises PackError where the example plan cannot be read."""
    plan = _read(settings.ontologies / PACK / "golden" / "plan.toml")

    def demo(service: Service, address: str) -> None:
        m_instance, u_environment = plan["m_instance"], plan["u_environment"]
        if m_instance not in service.m_instances(LOCAL):
            hint = f"serve the worlds of `{PACK}`, too: DOMAIN_ACCESS_WORLDS"
            message = f"the example plan is for `{m_instance}`, which is not served"
            raise PackError(Fault(Code.UNKNOWN_M_INSTANCE, message, where=PACK, hint=hint))
        steps = [(step["step"], step["statement"]) for step in plan["turn"][0]["step"]]
        raw = plan_request(steps, m_instance, u_environment, fresh_id())
        response = json.loads(service.answer(raw, LOCAL))
        out = console()
        out.print(Text(f"{plan['title']}: would these Process Actions be accepted?", style="bold"))
        show_response(json.loads(raw), response, f"curl -s {address}/v1/answers/{{}}/explanation")
        asked = plan_request(_worth_asking(steps, response), m_instance, u_environment, fresh_id())
        out.print(Text("\nOne step on its own, to paste into another terminal:", style="bold"))
        print(curl(address, asked, bool(settings.tokens)), end="\n\n", flush=True)

    return demo


def curl(address: str, raw: bytes, with_token: bool) -> str:
    """One line of shell that sends a Request; a token comes from the environment, never from the line."""
    token = f' -H "Authorization: Bearer ${CLIENT_TOKEN}"' if with_token else ""
    body = shlex.quote(raw.decode())
    return f"curl -sS {address}/v1/bkn-dac -H 'Content-Type: application/json'{token} -d {body}"


def _worth_asking(steps: list[tuple[int, str]], response: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """The first step that was refused, else the first: a refusal shows more."""
    refused = {step["Step"] for step in response["Feasibility"]["Steps"] if step["PAStatus"] != "Ack"}
    step, statement = next((each for each in steps if each[0] in refused), steps[0])
    yield step, statement


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        message = f"the example plan cannot be read: {error}"
        raise PackError(Fault(Code.PACK_UNREADABLE, message, where=str(path))) from error
