"""What is said of a command that cannot be done now."""

from __future__ import annotations

__all__ = ["RefusedError"]


class RefusedError(ValueError):
    """A command makes no sense now, or what it asks for cannot be shown.

    Args:
        problem: a key.
        message: a sentence.

    """

    def __init__(self, problem: str, message: str) -> None:
        super().__init__(message)
        self.problem = problem
        self.message = message
