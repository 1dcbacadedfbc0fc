"""The MCP bridge: each tool is derived from its Kind, and gives what function and HTTP give (DESIGN 7)."""

from __future__ import annotations

import gc
import json
import os
import re
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from jsonschema import Draft202012Validator
from mcp import StdioServerParameters, types
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from app.cli.question import fresh_id
from app.kinds import KINDS
from app.model import LOCAL
from app.serve_mcp import create_server
from app.serve_mcp.resources import LEVELS, SCHEME, SOURCES
from app.serve_mcp.results import BUDGET
from app.serve_mcp.tools import TOOLS
from tests.mcp_rig import MODES, Session, connected
from tests.processes import environment, serving
from tests.rig import JSON, SECRETS, TOKENS, Rig, open_rig

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
# A client that ends its transport leaves sockets to the collector; what is tested here is what was answered.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
MOVE = "Friend2 MM-Moves Persona2ID From MLocFriend2 To MVS With SA6"
REFUSED = "Friend2 MM-Moves Persona2ID From MVS To MLocFriend2 With SA6"
ENVELOPE = {
    "protocolVersion": "2026-07-28",
    "clientCapabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
HEADERS = JSON | {"Accept": "application/json, text/event-stream"}


@pytest.fixture(autouse=True)
def collected(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a transport leaves is collected here, and not while another test runs."""
    yield
    if "address" in request.fixturenames or request.function.__name__.startswith("test_over"):
        gc.collect()


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with open_rig(tmp_path_factory.mktemp("data")) as opened:
        yield opened


@pytest.fixture(scope="module", params=MODES)
def session(rig: Rig, request: pytest.FixtureRequest) -> Iterator[Session]:
    with connected(create_server(lambda: rig.service, "1"), request.param) as opened:
        yield opened


# Tools


def test_there_is_a_tool_for_each_kind_and_two_more(session: Session) -> None:
    listed = session.portal.call(session.client.list_tools).tools
    assert [tool.name for tool in listed] == [*KINDS, "bkn_dac", "set_action_context"]
    for tool in listed:
        Draft202012Validator.check_schema(tool.input_schema)
        assert tool.output_schema is not None
        assert tool.description is not None
        assert "Example: " in tool.description
        assert tool.annotations is not None
        assert all(member.get("description") for member in tool.input_schema["properties"].values())


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_the_example_of_a_guide_is_a_call(rig: Rig, kind: Any) -> None:
    """What the description shows can be sent as it is."""
    example = json.loads("{" + kind.guide.rsplit("Example: {", 1)[1])
    with connected(create_server(lambda: rig.service, "1")) as session:
        result = session.call(kind.name, **{k: v for k, v in example.items() if k != "user"})
    assert not result.is_error, result.structured_content


def test_a_long_answer_is_given_page_after_page(session: Session) -> None:
    """Each within its budget, each saying where it goes on; together they have every step once."""
    plan = [MOVE, REFUSED] * 60
    offset: int | None = 0
    found: list[int] = []
    while offset is not None:
        answer = session.ask("feasibility", plan=plan, offset=offset)
        assert len(json.dumps(answer)) <= BUDGET + 1_000
        found += [step["step"] for step in answer["steps"]]
        assert answer["left_out"] == len(plan) - len(found)
        offset = answer["next_offset"]
    assert found == [*range(len(plan))]


def test_structured_and_text_content_say_the_same(session: Session) -> None:
    result = session.call("feasibility", plan=[MOVE])
    assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
    Draft202012Validator(TOOLS["feasibility"].described.output_schema).validate(result.structured_content)


def test_no_answer_is_silent(session: Session) -> None:
    """A tool that has nothing to work on says which argument would help."""
    answer = session.ask("semantic_grounding")
    assert answer["outcome"] == "not_answered"
    assert answer["text"]


# Dialogues


def test_an_answer_hands_out_its_dialogue_and_goes_on_with_it(session: Session) -> None:
    first = session.ask("feasibility", plan=[MOVE])
    again = session.ask("feasibility", plan=[MOVE], dialogue=first["dialogue"])
    assert again["dialogue"] == first["dialogue"]
    assert again["query_id"] != first["query_id"]


def test_a_dialogue_goes_without_saying_where_the_revision_has_sessions(rig: Rig) -> None:
    server = create_server(lambda: rig.service, "1")
    with connected(server, "legacy") as one, connected(server, "legacy") as other:
        mine = [one.ask("feasibility", plan=[MOVE])["dialogue"] for _ in range(2)]
        theirs = other.ask("feasibility", plan=[MOVE])["dialogue"]
    assert mine[0] == mine[1] != theirs
    with connected(server, "auto") as newest:
        assert len({newest.ask("feasibility", plan=[MOVE])["dialogue"] for _ in range(2)}) == 2


def test_turns_of_one_dialogue_that_come_together_are_all_answered(session: Session) -> None:
    dialogue = fresh_id()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: session.ask("feasibility", plan=[MOVE], dialogue=dialogue), range(8)))
    assert len({answer["query_id"] for answer in answers}) == 8


def test_commitments_of_a_dialogue_are_told_page_after_page(session: Session) -> None:
    """As many as a dialogue may have: each page within its budget."""
    given = {f"promise-{n:03}": f"let us keep to promise {n}" for n in range(200)}
    dialogue = fresh_id()
    session.ask("commitment", dialogue=dialogue, commitments=given)
    offset: int | None = 0
    found: dict[str, str] = {}
    while offset is not None:
        answer = session.ask(
            "commitment", dialogue=dialogue, commitments={"promise-000": given["promise-000"]}, offset=offset
        )
        assert len(json.dumps(answer)) <= BUDGET + 1_000
        found |= answer["commitments"]
        offset = answer["next_offset"]
    assert found == dict.fromkeys(given, "retained")


def test_concurrent_sessions_never_see_each_others_commitments(rig: Rig, address: str) -> None:
    """Each dialogue its own, and none of those of others: in memory and over HTTP, at the same time."""
    server = create_server(lambda: rig.service, "1")

    def talk(number: int) -> None:
        over = httpx2.AsyncClient(headers={"Authorization": f"Bearer {SECRETS['asker']}"}, trust_env=False)
        target = streamable_http_client(address, http_client=over) if number % 2 else server
        with connected(target, MODES[number // 2 % 2], over) as session:
            dialogue: dict[str, str] = {}
            for turn in range(4):
                name = f"c{number}-{turn}"
                forbidden = f"Friend2 May Not MM-Move Persona2ID To {'MVS' if number % 4 == 0 else 'RoomID'}"
                kept = session.ask("commitment", commitments={name: forbidden}, **dialogue)
                dialogue = {"dialogue": kept["dialogue"]}
                assert set(kept["commitments"]) == {f"c{number}-{each}" for each in range(turn + 1)}
            (step,) = session.ask("feasibility", plan=[MOVE], **dialogue)["steps"]
            assert step["pa_status"] == ("Clash" if number % 4 == 0 else "Ack")
            told = json.loads(session.read(f"{SCHEME}dialogues/{dialogue['dialogue']}/commitments"))
            assert len(told) == 4

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(talk, range(8))) == [None] * 8


def test_the_user_of_a_call_acts(session: Session) -> None:
    answer = session.ask("feasibility", plan=["MM-Moves Persona2ID From MLocFriend2 To MVS With SA6"], user="Friend2")
    assert answer["overall"] == "feasible"


def test_an_action_context_bounds_the_plans_of_its_session(session: Session) -> None:
    name = fresh_id()
    kept = session.ask("set_action_context", session=name, action_context={"MaxSteps": 1})
    assert kept["ActionContext"]["MaxSteps"] == 1
    answer = session.ask("feasibility", plan=[MOVE, REFUSED], session=name)
    assert [step["pa_status"] for step in answer["steps"]] == ["Ack", "FaultyReq"]


# Errors


def test_a_malformed_message_gets_the_faults_that_http_gives(rig: Rig, session: Session) -> None:
    message = {"Header": "PGM-KDA-V1.0", "Mode": "RQ", "Kind": "feasability", "TurnIndex": "x"}
    result = session.call("bkn_dac", message=message)
    assert result.is_error
    assert result.structured_content == rig.ask(message).json()


@pytest.mark.parametrize(
    "arguments, code, pointer",
    [
        ({}, "missing_member", "/plan"),
        ({"plan": []}, "out_of_range", "/plan"),
        ({"plan": "MM-Moves"}, "wrong_type", "/plan"),
        ({"plan": [MOVE, 1]}, "wrong_type", "/plan/1"),
        ({"plan": [MOVE], "sesion": "s"}, "unknown_member", "/sesion"),
        ({"plan": [MOVE], "m_instance": "MI2"}, "unknown_m_instance", "/MInstance"),
        ({"plan": [MOVE], "u_environment": "UE2"}, "unknown_u_environment", "/UEnvironment"),
        ({"plan": [MOVE], "user": "Nobody"}, "unknown_user", "/User"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_wrong_argument_has_its_code_and_place(
    session: Session, arguments: dict[str, Any], code: str, pointer: str
) -> None:
    result = session.call("feasibility", **arguments)
    assert result.is_error
    (fault,) = result.structured_content["errors"]
    assert (fault["code"], fault["pointer"]) == (code, pointer)
    assert fault["hint"]


def test_all_wrong_arguments_are_told_at_once(session: Session) -> None:
    told = session.call("feasibility", plan="x", terms=["y"], offset=-1).structured_content
    assert {fault["pointer"] for fault in told["errors"]} == {"/plan", "/terms", "/offset"}


def test_an_unknown_tool_is_an_error_of_the_protocol(session: Session) -> None:
    with pytest.raises(MCPError, match="there is no tool `feasable`"):
        session.call("feasable")


# Resources, prompts, completion


def test_every_resource_can_be_read_and_keeps_its_size(session: Session) -> None:
    listed = session.portal.call(session.client.list_resources).resources
    assert len(listed) == 2 + len(LEVELS)
    sizes = {str(each.uri): len(session.read(str(each.uri))) for each in listed}
    assert all(sizes.values())
    for level, tokens in LEVELS.items():
        assert sizes[f"{SCHEME}worlds/MI1/classes/overview/{level}"] <= tokens * 4
    assert sizes[f"{SCHEME}worlds/MI1/classes/overview/brief"] < sizes[f"{SCHEME}worlds/MI1/classes/overview/full"]


def test_the_catalogue_has_every_action(rig: Rig, session: Session) -> None:
    lines = session.read(f"{SCHEME}actions").splitlines()
    actions = rig.service.catalogue.actions("MI1", LOCAL)
    assert len(lines) == len(actions) == 30
    assert {line.split()[0] for line in lines} == {action.name.split()[0] for action in actions}


def test_templates_give_one_class_one_entity_one_answer(session: Session) -> None:
    templates = session.portal.call(session.client.list_resource_templates).resource_templates
    assert len(templates) == sum(source.is_template for source in SOURCES)
    persona = json.loads(session.read(f"{SCHEME}worlds/MI1/classes/Persona"))
    assert persona["above"] == ["3D Model Object"]
    assert json.loads(session.read(f"{SCHEME}worlds/MI1/entities/Persona2ID"))["owner"] == ["Friend2"]
    answer = session.ask("feasibility", plan=[REFUSED])
    why = json.loads(session.read(f"{SCHEME}answers/{answer['query_id']}"))
    assert why["steps"][0]["findings"]
    assert json.loads(session.read(f"{SCHEME}dialogues/{answer['dialogue']}/commitments")) == {}


@pytest.mark.parametrize(
    "name", ["worlds/MI1/classes/Persna", "worlds/MI1/entities/Persona3ID", "nothing", "answers/x"]
)
def test_what_is_not_there_is_said_to_be_so(session: Session, name: str) -> None:
    with pytest.raises(MCPError) as raised:
        session.read(f"{SCHEME}{name}")
    assert raised.value.error.data["errors"][0]["code"] in {"not_found", "unknown_answer"}


def test_a_prompt_has_its_arguments_in_place(session: Session) -> None:
    listed = session.portal.call(session.client.list_prompts).prompts
    assert [each.name for each in listed] == ["check_plan", "ground_scene"]
    found = session.portal.call(session.client.get_prompt, "check_plan", {"plan": MOVE})
    assert MOVE in found.messages[0].content.text  # type: ignore[union-attr]
    with pytest.raises(MCPError, match="`plan` is absent"):
        session.portal.call(session.client.get_prompt, "check_plan", {})


@pytest.mark.parametrize(
    "template, argument, begun, expected",
    [
        (f"{SCHEME}worlds/{{m_instance}}/classes/{{name}}", "name", "pers", "Persona"),
        (f"{SCHEME}worlds/{{m_instance}}/entities/{{identifier}}", "identifier", "Pers", "Persona2ID"),
        (f"{SCHEME}worlds/{{m_instance}}/classes/overview/{{level}}", "level", "m", "medium"),
        (f"{SCHEME}worlds/{{m_instance}}/classes/overview/{{level}}", "m_instance", "M", "MI1"),
    ],
)
def test_names_are_completed(session: Session, template: str, argument: str, begun: str, expected: str) -> None:
    reference = types.ResourceTemplateReference(type="ref/resource", uri=template)
    argued = {"name": argument, "value": begun}
    found = session.portal.call(session.client.complete, reference, argued)
    assert expected in found.completion.values


# HTTP and stdio


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server in a process of its own, with tokens; it also answers to a name, and to pages from another origin."""
    data = tmp_path_factory.mktemp("served")
    file = data / "tokens.toml"
    file.write_text(TOKENS.format(**{name: sha256(token.encode()).hexdigest() for name, token in SECRETS.items()}))
    with serving(data, tokens=file, mcp_hosts="proxy.example", mcp_origins="https://app.example") as (_, url, _):
        yield f"{url}/mcp"


def post(address: str, body: object, **headers: str) -> httpx2.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = {"Authorization": f"Bearer {SECRETS['asker']}", **HEADERS, **headers}
    return httpx2.post(address, content=content, headers=sent, timeout=30, trust_env=False)


@pytest.mark.parametrize("mode", MODES)
def test_over_http(address: str, mode: str) -> None:
    over = httpx2.AsyncClient(headers={"Authorization": f"Bearer {SECRETS['asker']}"}, trust_env=False)
    with connected(streamable_http_client(address, http_client=over), mode, over) as session:
        assert session.ask("feasibility", plan=[MOVE])["overall"] == "feasible"
        dialogues = {session.ask("feasibility", plan=[MOVE])["dialogue"] for _ in range(2)}
        assert len(dialogues) == (2 if mode == "auto" else 1)
        assert json.loads(session.read(f"{SCHEME}worlds/MI1/entities/Persona2ID"))


@pytest.mark.parametrize(
    "token, code", [("", "unauthenticated"), ("of nobody", "unauthenticated"), ("elsewhere", "unknown_m_instance")]
)
def test_tokens_count_as_over_http(address: str, token: str, code: str) -> None:
    called = {"name": "feasibility", "arguments": {"plan": [MOVE], "m_instance": "MI1"}}
    modern = {f"io.modelcontextprotocol/{name}": value for name, value in ENVELOPE.items()}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**called, "_meta": modern}}
    headers = {
        "Authorization": f"Bearer {SECRETS.get(token, token)}" if token else "",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "feasibility",
    }
    said = post(address, asked, **headers).text
    assert code in said


PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
SHAKE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
MODERN = {f"io.modelcontextprotocol/{name}": value for name, value in ENVELOPE.items()}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": MODERN}}
NEWEST = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}


@pytest.mark.parametrize(
    "body, headers, status, code",
    [
        (b"{", {}, 400, types.PARSE_ERROR),
        (b'{"a":' * 5_000, {}, 400, types.PARSE_ERROR),
        ([], {}, 400, types.INVALID_PARAMS),
        (PING, {}, 400, types.INVALID_REQUEST),
        (PING, {"Mcp-Session-Id": "of nobody"}, 404, types.INVALID_REQUEST),
        (SHAKE, {"Accept": "text/html"}, 406, types.INVALID_REQUEST),
        (SHAKE, {"Content-Type": "text/plain"}, 400, None),
        (SHAKE, {"Host": "evil.example"}, 421, None),
        (SHAKE, {"Host": "proxy.example"}, 200, None),
        (SHAKE, {"Origin": "http://evil.example"}, 403, None),
        (SHAKE, {"Origin": "https://app.example"}, 200, None),
        ({**LIST, "method": "of/nobody"}, {**NEWEST, "Mcp-Method": "of/nobody"}, 404, types.METHOD_NOT_FOUND),
        (LIST, {**NEWEST, "Mcp-Method": "tools/call"}, 400, types.HEADER_MISMATCH),
        (LIST, {**NEWEST, "MCP-Protocol-Version": "2030-01-01"}, 400, types.HEADER_MISMATCH),
    ],
    ids=[
        *("no JSON", "too deep", "no object", "no session", "another's session", "no JSON wanted", "no media type"),
        *("another host", "the host set", "another origin", "the origin set"),
        *("no such method", "another method", "another revision"),
    ],
)
def test_a_malformed_message_is_answered_as_the_protocol_says(
    address: str, body: object, headers: dict[str, str], status: int, code: int | None
) -> None:
    """Its status, and the code of JSON-RPC where the message came so far."""
    answered = post(address, body, **headers)
    assert answered.status_code == status, answered.text
    if code is not None:
        assert answered.json()["error"]["code"] == code
    elif status == 200:
        assert answered.json()["result"]["serverInfo"]["name"] == "domain-access"


