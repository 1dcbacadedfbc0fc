"""CHANGELOG.md of a pack: a heading for each version, and beneath it what an author says of it.

    ## 0.2.0

    - Sculptures may be touched: `golden:museum_tour:5` is Ack now, by `exhibit_touched`.

What stands in backticks is named: the identifier of a case whose answer flips, or the change that is responsible.
"""

from __future__ import annotations

import re
from typing import Final

_HEADING: Final = re.compile(r"^##\s+\[?v?(\d+\.\d+\.\d+)\]?(?=$|[\s,:(–—-])", re.MULTILINE)
_NAMED: Final = re.compile(r"(`+)(.+?)\1", re.DOTALL)


def section(text: str, version: str) -> str | None:
    """What is said of a version; None where it has no heading."""
    found = list(_HEADING.finditer(text))
    for at, heading in enumerate(found):
        if heading[1] == version:
            end = found[at + 1].start() if at + 1 < len(found) else len(text)
            return text[heading.end() : end].strip()
    return None


def named(said: str) -> frozenset[str]:
    """What a section names, in backticks."""
    return frozenset(match[2].strip() for match in _NAMED.finditer(said))
