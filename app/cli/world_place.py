"""Where worlds are: at a running server, by the protocols that any client speaks, or in the data folder."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Protocol
from urllib.parse import quote, unquote, urlencode

from app.cli.place import Here, Server, open_place
from app.errors import Code, Fault, StateError
from app.model import LOCAL
from app.settings import SettingsError
from app.vocab import PREFIXES

if TYPE_CHECKING:
    from app.service.operator import Operator
    from app.world import Changed, Condition, Format

Sent = Callable[[int], None]
"""Is told how many bytes have gone."""

_FACTS: Final = """
PREFIX mmm: <https://w3id.org/domain-access/mmm#>
SELECT DISTINCT ?s ?p ?o WHERE {{
  {{ VALUES ?s {{ {iri} }} ?s ?p ?o }} UNION {{ VALUES ?o {{ {iri} }} ?s ?p ?o }}
  UNION {{ ?s mmm:identifier {text} ; ?p ?o }} UNION {{ ?o mmm:identifier {text} . ?s ?p ?o }}
}} ORDER BY (?s != {iri}) ?s ?p ?o
"""


class WorldPlace(Protocol):
    """Who has the worlds. Every method raises DomainAccessError."""

    def listed(self) -> list[dict[str, Any]]:
        """The worlds: M-Instance, graph, packs, version."""

    def load(
        self, name: str, file: Path, form: Format, *, add: bool, if_version: str | None, sent: Sent
    ) -> dict[str, Any]:
        """Replace or extend a world: `version`, `created`, `warnings`."""

    def dump(self, name: str, form: Format, output: BinaryIO) -> str:
        """Write a world; which version it was."""

    def facts_of(self, name: str, entity: str) -> list[list[str]]:
        """Subject, property and value of each fact about an entity."""

    def versions(self, name: str, limit: int) -> list[dict[str, Any]]:
        """The last changes."""

    def checked(self, name: str) -> str:
        """What is wrong with a world, a line each."""


class Remote:
    """A server that runs."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def listed(self) -> list[dict[str, Any]]:
        """See WorldPlace."""
        found: list[dict[str, Any]] = json.loads(self._server.get("/v1/worlds"))["worlds"]
        return found

    def load(
        self, name: str, file: Path, form: Format, *, add: bool, if_version: str | None, sent: Sent
    ) -> dict[str, Any]:
        """See WorldPlace."""
        headers = {"Content-Type": form.media_type, **({"If-Match": f'"{if_version}"'} if if_version else {})}
        status, told, body = self._server.send_file("POST" if add else "PUT", _path(name), file, headers, sent)
        warnings = json.loads(body).get("warnings", ()) if body else ()
        said = [f"{each['focus']}: {each['message']}" for each in warnings]
        return {"version": told["domain-access-version"], "created": status == 201, "warnings": said}

    def dump(self, name: str, form: Format, output: BinaryIO) -> str:
        """See WorldPlace."""
        return self._server.receive(_path(name), form.media_type, output).strip('"').partition(".")[0]

    def facts_of(self, name: str, entity: str) -> list[list[str]]:
        """See WorldPlace."""
        graph = _graph_of(name, self.listed())
        asked = {"query": _query(entity, graph), "default-graph-uri": graph}
        return _rows(self._server.get(f"/sparql?{urlencode(asked)}", "text/csv").decode(), entity, graph)

    def versions(self, name: str, limit: int) -> list[dict[str, Any]]:
        """See WorldPlace."""
        found: list[dict[str, Any]] = json.loads(self._server.get(f"{_path(name)}/log?limit={limit}"))["versions"]
        return found

    def checked(self, name: str) -> str:
        """See WorldPlace."""
        return self._server.get(f"{_path(name)}/check", "text/plain").decode()


