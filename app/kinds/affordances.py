"""Kind affordances: what can be done here with these things, by the session's A-User, now (SEMANTICS 3, 8).

A thing affords what its classes do. Left out, and said to be: what its present state rules out, and what the User may
not do; what could not be judged is left out, too, since an error never lets anything pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from app.evaluate import Names, Step, begin, needs_of
from app.evaluate.judge import Outcome, State, judge
from app.exchange import Affordance, Answer, Failure, OutcomeName, Relation, Request
from app.facts import Facts
from app.kinds.as_known import exists
from app.kinds.asked import Asked, Found, find, needs_for, nothing_asked, read
from app.kinds.context import Answered, Context, Kind, Wanted, fetching
from app.kinds.places import contents
from app.kinds.uses import (
    Grant,
    Hindrance,
    chain,
    classes_of,
    grants,
    hindrance,
    statement_of,
    statements,
    text_of,
    use_label,
    with_superclasses,
)
from app.kinds.wording import Speech, narrowest
from app.model import Finding, PAStatus, RuleFailure, Statement
from app.rules import Domain
from app.rules.compiled import Reach
from app.situation import Situation
from app.vocab import SUB_CLASS, TYPE

SPACE_LIMIT: Final = 200
"""Things of a Space whose affordances are told, the first by identifier (SEMANTICS 8)."""

SHOWN_THINGS: Final = 20
"""Things whose uses the Text tells; all are in Affordances."""

PERFORMED_BY: Final = "dac:performedBy"
_MISSING: Final = frozenset({"complement_missing", "ambiguous_class"})
"""Findings that say only that the statement leaves open what the User still has to choose."""
_ALREADY_THERE: Final = "already_there"
_HARMLESS: Final = frozenset({PAStatus.INS_VALUE, PAStatus.POST_REF})
"""What stands against a statement without making the use impossible: told as a constraint."""


@dataclass(frozen=True, slots=True)
class _Offer:
    """A use of a thing, or of a class (`thing` empty), and what became of it."""

    thing: str
    asked_class: str
    grant: Grant
    statement: Statement | None = None
    hindered: Hindrance | None = None
    refused: Finding | None = None
    failed: RuleFailure | None = None
    remarks: tuple[Finding, ...] = ()

    @property
    def stands(self) -> bool:
        return self.hindered is None and self.refused is None and self.failed is None


@dataclass(slots=True)
class _Told:
    """What is gathered for an answer."""

    offers: list[_Offer] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    outside: set[str] = field(default_factory=set)


def needs(request: Request, domain: Domain, names: Names, user: str | None) -> Wanted[Asked]:
    """The things named, the Space with what it holds, and what judging their uses walks."""
    asked = read(request, domain, names)

    def foresee(situation: Situation) -> Mapping[str, tuple[Reach, ...]]:
        facts = situation.facts(domain)
        steps: list[Step] = []
        for thing in _things(asked, facts, names)[0]:
            for grant in grants(thing, classes_of(thing, facts), domain, facts):
                found = statements(grant, thing, domain, facts, names, user)
                steps += [Step(len(steps) + i, "", statement) for i, statement in enumerate(found)]
        return needs_of(steps, domain, names, user).starts

    return Wanted(needs_for(asked, domain, names.base, user, foresee), asked)


def answer(request: Request, asked: Asked, context: Context) -> Answered:
    """What stands, with the granting classes; what was left out, and why."""
    names = context.names.in_language(context.spoken(request))
    state = begin(context.domain, context.situation, names, context.user, context.now, context.bounds)
    facts = state.facts
    speech = context.speech(request, facts)
    found = find(asked, request, speech, context.domain, context.user)
    if not found.subjects:
        return nothing_asked(speech, ("EntityIDs", "Space", "Terms.Class"), found.faults)
    told = _Told(faults=list(found.faults))
    things, in_space, cut = _things_found(found, facts, context.names)
    for thing in things:
        for grant in grants(thing, classes_of(thing, facts), context.domain, facts):
            told.offers.append(_offer(thing, grant, state, told))
    for each in found.classes:
        told.offers += _of_class(each, state)
    if told.outside and context.may_fetch:
        return Answered("not_answered", outside=frozenset(told.outside))
    return _answered(found, told, things, in_space, cut, speech, state)


def _things(asked: Asked, facts: Facts, names: Names) -> tuple[list[str], int, bool]:
    """The things whose uses are sought, before it is said which of the names are wrong."""
    entities = [iri for _, iri in (*asked.entities, *asked.mentioned) if exists(iri, facts)]
    spaces = [asked.space[1]] if asked.space is not None and exists(asked.space[1], facts) else []
    found = Found(tuple(entities), spaces=tuple(spaces))
    return _things_found(found, facts, names)


def _things_found(found: Found, facts: Facts, names: Names) -> tuple[list[str], int, bool]:
    """The things named, then the Space and the first of what it holds; how many that is, and whether more are."""
    things = list(dict.fromkeys(found.entities))
    within = [contents(space, facts) for space in found.spaces]
    held = dict.fromkeys(each for inside, _ in within for each in inside)
    ordered = sorted(held, key=lambda each: names.name(each))
    things = list(dict.fromkeys((*things, *found.spaces, *ordered[:SPACE_LIMIT])))
    return things, len(held), any(cut for _, cut in within)


def _offer(thing: str, grant: Grant, state: State, told: _Told) -> _Offer:
    """Judge a use: first by the thing's state, then by what rules say of the statement that carries it out."""
    hindered = hindrance(thing, grant.use, state.facts)
    if hindered is not None:
        return _Offer(thing, "", grant, hindered=hindered)
    found = statements(grant, thing, state.domain, state.facts, state.names, state.user)
    if not found:
        return _Offer(thing, "", grant, failed=_unsayable(grant))
    if state.user is None:
        return _Offer(thing, "", grant, statement=found[0])
    offers = [_judged(thing, grant, statement, state, told) for statement in found]
    return next((offer for offer in offers if offer.stands), offers[0])


