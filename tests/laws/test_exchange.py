"""Laws of the exchange: models, structural layer and a JSON Schema validator agree; nothing is lost on the way."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ValidationError
from referencing import Registry, Resource

from app.errors import MessageError
from app.exchange import (
    EXCHANGES,
    BknDac,
    Request,
    Response,
    canonical,
    check,
    exchange_of,
    faults_of,
    read_request,
    write_response,
)
from app.exchange.conformance import prose_faults
from app.exchange.parts import Part
from app.exchange.published import id_of
from app.exchange.reader import MAX_FAULTS, parse
from app.exchange.structure import Structure

FILES = (Path(__file__).parents[2] / "schemas").glob("*.json")
SCHEMAS: dict[str, dict[str, Any]] = {
    schema["$id"]: schema for schema in (json.loads(path.read_text(encoding="utf-8")) for path in FILES)
}
ROOT = id_of(BknDac)
ROOTS = [id_of(exchange.model) for exchange in EXCHANGES.values()]
REGISTRY: Registry[Any] = Registry().with_resources(
    (id, Resource.from_contents(schema)) for id, schema in SCHEMAS.items()
)


def oracle(id: str) -> Draft202012Validator:
    """A JSON Schema validator for a data type, formats asserted."""
    return Draft202012Validator({"$ref": id}, registry=REGISTRY, format_checker=Draft202012Validator.FORMAT_CHECKER)


ORACLES = {id: oracle(id) for id in SCHEMAS}

LAW = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)

WORDS = st.sampled_from(["", "a", "RoomID", "é", "\U0001f600", "a b", "PGM-KDA-V1.0", "Persona1ID"])
URIS = st.sampled_from(["https://example.org/Door#a", "urn:x:y", "a:", "https://[::1]:80/%41?q", "a:%zz"])
NUMBERS = st.one_of(st.integers(-2, 300), st.sampled_from([0.0, 1.0, 0.5, -1.5, 1e30, 2**60, 1_767_254_400_000]))
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=3)),
    max_leaves=5,
)
PATTERNS = {
    "^[A-Z]{3}": ["PGM-KDA-V1.0", "PTF-DEM-V10.25"],
    "^[A-Fa-f0-9]{64}": ["0" * 64, "aF" * 32],
    "^[A-Za-z0-9._-]": ["1.3", "v"],
    "^([0-9A-F]{2})": ["0A", "0A1B"],
    "^[A-Fa-f0-9]{24}": ["0" * 24],
    r"^(\+[0-9]+": ["+2h", "in 3 days"],
    "^[0-9]+$": ["12"],
}


def texts(schema: dict[str, Any]) -> st.SearchStrategy[str]:
    """Strings that mostly fit a schema."""
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema.get("format") == "uuid":
        return st.uuids().map(str)
    if schema.get("format") == "date-time":
        return st.sampled_from(["2026-02-28T23:59:59.5+01:00", "2024-02-29t00:00:00z", "2026-02-29T00:00:00Z"])
    if "format" in schema:
        return URIS
    for start, choices in PATTERNS.items():
        if schema.get("pattern", "").startswith(start):
            return st.sampled_from(choices)
    return WORDS


@st.composite
def fitting(draw: st.DrawFn, schema: dict[str, Any], depth: int = 0) -> Any:
    """A value that mostly fits a schema; the deeper, the fewer members."""
    while "$ref" in schema:
        schema = SCHEMAS[schema["$ref"]]
    if "oneOf" in schema:
        schema = draw(st.sampled_from(schema["oneOf"]))
    match schema.get("type", "anything"):
        case "anything":
            return draw(JSON)
        case "object":
            known: dict[str, Any] = schema.get("properties", {})
            required = schema.get("required", [])
            optional = sorted(set(known) - set(required))
            least = max(0, schema.get("minProperties", 0) - len(required))
            most = min(schema.get("maxProperties", 99) - len(required), max(least, 5 - depth), len(optional))
            chosen = draw(st.sets(st.sampled_from(optional), min_size=least, max_size=most)) if most > 0 else set()
            wanted = [name for name in known if name in chosen or name in required]
            found = {name: draw(fitting(known[name], depth + 1)) for name in wanted}
            for condition in [*schema.get("allOf", ()), *([schema] if "if" in schema else ())]:
                if draw(st.integers(0, 7)):
                    draw(conditioned(condition, known, found, depth))
            return found
        case "array":
            least = schema.get("minItems", 0)
            most = schema.get("maxItems", least + 2)
            return [draw(fitting(schema["items"], depth + 1)) for _ in range(draw(st.integers(least, most)))]
        case "string":
            return draw(texts(schema))
        case "boolean":
            return draw(st.booleans())
        case "integer":
            return draw(st.integers(schema.get("minimum", -5), schema.get("maximum", 9)))
        case _:
            return draw(st.sampled_from([0, 1, 0.5, 1.0, schema.get("minimum", -7.25)]))


@st.composite
def conditioned(draw: st.DrawFn, condition: dict[str, Any], known: dict[str, Any], found: Any, depth: int) -> None:
    """Change the members of an object to what a condition wants of it."""
    met = Draft202012Validator(condition["if"]).is_valid(found)
    wanted = condition.get("then" if met else "else", {})
    for name in wanted.get("required", ()):
        if name not in found:
            found[name] = draw(fitting(known[name], depth + 1))
    for name, member in wanted.get("properties", {}).items():
        if name in found and member is False:
            del found[name]
        elif name in found and ("const" in member or "enum" in member):
            found[name] = draw(st.sampled_from(member.get("enum", [member.get("const")])))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value below."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for step, inner in entries for found in ((*path, step), *places(inner, (*path, step)))]


NAMES = sorted({name for schema in SCHEMAS.values() for name in schema["properties"]} | {"Unknown", "", "a/b~"})


@st.composite
def mutated(draw: st.DrawFn, document: Any) -> Any:
    """A document with up to three changes: a value replaced, removed, added, or a number written otherwise."""
    document = copy.deepcopy(document)
    for _ in range(draw(st.integers(0, 3))):
        ways = places(document)
        if not ways:
            break
        *above, last = draw(st.sampled_from(ways))
        holder = document
        for step in above:
            holder = holder[step]
        match draw(st.sampled_from(["replace", "remove", "add", "double", "repeat"])):
            case "replace":
                holder[last] = draw(JSON)
            case "remove":
                del holder[last]
            case "add" if isinstance(holder, dict):
                holder[draw(st.sampled_from(NAMES))] = draw(JSON)
            case "double" if type(holder[last]) is int:
                holder[last] = float(holder[last])
            case _ if isinstance(holder, list):
                holder.append(copy.deepcopy(holder[last]))
    return document


MESSAGES = fitting({"$ref": ROOT})
MUTATED = MESSAGES.flatmap(mutated)
ANY_MUTATED = st.sampled_from(ROOTS).flatmap(lambda id: fitting({"$ref": id}).flatmap(mutated))


def conforming(model: type[BaseModel], **own: str) -> st.SearchStrategy[dict[str, Any]]:
    """Messages of one Mode that conform."""
    messages = MESSAGES.map(lambda message: {n: v for n, v in message.items() if n in model.model_fields} | own)
    return messages.filter(lambda message: not faults_of(message, strict=False).faults)


REQUESTS = conforming(Request, Mode="RQ", Kind="affordances")
RESPONSES = conforming(Response, Mode="RS", RequestID="q", Outcome="answered")
SECONDARY = st.sampled_from(sorted(SCHEMAS)).flatmap(
    lambda id: st.tuples(st.just(id), fitting({"$ref": id}).flatmap(mutated))
)


def accepts(validate: Callable[[Any], object], document: Any) -> bool:
    """Whether a model takes the document."""
    try:
        validate(document)
    except ValidationError:
        return False
    return True


def holds_null(value: Any) -> bool:
    """Whether the models, for which an absent member is None, cannot be asked."""
    if isinstance(value, dict | list):
        return any(map(holds_null, value.values() if isinstance(value, dict) else value))
    return value is None


@LAW
@given(ANY_MUTATED, st.sampled_from(ROOTS))
def test_the_structural_layer_accepts_what_json_schema_accepts(document: Any, other: str) -> None:
    """Draft 2020-12 with the schemas on disk, formats asserted, is the measure; for the other exchanges, too."""
    for id in {*(exchange_id for exchange_id in ROOTS if header_of(exchange_id) == document.get("Header")), other}:
        assert (not any(Structure(SCHEMAS, id).faults(document))) == ORACLES[id].is_valid(document)


def header_of(id: str) -> Any:
    """The Header of the messages of an exchange."""
    return SCHEMAS[id]["properties"]["Header"]["const"]


@LAW
@given(SECONDARY)
def test_every_secondary_type_accepts_what_json_schema_accepts(case: tuple[str, Any]) -> None:
    """The same for each data type by itself, so that deep ones are reached."""
    id, document = case
    assert (not any(Structure(SCHEMAS, id).faults(document))) == ORACLES[id].is_valid(document)


def models() -> dict[str, Any]:
    """The model of every schema, by `$id`."""
    found: dict[str, Any] = {}
    ahead: list[type[Part]] = [Part]
    while ahead:
        model = ahead.pop()
        extra = model.model_config.get("json_schema_extra")
        if isinstance(extra, dict) and "$id" in extra:
            found[str(extra["$id"])] = model
        ahead += model.__subclasses__()
    return found


MODELS = models()


def test_every_schema_has_its_model() -> None:
    """So that the laws below leave none out; what is not MPAI's is no exchange."""
    assert {name for name in MODELS if "/domain-access/" not in name} == set(SCHEMAS)


