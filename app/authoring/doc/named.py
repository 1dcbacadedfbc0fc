"""The terms that a text names: a pattern, a template, Turtle or SPARQL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

NAMED: Final = re.compile(
    r"<([^<>\"{}|^`\\\s]+)>|(?<![\w:?-])([A-Za-z][A-Za-z0-9_-]*):([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)"
)
"""`<IRI>` or `prefix:Name`."""


def expanded(found: re.Match[str], prefixes: Mapping[str, str]) -> str:
    """The IRI that a match stands for; empty where its prefix is unknown."""
    if found[1]:
        return found[1]
    space = prefixes.get(found[2])
    return space + found[3] if space else ""


def named_in(text: str, prefixes: Mapping[str, str]) -> set[str]:
    """The IRIs that a text names."""
    return {iri for found in NAMED.finditer(text) if (iri := expanded(found, prefixes))}
