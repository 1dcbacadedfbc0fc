"""Answers, faults and tables for readers: coloured on a terminal, plain in a pipe, faithful in both."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from rich import box
from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from app.errors import DomainAccessError, problem

_PIPED: Final = 120  # columns where no terminal says how wide it is
_STATUS_STYLES: Final = {"Ack": "bold green", "FaultyReq": "bold magenta", "IncID": "bold yellow"}
_OVERALL_STYLES: Final = {"feasible": "bold green", "partially_feasible": "bold yellow", "infeasible": "bold red"}
_POINTER: Final = re.compile(r" *~*\^ *")


class Reason:
    """A Reason in a table: wraps, except that a line and the `~~~^` below it are cut at the same columns."""

    def __init__(self, text: str) -> None:
        self._lines = plain(text).split("\n")

    def __rich_measure__(self, _: Console, options: ConsoleOptions) -> Measurement:
        widest = max(map(cell_len, self._lines))
        return Measurement(min(24, widest), widest).with_maximum(options.max_width)

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> RenderResult:
        pointed = False
        for line, below in pairwise([*self._lines, ""]):
            if pointed:
                pointed = False
            elif _POINTER.fullmatch(below):
                pointed = True
                yield from _pointing(line, below, options.max_width)
            else:
                yield Text(line, overflow="fold")


def console(*, error: bool = False) -> Console:
    """Where to write; a pipe gets lines of a fixed width and no colours."""
    stream = sys.stderr if error else sys.stdout
    width = None if stream.isatty() else _PIPED
    return Console(file=stream, width=width, markup=False, highlight=False, emoji=False, soft_wrap=False)


def show_response(request: Mapping[str, Any], response: Mapping[str, Any], explanation_at: str) -> None:
    """A Response for a reader: the plan as a table, or the Answer as text, and where the explanation is."""
    out = console()
    if "Feasibility" in response:
        out.print(verdicts(request.get("ProcessActions", ()), response["Feasibility"]["Steps"]))
        overall = response["Feasibility"]["Overall"]
        out.print(Text.assemble("Overall: ", (overall, _OVERALL_STYLES.get(overall, ""))))
    if response["Outcome"] != "answered":
        out.print(Text(f"Outcome: {response['Outcome']}"))
    for line in (*_answer(response.get("Answer", {})), *_commitments(response), *_failure(response)):
        out.print(Text(plain(line)))
    query_id = plain(response["QueryID"])
    out.print(Text(f"QueryID: {query_id}"))
    out.print(Text(f"Explanation: {explanation_at.format(query_id)}"), soft_wrap=True)


def verdicts(submitted: Iterable[Mapping[str, Any]], steps: Iterable[Mapping[str, Any]]) -> Table:
    """The steps of a plan in order, each with its PA Status and Reason."""
    judged = {int(step["Step"]): step for step in steps}
    shown = table("Step", "Statement", "PA Status", "Reason")
    for action in sorted(submitted, key=lambda each: int(each["Step"])):
        found = judged.get(int(action["Step"]), {})
        status = str(found.get("PAStatus", "not judged"))
        style = _STATUS_STYLES.get(status, "bold red" if found else "dim")
        statement = Text(plain(action["Statement"]).replace("\n", " "), overflow="fold")
        shown.add_row(str(action["Step"]), statement, Text(status, style=style), Reason(found.get("Reason", "")))
    return shown


def table(*headings: str) -> Table:
    """An empty table; only the last columns give way when it is too wide."""
    made = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for heading in headings:
        fixed = heading in {"Step", "PA Status", "Rule"}
        made.add_column(heading, no_wrap=fixed, justify="right" if heading == "Step" else "left")
    return made


def show_rows(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table of texts."""
    shown = table(*headings)
    for row in rows:
        shown.add_row(*(Text(plain(cell), overflow="fold") for cell in row))
    console().print(shown)


def show_faults(error: DomainAccessError, *, as_json: bool) -> None:
    """Every fault: on stderr for readers, or the problem details on stdout."""
    if as_json:
        print(json.dumps(problem(error), ensure_ascii=False))
        return
    out = console(error=True)
    for fault in error.faults:
        where = f"{fault.where}: " if fault.where else ""
        said = f"{where}{fault.message} [{fault.code.code}]"
        out.print(Text.assemble(("error: ", "bold red"), plain(said)), soft_wrap=True)
        for more in filter(None, (fault.hint, fault.clause and f"see {fault.clause}")):
            out.print(Text("\n".join(f"  {line}" for line in plain(more).split("\n"))), soft_wrap=True)


def plain(text: object) -> str:
    """A text in which nothing steers the terminal: what is neither printable nor a line end becomes `\ufffd`."""
    said = str(text)
    if said.isprintable():
        return said
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in said)


def _pointing(line: str, below: str, width: int) -> Iterator[Text]:
    """Two lines whose columns belong together, cut at the same places."""
    at = 0
    for piece in chop_cells(line, width) or [""]:
        end = at + cell_len(piece)
        yield Text(piece, no_wrap=True)
        if mark := below[at:end].rstrip():
            yield Text(mark, style="bold red", no_wrap=True)
        at = end
    if mark := below[at:].rstrip():  # the place is the end of the text
        yield Text(mark, style="bold red", overflow="fold")


def _answer(answer: Mapping[str, Any]) -> Iterator[str]:
    if text := answer.get("Text"):
        yield text
    for found in answer.get("ObjectClasses", ()):
        label = f"{found['Label']} " if "Label" in found else ""
        confidence = f" ({found['Confidence']:.0%})" if "Confidence" in found else ""
        yield f"- {label}<{found['Class']}>{confidence}"
    for relation in answer.get("Relations", ()):
        yield f"- {relation['Subject']} {relation['Predicate']} {relation['Object']}"
    for affordance in answer.get("Affordances", ()):
        what = affordance.get("EntityID") or affordance.get("Class")
        yield f"- {what}: {affordance['Action']}" if what else f"- {affordance['Action']}"
    for heading, member in (("Constraints", "Constraints"), ("Expected", "BehaviouralExpectations")):
        for said in answer.get(member, ()):
            yield f"- {heading}: {said}"


def _commitments(response: Mapping[str, Any]) -> Iterator[str]:
    for commitment in response.get("CommitmentStatus", ()):
        yield f"- commitment {commitment['CommitmentID']}: {commitment['Status']}"


def _failure(response: Mapping[str, Any]) -> Iterator[str]:
    if failure := response.get("Failure"):
        asked = f", asked: {failure['Request']}" if "Request" in failure else ""
        yield f"Failure ({failure['Nature']}): {failure['Service']}{asked}"
