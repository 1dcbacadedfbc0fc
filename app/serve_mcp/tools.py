"""The tools: one for each Kind, derived from KINDS; the raw exchange; the ActionContext of a session."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mcp import types
from pydantic import Field

from app.kinds import KINDS, Kind
from app.serve_mcp.arguments import Arguments, Common, Name, Where, arguments_of, read_arguments
from app.serve_mcp.bridge import Bridge, Caller
from app.serve_mcp.results import BUDGET, ToolAnswer

Result = dict[str, Any]

NAMED: Final = 10
"""M-Instances that a description names besides the default one."""


class RawArguments(Arguments):
    """Of `bkn_dac`."""

    message: dict[str, Any] = Field(description="A BKN-DAC V1.0 Request (Mode RQ), whole: an object, no text.")


class ContextArguments(Where):
    """Of `set_action_context`."""

    action_context: dict[str, Any] = Field(
        description="Any of Repertoire [Action or statement], MaxSteps, MLocations [identifier], WalletLimit "
        "(amount), RightsRefs [identifier], Rules [identifier or statement with May Not], Vocabularies [IRI]."
    )
    session: Name | None = Field(None, description="The session whose plans it bounds. Default: that of `dialogue`.")
    dialogue: Name | None = Field(None, description="A dialogue of these tools whose plans it bounds.")


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: how it is described, what it takes, and what it does."""

    described: types.Tool
    arguments: type[Arguments]
    run: Callable[[Bridge, Arguments, Caller], Result]

    def listed(self, served: Sequence[str]) -> types.Tool:
        """How it is described to who may see these M-Instances, the first of which goes without saying."""
        schema = self.described.input_schema
        members = schema["properties"]
        if "m_instance" not in members or not served:
            return self.described
        said = f"The M-Instance asked about. Default: `{served[0]}`."
        if others := [f"`{name}`" for name in served[1 : NAMED + 1]]:
            said += f" Others: {', '.join(others)}{', ...' if len(served) > NAMED + 1 else ''}."
        named = {**members, "m_instance": {**members["m_instance"], "description": said}}
        return self.described.model_copy(update={"input_schema": {**schema, "properties": named}})

    def call(self, bridge: Bridge, given: Mapping[str, Any] | None, caller: Caller) -> Result:
        """The structured result. Raises DomainAccessError."""
        return self.run(bridge, read_arguments(self.arguments, given), caller)


def _kind_tool(kind: Kind[Any]) -> Tool:
    form = arguments_of(kind)
    description = (
        f"{kind.title}.\n\n{kind.guide}\n\nAn answer has at most about {BUDGET // 4:,} tokens; `left_out` and "
        "`next_offset` tell what did not fit. Nothing is executed: every answer is what-if."
    )

    def run(bridge: Bridge, given: Arguments, caller: Caller) -> Result:
        assert isinstance(given, Common)
        return bridge.call(kind, given, caller).model_dump(mode="json")

    described = types.Tool(
        name=kind.name,
        title=kind.title,
        description=description,
        input_schema=form.model_json_schema(),
        output_schema=ToolAnswer.model_json_schema(),
        annotations=types.ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
        ),
    )
    return Tool(described, form, run)


def _raw(bridge: Bridge, given: Arguments, caller: Caller) -> Result:
    assert isinstance(given, RawArguments)
    return bridge.raw(given.message, caller)


def _context(bridge: Bridge, given: Arguments, caller: Caller) -> Result:
    assert isinstance(given, ContextArguments)
    return bridge.set_context(given, given.action_context, caller)


_RAW: Final = Tool(
    types.Tool(
        name="bkn_dac",
        title="The raw exchange: a BKN-DAC Request, answered by its Response",
        description=(
            "For an MPAI Basic Knowledge that speaks BKN-DAC V1.0 itself; others take the tools of the Kinds. Give "
            "the whole Request as `message`; the Response comes back as it is. QueryID and TurnIndex are yours to "
            "keep: the same QueryID with the same body gets the same Response. Every fault of a malformed message "
            "comes at once, with its JSON pointer. "
            'Example: {"message": {"Header": "PGM-KDA-V1.0", "Mode": "RQ", "Kind": "feasibility", ...}}'
        ),
        input_schema=RawArguments.model_json_schema(),
        output_schema={"type": "object"},
        annotations=types.ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    ),
    RawArguments,
    _raw,
)
_CONTEXT: Final = Tool(
    types.Tool(
        name="set_action_context",
        title="What plans of a session must keep to",
        description=(
            "Give a session its ActionContext (BKN-PRC): which Actions its User has (Repertoire), how many steps a "
            "plan may have, where, for how much, under which Rules. It only narrows; the last one given holds, as a "
            "whole. Later `feasibility` calls with the same `session` or `dialogue` are judged within it. It comes "
            "back with `Remarks`, which say what could not be read of it. Example: "
            '{"session": "s1", "user": "Friend2", "action_context": {"MaxSteps": 3, "Repertoire": ["MM-Move"]}}'
        ),
        input_schema=ContextArguments.model_json_schema(),
        output_schema={"type": "object"},
        annotations=types.ToolAnnotations(
            read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
        ),
    ),
    ContextArguments,
    _context,
)

TOOLS: Final[Mapping[str, Tool]] = {
    **{name: _kind_tool(kind) for name, kind in KINDS.items()},
    "bkn_dac": _RAW,
    "set_action_context": _CONTEXT,
}
"""Every tool by name."""


def content_of(result: Result) -> list[types.ContentBlock]:
    """A structured result as text, for clients that read no structure."""
    return [types.TextContent(type="text", text=json.dumps(result, ensure_ascii=False))]
