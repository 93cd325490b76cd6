"""`MindInsightTracker` for accelerate: `Accelerator(log_with=MindInsightTracker("x", "summaries"))`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from mindinsight.frameworks import missing

try:
    from accelerate.tracking import GeneralTracker, on_main_process
except ModuleNotFoundError as error:
    raise missing(error, __name__, "accelerate") from None

from mindinsight.integrations.numbers import options_of, write
from summaries.writing.writer import SummaryWriter

__all__ = ["MindInsightTracker"]


class MindInsightTracker(GeneralTracker):  # type: ignore[misc]  # not installed where this is checked
    """Records what `Accelerator.log` is given, under its names, in the main process.

    Args:
        run_name: The run's name; its folder is `logging_dir/run_name`.
        logging_dir: The folder that the dashboard watches.
        options: Options of `summaries.SummaryWriter`.
    """

    name = "mindinsight"
    requires_logging_directory = True

    def __init__(self, run_name: str, logging_dir: str | os.PathLike[str], **options: Any) -> None:
        super().__init__()
        self.run_name = run_name
        self.folder = Path(logging_dir) / run_name
        self._options = options
        self._writer: SummaryWriter | None = None

    @on_main_process  # type: ignore[untyped-decorator]
    def start(self) -> None:
        """Open the run; `Accelerator.init_trackers` calls this."""
        if self._writer is None:
            self._writer = SummaryWriter(str(self.folder), **self._options)

    @property
    def tracker(self) -> SummaryWriter | None:
        """The run's writer; None in other processes."""
        return self._writer

    @on_main_process  # type: ignore[untyped-decorator]
    def store_init_configuration(self, values: dict[str, Any]) -> None:
        """Record hyper-parameters."""
        self._opened().add_hparams(options_of(values))

    @on_main_process  # type: ignore[untyped-decorator]
    def log(self, values: dict[str, Any], step: int | None = None, **others: Any) -> None:
        """Record numbers, texts, or mappings of numbers of a step; other values are left out, as accelerate's do."""
        write(self._opened(), values, step)

    @on_main_process  # type: ignore[untyped-decorator]
    def log_images(self, values: dict[str, Any], step: int | None = None, **others: Any) -> None:
        """Record pictures (N, H, W, C), unless `dataformats` says otherwise."""
        for name, pictures in values.items():
            self._opened().add_images(name, pictures, step, **{"dataformats": "NHWC", **others})

    @on_main_process  # type: ignore[untyped-decorator]
    def finish(self) -> None:
        """Close the run."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    def _opened(self) -> SummaryWriter:
        self.start()
        if self._writer is None:
            raise RuntimeError("the tracker has no writer in this process")
        return self._writer
