"""Ends a training on request, with a checkpoint from which it can be resumed if wanted."""

from __future__ import annotations

import logging
from pathlib import Path

from debugging.contract import Debuggee
from debugging.session.progress import Progress

__all__ = ["Termination", "TrainingStoppedError"]

_log = logging.getLogger("debugging")


class TrainingStoppedError(Exception):
    """The dashboard stopped a hand-written training loop; `attach` catches it."""


class Termination:
    """Ends a training.

    Args:
        debuggee: The training.
        progress: The progress of the training.
        directory: The directory of the checkpoint; None: the working directory.

    Attributes:
        asked: Whether an end is requested.

    """

    def __init__(self, debuggee: Debuggee, progress: Progress, directory: str | None) -> None:
        self.asked = False
        self._debuggee = debuggee
        self._progress = progress
        self._directory = Path(directory or ".").absolute()
        self._saving = False
        self._done = False

    def ask(self, saving: bool) -> None:
        """Request an end after the current step.

        Args:
            saving: Write a checkpoint first.

        """
        self.asked, self._saving = True, saving

    def carry_out(self) -> None:
        """End the training between two steps if requested. If the checkpoint cannot be written, the training continues.

        Raises:
            TrainingStoppedError: In a hand-written loop.

        """
        if not self.asked or self._done:
            return
        if self._saving and not self._save():
            self.asked = False
            return
        self._done = True
        if not self._progress.request_stop():
            raise TrainingStoppedError

    def _save(self) -> bool:
        try:
            path = self._debuggee.save(self._directory, self._progress.saved)
        except OSError as error:
            _log.error("The training was not stopped, because its checkpoint cannot be written: %s", error)
            return False
        _log.warning("The training was stopped from the debugger; its state is in %s.", path)
        return True
