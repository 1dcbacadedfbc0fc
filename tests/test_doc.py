"""`domain-access doc`: everything of a pack is there, in readable form, and every link leads somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from posixpath import join, normpath
from urllib.parse import unquote

import pytest
from rdflib import OWL, RDF, RDFS, SKOS, URIRef

from app.authoring.doc.frame import STYLE
from tests.packs import DAC, PACKS, ROOT, read
from tests.sites import EDITION, NAMES, faults, html_faults, parse, parsed, site_of, whole


def test_every_link_and_anchor_of_all_packs_resolves_and_every_id_is_unique() -> None:
    assert list(faults(whole(), parsed())) == []
    assert sum(len(page.links) for page in parsed().values()) > 20_000


@cache
def alone(name: str) -> dict[str, str]:
    """The site of one pack."""
    return site_of(EDITION, name)


@pytest.mark.parametrize("name", ["core", "museum_tour"])
def test_a_pack_alone_has_no_link_to_what_is_not_made(name: str) -> None:
    site = alone(name)
    assert list(faults(site, parse(site))) == []
    assert {path.split("/")[0] for path in site} == {"index.html", "style.css", name}


def test_pages_are_valid_html() -> None:
    """By a parser of HTML5 that notes every fault: the first page of each kind that is not long."""
    kinds: dict[str, str] = {}
    for path, text in whole().items():
        if path.endswith(".html") and len(text) < 200_000:
            kind = re.sub(r"/(class|rule|world)/.*", r"/\1", path).partition("/")[2]
            kinds.setdefault(kind, path)
    assert len(kinds) >= 14
    for path in kinds.values():
        assert html_faults(whole()[path]) == [], path


def test_nothing_is_fetched() -> None:
    """No script, font, picture or style sheet of others; the style sheet imports nothing."""
    style = whole()["style.css"]
    assert "url(" not in style
    assert "@import" not in style
    sources = {
        (element, value) for page in parsed().values() for element, key, value in page.attributes if key == "src"
    }
    assert sources == {("img", "classes.svg")}
    assert {
        value for page in parsed().values() for e, k, value in page.attributes if e == "link" and k == "href"
    } <= {
        "style.css",
        "../style.css",
        "../../style.css",
    }


# What is in a pack, counted without our reader.


def declared(pack: Path, *kinds: URIRef) -> set[URIRef]:
    graph = read(pack / "ontology.ttl")
    return {s for kind in kinds for s in graph.subjects(RDF.type, kind) if isinstance(s, URIRef)}


@pytest.mark.parametrize("pack", PACKS, ids=NAMES)
def test_every_class_has_its_page_with_all_its_words(pack: Path) -> None:
    graph = read(pack / "ontology.ttl")
    classes = declared(pack, OWL.Class)
    shown = [path for path in whole() if path.startswith(f"{pack.name}/class/")]
    assert len(shown) == len(classes)
    by_code = {page.text: path for path, page in parsed().items() if path in set(shown)}
    assert len(by_code) == len(classes)
    by_name = {Path(path).stem: parsed()[path].text for path in shown}
    for iri in classes:
        text = by_name[str(iri).rsplit("#", 1)[-1]]
        for predicate in (RDFS.label, SKOS.definition, SKOS.altLabel):
            for said in graph.objects(iri, predicate):
                assert " ".join(str(said).split()) in text, (iri, said)


def test_every_class_of_a_pack_is_in_its_tree_and_in_its_pictures() -> None:
    for pack in PACKS:
        classes = {path for path in whole() if path.startswith(f"{pack.name}/class/")}
        for page in ("classes", "graph"):
            path = f"{pack.name}/{page}.html"
            if classes:
                linked = {normpath(join(pack.name, unquote(link))) for link in parsed()[path].links}
                assert classes <= linked, path
            else:
                assert path not in whole()


@pytest.mark.parametrize("pack", PACKS, ids=NAMES)
def test_every_other_term_has_its_place(pack: Path) -> None:
    properties = declared(pack, OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty)
    datatypes = declared(pack, RDFS.Datatype)
    individuals = declared(pack, OWL.NamedIndividual)
    uses, states = declared(pack, DAC.Affordance), declared(pack, DAC.State)
    norms = declared(pack, DAC.Norm, DAC.BehaviouralExpectation, DAC.Constraint)
    counted = {
        "properties": len(properties | datatypes),
        "uses": len(uses),
        "states": len(states),
        "norms": len(norms),
        "individuals": len(individuals - uses - states - norms),
    }
    for page, count in counted.items():
        path = f"{pack.name}/{page}.html"
        assert (path in whole()) == (count > 0), path
        if count:
            assert parsed()[path].elements["article"] == count, path


def test_the_counts_of_a_pack_do_not_shrink() -> None:
    """Of household, the largest."""
    page = parsed()["household/index.html"].text
    found = {
        name: int(count)
        for name, count in re.findall(
            r"(Classes|Properties|Uses|States|Norms and limits|Rules|Questions) (\d+)", page
        )
    }
    assert found["Classes"] >= 455
    assert found["Uses"] >= 53
    assert found["States"] >= 50
    assert found["Norms and limits"] >= 41
    assert found["Rules"] >= 8
    assert found["Questions"] >= 19


@pytest.mark.parametrize("pack", PACKS, ids=NAMES)
def test_every_rule_has_its_page_with_every_case(pack: Path) -> None:
    folder = EDITION.rules_of(pack.name) / "pa_status"
    files = sorted(folder.glob("*.toml"))
    assert {f"{pack.name}/rule/{path.stem}.html" for path in files} == {
        path for path in whole() if path.startswith(f"{pack.name}/rule/")
    }
    for path in files:
        rule = tomllib.loads(path.read_text(encoding="utf-8"))
        page = parsed()[f"{pack.name}/rule/{path.stem}.html"]
        cases = rule["case"]
        assert page.text.count("Statement") >= len(cases)
        assert Counter(v for _, k, v in page.attributes if k == "class" and v.startswith("fires")) == Counter(
            "fires" if case["fires"] else "fires-not" for case in cases
        )
        said = [rule["title"], rule["clause"], rule["explain"], rule.get("when", ""), rule.get("missing", "")]
        said += [str(case[key]) for case in cases for key in ("name", "statement", "add", "remove") if key in case]
        said += [rule[key] for key in ("title_it", "explain_it", "missing_it") if key in rule]
        said += [str(v) for repair in rule.get("repair", ()) for k, v in repair.items() if k not in {"replace", "by"}]
        for text in said:
            assert plain(text) in plain(page.text), (path.name, text)


def plain(text: str) -> str:
    """Without what is shown as markup: backticks and the number of spaces."""
    return "".join(text.replace("`", "").split())


def test_the_actions_a_rule_concerns_are_linked() -> None:
    links = parsed()["museum_tour/rule/bag_in_gallery.html"].links
    assert {"../../core/actions.html#MM-Add", "../../core/actions.html#MM-Move"} <= set(links)
    assert (
        parsed()["core/actions.html"].elements["article"] == len(list((ROOT / "rules/actions").glob("*.toml"))) == 30
    )


@pytest.mark.parametrize("pack", [p for p in PACKS if list(p.glob("worlds/*.ttl"))], ids=lambda p: p.name)
def test_every_entity_of_a_world_is_listed_with_its_class(pack: Path) -> None:
    for path in pack.glob("worlds/*.ttl"):
        identified = set(read(path).subjects(URIRef("https://w3id.org/domain-access/mmm#identifier")))
        page = parsed()[f"{pack.name}/world/{path.stem}.html"]
        assert page.elements["tr"] == len(identified) + 1


@pytest.mark.parametrize("pack", PACKS, ids=NAMES)
def test_every_question_and_every_step_of_a_plan_is_there(pack: Path) -> None:
    asked = [
        question
        for path in sorted(pack.glob("questions/*.toml"))
        for question in tomllib.loads(path.read_text(encoding="utf-8"))["question"]
    ]
    for question in asked:
        assert plain(question["ask"]) in plain(parsed()[f"{pack.name}/questions.html"].text)
    for path in pack.glob("golden/*.toml"):
        text = plain(parsed()[f"{pack.name}/plans.html"].text)
        for turn in tomllib.loads(path.read_text(encoding="utf-8"))["turn"]:
            for step in turn["step"]:
                assert plain(step["statement"]) + step["status"] in text
            for variant in turn.get("variant", ()):
                assert plain(variant["name"]) in text
                for status in variant.get("expect", {}).values():
                    assert status in text


# What a page says, seen in examples.

SAID = [
    ("museum_tour/class/TouchReplica.html", "every one has copy of only Exhibit"),
    ("museum_tour/class/Guide.html", "whatever fits is one leads tour some Guided Tour"),
    ("museum_tour/class/Painting.html", "Natural Specimen, Touch Replica as Work of Art"),
    ("museum_tour/class/Painting.html", "look at Exhibit – – MU-Actuates {item} At U-Location With ViewRendering"),
    ("museum_tour/class/Painting.html", "Do not touch the exhibits. (towards these) as Exhibit"),
    ("museum_tour/class/Painting.html", "an exhibit has an owner: else no ticket could show it (owner) as Exhibit"),
    ("museum_tour/class/Painting.html", "Museo Harbour"),
    ("museum_tour/class/LargeBag.html", "bag_in_gallery Large bags stay out of galleries InsRights"),
    ("car_showroom/class/Cabin.html", "cabin of at most 1"),
    ("household/class/Door.html", "open up Openable Object closed open Property Changes {item} With {state}"),
    ("household/class/Sofa.html", "The same as Couch"),
    ("household/states.html", "Never together with closed"),
    ("core/properties.html", "Is at most one value Its values are xsd:string"),
    ("core/class/ThreeDModelObject.html", "Subclasses in household"),
]


@pytest.mark.parametrize("path, said", SAID, ids=[f"{path}: {said[:30]}" for path, said in SAID])
def test_axioms_uses_norms_and_limits_are_in_readable_form(path: str, said: str) -> None:
    assert said in parsed()[path].text


def test_the_same_pack_gives_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    """Whatever order sets have there: it is not the same in two processes."""
    run = subprocess.run(
        [sys.executable, "-m", "app", "doc", "museum_tour", "--output", str(tmp_path)],
        cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": "1"}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    there = {path.relative_to(tmp_path).as_posix(): path.read_text("utf-8") for path in tmp_path.rglob("*.*ml")}
    here = {path: text for path, text in alone("museum_tour").items() if path.endswith(".html")}
    assert there == here
    assert len(here) > 90


# The style sheet: what is read can be read (WCAG 2.2, 1.4.3: 4.5 to 1 for text).

GROUNDS = {
    "ground": ("ink", "soft", "link", "accent", "unknown"),
    "raised": ("ink", "soft", "link"),
    "box": ("ink",),
    "mark": ("ink", "soft", "link"),
    "accent": ("ground",),
    "ack-ground": ("ack",),
    "fault-ground": ("fault",),
    "unknown-ground": ("unknown",),
    "refused-ground": ("refused",),
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(scheme: str) -> None:
    blocks = re.findall(r":root \{(.*?)\}", STYLE.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 2
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", blocks[scheme == "dark"]))
    for ground, inks in GROUNDS.items():
        for ink in inks:
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, `#rrggbb`."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
