"""The worlds measured in: MI1 of friends_meet, a small one of many Rights, and ones of any size."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random

from app.authoring.plans import NOON
from app.evaluate import Names, Step, judge_plan, needs_of, read_steps
from app.model import Term, Text, Triple, Typed
from app.rules import Domain, action_iri, load
from app.situation import Needs, Situation, until_known
from app.vocab import AT, DAC, DEONTIC_VERB, HELD_BY, IDENTIFIER, OWNER, PROCESS_ACTION, TYPE, XSD, mmm
from app.world import World, read_world
from tests.packs import EDITION

ROOT = Path(__file__).resolve().parents[2]
PACK = "friends_meet"
BASE = "https://measured.example/"
MOVE = "MM-Move"
_WITHIN, _PUBLIC = mmm("within"), mmm("public")
_YES, _NO = Typed("true", XSD + "boolean"), Typed("false", XSD + "boolean")


@dataclass(frozen=True, slots=True)
class Scene:
    """A World with the Domain that judges in it."""

    domain: Domain
    world: World
    names: Names

    def steps(self, *texts: str) -> tuple[Step, ...]:
        """Statements as steps from 0."""
        return read_steps(enumerate(texts), self.domain)

    def fetched(self, steps: Sequence[Step]) -> Situation:
        """What the statements are known to need before anything is judged."""
        return self.world.situation(needs_of(steps, self.domain, self.names, None))

    def situation(self, steps: Sequence[Step]) -> Situation:
        """All that judging these steps and seeking their Repairs reads, fetched as the service does."""

        def judged(needs: Needs, may_fetch: bool) -> tuple[Situation, Iterable[str]]:
            situation = self.world.situation(needs)
            plan = judge_plan(steps, self.domain, situation, self.names, None, NOON, may_fetch=may_fetch)
            return situation, plan.outside

        return until_known(needs_of(steps, self.domain, self.names, None), self.domain, judged)


@dataclass(frozen=True, slots=True)
class Question:
    """May `actor` MM-Move `item`, which is at `place`, to another place?"""

    actor: str
    item: str
    place: str
    to: str
    attitude: str

    @property
    def text(self) -> str:
        """As a statement."""
        return f"{self.actor} MM-Moves {self.item} From {self.place} To {self.to} With {self.attitude}"


@dataclass(frozen=True, slots=True)
class Right:
    """A Right held, over MM-Move; a part that it does not name is empty."""

    holder: str
    may: bool
    item: str = ""
    to: str = ""


@dataclass(frozen=True, slots=True)
class RightsWorld:
    """Users, nested places, Items and Rights, as plain tables: every engine is given these same facts."""

    users: tuple[str, ...]
    attitudes: tuple[str, ...]
    within: Mapping[str, str]
    place_owner: Mapping[str, str]
    public: Mapping[str, bool]
    owner: Mapping[str, str]
    at: Mapping[str, str]
    rights: tuple[Right, ...]
    places: tuple[str, ...] = field(default=())

    def chain(self, place: str) -> tuple[str, ...]:
        """The place and those around it, nearest first."""
        return (place, *(self.chain(self.within[place]) if place in self.within else ()))

    def opened_by(self, place: str) -> tuple[str, ...]:
        """The places whose access opens this one: up to the nearest that has an owner or a public flag."""
        found: list[str] = []
        for each in self.chain(place):
            found.append(each)
            if each in self.place_owner or each in self.public:
                break
        return tuple(found)

    def questions(self, number: int, seed: int) -> tuple[Question, ...]:
        """Questions, each another; most are about what the User owns, holds a Right to, or may enter anyway."""
        random = Random(seed)
        items, public = tuple(self.at), [place for place in self.places if self.public.get(place)]
        found: dict[Question, None] = {}
        while len(found) < number:
            actor = random.choice(self.users)
            held = [right for right in self.rights if right.holder == actor]
            near = [item for item in items if self.owner.get(item) == actor] + [r.item for r in held if r.item]
            item = random.choice(near if near and random.random() < 0.7 else items)
            own = [place for place in self.places if self.place_owner.get(place) == actor]
            open_to = [*own, *public, *(right.to for right in held if right.to)]
            to = random.choice(open_to if open_to and random.random() < 0.7 else self.places)
            if to != self.at[item]:
                found[Question(actor, item, self.at[item], to, random.choice(self.attitudes))] = None
        return tuple(found)


@cache
def domain() -> Domain:
    """Core, friends_meet and all rules."""
    return load(EDITION, [PACK])


def scene_of(triples: Sequence[Triple]) -> Scene:
    """A World of facts, in memory."""
    world = World.of(triples, domain())
    return Scene(domain(), world, Names(world.m_instance.base, domain().knowledge))


def friends_meet() -> Scene:
    """The M-Instance of the use case."""
    return scene_of(read_world(ROOT / "ontologies" / PACK / "worlds" / "MI1.ttl"))


def plan() -> tuple[tuple[int, str], ...]:
    """The plan of the use case: (Step, Statement)."""
    document = tomllib.loads((ROOT / "ontologies" / PACK / "golden" / "plan.toml").read_text(encoding="utf-8"))
    return tuple((step["step"], step["statement"]) for step in document["turn"][0]["step"])


@cache
def rights_world(seed: int = 1) -> RightsWorld:
    """50 entities and 20 Rights: 6 Users, 20 places in trees of up to 4, 20 Items, 4 Spatial Attitudes."""
    random = Random(seed)
    users = tuple(f"User{i}" for i in range(6))
    places = tuple(f"Place{i}" for i in range(20))
    items = tuple(f"Item{i}" for i in range(20))
    within = {places[i]: places[i - random.choice((1, 1, 2))] for i in range(20) if i % 4}
    deciding = {place: random.choice(("owner", "public", "public", "closed", "", "")) for place in places}
    rights: list[Right] = []
    for i in range(20):
        shape = random.choice(("item", "to", "both", "both"))
        rights.append(
            Right(
                holder=random.choice(users),
                may=i % 3 > 0,
                item=random.choice(items) if shape != "to" else "",
                to=random.choice(places) if shape != "item" else "",
            )
        )
    return RightsWorld(
        users,
        tuple(f"Attitude{i}" for i in range(4)),
        within,
        {place: random.choice(users) for place in places if deciding[place] == "owner"},
        {place: deciding[place] == "public" for place in places if deciding[place] in ("public", "closed")},
        {item: random.choice(users) for item in items if random.random() < 0.9},
        {item: random.choice(places) for item in items},
        tuple(rights),
        places,
    )


def facts_of(world: RightsWorld) -> list[Triple]:
    """The same facts as RDF."""
    facts = _m_instance()
    for user in world.users:
        facts += _entity(user, "User")
    for attitude in world.attitudes:
        facts += _entity(attitude, "SpatialAttitude")
    for place in world.places:
        facts += _entity(place, "MLocation")
        facts += [(BASE + place, _WITHIN, BASE + world.within[place])] if place in world.within else []
        facts += [(BASE + place, OWNER, BASE + world.place_owner[place])] if place in world.place_owner else []
        facts += [(BASE + place, _PUBLIC, _YES if world.public[place] else _NO)] if place in world.public else []
    for item, place in world.at.items():
        facts += [*_entity(item, "ThreeDModelObject"), (BASE + item, AT, BASE + place)]
        facts += [(BASE + item, OWNER, BASE + world.owner[item])] if item in world.owner else []
    for i, right in enumerate(world.rights):
        facts += _right(f"Right{i}", right)
    return facts


def town(entities: int, seed: int = 1) -> Iterator[Triple]:
    """A World of about so many entities whose neighbourhoods are alike at every size.

    A household of 20: a User, four places nested in a public district of ten households, ten Items of which one is on
    the plaza that the whole town shares, a Spatial Attitude, and two held Rights with a Process Action each.
    """
    random = Random(seed)
    yield from _m_instance()
    yield from (*_entity("Plaza", "MLocation"), (BASE + "Plaza", _PUBLIC, _YES))
    households = max(1, entities // 20)
    for k in range(households):
        user, district = f"User{k}", f"District{k // 10}"
        if k % 10 == 0:
            yield from (*_entity(district, "MLocation"), (BASE + district, _PUBLIC, _YES))
        yield from _entity(user, "User")
        yield from _entity(f"Attitude{k}", "SpatialAttitude")
        around = district
        for place in (f"Estate{k}", f"House{k}", f"Room{k}", f"Nook{k}"):
            yield from (*_entity(place, "MLocation"), (BASE + place, _WITHIN, BASE + around))
            around = place
        yield BASE + f"Estate{k}", OWNER, BASE + user
        for j in range(10):
            item = f"Item{k}-{j}"
            yield from _entity(item, "ThreeDModelObject")
            yield BASE + item, OWNER, BASE + user
            yield BASE + item, AT, BASE + (f"Room{k}" if j else "Plaza")
        other = random.randrange(households)
        yield from _right(f"May{k}", Right(user, True, f"Item{other}-1", f"House{other}"))
        yield from _right(f"MayNot{k}", Right(user, False, f"Item{k}-2", "Plaza"))


def household_moves(entities: int, number: int, *, popular: bool, seed: int = 2) -> tuple[str, ...]:
    """Statements about households of such a World, all accepted; `popular`: to the plaza, which a Right of every
    household names.
    """
    random = Random(seed)
    households = max(1, entities // 20)
    found: list[str] = []
    for _ in range(number):
        k, j = random.randrange(households), random.randrange(3, 10)
        to = "Plaza" if popular else random.choice((f"Nook{k}", f"House{k}", f"District{k // 10}"))
        found.append(f"User{k} MM-Moves Item{k}-{j} From Room{k} To {to} With Attitude{k}")
    return tuple(found)


def _m_instance() -> list[Triple]:
    return [
        (BASE, TYPE, mmm("MInstance")),
        (BASE, IDENTIFIER, Text("Measured")),
        (BASE, DAC + "usesPack", Text("core")),
        (BASE, DAC + "usesPack", Text(PACK)),
        (BASE, mmm("uEnvironment"), BASE + "UE1"),
        *_entity("UE1", "UEnvironment"),
    ]


def _entity(name: str, kind: str) -> tuple[Triple, Triple]:
    return (BASE + name, TYPE, mmm(kind)), (BASE + name, IDENTIFIER, Text(name))


def _right(name: str, right: Right) -> list[Triple]:
    node = f"{BASE}{name}-action"
    parts: list[tuple[str, Term]] = [(mmm("action"), action_iri(MOVE))]
    parts += [(mmm("complementNil"), BASE + right.item)] if right.item else []
    parts += [(mmm("complementTo"), BASE + right.to)] if right.to else []
    return [
        *_entity(name, "Rights"),
        (BASE + name, HELD_BY, BASE + right.holder),
        (BASE + name, DEONTIC_VERB, mmm("May" if right.may else "MayNot")),
        (BASE + name, PROCESS_ACTION, node),
        (node, TYPE, mmm("ProcessAction")),
        *((node, predicate, term) for predicate, term in parts),
    ]
