"""The journal of live edits: what a user changed in a running training, recorded in the run."""

from __future__ import annotations

import logging

from summaries.writing.writer import SummaryWriter

__all__ = ["Journal"]

_log = logging.getLogger("debugging")


class Journal:
    """Records changes in the run: as `live_edit` among its events, and as `edits` in its lineage.

    Args:
        directory: Of the run; None: nothing is recorded.

    """

    def __init__(self, directory: str | None) -> None:
        self._directory = directory
        self._writer: SummaryWriter | None = None
        self._edits: list[str] = []

    def note(self, name: str, before: float, after: float, step: int) -> None:
        """Record a change; a failure to write is logged.

        Args:
            name: Of the setting.
            before: The former value.
            after: The new value.
            step: The last step with the former value.

        """
        if self._directory is None:
            return
        self._edits.append(f"{name} {before:.6g} to {after:.6g} after step {step}")
        try:
            if self._writer is None:
                self._writer = SummaryWriter(self._directory, environment=False, lazy=True)
            self._writer.add_live_edit(name, before, after, step, author="debugger")
            self._writer.add_hparams({"edits": "; ".join(self._edits)})
            self._writer.flush()
        except OSError as error:
            _log.error("The change of %s is not recorded in the run, because it cannot be written: %s", name, error)

    def close(self) -> None:
        """Close the files."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
