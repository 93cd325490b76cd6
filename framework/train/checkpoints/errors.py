"""The error for checkpoint files that cannot be read or written."""

from __future__ import annotations

from pathlib import Path

__all__ = ["CheckpointError", "CheckpointMismatchError", "damaged"]


class CheckpointError(ValueError):
    """A checkpoint cannot be read or written. The message names the file, the place and the reason."""


class CheckpointMismatchError(CheckpointError, RuntimeError):
    """The values of a checkpoint do not fit a network; MindSpore raises a RuntimeError there."""


def damaged(path: Path, problem: str) -> CheckpointError:
    """The error for a damaged file.

    Args:
        path: the file.
        problem: the problem, with its place in the file.

    Returns:
        The error.
    """
    return CheckpointError(f"{path} is damaged: {problem}. Restore it from a copy, or load another checkpoint.")
