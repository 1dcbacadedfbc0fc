"""What can be set: in the environment (`DOMAIN_ACCESS_*`) or the TOML file `DOMAIN_ACCESS_SETTINGS` names (DESIGN 7).

The command line goes before the environment, the environment before the file, the file before the default. A name
that nothing here has is a fault: a setting that is misspelt must not be a setting that is silently ignored.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from app.edition import Edition
from app.errors import Code, DomainAccessError, Fault
from app.nearest import did_you_mean

PREFIX: Final = "DOMAIN_ACCESS_"
SETTINGS_FILE: Final = PREFIX + "SETTINGS"
"""Names the TOML file; no setting itself."""
CLIENT_TOKEN: Final = PREFIX + "TOKEN"
"""The token that the command line sends to a server; no setting of the server."""
TEST_DATABASE: Final = PREFIX + "TEST_DATABASE"
"""The PostgreSQL server of the tests; no setting of the server."""

_PACKAGE: Final = Path(__file__).parent
_CODES: Final = {"extra_forbidden": Code.UNKNOWN_MEMBER, "missing": Code.MISSING_MEMBER}
_PASSWORD: Final = re.compile(r"(?<=://)([^:/@]*:).*(?=@)|([?&]password=)[^&]*")
_BOUNDS: Final = ("greater_than", "less_than", "too_short", "too_long", "string_too_short", "string_too_long")


class SettingsError(DomainAccessError):
    """Settings that cannot be used; `where` is the environment variable, the key in the file or the option."""


def _shipped(name: str) -> Path:
    """A folder of data: inside an installed package, beside the package in a checkout."""
    inside = _PACKAGE / "_shipped" / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


def _data() -> Path:
    """Where data lasts (XDG Base Directory Specification: a relative XDG_DATA_HOME does not count)."""
    home = Path(os.environ.get("XDG_DATA_HOME", ""))
    return (home if home.is_absolute() else Path("~/.local/share").expanduser()) / "domain-access"


def _listed(value: object) -> object:
    """`a, b` as in an environment variable, or a list as in a file."""
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


_Folder = Annotated[Path, AfterValidator(Path.expanduser)]


class Settings(BaseSettings):
    """All settings. Immutable; paths are relative to the working folder, `~` is the home folder."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, extra="forbid", frozen=True)

    data: _Folder = Field(default_factory=_data, description="folder for all that lasts")
    database: str = Field(
        "", repr=False, description="URL of the dialogues' database; dialogues.sqlite in data if empty"
    )
    ontologies: _Folder = Field(default_factory=lambda: _shipped("ontologies"), description="folder of the packs")
    rules: _Folder = Field(default_factory=lambda: _shipped("rules"), description="folder of Actions and core rules")
    releases: _Folder | None = Field(None, description="folder of releases of packs; releases in data without it")
    release_seconds: float = Field(
        2, gt=0, le=3_600, description="seconds between looks at which releases other processes activated"
    )
    schemas: _Folder = Field(default_factory=lambda: _shipped("schemas"), description="folder of the JSON Schemas")
    worlds: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed), Field(min_length=1)] = Field(
        ("friends_meet",), description="packs whose worlds are served, separated by commas"
    )
    world_mib: int = Field(1024, ge=1, le=1_048_576, description="MiB that the document of a world may have")
    query_seconds: float = Field(10, gt=0, le=3_600, description="seconds a SPARQL query may take")
    query_rows: int = Field(100_000, ge=1, le=10_000_000, description="rows or facts a SPARQL query may give")
    query_mib: int = Field(1024, ge=128, le=1_048_576, description="MiB of memory a SPARQL query may need")
    host: str = Field("127.0.0.1", min_length=1, description="address to serve on; beyond loopback only with tokens")
    port: int = Field(8000, ge=0, le=65535, description="TCP port to serve on; 0 takes any that is free")
    mcp_m_instance: str = Field("", description="M-Instance of MCP calls that name none; the first if empty")
    mcp_hosts: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)] = Field(
        (), description="Host headers served at /mcp besides loopback, separated by commas; * for any"
    )
    mcp_origins: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)] = Field(
        (), description="Origins of web pages that may use /mcp besides loopback, separated by commas"
    )
    log_format: Literal["auto", "json", "console"] = Field(
        "auto", description="auto: console on a terminal, else json"
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="the least that is logged")
    source_aimid: str = Field("PGM-DAC-V1.0", min_length=1, description="AIMID named as Source in Responses")
    tokens: _Folder | None = Field(None, description="TOML file of tokens; without it only loopback is served")
    language: str = Field("en", min_length=2, description="language of answers, a BCP 47 tag")
    dialogue_days: int = Field(30, ge=1, le=36_500, description="days after its last turn until a dialogue expires")

    @property
    def edition(self) -> Edition:
        """The packs as they are shipped, or set; what is active may be releases of them."""
        return Edition(self.ontologies, self.rules)

    @property
    def releases_folder(self) -> Path:
        """Where releases of packs are."""
        return self.releases or self.data / "releases"

    @property
    def database_url(self) -> str:
        """The URL of the dialogues' database."""
        return self.database or f"sqlite:///{self.data / 'dialogues.sqlite'}"

    @property
    def incoming(self) -> Path:
        """Where the documents of worlds lie while they come in; nothing of it lasts."""
        return self.data / "incoming"

    @property
    def queries(self) -> Path:
        """Where checkpoints and results of queries lie; nothing of it lasts."""
        return self.data / "queries"

    def make_data_folder(self) -> None:
        """Create the data folder, for its owner alone, where it is not there. Raises SettingsError."""
        try:
            self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            message = f"the data folder `{self.data}` cannot be made: {error.strerror}"
            raise SettingsError(Fault(Code.WRONG_VALUE, message, where=PREFIX + "DATA")) from error

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What is given, then the environment; the file comes in through `read_settings`."""
        return init_settings, env_settings


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the value of a setting comes from: `default`, `command line`, an environment variable or a file."""

    name: str
    value: object
    origin: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Configured:
    """Settings, and the origin of each in the order in which they are declared."""

    settings: Settings
    origins: tuple[Origin, ...]


