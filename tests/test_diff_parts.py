"""Parts of `domain-access diff`: statements by content, what OLD and NEW may be, Kinds asked directly, its output."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path

import pyoxigraph as ox
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from app.authoring.answering import answering
from app.authoring.answers import read_cases
from app.authoring.diff import compare, side
from app.authoring.diff.answer import of_response
from app.authoring.diff.difference import Act, Change, Difference, Flip, FlipKind, Part
from app.authoring.diff.kinds_asked import ask
from app.authoring.diff.said import Sayer
from app.authoring.diff.statements import statements
from app.authoring.diff.written import as_json, as_markdown
from app.cli import main
from app.errors import PackError
from tests.diff_changes import WORKSHOP, edition_in
from tests.packs import EDITION, ROOT

NODES = [ox.BlankNode(f"n{n}") for n in range(5)] + [ox.NamedNode(f"urn:{n}") for n in range(3)]
TRIPLES = st.lists(
    st.builds(
        lambda s, p, o: ox.Triple(s, ox.NamedNode(f"urn:p{p}"), o),
        st.sampled_from(NODES),
        st.integers(0, 1),
        st.sampled_from([*NODES, ox.Literal("text")]),
    ),
    max_size=12,
)


@given(TRIPLES, st.randoms())
@settings(max_examples=150, deadline=None)
def test_statements_are_the_same_whatever_blank_nodes_are_called(
    triples: list[ox.Triple], chance: random.Random
) -> None:
    """Other labels and another order give the same keys; so says the canonical form of the whole, too."""
    labels = {node: ox.BlankNode() for node in NODES if isinstance(node, ox.BlankNode)}

    def other(node: object) -> object:
        return labels.get(node, node) if isinstance(node, ox.BlankNode) else node

    renamed = [ox.Triple(other(t.subject), t.predicate, other(t.object)) for t in triples]  # type: ignore[arg-type]
    chance.shuffle(renamed)
    assert statements(triples).keys() == statements(renamed).keys()


@given(TRIPLES, TRIPLES)
@settings(max_examples=150, deadline=None)
def test_equal_keys_mean_equal_content(one: list[ox.Triple], other: list[ox.Triple]) -> None:
    """Differential: the same connected content, and only that, as RDFC-1.0 has it for each statement."""

    def canonical(triples: list[ox.Triple]) -> set[str]:
        found = set()
        for statement in statements(triples).values():
            for group in _first_of(statement.triples):
                dataset = ox.Dataset(ox.Quad(t.subject, t.predicate, t.object) for t in group)
                dataset.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
                found.add("\n".join(sorted(map(str, dataset))))
        return found

    same = statements(one).keys() == statements(other).keys()
    assert same == (canonical(one) == canonical(other))


def _first_of(triples: tuple[ox.Triple, ...]) -> list[list[ox.Triple]]:
    """The connected parts of a statement, each of which says all of it."""
    parts: list[tuple[set[ox.BlankNode], list[ox.Triple]]] = []
    for triple in triples:
        nodes = {n for n in (triple.subject, triple.object) if isinstance(n, ox.BlankNode)}
        joined = [part for part in parts if part[0] & nodes]
        parts = [part for part in parts if not part[0] & nodes]
        parts.append((nodes.union(*(p[0] for p in joined)), [t for p in joined for t in p[1]] + [triple]))
    return [part[1] for part in parts]


def test_a_large_tangle_is_told_in_time() -> None:
    """Blank nodes that nothing tells apart, 60 of them in a circle and 12 all joined: no canonical form is sought."""
    circle = [ox.BlankNode() for _ in range(60)]
    step = ox.NamedNode("urn:next")
    ring = [ox.Triple(node, step, circle[(at + 1) % 60]) for at, node in enumerate(circle)]
    clique = [ox.Triple(one, step, other) for one in circle[:12] for other in circle[:12] if one != other]
    assert len(statements(ring)) == len(statements(clique)) == 1


AXIOMS = {
    "<urn:A> rdfs:subClassOf [ a owl:Restriction ; owl:onProperty <urn:p> ; owl:someValuesFrom <urn:B> ] .": (
        "<urn:A> SubClassOf: (<urn:p> some <urn:B>)"
    ),
    "<urn:A> rdfs:subClassOf [ owl:onProperty <urn:p> ; owl:maxQualifiedCardinality 2 ; owl:onClass <urn:B> ] .": (
        "<urn:A> SubClassOf: (<urn:p> max 2 <urn:B>)"
    ),
    "<urn:A> owl:equivalentClass [ owl:intersectionOf ( <urn:B> [ owl:complementOf <urn:C> ] ) ] .": (
        "<urn:A> EquivalentTo: (<urn:B> and (not <urn:C>))"
    ),
    "<urn:A> owl:equivalentClass [ owl:oneOf ( <urn:x> <urn:y> ) ] .": "<urn:A> EquivalentTo: {<urn:x>, <urn:y>}",
    "<urn:p> owl:propertyChainAxiom ( <urn:q> [ owl:inverseOf <urn:r> ] ) .": (
        "<urn:p> SubPropertyChain: <urn:q> o (inverse <urn:r>)"
    ),
    "<urn:A> owl:hasKey ( <urn:p> <urn:q> ) .": "<urn:A> HasKey: <urn:p>, <urn:q>",
    "[ a owl:AllDisjointClasses ; owl:members ( <urn:A> <urn:B> <urn:C> ) ] .": (
        "DisjointClasses: <urn:A>, <urn:B>, <urn:C>"
    ),
    "<urn:p> a owl:FunctionalProperty .": "<urn:p>: FunctionalProperty",
    "[ a owl:NegativePropertyAssertion ; owl:sourceIndividual <urn:a> ; owl:assertionProperty <urn:p> ; "
    "owl:targetIndividual <urn:b> ] .": "not: <urn:a> <urn:p> <urn:b>",
    "<urn:p> rdfs:range [ owl:onDatatype xsd:integer ; owl:withRestrictions ( [ xsd:minInclusive 1 ] ) ] .": (
        "<urn:p> Range: xsd:integer[>= 1]"
    ),
}


@pytest.mark.parametrize("turtle, said", AXIOMS.items())
def test_axioms_are_said_in_the_manchester_syntax(turtle: str, said: str) -> None:
    prefixes = "".join(
        f"@prefix {name}: <{iri}> .\n"
        for name, iri in (
            ("owl", "http://www.w3.org/2002/07/owl#"),
            ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
            ("xsd", "http://www.w3.org/2001/XMLSchema#"),
        )
    )
    quads = ox.parse(prefixes + turtle, format=ox.RdfFormat.TURTLE)
    (statement,) = statements(quad.triple for quad in quads).values()
    assert Sayer({}).statement(statement) == said


def test_kinds_are_answered_as_the_service_answers() -> None:
    """Differential: asked directly or of the service, in dialogues of several turns, too."""
    cases = read_cases(ROOT / "ontologies/virtual_lecture/answers/lecture.toml")
    chosen = [*[case for case in cases if case.before][:4], *cases[::6]]
    assert {case.kind for case in chosen} >= {"semantic_grounding", "affordances"}
    edition = EDITION.with_placed("virtual_lecture", ROOT / "ontologies/virtual_lecture")
    with answering(edition) as state:
        for case in chosen:
            directly = of_response(case.kind, ask(case, state.world(case.m_instance)))
            assert directly == of_response(case.kind, state.ask(case)[0]), case.name


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A git repository with two states of the pack: in HEAD~1, and another wording of its rule in HEAD."""
    top = tmp_path / "repository"
    shutil.copytree(WORKSHOP, top / "ontologies/workshop")

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *arguments], cwd=top, check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    rule = top / "ontologies/workshop/rules/pa_status/blade_in_nursery.toml"
    rule.write_text(rule.read_text("utf-8").replace("is a blade", "cuts"), encoding="utf-8")
    git("commit", "-qam", "two")
    git("tag", "v2")
    return top


