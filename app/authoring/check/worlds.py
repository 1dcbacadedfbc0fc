"""Shapes and worlds: shapes well formed, every world valid by names, shapes and logic (SHACL; DESIGN 4)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from app.authoring.check.source import Source, read
from app.authoring.check.subject import NotDoneError, Subject, said
from app.authoring.problems import Check, Problem, Severity
from app.errors import PackError
from app.rules import Domain, load
from app.vocab import DAC
from app.world import World, describe
from app.world.report import Result, gathered
from app.world.validate import Validator

SHAPE: Final = Check(
    "shape",
    Severity.ERROR,
    "a SHACL shape is not well formed",
    "a shape that validators do not understand checks nothing, or refuses every change of a world",
)
WORLD: Final = Check(
    "world",
    Severity.ERROR,
    "a world breaks a name, a shape or an axiom",
    "a service that loads it refuses it, as it would refuse a change that made it so",
)
WORLD_DOUBT: Final = Check(
    "world_doubt",
    Severity.NOTE,
    "a world refers to what is not there, or breaks a shape that only warns",
    "a plan may introduce it; until then a rule that walks there finds nothing",
)
WORLD_HEAD: Final = Check(
    "world_head",
    Severity.ERROR,
    "a world does not describe its one M-Instance: its identifier, its packs",
    "by its file's name a world is found, and what it knows and is judged by are the packs it uses",
)
CHECKS: Final = (SHAPE, WORLD, WORLD_DOUBT, WORLD_HEAD)

DANGLING: Final = "dangling_reference"
"""The check of worlds that a reference leads to something."""


def shape_problems(subject: Subject) -> Iterator[Problem]:
    """What SHACL's own shapes find wrong with those of the pack."""
    path = subject.folder / "shapes.ttl"
    if not path.is_file():
        return
    source = next((each for each in subject.others if each.path == path), None) or read(path)
    if not source.usable:
        raise NotDoneError("shapes.ttl cannot be read")
    import pyshacl
    from rdflib import Graph, URIRef
    from rdflib.namespace import SH as SHACL

    own = Graph().parse(Path(pyshacl.__file__).parent / "assets" / "shacl-shacl.ttl", format="turtle")
    shapes = Graph().parse(data=source.text, format="turtle")
    _, found, _ = pyshacl.validate(shapes, shacl_graph=own, inference="none")
    assert isinstance(found, Graph)
    seen: set[tuple[str, str]] = set()
    for result in found.objects(predicate=SHACL.result):
        focus = found.value(result, SHACL.focusNode)
        shape = _named_shape(shapes, focus)
        path_said = str(found.value(result, SHACL.resultPath) or found.value(result, SHACL.sourceConstraintComponent))
        message = str(found.value(result, SHACL.resultMessage) or "it is not as SHACL wants it")
        if (shape, path_said) not in seen:
            seen.add((shape, path_said))
            told = f"{said(shape) if shape else 'a shape'}, {said(path_said)}: {message}"
            term = path_said if source.places.of(path_said) != (0, 0) else ""
            yield source.problem(SHAPE, told, term, within=shape)
    for node in sorted(set(shapes.subjects(SHACL.path)) | set(shapes.subjects(SHACL.property)), key=str):
        yield from _idle(source, shapes, node)
    if not subject.ontology.usable:
        raise NotDoneError(f"{subject.ontology.path.name}, which says what is a class, cannot be read")
    for target in sorted(set(shapes.objects(None, SHACL.targetClass)), key=str):
        if isinstance(target, URIRef) and str(target) not in subject.whole.classes:
            hint = "it is a property" if str(target) in subject.whole.properties else ""
            message = f"the shape is for {said(str(target))}, which is no class"
            yield source.problem(SHAPE, message, str(target), within=_named_shape(shapes, target), hint=hint)


