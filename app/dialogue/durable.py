"""What a database must promise: that a commit which returned is on disk."""

from __future__ import annotations


class NotDurableError(Exception):
    """A connection whose commits are not on disk when they return; `hint` says what would make them so."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"no durable commits: {message}")
        self.hint = hint
