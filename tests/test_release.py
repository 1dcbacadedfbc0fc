"""`domain-access release`: one form for one graph, versions and changelogs, a folder that is never changed."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Graph
from rdflib.compare import isomorphic

from app.authoring.diff import compare
from app.authoring.diff.difference import Act, Change, Difference, Flip, FlipKind, Part
from app.authoring.new_pack import new_pack
from app.authoring.problems import Check, Problem, Report, Step
from app.authoring.release import NOT_TOLD, UNFIT, VERSION_TOO_LOW, Released, changelog_problems
from app.authoring.release.canonical import Graph as Form
from app.authoring.release.canonical import as_canonical, read_graph, with_version
from app.authoring.release.changelog import named, section
from app.authoring.release.closure import as_ntriples, inferred
from app.authoring.release.making import INFERRED, make, publish
from app.authoring.release.terms import gone_problems
from app.authoring.release.versions import Bump, after, asked_for
from app.cli import main
from app.cli.releasing import last_line
from app.edition import Edition
from app.errors import Code, PackError
from app.knowledge import load
from app.releases import Release, read_release
from app.vocab import OWL, RDF, XSD
from tests.packs import EDITION, PACKS, ROOT


class EX:
    """Terms of a bakery."""

    Bread, Oven, p, d = (
        ox.NamedNode(f"https://w3id.org/domain-access/bakery#{n}") for n in ("Bread", "Oven", "p", "d")
    )


# One form for one graph


@pytest.mark.parametrize("pack", [pack.name for pack in PACKS])
def test_a_pack_in_its_one_form_says_the_same(pack: str) -> None:
    """As rdflib reads both, and to the letter."""
    path = EDITION.folder(pack) / "ontology.ttl"
    form = as_canonical(read_graph(path), [pack])
    again = Graph().parse(data=form, format="turtle")
    assert isomorphic(Graph().parse(path, format="turtle"), again)
    assert len(again) > 5
    assert _literals(path.read_bytes()) == _literals(form)


def _literals(text: bytes) -> list[str]:
    quads = ox.parse(text, format=ox.RdfFormat.TURTLE, base_iri="https://w3id.org/domain-access/")
    return sorted(str(quad.object) for quad in quads if isinstance(quad.object, ox.Literal))


NODES = [EX.Bread, EX.Oven, ox.NamedNode(RDF + "nil")]
VALUES = [
    *(ox.Literal("a"), ox.Literal("a", language="it"), ox.Literal('"\\\n\t', datatype=EX.d), ox.NamedNode("urn:a:b")),
    *(ox.Literal(v, datatype=ox.NamedNode(XSD + kind)) for v, kind in [("01", "integer"), (".5", "decimal")]),
    *(ox.Literal(v, datatype=ox.NamedNode(XSD + kind)) for v, kind in [("1", "boolean"), ("x", "integer")]),
    ox.NamedNode("https://w3id.org/domain-access/bakery#a.b"),
]
PREDICATES = [EX.p, *(ox.NamedNode(RDF + name) for name in ("type", "first", "rest"))]


def graphs() -> st.SearchStrategy[frozenset[ox.Triple]]:
    """Graphs in which nodes without a name hang together in every way, lists and rings among them."""
    nodes = st.one_of(st.sampled_from(NODES), st.integers(0, 4).map(lambda number: ox.BlankNode(f"b{number}")))
    values = st.one_of(nodes, st.sampled_from(VALUES))
    return st.frozensets(st.builds(ox.Triple, nodes, st.sampled_from(PREDICATES), values), max_size=14)


@settings(max_examples=300, deadline=None)
@given(graphs(), st.randoms(use_true_random=False))
def test_the_form_knows_neither_order_nor_the_names_of_blank_nodes(
    triples: frozenset[ox.Triple], chance: random.Random
) -> None:
    """And it says the same, by the canonical form of the whole that Oxigraph makes."""
    other = list(range(5))
    chance.shuffle(other)
    called: dict[Any, Any] = {ox.BlankNode(f"b{n}"): ox.BlankNode(f"x{other[n]}") for n in range(5)}
    renamed = [
        ox.Triple(called.get(t.subject, t.subject), t.predicate, called.get(t.object, t.object)) for t in triples
    ]
    chance.shuffle(renamed)
    form = as_canonical(Form(triples, {}), ["bakery"])
    assert as_canonical(Form(frozenset(renamed), {}), ["bakery"]) == form
    assert canonical(ox.Quad(*t) for t in triples) == canonical(ox.parse(form, format=ox.RdfFormat.TURTLE))


def canonical(quads: Iterable[ox.Quad]) -> list[str]:
    dataset = ox.Dataset(quads)
    dataset.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
    return sorted(map(str, dataset))


def test_a_small_change_is_a_small_difference() -> None:
    """A fact more is a line more; so is a member of a list."""
    graph = read_graph(EDITION.folder("museum_tour") / "ontology.ttl")
    more = ox.Triple(EX.Bread, ox.NamedNode(OWL + "versionInfo"), ox.Literal("one more"))
    before, now = (lines(graph.triples), lines(graph.triples | {more}))
    assert [line for line in now if line not in before] == ["bakery:Bread", '    owl:versionInfo "one more" .']
    end = next(t for t in graph.triples if t.predicate.value == RDF + "rest" and t.object == NODES[-1])
    cell = ox.BlankNode("cell")
    longer = (graph.triples - {end}) | {
        ox.Triple(end.subject, end.predicate, cell),
        ox.Triple(cell, ox.NamedNode(RDF + "first"), EX.Bread),
        ox.Triple(cell, end.predicate, end.object),
    }
    assert [line for line in lines(longer) if line not in before] == ["        bakery:Bread"]


def lines(triples: frozenset[ox.Triple]) -> list[str]:
    return [
        x
        for x in as_canonical(Form(triples, {}), ["museum_tour", "bakery"]).decode().splitlines()
        if "PREFIX" not in x
    ]


def test_the_version_is_in_the_ontology() -> None:
    graph = with_version(read_graph(EDITION.folder("friends_meet") / "ontology.ttl"), "0.2.0", "0.1.0")
    text = as_canonical(graph, ["friends_meet"]).decode()
    assert 'owl:versionInfo "0.2.0"' in text
    assert "owl:versionIRI <https://w3id.org/domain-access/friends_meet/0.2.0>" in text
    assert "owl:priorVersion <https://w3id.org/domain-access/friends_meet/0.1.0>" in text
    with pytest.raises(PackError, match="about 0"):
        with_version(Form(frozenset(), {}), "0.1.0", None)


@pytest.mark.parametrize("pack", ["core", "museum_tour"])
def test_what_is_inferred_is_what_the_closure_has_more(pack: str) -> None:
    """Nothing stated, nothing that a pack which it requires has, nothing without a name; read back it is the same."""
    facts = inferred(EDITION, pack)
    whole, core = load(EDITION, [pack]), load(EDITION, [])
    known = set(whole.origin) | (set(core.closure.facts) if pack != "core" else set())
    expected = {f for f in set(whole.closure.facts) - known if not any(str(term).startswith("_:") for term in f)}
    assert set(facts) == expected
    assert len(facts) > 50
    written = as_ntriples(facts)
    assert written.splitlines() == sorted(written.splitlines())
    assert len(Graph().parse(data=written, format="nt")) == len(facts)


# Versions


FLIP = Flip(FlipKind.REFUSED, "plan", "Shop", "Ann MM-Moves Bread To Oven", "Ack", "Clash")
TERM = Change("bakery", Part.TERM, Act.REMOVED, str(EX.Bread), "Bread")
ASKED_FOR = [
    ((), (), Bump.NONE),
    ((Change("bakery", Part.LABEL, Act.CHANGED, str(EX.Bread), "Bread"),), (), Bump.PATCH),
    ((Change("bakery", Part.TERM, Act.ADDED, str(EX.Bread), "Bread"),), (), Bump.MINOR),
    ((TERM,), (), Bump.MAJOR),
    ((Change("bakery", Part.TERM, Act.RENAMED, str(EX.Bread), "Bread"),), (), Bump.MAJOR),
    ((), (FLIP,), Bump.MAJOR),
    ((), (Flip(FlipKind.GROUNDING, "probe", "Shop", "loaf", "Bread", "Roll"),), Bump.MINOR),
    ((), (Flip(FlipKind.WORDING, "plan", "Shop", "a", "b", "c"),), Bump.PATCH),
]


@pytest.mark.parametrize("changes, flips, bump", ASKED_FOR, ids=[str(n) for n in range(len(ASKED_FOR))])
def test_a_change_asks_for_a_step(changes: tuple[Change, ...], flips: tuple[Flip, ...], bump: Bump) -> None:
    found, why = asked_for(Difference("a", "b", ("bakery",), changes, (), flips))
    assert found is bump
    assert bool(why) is bool(changes or flips)


AFTER = [
    ("1.2.3", Bump.NONE, "1.2.3"),
    ("1.2.3", Bump.PATCH, "1.2.4"),
    ("1.2.3", Bump.MINOR, "1.3.0"),
    ("1.2.3", Bump.MAJOR, "2.0.0"),
    ("0.2.3", Bump.PATCH, "0.2.4"),
    ("0.2.3", Bump.MINOR, "0.2.4"),
    ("0.2.3", Bump.MAJOR, "0.3.0"),
]


@pytest.mark.parametrize("version, bump, expected", AFTER, ids=[f"{v}-{b.name}" for v, b, _ in AFTER])
def test_the_least_version_that_follows(version: str, bump: Bump, expected: str) -> None:
    assert after(version, bump) == expected


# Changelogs


CHANGELOG = """# Changelog

