"""Random Worlds and random statements about them, for the laws.

A World has some of: Users, places nested in each other with owners and flags, Items placed, Messages, Data, Streams,
Transactions, Rights with Process Actions (some held), Personal Profiles. A wild one has cycles, several owners and
contradicting flags besides. All nodes have IRIs, so that an oracle can be asked about each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Any, TypeVar

from hypothesis import strategies as st

from app.model import Term, Text, Triple, Typed
from app.rules import action_iri
from app.vocab import DAC, IDENTIFIER, TYPE, XSD, mmm

T = TypeVar("T")
BASE = "https://worlds.example/"
SORTS = {
    "user": "User",
    "service": "Service",
    "human": "Human",
    "place": "MLocation",
    "u_location": "ULocation",
    "item": "ThreeDModelObject",
    "stream": "Stream",
    "data": "Data",
    "message": "Message",
    "transaction": "Transaction",
    "rights": "Rights",
    "profile": "PersonalProfile",
    "attitude": "SpatialAttitude",
    "point": "PointOfView",
    "wallet": "Wallet",
    "money": "Value",
}
"""Sorts of entities, each with its class."""
ACTIONS = ("MM-Move", "MM-Add", "MM-Animate", "MM-Send", "UM-Capture", "MU-Actuate", "Identify", "Property Change")
_AT_U_LOCATION = ("MU-Actuate", "UM-Capture")
TRUE, FALSE = Typed("true", XSD + "boolean"), Typed("false", XSD + "boolean")
NEW = ("New0", "New1")
"""Names that a statement may introduce."""


@dataclass(frozen=True)
class Sketch:
    """The facts of a World and its names by sort."""

    triples: tuple[Triple, ...]
    names: dict[str, tuple[str, ...]] = field(compare=False)

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        """Short: what Hypothesis prints of a failing example."""
        lines = (" ".join(_short(term) for term in triple) for triple in self.triples if triple[1] != IDENTIFIER)
        printer.text(f"Sketch({'; '.join(lines)})")

    def all_names(self) -> tuple[str, ...]:
        """Every name, by sort."""
        return tuple(name for names in self.names.values() for name in names)

    def iris(self, *sorts: str) -> tuple[str, ...]:
        """The IRIs of some sorts."""
        return tuple(iri(name) for sort in sorts for name in self.names[sort])

    def objects(self, s: str, predicate: str) -> set[Term]:
        """What is asserted of an entity."""
        return {o for subject, p, o in self.triples if subject == s and p == predicate}


def _short(term: Term) -> str:
    return str(term[0] if isinstance(term, Text | Typed) else term).removeprefix(BASE).rsplit("#")[-1] or "<>"


def iri(name: str) -> str:
    """The IRI of a name."""
    return BASE + name


class Drawing:
    """Facts being drawn."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.facts: dict[Triple, None] = {}
        self.names: dict[str, tuple[str, ...]] = {}
        self.random: Random | None = None

    def one_of(self, values: Sequence[T]) -> T:
        """One of some values: drawn, and so likely to be simple, until `random` is set."""
        return self.random.choice(values) if self.random is not None else self.draw(st.sampled_from(values))

    def add(self, s: str, predicate: str, o: Term) -> None:
        """A fact."""
        self.facts[s, predicate, o] = None

    def entities(self, sort: str, least: int, most: int, kind: str = "") -> None:
        """Some entities of a sort, each with its class and its identifier."""
        self.names[sort] = tuple(f"{sort.title()}{i}" for i in range(self.one_of(range(least, most + 1))))
        for name in self.names[sort]:
            self.add(iri(name), TYPE, kind or mmm(SORTS[sort]))
            self.add(iri(name), IDENTIFIER, Text(name))

    def maybe(self, s: str, predicate: str, values: Sequence[Term]) -> None:
        """At most one value, left out one time in `len + 1`."""
        value = self.one_of((None, *values))
        if value is not None:
            self.add(s, predicate if ":" in predicate else mmm(predicate), value)

    def iris(self, *sorts: str) -> tuple[str, ...]:
        """The IRIs of some sorts."""
        return tuple(iri(name) for sort in sorts for name in self.names[sort])

    def sketch(self, *, wild: bool) -> Sketch:
        """What was drawn; wild with some facts that no careful author would write."""
        for _ in range(self.draw(st.integers(0, 6)) if wild else 0):
            _wild(self)
        return Sketch(tuple(self.facts), self.names)


@st.composite
def sketches(draw: st.DrawFn, *, wild: bool = False) -> Sketch:
    """A World of 10 to 40 entities."""
    d = drawing(draw)
    return d.sketch(wild=wild)


