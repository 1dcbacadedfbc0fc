"""What a world must be: each check and each shape with a case that fires and a near miss (DESIGN 4, SEMANTICS 1)."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pyshacl
import pytest
from rdflib import RDF, SH, Graph, URIRef

from app.errors import Code, DomainAccessError
from app.knowledge import local_name
from app.model import Text
from app.rules import Domain, load
from app.vocab import PREFIXES
from app.world import validate
from app.world.blank import skolemized
from app.world.described import described_in
from app.world.making import same_m_instance
from app.world.report import CHECKS, SHOWN, Report, Result, gathered
from app.world.store import Change, Store
from app.world.terms import in_graph
from app.world.validate import Validator
from app.world.view import View
from app.world.world import World
from tests.packs import EDITION
from tests.stores import BASE, DATA

ROOT = Path(__file__).parents[1]
CASES: list[dict[str, Any]] = tomllib.loads((DATA / "validations.toml").read_text(encoding="utf-8"))["change"]
OF_THE_WHOLE = {"world_refused", "wrong_graph"}
CHECKS_OF_OURS = {
    *("unknown_class", "unknown_property", "untyped", "one_identifier", "identifier", "duplicate_identifier"),
    *("unknown_term", "dangling_reference", "within_itself", "too_deep", "contradiction"),
}


@cache
def domain() -> Domain:
    return load(EDITION, [])


@cache
def validator() -> Validator:
    return Validator(domain(), BASE)


def facts(text: str) -> set[ox.Triple]:
    prefixes = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in PREFIXES.items())
    return {quad.triple for quad in ox.parse((prefixes + text).encode(), ox.RdfFormat.TURTLE, base_iri=BASE)}


@pytest.fixture
def store() -> Store:
    """The world of base.ttl, in memory."""
    store = Store.in_memory(BASE)
    text = (DATA / "base.ttl").read_text(encoding="utf-8")
    store.opened.extend(in_graph(triple, store.graph) for triple in skolemized(facts(text), BASE))
    return store


def change_of(case: dict[str, Any]) -> Change:
    removed, added = (facts(case.get(name, "")) for name in ("removed", "added"))
    return Change(frozenset(removed), frozenset(skolemized(added, BASE)))


def names() -> Callable[[str], str]:
    return World.of([(BASE, PREFIXES["rdf"] + "type", PREFIXES["mmm"] + "MInstance")], domain()).names.name


def found_by(case: dict[str, Any], store: Store) -> Report:
    return validator().of_change(store, change_of(case))


def test_the_base_world_conforms(store: Store) -> None:
    report = gathered(result for _, found in validator().of_store(store) for result in found)
    assert report == Report()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"].replace(" ", "_"))
def test_a_change_is_refused_or_made(case: dict[str, Any], store: Store) -> None:
    refused, warned = case.get("refused"), case.get("warned")
    if refused in OF_THE_WHOLE:
        with pytest.raises(DomainAccessError):
            same_m_instance(described_in(View(store, change_of(case)), BASE), "W", BASE)
        return
    report = found_by(case, store)
    assert report.conforms == (refused is None), report.text(names())
    shapes = {local_name(result.shape) for result in report.results}
    if not refused and not warned:
        assert shapes == set()
        return
    assert (refused or warned) in shapes
    result = next(r for r in report.results if local_name(r.shape) == (refused or warned))
    assert result.is_warning == (warned is not None)
    assert local_name(result.path) == case.get("path", "")
    assert local_name(result.focus) == case.get("focus", local_name(result.focus))
    assert case.get("hint", "") in result.hint


@pytest.mark.parametrize(
    "case",
    [c for c in CASES if c.get("refused") not in OF_THE_WHOLE],
    ids=lambda case: case["name"].replace(" ", "_"),
)
def test_what_a_change_gets_the_whole_world_gets(case: dict[str, Any], store: Store) -> None:
    """A change that is made leaves a world that conforms, one that is refused would not have: no way round."""
    change = change_of(case)
    report = validator().of_change(store, change)
    for triple in change.removed:
        store.opened.remove(in_graph(triple, store.graph))
    store.opened.extend(in_graph(triple, store.graph) for triple in change.added)
    whole = gathered(result for _, found in validator().of_store(store) for result in found)
    left_dangling = case.get("refused") == "dangling_reference"  # of a world as it is, a warning
    assert whole.conforms == report.conforms or left_dangling, whole.text(names())


def test_every_shape_and_check_has_a_case_that_fires() -> None:
    fired = {case.get("refused") or case.get("warned") for case in CASES} - {None}
    shapes = {local_name(str(s)) for s in core_shapes().subjects(RDF.type, SH.PropertyShape)}
    assert fired == shapes | CHECKS_OF_OURS | OF_THE_WHOLE
    assert len(shapes) == 15
    assert sum("refused" not in case and "warned" not in case for case in CASES) >= 25


@cache
def core_shapes() -> Graph:
    return Graph().parse(ROOT / "ontologies" / "core" / "shapes.ttl")


def test_the_shapes_are_shapes() -> None:
    """They conform to the shapes that SHACL gives for itself."""
    conforms, _, said = pyshacl.validate(Graph(), shacl_graph=core_shapes(), meta_shacl=True)
    assert conforms, said


def named(case: str) -> dict[str, Any]:
    return next(each for each in CASES if each["name"] == case)


@pytest.mark.parametrize(
    "case", [c for c in CASES if "premises" in c], ids=lambda case: case["name"].replace(" ", "_")
)
def test_a_contradiction_names_what_it_rests_on(case: dict[str, Any], store: Store) -> None:
    found = [
        r.message.split(": ", 1)[1].split("; ") for r in found_by(case, store).results if r.shape == "contradiction"
    ]

    def is_said(premise: str, parts: list[str]) -> bool:
        subject, predicate, value = premise.split()
        return any(p.startswith(f"{BASE}{subject} ") and f"#{predicate} " in p and p.endswith(value) for p in parts)

    assert any(all(is_said(premise, parts) for premise in case["premises"]) for parts in found), found


# The report


def reports(store: Store) -> Iterator[Report]:
    for case in CASES:
        if case.get("refused", "") not in OF_THE_WHOLE:
            yield found_by(case, store)


def test_the_text_names_focus_path_and_shape(store: Store) -> None:
    said = names()
    report = found_by(named("a second owner"), store)
    assert report.text(said).startswith("violation: Ball owner: what is owned has one owner")
    for report in reports(store):
        lines = report.text(said).splitlines()
        assert len(lines) == len(report.results)
        for line, result in zip(lines, report.results, strict=True):
            assert line.startswith("warning: " if result.is_warning else "violation: ")
            assert (said(result.focus) if not result.way else f"<{result.way[-1]}>") in line
            assert said(result.path) in line
            assert f"[{said(result.shape) if ':' in result.shape else result.shape}]" in line


VOCABULARY = """
@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<urn:r> a sh:NodeShape ; sh:targetClass sh:ValidationReport ;
    sh:property [ sh:path sh:conforms ; sh:datatype xsd:boolean ; sh:minCount 1 ; sh:maxCount 1 ] ,
        [ sh:path sh:result ; sh:class sh:ValidationResult ] .
