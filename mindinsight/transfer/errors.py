"""Errors of exports and imports, as sentences for the user at the terminal."""

from __future__ import annotations


class TransferError(Exception):
    """The operation cannot continue. The message says what happened, where, and what to do."""


class UnconvertibleError(ValueError):
    """A value cannot be stored in the target format, or is broken.

    Args:
        what: the omitted values, in the plural, such as "loss landscapes".
        why: the end of a sentence that begins with "left out, because".
    """

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")
        self.what = what
        self.why = why
