"""`ModelCheckpoint`: saves the state of a training at intervals, complete enough to resume it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from framework.common import seed
from framework.common.validator import check_non_negative_int, check_type
from framework.nn.cell import Cell
from framework.train.callback.base import Callback, CallbackParam, RunContext
from framework.train.serialization import SUFFIXES, save_checkpoint, writing

__all__ = ["CheckpointConfig", "ModelCheckpoint", "free_prefix"]


class CheckpointConfig:
    """The times at which checkpoints are saved, and the files that are kept.

    Args:
        save_checkpoint_steps: number of steps between files; 0 for no saving by steps.
        save_checkpoint_seconds: seconds between files, if not saved by steps; 0 for no saving by time. The attribute is
            None where files are saved by steps.
        keep_checkpoint_max: number of newest files to keep; 0 for all.
        keep_checkpoint_per_n_minutes: minutes for which one file is kept, if `keep_checkpoint_max` is 0. The attribute
            is None where a number of files is kept.
        integrated_save: as for `save_checkpoint`.
        async_save: write in a thread.
        saved_network: Cell to save in place of the training step.
        append_info: dictionaries of further numbers and texts to save; "epoch_num" and "step_num" are always saved.
        enc_key: key to encrypt the files with, as for `save_checkpoint`.
        enc_mode: mode of encryption: `AES-GCM`, `AES-CBC` or `SM4-CBC`.
        exception_save: save a last file if the training fails.
        crc_check: append the CRC-32 that MindSpore verifies too.
        remove_redundancy: accepted for compatibility; has no effect.
        format: `ckpt` or `safetensors`.

    Raises:
        ValueError: a number is below 0, no interval is given, or arguments contradict each other.
        TypeError: a number is no int, or `append_info` has an item of another type.
        ImportError: the package for encryption is not installed.
    """

    def __init__(
        self,
        save_checkpoint_steps: int | None = 1,
        save_checkpoint_seconds: int | None = 0,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_per_n_minutes: int | None = 0,
        integrated_save: bool = True,
        async_save: bool = False,
        saved_network: Cell | None = None,
        append_info: Sequence[Any] | None = None,
        enc_key: bytes | None = None,
        enc_mode: str = "AES-GCM",
        exception_save: bool = False,
        crc_check: bool = False,
        remove_redundancy: bool = False,
        format: str = "ckpt",  # noqa: A002 - MindSpore's name
    ) -> None:
        numbers = {
            "save_checkpoint_steps": save_checkpoint_steps,
            "save_checkpoint_seconds": save_checkpoint_seconds,
            "keep_checkpoint_max": keep_checkpoint_max,
            "keep_checkpoint_per_n_minutes": keep_checkpoint_per_n_minutes,
        }
        for name, value in numbers.items():
            if value is not None:
                check_non_negative_int(value, name)
        if not save_checkpoint_steps and not save_checkpoint_seconds:
            raise ValueError("there is no interval to save at: give save_checkpoint_steps or save_checkpoint_seconds")
        writing(format, crc_check, enc_key, enc_mode)
        self.save_checkpoint_steps = save_checkpoint_steps or 0
        self.save_checkpoint_seconds = None if self.save_checkpoint_steps else save_checkpoint_seconds or 0
        self.keep_checkpoint_max = keep_checkpoint_max or 0
        minutes = None if self.keep_checkpoint_max else keep_checkpoint_per_n_minutes or 0
        self.keep_checkpoint_per_n_minutes = minutes
        self.integrated_save = integrated_save
        self.async_save = async_save
        self.saved_network = saved_network
        self.exception_save = exception_save
        self.enc_key, self.enc_mode = enc_key, enc_mode
        self.crc_check, self.format = crc_check, format
        self.append_dict: dict[str, Any] = {}
        for item in append_info or ():
            if isinstance(item, dict):
                self.append_dict.update(item)
            elif item not in ("epoch_num", "step_num"):
                raise TypeError(f"append_info takes dictionaries, 'epoch_num' and 'step_num', not {item!r}")

    def get_checkpoint_policy(self) -> dict[str, Any]:
        """When files are saved and which are kept, by the names of the arguments."""
        names = (
            "save_checkpoint_steps", "save_checkpoint_seconds", "keep_checkpoint_max", "keep_checkpoint_per_n_minutes",
            "saved_network",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}


class ModelCheckpoint(Callback):
    """Saves a training to `PREFIX-EPOCH_STEP.ckpt`, where STEP counts within the epoch.

    Each file contains the parameters, the optimizer's state, the position in the training and the state of random
    numbers. `Model.train(..., resume_from=file)` therefore continues as if never interrupted.

    Args:
        prefix: beginning of the file names. If there are files with this prefix already, a number is added.
        directory: directory of the files; None for the working directory.
        config: times of saving, and files to keep; None for the defaults.

    Attributes:
        latest_ckpt_file_name: path of the newest file.

    Raises:
        ValueError: the prefix is no text, is empty or names a directory.
        TypeError: `config` is no `CheckpointConfig`.
    """

    def __init__(
        self, prefix: str = "CKP", directory: str | Path | None = None, config: CheckpointConfig | None = None
    ) -> None:
        if not isinstance(prefix, str) or not prefix or "/" in prefix or os.sep in prefix:
            raise ValueError(f"prefix must be the beginning of a file name, not {prefix!r}")
        check_type("config", config, (CheckpointConfig, type(None)))
        self._directory = Path(directory) if directory is not None else Path.cwd()
        self._config = config if config is not None else CheckpointConfig()
        self._wanted_prefix = self._prefix = prefix
        self._kept: list[tuple[Path, float]] = []
        self._last_step, self._last_time = 0, 0.0
        self._writing: threading.Thread | None = None
        self.latest_ckpt_file_name = ""

    def on_train_begin(self, run_context: RunContext) -> None:
        """Start a series of files."""
        run = run_context.original_args()
        self._prefix = free_prefix(self._directory, self._wanted_prefix)
        self._kept = []
        self._last_step, self._last_time = run.cur_step_num, time.monotonic()

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Save a file if it is due."""
        run, config = run_context.original_args(), self._config
        if config.save_checkpoint_steps:
            due = run.cur_step_num - self._last_step >= config.save_checkpoint_steps
        else:
            due = time.monotonic() - self._last_time >= (config.save_checkpoint_seconds or 0)
        if due:
            self._save(run)

    def on_train_end(self, run_context: RunContext) -> None:
        """Save the last step, and wait until it is written."""
        run = run_context.original_args()
        failed = bool(run.get("failed"))
        if run.cur_step_num > self._last_step and (not failed or self._config.exception_save):
            self._save(run)
        if self._writing is not None:
            self._writing.join()

    def _save(self, run: CallbackParam) -> None:
        config = self._config
        path = self._directory / f"{self._prefix}-{run.cur_epoch_num}_{run.cur_step_in_epoch}{SUFFIXES[config.format]}"
        place = {
            "epoch_num": run.cur_epoch_num,
            "step_num": run.cur_step_num,
            "step_in_epoch": run.cur_step_in_epoch,
            "random_state": seed.get_state(),
        }
        network = config.saved_network if config.saved_network is not None else run.train_network
        if self._writing is not None:
            self._writing.join()
        self._writing = save_checkpoint(
            network,
            path,
            config.integrated_save,
            config.async_save,
            {**config.append_dict, **place},
            enc_key=config.enc_key,
            enc_mode=config.enc_mode,
            crc_check=config.crc_check,
            format=config.format,
        )
        self._last_step, self._last_time = run.cur_step_num, time.monotonic()
        self.latest_ckpt_file_name = run.latest_ckpt_file = str(path)
        run.last_save_ckpt_step = run.cur_step_num
        self._kept = [(old, when) for old, when in self._kept if old != path] + [(path, self._last_time)]
        self._clear_up()

    def _clear_up(self) -> None:
        """Delete files that are not kept, but never the newest one."""
        config = self._config
        gone: list[Path] = []
        if config.keep_checkpoint_max:
            gone = [path for path, _ in self._kept[: -config.keep_checkpoint_max]]
        elif config.keep_checkpoint_per_n_minutes:
            kept_at: float | None = None
            for path, when in self._kept[:-1]:
                if kept_at is not None and when - kept_at < config.keep_checkpoint_per_n_minutes * 60:
                    gone.append(path)
                else:
                    kept_at = when
        for path in gone:
            path.unlink(missing_ok=True)
        self._kept = [(path, when) for path, when in self._kept if path not in gone]


def free_prefix(directory: Path, prefix: str) -> str:
    """The prefix, or the prefix with the first number that no file has yet."""
    files = directory.iterdir() if directory.is_dir() else ()
    names = [path.name for path in files if path.suffix in SUFFIXES.values()]
    tried, number = prefix, 0
    while any(name.startswith(f"{tried}-") for name in names):
        number += 1
        tried = f"{prefix}_{number}"
    return tried
