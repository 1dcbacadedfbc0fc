"""Prompts: ways to work that a host can offer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mcp import types

from app.errors import Code, Fault, MessageError

_CHECK: Final = """\
Check this plan with the tool `feasibility`, one statement a step:

{plan}

Where a step is refused, read its reason and its repairs. Take a repair whose edits the actor can make itself; where
it needs another Process, say so and which. Then check the mended plan again, in the same dialogue, until its overall
is feasible or no repair is left. Report the final plan, what was changed and why, and what others have to do."""

_GROUND: Final = """\
Ground this scene in the domain knowledge of the M-Instance:

{scene}

Call `semantic_grounding` with the words that name things or places. For what was grounded with a confidence above 0.5
call `affordances` and `constraints`, and `behavioural_expectations` with the place. Where a word stays ambiguous or
unknown, say so instead of guessing. Report what each word means here, what can be done, what limits it, and how one
behaves."""

PROMPTS: Final[Mapping[str, tuple[types.Prompt, str]]] = {
    "check_plan": (
        types.Prompt(
            name="check_plan",
            title="Check a plan and repair it",
            description="Judge a plan step by step, follow the repairs, and say what is left.",
            arguments=[
                types.PromptArgument(name="plan", description="Process Action statements, one a line.", required=True)
            ],
        ),
        _CHECK,
    ),
    "ground_scene": (
        types.Prompt(
            name="ground_scene",
            title="Ground a scene",
            description="What the words of a scene mean here, what can be done, what limits it, how one behaves.",
            arguments=[types.PromptArgument(name="scene", description="The scene in words.", required=True)],
        ),
        _GROUND,
    ),
}


def prompt(name: str, given: Mapping[str, str] | None) -> types.GetPromptResult:
    """A prompt with its arguments in place. Raises MessageError."""
    if name not in PROMPTS:
        message = f"there is no prompt `{name}`"
        raise MessageError(Fault(Code.UNKNOWN_MEMBER, message, "/name", hint=f"served: {', '.join(PROMPTS)}"))
    described, text = PROMPTS[name]
    faults = [
        Fault(Code.MISSING_MEMBER, f"the argument `{each.name}` is absent", f"/arguments/{each.name}")
        for each in described.arguments or ()
        if each.required and not (given or {}).get(each.name)
    ]
    if faults:
        raise MessageError(*faults)
    said = text.format_map(dict(given or {}))
    content = types.TextContent(type="text", text=said)
    return types.GetPromptResult(
        description=described.description, messages=[types.PromptMessage(role="user", content=content)]
    )