def _idle(source: Source, shapes: object, node: object) -> Iterator[Problem]:
    """A node shape that nothing leads to: it has no target, and no other shape uses it."""
    from rdflib import RDF, Graph, URIRef
    from rdflib.namespace import SH as SHACL

    assert isinstance(shapes, Graph)
    if not isinstance(node, URIRef) or (node, SHACL.path, None) in shapes:
        return
    targets = ("targetClass", "targetNode", "targetSubjectsOf", "targetObjectsOf", "target")
    aimed = any((node, SHACL[target], None) in shapes for target in targets)
    used = any(p != RDF.type for _, p in shapes.subject_predicates(node))
    if not aimed and not used:
        message = f"{said(str(node))} is for nothing: it has no target, and no shape uses it"
        yield source.problem(SHAPE, message, str(node), hint="add `sh:targetClass ...`")


def _named_shape(shapes: object, node: object) -> str:
    """The IRI of the shape in which a node stands."""
    from rdflib import Graph, URIRef

    assert isinstance(shapes, Graph)
    seen: set[object] = set()
    while node is not None and not isinstance(node, URIRef) and node not in seen:
        seen.add(node)
        node = next(iter(shapes.subjects(None, node)), None)  # type: ignore[arg-type]
    return str(node) if isinstance(node, URIRef) else ""


def world_problems(subject: Subject, path: Path) -> Iterator[Problem]:
    """What is wrong with one world, as a service would find it on loading."""
    source = next((each for each in subject.others if each.path == path), None) or read(path)
    if not source.usable:
        raise NotDoneError(f"{path.name} cannot be read")
    try:
        m_instance = describe(source.facts)
    except PackError as error:
        for fault in error.faults:
            yield Problem(WORLD_HEAD, fault.message, path, hint="say `<> a mmm:MInstance`")
        return
    yield from _head(subject, source, path, m_instance.identifier, m_instance.base, m_instance.packs)
    domain = _domain(subject, m_instance.packs)
    world = World.of(source.facts, domain)
    results: list[Result] = []
    for _, found in Validator(domain, world.store.base).of_store(world.store):
        results += found
    report = gathered(results)
    absent: set[object] = set()
    for result in report.results:
        if result.shape != DANGLING or result.value not in absent:  # what is not there yet is told once
            yield _told(source, result)
        absent |= {result.value} if result.shape == DANGLING else set()
    if report.left_out:
        yield Problem(WORLD, f"and {report.left_out:,} faults more", path)


def _head(
    subject: Subject, source: Source, path: Path, identifier: str, base: str, packs: tuple[str, ...]
) -> Iterator[Problem]:
    if identifier != path.stem:
        message = f"the M-Instance is called `{identifier}`, and its file {path.name}"
        yield source.problem(WORLD_HEAD, message, base, hint="they must be the same")
    uses, names = DAC + "usesPack", set(subject.edition.names())
    if subject.pack not in (*packs, "core"):
        yield source.problem(WORLD_HEAD, f'it does not say `dac:usesPack "{subject.pack}"`', uses, within=base)
    for name in (name for name in packs if name not in names):
        yield source.problem(WORLD_HEAD, f"it uses a pack `{name}`, and there is none", uses, within=base)


def _domain(subject: Subject, packs: tuple[str, ...]) -> Domain:
    if set(packs) <= {subject.pack, *subject.required}:
        return subject.loaded()
    try:
        return load(subject.edition, packs)
    except PackError as error:
        raise NotDoneError(f"its packs cannot be loaded: {error.faults[0].message}") from error


def _told(source: Source, result: Result) -> Problem:
    """A result of validation, where the node is described."""
    check = WORLD_DOUBT if result.is_warning else WORLD
    shape = f" [{said(result.shape)}]" if ":" in result.shape else f" [{result.shape}]"
    path = f" {said(result.path)}" if ":" in result.path else ""
    message = f"{_node(result.focus)}{path}: {result.message}{shape}"
    path = result.path if ":" in result.path else result.focus
    value = result.value if isinstance(result.value, str) else ""
    return source.problem(check, message, value or path, within=result.focus, hint=result.hint)


def _node(focus: str) -> str:
    return "a blank node" if focus.startswith("_:") else said(focus)
