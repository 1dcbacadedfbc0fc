"""Random Worlds with limits, prices and geometry besides: Capabilities, Rules, Penalties, Events, Licences,
Qualifiers, Wallets, extents, solids, states. And what a step says of payments and what a session keeps to, drawn
likewise.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

from hypothesis import strategies as st

from app.evaluate.bounds import CONTEXT
from app.facts import Schema, Slice
from app.model import Layer, Term, Text, Typed
from app.rules import action_iri
from app.vocab import DAC, PROCESS_ACTION, TYPE, dac, mmm
from tests.worlds import ACTIONS, BASE, FALSE, TRUE, Drawing, Sketch, drawing, iri

__all__ = ["TIMES", "in_session", "payments", "rich_sketches"]

SORTS = {
    "app": ("App", 0, 1),
    "device": ("Device", 1, 2),
    "m_environment": ("MEnvironment", 1, 2),
    "u_environment": ("UEnvironment", 2, 2),
    "qualifier": ("Qualifier", 2, 3),
    "capabilities": ("Capabilities", 2, 3),
    "rule": ("Rule", 1, 2),
    "penalties": ("Penalties", 1, 2),
    "event": ("Event", 1, 2),
    "licence": ("Licence", 1, 2),
    "certificate": ("SimpleCertificate", 1, 1),
    "state": ("State", 1, 1),
    "account": ("Account", 1, 1),
    "wallet": ("Wallet", 1, 3),
    "currency": ("CurrencyObject", 2, 2),
    "value": ("Value", 3, 4),
    "model": ("ServicePricingModel", 1, 2),
    "marketplace": ("Marketplace", 1, 2),
    "policy": ("MarketplacePolicy", 1, 2),
    "data": ("Data", 1, 2),
    "attitude": ("SpatialAttitude", 1, 2),
    "interpretation": ("BasicInterpretation", 1, 1),
}
"""Each sort with its class, how many at least and at most."""
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
TIMES = tuple(NOON + timedelta(hours=h) for h in (-1, 0, 1))
"""Before, at and after the time of evaluation."""
_BOXES = tuple(Typed(f"0 0 0 {x} 4 4", DAC + "box") for x in (4, 8))
_POSITIONS = tuple(Typed(f"{x} 0 0", DAC + "vector") for x in ("0", "1.5", "3", "4.001"))
_SIZES = tuple(Typed(f"{x} 1 1", DAC + "vector") for x in ("1", "3", "9"))
_TEXTS = (Text("A"), Text("B"))
_AMOUNTS = tuple(map(Decimal, ("1", "2.5", "3")))


@st.composite
def rich_sketches(draw: st.DrawFn, *, wild: bool = False) -> Sketch:
    """A World of 40 to 80 entities."""
    d = drawing(draw, Random(draw(st.integers(0, 2**32))))
    for sort, (kind, least, most) in SORTS.items():
        d.entities(sort, least, most, dac(kind) if sort == "state" else mmm(kind))
    _capabilities(d)
    _deontic(d)
    _coding(d)
    _space(d)
    _money(d)
    _markets(d)
    return d.sketch(wild=wild)


def _times(d: Drawing, entity: str) -> None:
    d.maybe(entity, "validFrom", TIMES[1:])
    d.maybe(entity, "validUntil", TIMES)


def _capabilities(d: Drawing) -> None:
    capabilities = d.iris("capabilities")
    actions = tuple(map(action_iri, ACTIONS))
    for each in capabilities:
        d.maybe(each, "supportsAction", actions[:3])
        d.maybe(each, "supportsAction", actions)
        d.maybe(each, "profile", (mmm("Baseline"), mmm("Finance"), mmm("High")))
        d.maybe(each, "supportsItem", (mmm("Object"), mmm("Message"), mmm("ThreeDModelObject")))
        d.maybe(each, "supportsQualifier", (*d.iris("qualifier"), mmm("Qualifier")))
    for each in (BASE, *d.iris("user", "device", "place", "item")):
        d.maybe(each, "capabilities", capabilities[:1] * 2)
        d.maybe(each, "capabilities", capabilities)
    for app in d.iris("app"):
        d.maybe(app, "certificate", d.iris("certificate") * 3)
        d.maybe(app, "runsOn", d.iris("device") * 2)
    for certificate in d.iris("certificate"):
        d.maybe(certificate, "certifies", actions[:2])
        _times(d, certificate)
    for account in d.iris("account"):
        d.maybe(account, "registers", d.iris("user") * 2)
        d.maybe(account, "validUntil", TIMES * 2)
    for i, user in enumerate(d.iris("user")):
        d.maybe(user, "human", d.iris("human") * 3)
        d.maybe(user, "mEnvironment", d.iris("m_environment") * (i + 1))
    for human in d.iris("human"):
        d.maybe(human, "account", d.iris("account") * 3)


def _deontic(d: Drawing) -> None:
    nodes = [o for _, p, o in d.facts if p == PROCESS_ACTION]
    for rule in d.iris("rule"):
        d.maybe(rule, "deonticVerb", (mmm("MayNot"),) * 4 + (mmm("Must"),))
        plain = f"{rule}-plain"
        d.add(rule, mmm("processAction"), plain)
        d.maybe(plain, "action", tuple(map(action_iri, ACTIONS[:2])))
        d.maybe(plain, "complementTo", d.iris("place")[:1])
        d.maybe(rule, "process", d.iris("user"))
        _times(d, rule)
    for each in (BASE, *d.iris("place", "m_environment")):
        d.maybe(each, "rule", d.iris("rule") * 2)
    for penalty in d.iris("penalties"):
        d.maybe(penalty, "suspends", d.iris("rights") * 2)
        d.maybe(penalty, "penalises", d.iris("user") * 3)
        d.maybe(penalty, "processAction", nodes * 2)
        _times(d, penalty)
    for event in d.iris("event"):
        d.maybe(event, "happenedAt", TIMES)
    for node in nodes:
        if d.one_of(range(4)) == 0:
            d.maybe(str(node), "condition", d.iris("event"))
            d.maybe(str(node), "time", TIMES[1:])
    for right in d.iris("rights"):
        if d.one_of(range(4)) == 0:
            _times(d, right)
    for licence in d.iris("licence"):
        d.maybe(licence, "licensee", d.iris("user") * 2)
        d.maybe(licence, "status", (mmm("Final"), mmm("Final"), mmm("Model")))
        _times(d, licence)
    for item in d.iris("item"):
        d.maybe(item, "licence", d.iris("licence"))
        d.maybe(item, "hiddenBy", d.iris("user") if d.one_of((True, False)) else ())
    for state in d.iris("state"):
        d.maybe(state, DAC + "excludesAction", tuple(map(action_iri, ACTIONS[:3])) * 2)
    for thing in d.iris("item", "place"):
        d.maybe(thing, DAC + "state", d.iris("state"))


def _coding(d: Drawing) -> None:
    qualifiers = d.iris("qualifier")
    for qualifier in qualifiers:
        d.maybe(qualifier, "subType", (_TEXTS[0],) * 3)
        d.maybe(qualifier, "format", _TEXTS * 2)
        d.maybe(qualifier, "vocabulary", _TEXTS)
    for thing in d.iris("item", "data", "stream", "message"):
        d.maybe(thing, "qualifier", qualifiers)
    for data in d.iris("data"):
        d.maybe(data, "qualifier", qualifiers * 2)
        d.maybe(data, DAC + "keptBy", d.iris("user"))


def _space(d: Drawing) -> None:
    for place in d.iris("place", "u_location", "m_environment"):
        d.maybe(place, "extent", _BOXES * 2)
    for place in d.iris("place", "u_location"):
        d.maybe(place, "capacity", (Decimal(1), Decimal(2)))
        d.maybe(place, "occupants", (Decimal(0), Decimal(1), Decimal(2)))
    for place in d.iris("place"):
        d.maybe(place, "mEnvironment", d.iris("m_environment"))
        d.maybe(place, "mInstance", (BASE, iri("Elsewhere")) if d.one_of((True, False)) else ())
        d.maybe(place, "coordinateType", (mmm("Cartesian"), mmm("Spherical")) if d.one_of((True, False)) else ())
    for place in d.iris("u_location"):
        d.maybe(place, "uEnvironment", d.iris("u_environment") * 2)
    for environment in d.iris("u_environment")[:1]:
        d.add(BASE, mmm("uEnvironment"), environment)
    for device in d.iris("device"):
        d.maybe(device, "reaches", d.iris("u_location") * 2)
    for attitude in d.iris("attitude"):
        d.maybe(attitude, "position", _POSITIONS)
    for item in d.iris("item"):
        d.maybe(item, "size", _SIZES)
        d.maybe(item, "solid", (TRUE, TRUE, FALSE))
        d.maybe(item, DAC + "occupies", d.iris("place")[:2] * 2)
        d.maybe(item, "spatialAttitude", d.iris("attitude") * 2)


def _money(d: Drawing) -> None:
    for value in d.iris("value"):
        d.add(value, mmm("amount"), d.one_of(_AMOUNTS))
        d.add(value, mmm("currency"), d.one_of(d.iris("currency")))
    for wallet in d.iris("wallet"):
        for _ in range(2):
            d.maybe(wallet, "value", d.iris("value"))
    for user in d.iris("user"):
        d.maybe(user, "wallet", d.iris("wallet") * 2)
    for model in d.iris("model"):
        d.maybe(model, "price", d.iris("value") * 3)
        d.maybe(model, "priceModel", (mmm("OneTime"), mmm("Freemium")))
        d.maybe(model, "settledBy", d.iris("transaction"))
        _times(d, model)
    for thing in d.iris("place", "item", "service", "u_location"):
        d.maybe(thing, "pricing", d.iris("model") * 2)
    for transaction in d.iris("transaction"):
        d.maybe(transaction, "valueToSender", d.iris("value") if d.one_of((True, False)) else ())
        d.maybe(transaction, "valueToProvider", d.iris("value"))
        d.maybe(transaction, "serviceProvider", (*d.iris("service"), *d.iris("user")))
        d.maybe(transaction, "receiverWallet", d.iris("wallet"))
        d.maybe(transaction, "senderWallet", d.iris("wallet"))


def _markets(d: Drawing) -> None:
    classes = (mmm("MC-Service"), mmm("MC-Experience"))
    for marketplace in d.iris("marketplace"):
        d.maybe(marketplace, "marketplacePolicy", d.iris("policy") * 3)
    for policy in d.iris("policy"):
        d.maybe(policy, "acceptsMarketClass", classes)
        d.maybe(policy, "maximumPrice", d.iris("value") * 2)
    for item in d.iris("item"):
        d.maybe(item, "marketClass", classes)
        d.maybe(item, "marketplacePolicy", d.iris("policy"))
        d.maybe(item, "postedOn", d.iris("marketplace"))
    for licence in d.iris("licence"):
        d.maybe(licence, "licensor", d.iris("user") * 2)
    for interpretation in d.iris("interpretation"):
        d.maybe(interpretation, "about", (*d.iris("data"), *d.iris("item")))


def payments(sketch: Sketch, random: Random, step: str) -> tuple[Slice, ...]:
    """Sums that a step owes, as nodes that it names by dac:due."""
    nodes: list[Slice] = []
    for i in range(random.randint(0, 2)):
        facts: list[tuple[str, Term]] = [
            (dac("payer"), random.choice(sketch.iris("user"))),
            (mmm("amount"), random.choice((*_AMOUNTS, Decimal(9)))),
            (dac("runningTotal"), random.choice(_AMOUNTS) + 1),
            (mmm("currency"), random.choice(sketch.iris("currency"))),
        ]
        facts += [(mmm("wallet"), each) for each in sketch.iris("wallet") if random.random() < 0.6]
        nodes.append(Slice.of(f"{step}-due{i}", Layer.STATEMENT, facts, {}, Schema()))
    return tuple(nodes)


def in_session(sketch: Sketch, random: Random) -> tuple[Slice, ...]:
    """What a session keeps to; more often than not it leaves something open."""
    facts: list[tuple[str, Term]] = [(TYPE, dac("ActionContext"))]

    def some(predicate: str, values: tuple[Term, ...]) -> None:
        if values and random.random() < 0.5:
            facts.extend((dac(predicate), each) for each in values if random.random() < 0.5)

    some("countsRight", sketch.iris("rights"))
    some("keepsRule", sketch.iris("rule"))
    some("staysIn", sketch.iris("place", "u_location"))
    some("vocabularyInUse", _TEXTS)
    some("maxSteps", (Decimal(1),))
    some("walletLimit", (Decimal(2),))
    some("repertoire", tuple(o for _, p, o in sketch.triples if p == PROCESS_ACTION))
    return (Slice.of(CONTEXT, Layer.SESSION, facts, {}, Schema()),)