@LAW
@given(SECONDARY.filter(lambda case: not holds_null(case[1])))
def test_every_model_accepts_what_the_structural_layer_accepts(case: tuple[str, Any]) -> None:
    """The fast way and the thorough way never differ (`null` apart, which only the thorough way judges)."""
    id, document = case
    assert accepts(MODELS[id].model_validate, document) == (not any(Structure(SCHEMAS, id).faults(document)))


@LAW
@given(MUTATED | REQUESTS | REQUESTS.flatmap(mutated))
def test_a_request_is_read_exactly_when_it_conforms(document: Any) -> None:
    """`read_request` refuses with the faults of both layers and never otherwise."""
    raw = json.dumps(document).encode()
    faults = faults_of(document, strict=False).faults
    if faults or document["Mode"] == "RS":
        with pytest.raises(MessageError) as caught:
            read_request(raw)
        assert set(faults) <= set(caught.value.faults)
    else:
        assert json.loads(read_request(raw).model_dump_json(exclude_unset=True)) == document


@LAW
@given(ANY_MUTATED)
def test_the_library_call_tells_the_faults_of_both_layers(document: Any) -> None:
    """The models, which are asked first as they are fast, never hide a fault; warnings have a place and a hint."""
    exchange = exchange_of(document)
    found = check(document)
    if exchange is None:
        assert len(found.faults) == 1
        return
    structural = [*Structure(SCHEMAS, id_of(exchange.model)).faults(document)]
    expected = [*structural, *prose_faults(exchange, document, strict=True)][:MAX_FAULTS]
    assert [(fault.code, fault.where) for fault in found.faults] == [(fault.code, fault.where) for fault in expected]
    assert all(fault.where.startswith("/") and fault.hint for fault in found.warnings)


