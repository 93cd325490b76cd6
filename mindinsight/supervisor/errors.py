"""Errors that keep a dashboard from starting. The command line prints their messages unchanged."""

from __future__ import annotations

from pathlib import Path

from mindinsight.disks import trouble_in


class StartError(Exception):
    """Something outside the dashboard keeps it from starting. The message says what, where, and what to do."""


class WorkspaceError(StartError):
    """The workspace cannot be used.

    Args:
        workspace: the directory.
        error: the error of the operating system.
    """

    def __init__(self, workspace: Path, error: OSError) -> None:
        place = Path(error.filename) if error.filename else workspace
        where = "" if workspace in (place, place.parent) else f" ({place})"
        disk = trouble_in(error, workspace)
        reason = f"{error.strerror}{where}.\nMake that possible" if disk is None else disk.message.removesuffix(".")
        super().__init__(
            f"Cannot write to the workspace {workspace}: {reason}, "
            "or choose another directory with --workspace DIR or MINDINSIGHT_WORKSPACE."
        )