## [0.3.0] - 2026-11-30

- `museum_closed` at four: ``a `b` c``.

### More

- `one
  more`

## 0.2.0

Nothing.

## 0.2.0-rc1
"""


def test_a_changelog_names_what_stands_in_backticks() -> None:
    said = section(CHANGELOG, "0.3.0")
    assert said is not None
    assert named(said) == {"museum_closed", "a `b` c", "one\n  more"}
    assert section(CHANGELOG, "0.2.0") == "Nothing."
    assert section(CHANGELOG, "0.1.0") is None
    assert section(CHANGELOG, "0.2.0-rc1") is None


# The folder


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "releases"
    for path in tmp_path.rglob("*"):
        if path.is_dir():
            path.chmod(0o755)


def made(edition: Edition, pack: str, root: Path, before: str | None = None) -> tuple[Release, bool]:
    release, aside = make(edition, pack, before, root)
    is_new = publish(release, root)
    shutil.rmtree(aside)
    return release, is_new


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("pack", ["core", "virtual_lecture"])
def test_a_release_has_all_of_its_pack_and_is_the_same_again(pack: str, root: Path, tmp_path: Path) -> None:
    """Elsewhere, too, and from the release itself; read back it is whole, and loads."""
    release, is_new = made(EDITION, pack, root)
    folder = root / pack / release.version
    assert is_new
    assert read_release(folder).files == release.files
    assert made(EDITION, pack, root)[1] is False
    made(EDITION, pack, tmp_path / "other")
    made(EDITION.with_placed(pack, folder), pack, tmp_path / "again")
    assert bytes_of(folder) == bytes_of(tmp_path / "other" / pack / release.version)
    assert bytes_of(folder) == bytes_of(tmp_path / "again" / pack / release.version)
    sources = {ROOT / "ontologies" / pack: "", **({ROOT / "rules": "rules/"} if pack == "core" else {})}
    expected = {
        f"{below}{path.relative_to(source).as_posix()}"
        for source, below in sources.items()
        for path in source.rglob("*")
        if path.is_file()
    }
    assert set(dict(release.files)) == expected | {INFERRED}
    assert not any(path.name.startswith(".") for path in root.iterdir())
    again = load(EDITION.with_placed(pack, folder), [pack])
    assert len(again.closure.facts) >= len(load(EDITION, [pack]).closure.facts)


def test_another_release_of_the_same_version_is_refused(root: Path, tmp_path: Path) -> None:
    edition = Edition(tmp_path / "packs", EDITION.rules).with_placed("core", EDITION.folder("core"))
    edition = Edition(tmp_path / "packs", EDITION.rules, edition.placed)
    (tmp_path / "packs").mkdir()
    folder = tmp_path / "packs" / "friends_meet"
    shutil.copytree(EDITION.folder("friends_meet"), folder)
    edition = EDITION.with_placed("friends_meet", folder)
    release, _ = made(edition, "friends_meet", root)
    before = bytes_of(root / "friends_meet" / release.version)
    (folder / "README.md").write_text("other", encoding="utf-8")
    with pytest.raises(PackError, match=r"released already, with other content of `README\.md`$"):
        made(edition, "friends_meet", root)
    assert bytes_of(root / "friends_meet" / release.version) == before


@pytest.mark.parametrize("pack", [pack.name for pack in PACKS])
def test_a_release_does_not_differ_from_its_source(pack: str, root: Path) -> None:
    """The version that its ontology's header says is that of pack.toml: it is told once, where that is another."""
    release, _ = made(EDITION, pack, root, "0.0.9")
    folder = root / pack / release.version
    assert folder.joinpath("ontology.ttl").read_bytes() != (EDITION.folder(pack) / "ontology.ttl").read_bytes()
    assert not compare(EDITION.with_placed(pack, folder), EDITION, [pack])
    done = CliRunner().invoke(main, ["diff", str(folder), str(EDITION.folder(pack)), "--fail-on", "any"])
    assert (done.exit_code, "nothing that is stated differs" in done.output) == (0, True), done.output