@pytest.mark.parametrize("mode", MODES)
def test_over_stdio(mode: str, tmp_path: Path) -> None:
    """The command in a process of its own, with the data folder opened there: no server runs."""
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "app", "mcp"], env=environment(tmp_path, port=1)
    )
    with connected(command, mode) as session:
        assert session.ask("feasibility", plan=[MOVE])["overall"] == "feasible"
        assert session.call("feasibility").is_error


# What the README says


def pasted(word: str) -> dict[str, Any]:
    """The configuration of the README that has a word."""
    (found,) = [block for block in re.findall(r"```json\n(.*?)```", README, re.DOTALL) if word in block]
    (configured,) = next(iter(json.loads(found).values())).values()
    return dict(configured)


def test_the_pasted_command_is_a_server(tmp_path: Path) -> None:
    """As a host starts it: the command from the environment's folder, with the variables that are given."""
    configured = pasted("mcpServers")
    path = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    variables = {**environment(tmp_path, port=1), **path, **configured["env"]}
    command = StdioServerParameters(command=configured["command"], args=configured["args"], env=variables)
    with connected(command) as session:
        assert session.ask("feasibility", plan=[MOVE])["overall"] == "feasible"


def test_the_command_is_pasted_in_one_way() -> None:
    """In TOML as in JSON."""
    (found,) = re.findall(r"```toml\n(\[mcp.*?)```", README, re.DOTALL)
    assert tomllib.loads(found)["mcp_servers"]["domain-access"] == pasted("mcpServers")


def test_the_pasted_address_is_a_server(address: str) -> None:
    configured = pasted("/mcp")
    assert configured["type"] == "http"
    assert urlsplit(configured["url"]).path == urlsplit(address).path
    token = configured["headers"]["Authorization"].replace("...", SECRETS["asker"])
    over = httpx2.AsyncClient(headers={"Authorization": token}, trust_env=False)
    with connected(streamable_http_client(address, http_client=over), "auto", over) as session:
        assert session.ask("feasibility", plan=[MOVE])["overall"] == "feasible"
