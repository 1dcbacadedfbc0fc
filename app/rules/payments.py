"""What a step costs whom, as data: rules/payments/*.toml, one file each.

title, clause, actions (absent: every Action)
when    binds `?payer` and `?price` (a Value); `?payee` and `?wallet` where they are known
"""

from __future__ import annotations

from pathlib import Path

from app.errors import Code
from app.knowledge import Knowledge
from app.rules.compiled import Reach
from app.rules.files import Reader
from app.rules.forms import Payment
from app.rules.syntax import Link
from app.vocab import mmm

_KEYS = {"title", "clause", "actions", "when"}
_MONEY = Reach({(Link(mmm("amount")),): Reach(), (Link(mmm("currency")),): Reach()})
_PURSE = Reach({(Link(mmm("value")),): _MONEY})
_PARTY = Reach({(Link(mmm("wallet")),): _PURSE})
_READ = {"price": _MONEY, "wallet": _PURSE, "payer": _PARTY, "payee": _PARTY}
"""What judging whether a price is covered, and paying it, reads besides."""


def read_payment(path: Path, knowledge: Knowledge, source: str, roles: frozenset[str]) -> Payment:
    """A payment file. Raises PackError with every fault."""
    r = Reader(path, knowledge, source, roles)
    m = r.members
    r.keys(m, _KEYS, "")
    pattern = r.pattern(r.get(m, "when", str), "when", read=_READ)
    if pattern is not None:
        for name in sorted({"payer", "price"} - {*pattern.outputs, *pattern.parameters}):
            r.fault(Code.UNBOUND_VARIABLE, f"a payment has a `?{name}`", "when")
    payment = Payment(
        name=path.stem,
        title=r.get(m, "title", str),
        clause=r.get(m, "clause", str),
        pattern=pattern,
        actions=frozenset(r.get(m, "actions", list, [])),
        source=source,
        where=str(path),
    )
    r.refuse()
    return payment
