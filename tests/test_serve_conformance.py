"""`POST /v1/conformance/{exchange}`: what conforms, what does not, and what is no question."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from app.exchange import EXCHANGES, check
from app.exchange.reader import MAX_BYTES
from tests.exchange_documents import ALL_EXAMPLES, example
from tests.rig import JSON, Rig, bearer, open_rig, with_tokens

EXAMPLES = sorted(ALL_EXAMPLES.glob("*/*/*.json"))


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with open_rig(tmp_path_factory.mktemp("data")) as opened:
        yield opened


def post(rig: Rig, exchange: str, body: Any, **headers: str) -> Any:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return rig.client.post(f"/v1/conformance/{exchange}", content=content, headers=JSON | headers)


def test_every_example_is_judged_as_the_library_judges_it(rig: Rig) -> None:
    assert len(EXAMPLES) == 112
    conforming = 0
    for path in EXAMPLES:
        exchange, kind = path.parts[-3:-1]
        answered = post(rig, exchange, path.read_bytes())
        assert answered.status_code == 200
        found = answered.json()
        judged = check(json.loads(path.read_bytes()), EXCHANGES[exchange])
        assert found == {"exchange": EXCHANGES[exchange].name, **judged.as_json()}
        assert found["conforms"] == (kind == "valid"), path
        conforming += found["conforms"]
    assert conforming == 32


def test_a_pair_is_judged_together(rig: Rig) -> None:
    request, response = example("bkn-pal", "stance_request"), example("bkn-pal", "stance_response")
    assert post(rig, "bkn-pal", {"request": request, "response": response}).json()["conforms"] is True
    found = post(rig, "bkn-pal", {"request": request, "response": response | {"TurnIndex": 3}}).json()
    assert [(fault["code"], fault["pointer"]) for fault in found["faults"]] == [
        ("wrong_correlation", "/response/TurnIndex")
    ]


def test_a_message_is_of_the_exchange_of_the_path(rig: Rig) -> None:
    found = post(rig, "bkn-usr", example("bkn-pal", "stance_request")).json()
    assert "/Header" in {fault["pointer"] for fault in found["faults"]}


def test_warnings_do_not_count(rig: Rig) -> None:
    message = example("bkn-pal", "stance_request")
    del message["QueryTime"]["SimpleTimeData"][0]["AccuracyMode"]
    found = post(rig, "bkn-pal", message).json()
    assert (found["conforms"], len(found["faults"]), len(found["warnings"])) == (True, 0, 1)


@pytest.mark.parametrize("body", [b"[]", b"null", b"3", b'"x"', b"{}"])
def test_json_that_is_no_message_is_judged_too(rig: Rig, body: bytes) -> None:
    answered = post(rig, "bkn-dac", body)
    assert answered.status_code == 200
    assert answered.json()["conforms"] is False


def test_what_is_no_json_is_an_error(rig: Rig) -> None:
    for body, code in ((b"{", "not_json"), (b'{"a": 1, "a": 1}', "duplicate_member"), (b"", "not_json")):
        answered = post(rig, "bkn-dac", body)
        assert (answered.status_code, answered.json()["errors"][0]["code"]) == (400, code)
    assert post(rig, "bkn-dac", b"{}", **{"Content-Type": "text/plain"}).status_code == 415
    assert post(rig, "bkn-dac", b" " * (MAX_BYTES + 1)).status_code == 413


def test_there_is_no_other_exchange(rig: Rig) -> None:
    near, far = post(rig, "bkn-dca", {}), post(rig, "zzz", {})
    assert near.status_code == far.status_code == 404
    assert near.json()["errors"][0]["hint"] == "did you mean `bkn-dac`?"
    assert all(name in far.json()["errors"][0]["hint"] for name in EXCHANGES)


def test_only_known_callers_are_answered(rig: Rig) -> None:
    guarded = with_tokens(rig)
    body = example("bkn-pal", "stance_request")
    assert guarded.post("/v1/conformance/bkn-pal", json=body).status_code == 401
    assert guarded.post("/v1/conformance/bkn-pal", json=body, headers=bearer("reader")).json()["conforms"] is True


def test_the_description_takes_what_is_asked(rig: Rig) -> None:
    described = rig.client.get("/openapi.json").json()
    operation = described["paths"]["/v1/conformance/{exchange}"]["post"]
    asked = operation["requestBody"]["content"]["application/json"]["schema"]
    answered = operation["responses"]["200"]["content"]["application/json"]["schema"]
    pair = {"request": example("bkn-usr", "question_request"), "response": example("bkn-usr", "knowledge_response")}
    for body in (pair, pair["request"], example("bkn-prc", "intent_response")):
        assert Draft202012Validator({**described, **asked}).is_valid(body)
        exchange = "bkn-prc" if "Representation" in body else "bkn-usr"
        assert Draft202012Validator(answered).is_valid(post(rig, exchange, body).json())
    assert not Draft202012Validator({**described, **asked}).is_valid({"request": pair["request"]})
    assert operation["parameters"][0]["schema"]["enum"] == list(EXCHANGES)
