"""The profile of a data set: `ds.profile` reads it without a training, `ds.Monitor` records it during one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self, runtime_checkable

from framework.common.validator import check_positive_int, check_type
from framework.dataset.ir.nodes import Node
from framework.dataset.monitor.bottleneck import Finding, find_bottleneck
from framework.dataset.monitor.recording import Recording, processors
from framework.dataset.monitor.states import PipelineState, difference
from framework.dataset.monitor.words import sentence, table
from summaries import SummaryWriter

__all__ = ["Monitor", "PipelineProfile", "profile"]


@runtime_checkable
class Readable(Protocol):
    """A data set."""

    node: Node

    def create_tuple_iterator(self, *, num_epochs: int = -1, output_numpy: bool = False) -> Any:
        """An iterator over rows, with the `state` of the pipeline."""


@dataclass(frozen=True)
class PipelineProfile:
    """The measurements of a pipeline. As text it is a table and the sentence about the bottleneck.

    Attributes:
        span: rows, times and queues of all operators.
        finding: the bottleneck with its evidence; None if no operator stands out.
    """

    span: PipelineState
    finding: Finding | None

    @property
    def sentence(self) -> str:
        """What holds the batches up, why, and what to do."""
        return sentence(self.span, self.finding)

    def __str__(self) -> str:
        rate = self.span.root.rows / self.span.seconds if self.span.seconds else 0.0
        return f"{table(self.span)}\n\n{rate:,.1f} batches/s. {self.sentence}"


def profile(data: Readable, batches: int = 100, *, show: bool = True) -> PipelineProfile:
    """Read batches of a data set as fast as they come, and tell which operator holds them up.

    The first tenth is not measured, as workers start and files are opened. A shorter data set is read again.

    Args:
        data: the data set.
        batches: number of batches.
        show: print the profile.

    Returns:
        The profile.

    Raises:
        TypeError: `data` is no data set.
        ValueError: `batches` is below 2, or the data set has no rows.
    """
    check_type("data", data, Readable)
    if check_positive_int(batches, "batches") < 2:
        raise ValueError(f"batches must be at least 2, not {batches}")
    first = -(-batches // 10)
    before: PipelineState | None = None
    with data.create_tuple_iterator(output_numpy=True) as rows:
        read = 0
        while read < batches:
            begun = read
            for _ in rows:
                read += 1
                if read == first:
                    before = rows.state()
                if read == batches:
                    break
            if read == begun:
                raise ValueError(f"profile: {data.node.op_type} at {data.node.where} has no rows")
        after = rows.state()
    span = difference(before, after)
    found = PipelineProfile(span, find_bottleneck(span, processors()))
    if show:
        print(found)  # noqa: T201 - what the user asked for
    return found


class Monitor:
    """Records the pipeline of a data set while a loop of your own reads it, for the dashboard's page "Data pipeline".

    `ms.SummaryCollector` does this by itself.

    Args:
        data: the data set whose iterator the loop reads.
        summary_dir: directory of the run's summaries, which gets a file of records; None for none.
        output_path: directory that gets `pipeline_profiling_0.json` in MindSpore's format; None for `summary_dir`.

    Raises:
        TypeError: `data` is no data set.
        ValueError: there is no directory.

    Example:
        >>> data = ms.dataset.NumpySlicesDataset([1, 2, 3, 4], shuffle=False).batch(2)
        >>> with tempfile.TemporaryDirectory() as folder, ms.dataset.Monitor(data, folder):
        ...     print([batch.tolist() for batch, in data.create_tuple_iterator(num_epochs=1)])
        [[1, 2], [3, 4]]

    """

    def __init__(
        self, data: Readable, summary_dir: str | Path | None = None, output_path: str | Path | None = None
    ) -> None:
        check_type("data", data, Readable)
        if summary_dir is None and output_path is None:
            raise ValueError("Monitor: give summary_dir for the dashboard, or output_path for a file of MindSpore's")
        self._data = data
        self._summaries = summary_dir
        self._folder = Path(summary_dir if output_path is None else output_path)  # type: ignore[arg-type]
        self._writer: SummaryWriter | None = None
        self._recording: Recording | None = None

    def __enter__(self) -> Self:
        self._folder.mkdir(parents=True, exist_ok=True)
        put = None
        if self._summaries is not None:
            self._writer = SummaryWriter(self._summaries, filename_suffix="_pipeline", environment=False, lazy=True)
            put = self._writer.add_event
        self._recording = Recording(self._data.node, put, self._folder)
        self._recording.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._recording is not None:
            self._recording.stop()
        if self._writer is not None:
            self._writer.close()
