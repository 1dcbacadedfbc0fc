"""What a step costs and what paying it changes: money as facts that the rules compare (SEMANTICS 6).

Each payer owes one sum in each currency and out of each choice of Wallets; currencies never mix. A running total goes
from step to step of the plan: a price that each of two steps could pay is not paid twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from app.evaluate.decide import Values, solutions
from app.facts import Facts, Slice
from app.model import Effect, Layer, Term, Triple
from app.rules.forms import Payment
from app.rules.functions import ExpressionError
from app.vocab import dac, mmm

Spent = Mapping[tuple[str, str], Decimal]
"""What a payer has paid in a currency in the steps before."""

_AMOUNT, _CURRENCY, _WALLET, _VALUE = mmm("amount"), mmm("currency"), mmm("wallet"), mmm("value")
_DUE, _PAYER, _TOTAL = dac("due"), dac("payer"), dac("runningTotal")


@dataclass(frozen=True, slots=True)
class Due:
    """A sum one payer owes in one currency; `wallets` may pay it, `payees` get their shares."""

    payer: str
    currency: str
    amount: Decimal
    wallets: tuple[str, ...]
    payees: tuple[tuple[str, Decimal], ...] = ()


def dues_of(payments: Iterable[Payment], values: Values, facts: Facts) -> tuple[Due, ...]:
    """What a step would have paid, a price once. Raises ExpressionError for a price without amount or currency."""
    prices: dict[tuple[str, str], tuple[Decimal, str, str, tuple[str, ...]]] = {}
    for payment in payments:
        if payment.pattern is None or not payment.pattern.applies(values):
            continue
        for found, _ in solutions(payment.pattern, values, facts):
            payer, price = str(found["payer"]), str(found["price"])
            named = found.get("wallet")
            wallets = (str(named),) if named is not None else tuple(map(str, facts.objects(payer, _WALLET)))
            amount, currency = _money(price, facts)
            prices[payer, price] = (amount, currency, str(found.get("payee", "")), wallets)
    sums: dict[tuple[str, str, tuple[str, ...]], list[tuple[str, Decimal]]] = {}
    for (payer, _), (amount, currency, payee, wallets) in prices.items():
        sums.setdefault((payer, currency, wallets), []).append((payee, amount))
    return tuple(
        Due(payer, currency, sum((amount for _, amount in shares), Decimal()), wallets, tuple(shares))
        for (payer, currency, wallets), shares in sorted(sums.items())
    )


def stated(step: Slice, dues: Iterable[Due], spent: Spent) -> tuple[Slice, ...]:
    """The statement with its dues, and a node for each of them."""
    nodes: list[Slice] = []
    totals = dict(spent)
    for i, due in enumerate(dues):
        key = (due.payer, due.currency)
        totals[key] = totals.get(key, Decimal()) + due.amount
        out: dict[str, tuple[Term, ...]] = {
            _PAYER: (due.payer,),
            _AMOUNT: (due.amount,),
            _CURRENCY: (due.currency,),
            _TOTAL: (totals[key],),
        }
        if due.wallets:
            out[_WALLET] = due.wallets
        nodes.append(Slice(f"{step.entity}:due:{i}", Layer.STATEMENT, out))
    if not nodes:
        return (step,)
    named = {**step.out, _DUE: tuple(node.entity for node in nodes)}
    return (Slice(step.entity, step.layer, named), *nodes)


def pay(dues: Iterable[Due], facts: Facts, spent: dict[tuple[str, str], Decimal]) -> Effect:
    """Lay what paying changes on the facts, due by due, and give it: Wallets that cover, those of payees who have one
    in that currency. What no Wallet covers is left: a rule has refused it, or nothing speaks of it.
    """
    added: dict[Triple, None] = {}
    removed: dict[Triple, None] = {}
    for due in dues:
        spent[due.payer, due.currency] = spent.get((due.payer, due.currency), Decimal()) + due.amount
        moved = [(due.wallets, -due.amount, due.amount)]
        moved += [
            (tuple(map(str, facts.objects(payee, _WALLET))), share, Decimal("-Infinity"))
            for payee, share in due.payees
            if payee
        ]
        for wallets, change, least in moved:
            for value in _values_in(wallets, due.currency, facts):
                held, _ = _money(value, facts)
                if held < least:
                    continue
                effect = Effect(((value, _AMOUNT, held + change),), ((value, _AMOUNT, held),))
                facts.lay(effect)
                for triple in effect.removed:
                    if triple in added:
                        del added[triple]
                    else:
                        removed[triple] = None
                added[effect.added[0]] = None
                break
    return Effect(tuple(added), tuple(removed))


def _values_in(wallets: Iterable[str], currency: str, facts: Facts) -> list[str]:
    """The Values of some Wallets in one currency, in a fixed order."""
    found = (value for wallet in wallets for value in facts.objects(wallet, _VALUE) if isinstance(value, str))
    return sorted(value for value in found if currency in facts.objects(value, _CURRENCY))


def _money(value: str, facts: Facts) -> tuple[Decimal, str]:
    amount, currency = facts.value(value, _AMOUNT), facts.value(value, _CURRENCY)
    if not isinstance(amount, Decimal) or not isinstance(currency, str):
        raise ExpressionError(f"`{value}` is no amount of a currency")
    if amount < 0:
        raise ExpressionError(f"`{value}` is less than nothing")
    return amount, currency
