"""`MindInsightCallback` for the Trainer of transformers: `Trainer(callbacks=[MindInsightCallback("summaries/x")])`."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from mindinsight.frameworks import missing

try:
    from transformers import TrainerCallback
    from transformers.integrations.integration_utils import rewrite_logs
except ModuleNotFoundError as error:
    raise missing(error, __name__, "transformers") from None

from mindinsight.integrations.numbers import options_of, write
from mindinsight.torch import Run, watch
from summaries.writing.writer import SummaryWriter

__all__ = ["MindInsightCallback"]

_log = logging.getLogger("mindinsight.integrations")


class MindInsightCallback(TrainerCallback):  # type: ignore[misc]  # not installed where this is checked
    """Records what the Trainer logs, under its names: `train/loss`, `eval/loss`, `train/learning_rate`.

    The Trainer's arguments and the model's configuration become hyper-parameters. With `watch=True` the run also has
    what `mindinsight.torch.watch` records, and its debugger.

    Args:
        folder: The run's folder; None: `runs` in the Trainer's `output_dir`.
        watch: Watch the model and the optimizer, too.
        options: Options of `mindinsight.torch.watch`.
    """

    def __init__(self, folder: str | Path | None = None, *, watch: bool = True, **options: Any) -> None:
        self._folder = None if folder is None else Path(folder)
        self._watches, self._options = watch, options
        self._writer: SummaryWriter | None = None
        self._run: Run | None = None

    def on_train_begin(
        self, args: Any, state: Any, control: Any, model: Any = None, optimizer: Any = None, **others: Any
    ) -> None:
        """Open the run; the Trainer calls this."""
        writer = self._open(args, state)
        if writer is not None:
            config = getattr(model, "config", None)
            known = {} if config is None else {f"model/{name}": item for name, item in config.to_dict().items()}
            writer.add_hparams(options_of({**known, **args.to_sanitized_dict()}))
        if self._watches and model is not None and optimizer is not None and state.is_world_process_zero:
            self._run = watch(model, optimizer, self._place(args), **self._options).end_by_itself()

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **others: Any) -> None:
        """Record what the Trainer logs."""
        writer = self._open(args, state)
        if writer is not None and logs:
            left_out = write(writer, rewrite_logs(logs), state.global_step)
            if left_out:
                _log.warning("Not recorded, as they are neither numbers nor texts: %s", ", ".join(left_out))

    def on_step_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        """Stop if the dashboard has asked for it."""
        if self._run is not None and self._run.is_stopped:
            control.should_training_stop = True

    def on_train_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        """Close the run."""
        run, self._run = self._run, None
        if run is not None:
            run.close()
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    def _place(self, args: Any) -> Path:
        return self._folder or Path(args.output_dir) / "runs"

    def _open(self, args: Any, state: Any) -> SummaryWriter | None:
        """The writer; only the first process has one."""
        if self._writer is None and state.is_world_process_zero:
            self._writer = SummaryWriter(str(self._place(args)))
        return self._writer
