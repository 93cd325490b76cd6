"""`BackupAndRestore`: keeps one file with the parameters, from which a training that was broken off goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from framework.common.validator import check_bool, check_positive_int, check_type
from framework.train.callback.base import Callback, RunContext
from framework.train.serialization import load_checkpoint, save_checkpoint

__all__ = ["BackupAndRestore"]


class BackupAndRestore(Callback):
    """Saves the parameters and the optimizer's state to `backup.ckpt`, and loads them when the training begins.

    Args:
        backup_dir: directory of the file; it is made if it is missing.
        save_freq: number of epochs between savings; "epoch" for 1.
        delete_checkpoint: delete the file when the training has ended.

    Raises:
        TypeError: an argument has another type.
        ValueError: `backup_dir` is empty, or `save_freq` is not above 0.
    """

    def __init__(
        self, backup_dir: str, save_freq: int | Literal["epoch"] = "epoch", delete_checkpoint: bool = True
    ) -> None:
        if not check_type("backup_dir", backup_dir, str).strip():
            raise ValueError("backup_dir must name a directory, but is empty")
        self.save_freq = 1 if save_freq == "epoch" else check_positive_int(save_freq, "save_freq")
        self.delete_checkpoint = check_bool(delete_checkpoint, "delete_checkpoint")
        directory = Path(backup_dir)
        directory.mkdir(parents=True, exist_ok=True)
        self.backup_file = str(directory / "backup.ckpt")

    def on_train_begin(self, run_context: RunContext) -> None:
        """Load the file, if there is one."""
        if Path(self.backup_file).exists():
            load_checkpoint(self.backup_file, net=run_context.original_args().train_network)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Save the file if it is due."""
        run = run_context.original_args()
        if run.cur_epoch_num % self.save_freq == 0:
            save_checkpoint(run.train_network, self.backup_file)

    def on_train_end(self, run_context: RunContext) -> None:
        """Delete the file, unless it is to stay or the training failed."""
        if self.delete_checkpoint and not run_context.original_args().get("failed"):
            Path(self.backup_file).unlink(missing_ok=True)
