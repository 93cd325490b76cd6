"""Runs with tensors, taken into the store as the ingest does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from mindinsight.environment import Environment
from mindinsight.runs.models import Series
from mindinsight.tensors import records
from summaries import Kind, SummaryWriter
from tests.mindinsight.distributions.conftest import Take, take

__all__ = ["take"]

Write = Callable[..., int]


@pytest.fixture
def write(environment: Environment, take: Take) -> Iterator[Write]:
    """Writes arrays as steps 0, 10, 20, ... of one tag of a run and returns the number of the series."""

    def write(*arrays: Any, tag: str = "w", run: str = "a") -> int:
        with SummaryWriter(environment.base_directory / run, environment=False) as writer:
            for step, array in enumerate(arrays):
                writer.add_tensor(tag, np.asarray(array), 10 * step)
        assert writer.path is not None
        take(writer.path)
        return int(Series.objects.get(tag=tag, kind=Kind.TENSOR, run__name=run).pk)

    yield write
    records._tensors.clear()
