"""The error that every module of this folder raises for a file that cannot be read or written."""

from __future__ import annotations

from pathlib import Path

__all__ = ["CheckpointError", "damaged"]


class CheckpointError(ValueError):
    """A checkpoint cannot be read or written; the message says which, where and why."""


def damaged(path: Path, what: str) -> CheckpointError:
    """The error for a damaged file.

    Args:
        path: the file.
        what: what is wrong, with its place in the file.

    """
    return CheckpointError(f"{path} is damaged: {what}. Restore it from a copy, or load another checkpoint.")
