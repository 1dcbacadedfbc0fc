"""Settings, where each comes from, and who calls."""

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.auth import Token, is_loopback, principal_of, read_tokens, tokens_of
from app.cli import main
from app.errors import AccessError, Code, DomainAccessError
from app.model import LOCAL, Principal, Scope
from app.settings import PREFIX, Settings, SettingsError, read_settings

SECRET = "correct-horse-battery-staple"


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """No DOMAIN_ACCESS_ variable of whoever runs the tests."""
    for name in list(os.environ):
        if name.upper().startswith(PREFIX) or name == "XDG_DATA_HOME":
            monkeypatch.delenv(name)


def faults_of(error: DomainAccessError) -> dict[str, Code]:
    return {fault.where: fault.code for fault in error.faults}


def test_every_setting_has_a_default_and_a_meaning() -> None:
    configured = read_settings()
    assert [each.name for each in configured.origins] == list(Settings.model_fields)
    assert {each.origin for each in configured.origins} == {"default"}
    assert all(each.meaning for each in configured.origins)
    assert configured.settings.port == 8000
    assert configured.settings.worlds == ("friends_meet",)


def test_the_folders_of_a_checkout_are_beside_the_package() -> None:
    settings = Settings()
    assert (settings.ontologies / "core" / "pack.toml").is_file()
    assert (settings.rules / "pa_status").is_dir()
    assert (settings.schemas / "BKNDAC.json").is_file()


def test_the_data_folder_follows_xdg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert Settings().data == tmp_path / "domain-access"
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    assert Settings().data == Path("~/.local/share/domain-access").expanduser()


def test_command_line_before_environment_before_file_before_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('host = "127.0.0.2"\nport = 1\nlanguage = "de"\nworlds = ["a", "b"]\n')
    monkeypatch.setenv("DOMAIN_ACCESS_SETTINGS", str(file))
    monkeypatch.setenv("DOMAIN_ACCESS_PORT", "2")
    monkeypatch.setenv("DOMAIN_ACCESS_HOST", "127.0.0.3")
    configured = read_settings(port=3, host=None)
    assert (configured.settings.port, configured.settings.host) == (3, "127.0.0.3")
    assert (configured.settings.language, configured.settings.worlds) == ("de", ("a", "b"))
    origins = {each.name: each.origin for each in configured.origins}
    assert origins["port"] == "command line"
    assert origins["host"] == "DOMAIN_ACCESS_HOST"
    assert origins["language"] == origins["worlds"] == str(file)
    assert origins["rules"] == "default"


def test_worlds_in_the_environment_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOMAIN_ACCESS_WORLDS", "friends_meet, museum")
    assert read_settings().settings.worlds == ("friends_meet", "museum")


def test_an_empty_variable_counts_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOMAIN_ACCESS_PORT", "")
    configured = read_settings()
    assert configured.settings.port == 8000
    assert {each.origin for each in configured.origins} == {"default"}


def test_all_faults_of_the_settings_are_told_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('log_formt = "json"\ndialogue_days = 0\nlog_level = "loud"\n')
    monkeypatch.setenv("DOMAIN_ACCESS_SETTINGS", str(file))
    monkeypatch.setenv("DOMAIN_ACCESS_PORT", "70000")
    monkeypatch.setenv("DOMAIN_ACCESS_PROT", "1")
    with pytest.raises(SettingsError) as raised:
        read_settings(host="")
    assert faults_of(raised.value) == {
        "DOMAIN_ACCESS_PROT": Code.UNKNOWN_MEMBER,
        f"{file}:log_formt": Code.UNKNOWN_MEMBER,
        "DOMAIN_ACCESS_PORT": Code.OUT_OF_RANGE,
        f"{file}:dialogue_days": Code.OUT_OF_RANGE,
        f"{file}:log_level": Code.WRONG_VALUE,
        "--host": Code.OUT_OF_RANGE,
    }
    hints = {fault.where: fault.hint for fault in raised.value.faults}
    assert hints["DOMAIN_ACCESS_PROT"] == "did you mean `DOMAIN_ACCESS_PORT`?"
    assert hints[f"{file}:log_formt"] == "did you mean `log_format`?"


@pytest.mark.parametrize("content", [None, b"port = ", b"\xff"], ids=["missing", "no TOML", "no UTF-8"])
def test_a_settings_file_that_cannot_be_read_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / "settings.toml"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setenv("DOMAIN_ACCESS_SETTINGS", str(file))
    with pytest.raises(SettingsError) as raised:
        read_settings()
    assert faults_of(raised.value) == {str(file): Code.PACK_UNREADABLE}


def test_settings_do_not_change() -> None:
    with pytest.raises(ValueError, match="frozen"):
        setattr(Settings(), "port", 1)  # noqa: B010 - a type checker would see it


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://dac:hunter2@db.example/dac",
        "postgresql://dac:hun@hunter2@db.example/dac",
        "postgresql://db.example/dac?password=hunter2&user=dac",
        "postgresql://db.example/dac?user=dac&password=hunter2",
    ],
)
def test_the_password_of_the_database_is_shown_nowhere(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("DOMAIN_ACCESS_DATABASE", url)
    assert "hunter2" not in repr(Settings())
    for arguments in (["settings"], ["settings", "--json"]):
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0
        assert "hunter2" not in result.output
        assert "***" in result.output
    assert Settings().database_url == url


def test_the_command_settings_tells_value_origin_and_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOMAIN_ACCESS_PORT", "8001")
    result = CliRunner().invoke(main, ["settings", "--json"])
    told = json.loads(result.stdout)
    assert list(told) == list(Settings.model_fields)
    assert told["port"]["value"] == 8001
    assert told["port"]["from"] == "DOMAIN_ACCESS_PORT"
    assert told["port"]["meaning"]
    table = CliRunner().invoke(main, ["settings"]).stdout
    assert all(name in table for name in Settings.model_fields)


def test_a_data_folder_that_cannot_be_made_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError) as raised:
        Settings(data=tmp_path / "file" / "data").make_data_folder()
    assert faults_of(raised.value) == {"DOMAIN_ACCESS_DATA": Code.WRONG_VALUE}


