"""The golden cases of the Kinds of knowledge, by function, HTTP and command line alike (SEMANTICS 3, 8)."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.authoring.answers import Case, mismatches, read_cases
from app.cli import main
from app.cli.question import fresh_id
from app.errors import PackError
from app.exchange import simple_time
from app.kinds import KINDS
from app.model import LOCAL
from app.service import Service
from app.settings import PREFIX, Settings
from tests.processes import stand_alone
from tests.rig import Rig, client_of

ROOT = Path(__file__).parents[1]
COTTAGE = ROOT / "tests" / "kinds" / "cottage"
FILES = sorted([*ROOT.glob("tests/golden/kinds/*.toml"), *ROOT.glob("ontologies/*/answers/*.toml")])
READ = [(path, case) for path in FILES for case in read_cases(path)]
CASES = [case for _, case in READ]
IDS = [f"{path.parents[1].name}: {path.stem}: {case.name}" for path, case in READ]
MORNING = "2026-03-04T09:00:00Z"


def packs_with_the_cottage(folder: Path) -> Path:
    """A folder of all packs and the one that is made for these cases."""
    folder.mkdir(parents=True)
    for pack in (*(p.parent for p in ROOT.glob("ontologies/*/pack.toml")), COTTAGE):
        (folder / pack.name).symlink_to(pack, target_is_directory=True)
    return folder


def worlds() -> tuple[str, ...]:
    """The packs whose worlds the cases ask in."""
    served = {case.m_instance for case in CASES}
    found = (*ROOT.glob("ontologies/*/worlds/*.ttl"), *COTTAGE.glob("worlds/*.ttl"))
    return tuple(sorted({path.parents[1].name for path in found if path.stem in served}))


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("kinds")
    return Settings(data=folder / "data", ontologies=packs_with_the_cottage(folder / "ontologies"), worlds=worlds())


@pytest.fixture(scope="module")
def rig(settings: Settings) -> Iterator[Rig]:
    with Service.open(settings) as service:
        yield Rig(settings, service, client_of(service, settings))


def message(case: Case, asked: Mapping[str, Any], dialog: str, turn: int) -> bytes:
    """A Request of a case."""
    query_id = fresh_id()
    at = asked.get("at", case.at) or MORNING
    request = {
        "Header": "PGM-KDA-V1.0",
        "Mode": "RQ",
        "MInstance": case.m_instance,
        "UEnvironment": case.u_environment,
        "SessionID": case.session,
        "QueryID": query_id,
        "QueryTime": time_of(at, f"{query_id}-time"),
        "DialogID": dialog,
        "TurnIndex": turn,
        "Kind": case.kind,
        **{name: value for name, value in asked.items() if name != "at"},
    }
    return json.dumps(request, ensure_ascii=False).encode()


def time_of(at: str, name: str) -> Any:
    return simple_time(datetime.fromisoformat(at), name).model_dump(mode="json", exclude_none=True)


def turns(case: Case) -> Iterator[bytes]:
    """The Requests of a case in their dialogue, the one that counts last."""
    dialog = fresh_id()
    for turn, asked in enumerate((*case.before, case.ask)):
        yield message(case, asked, dialog, turn)


def by_function(rig: Rig, case: Case) -> Any:
    return [json.loads(rig.service.answer(raw, LOCAL)) for raw in turns(case)][-1]


def by_http(rig: Rig, case: Case) -> Any:
    return [rig.ask(raw).json() for raw in turns(case)][-1]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_function_and_http_give_what_the_case_expects(rig: Rig, case: Case) -> None:
    response = by_function(rig, case)
    assert mismatches(case, response) == []
    assert by_http(rig, case).get("Answer") == response.get("Answer")


@pytest.mark.parametrize("kind", sorted({case.kind for case in CASES}))
def test_the_command_agrees_with_the_function(
    rig: Rig, kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`ask - --json` gives the same for the first case of each Kind."""
    stand_alone(monkeypatch, tmp_path)
    monkeypatch.setenv(f"{PREFIX}ONTOLOGIES", str(rig.settings.ontologies))
    monkeypatch.setenv(f"{PREFIX}WORLDS", ",".join(rig.settings.worlds))
    case = next(case for case in CASES if case.kind == kind and not case.before)
    (raw,) = turns(case)
    response = json.loads(CliRunner().invoke(main, ["ask", "-", "--json"], input=raw, env=os.environ).stdout)
    assert mismatches(case, response) == []
    assert response.get("Answer") == by_function(rig, case).get("Answer")