<urn:v> a sh:NodeShape ; sh:targetClass sh:ValidationResult ;
    sh:property [ sh:path sh:focusNode ; sh:minCount 1 ; sh:maxCount 1 ; sh:nodeKind sh:BlankNodeOrIRI ] ,
        [ sh:path sh:resultPath ; sh:maxCount 1 ; sh:nodeKind sh:BlankNodeOrIRI ] ,
        [ sh:path sh:value ; sh:maxCount 1 ] ,
        [ sh:path sh:sourceShape ; sh:maxCount 1 ; sh:nodeKind sh:BlankNodeOrIRI ] ,
        [ sh:path sh:sourceConstraintComponent ; sh:minCount 1 ; sh:maxCount 1 ; sh:nodeKind sh:IRI ] ,
        [ sh:path sh:resultSeverity ; sh:minCount 1 ; sh:maxCount 1 ; sh:in ( sh:Violation sh:Warning sh:Info ) ] ,
        [ sh:path sh:resultMessage ; sh:or ( [ sh:datatype xsd:string ] [ sh:languageIn ( "en" ) ] ) ] .
"""


def test_the_report_is_one_of_shacl(store: Store) -> None:
    """Each result has the members that SHACL (3.6) requires, as often as it allows."""
    found = 0
    for report in reports(store):
        graph = Graph().parse(data=report.turtle(), format="turtle")
        conforms, _, said = pyshacl.validate(graph, shacl_graph=Graph().parse(data=VOCABULARY, format="turtle"))
        assert conforms, said
        results = set(graph.subjects(RDF.type, SH.ValidationResult))
        assert len(results) == len(report.results)
        (top,) = graph.subjects(RDF.type, SH.ValidationReport)
        assert bool(graph.value(top, SH.conforms)) == report.conforms
        assert set(graph.objects(top, SH.result)) == results
        found += len(results)
    assert found > 35


@pytest.mark.parametrize(
    "value",
    ["http://a b", "urn:", "_:", '"}', "https://w.example/x y\n", "tag:x,2026:y", "a\\"],
)
def test_whatever_a_value_says_the_report_can_be_read(value: str) -> None:
    text = Report((Result(f"{BASE}x", f"{BASE}p", Text(value), "identifier", f"is {value}"),)).turtle()
    graph = Graph().parse(data=text, format="turtle")
    (said,) = graph.objects(predicate=SH.value)
    assert str(said) == value
    assert not isinstance(said, URIRef)


def test_a_focus_with_an_iri_of_any_scheme_is_an_iri() -> None:
    text = Report(
        (Result("tag:x,2026:y", "", None, "untyped", "m"), Result("_:b1", "", None, "untyped", "m"))
    ).turtle()
    focused = set(Graph().parse(data=text, format="turtle").objects(predicate=SH.focusNode))
    assert URIRef("tag:x,2026:y") in focused
    assert len(focused) == 2


WAYS = {
    "one step": (
        "<R> a mmm:Rights ; mmm:processAction [ a mmm:ProcessAction ; mmm:complementNil <Gone> ] .",
        "R concerns Process Action <",
    ),
    "two steps": (
        "<P> mmm:asksFor [ mmm:processAction [ a mmm:ProcessAction ; mmm:complementNil <Gone> ] ] .",
        "P asks for concerns Process Action <",
    ),
    "from nowhere": ("[] a mmm:ProcessAction ; mmm:complementNil <Gone> .", "<"),
    "in a circle": (
        "_:a mmm:within _:b . _:b mmm:within _:a ; a mmm:ProcessAction ; mmm:complementNil <Gone> .",
        "within within",
    ),
}


@pytest.mark.parametrize("added, way", WAYS.values(), ids=WAYS)
def test_a_node_without_identifier_is_told_by_the_way_to_it(added: str, way: str, store: Store) -> None:
    """A reader finds it, and the IRI names it in an update."""
    report = found_by({"added": added}, store)
    node = next(result for result in report.results if result.shape == "dangling_reference")
    told = next(line for line in report.text(names()).splitlines() if "Nil complement" in line)
    assert told.partition(": ")[2].startswith(way)
    assert f"<{BASE}.well-known/genid/{node.focus[2:]}> Nil complement: it refers to <{BASE}Gone>" in told


def test_a_report_is_cut_and_says_by_how_much() -> None:
    results = [Result(f"{BASE}{i}", "", None, "untyped", "m") for i in range(SHOWN + 5)]
    report = gathered(results)
    assert (len(report.results), report.left_out, report.conforms) == (SHOWN, 5, False)
    assert report.text(str).endswith("and 5 results more")
    error = report.error(str)
    assert error.faults[-1].message == "and 5 results more"
    assert {fault.code for fault in error.faults} == {Code.WORLD_REFUSED}


def test_what_only_warns_conforms_even_if_it_is_cut() -> None:
    results = [Result(f"{BASE}{i}", "", None, "dangling_reference", "m", is_warning=True) for i in range(SHOWN + 5)]
    assert gathered(results).conforms


def nested(number: int, outermost: str = "") -> str:
    """Places each within the next; without an outermost one, the last within the first."""
    said = ""
    for i in range(number):
        around = f"n{i + 1}" if i < number - 1 else outermost or "n0"
        said += f'<n{i}> a mmm:MLocation ; mmm:identifier "n{i}" ; mmm:within <{around}> . '
    return said


@pytest.mark.parametrize("number", [2, 16, 17, 18, 300])
def test_a_ring_of_any_size_is_refused(number: int, store: Store) -> None:
    """However it is closed, and each place of it is told."""
    whole = found_by({"added": nested(number)}, store)
    assert [r.shape for r in whole.results] == ["within_itself"] * min(number, SHOWN)
    assert {r.shape for r in whole.results} == {"within_itself"}
    store.opened.extend(in_graph(triple, store.graph) for triple in facts(nested(number, "Hall")))
    closing = {"added": f"<n{number - 1}> mmm:within <n0> .", "removed": f"<n{number - 1}> mmm:within <Hall> ."}
    (told,) = found_by(closing, store).results
    assert (told.shape, told.focus, told.value) == ("within_itself", f"{BASE}n{number - 1}", f"{BASE}n0")


def test_each_place_is_walked_from_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many lie within it, and however deep: walks from each by itself would go millions of steps."""
    layers = [[f"l{layer}_{i}" for i in range(40)] for layer in range(15)] + [[]]
    said = "".join(
        f'<{name}> a mmm:MLocation ; mmm:identifier "{name}" . '
        + "".join(f"<{name}> mmm:within <{around}> . " for around in layers[layer + 1])
        for layer, names in enumerate(layers)
        for name in names
    )
    walked: list[ox.NamedNode] = []
    objects = View.objects

    def counted(view: View, node: ox.NamedNode, predicates: Sequence[ox.NamedNode]) -> Iterator[ox.NamedNode]:
        walked.append(node)
        return objects(view, node, predicates)

    monkeypatch.setattr(View, "objects", counted)
    assert found_by({"added": said + nested(5_000, "Hall")}, store).conforms
    assert len(walked) == len(set(walked)) == 14 * 40 + 5_000  # those in which another lies