@LAW
@given(MUTATED)
def test_every_fault_tells_a_place_a_clause_and_a_hint(document: Any) -> None:
    """No fault is mute, and pointers lead to what exists or to what is missing in something that exists."""
    for fault in faults_of(document).faults:
        assert fault.message
        assert fault.clause
        assert fault.hint
        value = document
        for step in fault.where.split("/")[1:-1]:
            value = value[int(step) if isinstance(value, list) else step.replace("~1", "/").replace("~0", "~")]
        assert fault.where == "" or isinstance(value, dict | list)


@LAW
@given(RESPONSES)
def test_a_response_is_written_as_it_was_read(document: Any) -> None:
    """Whatever conforms in Mode RS survives the model and the writer."""
    assert json.loads(write_response(Response.model_validate(document))) == document


@LAW
@given(REQUESTS, st.randoms(use_true_random=False))
def test_the_canonical_form_knows_no_order_and_no_space(document: Any, random: Any) -> None:
    """Two texts of one Request have the same canonical form (RFC 8785)."""

    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: shuffled(value[name]) for name in random.sample(sorted(value), len(value))}
        return [shuffled(entry) for entry in value] if isinstance(value, list) else value

    first = read_request(json.dumps(document).encode())
    second = read_request(json.dumps(shuffled(document), indent=3, ensure_ascii=False).encode())
    assert canonical(first) == canonical(second)
    assert json.loads(canonical(first)) == document


@LAW
@given(JSON, st.booleans())
def test_the_reader_reads_what_json_says(document: Any, ascii_only: bool) -> None:
    """On texts without oddities our reader is the standard library's."""
    assert parse(json.dumps(document, ensure_ascii=ascii_only).encode()) == document
