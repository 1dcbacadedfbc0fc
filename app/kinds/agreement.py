"""What a Request of any Kind says of commitments: release, retain, then answer under the result (SEMANTICS 9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from app.commitments import NO_AGREEMENT, Agreement, Form, agree, mentioned
from app.evaluate import Names
from app.exchange import CommitmentStatus, Request
from app.model import Commitment
from app.rules import Domain
from app.situation import ENTITY_LIMIT, Needs, Situation


def agreement_needs(request: Request, before: Sequence[Commitment], names: Names, user: str | None) -> Needs:
    """The entities that commitments may name, those retained and those of the Request; none where there are none.

    At most as many as a Situation holds: what is named beyond is not there for the reader, and said to name nothing.
    """
    texts = [
        *(each.statement for each in before if each.form != Form.TEXT),
        *(each.Statement for each in request.Commitments or ()),
    ]
    named = dict.fromkeys(islice(mentioned(texts, names), ENTITY_LIMIT), ())
    if named and user is not None:
        named[user] = ()
    return Needs(named)


def agreement_of(
    request: Request,
    before: Sequence[Commitment],
    ever: bool,
    domain: Domain,
    names: Names,
    situation: Situation,
    user: str | None,
) -> Agreement:
    """What the Request leaves of the commitments retained before it; `ever`: there have been some."""
    submitted = [(each.CommitmentID, each.Statement) for each in request.Commitments or ()]
    released = request.ReleasedCommitmentIDs or ()
    if not before and not submitted and not released:
        return replace(NO_AGREEMENT, ever=ever)
    found = agree(before, submitted, released, domain, names, situation, user)
    return replace(found, ever=ever or bool(found.retained))


def without_commitments(request: Request) -> Request:
    """The Request as if it said nothing of commitments."""
    return request.model_copy(update={"Commitments": None, "ReleasedCommitmentIDs": None})


def statuses_of(agreement: Agreement) -> tuple[CommitmentStatus, ...] | None:
    """The member CommitmentStatus: all that are retained, and those that the Request named; absent where the dialogue
    never had any.
    """
    found = tuple(CommitmentStatus(CommitmentID=name, Status=state) for name, state in agreement.statuses)
    return found if found or agreement.ever else None
