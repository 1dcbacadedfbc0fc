"""A server that is killed while its worlds change, and what must be true afterwards (DESIGN 9: lasting).

    python -m tests.kill [KILLS] [SEED]

Each kill is SIGKILL after a time that the seed gives, while callers change three worlds: by data, by updates with
WHERE, and by what makes a new generation, a large document or another set of packs. Then the server starts again:

- a change that was answered is there, and one that was refused is not;
- of the one that got no answer, all is there or nothing;
- the log has one entry for each change that is there, in order, and agrees with what it says of the facts.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

from app.serve_http.server import serve
from app.service import Service
from app.settings import Settings
from app.vocab import DAC, MMM
from app.world.log import KEPT
from app.world.worlds import SMALL_BYTES
from tests.processes import environment

PREFIXES: Final = f"@prefix mmm: <{MMM}> .\n@prefix dac: <{DAC}> .\n"

LONGEST_S: Final = 0.5
"""A kill comes at most so long after the callers have begun."""

START_S: Final = 120
"""A server that takes longer to start hangs."""

ITEMS: Final = 20
"""Items that each change touches together: all have one capacity, or the change was made in half."""

PADDING: Final = b"#" * 80 + b"\n"
"""A comment of which a document can have so many that it is too large to be compared: it makes a new generation."""

_TOLD_EVERY: Final = 50

_FORKS: Final = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["app.serve_http.server"])


@dataclass
class Caller:
    """Who changes one world: its facts say which change was the last. `sent` may be there or not."""

    name: str
    how: str
    done: int = 0
    sent: int | None = None
    entries: int = 1
    wrong: list[str] = field(default_factory=list)

    @property
    def path(self) -> str:
        return f"/v1/worlds/{self.name}"

    @property
    def base(self) -> str:
        return f"https://{self.name.lower()}.kill.example/"

    def facts(self, number: int) -> int:
        """How many facts the world has after a change."""
        return 2 + 3 * ITEMS + self.has_pack(number)

    def has_pack(self, number: int) -> bool:
        """Whether the world has a further pack after a change."""
        return self.how == "generation" and number % 2 == 1

    def document(self, number: int) -> bytes:
        """The world after a change."""
        items = [f'<i{i}> a mmm:MLocation ; mmm:identifier "i{i}" ; mmm:capacity {number} .' for i in range(ITEMS)]
        own = f'<> a mmm:MInstance ; mmm:identifier "{self.name}" .'
        pack = ['<> dac:usesPack "friends_meet" .'] if self.has_pack(number) else []
        return f"@base <{self.base}> .\n{PREFIXES}\n{own}\n".encode() + "\n".join([*pack, *items]).encode()

    def request(self, number: int) -> tuple[str, str, bytes, str]:
        """Method, path, body and type of a change."""
        if self.has_pack(number):
            padding = PADDING * (SMALL_BYTES // len(PADDING) + 1)
            return "PUT", self.path, padding + self.document(number), "text/turtle"
        told = [" . ".join(f"<i{i}> mmm:capacity {n}" for i in range(ITEMS)) for n in (number - 1, number)]
        text = f"DELETE DATA {{ {told[0]} }} ; INSERT DATA {{ {told[1]} }}"
        if self.how == "where":
            text = f"DELETE {{ ?s ?p {number - 1} }} INSERT {{ ?s ?p {number} }} WHERE {{ ?s ?p {number - 1} }}"
        if self.how == "generation":
            text += ' ; DELETE DATA { <> dac:usesPack "friends_meet" }'
        prefixes = PREFIXES.replace("@prefix", "PREFIX").replace("> .", ">")
        return "POST", f"{self.path}/update", f"{prefixes} {text}".encode(), "application/sparql-update"


@contextmanager
def served(data: Path) -> Iterator[tuple[ForkServerProcess, HTTPConnection]]:
    """A process that serves, forked from one that has imported all, and a connection to it."""
    here, there = _FORKS.Pipe(duplex=False)
    process = _FORKS.Process(target=_serve, args=(data, there), daemon=True)
    process.start()
    there.close()
    try:
        if not here.poll(START_S):
            raise ChildProcessError(f"the server does not start in {START_S} s (exit code: {process.exitcode})")
        try:
            address = str(here.recv())
        except EOFError:
            process.join()
            raise ChildProcessError(f"the server ended while it started (exit code {process.exitcode})") from None
        host, _, port = address.removeprefix("http://").rpartition(":")
        with closing(HTTPConnection(host, int(port), timeout=60)) as connection:
            while isinstance(_ask(connection, "/ready", "*/*"), str):
                time.sleep(0.02)
            yield process, connection
    finally:
        here.close()
        process.kill()
        process.join()


def _serve(data: Path, ready: Connection) -> None:
    os.environ.clear()
    os.environ.update(environment(data))
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)

    def opened(_: Service, address: str) -> None:
        ready.send(address)
        ready.close()

    serve(Settings(data=data, port=0, log_level="error"), opening=opened)


def talk(caller: Caller, host: str, port: int) -> None:
    """Change the world until no answer comes."""
    with closing(HTTPConnection(host, port, timeout=60)) as connection, suppress(OSError, HTTPException):
        while not caller.wrong:
            number = caller.done + 1
            method, path, body, media_type = caller.request(number)
            caller.sent = number
            connection.request(method, path, body, {"Content-Type": media_type})
            response = connection.getresponse()
            said = response.read()
            if response.status == 204:
                caller.done, caller.sent, caller.entries = number, None, caller.entries + 1
            else:
                caller.wrong.append(f"change {number} of {caller.name}: {response.status} {said.decode()}")


def check(caller: Caller, connection: HTTPConnection) -> list[str]:
    """What is wrong with a world after a kill. What is there from now on counts as done."""
    found = _ask(connection, caller.path, "application/n-triples")
    if isinstance(found, str):
        return [f"{caller.name} cannot be read: {found}"]
    lines = found.decode().splitlines()
    numbers = {line.split('"')[1] for line in lines if f"<{MMM}capacity>" in line}
    expected = {caller.done} if caller.sent is None else {caller.done, caller.sent}
    wrong = []
    if len(numbers) != 1 or int(min(numbers)) not in expected:
        return [f"{caller.name} is at {sorted(numbers)}, expected one of {sorted(expected)}"]
    at = int(min(numbers))
    if len(lines) != caller.facts(at):
        wrong.append(f"{caller.name} has {len(lines)} facts, not {caller.facts(at)}")
    entries = caller.entries + (at == caller.sent)
    told = _ask(connection, f"{caller.path}/log?limit={KEPT}", "application/json")
    if isinstance(told, str):
        return [*wrong, f"the log of {caller.name} cannot be read: {told}"]
    versions = json.loads(told)["versions"]
    if [entry["number"] for entry in versions] != list(range(entries, max(0, entries - KEPT), -1)):
        wrong.append(f"the log of {caller.name} has {len(versions)} entries, expected {entries}")
    if len({entry["version"] for entry in versions}) != len(versions):
        wrong.append(f"the log of {caller.name} has a version twice")
    caller.done, caller.sent, caller.entries = at, None, entries
    return wrong


def _ask(connection: HTTPConnection, path: str, accept: str) -> bytes | str:
    connection.request("GET", path, headers={"Accept": accept})
    response = connection.getresponse()
    body = response.read()
    return body if response.status == 200 else f"{response.status} {body.decode()}"


def make(callers: list[Caller], connection: HTTPConnection) -> None:
    """The worlds, before any change."""
    for caller in callers:
        connection.request("PUT", caller.path, caller.document(0), {"Content-Type": "text/turtle"})
        response = connection.getresponse()
        if response.status != 201:
            raise AssertionError(response.read().decode())
        response.read()


def left_over(data: Path) -> list[str]:
    """What a kill left in the folder that the next start should have cleared away."""
    generations = {path.parent: [*path.parent.glob("g*")] for path in data.glob("worlds/*/current")}
    wrong = [f"{folder.name} has {len(found)} generations" for folder, found in generations.items() if len(found) > 1]
    return wrong + [f"left: {path}" for path in data.glob("incoming/*")]


def kills(data: Path, count: int, seed: int) -> Iterator[tuple[int, list[str]]]:
    """Kill so often; after each, the seed and what is wrong."""
    callers = [Caller("Data", "data"), Caller("Where", "where"), Caller("Made", "generation")]
    dice = random.Random(seed)
    for number in range(count + 1):
        with served(data) as (process, connection):
            wrong: list[str] = []
            if number == 0:
                make(callers, connection)
            else:
                for caller in callers:
                    wrong += caller.wrong + check(caller, connection)
                wrong += left_over(data)
                yield seed + number, wrong
            if number == count:
                return
            threads = [
                threading.Thread(target=talk, args=(caller, connection.host, connection.port)) for caller in callers
            ]
            for thread in threads:
                thread.start()
            time.sleep(dice.random() * LONGEST_S)
            process.kill()  # SIGKILL: no handler runs, no buffer is written
            for thread in threads:
                thread.join()


def main(count: int = 1_000, seed: int = 0) -> int:
    """0 where nothing is wrong."""
    failed, begun = 0, perf_counter()
    with TemporaryDirectory(prefix="kill-") as folder:
        for done, (number, wrong) in enumerate(kills(Path(folder), count, seed), start=1):
            if wrong:
                failed += 1
                print(f"kill {number}:", *wrong, sep="\n    ", flush=True)
            if done % _TOLD_EVERY == 0 and done < count:
                print(f"{done} of {count} kills in {perf_counter() - begun:.0f} s", flush=True)
    print(f"{count} kills in {perf_counter() - begun:.0f} s, {failed} left something wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    arguments: list[Any] = [int(each) for each in sys.argv[1:]]
    sys.exit(main(*arguments))