def test_old_and_new_are_folders_or_revisions(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkout, a folder of packs, a pack, a revision and a folder within one are all states of the pack."""
    monkeypatch.chdir(repository)
    old = ["HEAD~1", "v2~1", "HEAD~1:ontologies", "HEAD~1:ontologies/workshop"]
    new = [".", "ontologies", "ontologies/workshop", "HEAD", "v2"]
    for one, other in [*((each, ".") for each in old), *(("HEAD~1", each) for each in new)]:
        with side(one, EDITION) as before, side(other, EDITION) as after:
            assert before.packs == after.packs == ("workshop",), (one, other)
            found = compare(before.edition, after.edition, before.packs, answers=False)
            assert [change.title for change in found.changes] == ["rule changed: blade_in_nursery: explain"]
    assert not (repository / "pack.toml").exists()


@pytest.mark.parametrize(
    "named",
    ["", "-h", "--output=x", "HEAD~9", "no such", "HEAD:nowhere", "HEAD;ls", "a\nb", "README", "^HEAD", "..", "\0"],
)
def test_what_is_no_state_is_refused(named: str, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names that are neither folder nor revision, hostile ones among them, are told as such; nothing is made."""
    monkeypatch.chdir(repository)
    (repository / "README").write_text("no folder", encoding="utf-8")
    before = sorted(repository.rglob("*"))
    with pytest.raises(PackError) as caught, side(named, EDITION):
        pass
    assert "expected: a checkout" in caught.value.faults[0].hint
    assert sorted(repository.rglob("*")) == before


def test_a_release_of_core_holds_its_rules(tmp_path: Path) -> None:
    """A pack folder of core with rules/ stands alone; without them it is refused, unless it lies in a checkout."""
    edition = edition_in(tmp_path, with_core=True)
    with side(str(edition.folder("core")), EDITION) as found:
        assert found.edition.rules_of("core") == edition.folder("core") / "rules"
    with side(str(ROOT / "ontologies/core"), EDITION) as found:
        assert found.edition.rules_of("core") == ROOT / "rules"
    shutil.rmtree(edition.folder("core") / "rules")
    with pytest.raises(PackError, match="core's rules are not there"), side(str(edition.folder("core")), EDITION):
        pass


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["diff", *arguments])
    return result.exit_code, result.output


