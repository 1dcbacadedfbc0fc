"""An explanation as Turtle in PROV-O, by Accept: it says what the JSON says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from rdflib import PROV, RDF, RDFS, Graph, Literal, Namespace, URIRef
from rdflib.compare import isomorphic

from app import vocab
from app.authoring.plans import NOON
from app.model import LOCAL
from app.serve_http.accepted import prefers
from tests.rig import Rig, request
from tests.test_statuses import RUNS, at, domain
from tests.town import open_world

MMM, DAC = Namespace(vocab.MMM), Namespace(vocab.DAC)
STATEMENTS = [text for _, run in RUNS if not run.plan.context for _, text in run.plan.steps]


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with open_world(tmp_path_factory.mktemp("town")) as opened:
        yield opened


@pytest.fixture(scope="module")
def explained(rig: Rig) -> tuple[dict[str, Any], Graph]:
    """A plan of every statement of the golden files, its explanation in both forms."""
    asked = request(*STATEMENTS, MInstance="Town", UEnvironment="Street", QueryTime=at(NOON))
    path = f"/v1/answers/{rig.ask(asked).json()['QueryID']}/explanation"
    told = rig.client.get(path, headers={"Accept": "application/json"})
    turtle = rig.client.get(path, headers={"Accept": "text/turtle"})
    assert told.headers["content-type"] == "application/json"
    assert turtle.headers["content-type"].startswith("text/turtle")
    assert turtle.headers["vary"] == told.headers["vary"] == "Accept"
    explanation: dict[str, Any] = told.json()
    return explanation, Graph().parse(data=turtle.text, format="turtle")


def texts(graph: Graph, subject: Any, predicate: URIRef) -> list[str]:
    return sorted(str(found) for found in graph.objects(subject, predicate))


def test_each_verdict_is_there_with_status_reason_and_time(explained: tuple[dict[str, Any], Graph]) -> None:
    explanation, graph = explained
    assert len(explanation["steps"]) == len(STATEMENTS) > 200
    for step in explanation["steps"]:
        (verdict,) = (v for v in graph.subjects(RDF.type, DAC.Verdict) if str(v).endswith(f"#step-{step['step']}"))
        assert graph.value(verdict, MMM.paStatus) == MMM[step["pa_status"]]
        assert texts(graph, verdict, PROV.value) == [step["reason"]]
        assert texts(graph, verdict, DAC.statement) == [step["statement"]]
        assert texts(graph, verdict, DAC.notApplicable) == sorted(step["not_applicable"])
        assert graph.value(verdict, DAC.evaluatedAt) == Literal(step["evaluated_at"], datatype=vocab.XSD + "dateTime")
        assert graph.value(verdict, DAC.repairsComplete).toPython() is step["repairs_complete"]  # type: ignore[union-attr]
        assert len(list(graph.objects(verdict, DAC.refusedBy))) == len(step["findings"])
        assert len(list(graph.objects(verdict, DAC.permittedBy))) == len(step["permits"])
        assert len(list(graph.objects(verdict, DAC.adds))) == len({json.dumps(f) for f in step["effects"]["added"]})
        repairs = sorted(repair["text"] for repair in step["repairs"])
        shown = [
            text for repair in graph.objects(verdict, DAC.repairedBy) for text in texts(graph, repair, RDFS.label)
        ]
        assert sorted(shown) == repairs


def test_each_finding_derives_from_its_rule_and_its_facts(explained: tuple[dict[str, Any], Graph]) -> None:
    """Facts used, with their layers; facts missing; bindings, with what kind of thing each is."""
    explanation, graph = explained
    used = missing = bound = 0
    for step in explanation["steps"]:
        for kind in ("findings", "permits"):
            for i, finding in enumerate(step[kind]):
                (node,) = (
                    n for n in graph.subjects(RDF.type, DAC.Finding) if str(n).endswith(f"#{kind}-{step['step']}-{i}")
                )
                derived = set(graph.objects(node, PROV.wasDerivedFrom))
                facts = {each for each in derived if (each, RDF.type, RDF.Statement) in graph}
                (rule,) = derived - facts
                assert texts(graph, rule, DAC.ruleID) == [finding["rule"]]
                assert len(facts) == len({json.dumps(each["fact"]) for each in finding["facts_used"]})
                layers = {
                    str(label)
                    for f in facts
                    for a in graph.objects(f, PROV.wasAttributedTo)
                    for label in graph.objects(a, RDFS.label)
                }
                assert layers >= {each["layer"] for each in finding["facts_used"]}
                assert texts(graph, node, DAC.lacks) == sorted(set(finding["facts_missing"]))
                variables = {
                    str(graph.value(b, DAC.variable)): graph.value(b, RDF.value)
                    for b in graph.objects(node, DAC.binding)
                }
                assert variables.keys() == finding["bindings"].keys()
                for name, value in variables.items():
                    assert isinstance(value, Literal) == (name in finding["literals"]), (name, value)
                    if isinstance(value, Literal):
                        assert (
                            Literal(finding["bindings"][name], datatype=value.datatype, lang=value.language) == value
                        )
                used, missing, bound = (
                    used + len(facts),
                    missing + len(finding["facts_missing"]),
                    bound + len(variables),
                )
    assert min(used, missing, bound) > 200


def test_every_statement_is_whole_and_every_term_declared(explained: tuple[dict[str, Any], Graph]) -> None:
    """Subject, predicate and object of each fact; no term of ours that core does not declare."""
    _, graph = explained
    for fact in graph.subjects(RDF.type, RDF.Statement):
        parts = [list(graph.objects(fact, part)) for part in (RDF.subject, RDF.predicate, RDF.object)]
        assert [len(part) for part in parts] == [1, 1, 1]
        assert isinstance(parts[1][0], URIRef)
    ours = {str(t) for triple in graph for t in triple[1:] if str(t).startswith((vocab.DAC, vocab.MMM))}
    assert ours - set(domain().vocabulary) == set()


def test_the_service_gives_the_same(rig: Rig) -> None:
    asked = request(STATEMENTS[0], MInstance="Town", UEnvironment="Street")
    query_id = json.loads(rig.service.answer(json.dumps(asked).encode(), LOCAL))["QueryID"]
    direct = rig.service.explanation(query_id, LOCAL, turtle=True).decode()
    served = rig.client.get(f"/v1/answers/{query_id}/explanation", headers={"Accept": "text/turtle"}).text
    assert isomorphic(Graph().parse(data=direct, format="turtle"), Graph().parse(data=served, format="turtle"))


@pytest.mark.parametrize(
    "accept, turtle",
    [
        ("", False),
        ("*/*", False),
        ("application/json", False),
        ("text/turtle", True),
        ("text/*", True),
        ("text/turtle;q=0.5, application/json", False),
        ("text/turtle, application/json;q=0.5", True),
        ("text/turtle;q=0, */*", False),
        ("TEXT/Turtle", True),
        ("text/html, */*;q=0.1", False),
        ("text/turtle;q=x", False),
        ("application/*;q=0.2, text/turtle;q=0.3", True),
    ],
)
def test_accept(accept: str, turtle: bool) -> None:
    """The more specific range weighs a type; those who do not say get JSON."""
    assert prefers(accept, "text/turtle", "application/json") is turtle
