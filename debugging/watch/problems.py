"""The error of an invalid watchpoint."""

from __future__ import annotations

__all__ = ["WatchError"]


class WatchError(ValueError):
    """A watchpoint is invalid.

    Args:
        message: What is wrong and what to do.
        key: Kind of the error: "unknown_condition", "bad_setting", "bad_expression", "no_targets", "bad_pattern",
            "not_observable".
        at: Position in the expression, from 0; -1 if there is none.

    Attributes:
        watchpoint: Id of the watchpoint; 0 if unknown.
    """

    def __init__(self, message: str, key: str, at: int = -1) -> None:
        super().__init__(message)
        self.key = key
        self.at = at
        self.watchpoint = 0