def read_settings(**given: object) -> Configured:
    """The settings of this process; `given` is the command line's, None where an option is absent.

    Raises SettingsError with every fault.
    """
    options = {name: value for name, value in given.items() if value is not None}
    path, filed = _file()
    variables = {name.upper(): name for name in os.environ if name.upper().startswith(PREFIX)}
    named = {name: (PREFIX + name.upper()) for name in Settings.model_fields}
    from_environment = {n for n, variable in named.items() if os.environ.get(variables.get(variable, ""))}
    origin = dict.fromkeys(named, "default")
    origin |= dict.fromkeys(filed, path) | {name: named[name] for name in from_environment}
    origin |= dict.fromkeys(options, "command line")

    faults = [
        _unknown(variable, variable, [*named.values(), SETTINGS_FILE, CLIENT_TOKEN, TEST_DATABASE])
        for variable in sorted(set(variables) - {*named.values(), SETTINGS_FILE, CLIENT_TOKEN, TEST_DATABASE})
    ]
    faults += [_unknown(name, f"{path}:{name}", named) for name in filed if name not in named]
    values = {name: value for name, value in filed.items() if name in named and name not in from_environment}
    try:
        settings = Settings(**{**values, **options})
    except ValidationError as error:
        faults += _faults(error, origin, path)
    if faults:
        raise SettingsError(*faults)
    shown = (
        Origin(name, _shown(getattr(settings, name)), origin[name], declared.description or "")
        for name, declared in Settings.model_fields.items()
    )
    return Configured(settings, tuple(shown))


def _file() -> tuple[str, Mapping[str, Any]]:
    path = os.environ.get(SETTINGS_FILE, "")
    if not path:
        return "", {}
    try:
        return path, tomllib.loads(Path(path).expanduser().read_text(encoding="utf-8"))
    except OSError as error:
        message = f"the settings file cannot be read: {error.strerror}"
    except ValueError as error:  # no TOML, or no UTF-8
        message = f"the settings file is no TOML: {error}"
    raise SettingsError(Fault(Code.PACK_UNREADABLE, message, where=path, hint=f"named by {SETTINGS_FILE}"))


def _unknown(name: str, where: str, known: Iterable[str]) -> Fault:
    hint = did_you_mean(name, known, "`domain-access settings` lists all")
    return Fault(Code.UNKNOWN_MEMBER, f"there is no setting `{name}`", where=where, hint=hint)


def _faults(error: ValidationError, origin: Mapping[str, str], path: str) -> Iterable[Fault]:
    for each in error.errors(include_url=False):
        name = str(each["loc"][0])
        came = origin[name]
        kind = each["type"]
        code = Code.OUT_OF_RANGE if kind.startswith(_BOUNDS) else _CODES.get(kind, Code.WRONG_VALUE)
        given = "(secret)" if name == "database" else each["input"]
        yield Fault(
            code,
            f"`{given}` is no value for `{name}`: {each['msg'][:1].lower()}{each['msg'][1:]}",
            where=f"{path}:{name}" if came == path and path else f"--{name}" if came == "command line" else came,
            hint=Settings.model_fields[name].description or "",
        )


def _shown(value: object) -> object:
    """A value for readers: paths and tuples as text and lists, a password in a URL masked."""
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Path):
        return str(value)
    return _PASSWORD.sub(r"\1\2***", value) if isinstance(value, str) else value
