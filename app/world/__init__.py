"""The facts of each M-Instance: slices out, validated changes in (DESIGN 4; SEMANTICS 1, 2).

world.py     slices, Situations, one change at a time     worlds.py    all that are served; PUT, POST, DELETE
store.py     an Oxigraph on disk, its generations         making.py    a new generation from a document
log.py       versions: who changed what, when             loading.py   a document of any size, into a store
described.py the M-Instance that facts describe           effects.py   an update -> facts to remove and add
validate.py  names, shapes and logic where a change touches: checks.py, shapes.py, logic.py, view.py, report.py
alike.py     which nodes neither shapes nor logic can tell apart, so that one is looked at for all
sparql.py    SPARQL as text, confined                     queries.py, child.py, results.py  run, within limits
terms.py     terms of a store <-> ours                    blank.py     names for blank nodes
formats.py   media types, reading RDF                     scan.py      what no parser must be given
gate.py, switching.py  all worlds under other Domains, from one moment on
dump.py, knowledge.py  a world as a document, to query    confinement.py  a process that can reach nobody
"""

from app.world.described import MInstance, describe, needed_by, read_world
from app.world.formats import FORMATS, Format, format_of
from app.world.log import Entry
from app.world.queries import Limits, Queries
from app.world.report import Report, WorldRefusedError
from app.world.switching import DomainOf, Prepared
from app.world.terms import to_rdf, to_subject
from app.world.world import World
from app.world.worlds import Asked, Changed, Condition, Worlds

__all__ = [
    "FORMATS",
    "Asked",
    "Changed",
    "Condition",
    "DomainOf",
    "Entry",
    "Format",
    "Limits",
    "MInstance",
    "Prepared",
    "Queries",
    "Report",
    "World",
    "WorldRefusedError",
    "Worlds",
    "describe",
    "format_of",
    "needed_by",
    "read_world",
    "to_rdf",
    "to_subject",
]
