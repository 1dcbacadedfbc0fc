"""`domain-access doc` of packs that nobody should write: nothing an author wrote is markup, nothing is too much."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.authoring.doc.html import prose, tag
from app.authoring.doc.tree import MOST_BELOW
from app.edition import Edition
from tests.packs import CORE, ROOT
from tests.sites import Page, Site, faults, html_faults, parse, site_of

HEAD = """
@prefix nasty: <https://w3id.org/domain-access/nasty#> .
@prefix mmm: <https://w3id.org/domain-access/mmm#> .
@prefix dac: <https://w3id.org/domain-access/dac#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
NASTY = r"""
nasty:Script a owl:Class ; rdfs:label "<script>alert(1)</script>"@en , "</title><img src=x onerror=alert(2)>"@it ;
    skos:altLabel "\" onmouseover=\"alert(3)"@en , "' & &lt; &amp;amp; ]]>"@x-very-private ;
    skos:definition "A `<b>bold</b>` \u0001 control, \u202E turned round, \uFFFE, `unclosed"@en ;
    rdfs:subClassOf mmm:Item , <http://schema.example/Undeclared> ; dac:affords nasty:Do .
nasty:Bare a owl:Class .
nasty:bare a owl:Class ; rdfs:label ""@en .
nasty:content a owl:Class . nasty:index a owl:Class . nasty:CON a owl:Class .
<https://w3id.org/domain-access/nasty#Gr%C3%B6%C3%9Fe> a owl:Class ; rdfs:label "Größe"@de .
nasty:Größe a owl:Class ; rdfs:label "尺寸の大きさ"@ja , "حجم"@ar .
<https://w3id.org/domain-access/nasty#../../../etc/passwd> a owl:Class .
<https://elsewhere.example/nasty#Bare> a owl:Class ; rdfs:label "Bare elsewhere" .
nasty:Round a owl:Class ; rdfs:subClassOf nasty:Trip .
nasty:Trip a owl:Class ; rdfs:subClassOf nasty:Round , nasty:Trip .
nasty:Long a owl:Class ; rdfs:label "LONG" .
nasty:Odd a owl:Class ;
    rdfs:subClassOf [ a owl:Restriction ; owl:onProperty nasty:filter ;
        owl:someValuesFrom [
            owl:unionOf ( nasty:Bare [ owl:complementOf nasty:Script ] [ owl:oneOf ( nasty:One ) ] ) ] ] ,
        [ a owl:Restriction ; owl:onProperty nasty:content ; owl:hasValue "<i>"@en ] ,
        [ a owl:Restriction ; owl:onProperty [ owl:inverseOf nasty:filter ] ;
            owl:minQualifiedCardinality 2 ; owl:onClass nasty:Bare ] ,
        [ a owl:Restriction ; owl:onProperty nasty:filter ; owl:hasSelf true ] ,
        [ owl:intersectionOf "no list" ] , [ a owl:Restriction ] , "a text" , _:self ;
    owl:hasKey ( nasty:content ) ; owl:disjointUnionOf ( nasty:Bare nasty:bare ) .
_:self owl:complementOf _:self .
nasty:content a owl:DatatypeProperty , owl:FunctionalProperty ;
    rdfs:range [ a rdfs:Datatype ; owl:onDatatype xsd:integer ; owl:withRestrictions ( [ xsd:minInclusive 3 ] ) ] .
nasty:filter a owl:ObjectProperty , owl:TransitiveProperty ; owl:propertyChainAxiom ( nasty:filter nasty:filter ) ;
    rdfs:label "javascript:alert(4)" ; rdfs:seeAlso <javascript:alert(5)> .
nasty:One a owl:NamedIndividual , nasty:Bare ; rdfs:comment "<!-- " .
nasty:Do a owl:NamedIndividual , dac:Affordance ; rdfs:label "<do>"@en ; dac:performedBy "<script>{item}</script>" .
nasty:Sad a owl:NamedIndividual , dac:State ; dac:excludes nasty:Sad .
nasty:N a owl:NamedIndividual , dac:Norm ; dac:sentence "Do <not>."@en ; dac:towards nasty:Script .
mmm:Persona dac:affords nasty:Do .
"""
RULE = r"""
title = "<script>alert(6)</script> `<b>`"
clause = "\" onclick=\"alert(7)"
status = "Clash"
explain = "`{item}` </p></article><script>"
when = "?item a nasty:Script ."
[[repair]]
replace = "To"
by = "{item}"
text = "<textarea>"
[[case]]
name = "</h3><h1>"
statement = "<Item> <script>"
fires = true
[[case]]
name = "&"
statement = "Alice MM-Moves <&>"
fires = false
"""
WORLD = r"""
<https://w.example/> a mmm:MInstance ; mmm:identifier "<W>" ; dac:usesPack "nasty" .
<https://w.example/x> a nasty:Script , nasty:Nowhere ; mmm:identifier "</td><script>" ; mmm:at <https://w.example/y> .
<https://w.example/y> mmm:identifier "y" .
"""