@pytest.mark.parametrize("first", ["inside", "upon", "below"])
@pytest.mark.parametrize("then", ["inside", "upon", "below"])
def test_a_ring_by_properties_of_one_hierarchy_is_refused(first: str, then: str) -> None:
    alike = load(EDITION.with_placed("alike", DATA / "alike"), ["alike"])
    prefix, store = "https://w3id.org/domain-access/alike#", Store.in_memory(BASE)
    said = f"<a> <{prefix}{first}> <b> . <b> <{prefix}{then}> <a> ."
    report = Validator(alike, BASE).of_change(store, Change(frozenset(), frozenset(facts(said))))
    assert {r.focus for r in report.results if r.shape == "within_itself"} == {f"{BASE}a", f"{BASE}b"}


def test_who_points_at_a_node_that_gets_a_class_is_looked_at_again(store: Store) -> None:
    """What it points at was not there yet, and is now of a class that it must not be."""
    pointing = facts('<n> a mmm:MarketClass ; mmm:identifier "n" ; mmm:acceptsMarketClass <b> .')
    store.opened.extend(in_graph(triple, store.graph) for triple in pointing)
    change = {"added": '<b> a dac:CommitmentStatus ; mmm:identifier "b" .'}
    for _ in range(2):  # nor is it forgotten when it is said again
        found = [(r.shape, r.focus) for r in found_by(change, store).results if not r.is_warning]
        assert found == [("contradiction", f"{BASE}n")]