def drawing(draw: st.DrawFn, random: Random | None = None) -> Drawing:
    """The facts of such a World, to which more may be added."""
    d = Drawing(draw)
    d.random = random
    d.add(BASE, TYPE, mmm("MInstance"))
    d.add(BASE, IDENTIFIER, Text("Worlds"))
    d.add(BASE, DAC + "usesPack", Text("core"))
    for sort, least, most in (
        ("user", 2, 3), ("service", 0, 1), ("human", 0, 2), ("place", 2, 6), ("u_location", 1, 3), ("item", 2, 4),
        ("stream", 0, 2), ("data", 0, 1), ("message", 0, 2), ("transaction", 0, 2), ("rights", 2, 5),
        ("profile", 0, 2), ("attitude", 0, 1), ("point", 0, 1), ("wallet", 0, 2), ("money", 0, 4),
    ):  # fmt: skip
        d.entities(sort, least, most)
    users, places, items = d.iris("user"), d.iris("place"), d.iris("item")
    for i, place in enumerate(places):
        d.maybe(place, "within", places[:i])
        d.maybe(place, "owner", users)
        d.maybe(place, "public", (TRUE, FALSE))
    for i, place in enumerate(d.iris("u_location")):
        d.maybe(place, "owner", users)
        d.maybe(place, "within", d.iris("u_location")[:i])
    for item in items:
        d.maybe(item, "owner", users)
        d.maybe(item, "at", places)
        if d.one_of((True, False)):
            d.maybe(item, "spatialAttitude", d.iris("attitude"))
            d.maybe(item, "stream", d.iris("stream"))
            d.maybe(item, "perceptible", (TRUE, FALSE))
    for thing in d.iris("stream", "data", "message"):
        d.maybe(thing, "owner", users)
    for i, person in enumerate(d.iris("human")):
        d.maybe(person, "account", (iri(f"Account{i}"),))
    for transaction in d.iris("transaction"):
        d.maybe(transaction, "sender", users)
        d.maybe(transaction, "receiver", users)
        d.maybe(transaction, "asset", (*items, *places))
        d.maybe(transaction, "status", (mmm("Model"), mmm("Model"), mmm("Final")))
    for profile in d.iris("profile"):
        d.maybe(profile, "human", d.iris("human"))
        request = profile + "-asks"
        d.add(profile, mmm("asksFor"), request)
        d.add(request, TYPE, mmm("ProcessRequest"))
        d.maybe(request, "user", (users[0], iri(NEW[0])))
        d.maybe(request, "persona", (iri(NEW[1]),))
    _looks(d)
    _money(d)
    for right in d.iris("rights"):
        _right(d, right)
    return d


def _looks(d: Drawing) -> None:
    """Capacities, Points of View, and what Actions change of Items besides their place."""
    for place in d.iris("place", "u_location"):
        if d.one_of((True, False)):
            d.maybe(place, "capacity", (Decimal(1), Decimal(2)))
            d.maybe(place, "occupants", (Decimal(0), Decimal(1)))
    for point in d.iris("point"):
        d.maybe(point, "within", d.iris("place", "u_location"))
    for item in (*d.iris("item")[:1], *d.iris("transaction")):
        d.maybe(item, "qualifier", (mmm("Qualifier"),))
        d.maybe(item, "personalStatus", (iri("Mood"),))


def _money(d: Drawing) -> None:
    """Wallets with a Value in one of two currencies, and Transactions that move some."""
    currencies = (iri("EUR"), iri("USD"))
    for i, value in enumerate(d.iris("money")):
        d.add(value, mmm("amount"), Decimal(i * 5))
        d.add(value, mmm("currency"), d.one_of(currencies))
    wallets = d.iris("wallet")
    for wallet in wallets:
        d.maybe(wallet, "value", d.iris("money"))
        d.maybe(d.one_of(d.iris("user")), "wallet", (wallet,))
    for transaction in d.iris("transaction"):
        for part in ("valueToSender", "valueToProvider") if wallets else ():
            d.maybe(transaction, part, d.iris("money"))
        for part in ("senderWallet", "receiverWallet"):
            d.maybe(transaction, part, wallets)
        d.maybe(transaction, "serviceProvider", (*d.iris("service"), *d.iris("user")[:1]))


