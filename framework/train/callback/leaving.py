"""`OnRequestExit`: ends a training or an evaluation at a signal, or when a file says so, and saves its state."""

from __future__ import annotations

import json
import signal
import sys
import threading
from json import JSONDecodeError
from pathlib import Path
from types import FrameType
from typing import Any

from framework import context
from framework.nn.cell import Cell
from framework.train.callback.base import Callback, RunContext
from framework.train.mindir import export
from framework.train.serialization import load_checkpoint, save_checkpoint

__all__ = ["OnRequestExit"]

_KEY = "GracefulExit"


class OnRequestExit(Callback):
    """Ends a run after its current step when it is asked to: by a signal, or by `{"GracefulExit": 1}` in a file.

    It saves `<directory>/rank_<device>/<file_name>_train.ckpt` and `.msir`, `_eval` in an evaluation. A training
    that finds such a checkpoint when it begins loads it.

    Args:
        save_ckpt: save a checkpoint.
        save_mindir: save the program, as `ms.export` does.
        file_name: beginning of the names of the files.
        directory: the folder of `rank_<device>`.
        config_file: path of a JSON file, which is read before each step; None for none.
        sig: number of the signal.

    Raises:
        TypeError: an argument has another type.
        ValueError: the signal cannot be handled.

    """

    def __init__(
        self,
        save_ckpt: bool = True,
        save_mindir: bool = True,
        file_name: str = "Net",
        directory: str = "./",
        config_file: str | None = None,
        sig: int = signal.SIGTERM,
    ) -> None:
        for name, value, kind in (
            ("save_ckpt", save_ckpt, bool), ("save_mindir", save_mindir, bool), ("file_name", file_name, str),
            ("directory", directory, str), ("sig", sig, int),
        ):  # fmt: skip
            if not isinstance(value, kind):
                raise TypeError(f"OnRequestExit: {name} must be a {kind.__name__}, not {type(value).__name__}")
        if sig in (getattr(signal, "SIGKILL", None), getattr(signal, "SIGSTOP", None)):
            raise ValueError(f"OnRequestExit: a process cannot handle {signal.Signals(sig).name}: use SIGTERM")
        self.save_ckpt, self.save_mindir, self.sig = save_ckpt, save_mindir, sig
        self.exit = False
        self._config = None if config_file is None else Path(config_file)
        self._folder = Path(directory) / f"rank_{context.get_context('device_id')}"
        self._name = file_name
        self._before: Any = None

    def on_train_begin(self, run_context: RunContext) -> None:
        """Handle the signal from now on, and load what an earlier run has saved."""
        self._handle()
        self._load(run_context.original_args().train_network, "train")

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Handle the signal from now on, and load what an earlier run has saved."""
        self._handle()
        self._load(run_context.original_args().eval_network, "eval", "train")

    def step_begin(self, run_context: RunContext) -> None:
        """Read the file that may ask to end."""
        if self._config is not None and _is_asked(self._config):
            self.exit = True

    def step_end(self, run_context: RunContext) -> None:
        """Stop if the run was asked to end."""
        if self.exit:
            run_context.request_stop()

    def on_train_end(self, run_context: RunContext) -> None:
        """Save if the training was asked to end, and handle the signal as before."""
        run = run_context.original_args()
        self._end(run.train_network, "train", run.get("train_dataset_element"), run)

    def on_eval_end(self, run_context: RunContext) -> None:
        """Save if the evaluation was asked to end, and handle the signal as before."""
        run = run_context.original_args()
        self._end(run.eval_network, "eval", run.get("eval_dataset_element"), run)

    def _handle(self) -> None:
        # Only the main thread may set handlers.
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(self.sig, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.exit = True

    def _path(self, kind: str, suffix: str) -> Path:
        return self._folder / f"{self._name}_{kind}.{suffix}"

    def _load(self, network: Cell, *kinds: str) -> None:
        found = [self._path(kind, "ckpt") for kind in kinds if self._path(kind, "ckpt").is_file()]
        if self.save_ckpt and found:
            load_checkpoint(str(found[0]), net=network)

    def _end(self, network: Cell, kind: str, inputs: Any, run: dict[str, Any]) -> None:
        if self._before is not None:
            signal.signal(self.sig, self._before)
            self._before = None
        if not self.exit:
            return
        if self.save_ckpt or self.save_mindir:
            self._folder.mkdir(parents=True, exist_ok=True)
        if self.save_ckpt:
            places = {"epoch_num": run.get("cur_epoch_num", 0), "step_num": run.get("cur_step_num", 0)}
            save_checkpoint(network, str(self._path(kind, "ckpt")), append_dict=places)
        if self.save_mindir and inputs is not None:
            export(network, *inputs, file_name=str(self._path(kind, "msir")))


def _is_asked(path: Path) -> bool:
    """Whether a file asks a run to end. A file that is not there, or is being written, does not."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, JSONDecodeError):
        return False
    except OSError as error:
        sys.stderr.write(f"OnRequestExit cannot read {path}: {error.strerror}\n")
        return False
    return isinstance(found, dict) and found.get(_KEY) == 1
