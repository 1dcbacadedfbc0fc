"""Files of RDF and OWL, read in every syntax authors use; what cannot be read has a place and the line as it stands.

.ttl Turtle     .rdf .owl .xml RDF/XML     .ofn OWL functional syntax     .nt N-Triples
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final
from xml.parsers import expat

import pyoxigraph as ox

from app.authoring.check.graph import Graph
from app.authoring.check.places import Places
from app.authoring.problems import Check, Problem, Severity
from app.knowledge import from_rdf
from app.model import Triple

UNREADABLE: Final = Check(
    "syntax",
    Severity.ERROR,
    "a file is not in the syntax that its name says",
    "nothing behind the place is read, and neither serving nor any other tool can load it",
)
CHECKS: Final = (UNREADABLE,)

SYNTAXES: Final = {
    ".ttl": "turtle", ".rdf": "rdfxml", ".owl": "rdfxml", ".xml": "rdfxml", ".ofn": "functional", ".nt": "ntriples",
}  # fmt: skip
"""By how a file's name ends."""

_FORMATS: Final = {
    "turtle": ox.RdfFormat.TURTLE, "rdfxml": ox.RdfFormat.RDF_XML, "ntriples": ox.RdfFormat.N_TRIPLES,
}  # fmt: skip
_NAMES: Final = {"turtle": "Turtle", "rdfxml": "RDF/XML", "functional": "functional syntax", "ntriples": "N-Triples"}
_BYTE: Final = re.compile(r"Byte(?:Position|Span)\((\d+)")
_EXPECTED: Final = re.compile(r"positives: \[([^\]]*)\]")
_GRAMMAR: Final = {
    "SPARQL_PnPrefix": "a name with a prefix",
    "FullIRI": "an IRI in `<>`",
    "OntologyAxiom": "an axiom",
}
_LONGEST: Final = 160


@dataclass(frozen=True)
class Source:
    """One file: its text and its facts; or `fault`, why it has none, or `unread`, why nobody tried.

    `rdf` is the document its facts come from, which is another one than its text where the syntax is functional.
    """

    path: Path
    syntax: str
    text: str = ""
    facts: tuple[Triple, ...] = ()
    fault: Problem | None = None
    unread: str = ""
    base: str = ""
    rdf: str = ""

    @property
    def usable(self) -> bool:
        """Whether its facts are known."""
        return not self.fault and not self.unread

    @cached_property
    def graph(self) -> Graph:
        """Its facts, indexed."""
        return Graph(self.facts)

    @cached_property
    def places(self) -> Places:
        """Where its terms stand."""
        return Places(self.text, self.syntax, self.base)

    def problem(self, check: Check, message: str, term: str = "", *, within: str = "", hint: str = "") -> Problem:
        """A problem with a term, where it stands; or where `within` is described, if that is all that is known."""
        line, column = self.places.of(term, within) if is_iri(term) else (0, 0)
        if not line and is_iri(within):
            line, column = self.places.of(within)
        if not line and is_iri(term):
            line, column = self.places.of(term)
        shown = shortened(self._lines[line - 1]) if line else ""
        return Problem(check, message, self.path, line, column, term, hint, shown)

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")


def is_iri(term: str) -> bool:
    """Whether a node has a name that can stand in a text."""
    return bool(term) and not term.startswith("_:")