def _right(d: Drawing, right: str) -> None:
    """Rights with one or two Process Actions, most as one would write them; verb, Status, holder may be absent."""
    d.maybe(right, "deonticVerb", (mmm("May"), mmm("May"), mmm("MayNot")))
    d.maybe(right, "status", (mmm("Model"), mmm("Final")))
    d.maybe(right, "heldBy", d.iris("user") * 2)
    things = (*d.iris("item"), *d.iris("message"), iri(NEW[0]))
    for i in range(d.one_of((1, 2))):
        node = f"{right}-{i}"
        d.add(right, mmm("processAction"), node)
        d.add(node, TYPE, mmm("ProcessAction"))
        action = d.one_of(("MM-Move", "MM-Move", "MM-Add", *_AT_U_LOCATION, *_AT_U_LOCATION, *ACTIONS))
        d.add(node, mmm("action"), action_iri(action))
        shape = d.one_of(range(8))
        if shape & 1:
            d.maybe(node, "complementNil", things)
        if shape & 2:
            part = "To" if action == "MM-Move" else "At"
            d.maybe(node, "complement" + part, d.iris("u_location" if action in _AT_U_LOCATION else "place"))
        if shape == 7:
            for part in ("At", "From", "To"):
                d.maybe(node, "complement" + part, d.iris("place", "u_location"))
            d.maybe(node, "complementWith", (*d.iris("stream", "attitude"), right))
        if shape == 0:
            d.facts.pop((node, mmm("action"), action_iri(action)))


def _wild(d: Drawing) -> None:
    """A fact that no careful author would write."""
    places, users = d.iris("place"), d.iris("user")
    kinds: list[tuple[str, tuple[Term, ...]]] = [
        ("within", places),
        ("within", places),
        ("owner", users),
        ("public", (TRUE, FALSE)),
        ("at", places),
    ]
    predicate, values = d.draw(st.sampled_from(kinds))
    subject = d.draw(st.sampled_from((*places, *d.iris("item"))))
    d.add(subject, mmm(predicate), d.draw(st.sampled_from(values)))


def statement(sketch: Sketch, random: Random) -> str:
    """A statement about the World: often what its Rights speak of or by the owner of the Item, at times misspelt."""
    known = about(sketch, random)

    def name(*sorts: str) -> str:
        fitting = [each for sort in sorts for each in (NEW if sort == "new" else sketch.names[sort])]
        odd = random.randrange(40)
        if odd == 1 or not fitting:
            return random.choice(sketch.all_names())
        if odd == 2:
            return random.choice(sketch.all_names()).replace("e", "i")
        told = [each for sort in sorts for each in known.get(sort, ())]
        return random.choice(told if told and odd < 32 else fitting)

    def one(which: str) -> str:
        template = _STATEMENTS[which]
        for sort in (part.split("]")[0] for part in template.split("[")[1:]):
            template = template.replace(f"[{sort}]", name(*sort.split("-or-")), 1)
        carried = ""
        if sketch.names["rights"] and random.random() < 0.25:
            carried = f" With {name('rights')}" + random.choice(("", "", "", "(Status=Final)"))
        return f"{name('user')} {template}{carried}"

    text = one(random.choice(_USUAL))
    joint = random.random()
    if joint < 0.12:
        return f"{text} and {one(random.choice(_USUAL))}"
    return f"{text} If {one('leave')}" if joint < 0.16 else text


def about(sketch: Sketch, random: Random) -> dict[str, list[str]]:
    """Names that belong together, by sort: those of a Right and its holder, of an Item, its owner and its place."""
    rights = sketch.iris("rights")
    subject = random.choice((*rights, *rights, *sketch.iris("item", "transaction", "profile")))
    facts = [(s, p, o) for s, p, o in sketch.triples if s == subject or s.startswith(f"{subject}-")]
    terms = {subject, *(o for _, _, o in facts if isinstance(o, str))}
    terms |= {o for s, p, o in sketch.triples if s in terms and p in _BINDING and isinstance(o, str)}
    sort_of = {iri(name): sort for sort, names in sketch.names.items() for name in names}
    found: dict[str, list[str]] = {}
    for term in sorted(terms):
        if term in sort_of:
            found.setdefault(sort_of[term], []).append(term.removeprefix(BASE))
    if subject in rights and (holders := [o for _, p, o in facts if p == mmm("heldBy") and isinstance(o, str)]):
        found["user"] = [holder.removeprefix(BASE) for holder in holders]
    return found


_BINDING = {mmm("owner"), mmm("at")}
_STATEMENTS = {
    "move": "MM-Moves [item] From [place] To [place]",
    "leave": "MM-Moves [item] To [place]",
    "add": "MM-Adds [item] At [place]",
    "animate": "MM-Animates [item] With [stream]",
    "send": "MM-Sends [message-or-new] To [user]",
    "capture": "UM-Captures [new-or-data] At [u_location]",
    "actuate": "MU-Actuates [item] At [u_location]",
    "identify": "Identifies [data]",
    "change": "Property Changes [item]",
    "register": "Registers With [profile]",
    "transact": "Transacts With [transaction]",
    "grant": "Rights Changes [user] With [rights]",
}
_USUAL = (*("move", "leave", "add") * 3, "move", *_STATEMENTS)
"""What is stated how often."""
