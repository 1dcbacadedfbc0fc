"""Rules, needs and the judging of plans: what no single data case shows (SEMANTICS 1, 4, 5)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from app.authoring.cases import BASE, case_facts
from app.authoring.plans import NOON, judge_texts
from app.evaluate import PlanVerdicts, judge_plan, needs_of, read_steps
from app.model import Layer, Overall, PAStatus, Triple, Verdict
from app.rules import Domain, load
from app.rules.forms import Case
from app.situation import Situation
from app.vocab import DEONTIC_VERB, HELD_BY, OWNER, STATUS, TYPE, mmm
from app.world import World
from tests.packs import EDITION

ROOT = Path(__file__).resolve().parents[1]
SMALL = (ROOT / "rules" / "cases.ttl").read_text(encoding="utf-8")
MOVE = "Alice MM-Moves Ball From Hall To Garden"
BACK = "Alice MM-Moves Ball From Garden To Hall"


@cache
def domain() -> Domain:
    return load(EDITION, [])


def world(add: str = "", remove: str = "") -> World:
    facts, idle = case_facts(Case("w", "", fires=True, add=add, remove=remove), SMALL)
    assert idle == []
    return World.of(facts, domain())


def plan(*texts: str, add: str = "", remove: str = "", user: str | None = None) -> PlanVerdicts:
    return judge_texts(enumerate(texts), world(add, remove), domain(), user)


def statuses(*texts: str, add: str = "") -> list[str]:
    return [str(verdict.status) for verdict in plan(*texts, add=add).verdicts]


def one(text: str, add: str = "", remove: str = "") -> Verdict:
    return plan(text, add=add, remove=remove).verdicts[0]


def thing(name: str) -> str:
    return BASE + name


# The decision


def test_the_highest_finding_decides_and_the_others_are_told() -> None:
    """Clash and InsRights at once: InsRights, and the Reason says both, it first."""
    verdict = one("Bob MM-Moves Ball From Study To Garden")
    assert verdict.status is PAStatus.INS_RIGHTS
    ranks = [finding.status.rank for finding in verdict.findings]
    assert ranks == sorted(ranks)
    assert {finding.status for finding in verdict.findings} == {PAStatus.INS_RIGHTS, PAStatus.CLASH}
    assert verdict.reason.index("[not_permitted]") < verdict.reason.index("[not_at_from]")


def test_every_finding_names_its_rule_and_the_pack_it_comes_from() -> None:
    """In the Reason in brackets, and in the finding with the pack's version."""
    verdict = one("Bob MM-Moves Ball From Study To Garden")
    assert all(f"[{finding.rule}]" in verdict.reason for finding in verdict.findings)
    assert {finding.source for finding in verdict.findings} == {domain().sources[0]}


def test_a_finding_rests_on_facts_with_their_layer() -> None:
    """Of the World, of the statement and of what the plan changed before."""
    findings = plan(MOVE, "Alice MM-Moves Ball From Hall To Garden").verdicts[1].findings
    used = {fact.triple: fact.layer for finding in findings if finding.rule == "not_at_from" for fact in finding.used}
    assert used[thing("Ball"), mmm("at"), thing("Garden")] is Layer.PLAN
    assert used[thing("Hall"), TYPE, mmm("MLocation")] is Layer.WORLD
    permit = one(MOVE).permits
    assert {finding.rule for finding in permit} == {"owner_of_item", "owner_of_place"}
    layers = {fact.triple: fact.layer for finding in permit for fact in finding.used}
    assert layers[thing("Ball"), OWNER, thing("Alice")] is Layer.WORLD


def test_a_rule_without_a_value_is_not_applicable_and_recorded() -> None:
    """`not_at_from` needs a From: without one it is neither passed nor fired."""
    verdict = one("Alice MM-Moves Ball To Garden")
    assert (verdict.status, "not_at_from" in verdict.not_applicable) == (PAStatus.ACK, True)
    assert "not_at_from" not in one(MOVE).not_applicable


def test_overall_follows_from_the_statuses() -> None:
    """All Ack is feasible, none is infeasible, some is partially feasible; an empty plan is not feasible."""
    assert plan(MOVE, BACK).overall is Overall.FEASIBLE
    assert plan(MOVE, MOVE).overall is Overall.PARTIALLY_FEASIBLE
    assert plan("Bob MM-Moves Ball From Hall To Study").overall is Overall.INFEASIBLE
    assert plan().overall is Overall.INFEASIBLE


