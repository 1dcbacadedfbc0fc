"""Facts and axioms in words, for the text of a conflict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from app.model import Term, Triple
from app.vocab import DOMAIN, OWL, RANGE, SUB_CLASS, SUB_PROPERTY, TYPE, dac

Say = Callable[[Term], str]

_KINDS: Final = {
    OWL + "FunctionalProperty": "nothing has two of `{s}`",
    OWL + "InverseFunctionalProperty": "no two things share one value of `{s}`",
    OWL + "AsymmetricProperty": "`{s}` never holds both ways",
    OWL + "IrreflexiveProperty": "nothing has itself for `{s}`",
    OWL + "SymmetricProperty": "`{s}` holds both ways",
    OWL + "TransitiveProperty": "`{s}` carries on from one to the next",
}
_AXIOMS: Final = {
    SUB_CLASS: "every `{s}` is a `{o}`",
    SUB_PROPERTY: "`{s}` is a kind of `{o}`",
    DOMAIN: "what has `{s}` is a `{o}`",
    RANGE: "what is a value of `{s}` is a `{o}`",
    OWL + "disjointWith": "no `{s}` is a `{o}`",
    OWL + "equivalentClass": "`{s}` and `{o}` are the same class",
    OWL + "inverseOf": "`{s}` is `{o}` the other way round",
    OWL + "propertyDisjointWith": "`{s}` and `{o}` never hold together",
    OWL + "onProperty": "`{o}` is bounded",
    OWL + "allValuesFrom": "all values are a `{o}`",
    OWL + "complementOf": "it is no `{o}`",
    OWL + "assertionProperty": "`{o}` does not hold",
    OWL + "sameAs": "`{s}` and `{o}` are one thing",
    OWL + "differentFrom": "`{s}` and `{o}` are two things",
    dac("excludes"): "`{s}` excludes `{o}`",
}


def say_axiom(fact: Triple, say: Say) -> str | None:
    """An axiom in words, empty for a part that says nothing by itself; None for a plain fact."""
    s, p, o = fact
    if p == TYPE and isinstance(o, str) and o in _KINDS:
        return _filled(_KINDS[o], s, o, say)
    if p in _AXIOMS:
        return _filled(_AXIOMS[p], s, o, say)
    return "" if p.startswith(OWL) or (p == TYPE and _bare(o)) else None


def say_fact(fact: Triple, say: Say) -> str:
    """A plain fact in words."""
    s, p, o = fact
    return f"`{say(s)}` is a `{say(o)}`" if p == TYPE else f"`{say(s)}` {say(p)} `{say(o)}`"


def _bare(term: Term) -> bool:
    return isinstance(term, str) and term.startswith((OWL, "_:"))


def _filled(template: str, s: str, o: Term, say: Say) -> str:
    """A template with its terms; nothing where one that it names is a blank node."""
    said = template
    for place, term in (("{s}", s), ("{o}", o)):
        if place in said:
            if isinstance(term, str) and term.startswith("_:"):
                return ""
            said = said.replace(place, say(term))
    return said