def _unsayable(grant: Grant) -> RuleFailure:
    """Without a statement that parses nothing can be judged, so nothing passes: a fault of the pack."""
    message = f"no statement carries out `{grant.use}` (dac:performedBy)"
    return RuleFailure("performedBy", PAStatus.FAULTY_REQ, message, grant.granted_by)


def _judged(thing: str, grant: Grant, statement: Statement, state: State, told: _Told) -> _Offer:
    outcome = judge(statement, 0, state.fork())
    told.outside |= outcome.outside
    remarks = tuple(f for f in outcome.findings if f.status in _HARMLESS)
    against = [
        f
        for f in outcome.findings
        if f.status not in _HARMLESS and f.rule not in _MISSING and not _is_there(f, thing)
    ]
    failed = _decisive(outcome, against)
    if failed is not None:
        return _Offer(thing, "", grant, statement, failed=failed)
    return _Offer(thing, "", grant, statement, refused=against[0] if against else None, remarks=remarks)


def _is_there(finding: Finding, thing: str) -> bool:
    """Whether it only says that the User is where the thing is: who sits down need not have come from elsewhere."""
    return finding.rule == _ALREADY_THERE and thing not in (finding.bindings.get("item"), finding.bindings.get("to"))


def _decisive(outcome: Outcome, against: list[Finding]) -> RuleFailure | None:
    """A rule that could not run and might have refused: nothing passes by it."""
    return None if against or not outcome.failures else outcome.failures[0]


def _of_class(asked_class: str, state: State) -> Iterator[_Offer]:
    """What things of a class afford in general: no state, no Rights."""
    knowledge = state.domain.knowledge
    for grant in grants("", with_superclasses((asked_class,), knowledge), state.domain, state.facts):
        statement = None
        if grant.action is None:
            statement = statement_of(grant.use, "", asked_class, state.domain, state.facts, state.names, state.user)
        yield _Offer("", asked_class, grant, statement)


