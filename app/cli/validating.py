"""`domain-access validate`: whether messages of the exchanges conform, every fault with its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from app.cli import ANSWERED, NOT_FEASIBLE, TROUBLE

if TYPE_CHECKING:
    from app.errors import Fault
    from app.exchange import Conformance, Exchange

_LINES: Final = {".jsonl", ".ndjson"}
_READ: Final = {".json", *_LINES}
_NAMES: Final = ("bkn-dac", "bkn-prc", "bkn-pal", "bkn-usr")  # those of EXCHANGES, for which help need not wait


@dataclass(frozen=True, slots=True)
class Judged:
    """One message: where it stands, the name of its exchange or none, and what was found."""

    source: str
    exchange: str
    conformance: Conformance


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(exists=True, allow_dash=True))
@click.option("--exchange", type=click.Choice(_NAMES), help="What the messages are; without it their Header says so.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_context
def validate(ctx: click.Context, files: tuple[str, ...], exchange: str | None, form: str) -> None:
    """Check that messages conform with BKN-DAC, BKN-PRC, BKN-PAL or BKN-USR: all faults, by schema and by prose.

    FILE is a JSON file, JSON lines (.jsonl, .ndjson), a folder of both, or - for stdin. A file holds one message or
    {"request": ..., "response": ...}, which have to belong together. JSON lines are messages in the order in which
    they were sent: a Response has to belong to its Request among them, and odd turns are warned of.

    \b
    Examples:
      domain-access validate schemas/examples/bkn-dac/valid
      domain-access validate --format json schemas/examples/bkn-usr/valid/refined_response.json
      domain-access validate --exchange bkn-prc - < schemas/examples/bkn-prc/valid/intent_request.json

    The exit code is 0 where all conform, 1 where one does not; warnings do not count.
    """
    from app.exchange import EXCHANGES

    judged = [each for file in files for each in _judged(ctx, file, EXCHANGES[exchange] if exchange else None)]
    conform = all(each.conformance.conforms for each in judged)
    if form == "json":
        found = [{"source": each.source, "exchange": each.exchange} | each.conformance.as_json() for each in judged]
        click.echo(json.dumps({"conforms": conform, "messages": found}, indent=2))  # ASCII, for any terminal
    else:
        _show(judged)
    ctx.exit(ANSWERED if conform else NOT_FEASIBLE)


def _judged(ctx: click.Context, file: str, exchange: Exchange | None) -> Iterator[Judged]:
    if file == "-":
        with click.open_file("-", "rb") as stream:
            raw = stream.read()
        yield from _judged_text("-", raw, _are_lines(raw), exchange)
        return
    for path in _paths(Path(file)):
        try:
            raw = path.read_bytes()
        except OSError as error:
            click.echo(f"error: `{path}` cannot be read: {(error.strerror or 'unknown').lower()}", err=True)
            ctx.exit(TROUBLE)
        yield from _judged_text(str(path), raw, path.suffix.lower() in _LINES, exchange)


def _paths(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = sorted(inner for inner in path.rglob("*") if inner.suffix.lower() in _READ and inner.is_file())
    if not found:
        raise click.UsageError(f"`{path}` holds no file that ends in {', '.join(sorted(_READ))}")
    return found


def _are_lines(raw: bytes) -> bool:
    """Whether a text without a name is JSON lines: it has several, and the first alone is an object."""
    lines = [line for line in raw.split(b"\n") if line.strip()]
    try:
        return len(lines) > 1 and isinstance(json.loads(lines[0]), dict)
    except (ValueError, RecursionError):
        return False


def _judged_text(source: str, raw: bytes, lines: bool, exchange: Exchange | None) -> Iterator[Judged]:
    from app.exchange import check_dialogue, check_message

    if not lines:
        yield Judged(source, *check_message(raw, exchange))
        return
    numbered = [(number, line) for number, line in enumerate(raw.split(b"\n"), 1) if line.strip()]
    found = check_dialogue((line for _, line in numbered), exchange)
    for (number, _), (name, conformance) in zip(numbered, found, strict=True):
        yield Judged(f"{source}:{number}", name, conformance)


def _show(judged: list[Judged]) -> None:
    from rich.text import Text

    from app.cli.show import console, plain

    out = console()
    for each in judged:
        verdict = ("conforms", "bold green") if each.conformance.conforms else ("does not conform", "bold red")
        exchange = f" ({each.exchange})" if each.exchange else ""
        out.print(Text.assemble(plain(each.source), ": ", verdict, exchange), soft_wrap=True)
        for kind, style, told in (
            ("error", "bold red", each.conformance.faults),
            ("warning", "bold yellow", each.conformance.warnings),
        ):
            for fault in told:
                out.print(Text.assemble("  ", (f"{kind}: ", style), plain(_said(fault))), soft_wrap=True)
    faulty = sum(not each.conformance.conforms for each in judged)
    warnings = sum(len(each.conformance.warnings) for each in judged)
    out.print(Text(f"messages: {len(judged)}, not conforming: {faulty}, warnings: {warnings}"))


def _said(fault: Fault) -> str:
    where = f"{fault.where}: " if fault.where else ""
    return f"{where}{fault.message} [{fault.code.code}]; {fault.hint}; see {fault.clause}"
