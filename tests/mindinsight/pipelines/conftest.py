"""Runs with records of a data pipeline, taken into the store as the ingest does it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mindinsight.environment import Environment
from mindinsight.runs.models import Run
from summaries import SummaryWriter
from summaries.records import frame
from summaries.schema.summary_pb2 import DataPipeline, Event
from tests.mindinsight.distributions.conftest import Take, take

__all__ = ["take"]

Record = Callable[..., tuple[Run, Path]]


@pytest.fixture
def record(environment: Environment, take: Take) -> Record:
    """Writes records of a pipeline into the file of a run."""

    def record(*contents: DataPipeline, name: str = "run") -> tuple[Run, Path]:
        with SummaryWriter(environment.base_directory / name, environment=False) as writer:
            writer.add_scalar("loss", 0.5, 1)
        assert writer.path is not None
        with writer.path.open("ab") as file:
            for content in contents:
                event = Event(wall_time=100 + content.seconds, data_pipeline=content)
                file.write(frame(event.SerializeToString()))
        return take(writer.path), writer.path

    return record


def slow_map(seconds: int, rate: int = 10) -> DataPipeline:
    """The sums after some seconds: a source that gives rows when asked, and a Map of one worker that is always busy."""
    rows = rate * seconds
    queue = DataPipeline.Queue(
        size=0, length=16, puts=rows, takes=rows, put_wait=0, take_wait=0.9 * seconds, fill=[rows] + [0] * 16
    )
    return DataPipeline(
        seconds=seconds,
        processor=0.5 * seconds,
        processors=2,
        operators=[
            DataPipeline.Operator(number=0, op_type="GeneratorDataset", workers=1, where="train.py:9", rows=rows),
            DataPipeline.Operator(
                number=1,
                op_type="Map",
                children=[0],
                workers=1,
                where="train.py:10",
                rows=rows,
                busy=0.98 * seconds,
                processor=0.49 * seconds,
                threads=1,
                queue=queue,
                costs=[
                    DataPipeline.Cost(name="slow", rows=8, seconds=0.09, processor=0.01, python=True),
                    DataPipeline.Cost(name="HWC2CHW", rows=8, seconds=0.01, processor=0.01),
                ],
            ),
        ],
        queue=queue,
        epochs=[DataPipeline.Epoch(epoch=1, steps=rows, waiting=0.4 * seconds, duration=seconds)],
        steps=[
            DataPipeline.Step(step=step, waiting=0.04, duration=0.1)
            for step in range(max(1, rows - 63), rows + 1)
        ],
        finding=DataPipeline.Finding(
            operator=1, reason="one_worker", operation="slow", operation_share=0.9, workers=1, busy=0.98,
            output_empty=0.9, processors=0.25, action="workers", count=2, gain=1.8,
        ),
    )  # fmt: skip