def test_a_data_folder_is_its_owners_alone(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "deep" / "data")
    settings.make_data_folder()
    assert settings.data.stat().st_mode & 0o077 == 0


# Who calls


def tokens_file(folder: Path, text: str) -> Path:
    file = folder / "tokens.toml"
    file.write_text(text.replace("HASH", sha256(SECRET.encode()).hexdigest()))
    return file


AGENT = """
[[token]]
name = "agent"
sha256 = "HASH"
scopes = ["ask"]
m_instances = ["MI1"]
"""


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost", "::ffff:127.0.0.1"])
def test_an_address_is_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", [None, "", "0.0.0.0", "::", "10.0.0.1", "localhost.example", "127.0.0.1.example"])
def test_an_address_is_not_loopback(host: str | None) -> None:
    assert not is_loopback(host)


def test_without_tokens_loopback_has_every_scope() -> None:
    assert principal_of(None, "127.0.0.1", ()) == LOCAL


@pytest.mark.parametrize("host", ["10.0.0.1", None])
def test_without_tokens_nobody_else_is_served(host: str | None) -> None:
    with pytest.raises(AccessError) as raised:
        principal_of("Bearer anything", host, ())
    assert raised.value.http_status == 403


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_a_token_names_its_principal_from_anywhere(tmp_path: Path, scheme: str) -> None:
    tokens = read_tokens(tokens_file(tmp_path, AGENT))
    agent = Principal("agent", frozenset({Scope.ASK}), frozenset({"MI1"}))
    assert principal_of(f"{scheme} {SECRET}", "10.0.0.1", tokens) == agent


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", f"Basic {SECRET}", f"Bearer {SECRET}x", f"Bearer {SECRET[:-1]}", SECRET]
)
def test_with_tokens_even_loopback_needs_one(tmp_path: Path, header: str | None) -> None:
    tokens = read_tokens(tokens_file(tmp_path, AGENT))
    with pytest.raises(AccessError) as raised:
        principal_of(header, "127.0.0.1", tokens)
    assert raised.value.http_status == 401


def test_the_hash_of_a_token_is_no_token(tmp_path: Path) -> None:
    tokens = read_tokens(tokens_file(tmp_path, AGENT))
    with pytest.raises(AccessError):
        principal_of(f"Bearer {tokens[0].digest}", "127.0.0.1", tokens)


def test_a_token_without_m_instances_sees_all(tmp_path: Path) -> None:
    (token,) = read_tokens(tokens_file(tmp_path, AGENT.replace('m_instances = ["MI1"]', "")))
    assert token == Token(sha256(SECRET.encode()).hexdigest(), Principal("agent", frozenset({Scope.ASK})))
    assert token.principal.sees("any")


FAULTY: dict[str, tuple[str, dict[str, Code]]] = {
    "no token at all": ("", {"": Code.MISSING_MEMBER}),
    "not TOML": ("[[token", {"": Code.PACK_UNREADABLE}),
    "a misspelt key": (AGENT.replace("scopes", "scope"), {":token[0]": Code.MISSING_MEMBER}),
    "an unknown scope": (AGENT.replace('["ask"]', '["aks"]'), {":token[0].scopes": Code.WRONG_VALUE}),
    "no scope": (AGENT.replace('["ask"]', "[]"), {":token[0].scopes": Code.WRONG_TYPE}),
    "the token itself": (AGENT.replace("HASH", SECRET), {":token[0].sha256": Code.WRONG_FORMAT}),
    "a name twice": (AGENT + AGENT, {"": Code.WRONG_VALUE}),
    "a wrong M-Instance": (AGENT.replace('["MI1"]', "1"), {":token[0].m_instances": Code.WRONG_TYPE}),
    "a nameless token": (AGENT.replace('"agent"', '""'), {":token[0].name": Code.WRONG_TYPE}),
    "a table beside": ("[tokens]\n" + AGENT, {"": Code.UNKNOWN_MEMBER}),
    "no table": ("token = [1]", {":token[0]": Code.WRONG_TYPE}),
}


@pytest.mark.parametrize("name", FAULTY)
def test_a_faulty_tokens_file_is_refused(tmp_path: Path, name: str) -> None:
    text, expected = FAULTY[name]
    file = tokens_file(tmp_path, text)
    with pytest.raises(SettingsError) as raised:
        read_tokens(file)
    assert faults_of(raised.value) == {f"{file}{where}": code for where, code in expected.items()}
    assert SECRET not in str(raised.value)


def test_a_tokens_file_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError):
        tokens_of(Settings(tokens=tmp_path / "none.toml"))


def test_a_host_beyond_loopback_needs_tokens(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as raised:
        tokens_of(Settings(host="0.0.0.0"))
    assert faults_of(raised.value) == {"DOMAIN_ACCESS_HOST": Code.FORBIDDEN}
    configured: dict[str, Any] = {"host": "0.0.0.0", "tokens": tokens_file(tmp_path, AGENT)}
    assert [token.principal.name for token in tokens_of(Settings(**configured))] == ["agent"]
