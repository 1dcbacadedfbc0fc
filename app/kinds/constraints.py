"""Kind constraints: the limits of things, places and classes, as sentences with units and source (SEMANTICS 3)."""

from __future__ import annotations

from collections.abc import Iterable

from app.evaluate import Names
from app.exchange import Answer, Request
from app.kinds.asked import Asked, find, needs_for, nothing_asked, read
from app.kinds.context import Answered, Context, Kind, Wanted, fetching
from app.kinds.deontic import Deontics
from app.kinds.limits import Limit, Limits
from app.rules import Domain


def needs(request: Request, domain: Domain, names: Names, user: str | None) -> Wanted[Asked]:
    """The things and the Space named, with what their limits are read from."""
    asked = read(request, domain, names)
    return Wanted(needs_for(asked, domain, names.base, user), asked)


def answer(request: Request, asked: Asked, context: Context) -> Answered:
    """The limits of each thing, then of the Space, then of each class; the explanation says what each rests on."""
    speech = context.speech(request)
    found = find(asked, request, speech, context.domain, context.user)
    if not found.subjects:
        return nothing_asked(speech, ("EntityIDs", "Space", "Terms.Class"), found.faults)
    world = f"world {request.MInstance}@{context.situation.version}"
    deontics = Deontics(context.domain, speech, context.names.base, context.user, context.now)
    limits = Limits(context.domain, speech, deontics, world)
    things = dict.fromkeys((*found.entities, *found.spaces))
    by_subject = {each: _unique(limits.of_thing(each)) for each in things}
    by_subject |= {each: _unique(limits.of_class(each)) for each in found.classes}
    said = [
        speech.say("limits" if own else "limits_none", thing=speech.name(each), n=len(own))
        for each, own in by_subject.items()
    ]
    return Answered(
        found.outcome,
        answer=Answer(
            Constraints=tuple(dict.fromkeys(limit.said for own in by_subject.values() for limit in own)),
            Text=" ".join([*said, *found.faults]),
        ),
        explanation={
            "constraints": [
                {"of": speech.name(each), **_told(limit)} for each, own in by_subject.items() for limit in own
            ]
        },
    )


def _unique(limits: Iterable[Limit]) -> list[Limit]:
    return list(dict.fromkeys(limits))


def _told(limit: Limit) -> dict[str, object]:
    rests_on = [str(term) for term in limit.rests_on] if limit.rests_on is not None else None
    return {"sentence": limit.text, "source": limit.source, "kind": limit.kind, "rests_on": rests_on}


KIND = Kind(
    "constraints",
    "What limits these things: Rights, Rules, measures, prices, axioms",
    needs,
    fetching(answer),
    guide=(
        "Use it to learn what holds of single things or a place (`entities`), kinds of things (`terms`) or a place "
        "with all that is in it (`space`) before planning with them: axioms, shapes, Rules, Rights that are needed, "
        "extents, capacities, opening hours, prices. Back come sentences with units and source. "
        'Example: {"entities": ["RoomID"]}'
    ),
)
