"""A Basic Knowledge that plans with Domain Access over the Model Context Protocol, told as a story.

    .venv/bin/python examples/basic_knowledge.py

Vera's A-User wants to visit a museum. It grounds the words that it was given, asks what can be done and how one
behaves, has its plan checked, and follows the Repairs until every step is Ack: those that it can make itself at once,
and one that another Process must make, as that Process. No language model takes part: but for the plan that it begins
with, every statement comes out of an answer. So the Repairs suffice.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from rich.console import Console
from rich.markup import escape as plain
from rich.padding import Padding

ME = "Vera"
WHEN = "2026-03-03T11:00:00Z"
WORDS = ["painting", "cloakroom", "backpack"]
THINGS = ["VeraPersona", "Backpack", "Harbour"]
PLACE = "Gallery1"
PLAN = [
    "MM-Moves VeraPersona From Street To Gallery1",
    "MM-Moves Backpack From Entrance1 To Gallery1",
    "MU-Actuates Harbor At ULoc-Vera With ViewRendering",
    "MM-Moves Sketch1 From Gallery1 To Quiet1",
    "MM-Moves VeraPersona From Entrance1 To Street",
]
ROUNDS = 12

Answer = dict[str, Any]

out = Console(highlight=False)


class StuckError(Exception):
    """No way on is known."""


class BasicKnowledge:
    """Knows what the answers of one dialogue told it."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.dialogue: str | None = None
        self.calls = 0
        self.reasons: set[str] = set()

    async def ask(self, tool: str, user: str = ME, **arguments: Any) -> Answer:
        """One question, all pages of its answer, in the dialogue so far."""
        going_on = {"dialogue": self.dialogue} if self.dialogue else {}
        given = {"user": user, "time": WHEN, **arguments, **going_on}
        answer: Answer = {}
        while not answer or answer["next_offset"] is not None:
            offset = {"offset": answer["next_offset"]} if answer else {}
            result = await self.client.call_tool(tool, {**given, **offset})
            page: Answer = result.structured_content or {}
            if result.is_error:
                raise StuckError(f"`{tool}` was refused: {page.get('detail')}")
            self.calls += 1
            answer = {
                **page,
                **{n: [*answer.get(n, []), *each] for n, each in page.items() if isinstance(each, list)},
            }
        self.dialogue = self.dialogue or answer["dialogue"]
        return answer

    async def look_around(self) -> None:
        """What the words mean, what can be done with the things, what holds of the place."""
        say("What do these words mean here?", ", ".join(WORDS))
        grounded = await self.ask("semantic_grounding", terms=WORDS)
        tell(plain(grounded["text"]))
        say("What can I do with these things, now?", ", ".join(THINGS))
        uses = await self.ask("affordances", entities=THINGS)
        tell(*map(plain, (uses["text"], *uses["constraints"])))
        say("What limits me there, and how does one behave?", PLACE)
        limits = await self.ask("constraints", space=PLACE)
        manners = await self.ask("behavioural_expectations", space=PLACE)
        tell(*map(plain, (*limits["constraints"][:3], *manners["behavioural_expectations"][:4])))

    async def settle(self, plan: list[str]) -> list[str]:
        """The plan as it is once every step is accepted. Raises StuckError."""
        for number in range(1, ROUNDS + 1):
            say(f"Would this plan be accepted? (try {number})")
            steps = await self.judged(plan)
            self.show(steps)
            if all(accepted(step) for step in steps):
                return plan
            plan = await self.mend(plan, steps)
        raise StuckError(f"the plan is not accepted after {ROUNDS} tries")

    async def judged(self, plan: list[str], user: str = ME) -> list[Answer]:
        """The verdict on each step of a plan."""
        steps: list[Answer] = (await self.ask("feasibility", user, plan=plan))["steps"]
        return steps

    async def mend(self, plan: list[str], steps: list[Answer]) -> list[str]:
        """The plan with the first Repair that this A-User can make, else with one that another Process must make."""
        refused = [step for step in steps if not accepted(step)]
        for step in refused:
            for repair in step["repairs"]:
                if can_be_made(repair) and not others(repair):
                    tell(f"[green]Step {step['step']} I can mend myself:[/] {plain(repair['text'])}")
                    return mended(plan, step["step"], repair)
        for step in refused:
            if usable := [repair for repair in step["repairs"] if can_be_made(repair)]:
                repair = await self.best(plan, step["step"], usable)
                tell(f"[yellow]Step {step['step']} I cannot mend myself:[/] {plain(repair['text'])}")
                for process, statement in others(repair):
                    say(f"Would {process} be able to do that?", statement)
                    (there,) = await self.judged([statement], process)
                    tell(f"{there['pa_status']}: {plain(there['reason'])}", f"So {process} is asked to, and does it.")
                return mended(plan, step["step"], repair)
        raise StuckError(f"no Repair is known: {refused[0]['reason']}")

    async def best(self, plan: list[str], step: int, repairs: list[Answer]) -> Answer:
        """Of several ways the one after which most steps are accepted, or could be."""
        hopes = []
        for repair in repairs:
            steps = await self.judged(mended(plan, step, repair))
            hopes.append(sum(accepted(each) or bool(each["repairs"]) for each in steps))
        if len(repairs) > 1:
            numbers = ", ".join(map(str, hopes))
            tell(f"There are {len(repairs)} ways. After each so many steps are accepted or can be mended: {numbers}.")
        return repairs[hopes.index(max(hopes))]

    def show(self, steps: list[Answer]) -> None:
        """The verdicts of a plan, each reason once."""
        for step in steps:
            colour = "green" if accepted(step) else "red"
            status = f"[{colour}]{step['pa_status']:<9}[/]"
            out.print(f"  {step['step']:>2} {status} {plain(step['statement'])}", soft_wrap=True)
            if not accepted(step) and step["reason"] not in self.reasons:
                self.reasons.add(step["reason"])
                tell(plain(step["reason"].split(". It would pass")[0]), indent=15)


