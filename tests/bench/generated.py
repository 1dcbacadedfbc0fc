"""Worlds of any size as files, about ten facts an entity: nested places, Items, Rights, Wallets.

python -m tests.bench.generated 100000 world.nt
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import click

from app.model import Text, Triple, Typed
from app.vocab import DAC, IDENTIFIER, TYPE, XSD, mmm
from tests.bench.worlds import BASE, town

_YES = Typed("true", XSD + "boolean")
_BY_CLASS = {
    mmm("ThreeDModelObject"): ("perceptible", "text", "status", "validFrom", "provenance", "twin"),
    mmm("MLocation"): ("extent", "capacity", "text", "mEnvironment", "validFrom"),
    mmm("User"): ("wallet", "text", "supportsAction", "validFrom", "certificate"),
    mmm("Rights"): ("level", "status", "validFrom", "text", "about"),
    mmm("SpatialAttitude"): ("text", "validFrom", "about", "status", "provenance"),
}


def furnished(entities: int) -> Iterator[Triple]:
    """A town whose entities say more of themselves, each User with a Wallet of two currencies."""
    yield (BASE + "EUR", TYPE, mmm("CurrencyObject"))
    yield (BASE + "EUR", IDENTIFIER, Text("EUR"))
    yield (BASE + "GEM", TYPE, mmm("CurrencyObject"))
    yield (BASE + "GEM", IDENTIFIER, Text("GEM"))
    yield (BASE + "Source", TYPE, mmm("Provenance"))
    yield (BASE + "Source", IDENTIFIER, Text("Source"))
    for triple in town(entities):
        yield triple
        s, p, o = triple
        if p == TYPE and o == mmm("ProcessAction"):
            yield (s, IDENTIFIER, Text(s.removeprefix(BASE)))
        if p == TYPE and isinstance(o, str):
            for number, name in enumerate(_BY_CLASS.get(o, ())):
                yield from _said(s, name, number)


def write_world(path: Path, entities: int) -> int:
    """Write such a world as N-Triples; how many facts it has."""
    facts = 0
    with path.open("w", encoding="utf-8") as file:
        for s, p, o in furnished(entities):
            file.write(f"<{s}> <{p}> {_term(o)} .\n")
            facts += 1
    return facts


def _said(s: str, name: str, number: int) -> Iterator[Triple]:
    entity = s.removeprefix(BASE)
    match name:
        case "wallet":
            yield (s, mmm(name), f"{s}-wallet")
            yield from ((f"{s}-wallet", TYPE, mmm("Wallet")), (f"{s}-wallet", IDENTIFIER, Text(f"{entity}-wallet")))
            for currency in ("EUR", "GEM"):
                value = f"{s}-{currency}"
                yield (f"{s}-wallet", mmm("value"), value)
                yield from ((value, TYPE, mmm("Value")), (value, IDENTIFIER, Text(f"{entity}-{currency}")))
                yield (value, mmm("amount"), Decimal(100 + len(entity)))
                yield (value, mmm("currency"), BASE + currency)
        case "perceptible":
            yield (s, mmm(name), _YES)
        case "extent":
            yield (s, mmm(name), Typed("0 0 0 10 10 10", DAC + "box"))
        case "capacity":
            yield (s, mmm(name), Decimal(1_000_000))
        case "validFrom":
            yield (s, mmm(name), Typed("2026-01-01T00:00:00Z", XSD + "dateTime"))
        case "text":
            yield (s, mmm(name), Text(f"{entity}, number {number} of its kind"))
        case "status":
            yield (s, mmm(name), mmm("Final"))
        case "level":
            yield (s, mmm(name), mmm("Acquired"))
        case "supportsAction":
            yield (s, mmm(name), mmm("MM-Move"))
        case "provenance":
            yield (s, mmm(name), BASE + "Source")
        case "about":
            yield (s, mmm(name), BASE + "Plaza")


def _term(term: object) -> str:
    if isinstance(term, str):
        return f"<{term}>"
    if isinstance(term, Text):
        return f'"{term.value}"'
    if isinstance(term, Typed):
        return f'"{term.lexical}"^^<{term.datatype}>'
    return f'"{term}"^^<{XSD}integer>'


@click.command()
@click.argument("entities", type=click.IntRange(20, 10_000_000))
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def main(entities: int, file: Path) -> None:
    """Write a generated world of about ENTITIES entities to FILE, as N-Triples."""
    click.echo(f"{write_world(file, entities):,} facts")


if __name__ == "__main__":
    main()
