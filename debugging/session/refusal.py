"""The error of a command that cannot be carried out."""

from __future__ import annotations

__all__ = ["RefusedError"]


class RefusedError(ValueError):
    """A command is not possible now, or what it asks for cannot be shown.

    Args:
        problem: A key, for which the page has a text.
        message: A sentence.

    """

    def __init__(self, problem: str, message: str) -> None:
        super().__init__(message)
        self.problem = problem
        self.message = message
