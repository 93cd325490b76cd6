"""Ends a training that somebody stopped from the debugger, if they want with a checkpoint to go on from."""

from __future__ import annotations

import logging
from pathlib import Path

from framework.debugger.place import Place
from framework.nn.cell import Cell
from framework.train.serialization import SUFFIXES, save_checkpoint

__all__ = ["Ending", "TrainingStoppedError"]

_log = logging.getLogger("framework")


class TrainingStoppedError(Exception):
    """Somebody stopped a training whose loop its user wrote; `attach` catches it."""


class Ending:
    """How a training is stopped.

    Args:
        network: the whole training step.
        place: where the training is.
        directory: where a checkpoint goes; None: the working directory.

    Attributes:
        asked: whether somebody wants it to end.

    """

    def __init__(self, network: Cell, place: Place, directory: str | None) -> None:
        self.asked = False
        self._network = network
        self._place = place
        self._directory = Path(directory or ".").absolute()
        self._saving = False
        self._done = False

    def ask(self, saving: bool) -> None:
        """End after the step under way.

        Args:
            saving: write a checkpoint before, which `Model.train(resume_from=...)` takes.

        """
        self.asked, self._saving = True, saving

    def carry_out(self) -> None:
        """End between two steps, if somebody has asked. Who wants to save and cannot goes on.

        Raises:
            TrainingStoppedError: in a loop that a user wrote.

        """
        if not self.asked or self._done:
            return
        if self._saving and not self._save():
            self.asked = False
            return
        self._done = True
        if not self._place.request_stop():
            raise TrainingStoppedError

    def _save(self) -> bool:
        path = self._directory / f"debugger-{self._place.step}{SUFFIXES['ckpt']}"
        try:
            save_checkpoint(self._network, path, append_dict=self._place.saved)
        except OSError as error:
            _log.error("The training was to be saved and stopped, but cannot be saved, so it goes on: %s", error)
            return False
        _log.warning("The training was stopped from the debugger; its state is in %s.", path)
        return True