class Local:
    """The data folder, opened in this process."""

    def __init__(self, operator: Operator) -> None:
        self._operator = operator

    def listed(self) -> list[dict[str, Any]]:
        """See WorldPlace."""
        return self._operator.listed(LOCAL)

    def load(
        self, name: str, file: Path, form: Format, *, add: bool, if_version: str | None, sent: Sent
    ) -> dict[str, Any]:
        """See WorldPlace."""
        sent(file.stat().st_size)
        change = self._operator.post if add else self._operator.put
        changed: Changed = change(name, file, form, _only_at(if_version), LOCAL)
        said = [f"{self._operator.name_of(name, r.focus)}: {r.message}" for r in changed.report.results]
        return {"version": changed.entry.version, "created": changed.created, "warnings": said}

    def dump(self, name: str, form: Format, output: BinaryIO) -> str:
        """See WorldPlace."""
        document = self._operator.read(name, form, LOCAL)
        with document.path.open("rb") as file:
            while chunk := file.read(1 << 20):
                output.write(chunk)
        document.path.unlink()
        return document.version

    def facts_of(self, name: str, entity: str) -> list[list[str]]:
        """See WorldPlace."""
        graph = _graph_of(name, self.listed())
        document = self._operator.query(_query(entity, graph), [graph], [], "text/csv", "text/turtle", LOCAL)
        text = document.path.read_text(encoding="utf-8")
        document.path.unlink()
        return _rows(text, entity, graph)

    def versions(self, name: str, limit: int) -> list[dict[str, Any]]:
        """See WorldPlace."""
        return [entry.as_json() for entry in self._operator.log(name, limit, LOCAL)]

    def checked(self, name: str) -> str:
        """See WorldPlace."""
        said = self._operator.check(name, LOCAL).text(lambda iri: self._operator.name_of(name, iri))
        return f"{said or 'conforms'}\n"


@contextmanager
def open_world_place(url: str | None) -> Iterator[WorldPlace]:
    """The server at the URL; without one the configured server if it runs, else the data folder."""
    with open_place(url) as place:
        if isinstance(place, Server):
            yield Remote(place)
        else:
            assert isinstance(place, Here)
            yield Local(place.operator)


def form_of(file: Path, suffix: str | None) -> Format:
    """The format of a file, by its suffix or the one that is given. Raises SettingsError."""
    from app.world.formats import BY_SUFFIX

    wanted = f".{suffix.lstrip('.').lower()}" if suffix else file.suffix.lower()
    found = BY_SUFFIX.get(wanted)
    if found is None:
        hint = f"expected: {', '.join(each.lstrip('.') for each in BY_SUFFIX)}"
        message = f"`{suffix or file.name}` names no RDF format"
        raise SettingsError(Fault(Code.WRONG_VALUE, message, "--format", hint=hint))
    return found


def named_in(file: Path, form: Format) -> str:
    """The M-Instance that a file describes. Raises MessageError."""
    from app.world.worlds import describe_file

    return describe_file(file, form).identifier


def _query(entity: str, base: str) -> str:
    """The facts about an entity: an identifier, or an IRI in angle brackets; nothing of it is taken as SPARQL."""
    import pyoxigraph as ox

    from app.evaluate.wording import encode

    if entity.startswith("<") and entity.endswith(">"):
        return _FACTS.format(iri=ox.NamedNode(entity[1:-1]), text=ox.Literal("\0"))
    return _FACTS.format(iri=ox.NamedNode(encode(base, entity)), text=ox.Literal(entity))


def _rows(text: str, entity: str, base: str) -> list[list[str]]:
    rows = list(csv.reader(StringIO(text)))[1:]
    if not rows:
        hint = "identifiers are exact; an IRI stands in < >"
        raise StateError(Fault(Code.NOT_FOUND, f"nothing is said of `{entity}` in <{base}>", hint=hint))
    return [[_short(cell, base) for cell in row] for row in rows]


def _short(cell: str, base: str) -> str:
    """A term without what every reader knows: the base, the namespaces."""
    if cell.startswith(base) and cell != base:
        return unquote(cell.removeprefix(base))
    found = next((prefix for prefix, iri in PREFIXES.items() if cell.startswith(iri)), "")
    return f"{found}:{cell.removeprefix(PREFIXES[found])}" if found else cell


def _graph_of(name: str, listed: list[dict[str, Any]]) -> str:
    graph = next((str(each["graph"]) for each in listed if each["m_instance"] == name and "graph" in each), None)
    if graph is None:
        raise StateError(Fault(Code.UNKNOWN_M_INSTANCE, f"no M-Instance `{name}` is visible here", "--m-instance"))
    return graph


def _only_at(version: str | None) -> Condition:
    def condition(current: str | None) -> None:
        if version is not None and version != current:
            message = f"the world is at version {current}" if current else "there is no such world"
            raise StateError(Fault(Code.VERSION_CHANGED, message, where="--if-version"))

    return condition


def _path(name: str) -> str:
    return f"/v1/worlds/{quote(name, safe='')}"