def _answered(
    found: Found, told: _Told, things: list[str], in_space: int, cut: bool, speech: Speech, state: State
) -> Answered:
    standing = [offer for offer in told.offers if offer.stands]
    failed = [offer for offer in told.offers if offer.failed is not None]
    outcome: OutcomeName = found.outcome
    text = _text(found, told, things, speech, speech.names.name(state.user) if state.user else "?")
    if in_space > SPACE_LIMIT or cut:
        n = f"{in_space - SPACE_LIMIT}" if in_space > SPACE_LIMIT else "?"
        text.append(speech.say("place_left_out", n=n, all=in_space, place=speech.name(found.space or "?")))
    if failed or in_space > SPACE_LIMIT or cut:
        outcome = "partially_answered"
    if state.user is None and things:
        text.append(speech.say("unchecked"))
    affordances = [_affordance(offer, speech) for offer in standing]
    relations = dict.fromkeys(
        (use_label(offer.grant, speech), text_of(offer.statement))
        for offer in standing
        if offer.grant.action is None and offer.statement is not None
    )
    return Answered(
        outcome,
        answer=Answer(
            Affordances=tuple(affordances),
            Relations=tuple(Relation(Subject=s, Predicate=PERFORMED_BY, Object=o) for s, o in relations) or None,
            Constraints=tuple(dict.fromkeys(_constraints(told.offers, speech))) or None,
            Text=" ".join([*text, *told.faults]),
        ),
        failure=_failure(failed[0], speech) if failed else None,
        explanation=_explanation(told.offers, affordances, speech, state),
    )


def _affordance(offer: _Offer, speech: Speech) -> Affordance:
    knowledge = speech.knowledge
    giver = offer.grant.granted_by
    if giver not in knowledge.classes:
        giver = min(narrowest(speech.facts.objects(offer.thing, TYPE), knowledge), default=giver)
    return Affordance(
        EntityID=speech.names.name(offer.thing) if offer.thing else None,
        Class=giver,
        Action=use_label(offer.grant, speech),
    )


def _constraints(offers: Iterable[_Offer], speech: Speech) -> Iterator[str]:
    """What the User may not do, and what else stands against what it may."""
    for offer in offers:
        if offer.refused is not None and offer.refused.status is not PAStatus.CLASH:
            yield speech.say(
                "may_not",
                use=use_label(offer.grant, speech),
                thing=speech.names.name(offer.thing),
                why=f"{offer.refused.text} [{offer.refused.rule}]",
            )
        yield from (f"{finding.text} [{finding.rule}]" for finding in offer.remarks)


def _text(found: Found, told: _Told, things: list[str], speech: Speech, user: str) -> list[str]:
    """A sentence for each thing and class, one on what the present state rules out."""
    said: list[str] = []
    standing: dict[str, list[str]] = {thing: [] for thing in (*things, *found.classes)}
    offered = {offer.thing or offer.asked_class for offer in told.offers}
    for offer in told.offers:
        if offer.stands:
            standing[offer.thing or offer.asked_class].append(use_label(offer.grant, speech))
    whole = found.space is not None
    told_of = [subject for subject, uses in standing.items() if uses]
    rest = len(told_of) - SHOWN_THINGS
    for subject, uses in standing.items():
        if uses and subject in told_of[SHOWN_THINGS:]:
            continue
        if not uses:
            if not whole or subject in found.entities:
                phrase = "affords_no_more" if subject in offered else "affords_none"
                said.append(speech.say(phrase, thing=speech.name(subject), user=user))
            continue
        listed = speech.listing(uses, quoted=False)
        if subject in found.classes:
            said.append(speech.say("affords_class", thing=speech.label(subject), uses=listed))
        else:
            said.append(speech.say("affords", thing=speech.name(subject), kind=speech.kind(subject), uses=listed))
    if not said:
        said.append(speech.say("affords_none", thing=speech.name(found.space or "?")))
    if rest > 0:
        said.append(speech.say("affords_more", n=rest))
    hindered = [
        f"{use_label(offer.grant, speech)} `{speech.name(offer.thing)}` ({speech.label(offer.hindered.state)})"
        for offer in told.offers
        if offer.hindered is not None
    ]
    clashing = [
        f"{use_label(offer.grant, speech)} `{speech.name(offer.thing)}` ({offer.refused.text})"
        for offer in told.offers
        if offer.refused is not None and offer.refused.status is PAStatus.CLASH
    ]
    if hindered or clashing:
        said.append(speech.say("left_out", uses=speech.listing([*hindered, *clashing], quoted=False)))
    for offer in told.offers:
        if offer.failed is not None:
            why, use = offer.failed.message, use_label(offer.grant, speech)
            said.append(speech.say("unsure", thing=speech.name(offer.thing), use=use, why=why))
    return said