def test_a_release_that_was_damaged_is_told_as_that(root: Path) -> None:
    """Not as another release of the version; and it is left as it is."""
    release, _ = made(EDITION, "friends_meet", root)
    file = root / "friends_meet" / release.version / "ontology.ttl"
    file.chmod(0o644)
    file.write_bytes(file.read_bytes() + b"# by hand\n")
    with pytest.raises(PackError) as refused:
        made(EDITION, "friends_meet", root)
    (fault,) = refused.value.faults
    assert fault.code is Code.RELEASE_DAMAGED
    assert fault.message == "the file is not as it was released"
    assert fault.where.endswith("ontology.ttl")
    assert not fault.clause
    assert file.read_bytes().endswith(b"# by hand\n")


def test_a_link_in_a_pack_is_refused_and_nothing_is_left(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "friends_meet"
    shutil.copytree(EDITION.folder("friends_meet"), folder)
    (folder / "more.ttl").symlink_to("/etc/hostname")
    with pytest.raises(PackError, match="no links"):
        make(EDITION.with_placed("friends_meet", folder), "friends_meet", None, root)
    assert list(root.iterdir()) == []


# The command


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["release", *arguments])
    return done.exit_code, done.output


def raise_version(pack: Path, before: str, version: str) -> None:
    for name in ("pack.toml", "ontology.ttl"):
        path = pack / name
        path.write_text(path.read_text("utf-8").replace(before, version), encoding="utf-8")


