"""What the pattern language refuses, by which code and where; and what a file of rules must hold (DESIGN 5)."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from app.edition import Edition
from app.errors import Code, Fault, PackError
from app.facts import BoundReached, Facts, OutsideSituation, Schema, Slice
from app.knowledge import Knowledge
from app.knowledge import load as load_knowledge
from app.model import Layer, Term, Text
from app.rules import BUILTIN, load
from app.rules.compiled import Compiled
from app.rules.compiler import compile_pattern
from app.rules.forms import PREBOUND
from app.rules.functions import ExpressionError
from app.rules.pattern import parse, parse_template
from app.vocab import PREFIXES, mmm
from tests.packs import EDITION

ROOT = Path(__file__).resolve().parents[1]
WITHIN = frozenset({mmm("within")})


def compiled(text: str) -> Compiled:
    return compile_pattern(parse(text, PREFIXES, "file"), PREBOUND, WITHIN, "file")


def refusal(text: str) -> Fault:
    with pytest.raises(PackError) as error:
        compiled(text)
    (fault,) = error.value.faults
    return fault


REFUSED = {
    "OPTIONAL": "?item mmm:at ?place . OPTIONAL { ?place mmm:owner ?owner }",
    "MINUS": "?item mmm:at ?place . MINUS { ?place mmm:owner ?actor }",
    "GRAPH": "GRAPH ?g { ?item mmm:at ?place }",
    "SERVICE": "SERVICE <https://x.example/> { ?item mmm:at ?place }",
    "VALUES": "VALUES ?place { mmm:May } ?item mmm:at ?place",
    "SELECT": "{ SELECT ?place WHERE { ?item mmm:at ?place } }",
    "BOUND": "?item mmm:at ?place FILTER(BOUND(?place))",
    "REGEX": '?item mmm:text ?text FILTER(REGEX(?text, "a"))',
    "NOW": "FILTER(NOW() > ?now)",
    "RAND": "FILTER(RAND() > 0)",
    "BNODE": "BIND(BNODE() AS ?node)",
    "COUNT": "BIND(COUNT(?item) AS ?n)",
    "SUM": "BIND(SUM(?item) AS ?n)",
    "COALESCE": "BIND(COALESCE(?item, ?at) AS ?n)",
    "IF": "BIND(IF(?item = ?at, 1, 2) AS ?n)",
}


@pytest.mark.parametrize("word", REFUSED)
def test_a_construct_is_refused_by_name(word: str) -> None:
    """The message has its name, the hint what to write instead, the place its line and column."""
    for text in (REFUSED[word], REFUSED[word].replace(word, word.lower())):
        fault = refusal(f"\n  {text}")
        assert fault.code is Code.REFUSED_CONSTRUCT
        assert word in fault.message.upper()
        assert fault.hint
        column = f"\n  {text}".upper().split("\n")[1].index(word) + 1
        assert fault.where == f"file, line 2 of the pattern, column {column}"


SHAPES = {
    "a variable predicate": ("?item ?p ?place", Code.REFUSED_CONSTRUCT, "a constant predicate"),
    "a negated property set": ("?item !mmm:at ?place", Code.REFUSED_CONSTRUCT, "a predicate"),
    "a bracketed path": ("?item (mmm:at/mmm:within)+ ?place", Code.REFUSED_CONSTRUCT, "a predicate"),
    "a mixed path": ("?item mmm:at/mmm:within|mmm:owner ?x", Code.REFUSED_CONSTRUCT, "`/` or `|` alone"),
    "a star in an alternative": ("?item mmm:at|mmm:within* ?x", Code.REFUSED_CONSTRUCT, "in an alternative path"),
    "a walk of another predicate": ("?item mmm:owner* ?x", Code.REFUSED_CONSTRUCT, "hierarchical"),
    "EXISTS four deep": (
        "FILTER EXISTS { ?item mmm:at ?a " + "FILTER EXISTS { ?a mmm:within ?b " * 3 + "} } } }",
        Code.REFUSED_CONSTRUCT,
        "no EXISTS more than 3 deep",
    ),
    "a second value": ("?item mmm:at ?x . BIND(?at AS ?item)", Code.REFUSED_CONSTRUCT, "`?item` is bound already"),
    "a condition as value": ("BIND(?item = ?at AS ?x)", Code.REFUSED_CONSTRUCT, "a condition stands where"),
    "a function not registered": ("FILTER(dac:far(?item, ?at))", Code.UNDECLARED_TERM, "no registered function"),
    "too few arguments": ("FILTER(dac:overlaps(?item))", Code.PACK_MEMBER, "takes 2 arguments, found 1"),
    "an unknown prefix": ("?item foo:at ?x", Code.UNDECLARED_TERM, "one of the prefixes"),
    "no end": ("FILTER EXISTS { ?item mmm:at ?x", Code.PACK_UNREADABLE, "expected `}`, found the end"),
    "no pattern": ("?item mmm:at ?x ]", Code.PACK_UNREADABLE, "found `]`"),
    "FILTER of nothing": ("FILTER NOT { ?item mmm:at ?x }", Code.PACK_UNREADABLE, "expected EXISTS"),
    "an unbound variable in FILTER": ("?item mmm:at ?x FILTER(?y = ?x)", Code.UNBOUND_VARIABLE, "`?y`"),
    "an unbound variable in BIND": ("?item mmm:at ?x BIND(?y AS ?z)", Code.UNBOUND_VARIABLE, "`?y`"),
    "a FILTER over a variable outside its branch": (
        "?item mmm:at ?x . { FILTER(?x = ?at) } UNION { ?item mmm:owner ?y }",
        Code.UNBOUND_VARIABLE,
        "`?x`",
    ),
    "a variable of one branch used after": (
        "{ ?item mmm:at ?x } UNION { ?item mmm:owner ?y } ?x mmm:within ?z",
        Code.UNBOUND_VARIABLE,
        "`?x` in every branch",
    ),
    "an EXISTS over a variable outside its branch": (
        "?item mmm:at ?x . { FILTER EXISTS { ?x mmm:owner ?o } } UNION { ?item mmm:owner ?y }",
        Code.UNBOUND_VARIABLE,
        "`?x`",
    ),
    "a pattern nothing reaches": ("?x mmm:owner ?y", Code.DISCONNECTED_PATTERN, "`?x`, `?y`"),
    "a part nothing reaches": ("?item mmm:at ?p . ?x mmm:owner ?y", Code.DISCONNECTED_PATTERN, "`?x`, `?y`"),
    "a start from a class": ("?x a mmm:Item", Code.DISCONNECTED_PATTERN, "`?x`"),
    "a walk from a value": (
        "?item mmm:text ?t . BIND(?t + 1 AS ?n) ?n mmm:owner ?o",
        Code.DISCONNECTED_PATTERN,
        "`?n` is a value",
    ),
}


@pytest.mark.parametrize("text, code, words", SHAPES.values(), ids=SHAPES)
def test_a_shape_is_refused(text: str, code: Code, words: str) -> None:
    """Each with its code, its words and the file."""
    fault = refusal(text)
    assert (fault.code, words in fault.message, fault.where.split(",")[0]) == (code, True, "file")


# Each was once taken though SPARQL gives another answer, or none: found by comparing with Oxigraph.
DIFFERING = {
    "a BIND that reads what a later triple binds": "BIND(?x AS ?y) ?item mmm:at ?x",
    "a triple about the variable of a BIND after it": "?item mmm:at ?x . BIND(?at AS ?x)",
    "an EXISTS about what a UNION beside it may bind": (
        "FILTER EXISTS { ?at mmm:within ?y } { ?at mmm:owner ?z } UNION { ?y mmm:within ?at }"
    ),
    "a UNION in a branch that may leave unbound what is used after": (
        "{ ?item mmm:at ?x } UNION { { FILTER(?item = ?at) } UNION { ?x mmm:within ?at } } ?x mmm:owner ?z"
    ),
}


@pytest.mark.parametrize("text", DIFFERING.values(), ids=DIFFERING)
def test_a_pattern_with_another_meaning_in_sparql_is_refused(text: str) -> None:
    """What SPARQL would answer otherwise is refused, not answered (compiler.py)."""
    assert refusal(text).code in (Code.REFUSED_CONSTRUCT, Code.UNBOUND_VARIABLE)


def test_a_bind_comes_before_the_triples_of_its_variable() -> None:
    """A triple that could reach the variable first waits: otherwise the BIND would overwrite what it found."""
    source = compiled("?x mmm:within+ ?to . BIND(?x AS ?y) ?at mmm:owner ?y").source
    assert source.index("v_y = v_x") < source.index("v_y in ")


def test_a_template_holds_plain_triples_only() -> None:
    """What an effect adds or removes has one plain predicate a triple, and nothing else."""
    assert len(parse_template("?item mmm:at ?to ; a mmm:Item", PREFIXES)) == 2
    for text in (
        "FILTER(?item = ?to)",
        "?item mmm:at/mmm:within ?to",
        "?item mmm:at|mmm:owner ?to",
        "BIND(?to AS ?x)",
    ):
        with pytest.raises(PackError, match="plain predicate"):
            parse_template(text, PREFIXES)


def facts_of(triples: Iterable[tuple[str, str, Term]], inverses: Iterable[str] = ()) -> Facts:
    known = list(triples)
    slices = {
        s: Slice.of(
            s,
            Layer.WORLD,
            [(p, o) for t, p, o in known if t == s],
            {p: tuple(t for t, q, o in known if q == p and o == s) for p in inverses},
            Schema(),
        )
        for s in {term for t, _, o in known for term in (t, o) if isinstance(term, str)}
    }
    return Facts(slices, vocabulary={}, schema=Schema(), inverses=frozenset(inverses))


def test_each_combination_of_values_is_tried_and_those_with_rows_are_given() -> None:
    """`every` gives the values of the parameters beside the rows; a parameter without a value is a KeyError."""
    pattern = compiled("?item mmm:at ?to . ?item mmm:owner ?owner")
    at, owner = mmm("at"), mmm("owner")
    facts = facts_of([("i", at, "p"), ("i", owner, "u"), ("j", at, "q"), ("j", owner, "v")])
    assert (pattern.parameters, pattern.outputs) == (("item", "to"), ("owner",))
    found = pattern.every(facts, {"item": ("i", "j"), "to": ("p", "q")})
    assert [(given, list(rows)) for given, rows in found] == [(("i", "p"), [("u",)]), (("j", "q"), [("v",)])]
    with pytest.raises(KeyError):
        pattern.every(facts, {"item": ("i",)})


def test_a_rule_that_cannot_run_never_passes() -> None:
    """What is not fetched, walks that are too long, and values without an order raise: no row means no solution."""
    at, within = mmm("at"), mmm("within")
    with pytest.raises(OutsideSituation):
        compiled("?item mmm:at ?x").run(facts_of([]), "i")
    deep = facts_of([(f"p{i}", within, f"p{i + 1}") for i in range(40)])
    with pytest.raises(BoundReached):
        compiled("?at mmm:within* ?x").run(deep, "p0")
    facts = facts_of([("i", at, "p"), ("i", mmm("text"), Text("a"))])
    for text in ("FILTER(?x < 1)", "FILTER(?x + 1 = 2)", "FILTER(dac:overlaps(?x, ?x))", "FILTER(?x)"):
        with pytest.raises(ExpressionError):
            compiled(f"?item mmm:text ?x {text}").run(facts, "i")
    with pytest.raises(ExpressionError):
        compiled("FILTER(1 / 0 = ?now)").run(facts, "i")


CONDITIONS = {
    'dac:overlaps("0 0 0 2 2 2"^^dac:box, "1 1 1 3 3 3"^^dac:box)': True,
    'dac:overlaps("0 0 0 2 2 2"^^dac:box, "2 0 0 3 2 2"^^dac:box)': False,  # touching is not overlapping
    'dac:overlaps("0 0 0 2 2 2"^^dac:box, "1.9995 0 0 3 2 2"^^dac:box)': False,  # by less than 1 mm
    'dac:overlaps("0 0 0 2 2 2"^^dac:box, "1.998 0 0 3 2 2"^^dac:box)': True,
    'dac:overlaps("0 0 0 2 2 2"^^dac:box, "1 1 5 3 3 6"^^dac:box)': False,
    'dac:within("0 0 0 1 1 1"^^dac:box, "0 0 0 1 1 1"^^dac:box)': True,
    'dac:within("0 0 0 1 1 1.0005"^^dac:box, "0 0 0 1 1 1"^^dac:box)': True,
    'dac:within("0 0 0 1 1 1.002"^^dac:box, "0 0 0 1 1 1"^^dac:box)': False,
    'dac:within("-1 0 0 1 1 1"^^dac:box, "0 0 0 1 1 1"^^dac:box)': False,
    "1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3": True,
    "1.0 = 1 && 2 IN (1, 2) && 3 NOT IN (1, 2)": True,
    "1 + 2 * 3 - 4 / 2 = 5 && -1 < 0": True,
    '"a" < "b" && "a" != "b" && "a" != "a"@en': True,
    "true && !false": True,
    "false || 1 > 2": False,
}
ERRORS = (
    'dac:overlaps("0 0 0 1 1"^^dac:box, "0 0 0 1 1 1"^^dac:box)',
    'dac:within("a b c d e f"^^dac:box, "0 0 0 1 1 1"^^dac:box)',
    'dac:within("0 0 0 1 1 INF"^^dac:box, "0 0 0 1 1 1"^^dac:box)',
    'dac:within("0 0 0 1 1 1", "0 0 0 1 1 1"^^dac:box)',
    '1 < "a"',
    '"a" < "b"@en',
    '"a" + 1 = 2',
    '"yes" && true',
    'dac:identifierOf("a") = "a"',
)


@pytest.mark.parametrize("condition", [*CONDITIONS, *ERRORS])
def test_a_condition_is_true_false_or_an_error_of_the_rule(condition: str) -> None:
    """Metres with a tolerance of 1 mm; numbers by value; what cannot be compared is an error, never false."""
    pattern = compiled(f"FILTER({condition})")
    if condition in CONDITIONS:
        assert bool(pattern.run(facts_of([]))) is CONDITIONS[condition]
    else:
        with pytest.raises(ExpressionError):
            pattern.run(facts_of([]))


def test_an_identifier_is_read_or_taken_from_the_iri() -> None:
    """`dac:identifierOf` gives the stated identifier, else the last part of the IRI, decoded."""
    pattern = compiled("BIND(dac:identifierOf(?item) AS ?name)")
    facts = facts_of([("https://x.example/i", mmm("identifier"), Text("I"))])
    assert list(pattern.run(facts, "https://x.example/i")) == [(Text("I"),)]
    assert list(pattern.run(facts_of([("https://x.example/a%20b", mmm("at"), "p")]), "https://x.example/a%20b")) == [
        (Text("a b"),)
    ]


def test_what_a_pattern_reads_is_what_it_says_it_reaches() -> None:
    """`reach` names start variables, predicates and directions; the walk of a path goes through its nodes."""
    pattern = compiled(
        "?item mmm:at/mmm:within* ?place . ?place ^mmm:asset ?deal FILTER NOT EXISTS { ?deal a ?class }"
    )
    (root,) = pattern.reach.values()
    (((at,), place),) = root.links.items()
    assert (at.predicate, at.inverse, at.least) == (mmm("at"), False, None)
    (((within,), around),) = place.links.items()
    assert (within.predicate, within.least) == (mmm("within"), 0)
    (((asset,), deal),) = around.links.items()
    assert (asset.predicate, asset.inverse) == (mmm("asset"), True)
    assert len(deal.links) == 1


# A whole folder of rules with one thing changed: what `load` says of it.


@cache
def core() -> Knowledge:
    return load_knowledge(EDITION, [])


def faults_of(tmp_path: Path, path: str, old: str, new: str) -> list[Fault]:
    """The faults of the project's rules with one file changed."""
    rules = tmp_path / "rules"
    shutil.copytree(ROOT / "rules", rules)
    text = (rules / path).read_text(encoding="utf-8")
    assert old in text
    (rules / path).write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(PackError) as error:
        load(Edition(ROOT / "ontologies", rules), [])
    return list(error.value.faults)