def accepted(step: Answer) -> bool:
    """Whether a step got Ack."""
    return bool(step["pa_status"] == "Ack")


def can_be_made(repair: Answer) -> bool:
    """Whether its edits are statements: a fact of the world comes about in other ways."""
    return all(edit["kind"] != "world" for edit in repair["edits"])


def others(repair: Answer) -> list[tuple[str, str]]:
    """What other Processes must do for it."""
    return [(edit["needs"], edit["statement"]) for edit in repair["edits"] if edit["needs"]]


def mended(plan: list[str], step: int, repair: Answer) -> list[str]:
    """The plan with the edits of a Repair made."""
    before = [edit["statement"] for edit in repair["edits"] if edit["kind"].startswith("insert")]
    return [*plan[:step], *before, repair["statement"], *plan[step + 1 :]]


def say(question: str, about: str = "") -> None:
    """What is asked."""
    out.print(f"\n[bold]{question}[/]" + (f"  [cyan]{about}[/]" if about else ""))


def tell(*sentences: str, indent: int = 4) -> None:
    """What was answered, or what follows from it."""
    for sentence in sentences:
        out.print(Padding(sentence, (0, 0, 0, indent)))


def command(folder: str) -> StdioServerParameters:
    """The command that a host of agents would start, with a world of its own and no other server asked."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = {"DATA": folder, "WORLDS": "museum_tour", "PORT": str(port), "DATABASE": ""}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DOMAIN_ACCESS_")}
    variables = {f"DOMAIN_ACCESS_{name}": value for name, value in settings.items() if value}
    return StdioServerParameters(command=sys.executable, args=["-m", "app", "mcp"], env={**kept, **variables})


async def main() -> int:
    """The story; 0 where it ends well."""
    with TemporaryDirectory() as folder, Path(os.devnull).open("w") as quiet:
        async with Client(stdio_client(command(folder), errlog=quiet)) as client:
            mind = BasicKnowledge(client)
            try:
                await mind.look_around()
                plan = await mind.settle(PLAN)
            except StuckError as stuck:
                say("I am stuck.", plain(str(stuck)))
                return 1
            say("Every step is Ack.", f"{len(plan)} steps, {mind.calls} calls of tools, one dialogue")
            return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