def test_what_a_node_contradicts_by_itself_is_told_once_and_of_it(store: Store) -> None:
    """Not again of each that points at it, who is looked at since its class has changed."""
    results = found_by({"added": "<Hall> a mmm:User ."}, store).results
    clashes = [r for r in results if r.shape == "contradiction"]
    assert {r.focus for r in clashes} == {f"{BASE}Hall"}
    assert len(clashes) == len({r.message for r in clashes})
    assert not any("rdf-syntax-ns#first" in r.message for r in clashes)


def test_a_node_that_many_refer_to_gets_a_class(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole world is validated then; a class that is taken away needs who refers to it to be changed first."""
    monkeypatch.setattr(validate, "REFERRERS", 1)
    gains, loses = change_of({"added": "<Ann> a mmm:Process ."}), change_of({"removed": "<Ann> a mmm:User ."})
    assert validator().concerns_all(store, gains)
    assert not validator().concerns_all(store, loses)


def test_more_referrers_than_are_looked_at_refuse(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """What loses its class is looked at from all sides, or not at all."""
    monkeypatch.setattr(validate, "REFERRERS", 2)
    case = {"removed": "<Ann> a mmm:User .", "added": "<Ann> a mmm:Service ."}
    assert {r.shape for r in found_by(case, store).results} == {"referred_to"}
    monkeypatch.setattr(validate, "REFERRERS", 3)
    assert found_by(case, store).conforms


def test_the_check_of_a_report_is_named_by_an_iri() -> None:
    text = Report((Result(f"{BASE}x", "", None, "untyped", "m"),)).turtle()
    graph = Graph().parse(data=text, format="turtle")
    assert set(graph.objects(predicate=SH.sourceShape)) == {URIRef(CHECKS + "untyped")}