NOT_AT = "pa_status/not_at_from.toml"
FAULTS = tomllib.loads((ROOT / "tests" / "rules" / "faults.toml").read_text(encoding="utf-8"))["fault"]


@pytest.mark.parametrize("told", FAULTS, ids=lambda told: str(told["name"]))
def test_a_file_with_one_fault_is_refused(told: dict[str, str], tmp_path: Path) -> None:
    """Its code, its words, the file, and the nearest valid choice where there is one."""
    faults = faults_of(tmp_path, told["file"], told["old"], told["new"])
    found = [
        fault
        for fault in faults
        if fault.code.code == told["code"] and told["words"] in fault.message and told.get("hint", "") in fault.hint
    ]
    assert found, faults
    assert any(Path(told["file"]).stem in f"{fault.where}{fault.message}" for fault in found), found


def test_the_faults_of_files_are_all_there() -> None:
    """As many as the file has headings, each of another name."""
    assert len({told["name"] for told in FAULTS}) == len(FAULTS) == 36


def test_every_fault_of_every_file_is_told_at_once(tmp_path: Path) -> None:
    """Two faults in one file and one in another: all three."""
    rules = tmp_path / "rules"
    shutil.copytree(ROOT / "rules", rules)
    for path, old, new in (
        (NOT_AT, "mmm:at", "mmm:att"),
        (NOT_AT, "explain =", "explian ="),
        ("needs/own.toml", "title =", "titel ="),
    ):
        text = (rules / path).read_text(encoding="utf-8")
        (rules / path).write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(PackError) as error:
        load(Edition(ROOT / "ontologies", rules), [])
    told = str(error.value)
    assert all(words in told for words in ("mmm#att", "nothing reads `explian`", "nothing reads `titel`"))