def test_steps_are_judged_in_their_order_not_as_listed() -> None:
    """Step 1 sees what step 0 changed, whichever is written first."""
    verdicts = judge_texts([(1, BACK), (0, MOVE)], world(), domain()).verdicts
    assert [(v.step, v.status) for v in verdicts] == [(0, PAStatus.ACK), (1, PAStatus.ACK)]


# What could not be judged


def blinded(names: list[str], *texts: str) -> PlanVerdicts:
    """The plan judged with some entities not fetched."""
    known = world()
    steps = read_steps(enumerate(texts), domain())
    held = known.situation(needs_of(steps, domain(), known.names, None)).slices
    left = {entity: each for entity, each in held.items() if entity not in map(thing, names)}
    return judge_plan(steps, domain(), Situation(left, known.version), known.names, None, NOON)


def test_a_rule_that_cannot_run_leaves_the_step_unjudged() -> None:
    """No status, the failure names the rule or the Action, what to fetch is told, and the plan is never feasible."""
    found = blinded(["Garden"], MOVE)
    (verdict,) = found.verdicts
    assert (verdict.status, found.overall) == (None, Overall.INFEASIBLE)
    assert verdict.failures
    assert found.outside == {thing("Garden")}
    assert "could not be judged" in verdict.reason


def test_a_later_step_that_touches_the_same_is_left_unjudged_too() -> None:
    """It might depend on what could not be judged; a step about other things does not."""
    texts = "Alice MM-Moves Ball From Hall To Nook", "Alice MM-Animates Ball With Clip", "Bob Property Changes Vase"
    found = blinded(["Study"], *texts)
    assert [verdict.status for verdict in found.verdicts] == [None, None, PAStatus.ACK]
    assert found.overall is Overall.PARTIALLY_FEASIBLE


def test_nothing_is_judged_after_a_step_whose_changes_are_not_known() -> None:
    """Where not even the Action's own names could be read, every later step might depend on it."""
    found = blinded(["Garden"], MOVE, "Bob Property Changes Vase")
    assert [verdict.status for verdict in found.verdicts] == [None, None]
    assert [failure.rule for failure in found.verdicts[1].failures] == ["earlier_step"]


def test_a_higher_finding_decides_in_spite_of_a_failure() -> None:
    """A FaultyReq stands, whatever a rule below it would have said."""
    verdict = blinded(["Vase"], "Alice MM-Moves Ball From Hall To Clip With Pose").verdicts[0]
    assert verdict.status is PAStatus.FAULTY_REQ


# Statements that join, condition or refer


def test_process_actions_joined_by_and_succeed_or_fail_together() -> None:
    """They see each other's effects; a refusal of the second takes back the first."""
    assert statuses(f"{MOVE} and {BACK}") == ["Ack"]
    assert statuses(f"{MOVE} and {MOVE}", MOVE) == ["Clash", "Ack"]
    refused = one(f"{MOVE} and {MOVE}")
    assert not refused.effect.added
    assert "after 1 `and`" in refused.reason
    both = one(f"{MOVE} and Alice MM-Adds Hat At Hall")
    assert {(thing("Ball"), mmm("at"), thing("Garden")), (thing("Hat"), mmm("at"), thing("Hall"))} <= set(
        both.effect.added
    )


EVENTS = {
    "Alice MM-Moves Ball": True,
    "Alice MM-Moves Ball To Garden": True,
    "Bob MM-Moves Ball": False,
    "Alice MM-Moves Ball To Hall": False,
    "NOT Alice MM-Moves Ball": False,
    "NOT Bob MM-Moves Ball": True,
    "Alice MM-Moves Ball AND Bob MM-Moves Vase": False,
    "Alice MM-Moves Ball OR Bob MM-Moves Vase": True,
    "Alice MM-Moves Ball NAND Bob MM-Moves Vase": True,
    "Alice MM-Moves Ball NOR Bob MM-Moves Vase": False,
    "Alice MM-Moves Ball XOR Bob MM-Moves Vase": True,
    "Alice MM-Moves Ball XNOR Bob MM-Moves Vase": False,
    "Bob MM-Moves Ball XNOR Bob MM-Moves Vase": True,
    "Bob MM-Moves Ball OR (Alice MM-Moves Ball AND NOT Bob MM-Moves Vase)": True,
}


