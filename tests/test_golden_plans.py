"""The golden plans of the packs are sound, and friends_meet is the use case that MPAI published."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from rdflib import RDF, Graph, Namespace, URIRef

from app import vocab
from app.model import PAStatus

ROOT = Path(__file__).resolve().parents[1]
CASE = ROOT.parent / "shared" / "data" / "cases" / "friends-meet.json"
PLANS = sorted(ROOT.glob("ontologies/*/golden/*.toml"))
COMPLEMENTS = ("Nil", "At", "From", "To", "With", "Of")
MMM = Namespace(vocab.MMM)

each_plan = pytest.mark.parametrize("plan", PLANS, ids=lambda path: f"{path.parents[1].name}-{path.stem}")


def read(path: Path) -> Graph:
    """A world."""
    return Graph().parse(path, format="turtle")


def base_of(world: Graph) -> str:
    """The IRI of the one M-Instance of a world."""
    (m_instance,) = world.subjects(RDF.type, MMM.MInstance)
    return str(m_instance)


@each_plan
def test_a_plan_names_its_world_and_every_status_it_expects(plan: Path) -> None:
    """M-Instance and U-Environment exist; steps are in order; each refusal says which words its Reason has."""
    document = tomllib.loads(plan.read_text(encoding="utf-8"))
    world = read(plan.parents[1] / "worlds" / f"{document['m_instance']}.ttl")
    u_environments = world.objects(URIRef(base_of(world)), MMM.uEnvironment)
    assert document["u_environment"] in {str(world.value(u, MMM.identifier)) for u in u_environments}
    for turn in document["turn"]:
        numbers = [step["step"] for step in turn["step"]]
        assert numbers == sorted(set(numbers))
        statuses = [PAStatus(step["status"]) for step in turn["step"]]
        overall = {True: "feasible", False: "partially_feasible"}[set(statuses) == {PAStatus.ACK}]
        assert turn["expect"]["Feasibility"]["Overall"] == (overall if PAStatus.ACK in statuses else "infeasible")
        assert [step["step"] for step in turn["step"] if (step["status"] != "Ack") != bool(step.get("reason"))] == []


@each_plan
def test_a_variant_changes_the_plan_and_expects_something_of_it(plan: Path) -> None:
    """It drops or replaces steps that exist, adds new ones, and expects a status of each step it changes."""
    for turn in tomllib.loads(plan.read_text(encoding="utf-8"))["turn"]:
        before = {step["step"]: step for step in turn["step"]}
        names = [variant["name"] for variant in turn["variant"]]
        assert len(names) == len(set(names))
        for variant in turn["variant"]:
            dropped = set(variant.get("drop", []))
            replaced = {int(step): text for step, text in variant.get("replace", {}).items()}
            added = {step["step"]: step["statement"] for step in variant.get("add", [])}
            assert dropped | set(replaced) <= set(before), variant["name"]
            assert not dropped & set(replaced), variant["name"]
            assert not set(added) & set(before), variant["name"]
            assert all(before[step]["statement"] != text for step, text in replaced.items()), variant["name"]
            left = (set(before) - dropped) | set(added)
            expected = {int(step): PAStatus(status) for step, status in variant["expect"].items()}
            assert set(replaced) | set(added) <= set(expected) <= left, variant["name"]
            refused = {s for s in left if expected.get(s, before.get(s, {}).get("status")) != "Ack"}
            assert {int(step) for step in variant.get("rules", {})} <= refused, variant["name"]
            assert {int(step) for step in variant.get("reason", {})} <= left, variant["name"]


def test_friends_meet_tries_many_variants() -> None:
    """The plan of use case 2 has its 21 steps and the variants that were thought through."""
    (turn,) = tomllib.loads((ROOT / "ontologies/friends_meet/golden/plan.toml").read_text(encoding="utf-8"))["turn"]
    assert len(turn["step"]) == 21
    assert len(turn["variant"]) == 25


@pytest.mark.skipif(not CASE.exists(), reason="the published case file is not beside the project")
def test_friends_meet_is_the_published_case() -> None:
    """Identifiers, owners, access, Rights, Transactions, statements and statuses are those of the case file."""
    case = json.loads(CASE.read_text(encoding="utf-8"))
    pack = ROOT / "ontologies" / "friends_meet"
    plan = tomllib.loads((pack / "golden" / "plan.toml").read_text(encoding="utf-8"))
    (turn,) = plan["turn"]
    assert [(s["step"], s["statement"], s["status"]) for s in turn["step"]] == [
        (s["step"], s["statement"], s["expect"]) for s in case["steps"]
    ]
    assert turn["expect"]["Feasibility"]["Overall"] == case["overall"]
    assert (plan["m_instance"], plan["u_environment"]) == (case["m_instance"], case["u_environment"])

    graph = read(pack / "worlds" / "MI1.ttl")
    base = base_of(graph)
    world = case["world"]

    def one(name: str, predicate: URIRef) -> str | None:
        """The value of a property, with an IRI cut down to its name."""
        value = graph.value(URIRef(base + name), predicate)
        return None if value is None else str(value).removeprefix(base).removeprefix(vocab.MMM)

    def names(node: Any, predicate: URIRef) -> set[str]:
        return {str(value).removeprefix(base).removeprefix(vocab.MMM) for value in graph.objects(node, predicate)}

    known = {"MI1", "UE1", *world["services"], *(f"SA{i}" for i in range(1, 8))}
    for group in ("locations", "users", "personal_profiles", "transactions", "rights"):
        known |= {entry["id"] for entry in world[group]}
    known |= {entry["human"] for entry in world["users"] + world["personal_profiles"]}
    known |= {persona for user in world["users"] for persona in user.get("personae", [])}
    assert {str(value) for value in graph.objects(None, MMM.identifier)} == known

    for place in world["locations"]:
        assert one(place["id"], MMM.owner) == place.get("owner")
        assert one(place["id"], MMM.public) == ("true" if place.get("public") else None)
        centre, half = place.get("centre_m"), place.get("side_m", 0) / 2
        extent = one(place["id"], MMM.extent)
        corners = centre and [c - half for c in centre] + [c + half for c in centre]
        assert (extent and [float(word) for word in extent.split()]) == corners
    for placed in world["placed"]:
        assert one(placed["item"], MMM.at) == placed["at"]
    for user in world["users"]:
        assert one(user["id"], MMM.human) == user["human"]
        assert names(URIRef(base + user["id"]), MMM.persona) == set(user.get("personae", []))
    for profile in world["personal_profiles"]:
        requests = list(graph.objects(URIRef(base + profile["id"]), MMM.asksFor))
        asked = [(names(r, MMM.user), names(r, MMM.persona)) for r in requests]
        assert asked == [({entry["user"]}, set(entry["personae"])) for entry in profile["asks_for"]]
        assert one(profile["id"], MMM.human) == profile["human"]
    for deal in world["transactions"]:
        parties = [one(deal["id"], predicate) for predicate in (MMM.status, MMM.sender, MMM.receiver)]
        assert parties == [deal["status"], deal["sender"], deal["receiver"]]
        assert names(URIRef(base + deal["id"]), MMM.asset) == set(deal["assets"])
    for rights in world["rights"]:
        shape = [one(rights["id"], predicate) for predicate in (MMM.status, MMM.deonticVerb, MMM.level, MMM.heldBy)]
        assert shape == ["Model", rights["verb"].replace(" ", ""), rights["level"], None]
        written = [
            {"action": names(node, MMM.action)}
            | {c: found for c in COMPLEMENTS if (found := names(node, MMM[f"complement{c}"]))}
            for node in graph.objects(URIRef(base + rights["id"]), MMM.processAction)
        ]
        published = [{k: {v.replace(" ", "")} for k, v in action.items()} for action in rights["process_actions"]]
        assert sorted(map(str, written)) == sorted(map(str, published))
