"""Who calls: a token of the tokens file, or the loopback interface while there is none (SEMANTICS 2).

    [[token]]
    name = "agent-7"
    sha256 = "<hex of SHA-256 of the token>"
    scopes = ["ask"]
    m_instances = ["MI1"]        # absent: every M-Instance

The file holds no token, so reading it gives no access. Tokens are long and random: a fast hash is enough.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from app.errors import AccessError, Code, Fault
from app.model import LOCAL, Principal, Scope
from app.nearest import did_you_mean
from app.settings import Settings, SettingsError

_KEYS: Final = ("name", "sha256", "scopes", "m_instances")
_DIGEST: Final = re.compile(r"[0-9a-fA-F]{64}")


@dataclass(frozen=True, slots=True)
class Token:
    """What the tokens file says of one token: its SHA-256 in lower-case hex, and whose it is."""

    digest: str
    principal: Principal


def principal_of(authorization: str | None, client_host: str | None, tokens: tuple[Token, ...]) -> Principal:
    """Who sent a request with this Authorization header from this address.

    Raises AccessError: `unauthenticated` without a known token, `forbidden` from afar while there are no tokens.
    """
    if not tokens:
        if is_loopback(client_host):
            return LOCAL
        message = "without tokens only callers on the loopback interface are served"
        raise AccessError(Fault(Code.FORBIDDEN, message, hint="the operator sets DOMAIN_ACCESS_TOKENS"))
    scheme, _, given = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or not given.strip():
        message = "the request carries no token"
        raise AccessError(
            Fault(Code.UNAUTHENTICATED, message, hint="expected: the header `Authorization: Bearer ...`")
        )
    digest = sha256(given.strip().encode("latin-1", "replace")).hexdigest()
    found: Principal | None = None
    for token in tokens:  # all of them, whichever matches: how long it takes tells nothing
        if compare_digest(token.digest, digest):
            found = token.principal
    if found is None:
        raise AccessError(Fault(Code.UNAUTHENTICATED, "the token is unknown", hint="was it withdrawn or cut short?"))
    return found


def tokens_of(settings: Settings) -> tuple[Token, ...]:
    """The tokens configured. Raises SettingsError with every fault of the file, and where a host beyond loopback
    would be served without tokens.
    """
    if settings.tokens is not None:
        return read_tokens(settings.tokens)
    if not is_loopback(settings.host):
        message = f"`{settings.host}` is not a loopback address, and without tokens only loopback is served"
        hint = "set DOMAIN_ACCESS_TOKENS to a file of tokens, or serve on 127.0.0.1"
        raise SettingsError(Fault(Code.FORBIDDEN, message, where="DOMAIN_ACCESS_HOST", hint=hint))
    return ()


def read_tokens(path: Path) -> tuple[Token, ...]:
    """The tokens of a file. Raises SettingsError with every fault; a file without tokens is one."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        message = f"the tokens file cannot be read: {error.strerror}"
        raise SettingsError(Fault(Code.PACK_UNREADABLE, message, where=str(path))) from error
    except ValueError as error:
        message = f"the tokens file is no TOML: {error}"
        raise SettingsError(Fault(Code.PACK_UNREADABLE, message, where=str(path))) from error
    entries = document.get("token")
    faults = [_unknown(key, ("token",), str(path)) for key in document if key != "token"]
    if not isinstance(entries, list) or not entries:
        faults.append(
            Fault(Code.MISSING_MEMBER, "the file names no token", where=str(path), hint="expected: [[token]]")
        )
        entries = []
    for index, entry in enumerate(entries):
        faults += _faults(entry, f"{path}:token[{index}]")
    names = [entry.get("name") for entry in entries if isinstance(entry, dict)]
    for name in dict.fromkeys(n for n in names if isinstance(n, str) and names.count(n) > 1):
        faults.append(Fault(Code.WRONG_VALUE, f"two tokens are called `{name}`", where=str(path)))
    if faults:
        raise SettingsError(*faults)
    return tuple(map(_token, entries))


def is_loopback(host: str | None) -> bool:
    """Whether an address or host name is this machine's loopback; a name is looked at, never looked up."""
    if host is None:
        return False
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def _token(entry: dict[str, object]) -> Token:
    scopes, seen = entry["scopes"], entry.get("m_instances")
    assert isinstance(scopes, list)
    return Token(
        digest=str(entry["sha256"]).lower(),
        principal=Principal(
            name=str(entry["name"]),
            scopes=frozenset(map(Scope, scopes)),
            m_instances=frozenset(seen) if isinstance(seen, list) else None,
        ),
    )


def _faults(entry: object, where: str) -> Iterator[Fault]:
    if not isinstance(entry, dict):
        yield Fault(Code.WRONG_TYPE, "a token is a table", where=where, hint=f"with {', '.join(_KEYS)}")
        return
    for key in entry:
        if key not in _KEYS:
            yield _unknown(key, _KEYS, where)
    for key in _KEYS[:3]:
        if key not in entry:
            yield Fault(Code.MISSING_MEMBER, f"`{key}` is absent", where=where)
    if not isinstance(entry.get("name", "x"), str) or entry.get("name") == "":
        yield Fault(Code.WRONG_TYPE, "`name` is no name", where=f"{where}.name")
    digest = entry.get("sha256")
    if digest is not None and not (isinstance(digest, str) and _DIGEST.fullmatch(digest)):
        hint = "expected: the 64 hexadecimal digits of the token's SHA-256, never the token"
        yield Fault(Code.WRONG_FORMAT, "`sha256` is no SHA-256", where=f"{where}.sha256", hint=hint)
    yield from _scope_faults(entry.get("scopes", ["ask"]), f"{where}.scopes")
    seen = entry.get("m_instances", [])
    if not isinstance(seen, list) or not all(isinstance(each, str) for each in seen):
        hint = "leave it out for every M-Instance"
        yield Fault(
            Code.WRONG_TYPE, "`m_instances` is no list of identifiers", where=f"{where}.m_instances", hint=hint
        )


def _scope_faults(scopes: object, where: str) -> Iterator[Fault]:
    known = [str(scope) for scope in Scope]
    hint = f"known: {', '.join(known)}"
    if not isinstance(scopes, list) or not scopes:
        yield Fault(Code.WRONG_TYPE, "`scopes` is no list of scopes", where=where, hint=hint)
        return
    for scope in scopes:
        if scope not in known:
            said = f"{did_you_mean(str(scope), known)} {hint}".lstrip()
            yield Fault(Code.WRONG_VALUE, f"there is no scope `{scope}`", where=where, hint=said)


def _unknown(key: str, known: tuple[str, ...], where: str) -> Fault:
    hint = did_you_mean(key, known, f"known: {', '.join(known)}")
    return Fault(Code.UNKNOWN_MEMBER, f"there is no key `{key}`", where=where, hint=hint)
