"""Many patterns as one function: which of them have a solution, each read that several begin with made once.

Most rules do not fire, and what they read first is often the same. A screen merges the code of their patterns line by
line, from the first line on, and tells which reach their end; only these are then run one by one, for their bindings.
It reads what they read, in the same order: where it cannot, whoever asked runs every pattern by itself and finds out
which. Running them one by one is thus the meaning, and the oracle of the tests.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from app.facts import Facts
from app.model import Term
from app.rules.compiled import Compiled, near
from app.rules.functions import divide, less, number, truth

Values = Mapping[str, tuple[Term, ...]]
Screen = Callable[[Facts, Values], list[int]]
"""The numbers of the patterns that have a solution, some more than once."""

_NAME = re.compile(r"\b(?:v_\w+|c\d+|group_\d+)\b")
_READ = re.compile(r"\bO\((v_\w+|x\d+), (k\d+)\)")
_MUCH = 3
_LOOP = re.compile(r"for (.*?) +in (.*):$")
_BIND = re.compile(r"(v_\w+) = (.*)$")
_BUILT_IN = {"less": less, "number": number, "divide": divide, "truth": truth, "near": near}


@dataclass(slots=True)
class _Line:
    """A line of code, what is nested in it, and the patterns whose end lies there."""

    text: str = ""
    bound: tuple[str, ...] = ()
    within: dict[str, _Line] = field(default_factory=dict)
    ends: list[int] = field(default_factory=list)


class _Writer:
    """The merged code being made: constants, functions of nested groups, parameters, lines."""

    def __init__(self) -> None:
        self._names: dict[str, object] = dict(_BUILT_IN)
        self._constants: dict[tuple[type, object], str] = {}
        self._parameters: dict[str, None] = {}
        self._root = _Line()
        self._bound = 0
        self._quick: set[str] = set()

    def add(self, order: int, number: int, pattern: Compiled) -> None:
        """Merge the lines of one pattern, the `order`th."""
        self._parameters.update(dict.fromkeys(pattern.parameters))
        held: Mapping[str, object] = getattr(pattern.run, "__globals__")  # noqa: B009 - its namespace in compiler.py
        local = {f"v_{name}": f"v_{name}" for name in pattern.parameters}

        def here(match: re.Match[str]) -> str:
            name = match[0]
            if name not in local:
                local[name] = self._named(f"p{order}_{name}", held[name])
            return local[name]

        place = self._root
        for line in _body(pattern.source):
            variables, text, row = list[str](), line, False
            if loop := _LOOP.match(line):
                variables, text, row = re.findall(r"v_\w+", loop[1]), loop[2], "," in loop[1]
            elif bind := _BIND.match(line):  # a loop of one, so that what follows is nested as elsewhere
                variables, text = [bind[1]], f"({bind[2]},)"
            place = self._step(place, _NAME.sub(here, text), len(variables), row)
            local.update(zip(variables, place.bound, strict=True))
        place.ends.append(number)

    def written(self, where: str) -> Screen:
        """The function."""
        lines = ["def screen(facts, values):", "    O = facts.objects; S = facts.subjects; found = []"]
        self._quick.update(self._parameters)
        for name in self._parameters:
            lines.append(f"    v_{name} = values[{name!r}][0]; o_{name} = facts.of(v_{name})")
        self._write(self._root, 1, lines)
        lines.append("    return found")
        exec(compile("\n".join(lines), f"<{where}>", "exec"), self._names)  # source is ours, terms are constants
        screen = self._names["screen"]
        assert callable(screen)
        return screen

    def _step(self, place: _Line, text: str, binds: int, row: bool) -> _Line:
        """The line below a place; a loop binds one value, or those of a row."""
        known = place.within.get(text)
        if known is None:
            bound = tuple(f"x{self._bound + i}" for i in range(binds))
            self._bound += binds
            line = f"for {', '.join(bound)}{',' * row} in {text}:" if binds else text
            known = place.within[text] = _Line(line, bound)
        return known

    def _named(self, name: str, value: object) -> str:
        """The name of a constant, one for all that are equal; the function of a nested group keeps its own."""
        if "group_" in name:
            self._names[name] = value
            return name
        constant = self._constants.setdefault((type(value), value), f"k{len(self._constants)}")
        self._names[constant] = value
        return constant

    def _write(self, line: _Line, depth: int, lines: list[str]) -> None:
        """What an entity says itself is one look-up where it is asked much and the plan has not changed it."""
        indent = "    " * depth
        for name in line.bound:
            if sum(f"O({name}, " in inner.text for inner in line.within.values()) >= _MUCH:
                lines.append(f"{indent}o_{name} = facts.of({name})")
                self._quick.add(name)
        lines += [f"{indent}found.append({number})" for number in line.ends]
        for inner in line.within.values():
            lines.append(indent + _READ.sub(self._read, inner.text))
            self._write(inner, depth + 1, lines)

    def _read(self, match: re.Match[str]) -> str:
        name = match[1].removeprefix("v_")
        return f"(o_{name}({match[2]}) or ())" if name in self._quick else match[0]


def fuse(patterns: Iterable[tuple[int, Compiled]], where: str) -> Screen:
    """One function for some patterns, each with a number of its own; of every parameter it takes the first value."""
    writer = _Writer()
    for order, (number_of, pattern) in enumerate(patterns):
        writer.add(order, number_of, pattern)
    return writer.written(where)


def _body(source: str) -> list[str]:
    """The lines of a compiled pattern that lead to a row, without the row."""
    lines = source[source.index("def rule(") :].split("\n")
    return [line.strip() for line in lines[3 : lines.index("    return rows") - 1]]