@pytest.mark.parametrize("event, occurred", EVENTS.items(), ids=EVENTS)
def test_effects_are_laid_only_if_the_event_has_occurred(event: str, occurred: bool) -> None:
    """After step 0 moved the Ball; the step is judged as if the Event had occurred, and says which."""
    verdict = plan(MOVE, f"Alice MM-Adds Hat At Hall If {event}").verdicts[1]
    assert verdict.status is PAStatus.ACK
    assert bool(verdict.effect.added) is occurred
    assert ("has occurred" in verdict.reason) is occurred
    later = plan(MOVE, f"Alice MM-Adds Hat At Hall If {event}", "Alice MM-Adds Hat At Garden").verdicts[2]
    assert (later.status is PAStatus.CLASH) is occurred


REFERENCES: dict[str, tuple[tuple[str, ...], PAStatus]] = {
    "@1": (("Alice Identifies Shot",), PAStatus.ACK),
    "@1.Stream": (("Alice Identifies Shot",), PAStatus.ACK),
    "@1.stream": (("Alice Identifies Shot",), PAStatus.ACK),
    "@1.Message": (("Alice Identifies Shot",), PAStatus.INC_ID),
    "@0": ((MOVE,), PAStatus.INC_ID),
    "@2": (("Alice Identifies Shot",), PAStatus.INC_ID),
    "@3": (("Alice Identifies Shot",), PAStatus.INC_ID),
}


@pytest.mark.parametrize("name", REFERENCES)
def test_a_reference_names_what_an_accepted_step_made(name: str) -> None:
    """Of an earlier step, accepted, that made such a thing; otherwise IncID naming the reference."""
    before, status = REFERENCES[name]
    texts = ["Bob MM-Moves Ball To Study", *before, f"Alice MM-Animates Ball With {name}"]
    verdict = plan(*texts).verdicts[-1]
    assert verdict.status is status
    assert status is PAStatus.ACK or (name in verdict.reason and "[nothing_made]" in verdict.reason)


def test_a_reference_to_several_things_must_say_which() -> None:
    """Register makes Account, User and Persona: `@0` alone is IncID with the choices, `@0.User` is the User."""
    register = "carol Registers With Profile-carol"
    unclear = plan(register, "@0 MM-Sends Hello To Bob").verdicts[1]
    assert unclear.status is PAStatus.INC_ID
    assert all(f"@0.{kind}" in unclear.reason for kind in ("account", "user", "persona"))
    assert statuses(register, "@0.User MM-Sends Hello To Bob") == ["Ack", "Ack"]


def test_the_session_acts_where_no_process_is_written() -> None:
    """Its User is the actor; another Process acts only in supposition, and the Reason says so."""
    alone = plan("MM-Moves Ball From Hall To Garden", user=thing("Alice")).verdicts[0]
    assert (alone.status, alone.notes) == (PAStatus.ACK, ())
    other = plan("Bob Property Changes Vase", user=thing("Alice")).verdicts[0]
    assert "it is `Bob` that would have to do it" in other.reason


def test_older_names_of_actions_are_noted() -> None:
    """MM-Embed is MM-Add, and the Reason tells."""
    verdict = one("Alice MM-Embeds Hat At Hall")
    assert verdict.status is PAStatus.ACK
    assert "`MM-Embed` is read as MM-Add" in verdict.reason


def test_the_time_is_that_of_the_statement_else_of_the_request() -> None:
    """`At` with a time; else the time handed in."""
    assert one(MOVE).time == NOON
    timed = one(f"{MOVE} At 2027-03-04T05:06:07Z").time
    assert timed is not None
    assert timed.isoformat() == "2027-03-04T05:06:07+00:00"


# Names


def test_an_iri_names_what_its_identifier_names() -> None:
    """In angle brackets, the same entity and the same Verdict; a foreign one names nothing."""
    written = "Alice MM-Moves <https://cases.example/Ball> From Hall To <https://cases.example/Garden>"
    assert one(written).effect == one(MOVE).effect
    assert one("Alice MM-Moves <urn:x:Ball> From Hall To Garden").status is PAStatus.INC_ID


