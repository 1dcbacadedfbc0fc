"""A pattern ready to run, and what a Situation must fetch for it: what compiler.py makes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from app.facts import Facts
from app.model import Term, Triple
from app.rules.functions import number
from app.rules.syntax import Link, Match, Node, Pattern, Var, variables

Row = tuple[Term | None, ...]
Run = Callable[..., dict[Row, Row]]
Every = Callable[[Facts, Mapping[str, tuple[Term, ...]]], list[tuple[Row, dict[Row, Row]]]]


@dataclass(slots=True)
class Reach:
    """What is walked from one entity: links (alternatives), each to a further Reach. Without links, only named."""

    links: dict[tuple[Link, ...], Reach] = field(default_factory=dict)

    def follow(self, links: tuple[Link, ...]) -> Reach:
        """The Reach behind some links, made on first use."""
        return self.links.setdefault(links, Reach())

    def merge(self, other: Reach) -> None:
        """Take in all that another Reach walks."""
        for links, further in other.links.items():
            self.follow(links).merge(further)


@dataclass(frozen=True, slots=True)
class Compiled:
    """A pattern ready to run: `run(facts, *values of parameters)` gives rows of `outputs`, each with `hidden` values
    of the unnamed nodes on its paths. `every(facts, values)` runs it for each combination of the parameters' values
    and gives those with rows; ask `applies` first. `positive` are the matches every row rests on, `possible` those of
    UNION branches, `negative` the patterns found absent.
    """

    parameters: tuple[str, ...]
    outputs: tuple[str, ...]
    hidden: tuple[str, ...]
    run: Run
    every: Every
    reach: dict[str, Reach]
    positive: tuple[Match, ...]
    possible: tuple[Match, ...]
    negative: tuple[Pattern, ...]
    source: str

    def applies(self, values: Mapping[str, tuple[Term, ...]]) -> bool:
        """Whether every parameter has a value; without, a rule is not applicable, which is not the same as passed."""
        return all(name in values for name in self.parameters)


def near(facts: Facts, start: Term, links: tuple[Link, ...]) -> tuple[Term, ...]:
    """The nodes one link away by any of several predicates, each once."""
    found: dict[Term, None] = {}
    for link in links:
        neighbours = facts.subjects(link.predicate, start) if link.inverse else facts.objects(start, link.predicate)
        found.update(dict.fromkeys(neighbours))
    return tuple(found)


Apply = Callable[
    [Facts, Mapping[str, tuple[Term, ...]], dict[Triple, None], dict[Triple, None], dict[tuple[str, str], Decimal]],
    None,
]


def compile_effect(when: Compiled | None, says: Mapping[str, tuple[Match, ...]], where: str) -> Apply:
    """A function that puts the triples an effect adds and removes into two dicts, and what it increases and decreases
    numbers by into a third, summed; KeyError without a value. Of a text no fact is made.
    """
    names: dict[str, object] = {"number": number}

    def said(node: Node) -> str:
        if isinstance(node, Var):
            return f"v_{node.name}"
        names[name := f"c{len(names)}"] = node.term
        return name

    bound: set[str] = set()
    lines = ["def apply(facts, values, add, remove, change):"]
    depth = 1
    if when is not None:
        names["every"] = when.every
        bound = {*when.parameters, *when.outputs}
        lines.append(f"    for {row_of(when.parameters)}, rows in every(facts, values):")
        lines.append(f"        for {row_of(when.outputs)} in rows:")
        depth = 3
    for name in sorted(variables(tuple(says.values())) - bound):
        lines.append("    " * depth + f"for v_{name} in values[{name!r}]:")
        depth += 1
    if not any(says.values()):
        lines.append("    " * depth + "pass")
    for key, triples in says.items():
        for s, path, o in triples:
            names[predicate := f"p{len(names)}"] = path.links[0].predicate
            subject, value = said(s), said(o)
            if key in _SIGN:
                at = f"change[{subject}, {predicate}]"
                line = f"{at} = change.get(({subject}, {predicate}), 0) {_SIGN[key]} number({value})"
            else:
                line = f"{key}[{subject}, {predicate}, {value}] = None"
            lines.append("    " * depth + (f"if isinstance({subject}, str): " if isinstance(s, Var) else "") + line)
    exec(compile("\n".join(lines), f"<{where}>", "exec"), names)  # source is ours, terms are constants
    apply = names["apply"]
    assert callable(apply)
    return apply


_SIGN = {"increase": "+", "decrease": "-"}


def row_of(names: Iterable[str | None]) -> str:
    """Python for a row of values: the variables of these names."""
    return "(" + "".join(f"v_{name}, " if name is not None else "None, " for name in names) + ")"


def every_of(parameters: list[str]) -> str:
    """The function that runs a rule for each combination of values, written out: it is called for every rule."""
    lines = ["def every(facts, values):", "    found = []"]
    depth = 1
    for name in parameters:
        lines.append("    " * depth + f"for v_{name} in values[{name!r}]:")
        depth += 1
    given = "".join(f", v_{name}" for name in parameters)
    lines.append("    " * depth + f"rows = rule(facts{given})")
    lines.append("    " * depth + f"if rows: found.append(({row_of(parameters)}, rows))")
    return "\n".join([*lines, "    return found", ""])
