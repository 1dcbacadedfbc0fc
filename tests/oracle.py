"""Two independent readings of the rules, to compare with what the project answers.

`Oracle` asks Oxigraph for the solutions of a pattern's text over a whole World with all that the vocabulary infers.
`Access` restates SEMANTICS 5 on needs, access and Rights in plain Python, without any pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote

import pyoxigraph as ox

from app.facts import Schema
from app.knowledge import from_rdf
from app.model import Term, Triple
from app.rules import Domain
from app.vocab import DAC, DEONTIC_VERB, HELD_BY, IDENTIFIER, OWNER, PREFIXES, PROCESS_ACTION, TYPE, XSD, mmm
from app.world import to_rdf, to_subject
from tests.worlds import TRUE

Row = frozenset[tuple[str, Term]]
_VARIABLE = re.compile(r"[?$]([A-Za-z_][A-Za-z0-9_]*)")
_WORLD = ox.NamedNode("urn:world")
_KNOWN = ox.NamedNode("urn:knowledge")
_IDENTIFIER_OF = DAC + "identifierOf"
_BOX, _BOOLEAN = ox.NamedNode(DAC + "box"), ox.NamedNode(XSD + "boolean")
FUNCTIONS = frozenset({_IDENTIFIER_OF, DAC + "overlaps", DAC + "within", DAC + "placed"})
"""The registered functions that the oracle has of its own."""


class Oracle:
    """Oxigraph over a World and a vocabulary, every inferred fact written out."""

    def __init__(self, known: Iterable[Triple], schema: Schema) -> None:
        self._store = ox.Store()
        self._schema = schema
        self._load(known, _KNOWN)

    @classmethod
    def of(cls, domain: Domain) -> Oracle:
        """The oracle of a Domain: its vocabulary and its Actions are known."""
        held = domain.vocabulary.values()
        return cls(((s.entity, p, o) for s in held for p, os in s.out.items() for o in os), domain.knowledge.schema)

    def world(self, triples: Iterable[Triple]) -> None:
        """Take these facts as the World, in place of those before."""
        self._store.remove_graph(_WORLD)
        self._load(triples, _WORLD)

    def rows(self, text: str, given: Mapping[str, Term], outputs: Iterable[str]) -> set[Row]:
        """The solutions, projected to `outputs`; given variables are replaced in the text, nested groups included.

        Raises SyntaxError where the pattern is no SPARQL.
        """
        written = _VARIABLE.sub(lambda m: str(to_rdf(given[m[1]])) if m[1] in given else m[0], text)
        prefixes = "".join(f"PREFIX {name}: <{iri}>\n" for name, iri in PREFIXES.items())
        names = list(outputs)
        head = "SELECT DISTINCT " + " ".join(f"?{name}" for name in names) if names else "ASK"
        found = self._store.query(
            f"{prefixes}{head} WHERE {{ {written} }}",
            default_graph=[_KNOWN, _WORLD],
            custom_functions={
                ox.NamedNode(_IDENTIFIER_OF): self._identifier_of,
                ox.NamedNode(DAC + "overlaps"): _overlaps,
                ox.NamedNode(DAC + "within"): _within,
                ox.NamedNode(DAC + "placed"): _placed,
            },
        )
        if isinstance(found, ox.QueryBoolean):
            return {frozenset()} if found else set()
        assert isinstance(found, ox.QuerySolutions)
        return {frozenset((name, from_rdf(row[name])) for name in names if row[name] is not None) for row in found}

    def _load(self, triples: Iterable[Triple], graph: ox.NamedNode) -> None:
        facts: dict[Triple, None] = {}
        for s, p, o in triples:
            facts[s, p, o] = None
            facts.update((inferred, None) for inferred, _ in self._schema.consequences(s, p, o))
        self._store.extend(ox.Quad(to_subject(s), ox.NamedNode(p), to_rdf(o), graph) for s, p, o in facts)

    def _identifier_of(self, term: ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple) -> ox.Literal | None:
        if not isinstance(term, ox.NamedNode):
            return None
        for quad in self._store.quads_for_pattern(term, ox.NamedNode(IDENTIFIER), None, None):
            assert isinstance(quad.object, ox.Literal)
            return quad.object
        return ox.Literal(unquote(re.split("[#/]", term.value)[-1]))


def _numbers(literal: object) -> list[float]:
    assert isinstance(literal, ox.Literal)
    return [float(part) for part in literal.value.split()]


def _truth(value: bool) -> ox.Literal:
    return ox.Literal(str(value).lower(), datatype=_BOOLEAN)


def _overlaps(a: object, b: object) -> ox.Literal:
    """Whether on each axis the larger of the lows is more than a millimetre below the smaller of the highs."""
    one, other = _numbers(a), _numbers(b)
    shared = [min(one[i + 3], other[i + 3]) - max(one[i], other[i]) for i in range(3)]
    return _truth(min(shared) > 0.0010000001)


def _within(a: object, b: object) -> ox.Literal:
    """Whether nothing of the one box is more than a millimetre outside the other."""
    one, other = _numbers(a), _numbers(b)
    out = [max(other[i] - one[i], one[i + 3] - other[i + 3]) for i in range(3)]
    return _truth(max(out) < 0.0010000001)


def _placed(place: object, position: object, size: object) -> ox.Literal:
    """A box of a size around a position from the centre of a place."""
    box, at, sides = _numbers(place), _numbers(position), _numbers(size)
    middle = [(box[i] + box[i + 3]) / 2 + at[i] for i in range(3)]
    corners = [middle[i] - sides[i] / 2 for i in range(3)] + [middle[i] + sides[i] / 2 for i in range(3)]
    return ox.Literal(" ".join(map(str, corners)), datatype=_BOX)


class Access:
    """Who may do what in a World of careful authors: each place lies in at most one, has at most one owner and flag.

    A step is its Action and its parts: the IRIs after Nil, At, From, To, With.
    """

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._facts: dict[tuple[str, str], list[Term]] = {}
        self._subjects: dict[str, list[str]] = {}
        for s, p, o in triples:
            self._facts.setdefault((s, p), []).append(o)
            if p == HELD_BY:
                self._subjects.setdefault(str(o), []).append(s)

    def owns(self, actor: str, thing: str) -> bool:
        """Whether a thing is the actor's."""
        return actor in self._get(thing, OWNER)

    def around(self, place: str) -> list[str]:
        """The place and those that enclose it, from inside out."""
        chain = [place]
        while found := [str(o) for o in self._get(chain[-1], mmm("within")) if o not in chain]:
            chain.append(found[0])
        return chain

    def may_dispose(self, actor: str, action: str, thing: str, parts: Mapping[str, tuple[str, ...]]) -> bool:
        """*own*: by ownership, or by a held May for this Action that names the Item and whose other parts fit."""
        return self.owns(actor, thing) or any(
            thing in self._get(pa, mmm("complementNil")) and self._fits(pa, parts, ("At", "To", "From", "With"))
            for _, pa in self._held(actor, mmm("May"))
            if action in self._get(pa, mmm("action"))
        )

    def may_enter(self, actor: str, action: str, place: str, parts: Mapping[str, tuple[str, ...]]) -> bool:
        """*enter*: the place, or the nearest around it that has an owner or a flag, decides; a held May opens those
        up to there; a U-Location is open where nobody owns it and nothing says that it is not public.
        """
        chain = self.around(place)
        if mmm("ULocation") in self._get(place, TYPE) and not any(
            self._get(p, OWNER) or self._closed(p) for p in chain
        ):
            return True
        decisive = next((p for p in chain if self._get(p, OWNER) or self._get(p, mmm("public"))), None)
        if decisive is not None:
            if self.owns(actor, decisive) or TRUE in self._get(decisive, mmm("public")):
                return True
            chain = chain[: chain.index(decisive) + 1]
        return any(
            {*self._get(pa, mmm("complementAt")), *self._get(pa, mmm("complementTo"))} & set(chain)
            and self._fits(pa, parts, ("Nil", "From", "At", "To", "With"))
            for _, pa in self._held(actor, mmm("May"))
            if action in self._get(pa, mmm("action"))
        )

    def forbidden_by(self, actor: str, action: str, parts: Mapping[str, tuple[str, ...]]) -> set[str]:
        """The Rights with a matching May Not that the actor holds; a part left out matches any."""
        return {
            right
            for right, pa in self._held(actor, mmm("MayNot"))
            if all(named == action for named in self._get(pa, mmm("action")))
            and self._fits(pa, parts, ("Nil", "At", "From", "To", "With"))
        }

    def _closed(self, place: str) -> bool:
        return any(flag != TRUE for flag in self._get(place, mmm("public")))

    def _held(self, actor: str, verb: str) -> list[tuple[str, str]]:
        return [
            (right, str(pa))
            for right in self._subjects.get(actor, ())
            if verb in self._get(right, DEONTIC_VERB)
            for pa in self._get(right, PROCESS_ACTION)
        ]

    def _fits(self, pa: str, parts: Mapping[str, tuple[str, ...]], wanted: tuple[str, ...]) -> bool:
        """Whether all that a Process Action names stands in the step; a place also where one inside it stands."""
        for part in wanted:
            said = set(parts.get(part, ()))
            if part in ("At", "From", "To"):
                said = {outer for name in said for outer in self.around(name)}
            if not set(self._get(pa, mmm("complement" + part))) <= said:
                return False
        return True

    def _get(self, s: str, p: str) -> list[Term]:
        return self._facts.get((s, p), [])
