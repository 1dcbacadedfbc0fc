"""Kind commitment: keep these for the dialogue, release those (BKN-DAC, CommitmentStatus; SEMANTICS 3, 9).

What a Request says of commitments counts whatever its Kind; with this one it is all that is asked.
"""

from __future__ import annotations

from app.evaluate import Names
from app.exchange import Answer, Request
from app.kinds.context import Answered, Context, Kind, Wanted
from app.rules import Domain
from app.situation import Needs


def needs(request: Request, _domain: Domain, _names: Names, _user: str | None) -> Wanted[bool]:
    """Nothing of the World: commitments are read before any Kind answers. What is read: whether there are any."""
    return Wanted(Needs(), bool(request.Commitments or request.ReleasedCommitmentIDs))


def answer(_: Request, asked: bool, context: Context) -> Answered:
    """How many are retained; what became of each is said with every Kind."""
    count = len(context.commitments)
    text = f"{count} commitment{'' if count == 1 else 's'} of this dialogue {'is' if count == 1 else 'are'} retained."
    if not asked:
        text += " Commitments would be retained by the member Commitments, released by ReleasedCommitmentIDs."
    return Answered("answered" if asked else "not_answered", answer=Answer(Text=text))


KIND = Kind(
    "commitment",
    "Keep these commitments for the dialogue, and release those",
    needs,
    answer,
    takes=(),
    guide=(
        "Use it when something is agreed on for the rest of a dialogue: what may or may not be done, what is so, "
        "what a phrase means. Back comes the state of each (retained, released, conflicting) and, in the text, what "
        "it conflicts with. What is retained restricts later answers of the dialogue and grants nothing. "
        "A commitment is a Process Action statement with May, May Not or Must, a plain English sentence, or a phrase "
        "with its meaning; other text is kept without effect. `release` may stand alone. "
        'Example: {"commitments": {"c1": "Friend2 May Not MM-Move Persona2ID To RoomID", '
        '"c2": "no one enters RoomID", "c3": "\\"my place\\" is MVS"}}'
    ),
)
