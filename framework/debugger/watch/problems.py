"""What can be wrong with a watchpoint."""

from __future__ import annotations

__all__ = ["WatchError"]


class WatchError(ValueError):
    """A watchpoint that makes no sense.

    Args:
        message: what is wrong and what to do.
        key: one word for it: "unknown_condition", "bad_setting", "bad_expression", "no_targets", "bad_pattern".
        at: the place in an expression, from 0; -1: none.

    Attributes:
        watchpoint: its id; 0 where it is not known.
    """

    def __init__(self, message: str, key: str, at: int = -1) -> None:
        super().__init__(message)
        self.key = key
        self.at = at
        self.watchpoint = 0