def test_exit_codes_and_formats(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """0 where no answer differs, 1 where one does, 2 and 3 for what is wrong; the same bytes each time."""
    monkeypatch.chdir(repository)
    asked = ("HEAD~1", "HEAD", "--probes", "20")
    code, text = run(*asked)
    assert code == 1
    assert "wording: 2" in text
    assert "responsible: rule changed: blade_in_nursery: explain" in text
    code, told = run(*asked, "--format", "json")
    assert run(*asked, "--format", "json") == (1, told)
    flips = json.loads(told)["flips"]
    assert {flip["kind"] for flip in flips} == {"wording"}
    assert all(flip["responsible"] == [0] for flip in flips)
    code, told = run("HEAD~1", "HEAD", "--only", "axioms", "--format", "markdown")
    assert code == 0
    assert "<summary>What workshop states: 1 change</summary>" in told
    assert run("HEAD~1", "HEAD", "--only", "axioms", "--fail-on", "any")[0] == 1
    assert run("HEAD", ".")[0] == run("HEAD", ".", "--fail-on", "any")[0] == 0
    assert run("HEAD")[0] == 2
    assert run("HEAD", "nowhere")[0] == run("HEAD", ".", "workshpo")[0] == 3


def test_markdown_holds_nothing_of_what_it_quotes() -> None:
    """Labels that would close a folded part, make a table row or a heading are shown as they are written."""
    nasty = "</details> | <b>x</b> `y` [z](http://evil.example) *a*\n# Heading"
    change = Change("core", Part.LABEL, Act.CHANGED, "urn:x", nasty, (nasty,), ("b",))
    flip = Flip(FlipKind.WORDING, nasty, "MI1", nasty, nasty, nasty, nasty, nasty, responsible=(0,), how="h")
    told = as_markdown(Difference("a|b", "c", ("core",), (change,), (), (flip,)))
    assert told.count("</details>") == told.count("<details>") == 2
    assert "<b>" not in told
    assert "\n# Heading" not in told
    assert "](http" not in told.replace("\\]", "")
    assert json.loads(as_json(Difference("a", "b", ("core",), (change,), (), (flip,))))["flips"][0]["old"] == nasty


def test_markdown_fits_a_pull_request() -> None:
    """However much flips: a comment takes 65,536 characters, and what is left out is said."""
    flips = tuple(Flip(FlipKind(kind), f"s{n}", "W", "q" * 500, f"{n}", "b") for kind in FlipKind for n in range(500))
    told = as_markdown(Difference("a", "b", ("core",), (), (), flips))
    assert len(told) < 65_536
    assert "left out, for the length" in told
