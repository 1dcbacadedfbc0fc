"""The process in which free SPARQL runs: on a checkpoint, within limits, killed by whoever started it.

    python -m app.world.child MEMORY_BYTES

It reads jobs as lines of JSON and answers each by a line of JSON; results are files, for they can be large. It never
opens a store that changes, none that the job does not name, and no connection.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pyoxigraph as ox

from app.errors import DomainAccessError, problem
from app.vocab import PREFIXES
from app.world.confinement import without_network
from app.world.results import write_answer, write_rows
from app.world.sparql import Operation, check_syntax, data_of, plain, query_error, read_update
from app.world.terms import as_stored, in_graph

TOO_MANY_ROWS: Final = "rows"
OUT_OF_MEMORY: Final = "memory"
MERGE_LIMIT: Final = 2_000_000
"""Facts that several worlds may have together to be asked at once: they are merged in memory."""


def main() -> None:
    """Serve jobs until the input ends."""
    memory = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    without_network()
    opened: dict[tuple[str, ...], ox.Store] = {}
    for line in sys.stdin:
        job = json.loads(line)
        try:
            answer = _update(job) if job["kind"] == "update" else _query(job, opened)
        except DomainAccessError as error:
            answer = {"problem": problem(error)}
        except MemoryError:
            answer = {"limit": OUT_OF_MEMORY}
        except (ValueError, RuntimeError, OSError) as error:  # what Oxigraph could not evaluate
            answer = {"failed": str(error)}
        print(json.dumps(answer), flush=True)


def _query(job: dict[str, Any], opened: dict[tuple[str, ...], ox.Store]) -> dict[str, Any]:
    """Run a query; its result is written to the job's output."""
    folders = tuple(job["stores"])
    if folders not in opened:
        opened.clear()
        opened[folders] = _opened(folders)
    store = opened[folders]
    try:
        found = store.query(
            job["text"],
            default_graph=[ox.NamedNode(graph) for graph in job["default"]],
            named_graphs=[ox.NamedNode(graph) for graph in job["named"]],
            prefixes=None,
        )
        return _written(found, job)
    except SyntaxError as error:
        raise query_error(error, "query") from error


def _written(found: Any, job: dict[str, Any]) -> dict[str, Any]:
    limit, output = job["rows"], Path(job["output"])
    if isinstance(found, ox.QueryBoolean):
        output.write_bytes(write_answer(bool(found), job["rows_type"]))
        return {"media_type": job["rows_type"]}
    taken = list(islice(found, limit + 1))
    if len(taken) > limit:
        return {"limit": TOO_MANY_ROWS}
    if isinstance(found, ox.QuerySolutions):
        names = [variable.value for variable in found.variables]
        output.write_bytes(
            write_rows(names, ([solution[name] for name in names] for solution in taken), job["rows_type"])
        )
        return {"media_type": job["rows_type"]}
    form = ox.RdfFormat.from_media_type(job["graph_type"])
    assert form is not None
    ox.serialize(taken, str(output), form, prefixes=PREFIXES)
    return {"media_type": job["graph_type"]}


def _opened(folders: tuple[str, ...]) -> ox.Store:
    """One checkpoint as it is, or several merged."""
    if len(folders) == 1:
        return ox.Store.read_only(folders[0])
    merged = ox.Store()
    for folder in folders:
        store = ox.Store.read_only(folder)
        if len(store) + len(merged) > MERGE_LIMIT:
            raise MemoryError
        merged.extend(store)
    return merged


def _update(job: dict[str, Any]) -> dict[str, Any]:
    """Evaluate an update on a checkpoint of its own; what it would remove and add is written to two files."""
    base = job["base"]
    update = read_update(job["text"], base)
    check_syntax(update, base)
    store = ox.Store(job["stores"][0])
    graph = ox.NamedNode(base)
    removed: set[ox.Triple] = set()
    added: set[ox.Triple] = set()
    for operation in update.operations:
        try:
            gone, come = _effect(store, graph, operation, job["rows"])
        except SyntaxError as error:
            raise query_error(error, "update") from error
        if len(gone) + len(come) > job["rows"]:
            return {"limit": TOO_MANY_ROWS}
        gone = {triple for triple in gone - come if in_graph(triple, graph) in store}
        come = {triple for triple in come if in_graph(triple, graph) not in store}
        for triple in gone:
            store.remove(in_graph(triple, graph))
        store.extend(in_graph(triple, graph) for triple in come)
        removed, added = (removed - come) | (gone - added), (added - gone) | (come - removed)
    for name, triples in (("removed", removed), ("added", added)):
        ox.serialize(triples, f"{job['output']}.{name}", ox.RdfFormat.N_TRIPLES)
    return {"removed": len(removed), "added": len(added)}


def _effect(
    store: ox.Store, graph: ox.NamedNode, operation: Operation, limit: int
) -> tuple[set[ox.Triple], set[ox.Triple]]:
    """What one operation removes and adds."""
    if operation.clears:
        return {quad.triple for quad in islice(store.quads_for_pattern(None, None, None, graph), limit + 1)}, set()
    if not operation.where:
        data = (data_of(text, operation.prologue, graph.value) for text in (operation.deleted, operation.inserted))
        gone, come = (set(triples) for triples in data)
        return gone, come
    both = (operation.deleted, operation.inserted)
    gone, come = (set(as_stored(_instances(store, graph, operation, text, limit))) for text in both)
    return gone, come


def _instances(
    store: ox.Store, graph: ox.NamedNode, operation: Operation, template: str, limit: int
) -> Iterator[ox.Triple]:
    if not template:
        return
    query = f"{operation.prologue}\nCONSTRUCT {{ {template}\n}} WHERE {operation.where}"
    found: Any = store.query(query, base_iri=graph.value, default_graph=[graph], named_graphs=[graph])
    yield from map(plain, islice(found, limit + 1))


if __name__ == "__main__":
    main()
