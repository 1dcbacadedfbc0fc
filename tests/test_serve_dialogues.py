"""Dialogues over HTTP, in each database: what one holds, its end, its expiry; two servers that share them."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest

from app.service import Service
from app.settings import Settings
from tests.databases import Database
from tests.processes import serving
from tests.rig import JSON, Rig, bearer, client_of, log_to, request, with_tokens

MOVE = "Friend2 MM-Moves Persona2ID From MLocFriend2 To MVS"
ODD = ["d", "https://dialogues.example/1?a=b#c", "a/b//c", "näher %2F", "\u20ac\t", "..", " "]


@pytest.fixture
def rig(tmp_path: Path, database: Database) -> Iterator[Rig]:
    settings = Settings(data=tmp_path, database=database.url)
    with Service.open(settings) as service, log_to(StringIO(), settings):
        yield Rig(settings, service, client_of(service, settings))


def path_of(asked: dict[str, Any]) -> str:
    names = (asked[name] for name in ("MInstance", "UEnvironment", "SessionID", "DialogID"))
    return "/v1/dialogues/" + "/".join(quote(name, safe="").replace(".", "%2E") for name in names)


@pytest.mark.parametrize("name", ODD, ids=range(len(ODD)))
def test_a_dialogue_is_told_and_ended(rig: Rig, name: str) -> None:
    asked = request(MOVE, DialogID=name, SessionID=f"s{name}")
    answers = [rig.ask({**asked, "QueryID": f"q{n}", "TurnIndex": n}).json() for n in range(3)]
    beside = {**asked, "DialogID": name + "x"}
    assert rig.ask(beside).status_code == 200

    told = rig.client.get(path_of(asked))
    assert told.status_code == 200
    dialogue = told.json()
    assert [dialogue[each] for each in ("DialogID", "SessionID")] == [name, f"s{name}"]
    assert (dialogue["turn_count"], [turn["TurnIndex"] for turn in dialogue["turns"]]) == (3, [2, 1, 0])
    assert [turn["QueryID"] for turn in dialogue["turns"]] == [a["QueryID"] for a in reversed(answers)]
    assert dialogue["latest"] < dialogue["expires"]

    assert rig.client.delete(path_of(asked)).status_code == 204
    gone = [
        rig.client.get(path_of(asked)),
        rig.client.delete(path_of(asked)),
        rig.ask({**asked, "QueryID": "q0", "TurnIndex": 0}),
        rig.ask({**asked, "QueryID": "q9", "TurnIndex": 9}),
    ]
    assert [(each.status_code, each.json()["errors"][0]["code"]) for each in gone] == [(410, "dialogue_closed")] * 4
    assert rig.client.get(f"/v1/answers/{answers[0]['QueryID']}/explanation").status_code == 404
    assert rig.client.get(path_of(beside)).json()["turn_count"] == 1


@pytest.mark.parametrize("path", ["MI1/UE1/s", "MI1/UE1/s/d/e", "MI1/UE1/s/never", "MI9/UE1/s/d"])
@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_what_is_not_there_is_not_found(rig: Rig, method: str, path: str) -> None:
    assert rig.client.request(method, f"/v1/dialogues/{path}").status_code == 404


def test_a_dialogue_of_an_m_instance_that_the_caller_may_not_see_is_unknown(rig: Rig) -> None:
    asked = request(MOVE)
    assert rig.ask(asked).status_code == 200
    client, path = with_tokens(rig), path_of(asked)
    assert client.get(path).status_code == 401
    assert [client.request(m, path, headers=bearer("reader")).status_code for m in ("GET", "DELETE")] == [403, 403]
    hidden = client.delete(path, headers=bearer("elsewhere"))
    absent = client.delete(path_of({**asked, "DialogID": "no"}), headers=bearer("asker"))
    assert (hidden.status_code, absent.status_code) == (404, 404)
    assert hidden.json()["detail"].replace(asked["DialogID"], "no") == absent.json()["detail"]
    assert client.get(path, headers=bearer("asker")).status_code == 200


def test_a_dialogue_expires_so_many_days_after_its_last_turn(tmp_path: Path, database: Database) -> None:
    settings = Settings(data=tmp_path, database=database.url, dialogue_days=2)
    now = datetime(2026, 5, 1, tzinfo=UTC)
    with Service.open(settings) as service, log_to(StringIO(), settings):
        service._clock = lambda: now
        rig = Rig(settings, service, client_of(service, settings))
        old, young = request(MOVE), request(MOVE)
        assert rig.ask(old).status_code == 200
        told = rig.client.get(path_of(old)).json()
        assert datetime.fromisoformat(told["expires"]) == now + timedelta(days=2)
        now += timedelta(days=2)
        assert rig.ask(young).status_code == 200
        assert rig.client.get(path_of(old)).status_code == 200  # the second day is not over
        now += timedelta(minutes=11)
        assert rig.ask({**young, "QueryID": "later", "TurnIndex": 1}).status_code == 200
        assert rig.client.get(path_of(old)).status_code == 410
        assert rig.client.get(path_of(young)).status_code == 200


# Two servers


def post(address: str, message: dict[str, Any]) -> tuple[int, bytes]:
    host, _, port = address.removeprefix("http://").rpartition(":")
    connection = HTTPConnection(host, int(port), timeout=60)
    connection.request("POST", "/v1/bkn-dac", json.dumps(message).encode(), JSON)
    response = connection.getresponse()
    try:
        return response.status, response.read()
    finally:
        connection.close()


def test_two_servers_share_dialogues_and_put_turns_in_one_order(database: Database, tmp_path: Path) -> None:
    """Eight callers talk in two dialogues through both servers at once, each trying until its turn is accepted."""
    setting = {"database": database.url}
    with serving(tmp_path / "a", **setting) as (_, one, _), serving(tmp_path / "b", **setting) as (_, other, _):
        dialogues = [request(MOVE), request(MOVE)]
        said: list[tuple[dict[str, Any], bytes]] = []
        keeping = threading.Lock()

        def talk(caller: int) -> None:
            dice = random.Random(caller)
            for number in range(6):
                asked = {**dialogues[caller % 2], "QueryID": str(uuid4()), "TurnIndex": 0}
                for _ in range(100):
                    status, answer = post(dice.choice((one, other)), asked)
                    if status == 200:
                        break
                    assert status in (409, 503), answer
                    if status == 409:  # "the next is 7"
                        asked["TurnIndex"] = int(json.loads(answer)["errors"][0]["hint"].split()[-1])
                else:
                    pytest.fail(f"turn {number} of caller {caller} was never accepted")
                with keeping:
                    said.append((dict(asked), answer))

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(talk, range(8)))
        for asked, answer in said:
            assert post(one, asked) == post(other, asked) == (200, answer)
        host, _, port = other.removeprefix("http://").rpartition(":")
        connection = HTTPConnection(host, int(port), timeout=60)
        for dialogue in dialogues:
            connection.request("GET", path_of(dialogue))
            told = json.loads(connection.getresponse().read())
            mine = {a["QueryID"]: a["TurnIndex"] for a, _ in said if a["DialogID"] == dialogue["DialogID"]}
            assert len(mine) == told["turn_count"] == 24
            assert {turn["RequestID"]: turn["TurnIndex"] for turn in told["turns"]} == mine
        connection.close()
    assert database.count("turn") == database.count("explanation") == 48