def _failure(offer: _Offer, speech: Speech) -> Failure:
    failed = offer.failed
    assert failed is not None
    return Failure(
        Service=f"{failed.source}/{failed.rule}" if failed.source else failed.rule,
        Request=f"{use_label(offer.grant, speech)} {speech.names.name(offer.thing)}",
        Nature="transient" if failed.transient else "permanent",
    )


def _explanation(
    offers: list[_Offer], affordances: list[Affordance], speech: Speech, state: State
) -> dict[str, object]:
    """For each use the axiom that grants it and how it is inherited; for what was left out, what speaks against it;
    and the uses in the form of BKN-PRC's ActionContext.
    """
    return {
        "affordances": [_why(offer, speech) for offer in offers if offer.stands],
        "left_out": [_why(offer, speech) | _against(offer, speech) for offer in offers if not offer.stands],
        "ActionContext": {"Affordances": list(for_action_context(affordances))},
        "user": speech.names.name(state.user) if state.user else None,
    }


def _why(offer: _Offer, speech: Speech) -> dict[str, object]:
    grant, facts = offer.grant, speech.facts
    found: dict[str, object] = {"Action": use_label(grant, speech), "axiom": list(grant.axiom)}
    below = narrowest(facts.objects(offer.thing, TYPE), speech.knowledge) if offer.thing else (offer.asked_class,)
    links = [
        list(triple)
        for each in below
        if speech.knowledge.is_a(each, grant.granted_by)
        for triple in chain(each, grant.granted_by, speech.knowledge)
        if triple[1] in (SUB_CLASS, TYPE)
    ]
    if offer.thing:
        found["EntityID"] = speech.names.name(offer.thing)
    if links:
        found["inherited_by"] = links
    if offer.statement is not None:
        found["statement"] = text_of(offer.statement)
    return found


def _against(offer: _Offer, speech: Speech) -> dict[str, object]:
    if offer.hindered is not None:
        state, against = speech.label(offer.hindered.state), speech.label(offer.hindered.against)
        return {"because": "state", "state": state, "excludes": against}
    if offer.refused is not None:
        status = offer.refused.status.value
        return {"because": status, "rule": offer.refused.rule, "text": offer.refused.text}
    assert offer.failed is not None
    return {"because": "failure", "rule": offer.failed.rule, "text": offer.failed.message}


def for_action_context(affordances: Iterable[Affordance]) -> tuple[str, ...]:
    """Affordances as BKN-PRC's ActionContext wants them: a text each, the Action and what it is done with."""
    return tuple(dict.fromkeys(f"{each.Action} {each.EntityID or each.Class or ''}".strip() for each in affordances))


KIND = Kind(
    "affordances",
    "What can be done with these things, here and now",
    needs,
    fetching(answer),
    guide=(
        "Use it to find out what single things (`entities`), kinds of things (`terms`) or all that is in a place "
        "(`space`) can be used for now: inherited from their classes, possible in the present state, allowed to the "
        "User, so name `user`. Back come actions with the thing and the class that grants each, and in constraints "
        "what the User may not do; without `user`, what the state allows. "
        'Example: {"entities": ["Persona2ID"], "user": "Friend2"}'
    ),
)