def read(path: Path, base: str = "") -> Source:
    """A file in the syntax its name says; never raises, but tells the fault."""
    syntax = SYNTAXES.get(path.suffix.lower(), "turtle")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        fault = Problem(UNREADABLE, "the text is no UTF-8", path, line, hint="save the file as UTF-8")
        return Source(path, syntax, fault=fault)
    except OSError as error:
        fault = Problem(UNREADABLE, f"the file cannot be read: {(error.strerror or 'unknown').lower()}", path)
        return Source(path, syntax, fault=fault)
    if syntax == "rdfxml" and not text.lstrip().startswith("<"):
        syntax = "functional" if re.search(r"^\s*(Prefix|Ontology)\s*\(", text, re.MULTILINE) else "turtle"
    try:
        document = _as_rdf_xml(text) if syntax == "functional" else text
    except ImportError:
        return Source(path, syntax, text, unread=f"{path} needs py-horned-owl: install the extra `authoring`")
    except ValueError as error:
        return Source(path, syntax, text, fault=_functional_fault(path, text, str(error)))
    parsed = _FORMATS.get(syntax, ox.RdfFormat.RDF_XML)
    try:
        quads = ox.parse(document, format=parsed, base_iri=base or None, rename_blank_nodes=True)
        facts = tuple((str(from_rdf(q.subject)), str(from_rdf(q.predicate)), from_rdf(q.object)) for q in quads)
    except SyntaxError as error:
        return Source(path, syntax, text, fault=_fault(path, syntax, text, error))
    except TypeError as error:  # a triple term
        return Source(path, syntax, text, fault=Problem(UNREADABLE, str(error), path))
    return Source(path, syntax, text, facts, base=base, rdf=document)


def excerpt(text: str, line: int) -> str:
    """A line of a text as it stands, shortened; empty where there is none."""
    if not line:
        return ""
    lines = text.split("\n", line)
    return shortened(lines[line - 1]) if line <= len(lines) else ""


def shortened(line: str) -> str:
    """A line as it is shown."""
    line = line.rstrip("\r")
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def syntax_problem(path: Path, text: str, message: str, line: int, column: int, hint: str = "") -> Problem:
    """What stands at a place that cannot be read, the line shown."""
    return Problem(UNREADABLE, message, path, line, column, hint=hint, excerpt=excerpt(text, line))


def _fault(path: Path, syntax: str, text: str, error: SyntaxError) -> Problem:
    line, column = error.lineno or 0, error.offset or 0
    said = re.sub(r"^Parser error( at line \d+ .*?)?: ", "", str(error.msg))
    if not line and syntax == "rdfxml":
        line, column, said = _xml_place(text, said)
    return syntax_problem(path, text, f"no {_NAMES[syntax]}: {said}", line, column, _advice(said))


def _advice(said: str) -> str:
    """What to do about the usual ones."""
    if found := re.search(r"The prefix (\S*): has not been declared", said):
        return f"declare it: `@prefix {found[1]}: <...> .`"
    if "No scheme found in an absolute IRI" in said:
        return "the IRI is relative: give the file a `@base <...> .`"
    if "is not a valid subject" in said or "A dot is expected" in said:
        return "the statement before may lack its end, or a `;` or `,`"
    return ""


def _xml_place(text: str, said: str) -> tuple[int, int, str]:
    """Where XML is not well formed, which its RDF parser does not say."""
    parser = expat.ParserCreate()
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        return error.lineno, error.offset + 1, expat.ErrorString(error.code) or said
    return 0, 0, said


def _as_rdf_xml(text: str) -> str:
    """Functional syntax as RDF/XML. Raises ValueError where it is none, or ImportError without the extra."""
    import pyhornedowl

    return str(pyhornedowl.open_ontology_from_string(text, "ofn").save_to_string("owl"))


def _functional_fault(path: Path, text: str, said: str) -> Problem:
    at = _BYTE.search(said)
    before = text.encode()[: int(at[1])].decode(errors="ignore") if at else ""
    line, column = (before.count("\n") + 1, len(before) - before.rfind("\n")) if at else (0, 0)
    wanted, told = _EXPECTED.search(said), re.search(r"\(\"([^\"]*)\"", said)
    names = [_GRAMMAR.get(name, name) for name in wanted[1].split(", ")] if wanted and wanted[1] else []
    expected = f"expected {' or '.join(names)}" if names else told[1] if told else "it cannot be read"
    return syntax_problem(path, text, f"no functional syntax: {expected}", line, column)


def merged(sources: Iterable[Source]) -> Graph:
    """The facts of several files together."""
    return Graph(fact for source in sources for fact in source.facts)
