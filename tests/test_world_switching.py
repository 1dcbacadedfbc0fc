"""Worlds read by another Domain: the same facts for both, checked before any is served, switched at one moment."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.errors import Code, Fault, StateError
from app.knowledge import read_turtle
from app.rules import Domain, load
from app.vocab import mmm
from app.world import Asked, Worlds
from app.world.gate import Gate
from app.world.store import Change
from app.world.world import World
from tests.packs import EDITION, ROOT
from tests.stores import DATA, NOW, queries_in

MADE = f'INSERT DATA {{ <Cap> a <{mmm("ThreeDModelObject")}> ; <{mmm("identifier")}> "Cap" }}'


@pytest.fixture(scope="module")
def domain() -> Domain:
    return load(EDITION, ["friends_meet"])


def another(domain: Domain) -> Domain:
    """The same under another name: what is equal may not be taken for what is the same."""
    return replace(domain)


@pytest.fixture
def worlds(domain: Domain, tmp_path: Path) -> Iterator[Worlds]:
    with queries_in(tmp_path) as queries:
        made = Worlds(tmp_path / "worlds", lambda _: domain, queries)
        made.open([DATA / "base.ttl"], Asked("tests", NOW))
        yield made
        made.close()


def test_both_readers_see_every_change(domain: Domain) -> None:
    world = World.of(read_turtle(ROOT / "rules" / "cases.ttl"), domain)
    other = world.under(another(domain))
    assert world.under(domain) is world
    assert other.domain is not world.domain
    placed = next(triple for triple in world.store.triples() if triple.predicate.value == mmm("at"))
    entity = str(world.store.terms.ours(placed.subject))
    before = world.slice_of(entity), other.slice_of(entity)
    assert before[0].out == before[1].out
    assert mmm("at") in before[1].out
    change = Change(frozenset({placed}), frozenset())
    entry = world.store.newest.after(NOW, "tests", "test", 0, 1, change.digest)
    world.change(change, entry, world.m_instance)
    assert mmm("at") not in world.slice_of(entity).out
    assert mmm("at") not in other.slice_of(entity).out
    assert world.version == other.version == entry.version


def test_worlds_are_switched_as_they_are_by_then(worlds: Worlds, domain: Domain) -> None:
    """One that changed after it was checked is checked again; who holds the World of before goes on with it."""
    new = another(domain)
    before = worlds.served()
    prepared = worlds.prepare(lambda _: new)
    assert worlds.served() is before
    worlds.update("W", MADE, Asked("tests", NOW))
    agreed = []
    worlds.switch(prepared, lambda: agreed.append(worlds.served()["W"].domain))
    assert agreed == [domain]
    now = worlds.served()["W"]
    assert (now.domain, now.version) == (new, before["W"].version)
    assert before["W"].domain is domain
    worlds.switch(worlds.prepare(lambda _: new), lambda: None)
    assert worlds.served()["W"] is now


def test_nothing_is_switched_that_was_not_agreed(worlds: Worlds, domain: Domain) -> None:
    def not_agreed() -> None:
        raise StateError(Fault(Code.BUSY, "another came first"))

    prepared = worlds.prepare(lambda _: another(domain))
    with pytest.raises(StateError):
        worlds.switch(prepared, not_agreed)
    assert worlds.served()["W"].domain is domain
    worlds.update("W", MADE, Asked("tests", NOW))  # the gate is open again


def test_who_passes_alone_waits_for_those_inside_and_is_waited_for() -> None:
    gate, order = Gate(20), list[str]()
    inside, leave = threading.Event(), threading.Event()

    def change() -> None:
        with gate.passing():
            inside.set()
            leave.wait(20)
            order.append("change")

    def switch() -> None:
        with gate.alone():
            order.append("switch")

    def come_late() -> None:
        with gate.passing():
            order.append("late")

    threads = [threading.Thread(target=each) for each in (change, switch)]
    threads[0].start()
    assert inside.wait(20)
    threads[1].start()
    while not gate._closed:
        time.sleep(0.001)
    late = threading.Thread(target=come_late)
    late.start()
    assert order == []
    leave.set()
    for thread in (*threads, late):
        thread.join(20)
    assert order == ["change", "switch", "late"]


def test_waiting_at_the_gate_ends() -> None:
    gate = Gate(0.05)
    with gate.passing(), pytest.raises(StateError, match="a change of a world") as error, gate.alone():
        pass
    assert (error.value.faults[0].code, error.value.retry_after_s) == (Code.BUSY, 1)
    with gate.alone():
        for way in (gate.passing, gate.alone):
            with pytest.raises(StateError, match="other releases"), way():
                pass
    with gate.passing(), gate.passing():
        pass
