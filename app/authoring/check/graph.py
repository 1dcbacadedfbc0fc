"""The facts of an ontology as checks look at them: by subject, by object, lists and restrictions unfolded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

from app.knowledge import local_name
from app.model import Term, Text, Triple, Typed
from app.vocab import LABEL, OWL, RDF, RDFS, SKOS, SUB_CLASS, TYPE, XSD

CLASS_KINDS: Final = frozenset({OWL + "Class", RDFS + "Class"})
OBJECT_PROPERTY: Final = OWL + "ObjectProperty"
DATATYPE_PROPERTY: Final = OWL + "DatatypeProperty"
PROPERTY_KINDS: Final = frozenset(
    {
        OBJECT_PROPERTY, DATATYPE_PROPERTY, OWL + "AnnotationProperty", OWL + "OntologyProperty", RDF + "Property",
        OWL + "SymmetricProperty", OWL + "TransitiveProperty", OWL + "FunctionalProperty",
        OWL + "InverseFunctionalProperty", OWL + "AsymmetricProperty", OWL + "ReflexiveProperty",
        OWL + "IrreflexiveProperty",
    }
)  # fmt: skip
DATATYPE: Final = RDFS + "Datatype"
INDIVIDUAL: Final = OWL + "NamedIndividual"
ONTOLOGY: Final = OWL + "Ontology"
INTERSECTION: Final = OWL + "intersectionOf"
UNION: Final = OWL + "unionOf"
EQUIVALENT: Final = OWL + "equivalentClass"
DISJOINT: Final = OWL + "disjointWith"
_TRUE: Final = Typed("true", XSD + "boolean")
_LIST_LIMIT: Final = 100_000


class Graph:
    """Facts, indexed. Names of terms are IRIs, those of blank nodes begin with `_:`."""

    def __init__(self, facts: Iterable[Triple]) -> None:
        self.out: dict[str, dict[str, list[Term]]] = {}
        self.into: dict[str, list[tuple[str, str]]] = {}
        self.size = 0
        for s, p, o in dict.fromkeys(facts):
            self.size += 1
            self.out.setdefault(s, {}).setdefault(p, []).append(o)
            if isinstance(o, str):
                self.into.setdefault(o, []).append((s, p))

    def objects(self, subject: str, predicate: str) -> list[Term]:
        """The values of a property of one node."""
        return self.out.get(subject, {}).get(predicate, [])

    def nodes(self, subject: str, predicate: str) -> list[str]:
        """Those of the values that are nodes."""
        return [o for o in self.objects(subject, predicate) if isinstance(o, str)]

    def named(self, subject: str, predicate: str) -> list[str]:
        """Those of the values that are IRIs."""
        return [o for o in self.nodes(subject, predicate) if is_named(o)]

    def subjects(self, predicate: str, value: str) -> list[str]:
        """The nodes with a value of a property."""
        return [s for s, p in self.into.get(value, ()) if p == predicate]

    def pairs(self, predicate: str) -> Iterator[tuple[str, Term]]:
        """Every node with each of its values of a property."""
        for s, facts in self.out.items():
            for o in facts.get(predicate, ()):
                yield s, o

    def texts(self, subject: str, predicate: str) -> list[Text]:
        """The values of a property that are texts."""
        return [o for o in self.objects(subject, predicate) if isinstance(o, Text)]

    def kinds(self, subject: str) -> set[str]:
        """The classes a node is said to be of."""
        return set(self.nodes(subject, TYPE))

    @cached_property
    def declared(self) -> frozenset[str]:
        """The IRIs of which it is said what they are, ontologies left out."""
        return frozenset(s for s in self.out if is_named(s) and self.kinds(s) - {ONTOLOGY})

    @cached_property
    def classes(self) -> frozenset[str]:
        """The named classes."""
        return frozenset(s for s in self.declared if self.kinds(s) & CLASS_KINDS)

    @cached_property
    def properties(self) -> frozenset[str]:
        """The named properties, whatever their kind."""
        return frozenset(s for s in self.declared if self.kinds(s) & PROPERTY_KINDS)

    @cached_property
    def individuals(self) -> frozenset[str]:
        """What is declared and neither class, property nor datatype."""
        taken = self.classes | self.properties
        return frozenset(s for s in self.declared - taken if DATATYPE not in self.kinds(s))

    def above(self, term: str, predicate: str = SUB_CLASS) -> set[str]:
        """Every named term above one by a property, that one left out unless it is above itself."""
        found: set[str] = set()
        waiting = self.named(term, predicate)
        while waiting:
            each = waiting.pop()
            if each not in found:
                found.add(each)
                waiting += self.named(each, predicate)
        return found

    def members(self, node: str) -> list[Term]:
        """The members of an RDF list, as far as it goes."""
        found: list[Term] = []
        seen: set[str] = set()
        while node != RDF + "nil" and node not in seen and len(seen) < _LIST_LIMIT:
            seen.add(node)
            found += self.objects(node, RDF + "first")[:1]
            node = next(iter(self.nodes(node, RDF + "rest")), RDF + "nil")
        return found

    def listed(self, subject: str, predicate: str) -> list[str]:
        """The nodes in the lists that are values of a property."""
        return [m for node in self.nodes(subject, predicate) for m in self.members(node) if isinstance(m, str)]

    def deprecated(self, term: str) -> bool:
        """Whether a term is said to be deprecated."""
        marked = {OWL + "DeprecatedClass", OWL + "DeprecatedProperty"} & self.kinds(term)
        return bool(marked) or _TRUE in self.objects(term, OWL + "deprecated")

    def label(self, term: str) -> str:
        """How a reader calls a term: its English label, else any, else its local name."""
        labels = self.texts(term, LABEL) or self.texts(term, SKOS + "prefLabel")
        english = [label.value for label in labels if label.lang.startswith("en")]
        return next(iter((*english, *(label.value for label in labels))), local_name(term))


def is_named(node: str) -> bool:
    """Whether a node has an IRI."""
    return not node.startswith("_:")