def test_a_pack_is_released_when_it_says_what_it_changes(root: Path, tmp_path: Path) -> None:
    """The first as it is; the next not before its version and its changelog tell that a verdict flips."""
    new_pack(EDITION, "bakery", tmp_path / "packs", "A bakery")
    folder, options = tmp_path / "packs", ("--folder", str(tmp_path / "packs"), "--to", str(root))
    code, said = run("bakery", *options)
    assert (code, "bakery@0.1.0: released (the first)" in said) == (0, True), said
    code, said = run("bakery", *options)
    assert (code, "is the same" in said) == (0, True), said
    (rule,) = (folder / "bakery" / "rules" / "pa_status").glob("*.toml")
    raise_version(folder / "bakery", "0.1.0", "0.1.1")
    rule.write_text(rule.read_text("utf-8").replace('status = "Clash"', 'status = "LocOOR"'), encoding="utf-8")
    for golden in (folder / "bakery" / "golden").glob("*.toml"):
        golden.write_text(golden.read_text("utf-8").replace('"Clash"', '"LocOOR"'), encoding="utf-8")
    code, said = run("bakery", *options)
    assert code == 1, said
    assert "[version_too_low]" in said
    assert "must be 0.2.0" in said
    assert "[flip_not_told]" in said
    assert "add `## 0.2.0` to CHANGELOG.md" in said
    assert "after 0.1.0, the version must be 0.2.0 at least" in said
    assert not (root / "bakery" / "0.1.1").exists()
    raise_version(folder / "bakery", "0.1.1", "0.2.0")
    log = f"# Changelog\n\n## 0.2.0\n\n- `{rule.stem}` is LocOOR now.\n"
    (folder / "bakery" / "CHANGELOG.md").write_text(log, encoding="utf-8")
    code, said = run("bakery", *options, "--dry-run")
    assert (code, "would be released; after 0.1.0" in said) == (0, True), said
    assert not (root / "bakery" / "0.2.0").exists()
    code, said = run("bakery", *options)
    assert (code, "bakery@0.2.0: released (after 0.1.0)" in said) == (0, True), said
    assert "owl:priorVersion" in (root / "bakery" / "0.2.0" / "ontology.ttl").read_text("utf-8")
    (folder / "bakery" / "README.md").write_text("other", encoding="utf-8")
    code, said = run("bakery", *options, "--dry-run")
    other = "bakery: not released: `bakery@0.2.0` is released already, with other content of `README.md`"
    assert (code, said.splitlines()[-1]) == (1, other), said


# Terms that were released