def test_two_rules_of_one_name_are_refused(tmp_path: Path) -> None:
    """A pack may not bring a rule with the id of another."""
    shutil.copytree(ROOT / "ontologies", tmp_path / "ontologies")
    folder = tmp_path / "ontologies" / "friends_meet" / "rules" / "pa_status"
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "rules" / NOT_AT, folder)
    with pytest.raises(PackError, match="two rules are called `not_at_from`"):
        load(Edition(tmp_path / "ontologies", ROOT / "rules"), ["friends_meet"])


def test_a_rule_of_a_pack_holds_in_that_pack_only(tmp_path: Path) -> None:
    """Core's Domain does not know it; the pack's does, and says whose it is."""
    shutil.copytree(ROOT / "ontologies", tmp_path / "ontologies")
    folder = tmp_path / "ontologies" / "friends_meet" / "rules" / "pa_status"
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "rules" / NOT_AT, folder / "not_there.toml")
    with_pack = load(Edition(tmp_path / "ontologies", ROOT / "rules"), ["friends_meet"])
    assert with_pack.rules["not_there"].source == "friends_meet@0.1.0"
    assert "not_there" in {rule.id for rule in with_pack.blocking["MM-Move"]}
    assert "not_there" not in load(Edition(tmp_path / "ontologies", ROOT / "rules"), []).rules


def test_every_builtin_has_a_file_and_no_pattern() -> None:
    """What reading and deciding raise themselves is described like every other rule."""
    domain = load(EDITION, [])
    assert {rule.id for rule in domain.rules.values() if rule.builtin} == BUILTIN
    assert all((rule.pattern is None) == rule.builtin for rule in domain.rules.values())
    assert domain.sources == ("core@" + core().packs[0].version,)