def edition_with(folder: Path, name: str, ontology: str, manifest: str = "") -> Edition:
    """The packs of a folder: core, and one of the name."""
    (folder / "core").symlink_to(CORE)
    pack = folder / name
    pack.mkdir()
    pack.joinpath("pack.toml").write_text(
        f'name = "{name}"\nversion = "1.0.0"\ntitle = "{name.title()}"\nrequires = ["core"]\n' + manifest, "utf-8"
    )
    pack.joinpath("ontology.ttl").write_text(HEAD + ontology, "utf-8")
    return Edition(folder, ROOT / "rules")


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The site of core and of a pack whose every text is markup."""
    folder = tmp_path_factory.mktemp("packs")
    edition = edition_with(
        folder,
        "nasty",
        NASTY.replace("LONG", "long " * 2000),
        'licence = "<b>"\nsources = ["<script>alert(9)</script>"]',
    )
    (folder / "nasty" / "rules" / "pa_status").mkdir(parents=True)
    (folder / "nasty" / "rules" / "pa_status" / "nasty.toml").write_text(RULE, "utf-8")
    (folder / "nasty" / "worlds").mkdir()
    (folder / "nasty" / "worlds" / "<W>&.ttl").write_text(HEAD + WORLD, "utf-8")
    return site_of(edition, "core", "nasty")


def test_nothing_an_author_wrote_is_markup(nasty: Site) -> None:
    own = {path: Page(text) for path, text in nasty.items() if path.startswith("nasty/") and path.endswith(".html")}
    assert len(own) > 20
    for path, page in own.items():
        assert page.elements.keys().isdisjoint({"b", "i", "img", "textarea", "do", "not", "x"}), path
        assert not [key for _, key, _ in page.attributes if key.startswith("on")], path
        assert page.elements["script"] == len(page.scripts) <= 1, path
        assert not any("alert" in script for script in page.scripts), path
    script = next(path for path in own if path.startswith("nasty/class/Script"))
    assert "<script>alert(1)</script>" in own[script].text
    assert "</title><img src=x onerror=alert(2)>" in own[script].text


def test_a_nasty_pack_is_valid_html_with_links_that_resolve(nasty: Site) -> None:
    assert list(faults(nasty, parse(nasty))) == []
    for path, text in nasty.items():
        if path.startswith("nasty/") and path.endswith(".html"):
            assert html_faults(text) == [], path


def test_file_names_are_safe_and_unlike_even_without_case(nasty: Site) -> None:
    assert all(re.fullmatch(r"[A-Za-z0-9_./-]+", path) for path in nasty)
    assert not any(".." in path for path in nasty)
    assert len({path.casefold() for path in nasty}) == len(nasty)


def test_a_term_without_label_is_called_by_its_local_name_and_its_lack_of_a_definition_is_said(nasty: Site) -> None:
    text = Page(nasty["nasty/class/Bare-2.html"]).text + Page(nasty["nasty/class/Bare.html"]).text
    assert "nasty:Bare" in text
    assert "No definition is given." in text


def test_axioms_that_are_none_are_survived(nasty: Site) -> None:
    text = Page(nasty["nasty/class/Odd.html"]).text
    assert "some Bare or" in text.replace("(", "").replace("  ", " ")
    assert "inverse of javascript:alert(4) at least 2 Bare" in text
    assert "told apart by content" in text


def test_a_pack_without_rules_worlds_and_classes(tmp_path: Path) -> None:
    site = site_of(edition_with(tmp_path, "bare", ""), "bare")
    assert set(site) == {"index.html", "style.css", "bare/index.html"}
    assert "Licence not stated Sources not stated Requires core" in Page(site["bare/index.html"]).text
    assert list(faults(site, parse(site))) == []


def test_many_classes_below_one_another_in_one_row_and_in_all_forms(tmp_path: Path) -> None:
    """Two hundred below one, a chain of sixty, a lattice in which the number of paths doubles at each level."""
    wide = "".join(f"nasty:W{i} a owl:Class ; rdfs:subClassOf nasty:Top .\n" for i in range(200))
    deep = "".join(f"nasty:D{i} a owl:Class ; rdfs:subClassOf nasty:D{i + 1} .\n" for i in range(60))
    lattice = "".join(
        f"nasty:L{i}{side} a owl:Class ; rdfs:subClassOf nasty:L{i + 1}a , nasty:L{i + 1}b .\n"
        for i in range(24)
        for side in "ab"
    )
    ends = "nasty:Top a owl:Class . nasty:D60 a owl:Class . nasty:L24a a owl:Class . nasty:L24b a owl:Class .\n"
    apart = f"[] a owl:AllDisjointClasses ; owl:members ( {' '.join(f'nasty:W{i}' for i in range(150))} ) .\n"
    site = site_of(edition_with(tmp_path, "nasty", wide + deep + lattice + ends + apart), "nasty")
    assert len([path for path in site if "/class/" in path]) == 200 + 60 + 48 + 4
    assert list(faults(site, parse(site))) == []
    graph = Page(site["nasty/graph.html"])
    assert f"{200 - MOST_BELOW} more" in graph.text
    heights = [int(v) for e, k, v in graph.attributes if (e, k) == ("svg", "height")]
    assert max(heights) < 2500
    assert Page(site["nasty/class/W0.html"]).text.count(", W") < 110


@pytest.mark.parametrize(
    "made, written",
    [
        (tag("b", "a<b>&\"'"), "<b>a&lt;b&gt;&amp;&quot;&#x27;</b>"),
        (tag("b", tag("i", "x"), None, ["y", tag("i", "<")]), "<b><i>x</i>y<i>&lt;</i></b>"),
        (
            tag("a", href='"><script>', class_="x", hidden=True, title=None),
            '<a href="&quot;&gt;&lt;script&gt;" class="x" hidden></a>',
        ),
        (prose("say `<b>` or ` alone"), "say <code>&lt;b&gt;</code> or ` alone"),
        (tag("b", "\x00\x0b\x85\ufffe"), "<b>\ufffd\ufffd\ufffd\ufffd</b>"),
    ],
)  # fmt: skip
def test_what_is_no_markup_is_escaped(made: str, written: str) -> None:
    assert made == written