def test_a_class_stands_for_the_only_thing_it_can() -> None:
    """For what the actor owns first, else for what is at the place named; several are told."""
    assert one("Alice MM-Animates Ball With Stream").status is PAStatus.ACK
    several = one("Alice MM-Moves 3D-Model-Object From Hall To Garden")
    assert several.status is PAStatus.INC_ID
    assert all(name in several.reason for name in ("Ball", "Hat"))


def test_identifiers_with_other_characters_are_percent_encoded() -> None:
    """`Room 1` has a space: it is written as an IRI, and named by its identifier."""
    room = '<Room%201> a mmm:MLocation ; mmm:identifier "Room 1" ; mmm:public true .'
    verdict = one("Alice MM-Moves Ball From Hall To <https://cases.example/Room%201>", add=room)
    assert verdict.status is PAStatus.ACK
    assert "`Room 1`" in verdict.reason


# Rights


def conferred(verdict: Verdict) -> set[Triple]:
    return {triple for triple in verdict.effect.added if triple[1] == HELD_BY}


def test_a_right_that_is_carried_becomes_held_by_whom_the_action_says() -> None:
    """By the actor; by the recipient of MM-Send; by the grantee of Rights Change."""
    right = thing("ReadNote")
    assert conferred(one("Alice Property Changes Ball With ReadNote")) == {(right, HELD_BY, thing("Alice"))}
    assert conferred(one("Alice MM-Sends Note To Bob With ReadNote")) == {(right, HELD_BY, thing("Bob"))}
    assert conferred(one("Alice Rights Changes Bob With ReadNote")) == {(right, HELD_BY, thing("Bob"))}
    changed = one("Alice MM-Sends Note To Bob With ReadNote").effect
    assert (right, STATUS, mmm("Final")) in changed.added
    assert (right, STATUS, mmm("Model")) in changed.removed


def test_what_one_does_not_own_or_name_is_not_conferred() -> None:
    """The step is Ack, the Right stays as it was, and the Reason says why."""
    verdict = one("Alice MM-Sends Note To Dora With MoveVase")
    assert (verdict.status, conferred(verdict)) == (PAStatus.ACK, set())
    assert "`MoveVase` is carried but not conferred: it names `Vase`" in verdict.reason


def test_what_is_transacted_by_the_statement_may_be_conferred() -> None:
    """Alice does not own the Vase before the Sale; a Right on it that the Sale carries becomes hers."""
    assert conferred(one("Alice Transacts With Sale With MoveVase")) == {(thing("MoveVase"), HELD_BY, thing("Alice"))}


def test_a_grant_withdraws_the_opposite_right_on_the_same() -> None:
    """May, then May Not, then May again: each ends the one before."""
    grant, revoke = "Bob Rights Changes Alice With BallToStudy", "Bob Rights Changes Alice With NotBallToStudy"
    move = "Alice MM-Moves Ball From Hall To Study"
    assert statuses(grant, move) == ["Ack", "Ack"]
    assert statuses(grant, revoke, move) == ["Ack", "Ack", "InsRights"]
    assert statuses(grant, revoke, grant, move) == ["Ack", "Ack", "Ack", "Ack"]
    withdrawn = plan(grant, revoke).verdicts[1].effect.removed
    assert (thing("BallToStudy"), HELD_BY, thing("Alice")) in withdrawn


# Effects


def test_a_transaction_passes_the_asset_to_the_other_party() -> None:
    """From whichever party owns it, and the Transaction is settled."""
    effect = one("Alice Transacts With Sale").effect
    vase, sale = thing("Vase"), thing("Sale")
    assert {(vase, OWNER, thing("Alice")), (sale, STATUS, mmm("Final"))} <= set(effect.added)
    assert {(vase, OWNER, thing("Bob")), (sale, STATUS, mmm("Model"))} <= set(effect.removed)


def test_registering_makes_account_user_and_persona() -> None:
    """Each with its class and its identifier, the Persona owned by the User."""
    added = set(one("carol Registers With Profile-carol").effect.added)
    assert {
        (thing("Account-carol"), TYPE, mmm("Account")),
        (thing("Carol"), TYPE, mmm("User")),
        (thing("CarolPersona"), TYPE, mmm("Persona")),
        (thing("CarolPersona"), OWNER, thing("Carol")),
        (thing("carol"), mmm("account"), thing("Account-carol")),
    } <= added
    assert {s for s, p, _ in added if p == mmm("identifier")} == {
        thing("Account-carol"),
        thing("Carol"),
        thing("CarolPersona"),
    }