KEPT = """
bakery:Snuff a owl:NamedIndividual ; owl:deprecated true ; dcterms:isReplacedBy bakery:LitStays ;
    rdfs:label "snuff"@en ; rdfs:isDefinedBy <bakery> ; skos:definition "To put a flame out."@en .
"""
SNUFF = KEPT.replace(" owl:deprecated true ; dcterms:isReplacedBy bakery:LitStays ;", "")
FLAME = "A portable lamp with a flame inside."
TERMS = [
    ("a term is new", "", SNUFF, ()),
    ("a term is gone", SNUFF, "", ("released_term_gone: `bakery:Snuff` was released, and is gone",)),
    ("a term is deprecated", SNUFF, KEPT, ()),
    (
        "a term is renamed",
        "bakery:Lantern",
        "bakery:Lamp",
        ("released_term_gone: `bakery:Lantern` was released, and is called `bakery:Lamp` now",),
    ),
    (
        "a definition is another one",
        FLAME,
        "A street lamp.",
        (f"definition_not_told: definition changed: Lantern (en): `{FLAME}` → `A street lamp.`",),
    ),
    ("a definition more", 'inside."@en', 'inside."@en , "Lampada."@it', ()),
    ("a definition is gone", f'    skos:definition "{FLAME}"@en ;', "", ("definition_not_told: definition removed",)),
    ("a label is another one", '"Lantern"@en', '"lantern to carry"@en', ()),
]


@pytest.mark.parametrize("before, after, expected", [case[1:] for case in TERMS], ids=[case[0] for case in TERMS])
def test_a_released_term_stays(before: str, after: str, expected: tuple[str, ...], tmp_path: Path) -> None:
    """It may be deprecated; a definition that says something else must be named in the changelog."""
    editions = []
    for side, text in (("old", before), ("new", after)):
        new_pack(EDITION, "bakery", tmp_path / side, "A bakery")
        path = tmp_path / side / "bakery" / "ontology.ttl"
        held = path.read_text("utf-8")
        stated = bool(before) and before in held
        path.write_text(held.replace(before, text) if stated else held + text, encoding="utf-8")
        editions.append(EDITION.with_placed("bakery", tmp_path / side / "bakery"))
    (editions[1].folder("bakery") / "CHANGELOG.md").write_text("## 0.2.0\n\nMore.\n", encoding="utf-8")
    old, new = editions
    found = compare(old, new, ["bakery"], answers=False)
    told = [*gone_problems(found), *changelog_problems(new, "bakery", "0.2.0", found)]
    said = [f"{problem.check.code}: {problem.message}" for problem in told]
    assert len(said) == len(expected)
    assert all(one.startswith(other) for one, other in zip(said, expected, strict=True)), said


def test_a_changelog_names_a_definition_by_its_term(tmp_path: Path) -> None:
    """By its label, by its name with prefix or by its IRI; below the version that is asked for."""
    subject = "https://w3id.org/domain-access/bakery#Lantern"
    change = Change("bakery", Part.DEFINITION, Act.CHANGED, subject, "Lantern", ("a",), ("b",))
    found = Difference("a", "b", ("bakery",), (change,))
    edition = EDITION.with_placed("bakery", tmp_path)
    (none,) = changelog_problems(edition, "bakery", "0.2.0", found)
    assert none.hint == "add `## 0.2.0` to CHANGELOG.md, naming each of: `Lantern`"
    for name, told in (("Lantern", True), ("bakery:Lantern", True), (subject, True), ("Lamp", False)):
        (tmp_path / "CHANGELOG.md").write_text(f"## 0.2.0\n\n- `{name}` is for the street.\n", encoding="utf-8")
        assert bool(list(changelog_problems(edition, "bakery", "0.2.0", found))) is not told


LAST = [
    ((), "bakery: not released: see what is wrong above"),
    ((VERSION_TOO_LOW, NOT_TOLD), "bakery: not released; after 0.1.0, the version must be 0.2.0 at least"),
    ((NOT_TOLD,), "bakery: not released: see what is wrong above"),
    ((UNFIT,), "bakery: not released: why it is not"),
]


@pytest.mark.parametrize("checks, expected", LAST)
def test_the_last_line_says_why_there_is_no_release(checks: tuple[Check, ...], expected: str, tmp_path: Path) -> None:
    step = Step("bakery", "release", problems=tuple(Problem(check, "why it is not") for check in checks))
    released = Released(Report("release", (step,)), "0.1.0", "0.2.0")
    assert last_line("bakery", released, tmp_path, dry_run=False) == expected


def test_who_interrupts_is_told_what_was_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And no folder is left of it, nor those that were made for it."""

    def interrupted(*_: object) -> list[object]:
        raise KeyboardInterrupt

    monkeypatch.setattr("app.authoring.release.making.inferred", interrupted)
    monkeypatch.setattr("app.authoring.release.check", lambda *_, **__: Report("check", ()))
    monkeypatch.setattr("app.authoring.release.test", lambda *_, **__: Report("test", ()))
    code, said = run("friends_meet", "--folder", str(ROOT / "ontologies"), "--to", str(tmp_path / "a" / "releases"))
    assert code == 1
    assert "interrupted: nothing was released" in said
    assert list(tmp_path.iterdir()) == []
