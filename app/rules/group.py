"""A group of a pattern while compiler.py turns it into code."""

from __future__ import annotations

from app.rules.compiled import Reach


class Group:
    """A group being compiled: what is bound, the lines written, where each variable's entity was reached."""

    def __init__(self, bound: set[str], reached: dict[str, list[Reach]], local: set[str]) -> None:
        self.bound = bound
        self.reached = reached
        self.local = local
        self.maybe: set[str] = set()
        self.lines: list[str] = []
        self.depth = 1

    def write(self, line: str, deeper: bool = False) -> None:
        """Add a line; those that follow stand deeper where it opens a block."""
        self.lines.append("    " * self.depth + line)
        self.depth += deeper
