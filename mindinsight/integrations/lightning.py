"""`MindInsightLogger` and `MindInsightDebugger` for Lightning.

`Trainer(logger=MindInsightLogger("summaries"), callbacks=[MindInsightDebugger("summaries/x")])`.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mindinsight.frameworks import missing

try:
    from lightning.pytorch.callbacks import Callback
    from lightning.pytorch.loggers.logger import Logger, rank_zero_experiment
    from lightning.pytorch.utilities.rank_zero import rank_zero_only
except ModuleNotFoundError as error:
    raise missing(error, __name__, "lightning") from None

from mindinsight.integrations.numbers import options_of, write
from mindinsight.torch import Run, watch
from summaries.writing.writer import SummaryWriter

__all__ = ["MindInsightDebugger", "MindInsightLogger"]


class MindInsightLogger(Logger):  # type: ignore[misc]  # not installed where this is checked
    """Records what a LightningModule logs, under its names, at Lightning's steps.

    The run's folder is `save_dir/name/version`, as for Lightning's own loggers.

    Args:
        save_dir: The folder that the dashboard watches.
        name: The experiment.
        version: Its number or name; None: the next `version_N`.
        prefix: Put before each name, with `-`.
    """

    def __init__(
        self,
        save_dir: str | Path,
        name: str = "lightning_logs",
        version: int | str | None = None,
        prefix: str = "",
    ) -> None:
        super().__init__()
        self._save_dir, self._name, self._version, self._prefix = Path(save_dir), name, version, prefix
        self._writer: SummaryWriter | None = None

    @property
    def name(self) -> str:
        """The experiment."""
        return self._name

    @property
    def version(self) -> int | str:
        """The number or name of the run."""
        if self._version is None:
            numbers = [path.name.partition("_")[2] for path in (self._save_dir / self._name).glob("version_*")]
            self._version = max((int(number) + 1 for number in numbers if number.isdigit()), default=0)
        return self._version

    @property
    def save_dir(self) -> str:
        """The folder that the dashboard watches."""
        return str(self._save_dir)

    @property
    def log_dir(self) -> str:
        """The run's folder."""
        version = self.version if isinstance(self.version, str) else f"version_{self.version}"
        return str(self._save_dir / self._name / version)

    @property
    @rank_zero_experiment  # type: ignore[untyped-decorator]
    def experiment(self) -> SummaryWriter:
        """The run's writer; on other ranks something that does nothing."""
        if self._writer is None:
            self._writer = SummaryWriter(self.log_dir)
        return self._writer

    @rank_zero_only  # type: ignore[untyped-decorator]
    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        """Record numbers of a step.

        Raises:
            ValueError: a value is neither a number, nor a text, nor a mapping of numbers.
        """
        named = {f"{self._prefix}-{name}" if self._prefix else name: value for name, value in metrics.items()}
        left_out = write(self.experiment, named, step)
        if left_out:
            raise ValueError(f"log_metrics takes numbers, texts and mappings of numbers; these are not: {left_out}")

    @rank_zero_only  # type: ignore[untyped-decorator]
    def log_hyperparams(self, params: Mapping[str, Any] | argparse.Namespace, *others: Any, **more: Any) -> None:
        """Record hyper-parameters."""
        known = vars(params) if isinstance(params, argparse.Namespace) else params
        self.experiment.add_hparams(options_of(known))

    @rank_zero_only  # type: ignore[untyped-decorator]
    def save(self) -> None:
        """Wait until everything is in the file."""
        if self._writer is not None:
            self._writer.flush()

    @rank_zero_only  # type: ignore[untyped-decorator]
    def finalize(self, status: str) -> None:
        """Finish the file."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    def __getstate__(self) -> dict[str, Any]:
        """Without the writer: Lightning copies loggers to other processes."""
        return self.__dict__ | {"_writer": None}


class MindInsightDebugger(Callback):  # type: ignore[misc]  # not installed where this is checked
    """Records and debugs each training step, as `mindinsight.torch.watch` does.

    A step begins with its first batch and ends when its optimizers have updated the weights. It is observed, but cannot
    run again: `training_step` would log its numbers twice.

    Args:
        folder: The run's folder; None: the folder of the Trainer's first logger.
        options: Options of `mindinsight.torch.watch`.
    """

    def __init__(self, folder: str | Path | None = None, **options: Any) -> None:
        self._folder, self._options = folder, options
        self._run: Run | None = None

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Watch the module and its optimizers."""
        folder = self._folder or trainer.log_dir or trainer.default_root_dir
        if trainer.is_global_zero:
            self._run = watch(pl_module, list(trainer.optimizers), folder, **self._options).end_by_itself()

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        """Begin a step, if none has begun."""
        if self._run is not None:
            self._run.begin(batch, "Lightning's training_step would log its numbers twice")

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        """Stop if the dashboard has asked for it."""
        if self._run is not None and self._run.is_stopped:
            trainer.should_stop = True

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Close the run."""
        self._close("finished", "")

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Close the run, which has failed."""
        self._close("failed", f"{type(exception).__name__}: {exception}")

    def _close(self, reason: str, message: str) -> None:
        run, self._run = self._run, None
        if run is not None:
            run.close(reason, message)