def test_moving_a_place_moves_it_within_the_other() -> None:
    """A Tent that is added to the Garden lies within it, and is entered as the Garden is."""
    assert (thing("Tent"), mmm("within"), thing("Garden")) in one("Alice MM-Adds Tent At Garden").effect.added
    moved = plan("Alice MM-Adds Tent At Garden", "Alice MM-Moves Tent From Garden To Hall").verdicts[1].effect
    assert (thing("Tent"), mmm("within"), thing("Garden")) in moved.removed
    assert (thing("Tent"), mmm("within"), thing("Hall")) in moved.added


# Repairs


def test_each_repair_is_told_with_what_it_needs() -> None:
    """Another name, a statement by another, a fact of the World and who can bring it about."""
    wrong_place = one("Alice MM-Moves Ball From Study To Garden").repairs[0]
    assert [edit.kind for edit in wrong_place.edits] == ["replace"]
    assert wrong_place.statement == "Alice MM-Moves Ball From Hall To Garden"
    granted = [edit for r in one("Alice MM-Moves Ball From Hall To Study").repairs for edit in r.edits]
    assert ("insert_by_other", "Bob Rights Changes Alice With BallToStudy", "Bob") in {
        (edit.kind, edit.statement, edit.needs) for edit in granted
    }
    assert any(edit.kind == "world" and edit.needs == "Bob" for edit in granted)
    own = one("Alice MM-Moves Hat From Hall To Garden").repairs[0].edits
    assert [(edit.kind, edit.statement) for edit in own] == [("insert", "Alice MM-Adds Hat At Hall")]


def test_two_edits_are_tried_where_one_is_not_enough() -> None:
    """From the wrong place into a place of another: the right one, and the owner's grant."""
    repair = one("Alice MM-Moves Ball From Garden To Study").repairs[0]
    assert [edit.kind for edit in repair.edits] == ["replace", "insert_by_other"]
    assert repair.statement == "Alice MM-Moves Ball From Hall To Study"


def test_no_repair_is_said_where_none_is_known() -> None:
    """A statement that is none has no Repair, and the Reason points at the place."""
    faulty = one("Alice Teleports Ball To Garden")
    assert "^" in faulty.reason
    assert "No repair is known" in one("Alice MM-Adds Ball At Garden").reason


def test_a_may_opens_a_place_for_its_own_action_only() -> None:
    """One to capture at Bob's Lab is none to actuate there; without an Action it is none to do anything."""
    held = "<Odd> a mmm:Rights ; mmm:heldBy <Alice> ; mmm:deonticVerb mmm:May ; mmm:processAction <pa> ."
    lab = f"<Lab> mmm:owner <Bob> . {held} <pa> mmm:complementAt <Lab> ."
    capture = f"{lab} <pa> mmm:action mmm:UM-Capture ."
    assert one("Alice UM-Captures Data1 At Lab", add=capture).status is PAStatus.ACK
    assert one("Alice MU-Actuates Hat At Lab", add=capture).status is PAStatus.INS_RIGHTS
    assert one("Alice UM-Captures Data1 At Lab", add=lab).status is PAStatus.INS_RIGHTS


def test_deontic_verbs_of_rights_are_read_not_guessed() -> None:
    """A held Right without a verb neither permits nor forbids."""
    spoken = "<pa> mmm:action mmm:MM-Move ; mmm:complementTo <Study> ."
    right = f"<Odd> a mmm:Rights ; mmm:heldBy <Alice> ; mmm:processAction <pa> . {spoken}"
    assert one("Alice MM-Moves Ball From Hall To Study", add=right).status is PAStatus.INS_RIGHTS
    assert one(MOVE, add=right).status is PAStatus.ACK
    may = right.replace("mmm:heldBy", "mmm:deonticVerb mmm:May ; mmm:heldBy")
    assert one("Alice MM-Moves Ball From Hall To Study", add=may).status is PAStatus.ACK
    assert mmm("deonticVerb") == DEONTIC_VERB