def test_there_are_enough_cases_of_every_kind() -> None:
    """Every Kind of knowledge has cases, no two of a file have the same name, and every file is read."""
    counted = Counter(case.kind for case in CASES)
    assert set(counted) == set(KINDS) - {"feasibility", "commitment"}
    assert [name for name, n in Counter(IDS).items() if n > 1] == []
    headings = sum(path.read_text(encoding="utf-8").splitlines().count("[[case]]") for path in FILES)
    assert len(CASES) == headings >= 344


def test_a_case_that_nothing_reads_is_a_fault(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text(
        'kind = "affordances"\nfoo = 1\n[[case]]\nname = "n"\nask = {}\n[case.expect]\nOutcom = "answered"\n'
    )
    with pytest.raises(PackError) as caught:
        read_cases(file)
    said = [fault.message for fault in caught.value.faults]
    assert said[:2] == ["nothing reads `foo`", "nothing reads `Outcom`"]
    assert "expect.Outcome" in said[2]


def test_a_wrong_expectation_is_noticed(rig: Rig) -> None:
    """Each member that a case may expect is compared."""
    case = next(case for case in CASES if case.kind == "affordances")
    response = by_function(rig, case)
    wrong = {
        "Affordances": ["x|y"], "Granted": ["x|y|z"], "Classes": ["x:y"], "Relations": ["x|y|z"],
        "Expectations": ["x"],
        "Constraints": ["\0"], "Text": ["\0"], "NoText": [response["Answer"]["Text"][:3]],
    }  # fmt: skip
    for member, value in wrong.items():
        expect = {"Outcome": response["Outcome"], member: value}
        altered = Case(case.name, case.kind, case.m_instance, case.u_environment, case.session, case.ask, expect)
        assert len(mismatches(altered, response)) == 1, member


def test_the_command_makes_a_request_of_any_kind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`ask --kind` with what it is about; a Kind that is none is refused with those that are."""
    stand_alone(monkeypatch, tmp_path)
    plain = ["ask", "--kind", "affordances", "--user", "Friend2", "--entity", "Persona2ID"]
    told = CliRunner().invoke(main, plain)
    assert told.exit_code == 0
    assert "- Persona2ID: MM-Move" in told.stdout
    words = ["ask", "--kind", "semantic_grounding", "--term", "avatar", "--term", "zeppelin", "--json"]
    grounded = CliRunner().invoke(main, words)
    assert grounded.exit_code == 1
    assert json.loads(grounded.stdout)["Outcome"] == "partially_answered"
    wrong = CliRunner().invoke(main, ["ask", "--kind", "affordance"])
    assert wrong.exit_code == 2
    assert all(kind in wrong.output for kind in KINDS)
    assert CliRunner().invoke(main, ["ask"]).exit_code == 2


def test_openapi_names_every_kind_served(rig: Rig) -> None:
    """With its title; an example of each that the schemas have one of."""
    described = rig.client.get("/openapi.json").json()["paths"]["/v1/bkn-dac"]["post"]
    assert all(f"`{name}`: {kind.title}" in described["description"] for name, kind in KINDS.items())
    examples = described["requestBody"]["content"]["application/json"]["examples"]
    assert {"feasibility", "affordances", "semantic_grounding"} <= set(examples) <= set(KINDS)
