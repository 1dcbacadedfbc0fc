"""Semantic commitments: read, compared, set against what is known (SEMANTICS 9). Pure.

    forms.py       what a commitment says: norms, facts and axioms, a naming, or nothing
    names.py       Scope: the names it may use
    norms.py       form 1, a Process Action statement with a deontic verb; what opposes what
    triples.py     form 2, a Turtle triple
    english.py     form 3, controlled English; its grammar
    reading.py     the first of the forms that a text has; opaque text is the fourth
    conflicts.py   contradictions, each with what it meets and the chain of axioms
    agreement.py   what a Request makes of them: release, retain, answer under the result

Commitments restrict or disambiguate; they never create Rights or facts of the World. What judging reads of them is
`evaluate.agreed`.
"""

from app.commitments.agreement import CONFLICTS_WITH, NO_AGREEMENT, Agreement, agree, in_its_words
from app.commitments.forms import Form, Reading
from app.commitments.reading import mentioned, read

__all__ = [
    "CONFLICTS_WITH",
    "NO_AGREEMENT",
    "Agreement",
    "Form",
    "Reading",
    "agree",
    "in_its_words",
    "mentioned",
    "read",
]
