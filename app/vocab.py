"""IRIs the code itself names; every other term lives in ontologies/ alone.

`MMM` holds what MMM-TEC defines, `DAC` what Domain Access adds. Terms are interned: an IRI is compared often.
"""

from __future__ import annotations

from sys import intern
from typing import Final

HOME: Final = "https://w3id.org/domain-access/"
MMM: Final = HOME + "mmm#"
DAC: Final = HOME + "dac#"
RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
OWL: Final = "http://www.w3.org/2002/07/owl#"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
SKOS: Final = "http://www.w3.org/2004/02/skos/core#"

PREFIXES: Final = {"mmm": MMM, "dac": DAC, "rdf": RDF, "rdfs": RDFS, "owl": OWL, "xsd": XSD, "skos": SKOS}


def pack_namespace(name: str) -> str:
    """Where a pack's own terms live; its name is their prefix."""
    return f"{HOME}{name}#"


TYPE: Final = intern(RDF + "type")
LABEL: Final = intern(RDFS + "label")
SUB_CLASS: Final = intern(RDFS + "subClassOf")
SUB_PROPERTY: Final = intern(RDFS + "subPropertyOf")
DOMAIN: Final = intern(RDFS + "domain")
RANGE: Final = intern(RDFS + "range")
ALT_LABEL: Final = intern(SKOS + "altLabel")


def mmm(name: str) -> str:
    """The IRI of an MMM-TEC term."""
    return intern(MMM + name)


def dac(name: str) -> str:
    """The IRI of a term of Domain Access."""
    return intern(DAC + name)


IDENTIFIER: Final = mmm("identifier")
OWNER: Final = mmm("owner")
AT: Final = mmm("at")
STATUS: Final = mmm("status")
MODEL: Final = mmm("Model")
FINAL: Final = mmm("Final")
HELD_BY: Final = mmm("heldBy")
DEONTIC_VERB: Final = mmm("deonticVerb")
PROCESS_ACTION: Final = mmm("processAction")
RIGHTS: Final = mmm("Rights")

M_INSTANCE: Final = mmm("MInstance")
U_ENVIRONMENT: Final = mmm("UEnvironment")
HIERARCHICAL: Final = dac("hierarchical")
CLAIMS_FINAL: Final = dac("claimsFinal")
